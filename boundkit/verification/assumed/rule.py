"""A rule: when a run meets an assumption, and how a default instance is made to meet it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from boundkit.algebra import Theorem
from boundkit.simulation.problems import Problem
from boundkit.simulation.run import Run, make_run


@dataclass(frozen=True)
class Plan:
    """A default instance before its step is chosen.

    ``present``: the fraction of clients in a round, where no ``participation`` (a spec) says otherwise.
    ``step``: the part of the largest step that is taken, where no ``eta`` is given. ``stretch``: whether the
    run may be made longer, to meet conditions on T. ``target``: what a first time waits for.
    """

    name: str
    problem: Problem
    local_steps: Any = 1
    present: float = 1.0
    eta_s: float = 1.0
    step: float = 1.0
    rounds: int = 100
    eta: Any = None
    participation: Any = None
    schedule: Any = None
    options: dict[str, Any] = field(default_factory=dict)
    x0: Any = None
    seed: int = 0
    watch: dict[str, Problem] = field(default_factory=dict)
    target: float | None = None

    def run(self, algorithm: str, eta: Any, **changes: Any) -> Run:
        """The run of this plan at that rate."""
        from dataclasses import replace

        who = self.participation
        if who is None:
            who = "full" if self.present == 1 else {"kind": "uniform", "C": self.present}
        settings = {
            "rounds": self.rounds,
            "eta": eta,
            "eta_s": self.eta_s,
            "local_steps": self.local_steps,
            "participation": who,
            "schedule": self.schedule,
            "x0": self.x0,
            "options": self.options,
            "seed": self.seed,
        }
        made = make_run(algorithm, self.problem, **{**settings, **changes})
        return replace(made, watch=self.watch, target=self.target) if self.watch or self.target else made


@dataclass(frozen=True)
class Rule:
    """``broken``: why a run does not meet the assumption, "" where it does.

    ``arrange``: a plan that meets it, from one that may not; None where no plan like it can. ``designs``:
    plans of its own in place of the usual ones, for a theorem that needs other problems or settings.
    """

    broken: Callable[[Theorem, Run], str] = lambda theorem, run: ""
    arrange: Callable[[Theorem, Plan], Plan | None] | None = None
    designs: Callable[[Theorem], Sequence[Plan]] | None = None


MEASURED = Rule()
"""An assumption whose constant is computed for the run, so that it holds by construction."""
