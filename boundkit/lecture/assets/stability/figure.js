// The live map of an outer optimiser: where it is stable, how fast it is, and its error round by round.
//
// Every formula is one that Python printed, under boundkit[settings.forms]. element.boundkit holds what is shown.
(function (stability, explorer, drawing, address) {
  "use strict";
  const { formatNumber, clamp, put } = drawing, { control, choice, placeOf } = explorer, { CLASSES, rounds, drawMap, drawErrors } = stability;
  const IN_VIEW = 3, METHODS = [["nesterov", "Nesterov's method"], ["heavy_ball", "heavy ball"]];

  function mount(element, settings) {
    const forms = globalThis.boundkit[settings.forms], { sliders } = settings, q = { ...settings.values };
    const ends = Object.fromEntries(sliders.map(one => [one.name, [one.low, one.high]]));
    const pictures = element.querySelector(".pictures"), panel = element.querySelector(".controls"), says = element.querySelector(".says p");
    const [map, errors] = ["map", "errors"].map(kind => {
      const part = put(pictures, "div", { class: kind });
      return { svg: put(part, "svg", { role: "img", "aria-label": "" }), key: put(part, "ul", { class: "key" }) };
    });
    const item = (key, kind, words) => put(put(key, "li"), "span", { class: `swatch ${kind}` }).after(words);
    CLASSES.forEach((most, k) => item(map.key, `speed-${k}`, most === Infinity ? "more" : `≤ ${most} rounds`));
    item(errors.key, "slowest", "slowest direction");
    item(errors.key, "fastest", "fastest direction");
    let method = METHODS[0][0], place = null, frame = 0;

    const more = put(document.createElement("div"), "details", { class: "more" });
    put(more, "summary", {}, "More");
    const controls = sliders.map((slider, k) => control(
      k < IN_VIEW ? panel : more, slider, `${element.id}-${slider.name}`, q[slider.name], settings.letters[slider.name],
      value => { q[slider.name] = value; update(); },
    ));
    panel.append(more);
    const chosen = choice(more, "method", "Method of the server", METHODS, setMethod);
    function setMethod(name) {
      method = METHODS.some(([one]) => one === name) ? name : method;
      chosen.value = method;
      update();
    }
    function move(name, value) {
      const { slider, input } = controls.find(one => one.slider.name === name);
      q[name] = clamp(slider.whole ? Math.round(value) : value, slider.low, slider.high);
      input.value = placeOf(slider, q[name]);
    }
    const buttons = put(panel, "div", { class: "buttons" });
    const press = (words, act) => put(buttons, "button", { type: "button" }, words).addEventListener("click", () => { act(); update(); });
    press("Take the best", () => Object.entries(element.boundkit.best).forEach(([name, value]) => move(name, value)));
    press("Start again", () => Object.entries(settings.values).forEach(([name, value]) => move(name, value)));

    function update() {
      const at = { ...q, nesterov: Number(method === "nesterov") };
      const decay = curvature => forms.decay({ ...at, curvature });
      const decays = { slowest: decay(q.curvature / q.condition), fastest: decay(q.curvature) }, span = { slowest: decays.slowest, q: decays.fastest };
      const best = { eta_s: forms[`${method}_step`](span), beta_s: Math.max(forms[`${method}_momentum`](span), 0) };
      const count = rounds(forms, at, decays), least = rounds(forms, { ...at, ...best }, decays);
      const largest = forms.largest({ ...at, q: decays.fastest }), noise = forms.amplification({ ...at, q: decays.slowest });
      element.boundkit = { q: at, decays, rounds: count, largest, noise, best };
      for (const { slider, input, output } of controls) {
        output.textContent = formatNumber(q[slider.name]);
        input.setAttribute("aria-valuetext", `${slider.meaning} ${output.textContent}`);
      }
      const here = count === Infinity ? "The mean error diverges." : `A tenth of the error is left after ${formatNumber(Math.ceil(count))} rounds; in the slowest direction the variance is ${formatNumber(noise, 2)} times FedAvg's.`;
      says.textContent = `${here} Stable for steps below ${formatNumber(largest)}. Best: step ${formatNumber(best.eta_s, 2)}, momentum ${formatNumber(best.beta_s, 2)}, ${formatNumber(Math.ceil(least))} rounds.`;
      map.svg.setAttribute("aria-label", `Map of rounds to a tenth of the error, over momentum and outer step. ${says.textContent}`);
      errors.svg.setAttribute("aria-label", `The error of the mean, round by round. ${here}`);
      cancelAnimationFrame(frame);
      frame = requestAnimationFrame(() => {
        place = drawMap(map.svg, forms, at, decays, best, ends);
        drawErrors(errors.svg, forms, at, decays, clamp(Math.ceil(2.5 * (count === Infinity ? least : count) / 20) * 20, 20, 1000));
      });
    }
    function point(event) {
      const box = map.svg.getBoundingClientRect();
      const values = place((event.clientX - box.left) / box.width, (event.clientY - box.top) / box.height);
      for (const [name, value] of Object.entries(values)) move(name, Number(value.toPrecision(3)));
      update();
    }
    map.svg.addEventListener("pointerdown", event => { map.svg.setPointerCapture(event.pointerId); point(event); });
    map.svg.addEventListener("pointermove", event => { if (event.buttons) point(event); });

    if (globalThis.ResizeObserver) new ResizeObserver(update).observe(pictures);
    addEventListener("resize", update);
    update();
    address.follow(element, () => Object.fromEntries([
      ...controls.map(({ slider }) => [slider.name, { value: q[slider.name], set: text => {
        if (Number.isFinite(Number(text))) move(slider.name, Number(text));
        update();
      } }]),
      ["method", { value: method, set: setMethod }],
    ]));
  }

  Object.assign(stability, { mount });
})(globalThis.boundkitStability, globalThis.boundkitExplorer, globalThis.boundkitDrawing, globalThis.boundkitAddress);
