"""Does each term scale as it says? One source of error at a time, exactly, and a slope for each letter.

A term is isolated by an instance on which its cause is the only error: unlike Hessians without noise
and with everybody present (client drift); alike Hessians without noise, some clients absent (partial
participation); alike clients with noise (stochastic noise); alike clients without noise, early (initial
gap). The measured quantity is exact (fixed points, stationary moments). Its slope on a log-log scale
is compared with the slope of the term over the same sweep. A measured quantity that grows faster than
its term, in a direction in which a letter may go as far as it likes, ends above any constant: that is a
violation. Slower growth is slack.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from sympy import Pow

from boundkit.algebra import Term, Theorem
from boundkit.algebra.notation import T as ROUNDS
from boundkit.analysis.evaluate import evaluate
from boundkit.verify.checks import isolation
from boundkit.verify.checks.check import Check, Outcome
from boundkit.verify.trajectory import Array

TOLERANCE = 0.1
"""How far slopes may differ: sweeps are finite, and lower orders bend them a little."""
_FAR = {"eta": -1, "C": -1, "tau": 1, "m": 1, "T": 1}
"""The direction in which a letter may go without end: steps shrink, counts grow."""


@dataclass(frozen=True)
class Sweep:
    """A letter, its values, the measured quantity and the term at each."""

    letter: str
    at: Array
    measured: Array
    predicted: Array

    @property
    def slopes(self) -> tuple[float, float, float]:
        """Measured slope, the term's slope, and half of the 99 % interval of their difference.

        The interval is that of the slope of measured/term: where both bend alike, they agree exactly.
        """
        x = np.log(self.at)
        margin = _fit(x, np.log(self.measured / self.predicted))[1]
        return _fit(x, np.log(self.measured))[0], _fit(x, np.log(self.predicted))[0], margin


def slope_checks(theorem: Theorem) -> tuple[list[Check], list[Sweep]]:
    """A check for every term and every letter that its instance can vary, and the sweeps for drawing."""
    checks: list[Check] = []
    sweeps: list[Sweep] = []
    for label, term in theorem.bound.terms.items():
        maker = _ISOLATED.get(term.cause)
        if maker is None:
            checks.append(Check(f"slope of {label}", "not tested", isolation.UNSEEN.get(
                term.cause, f"no instance here isolates {term.cause}")))  # fmt: skip
            continue
        if _exponential(term):
            checks.append(_decay(theorem, term))
            continue
        for sweep in maker(theorem, term):
            sweeps.append(sweep)
            checks.append(_compare(label, sweep))
    return checks, sweeps


def _compare(label: str, sweep: Sweep) -> Check:
    slope, predicted, margin = sweep.slopes
    off = slope - predicted
    outcome: Outcome = "violated" if off * _FAR[sweep.letter] > TOLERANCE else "holds"
    slack = "" if abs(off) <= TOLERANCE or outcome == "violated" else " (slack: the term grows faster)"
    return Check(
        f"slope of {label} in {sweep.letter}",
        outcome,
        f"measured {_rounded(slope)}, predicted {_rounded(predicted)}, "
        f"apart by {abs(off):.2g} +- {margin:.1g}{slack}",
        {"term": label, "letter": sweep.letter, "measured": slope, "margin": margin, "predicted": predicted},
    )


def _rounded(slope: float) -> str:
    return f"{round(slope, 3) + 0.0:.3f}"


def _fit(x: Array, y: Array) -> tuple[float, float]:
    """Least-squares slope and half of its 99 % interval."""
    from scipy.special import stdtrit

    centred = x - x.mean()
    slope = float(centred @ y / (centred @ centred))
    rest = y - y.mean() - slope * centred
    dof = max(len(x) - 2, 1)
    margin = float(stdtrit(dof, 0.995) * np.sqrt(rest @ rest / dof / (centred @ centred)))
    return slope, margin


def _exponential(term: Term) -> bool:
    return any(ROUNDS in p.exp.free_symbols for p in term.expr.atoms(Pow))


def _decay(theorem: Theorem, term: Term) -> Check:
    """A start that is forgotten geometrically: the measured rate must be at least the term's."""
    name = f"decay of {term.label} in T"
    rounds, measured, values = isolation.decay(theorem)
    shown = np.array([float(evaluate(term.expr, values | {"T": t})) for t in rounds])
    rate, _ = _fit(rounds, np.log(measured))
    promised, _ = _fit(rounds, np.log(shown))
    outcome: Outcome = "holds" if rate <= promised * (1 - 1e-9) else "violated"
    return Check(
        name,
        outcome,
        f"log falls by {-rate:.3g} a round, promised {-promised:.3g}",
        {"term": term.label, "letter": "T", "measured": rate, "margin": 0.0, "predicted": promised},
    )


def _sweeps(
    theorem: Theorem,
    term: Term,
    letters: Sequence[str],
    instance: Callable[..., isolation.Point],
    values: Mapping[str, Sequence[float]] = isolation.SWEEPS,
) -> list[Sweep]:
    known = {q.name for q in theorem.quantities}
    result = []
    for letter in letters:
        if letter not in known:
            continue
        at = values[letter]
        points = [instance(theorem, **{letter: value}) for value in at]
        result.append(
            Sweep(
                letter,
                np.array(at, dtype=np.float64),
                np.array([p.measured for p in points]),
                np.array([float(evaluate(term.expr, p.values)) for p in points]),
            )
        )
    return result


_ISOLATED: dict[str, Callable[[Theorem, Term], list[Sweep]]] = {
    "client drift": lambda h, t: _sweeps(h, t, ("eta", "tau"), isolation.only_drift),
    "partial participation": lambda h, t: _sweeps(h, t, ("eta", "tau", "C"), isolation.only_participation),
    "stochastic noise": lambda h, t: _sweeps(h, t, ("eta", "tau", "C", "m"), isolation.only_noise),
    "initial gap": lambda h, t: _sweeps(
        h, t, ("eta", "tau", "T"), isolation.only_start, isolation.START_SWEEPS
    ),
}
