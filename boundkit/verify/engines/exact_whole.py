"""The exact engine for algorithms that keep something of clients: moments of the whole state.

With s+ = A_S s + b_S + B_S z, where S is who comes and z the noise,
    mean+ = E(A_S mean + b_S),    cov+ = E(A_S cov A_S' + B_S B_S') + cov over S of (A_S mean + b_S).
Deviations are taken before they are squared, so that a floor of 0 is seen as 0.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from boundkit.algebra import BoundkitError
from boundkit.verify.algorithms import State
from boundkit.verify.engines.forms import forms_of
from boundkit.verify.engines.weighing import TooManySubsets
from boundkit.verify.engines.whole import Map, WholeRun
from boundkit.verify.limits import limit_of
from boundkit.verify.problems.base import OBSERVABLES, QuadraticForm
from boundkit.verify.run import Run
from boundkit.verify.trajectory import Trajectory

Array = NDArray[np.float64]
_HELD = 4 * 10**7
"""The most numbers in the maps of one round's outcomes."""
_SETTLED = 1e-13
_MOST = 20_000


class ExactWhole:
    """Exact moments of one run.

    Raises BoundkitError where the problem is not quadratic, a round is not affine or has no law of its own,
    or there are too many outcomes.
    """

    name = "exact"

    def __init__(self, run: Run) -> None:
        self.run, self.whole = run, WholeRun(run)
        self._points = self.whole.models()
        self._rounds: dict[tuple[Any, ...], list[tuple[float, Map]]] = {}
        self._forms = forms_of(run)
        self._round(0, self.whole.clocks)  # refuse now what cannot be done

    @property
    def work(self) -> float:
        """About how many multiplications a trajectory takes."""
        outcomes = sum(self.run.participation.law(t).outcomes for t in range(min(self.run.period, 64)))
        each = outcomes / min(self.run.period, 64)
        return float(self.run.rounds * each * 2 * self.whole.size**3)

    def _round(self, t: int, clocks: State) -> list[tuple[float, Map]]:
        law = self.run.participation.law(t)
        if law.outcomes * self.whole.size**2 > _HELD:
            raise TooManySubsets(f"the maps of {law.outcomes:.3g} outcomes are too large to hold.")
        key = (t % self.run.period, *(v.numpy().tobytes() for v in clocks.values()))
        if key not in self._rounds:
            if len(self._rounds) > 64 and clocks:
                self._rounds.clear()
            self._rounds[key] = list(self.whole.outcomes(t, clocks))
        return self._rounds[key]

    def moved(self, t: int, mean: Array, cov: Array, clocks: State) -> tuple[Array, Array]:
        """Mean and covariance after round t."""
        maps = self._round(t, clocks)
        each = [(chance, m(mean), m) for chance, m in maps]
        after = sum((chance * v for chance, v, _ in each), np.zeros_like(mean))
        spread = np.zeros_like(cov)
        for chance, v, m in each:
            away = v - after
            spread += chance * (m.A @ cov @ m.A.T + m.B @ m.B.T + np.outer(away, away))
        return after, (spread + spread.T) / 2

    def trajectory(self) -> Trajectory:
        """Every observable's expectation at every round."""
        mean, cov = self.whole.begun()
        clocks, rows, began = self.whole.clocks, [], None
        for t in range(self.run.rounds + 1):
            if began is None and not self._waits(mean, clocks):
                began = t
            rows.append(self._record(mean, cov))
            if not all(np.isfinite(v).all() for v in rows[-1].values()):
                rows.pop()
                break
            if t < self.run.rounds:
                with np.errstate(over="ignore", invalid="ignore"):
                    mean, cov = self.moved(t, mean, cov, clocks)
                if clocks:
                    clocks = self.whole.clocks_after(t, clocks)
        if not rows:
            raise BoundkitError("the loss at x0 is not finite; start nearer.")
        whole = len(rows) == self.run.rounds + 1
        first = len(rows) - 1 if began is None else began
        x = np.stack([row.pop("x") for row in rows])[first:]
        observed = {n: np.array([float(row[n]) for row in rows])[None, first:] for n in rows[0]}
        return Trajectory(
            algorithm=self.run.algorithm.name,
            engine=self.name,
            x=x,
            random=False,
            observed=observed,
            outcome="diverged" if not whole else "waiting" if began is None else "done",
            diverged_at=None if whole else len(x),
        )

    def stationary(self) -> dict[str, float]:
        """Every observable's expectation in the limit of many rounds.

        Raises BoundkitError where the law of a round changes with the round, or the moments do not settle.
        """
        if self.run.period != 1 or self.whole.clocks:
            raise BoundkitError("a stationary state needs one law for all rounds.")
        mean, cov = self.whole.begun()
        A, b = self.whole.mean(0, self.whole.clocks)
        mean = limit_of(A, b, mean).points
        seen: dict[str, Array] = {}
        for _ in range(_MOST):
            _, after = self.moved(0, mean, cov, self.whole.clocks)
            if np.abs(after - cov).max() <= _SETTLED * max(np.abs(after).max(), 1e-300):
                seen = self._record(mean, after)
                break
            cov = after
        if not seen:
            raise BoundkitError("the moments do not settle.")
        seen.pop("x")
        return {name: float(value) for name, value in seen.items()}

    def _waits(self, mean: Array, clocks: State) -> bool:
        waiting = self.run.algorithm.waiting(self.whole.state(mean[None], clocks))
        return waiting is not None and bool(waiting.all())

    def _record(self, mean: Array, cov: Array) -> dict[str, Array]:
        seen: dict[str, Array] = {}
        for prefix, (P, p) in self._points.items():
            u = P @ mean + p - self.run.problem.centre
            spread = P @ cov @ P.T
            for name, form in self._forms.items():
                if prefix and name not in OBSERVABLES:
                    continue
                seen[prefix + name] = np.asarray(form(u) + _trace(form, spread))
        seen["x"] = self._points[""][0] @ mean + self._points[""][1]
        return seen


def _trace(form: QuadraticForm, cov: Array) -> float:
    if form.Q.ndim == 1:
        return float(form.Q @ np.diagonal(cov))
    return float((form.Q * cov).sum())
