// The legend of a figure.
(function (sim, drawing) {
  "use strict";
  const { put, subscript } = drawing;
  const { random, besides, SYMBOLS, mark, named } = sim.figure;

  function swatch(parent, kind) {
    const svg = put(parent, "svg", { class: "simulation-swatch", viewBox: "-10 -7 20 14", "aria-hidden": "true", focusable: "false" });
    if (SYMBOLS[kind]) mark(svg, kind, [0, 0], 4.5);
    else if (kind === "scatter") put(svg, "ellipse", { class: kind, rx: 9, ry: 5 });
    else if (kind.startsWith("area")) put(svg, "rect", { class: kind, x: -9, y: -6, width: 18, height: 12 });
    else put(svg, "path", { class: kind, d: "M-10 0H10" });
  }
  function drawKey(list, entries) {
    list.replaceChildren();
    for (const [kind, words] of entries) {
      const item = put(list, "li");
      swatch(item, kind);
      put(item, "span", {}, words);
    }
  }
  function planeKey(result) {
    const { model, limit } = result, kinds = named(result, 1).map(p => p.kind);
    const key = [["server", "the server's mean x"], ["optimum", "optimum x*"]];
    if (model.m > 3) key.push(["level client client-0", `losses F₁ to F${subscript(model.m)}`]);
    else model.e.forEach((_, i) => key.push([`level client client-${i}`, `loss F${subscript(i + 1)}`]));
    if (kinds.includes("surrogate")) key.push(["surrogate", "surrogate optimum x̃"]);
    if (kinds.includes("fixed")) key.push(["fixed", limit.isPoint ? "fixed point x∞" : "cycle of the mean"]);
    if (random(model)) key.push(["scatter", "one standard deviation"], ["sample", "one sample"]);
    result.beside.forEach((o, k) => key.push([besides(k), sim.ALGORITHMS[o.algorithm].label]));
    return key;
  }

  Object.assign(sim.figure, { drawKey, planeKey });
})(globalThis.boundkitSimulation, globalThis.boundkitDrawing);
