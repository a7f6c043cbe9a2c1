// The page of relations: one neighbourhood at a time, named in the address, and a search over all names.
(function () {
  "use strict";
  const page = document.querySelector(".relations"), search = page.querySelector(".search");
  const items = Array.from(page.querySelectorAll("nav li"));
  const sections = Array.from(page.querySelectorAll(".neighbourhood"));
  page.classList.add("scripted");

  const show = () => {
    const wanted = decodeURIComponent(location.hash.slice(1));
    const shown = sections.find(one => one.id === wanted) || document.getElementById("fedavg_nonconvex") || sections[0];
    for (const one of sections) one.hidden = one !== shown;
    for (const item of items) {
      const link = item.querySelector("a");
      if (link.hash === `#${shown.id}`) link.setAttribute("aria-current", "true");
      else link.removeAttribute("aria-current");
    }
  };

  const filter = () => {
    const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
    for (const item of items) {
      const text = `${item.textContent} ${item.querySelector("a").hash}`.toLowerCase();
      item.hidden = !words.every(word => text.includes(word));
    }
  };

  search.addEventListener("input", filter);
  search.addEventListener("keydown", event => {
    const first = items.find(item => !item.hidden);
    if (event.key === "Enter" && first) location.hash = first.querySelector("a").hash;
  });
  window.addEventListener("hashchange", () => { show(); window.scrollTo(0, 0); });
  show();
})();
