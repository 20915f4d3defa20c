// The error path, step by step, and the coverage over time.
"use strict";
/** So many rows are in the document at once: a path may be long. */
const WINDOW = 400;

function stepTable(steps, now, pick) {
  const threads = Math.max(1, ...steps.map(s => s.thread + 1));
  const from = Math.max(0, Math.min(now - WINDOW / 2, steps.length - WINDOW));
  const body = make("tbody");
  steps.slice(from, from + WINDOW).forEach((step, i) => {
    const index = from + i;
    const cells = Array.from({ length: threads }, (_, thread) => make("td", {},
      thread === step.thread ? "  ".repeat(Math.min(step.depth, 20)) + step.text : ""));
    body.append(make("tr", { class: index === now ? "now" : "", "data-step": index, onclick: () => pick(index) },
      make("td", { class: "dim" }, String(index + 1)), make("td", { class: "dim" }, `${step.function}:${step.line}`), cells,
      make("td", {}, step.value === null ? "" : step.value)));
  });
  const head = threads > 1 ? make("thead", {}, make("tr", {}, make("th"), make("th"),
    Array.from({ length: threads }, (_, t) => make("th", {}, `${t}: ${run.threads[t] ?? "thread"}`)), make("th", {}, "value"))) : null;
  return make("table", {}, head, body);
}

/** The failing run beside the closest successful one, as one of the techniques found it. */
function comparisons(compared) {
  const names = { adm: "least abstract distance (adm)", cfdm: "latest decisions (cfdm)", pg: "path generation (pg)" };
  const pane = make("div", { id: "closest" });
  const pick = technique => {
    const { comparison, differences } = compared.find(f => f.technique === technique);
    const side = step => step
      ? [make("td", { class: "dim" }, place(step.file, step.line)), make("td", { class: "statement" }, step.statement), make("td", {}, step.value ?? "")]
      : [make("td"), make("td", { class: "statement" }), make("td")];
    const rows = comparison.rows.map(row => make("tr", { class: row.differs ? "differs" : "" },
      side(row.failing), make("td", { class: "mark" }, row.differs ? (row.failing ? (row.successful ? "≠" : "−") : "+") : ""), side(row.successful)));
    const head = make("tr", {}, make("th", { colspan: 3 }, "Failing run"), make("th"), make("th", { colspan: 3 }, "Closest successful run"));
    const given = make("tr", { class: "dim" }, make("td", { colspan: 3 }, `inputs: ${comparison["failing-inputs"].join(", ") || "none"}`),
      make("td"), make("td", { colspan: 3 }, `inputs: ${comparison["successful-inputs"].join(", ") || "none"}`));
    pane.replaceChildren(make("ul", { class: "differences" }, differences.map(text => make("li", {}, text))),
      make("div", { class: "compared" }, make("table", {}, make("thead", {}, head, given), make("tbody", {}, rows))));
  };
  const chooser = select(compared.map(f => [f.technique, names[f.technique] ?? f.technique]), compared[0].technique, pick);
  pick(compared[0].technique);
  return make("section", {}, make("h2", {}, "The failing run and the closest successful run"),
    make("div", { class: "tools" }, make("label", {}, "Closest by: ", chooser), legend("#ffd8d3", "differs")), pane);
}

/** What was stored last in each variable, up to a step. What a call stores is what its function returns. */
function valuesAt(steps, now) {
  const values = new Map();
  const waiting = new Map();
  for (const step of steps.slice(0, now + 1)) {
    const kind = run.automata.edges[step.edge]?.kind;
    const target = /^([^=(]+?) = /.exec(step.text);
    const name = target && !target[1].startsWith("$") ? `${step.function}: ${target[1]}` : null;
    const frame = depth => step.thread + " " + depth;
    if (kind === "call") waiting.set(frame(step.depth), name);
    else if (kind === "return" && step.value !== null) {
      const stored = waiting.get(frame(step.depth - 1));
      if (stored) values.set(stored, step.value);
    } else if (step.value !== null && name) values.set(name, step.value);
  }
  return [...values];
}

tabs.path = {
  title: "Error path",
  now: 0,
  empty: () => run.path.length === 0,
  show(main) {
    if (this.of !== run) { this.of = run; this.now = run.path.length - 1; }
    const steps = run.path;
    const list = make("div", { class: "steps", id: "steps", tabindex: 0 });
    const info = make("div", { class: "info", id: "step-info" });
    const pick = index => {
      this.now = Math.max(0, Math.min(index, steps.length - 1));
      const step = steps[this.now];
      const top = list.scrollTop;
      list.replaceChildren(stepTable(steps, this.now, pick));
      list.scrollTop = top;
      list.querySelector(".now")?.scrollIntoView({ block: "nearest" });
      counter.textContent = `step ${this.now + 1} of ${steps.length}`;
      info.replaceChildren(...excerpt(step), make("h2", {}, "Values"), table(null, valuesAt(steps, this.now).slice(-40)));
    };
    this.pick = pick;
    const counter = make("span", { class: "dim", id: "step-counter" });
    main.append(make("div", { class: "tools" },
      make("button", { id: "previous", onclick: () => pick(this.now - 1) }, "◀ Previous"),
      make("button", { id: "next", onclick: () => pick(this.now + 1) }, "Next ▶"), counter,
      make("span", { class: "dim" }, "keys: ← → or k j, Home, End")),
      make("div", { class: "split" }, list, info));
    pick(this.now);
    // What is indeterminate is no input that a user can give.
    const inputs = violation().inputs.filter(i => i.origin !== "indeterminate");
    if (inputs.length) main.append(make("h2", {}, "Inputs, in the order in which they are asked for"),
      table(["Value", "Type", "Where"], inputs.slice(0, 200).map(i => [i.value, i.type, i.place ? place(i.place.file, i.place.line) : "parameter"])));
    const compared = faults().findings.filter(f => f.comparison);
    if (compared.length) main.append(comparisons(compared));
  },
  key(event) {
    const moves = { ArrowLeft: -1, ArrowUp: -1, k: -1, ArrowRight: 1, ArrowDown: 1, j: 1 };
    const target = event.key in moves ? this.now + moves[event.key] : { Home: 0, End: run.path.length - 1 }[event.key];
    if (target === undefined) return;
    event.preventDefault();
    this.pick(target);
  },
};

/** The lines around a step. */
function excerpt(step) {
  if (step.file === null) return ["no source"];
  const source = run.sources[step.file];
  const lines = source.text.split("\n");
  const first = Math.max(1, step.line - 4);
  const text = lines.slice(first - 1, step.line + 3).map((line, i) => `${first + i === step.line ? "▶" : " "} ${first + i}  ${line}`).join("\n");
  return [place(source.file, step.line), make("pre", {}, text)];
}

const palette = ["#1a7f37", "#0969da", "#8250df", "#cf222e", "#bf8700", "#57606a", "#0b7285", "#d6336c"];

tabs.coverage = {
  title: "Coverage over time",
  empty: () => run.coverage.series.times.length === 0,
  leave() { this.plot?.destroy(); this.plot = null; },
  show(main) {
    const { times, counts } = run.coverage.series;
    const measures = run.coverage.measures;
    const data = [times, ...counts.map((column, i) => column.map(n => measures[i].total ? 100 * n / measures[i].total : 100))];
    const container = make("div", { id: "plot" });
    main.append(make("p", { class: "dim" }, "Covered share in per cent by wall-clock time. Move over the plot for values; click a name to hide it."), container);
    this.plot = new uPlot({
      width: Math.max(400, Math.min(1200, main.clientWidth - 40)), height: 420,
      scales: { x: { time: false }, y: { range: [0, 100] } },
      axes: [{ label: "seconds" }, { label: "%" }],
      series: [{ label: "seconds", value: (_, v) => v === null ? "" : v.toFixed(3) }, ...measures.map((m, i) => ({
        label: m.id, stroke: palette[i % palette.length], width: 2, dash: i % 2 ? [8, 5] : [], paths: uPlot.paths.stepped({ align: 1 }),
        value: (_, v) => v === null ? "" : v.toFixed(1) + " %" }))],
    }, data, container);
  },
};

start();
