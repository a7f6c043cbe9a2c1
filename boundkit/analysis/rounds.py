"""Rounds after which a bound is at most a target."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from math import inf
from typing import Any

import numpy as np
from numpy.typing import NDArray

from boundkit.algebra import BoundkitError, Theorem
from boundkit.algebra.notation import T
from boundkit.analysis.client_values import substitute_clients
from boundkit.analysis.evaluate import evaluate, index_of_largest, satisfied
from boundkit.analysis.parameters import Parameters, refuse_axes, resolve
from boundkit.analysis.predict import Prediction, predict
from boundkit.analysis.tune import best_step, check_known, minimum_of
from boundkit.report import Heading, Report, Reported, Sentences, Table
from boundkit.report.formatting import format_number, json_values

FARTHEST = 2**50
"""The largest number of rounds that is looked at; well below where counts stop being exact."""
_VERY_MANY, _ALL = 1e30, 1 - 1e-9
SCANNED = 10**6
"""Up to how many rounds a bound may rise, as log(T)/T does, before it falls for good."""
ROUNDING = 1e-14
"""By which share of itself a bound may be off by rounding: so near to the target it is at the target."""
OUTSIDE = "the values are outside the conditions of the theorem there, so this answer is not proved."


@dataclass(frozen=True, repr=False, eq=False)
class Rounds(Reported):
    """The smallest T at which the bound is at most eps; None where no T is enough.

    ``steps`` holds the eta that was tuned at that T, and is empty where the steps were given.
    ``floor`` is the error floor, the limit of the bound as T grows, ``floor_dominant`` its largest term;
    both None where eta is tuned, since the bound then tends to 0.
    """

    theorem: Theorem
    eps: float
    rounds: int | None
    prediction: Prediction | None
    parameters: Parameters
    steps: dict[str, float]
    floor: float | None
    floor_dominant: str | None
    note: str

    @property
    def bound(self) -> float | None:
        """The bound at that T."""
        return None if self.prediction is None else float(self.prediction.total)

    @property
    def holds(self) -> bool | None:
        """Whether the steps are inside the conditions at that T."""
        return None if self.prediction is None else bool(self.prediction.holds)

    def to_dict(self) -> dict[str, Any]:
        """Everything, clean for JSON."""
        prediction = {} if self.prediction is None else self.prediction.to_dict()
        return {
            "theorem": self.theorem.name,
            "eps": self.eps,
            "rounds": self.rounds,
            "bound": prediction.get("total"),
            "terms": prediction.get("terms"),
            "steps": self.steps,
            "floor": None if self.floor is None else json_values(self.floor),
            "floor_dominant": self.floor_dominant,
            "holds": self.holds,
            "note": self.note,
            "parameters": self.parameters.to_dict(self.theorem),
            "assumed": list(self.parameters.assumed),
            "up_to_constants": self.theorem.order_level,
        }

    def _rows(self) -> list[list[str]]:
        rows = [["rounds", "never" if self.rounds is None else str(self.rounds)]]
        rows += [[name, format_number(value)] for name, value in self.steps.items()]
        if self.prediction is not None:
            rows += [["bound", format_number(self.bound)]]
            rows += [[f"  {label}", format_number(value)] for label, value in self.prediction.terms.items()]
        return rows + ([] if self.floor is None else [["floor", format_number(self.floor)]])

    def _title(self) -> str:
        return f"{self.theorem.name}: rounds until the bound is at most {format_number(self.eps)}"

    def _footer(self) -> list[str]:
        values = self.parameters.values
        assumed = [f"{n} = {format_number(values[n])}" for n in self.parameters.assumed]
        return [self.note] * bool(self.note) + ([f"assumed: {', '.join(assumed)}"] if assumed else [])

    def report(self) -> Report:
        """The rounds, the terms there, and the conditions."""
        table = Table(["", "value"], self._rows())
        return Report((Heading(self._title()), table, Sentences(self._footer())))


def rounds_to(theorem: Theorem, /, eps: float, *, tuned: bool = False, **parameters: object) -> Rounds:
    """The smallest number of rounds after which the bound is at most eps, up to a relative 1e-14.

    ``tuned`` chooses the best eta for each T. Raises BoundkitError for an eps that is not above 0, for
    lists, for a given T, and where the bound does not fall with T.

    >>> from boundkit.theorems import theorem
    >>> rounds_to(theorem("sgd_nonconvex"), 0.1, m=10, eta=0.1, L=1, sigma=1, gap=1).rounds
    223
    """
    if isinstance(eps, bool) or not isinstance(eps, (int, float, np.number)) or not 0 < float(eps) < inf:
        raise BoundkitError(f"eps = {eps!r} was given, but a target is a number above 0.")
    target = float(eps)
    if T not in theorem.quantities:
        raise BoundkitError(f"{theorem.name} does not depend on T, so no number of rounds changes its bound.")
    free = ("T", "eta") if tuned else ("T",)
    theorem, parameters = substitute_clients(theorem, parameters, free)
    check_known(theorem, free)
    query = resolve(theorem, parameters, free)
    refuse_axes(query, "rounds")
    result = _tuned(theorem, target, query) if tuned else _at_given_steps(theorem, target, query)
    return replace(result, note=f"{result.note} {OUTSIDE}".strip()) if result.holds is False else result


def _at_given_steps(theorem: Theorem, eps: float, query: Parameters) -> Rounds:
    last_rise = _last_rise(theorem, query)
    terms = _error_floor(theorem, query)
    floor, highest = sum(terms.values()), [*terms][int(index_of_largest(terms.values()))]
    last = sum(_terms_at(theorem, query, last_rise).values()) if last_rise else inf
    if not np.isfinite(floor) or floor >= _ALL * last:
        raise _no_fall(theorem)
    share = f"{100 * terms[highest] / floor:.1f} % of it {highest}" if floor else ""
    dominant = highest if floor else None
    if floor >= eps * (1 - ROUNDING):
        note = f"the bound never falls below its floor {format_number(floor)}, {share}; change the steps."
        return Rounds(theorem, eps, None, None, query, {}, floor, dominant, note)
    result = _first_early_count(theorem, query, eps, last_rise)
    if result is None:
        result = _first_count(
            lambda t: bool(_reached(sum(_terms_at(theorem, query, t).values()), eps)), last_rise + 1
        )
    if result is None:
        note = f"more than {FARTHEST} rounds are needed."
        return Rounds(theorem, eps, None, None, query, {}, floor, dominant, note)
    prediction = predict(theorem, **_given(query), T=result)
    note = (
        f"at these steps the bound falls to {format_number(floor)} and no further, {share}." if floor else ""
    )
    return Rounds(theorem, eps, result, prediction, query, {}, floor, dominant, note)


def _tuned(theorem: Theorem, eps: float, query: Parameters) -> Rounds:
    def at(rounds: int) -> Parameters:
        return Parameters({**query.values, "T": float(rounds)}, (), query.assumed)

    def predicted(rounds: int) -> Prediction:
        return predict(theorem, **_given(query), T=rounds, eta=best_step(theorem, "eta", at(rounds)).at)

    def is_enough(rounds: int) -> bool:
        # In few rounds no step may be worth its noise; then only more rounds help.
        return minimum_of(theorem, "eta", at(rounds)).free > 0 and bool(
            _reached(predicted(rounds).total, eps)
        )

    best_step(theorem, "eta", at(FARTHEST))
    result = _first_count(is_enough)
    if result is None:
        note = f"more than {FARTHEST} rounds are needed, even with the best eta at each T."
        return Rounds(theorem, eps, None, None, query, {}, None, None, note)
    prediction = predicted(result)
    steps = {"eta": float(prediction.parameters.values["eta"])}
    return Rounds(
        theorem, eps, result, prediction, query, steps, None, None, "eta is the best one at this T."
    )


def _first_count(is_enough: Callable[[int], bool], start: int = 1) -> int | None:
    """The smallest count from start on that is enough, by doubling and halving; None beyond FARTHEST."""
    high = start
    while not is_enough(high):
        if high >= FARTHEST:
            return None
        high *= 2
    low = max(high // 2, start - 1)
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if is_enough(middle) else (middle, high)
    return high


def _reached(total: Any, eps: float) -> Any:
    """Whether a bound is at most eps, up to rounding."""
    return total <= eps * (1 + ROUNDING)


def _error_floor(theorem: Theorem, query: Parameters) -> dict[str, float]:
    """The terms for T without end; where that is no number, as for log(T)/T, for very many rounds."""
    at_infinity, many_rounds = (_terms_at(theorem, query, t) for t in (inf, _VERY_MANY))
    return {
        label: value if np.isfinite(value) else many_rounds[label] for label, value in at_infinity.items()
    }


def _terms_at(theorem: Theorem, query: Parameters, rounds: float) -> dict[str, float]:
    values = {**query.values, "T": rounds}
    return {t.label: float(evaluate(t.expr, values)) for t in theorem.terms}


def _last_rise(theorem: Theorem, query: Parameters) -> int:
    """The last count at which the bound still rises; 0 for one that falls from the first round on.

    Neighbours are looked at as well, because a power of a negative number changes its sign with T.
    """
    counts = np.unique(np.round(np.geomspace(1, FARTHEST, 200)))
    counts = np.union1d(counts, counts + 1)
    total = _total_at(theorem, query, counts)
    with np.errstate(invalid="ignore"):
        rises = ~(np.diff(total) <= 1e-12 * np.abs(total[:-1]))
    last = int(counts[1:][rises].max(initial=0))
    if last > SCANNED:
        raise _no_fall(theorem)
    return last


def _no_fall(theorem: Theorem) -> BoundkitError:
    return BoundkitError(
        f"the bound of {theorem.name} does not fall with T at these values; are the steps too large?"
    )


def _first_early_count(theorem: Theorem, query: Parameters, eps: float, last_rise: int) -> int | None:
    """The first count that is enough among those up to which the bound may rise, each looked at."""
    counts = np.arange(1.0, last_rise + 1)
    values = {**query.values, "T": counts}
    reached = _reached(_total_at(theorem, query, counts), eps)
    for relation in theorem.requires:
        reached = reached & satisfied(relation, values)
    return int(counts[reached][0]) if reached.any() else None


def _total_at(theorem: Theorem, query: Parameters, counts: NDArray[np.float64]) -> NDArray[np.float64]:
    values = {**query.values, "T": counts}
    return np.asarray(sum(np.broadcast_to(evaluate(t.expr, values), counts.shape) for t in theorem.terms))


def _given(query: Parameters) -> dict[str, object]:
    return {n: v for n, v in query.values.items() if n not in query.assumed}
