"""The page's simulation, run by an engine of its own, for tests to ask."""

import json
from pathlib import Path
from typing import Any

import quickjs

import boundkit.lecture
from boundkit.lecture.site import SCRIPTS

ASSETS = Path(boundkit.lecture.__file__).parent / "assets"


class Simulation:
    """A JavaScript engine that has loaded what simulates without drawing, and scripts besides."""

    def __init__(self, *scripts: str) -> None:
        self.context = quickjs.Context()
        own = ((ASSETS / name).read_text() for name in SCRIPTS if name.startswith("simulation/"))
        for text in (*own, *scripts):
            self.context.eval(text)

    def ask(self, words: str, *given: Any) -> Any:
        """``words`` with s for boundkitSimulation and g for what is given, as JSON and back."""
        body = words if words.startswith("{") else f"({words})"
        asked = f"((s, g) => {body})(boundkitSimulation, {json.dumps(given)})"
        return json.loads(self.context.eval(f"JSON.stringify({asked})"))

    def whole(self, runs: list[tuple[str, dict[str, Any]]]) -> list[Any]:
        """Everything there is to compare of each run, by its algorithm and its words."""
        return list(self.ask(_WHOLE, runs))


_WHOLE = """g[0].map(([algorithm, run]) => {
  const model = s.prepare(algorithm, run), seen = s.trajectory(model), v = s.surrogateWeights(model);
  return {
    optimum: model.centre, outcome: seen.outcome, divergedAt: seen.divergedAt,
    x: seen.x, covariance: seen.covariance, observed: seen.observed,
    limit: s.limit(model), stationary: s.stationary(model), weights: v, surrogate: v && s.optimumOf(model, v),
  };
})"""
