"""Rounds after which a bound is at most a target."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from math import inf, nan
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from boundkit.algebra import BoundkitError, Theorem
from boundkit.algebra.notation import T, eta_s
from boundkit.algebra.notation import eta as ETA
from boundkit.analysis.answers_over_axes import AnswersOverAxes, Column, answer_points
from boundkit.analysis.evaluate import Array, evaluate, index_of_largest, satisfied
from boundkit.analysis.labelled_values import as_list, is_list
from boundkit.analysis.parameters import Parameters, Query, read_query
from boundkit.analysis.predict import Prediction, predict
from boundkit.analysis.step_size import conditions_hold
from boundkit.analysis.tune import best_step, minimum_of
from boundkit.report import Heading, Report, Reported, Sentences, Table
from boundkit.report.formatting import format_number, json_values

if TYPE_CHECKING:
    import xarray as xr


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

    ``steps`` holds the eta that was tuned at that T, and the steps that follow a rule.
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

    @property
    def outside(self) -> int:
        """1 where the steps are outside the conditions at that T; of never, where they are at every T."""
        if self.rounds is None and self.floor is not None:
            return int(
                not np.any(conditions_hold(self.theorem, {**self.parameters.values, "T": _spaced_counts()}))
            )
        return int(self.holds is False)

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
        lines = [self.note] * bool(self.note) + ([f"assumed: {', '.join(assumed)}"] if assumed else [])
        if "eta" in self.parameters.assumed:
            lines.append("eta was given no value; the option --tuned chooses the best eta.")
        return lines

    def report(self) -> Report:
        """The rounds, the terms there, and the conditions."""
        table = Table(["", "value"], self._rows())
        return Report((Heading(self._title()), table, Sentences(self._footer())))


@dataclass(frozen=True, repr=False, eq=False)
class RoundsOverAxes(AnswersOverAxes[Rounds]):
    """Rounds to a target at every point of a grid: ``rounds``, nan where no number is enough, ``bound``..."""

    @property
    def rounds(self) -> xr.DataArray:
        """The smallest T; nan where no T is enough."""
        return self._collect(self.columns()["rounds"])

    @property
    def bound(self) -> xr.DataArray:
        """The bound at that T."""
        return self._collect(self.columns()["bound"])

    @property
    def holds(self) -> xr.DataArray:
        """Whether the steps are inside the conditions at that T."""
        return self._collect(self.columns()["holds"])

    @property
    def outside(self) -> int:
        """At how many points the steps are outside the conditions, each at its T as ``Rounds.outside``."""
        return sum(answer.outside for answer in self.answers.ravel().tolist())

    def columns(self) -> dict[str, Column]:
        """The rounds, the tuned eta where there is one, the bound there, and whether the conditions hold."""
        claim = self.theorem.claim
        tuned = any("eta" in answer.steps for answer in self.answers.ravel().tolist())
        best = Column(lambda one: one.steps.get("eta", nan), ETA.meaning, ETA.dimension.units)
        return {
            "rounds": Column(
                lambda one: nan if one.rounds is None else float(one.rounds), T.meaning, T.dimension.units
            ),
            **({"eta": best} if tuned else {}),
            "bound": Column(
                lambda one: nan if one.bound is None else one.bound, claim.name, claim.dimension.units
            ),
            "holds": Column(lambda one: bool(one.holds), "whether the conditions on the steps hold"),
        }

    def _title(self) -> str:
        return f"{self.theorem.name}: rounds until the bound is at most eps, over {', '.join(self.axes)}"


if TYPE_CHECKING:
    RoundsAnswer = Any  # lists among the arguments decide which, and a type checker does not see them
else:
    RoundsAnswer = Rounds | RoundsOverAxes


def rounds_to(
    theorem: Theorem,
    /,
    eps: float | Sequence[float],
    *,
    tuned: bool = False,
    table: object = None,
    **parameters: object,
) -> RoundsAnswer:
    """Find the smallest number of rounds after which a bound is at most a target, up to a relative 1e-14.

    Parameters
    ----------
    theorem : Theorem or str
        The theorem, or its name.
    eps : float or list of float
        The target, in the unit of the claim.
    tuned : bool
        Whether the best eta is chosen for each T.
    table : pandas.DataFrame or xarray.Dataset, optional
        Further parameters; each row of a DataFrame is one point.
    **parameters
        Values of the other quantities, as for ``predict``: numbers, rules for steps, which may depend on T,
        or lists, which are answered element by element.

    Returns
    -------
    Rounds or RoundsOverAxes
        ``rounds``, None where no number is enough, and the ``prediction`` there; with lists the same over
        their axes.

    Raises
    ------
    BoundkitError
        For a target that is not above 0, for a given T, and where the bound does not fall with T.

    Examples
    --------
    >>> import boundkit as bk
    >>> bk.rounds_to("sgd_nonconvex", 0.1, m=10, eta=0.1, L=1, sigma=1, gap=1).rounds
    223
    >>> bk.rounds_to("sgd_nonconvex", [0.1, 0.05], m=10, eta=0.02).rounds.values
    array([1021., 2084.])
    """
    listed = as_list("eps", eps)
    if is_list(listed) and len(listed):  # type: ignore[arg-type]
        target: float | Array = np.array([_target(one) for one in listed])  # type: ignore[attr-defined]
    else:
        target = _target(listed)
    if T not in theorem.quantities:
        raise BoundkitError(f"{theorem.name} does not depend on T, so no number of rounds changes its bound.")
    query = read_query(theorem, table, parameters, ("T", "eta") if tuned else ("T",))
    points = query.parameters
    if isinstance(target, float) and not points.axes:
        return _answer(query, target, points, tuned)

    def at_point(point: Parameters) -> Rounds:
        others = {name: value for name, value in point.values.items() if name != "eps"}
        return _answer(query, float(point.values["eps"]), replace(point, values=others), tuned)

    axes = points.axes if isinstance(target, float) else ("eps", *points.axes)
    points = replace(points, values={"eps": target, **points.values}, axes=axes)
    return RoundsOverAxes(query.theorem, points, answer_points(points, at_point))


def _target(eps: object) -> float:
    """A target as a number above 0."""
    if isinstance(eps, bool) or not isinstance(eps, (int, float, np.number)) or not 0 < float(eps) < inf:
        raise BoundkitError(f"eps = {eps!r} was given, but a target is a number above 0.")
    return float(eps)


def _answer(query: Query, eps: float, point: Parameters, tuned: bool) -> Rounds:
    result = (_tuned if tuned else _at_given_steps)(query.theorem, eps, point)
    if query.rules and result.rounds is not None:
        at = {**point.values, "T": result.rounds}
        steps = {name: float(evaluate(rule, at)) for name, rule in query.rules.items()}
        result = replace(result, steps=result.steps | steps)
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
        moved = theorem.bound.terms[highest].expr.free_symbols & {ETA, eta_s}
        advice = "change the steps" if moved else "no step size changes that"
        note = f"the bound never falls below its floor {format_number(floor)}, {share}; {advice}."
        return Rounds(theorem, eps, None, None, query, {}, floor, dominant, note)
    result = _first_early_count(theorem, query, eps, last_rise)
    if result is None:
        result = _first_count(
            lambda t: bool(_reached(sum(_terms_at(theorem, query, t).values()), eps)), last_rise + 1
        )
    if result is None:
        note = f"more than {FARTHEST} rounds are needed."
        return Rounds(theorem, eps, None, None, query, {}, floor, dominant, note)
    prediction = predict(theorem, **query.given, T=result)
    note = (
        f"at these steps the bound falls to {format_number(floor)} and no further, {share}." if floor else ""
    )
    return Rounds(theorem, eps, result, prediction, query, {}, floor, dominant, note)


def _tuned(theorem: Theorem, eps: float, query: Parameters) -> Rounds:
    def at(rounds: int) -> Parameters:
        return Parameters({**query.values, "T": float(rounds)}, (), query.assumed)

    def predicted(rounds: int) -> Prediction:
        return predict(theorem, **query.given, T=rounds, eta=best_step(theorem, "eta", at(rounds)).at)

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
    counts = _spaced_counts()
    counts = np.union1d(counts, counts + 1)
    total = _total_at(theorem, query, counts)
    with np.errstate(invalid="ignore"):
        rises = ~(np.diff(total) <= 1e-12 * np.abs(total[:-1]))
    last = int(counts[1:][rises].max(initial=0))
    if last > SCANNED:
        raise _no_fall(theorem)
    return last


def _spaced_counts() -> Array:
    """Some numbers of rounds, from 1 to FARTHEST."""
    return np.unique(np.round(np.geomspace(1, FARTHEST, 200)))


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
