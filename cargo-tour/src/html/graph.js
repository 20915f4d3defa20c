// The graphs: the automaton of a function, and the abstract reachability graph. Laid out only when shown.
"use strict";
/** Beyond so many nodes, a simple layout by layers takes the place of dagre, which would take long. */
const LAYERED = 700;
const MAX_LABEL = 40;
const short = text => text.length > MAX_LABEL ? text.slice(0, MAX_LABEL) + "…" : text;

/** Positions by layers: breadth first from the roots. */
function layers(nodes, edges, roots) {
  const next = new Map(nodes.map(id => [id, []]));
  for (const [from, to] of edges) next.get(from)?.push(to);
  const layer = new Map();
  let front = roots.filter(id => next.has(id));
  for (let depth = 0; layer.size < nodes.length; depth++) {
    if (!front.length) front = [nodes.find(id => !layer.has(id))];
    front.forEach(id => layer.set(id, depth));
    front = [...new Set(front.flatMap(id => next.get(id)))].filter(id => next.has(id) && !layer.has(id));
  }
  const used = new Map();
  const positions = new Map();
  for (const id of nodes) {
    const depth = layer.get(id), column = used.get(depth) || 0;
    used.set(depth, column + 1);
    positions.set(id, { depth, column });
  }
  return id => {
    const { depth, column } = positions.get(id);
    return { x: (column - (used.get(depth) - 1) / 2) * 150, y: depth * 70 };
  };
}

/** Draws a graph of {id, label, color, border, shape} and {from, to, label, color, dashed}. */
function draw(container, nodes, edges, roots, click) {
  const big = nodes.length > LAYERED;
  const at = big ? layers(nodes.map(n => n.id), edges.map(e => [e.from, e.to]), roots) : null;
  const elements = [
    ...nodes.map(n => ({ data: { ...n, id: "n" + n.id, node: n.id }, position: at ? at(n.id) : undefined })),
    ...edges.map((e, i) => ({ data: { ...e, id: "e" + i, source: "n" + e.from, target: "n" + e.to } })),
  ];
  const cy = cytoscape({
    container, elements,
    layout: big ? { name: "preset", fit: true } : { name: "dagre", rankDir: "TB", nodeSep: 90, edgeSep: 30, rankSep: 50, fit: true },
    wheelSensitivity: 0.3, textureOnViewport: big, hideEdgesOnViewport: big, minZoom: 0.02, maxZoom: 4,
    style: [
      { selector: "node", style: { label: "data(label)", "background-color": "data(color)", "border-color": "data(border)",
        "border-width": 2, shape: "data(shape)", "text-valign": "center", "font-size": 10, width: "label", height: 18, padding: 5 } },
      { selector: "edge", style: { width: 1.5, "curve-style": "bezier", "target-arrow-shape": "triangle", "line-color": "data(color)",
        "target-arrow-color": "data(color)", label: "data(label)", "font-size": 9, "font-family": "monospace",
        "text-background-color": "#fff", "text-background-opacity": 0.85, "arrow-scale": 0.8, "min-zoomed-font-size": 6 } },
      { selector: "edge[dashed]", style: { "line-style": "dashed" } },
      { selector: "edge[bold]", style: { width: 4 } },
      { selector: ":selected", style: { "border-width": 4, "border-color": "#0969da" } },
    ],
  });
  cy.on("tap", "node", event => click(event.target.data("node"), null));
  cy.on("tap", "edge", event => click(null, event.target.data()));
  // A readable size, even if not all of it fits.
  if (cy.zoom() < 0.35 && roots.length) {
    cy.zoom(0.7);
    cy.center(cy.getElementById("n" + roots[0]));
  }
  return cy;
}

function zoomTools(cy) {
  const zoom = factor => () => cy().zoom({ level: cy().zoom() * factor, renderedPosition: { x: cy().width() / 2, y: cy().height() / 2 } });
  return [make("button", { onclick: zoom(1.4) }, "+"), make("button", { onclick: zoom(1 / 1.4) }, "−"),
    make("button", { onclick: () => cy().fit(undefined, 20) }, "Fit")];
}

const borders = { entry: "#1a7f37", exit: "#57606a", error: "#cf222e", end: "#57606a", plain: "#8c959f" };

tabs.cfa = {
  title: "CFA",
  view: "considered",
  empty: () => run.automata.functions.length === 0,
  leave() { this.cy?.destroy(); this.cy = null; },
  show(main, options) {
    const { functions, locations, edges } = run.automata;
    const entry = run.name === this.of ? this.function : functions.findIndex(f => f[0] === "main");
    const chosen = Math.max(0, options.function ?? entry ?? 0);
    this.function = chosen;
    this.of = run.name;
    const coverage = new Map(run.coverage.locations.map(l => [l.id, l]));
    const path = new Set(run.path.map(step => step.edge));
    const ids = locations.map((l, i) => i).filter(i => locations[i].function === chosen);
    const own = new Set(ids);
    const ownEdges = edges.map((e, i) => ({ ...e, index: i })).filter(e => own.has(e.from));
    const used = new Set(ownEdges.flatMap(e => [e.from, e.to]).concat(functions[chosen][1]));
    const most = Math.max(1, ...ids.map(i => coverage.get(i)?.visits || 0));
    const colourOf = id => {
      const l = coverage.get(id);
      if (!l || this.view === "none") return "#ffffff";
      if (this.view === "heat" || (this.view === "considered" && l.state === "reached")) return heat(l.visits, most) || "#ffffff";
      if (this.view === "considered") return l.state === "considered" ? "#ff9d8f" : "#ffffff";
      return l.covered.includes(this.view) ? "#aceebb" : "#ffffff";
    };
    const nodes = ids.filter(id => used.has(id)).map(id => ({ id, label: String(id), color: colourOf(id),
      border: borders[locations[id].kind], shape: locations[id].head ? "round-octagon" : locations[id].kind === "error" ? "diamond" : "round-rectangle" }));
    const drawn = ownEdges.map(e => ({ from: e.from, to: e.to, label: short(e.text), full: e.text, line: e.line, file: e.file,
      visits: run.coverage.edges[e.index] || 0, color: path.has(e.index) ? "#cf222e" : e.kind === "assume" ? "#0969da" : "#8c959f",
      ...(path.has(e.index) ? { bold: true } : {}) }));
    const measures = run.coverage.measures.filter(m => m.kind === "locations").map(m => [m.id, m.id.replaceAll("-", " ")]);
    const views = [["considered", "reached and considered"], ["heat", "visits (heat map)"], ...measures, ["none", "no colours"]];
    const info = make("div", { class: "info", id: "cfa-info" }, "Click a location or an edge.");
    const container = make("div", { class: "graph", id: "cfa-graph" });
    main.append(make("div", { class: "tools" },
      make("label", {}, "Function: ", select(functions.map((f, i) => [i, f[0]]), chosen, v => show("cfa", { function: Number(v) }))),
      make("label", {}, "Colours: ", select(views, this.view, v => { this.view = v; show("cfa", { function: chosen }); })),
      ...zoomTools(() => this.cy), make("span", { class: "dim" }, `${nodes.length} locations, ${drawn.length} edges`),
      legend(heat(3, 9), "reached"), legend("#ff9d8f", "considered, not reached"), legend("#ffffff", "not covered"),
      path.size ? legend("#cf222e", "error path") : null),
      make("div", { class: "split" }, container, info));
    this.cy = draw(container, nodes, drawn, [functions[chosen][1]], (id, edge) => {
      info.replaceChildren(...(edge
        ? [`${edge.full}\n\nfollowed ${edge.visits}×\n`, edge.file === null ? "" : place(run.sources[edge.file].file, edge.line)]
        : [`location ${id} (${locations[id].kind}${locations[id].head ? ", head of a loop" : ""})\n`,
          `visits: ${coverage.get(id)?.visits ?? 0}\nstate: ${coverage.get(id)?.state ?? "not counted"}\n`,
          `covered by: ${coverage.get(id)?.covered.join(", ") || "no measure"}\n\n`,
          run.coverage.predicates.filter(p => p.location === id).map(p => p.text).join("\n")]));
    });
  },
};

tabs.arg = {
  title: "ARG",
  empty: () => run.graph.length === 0,
  leave() { this.cy?.destroy(); this.cy = null; },
  show(main) {
    const known = new Set(run.graph.map(state => state.id));
    const byId = new Map(run.graph.map(state => [state.id, state]));
    const nodes = run.graph.map(state => ({ id: state.id, label: `${state.id} @ ${state.location ?? "error"}`,
      color: state.location === null ? "#ffd0d0" : state["covered-by"] !== null ? "#e4e7eb"
        : state.expanded ? "#d3f2d3" : "#ffffff",
      border: state.location === null ? "#cf222e" : "#57606a", shape: "round-rectangle" }));
    const edges = run.graph.flatMap(state => [
      ...(state.parent !== null && known.has(state.parent) ? [{ from: state.parent, to: state.id, label: "", color: "#8c959f" }] : []),
      ...(state["covered-by"] !== null && known.has(state["covered-by"])
        ? [{ from: state.id, to: state["covered-by"], label: "covered", color: "#8250df", dashed: true }] : []),
    ]);
    const info = make("div", { class: "info", id: "arg-info" }, "Click a state to see its formula.");
    const container = make("div", { class: "graph", id: "arg-graph" });
    main.append(make("div", { class: "tools" }, ...zoomTools(() => this.cy),
      make("span", { class: "dim" }, `${nodes.length} states`), legend("#d3f2d3", "expanded"), legend("#e4e7eb", "covered"),
      legend("#ffffff", "waiting")), make("div", { class: "split" }, container, info));
    const roots = run.graph.filter(s => s.parent === null || !known.has(s.parent)).map(s => s.id);
    this.cy = draw(container, nodes, edges, roots, id => {
      if (id === null) return;
      const state = byId.get(id);
      const edge = run.automata.edges.find(e => e.from === state.location && e.file !== null);
      info.replaceChildren(`state ${id}\n`, edge ? place(run.sources[edge.file].file, edge.line) : "", `\n\n${state.formula}`);
    });
  },
};
