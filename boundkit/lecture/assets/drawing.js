// What every drawn figure shares: numbers in words, ticks of axes, and elements. boundkitDrawing.
(function (root) {
  "use strict";
  const SVG = "http://www.w3.org/2000/svg";

  const clamp = (v, low, high) => Math.min(Math.max(v, low), high);
  const slug = words => words.replace(/ /g, "-");

  const signs = all => n => [...String(n)].map(sign => all["0123456789-".indexOf(sign)]).join("");
  const superscript = signs("⁰¹²³⁴⁵⁶⁷⁸⁹⁻"), subscript = signs("₀₁₂₃₄₅₆₇₈₉₋");
  // As boundkit.figures.number_format.number says it, so that the page reads alike before and after its scripts run.
  function formatNumber(value, digits = 3) {
    if (!Number.isFinite(value)) return "too large";
    if (value === 0) return "0";
    const [mantissa, exponent] = value.toExponential(digits - 1).split("e"), plain = v => String(Number(v)).replace("-", "−");
    if (Math.abs(exponent) <= 3) return plain(value.toPrecision(digits));
    const raised = `10${superscript(Number(exponent))}`, kept = plain(mantissa);
    return kept === "1" ? raised : `${kept}×${raised}`;
  }

  // Round numbers from low to high, at most about ``count`` of them.
  function ticks(low, high, count) {
    const rough = (high - low) / Math.max(count, 1), unit = 10 ** Math.floor(Math.log10(rough));
    const step = [1, 2, 5, 10].map(v => v * unit).find(v => v >= rough * 0.999), found = [];
    for (let k = Math.ceil(low / step - 1e-9); k * step <= high + 1e-9 * step; k++) found.push(Number((k * step).toPrecision(12)));
    return found;
  }
  // The same for a logarithmic axis: 1, 2 and 5 times powers of ten where there is room, else powers only.
  function logTicks(low, high, count) {
    if (high < 5 * low) return ticks(low, high, count);
    const all = [];
    for (let k = Math.floor(Math.log10(low)); k <= Math.log10(high); k++) for (const v of [1, 2, 5]) all.push({ v: Number(`${v}e${k}`), lead: v });
    const fine = all.filter(({ v }) => v >= low * 0.999 && v <= high * 1.001), coarse = fine.filter(({ lead }) => lead === 1);
    const shown = fine.length > count && coarse.length > 1 ? coarse : fine, every = Math.ceil((shown.length - 1) / count);
    return shown.filter((_, k) => k % Math.max(every, 1) === 0).map(({ v }) => v);
  }

  // A new last child: an element of SVG inside one, and of the page elsewhere.
  function put(parent, name, attributes = {}, words) {
    const inside = parent.namespaceURI === SVG || name === "svg";
    const node = inside ? document.createElementNS(SVG, name) : document.createElement(name);
    for (const [key, value] of Object.entries(attributes)) if (value !== null && value !== undefined) node.setAttribute(key, value);
    if (words !== undefined) node.textContent = words;
    parent.appendChild(node);
    return node;
  }
  const pixels = v => (Number.isFinite(v) ? clamp(v, -1e5, 1e5) : 1e5).toFixed(2);
  const path = points => points.map(([x, y], k) => `${k ? "L" : "M"}${pixels(x)} ${pixels(y)}`).join("");

  const onSlides = () => document.documentElement.classList.contains("slides");
  // The size of letters in a picture of a width: a part of it, and larger in a hall.
  const typeOf = (width, part, least, most) => clamp(width / part, least, onSlides() ? 1.6 * most : most);

  // The height of a picture: a share of its width, and so much of the screen that its controls have room.
  function heightOf(width, share, onPhone) {
    const screens = innerWidth < 640 ? onPhone : onSlides() ? 0.5 : innerHeight < 480 ? 0.38 : 0.5;
    return Math.round(clamp(share * width, 150, Math.max(150, screens * innerHeight)));
  }

  root.boundkitDrawing = { heightOf, typeOf, clamp, slug, subscript, formatNumber, ticks, logTicks, put, pixels, path };
})(globalThis);
