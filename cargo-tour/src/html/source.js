// The source tab: lines with syntax colours, a heat map, and the variables that a measure covers.
"use strict";
const keywords = {
  c: new Set(("auto break case char const continue default do double else enum extern float for goto if inline int long " +
    "register restrict return short signed sizeof static struct switch typedef union unsigned void volatile while " +
    "_Bool _Atomic _Thread_local").split(" ")),
  rust: new Set(("as async await break const continue crate dyn else enum extern false fn for if impl in let loop match " +
    "mod move mut pub ref return self Self static struct super trait true type unsafe use where while").split(" ")),
};
const token = /\/\*[\s\S]*?(?:\*\/|$)|\/\/[^\n]*|"(?:\\[\s\S]|[^"\\\n])*"?|'(?:\\.|[^'\\\n])'|[A-Za-z_]\w*|0[xX][\da-fA-F]+\w*|\d[\w.]*|[\s\S]/g;

/** The text as lines of [class, text] pieces. */
function colour(text, language) {
  const lines = [[]];
  const put = (kind, piece) => piece.split("\n").forEach((part, i) => {
    if (i) lines.push([]);
    if (part) lines[lines.length - 1].push([kind, part]);
  });
  let fresh = true;
  for (const [piece] of text.matchAll(token)) {
    let kind = "";
    if (piece.startsWith("/*") || piece.startsWith("//")) kind = "c";
    else if (piece[0] === '"' || piece[0] === "'") kind = "s";
    else if (/^\d/.test(piece)) kind = "n";
    else if (/^\w/.test(piece)) kind = keywords[language]?.has(piece) ? "k" : "id";
    else if (piece === "#" && fresh && language === "c") kind = "p";
    put(kind, piece);
    if (piece.includes("\n")) fresh = true; else if (piece.trim()) fresh = false;
  }
  return lines;
}

const suspectsOf = file => faults().suspects.filter(s => s.file === file.file);

/** What colours a line, by the chosen view. */
function lineColours(file, view) {
  const known = new Map(file.lines.map(line => [line.line, line]));
  const most = Math.max(1, ...file.lines.map(line => line.visits));
  const byState = line => line.state === "unvisited" ? "var(--considered)"
    : line.state === "considered" ? "#ffe3a3" : heat(line.visits, most);
  switch (view) {
    case "heat": return number => {
      const line = known.get(number);
      return line ? heat(line.visits, most) || "var(--considered)" : null;
    };
    case "considered": return number => known.has(number) ? byState(known.get(number)) : null;
    case "suspects": {
      const scores = new Map(suspectsOf(file).map(s => [s.line, s.score]));
      return number => scores.has(number) ? `hsl(5, 85%, ${95 - 35 * scores.get(number)}%)` : null;
    }
    default: {
      const measure = run.coverage.measures.find(m => m.id === view);
      if (!measure || measure.kind === "variables") return () => null;
      if (measure.kind === "lines") return number => known.has(number)
        ? (known.get(number).visits ? "#d2f4d3" : "var(--considered)") : null;
      return locationLines(file.file, view, known);
    }
  }
}

/** A line is covered if a location behind one of its edges is. */
function locationLines(name, view, known) {
  const index = run.sources.findIndex(source => source.file === name);
  const covered = new Set(run.coverage.locations.filter(l => l.covered.includes(view)).map(l => l.id));
  const lines = new Set(run.automata.edges.filter(e => e.file === index && covered.has(e.to)).map(e => e.line));
  return number => known.has(number) ? (lines.has(number) ? "#d2f4d3" : "var(--considered)") : null;
}

/** Whether the measure covers the variable that an identifier on a line means; undefined: it is none. */
function variableLookup(file, view) {
  const functions = file.functions;
  const byName = new Map();
  for (const variable of run.coverage.variables) {
    byName.set((variable.function || "") + " " + variable.name, variable.covered.includes(view));
  }
  return (number, name) => {
    let own = "";
    for (const f of functions) if (f.line <= number) own = f.name;
    return byName.get(own + " " + name) ?? byName.get(" " + name);
  };
}

tabs.source = {
  title: "Source",
  view: "considered",
  empty: () => run.sources.length === 0,
  show(main, options) {
    const index = Math.min(options.file ?? this.file ?? 0, run.sources.length - 1);
    this.file = index;
    const source = run.sources[index];
    const file = run.coverage.files.find(f => f.file === source.file) || { file: source.file, lines: [], functions: [] };
    const views = [["considered", "reached and considered lines"], ["heat", "visits (heat map)"],
      ...run.coverage.measures.map(m => [m.id, m.id.replaceAll("-", " ")]),
      ...(faults().suspects.length ? [["suspects", "suspects"]] : []), ["none", "no colours"]];
    main.append(make("div", { class: "tools" },
      select(run.sources.map((s, i) => [i, s.file]), index, value => show("source", { file: Number(value) })),
      make("label", {}, "Colours: ", select(views, this.view, value => { this.view = value; show("source", { file: index }); })),
      legend(heat(1, 1), "reached, darker is more often"), legend("#ffe3a3", "considered, not reached"),
      legend("var(--considered)", "not visited / not covered"),
      faults().suspects.length ? legend("hsl(5, 85%, 70%)", "suspect, with its rank") : null));
    const colours = lineColours(file, this.view);
    const measure = run.coverage.measures.find(m => m.id === this.view);
    const lookup = measure?.kind === "variables" ? variableLookup(file, this.view) : null;
    const ranks = new Map(suspectsOf(file).map(s => [s.line, [faults().suspects.indexOf(s) + 1, s.reasons.join("\n")]]));
    const visits = new Map(file.lines.map(line => [line.line, line.visits]));
    const body = make("tbody");
    colour(source.text, source.language).forEach((pieces, i) => {
      const number = i + 1;
      const code = make("td", {}, pieces.map(([kind, text]) => {
        const covered = kind === "id" && lookup ? lookup(number, text) : undefined;
        if (covered !== undefined) return make("span", { class: covered ? "v" : "u" }, text);
        return kind && kind !== "id" ? make("span", { class: kind }, text) : text;
      }));
      const background = colours(number);
      if (background) code.style.background = background;
      const row = make("tr", { "data-line": number }, make("td", { class: "no" }, String(number)),
        make("td", { class: "visits" }, visits.has(number) ? visits.get(number) + "×" : ""), code);
      if (ranks.has(number)) code.append(make("span", { class: "rank", title: ranks.get(number)[1] }, `suspect ${ranks.get(number)[0]}`));
      if (options.line === number) row.className = "marked";
      body.append(row);
    });
    const pane = make("div", { class: "code", id: "code" }, make("table", {}, body));
    main.append(pane);
    const marked = body.querySelector(".marked");
    if (marked) pane.scrollTop = marked.offsetTop - pane.clientHeight / 3;
  },
};
