// The state of a figure's controls in the address, as #id&name=value: a link shows what its writer saw. boundkitAddress.
(function (root) {
  "use strict";
  const parts = () => decodeURIComponent(location.hash.slice(1)).split("&");

  // ``controls`` returns [element, value, set] by name: what a value reads now, and how to set it.
  function follow(figure, controls) {
    if (!figure.id) return;
    const begins = new Map(Object.entries(controls()).map(([name, { value }]) => [name, String(value)]));
    const read = () => {
      const [id, ...words] = parts();
      if (id !== figure.id || !words.length) return;
      const given = new URLSearchParams(words.join("&"));
      for (const [name, { set }] of Object.entries(controls())) set(given.get(name) ?? begins.get(name));
    };
    let timer = 0;
    const write = () => {
      const moved = Object.entries(controls()).filter(([name, { value }]) => String(value) !== begins.get(name));
      const words = moved.map(([name, { value }]) => `&${name}=${encodeURIComponent(value)}`).join("");
      history.replaceState(history.state, "", `#${figure.id}${words}`);
    };
    for (const kind of ["input", "change", "click", "keyup"]) figure.addEventListener(kind, event => {
      if (!event.target.closest("input, select, button")) return;
      clearTimeout(timer);
      timer = setTimeout(write, 300);
    });
    addEventListener("hashchange", read);
    read();
  }
  // A place with a state is no id of the page, so that the page scrolls there itself.
  function goThere() {
    const [id, ...words] = parts();
    if (words.length) document.getElementById(id)?.scrollIntoView();
  }
  addEventListener("hashchange", goThere);

  root.boundkitAddress = { follow, goThere };
})(globalThis);
