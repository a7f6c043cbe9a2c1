// The buttons that advance the round. Nothing moves unasked.
(function (sim, drawing) {
  "use strict";
  const { clamp, put } = drawing;
  const still = () => globalThis.matchMedia && globalThis.matchMedia("(prefers-reduced-motion: reduce)").matches;
  const press = (parent, words, act) => {
    const button = put(parent, "button", { type: "button" }, words);
    button.addEventListener("click", act);
    return button;
  };

  // Buttons that move state.at; ``draw`` shows it, ``tell`` announces it to screen readers.
  function player(parent, state, draw, tell) {
    let timer = null;
    const stop = () => {
      clearTimeout(timer);
      timer = null;
      play.textContent = "Play";
      tell();
    };
    const to = at => {
      if (timer) stop();
      state.at = at;
      draw();
      tell();
    };
    const beat = () => {
      const slow = still(), each = Math.ceil(state.rounds / (slow ? 12 : 240));
      state.at = Math.min(state.at + each, state.rounds);
      draw();
      if (state.at >= state.rounds) stop();
      else timer = setTimeout(beat, slow ? 1200 : clamp(16000 / state.rounds, 60, 450));
    };
    press(parent, "One round", () => to(state.at >= state.rounds ? 0 : state.at + 1));
    const play = press(parent, "Play", () => {
      if (timer) { stop(); return; }
      if (state.at >= state.rounds) state.at = 0;
      play.textContent = "Pause";
      draw();
      timer = setTimeout(beat, 300);
    });
    press(parent, "Start again", () => to(0));
  }

  Object.assign(sim.figure, { player, press });
})(globalThis.boundkitSimulation, globalThis.boundkitDrawing);
