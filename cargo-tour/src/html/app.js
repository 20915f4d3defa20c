// The page: runs, tabs, and the tabs that are plain tables. All text goes in as text, never as markup.
"use strict";
const runs = JSON.parse(document.getElementById("data").textContent).runs;
let run = runs[0];
const tabs = {};

/** An element with attributes and children; strings become text. */
function make(tag, attributes, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes || {})) {
    if (name === "class") element.className = value;
    else if (name === "style") Object.assign(element.style, value);
    else if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else element.setAttribute(name, value);
  }
  for (const child of children.flat()) if (child !== null && child !== undefined) element.append(child);
  return element;
}

const percent = value => (100 * value).toFixed(1) + " %";

function table(head, rows) {
  const cell = value => value instanceof Node ? make("td", {}, value)
    : make("td", typeof value === "number" ? { class: "number" } : {}, String(value ?? ""));
  return make("table", {},
    head ? make("thead", {}, make("tr", {}, head.map(text => make("th", {}, text)))) : null,
    make("tbody", {}, rows.map(row => make("tr", {}, row.map(cell)))));
}

/** What is violated first, if anything is. */
const violation = () => run.result.violations[0];

/** The lines that may be wrong. */
const faults = () => violation()?.faults ?? { suspects: [], findings: [] };

/** A link to a line of a file of this report. */
function place(file, line) {
  const index = run.sources.findIndex(source => source.file === file);
  const text = file + ":" + line;
  return index < 0 ? make("span", {}, text)
    : make("a", { class: "place", onclick: () => show("source", { file: index, line }) }, text);
}

function select(options, value, change) {
  const element = make("select", { onchange: () => change(element.value) },
    options.map(([id, text]) => make("option", { value: id }, text)));
  element.value = value;
  return element;
}

const legend = (color, text) => make("span", { class: "legend" }, make("i", { style: { background: color } }), text);

/** From light to dark green, by how often something was visited in relation to the most visited. */
function heat(visits, most) {
  if (!visits) return null;
  const share = Math.log1p(visits) / Math.log1p(Math.max(most, 10));
  return `hsl(135, 55%, ${94 - 34 * share}%)`;
}

function verdictClass(verdict) {
  return verdict.startsWith("SAFE") ? "good" : verdict.startsWith("UNSAFE") ? "bad" : "unsure";
}

/** The lines that may be wrong, the most suspect first. */
function suspects() {
  const why = s => make("ul", { class: "reasons" }, s.reasons.map(reason => make("li", {}, reason)));
  return make("section", { id: "suspects" }, make("h2", {}, "Suspects: lines that may be wrong"),
    table(["", "Where", "Statement", "Score", "Why"], faults().suspects.map((s, i) =>
      [i + 1, place(s.file, s.line), make("code", {}, s.statement), s.score.toFixed(2), why(s)])));
}

tabs.overview = {
  title: "Overview",
  show(main) {
    const coverage = run.coverage;
    const statuses = ["proved", "violated", "unknown", "unreached"];
    const count = status => coverage.checks.filter(check => check.status === status).length;
    main.append(
      table(null, [
        ["Program", run.name],
        ["Verdict", make("b", { class: verdictClass(run.verdict) }, run.verdict)],
        ["Decided by", run.result.analysis || "no analysis"],
        ["Time", run.result.time.toFixed(3) + " s"],
      ]),
      faults().suspects.length ? suspects() : "",
      make("h2", {}, "Coverage"),
      table(["Measure", "", "Covered", "What"], coverage.measures.map(m => [
        m.id, make("div", { class: "bar" }, make("i", { style: { width: 100 * m.value + "%" } })),
        `${percent(m.value)} (${m.covered} of ${m.total})`, m.describe])),
      make("h2", {}, "Properties"),
      table(["Property", "Checks"], run.result.checks.map(p => [p.property, p.checks])),
      make("p", {}, statuses.map(status => `${count(status)} ${status}`).join(", ")),
      table(["Check", "Where", "Result"], coverage.checks.slice(0, 500).map(check => [
        `${check.property}: ${check.message}`, place(check.file, check.line),
        make("span", { class: { proved: "good", violated: "bad", unknown: "unsure" }[check.status] || "dim" }, check.status)])),
    );
    if (coverage.hot.length) main.append(make("h2", {}, "Where the time went"), table(["Block at", "Function", "Seconds", "Visits"],
      coverage.hot.map(spot => [place(spot.file, spot.line), spot.function, spot.time.toFixed(3), spot.visits])));
    if (coverage.phases.length) main.append(make("h2", {}, "Analyses"), table(["Analysis", "Runs", "Seconds", "States expanded", "Refinements"],
      coverage.phases.map(p => [p.analysis, p.runs, p.time.toFixed(3), p.expanded, p.refinements])));
    const unused = coverage.files.flatMap(f => f.functions.filter(g => !g.visits).map(g => [g.name, place(f.file, g.line)]));
    if (unused.length) main.append(make("h2", {}, "Functions that no analysis entered"), table(null, unused));
    const { assumptions } = run.result;
    if (assumptions.length) main.append(make("h2", {}, "Assumptions"), table(null, assumptions.map(a =>
      [a.message, place(a.place.file, a.place.line)])));
  },
};

tabs.predicates = {
  title: "Predicates",
  empty: () => run.coverage.predicates.length === 0,
  show(main) {
    const byLocation = new Map();
    for (const { location, text } of run.coverage.predicates) {
      if (!byLocation.has(location)) byLocation.set(location, []);
      byLocation.get(location).push(text);
    }
    main.append(make("p", { class: "dim" }, `${run.coverage.predicates.length} predicates at ${byLocation.size} locations`));
    for (const [location, texts] of [...byLocation].sort((a, b) => a[0] - b[0])) {
      const at = run.automata.locations[location];
      const edge = run.automata.edges.find(e => e.from === location && e.file !== null);
      main.append(make("h2", {}, `${at ? run.automata.functions[at.function][0] : "?"}, location ${location} `,
        edge ? place(run.sources[edge.file].file, edge.line) : ""),
        make("pre", {}, [...new Set(texts)].join("\n")));
    }
  },
};

tabs.statistics = {
  title: "Statistics",
  show(main) { main.append(table(["Name", "Value"], run.statistics)); },
};

tabs.log = {
  title: "Log",
  show(main) {
    main.append(table(null, run.log.map(entry => [
      make("span", { class: { error: "bad", warning: "unsure" }[entry.severity] || "dim" }, entry.severity),
      entry.message, entry.place ? place(entry.place.file, entry.place.line) : ""])));
  },
};

const order = ["overview", "source", "cfa", "arg", "path", "coverage", "predicates", "statistics", "log"];
let current = null;

function show(id, options) {
  if (tabs[current]?.leave) tabs[current].leave();
  current = id;
  const main = document.getElementById("main");
  main.replaceChildren();
  main.dataset.tab = id;
  for (const button of document.querySelectorAll("#tabs button")) {
    button.setAttribute("aria-selected", String(button.dataset.tab === id));
  }
  tabs[id].show(main, options || {});
}

function start() {
  const chooser = document.getElementById("run");
  runs.forEach((r, index) => chooser.append(make("option", { value: index }, r.name)));
  chooser.addEventListener("change", () => choose(Number(chooser.value)));
  choose(0);
  document.addEventListener("keydown", event => {
    if (!event.target.closest("select, input") && tabs[current]?.key) tabs[current].key(event);
  });
}

function choose(index) {
  run = runs[index];
  document.title = "tour report: " + run.name;
  const verdict = document.getElementById("verdict");
  verdict.textContent = run.verdict;
  verdict.className = verdictClass(run.verdict);
  document.getElementById("tabs").replaceChildren(...order.map(id => {
    const button = make("button", { role: "tab", "data-tab": id, onclick: () => show(id) }, tabs[id].title);
    button.disabled = Boolean(tabs[id].empty && tabs[id].empty());
    return button;
  }));
  show("overview");
}
