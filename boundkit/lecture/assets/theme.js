// The theme: that of the system until the button chooses the other one, which is kept for the session.
(function () {
  "use strict";
  const root = document.documentElement, dark = matchMedia("(prefers-color-scheme: dark)");
  const kept = () => { try { return sessionStorage.getItem("theme"); } catch { return null; } };
  const keep = theme => { try { sessionStorage.setItem("theme", theme); } catch { /* storage is off */ } };
  const now = () => root.dataset.theme || (dark.matches ? "dark" : "light");
  if (kept()) root.dataset.theme = kept();

  document.addEventListener("DOMContentLoaded", () => {
    const button = document.querySelector(".theme");
    const show = () => {
      const other = now() === "dark" ? "light" : "dark";
      button.textContent = other === "dark" ? "Dark" : "Light";
      if (root.dataset.theme) for (const source of document.querySelectorAll("source.dark")) source.media = other === "light" ? "screen" : "not all";
    };
    button.hidden = false;
    button.addEventListener("click", () => {
      root.dataset.theme = now() === "dark" ? "light" : "dark";
      keep(root.dataset.theme);
      show();
    });
    dark.addEventListener("change", show);
    show();
  });
})();
