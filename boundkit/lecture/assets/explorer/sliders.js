// Where sliders stand and what they say: values of a theorem's quantities. boundkitExplorer.
(function (root) {
  "use strict";
  const { clamp } = root.boundkitDrawing;
  const STEPS = 1000;

  const clampWhole = (value, low, high) => clamp(Math.round(value), low, high);
  const rawAt = (slider, share) => slider.log ? slider.low * Math.pow(slider.high / slider.low, share)
                                              : slider.low + (slider.high - slider.low) * share;
  // A slider's value at a place between 0 and STEPS: three digits, and whole where it counts something.
  function valueAt(slider, place) {
    if (place <= 0) return slider.low;
    if (place >= STEPS) return slider.high;
    const raw = rawAt(slider, place / STEPS);
    return slider.whole ? clampWhole(raw, slider.low, slider.high) : Number(raw.toPrecision(3));
  }
  function placeOf(slider, value) {
    const share = slider.log ? Math.log(value / slider.low) / Math.log(slider.high / slider.low)
                             : (value - slider.low) / (slider.high - slider.low);
    return Math.round(STEPS * clamp(share, 0, 1));
  }
  // C m clients come, a whole number of them.
  const whole = q => (q.C !== undefined && q.m !== undefined ? { ...q, C: clampWhole(q.C * q.m, 1, q.m) / q.m } : q);

  const meaningful = (theorem, q) => theorem.requires.every(one => one.holds(q));
  // The theorem speaks: what it needs is so, and the step is inside its condition.
  const inside = (theorem, q) => meaningful(theorem, q) && theorem.conditions.every(one => one.holds(q));

  root.boundkitExplorer = { STEPS, rawAt, valueAt, placeOf, whole, meaningful, inside };
})(globalThis);
