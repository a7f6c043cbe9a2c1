// The condition as a limit on each slider while the others stay: where it begins and ends, in numbers and words.
(function (explorer, drawing) {
  "use strict";
  const { formatNumber, put } = drawing;
  const { rawAt, placeOf, whole, inside, STEPS } = explorer, MARKS = 100, HALVINGS = 60;

  const at = (slider, q, share) => {
    const raw = rawAt(slider, share);
    return whole({ ...q, [slider.name]: slider.whole ? Math.round(raw) : raw });
  };
  // Between a share of the slider where the condition holds and one where it does not: the last where it does.
  function edge(theorem, slider, q, good, bad) {
    for (let k = 0; k < HALVINGS; k++) {
      const middle = (good + bad) / 2;
      if (inside(theorem, at(slider, q, middle))) good = middle; else bad = middle;
    }
    return good;
  }

  // Every stretch of the slider where the condition holds: shares of it, null for an end that is the slider's own.
  function allowed(theorem, slider, q) {
    const marks = Array.from({ length: MARKS + 1 }, (_, k) => k / MARKS), found = [];
    const good = marks.map(share => inside(theorem, at(slider, q, share)));
    good.forEach((holds, k) => {
      if (!holds) return;
      if (k === 0 || !good[k - 1]) found.push({ begins: k === 0 ? null : edge(theorem, slider, q, marks[k], marks[k - 1]), ends: null });
      if (k < MARKS && !good[k + 1]) found[found.length - 1].ends = edge(theorem, slider, q, marks[k], marks[k + 1]);
    });
    return found;
  }

  // What stands below a slider: where the stretch that is nearest to it begins and ends.
  function noteOf(slider, q, stretches, good) {
    if (!stretches.length) return "outside wherever this stands";
    const here = placeOf(slider, q[slider.name]) / STEPS;
    const away = ({ begins, ends }) => Math.max((begins ?? 0) - here, here - (ends ?? 1), 0);
    const { begins, ends } = stretches.reduce((one, other) => (away(other) < away(one) ? other : one));
    const valueOf = share => formatNumber(at(slider, q, share)[slider.name]);
    const words = [begins === null ? "" : `begins at ${valueOf(begins)}`, ends === null ? "" : `ends at ${valueOf(ends)}`].filter(Boolean);
    return words.length ? `${good ? "" : "outside: "}the condition ${words.join(" and ")}` : "";
  }

  // The strip below a slider: green where it may stand, hatched where it may not; nothing where it may everywhere.
  function paintLimit(strip, stretches) {
    strip.replaceChildren();
    if (stretches.length === 1 && stretches[0].begins === null && stretches[0].ends === null) return;
    put(strip, "i", { class: "no", style: "left: 0; width: 100%" });
    for (const { begins, ends } of stretches) {
      const left = begins ?? 0, width = (ends ?? 1) - left;
      put(strip, "i", { class: "yes", style: `left: ${100 * left}%; width: ${100 * width}%` });
    }
  }

  Object.assign(explorer, { at, allowed, noteOf, paintLimit });
})(globalThis.boundkitExplorer, globalThis.boundkitDrawing);
