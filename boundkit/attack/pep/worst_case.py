"""Compute the worst case of a theorem's claim, and compare it with its bound."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from math import isfinite, sqrt

from boundkit.algebra import BoundkitError, Theorem
from boundkit.algebra.domain import WHOLE_TOLERANCE
from boundkit.algebra.notation import ALPHABET
from boundkit.algebra.vocabulary import (
    BETA_KAPPA_DISSIMILARITY,
    BOUNDED_BELOW,
    BOUNDED_DISSIMILARITY,
    BOUNDED_NOISE,
    CLIENTWISE_DISSIMILARITY,
    COMMON_STEPS,
    CONVEX,
    EQUAL_WEIGHTS,
    FULL_PARTICIPATION,
    GENERAL_SOLVER,
    HOMOGENEOUS_CLIENTS,
    LAST_DISTANCE,
    LAST_LOSS_GAP,
    LAST_SQUARED_DISTANCE,
    LIMIT_DISTANCE,
    MEAN_LOSS_GAP,
    MEAN_SQUARED_GRADIENT,
    NO_NOISE,
    ONE_LOCAL_STEP,
    OPTIMUM_DISSIMILARITY,
    PARTIAL_PARTICIPATION,
    SERVER_STEP_ONE,
    SMOOTH,
    STRONGLY_CONVEX,
    SURROGATE_GRADIENT,
    UNIFORM_DISSIMILARITY,
    VIRTUAL_LOSS_GAP,
    VIRTUAL_SQUARED_GRADIENT,
    WEIGHTED_OBJECTIVE,
)
from boundkit.analysis.parameters import refuse_axes
from boundkit.analysis.predict import Prediction, predict
from boundkit.attack.pep.parameters import WITHOUT_EFFECT, setting_of
from boundkit.attack.pep.program import SOLVER, is_exact, solve
from boundkit.attack.pep.result import WorstCase
from boundkit.report.formatting import join_names

UNDERSTOOD = frozenset(
    a.name
    for a in (
        SMOOTH,
        CONVEX,
        STRONGLY_CONVEX,
        BOUNDED_BELOW,
        BOUNDED_NOISE,
        NO_NOISE,
        BOUNDED_DISSIMILARITY,
        CLIENTWISE_DISSIMILARITY,
        UNIFORM_DISSIMILARITY,
        OPTIMUM_DISSIMILARITY,
        BETA_KAPPA_DISSIMILARITY,
        HOMOGENEOUS_CLIENTS,
        EQUAL_WEIGHTS,
        WEIGHTED_OBJECTIVE,
        FULL_PARTICIPATION,
        PARTIAL_PARTICIPATION,
        COMMON_STEPS,
        ONE_LOCAL_STEP,
        GENERAL_SOLVER,
        SERVER_STEP_ONE,
    )
)
"""Names of the assumptions that the program states; noise is omitted, since a worst case has none."""

CLAIMED = frozenset(
    c.name
    for c in (
        MEAN_SQUARED_GRADIENT,
        SURROGATE_GRADIENT,
        VIRTUAL_SQUARED_GRADIENT,
        MEAN_LOSS_GAP,
        VIRTUAL_LOSS_GAP,
        LAST_LOSS_GAP,
        LAST_SQUARED_DISTANCE,
        LAST_DISTANCE,
        LIMIT_DISTANCE,
    )
)
"""Names of the claims that it measures."""

ALGORITHMS = ("fedavg", "fednova", "local_sgd", "minibatch_sgd")
"""The algorithms that it simulates."""


def unsupported_reason(theorem: Theorem) -> str | None:
    """Return why no exact worst case is available, as the end of a sentence; None where one is.

    >>> from boundkit.theorems import theorem
    >>> unsupported_reason(theorem("fedavg_convex"))
    >>> unsupported_reason(theorem("mifa_nonconvex"))
    "its algorithm is 'mifa', and known here are only the rounds of fedavg, fednova, ... and minibatch_sgd"
    """
    if theorem.kind not in ("upper", "tight"):
        return (
            f"it is {'an order' if theorem.kind == 'order' else 'a lower bound'}, no upper bound in numbers"
        )
    if theorem.algorithm not in ALGORITHMS:
        return (
            f"its algorithm is {theorem.algorithm!r}, and known here are only the rounds of "
            f"{join_names(list(ALGORITHMS))}"
        )
    if theorem.claim.name not in CLAIMED:
        return f"its claim, the {theorem.claim.name}, is not measured here"
    unknown = _unknown(a.name for a in theorem.assumptions)
    if unknown:
        return f"its assumption {unknown[0]!r} is not stated here"
    if not theorem.assumes(SMOOTH.name):
        return "it does not suppose smooth losses"
    return _quantity_reason(theorem)


def _quantity_reason(theorem: Theorem) -> str | None:
    """The reason why the quantities of a theorem exclude it, if any."""
    names = {q.name for q in theorem.quantities}
    if "eta" not in names:
        return "its step is substituted already"
    if "distance" in names and not (theorem.assumes(CONVEX.name) or theorem.assumes(STRONGLY_CONVEX.name)):
        return "it measures the start from an optimum, which losses that are not convex need not have"
    return None


def _unknown(names: Iterable[str]) -> list[str]:
    return [name for name in names if name not in UNDERSTOOD]


def refuse_unsupported(theorem: Theorem) -> None:
    """Raise BoundkitError, with the reason, for a theorem without an exact worst case."""
    why = unsupported_reason(theorem)
    if why:
        raise BoundkitError(f"no exact worst case can be computed for {theorem.name}: {why}.")


SMALL: dict[str, int] = {"m": 2, "tau": 2, "T": 2}
"""Default numbers of clients, local steps and rounds: the program grows fast with each of them."""

LIMIT_ROUNDS = 1e200
"""A number of rounds after which terms that decrease with T are 0."""

_CLASS_QUANTITIES = {
    SMOOTH.name: ("L",),
    STRONGLY_CONVEX.name: ("mu",),
    COMMON_STEPS.name: ("tau",),
    PARTIAL_PARTICIPATION.name: ("C",),
    BOUNDED_DISSIMILARITY.name: ("sigma_g",),
    CLIENTWISE_DISSIMILARITY.name: ("sigma_g",),
    UNIFORM_DISSIMILARITY.name: ("sigma_g",),
    BETA_KAPPA_DISSIMILARITY.name: ("beta", "kappa"),
    OPTIMUM_DISSIMILARITY.name: ("sigma_star",),
}
"""The quantities of an assumption, which a bound need not contain."""

_LOCAL_STEPS = ("tau", "tau_i", "a_i")
_VECTORS = ("tau_i", "p_i", "w_i", "a_i")
_CHOSEN = ("w_i", "tau_eff")


@dataclass(frozen=True)
class WorstCaseQuery:
    """Values of a worst case: ``bound_values`` are those of ``predict``, ``class_values`` of the class alone.

    ``typical`` holds the typical values of all quantities of the class.
    """

    clients: int
    bound_values: Mapping[str, object]
    class_values: Mapping[str, float]
    typical: Mapping[str, float]


def read_query(theorem: Theorem, given: Mapping[str, object], at_fixed_point: bool) -> WorstCaseQuery:
    """Return all values that a worst case needs, except for the largest step size.

    Raises BoundkitError for noise, for values that derive from the clients, for T at rest, and for values
    outside their domain.
    """
    _refuse(theorem, given, at_fixed_point)
    m, names = _clients(given), {q.name for q in theorem.quantities}
    small = {"m": m, "tau": SMALL["tau"], "T": LIMIT_ROUNDS if at_fixed_point else SMALL["T"], "C": 1 / m}
    class_names = dict.fromkeys(
        ["T", *(name for a in theorem.assumptions for name in _CLASS_QUANTITIES.get(a.name, ()))]
    )
    outside = [name for name in class_names if name not in names]
    bound_values = {name: value for name, value in given.items() if name not in outside and name != "m"}
    class_values = {n: _number(n, given.get(n, small.get(n, ALPHABET[n].typical))) for n in outside}
    whole = round(class_values.get("C", 1.0) * m)
    if whole < 1 or abs(whole - class_values.get("C", 1.0) * m) > WHOLE_TOLERANCE * m:
        raise BoundkitError(f"C = {class_values['C']:g} of m = {m} clients is no whole number of them.")
    if "sigma" in names:
        bound_values["sigma"] = 0
    for name in small:
        if name in names:
            bound_values.setdefault(name, small[name])
    if theorem.definitions and not any(name in given for name in _LOCAL_STEPS):
        bound_values["tau"] = SMALL["tau"]
    return WorstCaseQuery(m, bound_values, class_values, {n: float(ALPHABET[n].typical) for n in class_names})


def _refuse(theorem: Theorem, given: Mapping[str, object], at_fixed_point: bool) -> None:
    if given.get("sigma", 0) != 0:
        raise BoundkitError(
            f"sigma = {given['sigma']!r} was given, but exact worst cases are those of full gradients: "
            "leave sigma out."
        )
    if at_fixed_point and "T" in given:
        raise BoundkitError("at rest T is infinite, so T must not be given.")
    chosen = _CHOSEN if theorem.algorithm == "fednova" else ()
    for quantity in theorem.definitions:
        if quantity.name in given and quantity.name not in chosen:
            raise BoundkitError(
                f"{quantity.name} was given, but here it follows from the clients; give tau_i and p_i."
            )


def _clients(given: Mapping[str, object]) -> int:
    """Return the number of clients, from the length of vectors where there are any."""
    for name in _VECTORS:
        vector = given.get(name)
        if isinstance(vector, (list, tuple)) and (name != "a_i" or isinstance(vector[0], (list, tuple))):
            return len(vector)
    return round(_number("m", given.get("m", SMALL["m"])))


def _number(name: str, value: object) -> float:
    """Check a value that predict does not check, since the bound does not contain it."""
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise BoundkitError(f"{name} = {value!r} was given, but it must be one number here.")
    complaint = ALPHABET[name].domain.complaint(value)
    if complaint:
        raise BoundkitError(f"{name} = {value!r} was given, but {complaint} ({ALPHABET[name].meaning}).")
    return float(value)


def worst_case(theorem: Theorem, /, *, at_rest: bool = False, **given: object) -> WorstCase:
    """Compute the largest value of the theorem's claim over its class, for one choice of parameters.

    For convex losses and for one loss the value is exact over all dimensions; at rest it is so among runs at
    a fixed point. For several non-convex losses the program is a relaxation: its value bounds the worst case
    from above. There is no noise: sigma is 0.

    Source: Taylor, Hendrickx, Glineur, "Smooth strongly convex interpolation and exact worst-case
    performance of first-order methods", Mathematical Programming 161 (2017); for the infimum of a smooth
    loss Drori, Shamir, "The complexity of finding stationary points with stochastic gradient descent", ICML
    2020.

    Parameters
    ----------
    theorem : Theorem or str
        The theorem, or its name.
    at_rest : bool
        Whether T goes to infinity: the largest claim where a round of all clients ends where it started.
        There the initial point has no effect. Claims about the limit are always evaluated so.
    **given
        Parameters as for ``predict``, one value each, with the vectors tau_i, p_i, w_i, a_i and the solver
        where the theorem has them. Defaults are m = 2, tau = 2, T = 2, C = 1/m and the largest eta that the
        theorem allows; other constants take their typical value. Quantities that only the class has, such as
        the number of clients of a bound without m, may be given too.

    Returns
    -------
    WorstCase
        The value, in the unit of the claim, the bound, and their ratio.

    Raises
    ------
    BoundkitError
        For a theorem without an exact worst case (see ``unsupported_reason``), where
        noise or a list is given, where the program is too large, and where PEPit is not installed.

    Examples
    --------
    >>> import boundkit as bk
    >>> bk.worst_case("sgd_nonconvex", T=2)  # doctest: +SKIP
    """
    refuse_unsupported(theorem)
    at_rest = at_rest or theorem.claim == LIMIT_DISTANCE
    query = read_query(theorem, given, at_rest)
    prediction = _predicted(theorem, query.bound_values)
    values = _values(query, prediction)
    setting = setting_of(theorem, values, prediction.theorem.clients, query.clients, at_rest)
    solution = solve(theorem, setting)
    unit = setting.units.of(theorem.claim.dimension)
    guaranteed, attained = (
        unit * (sqrt(max(x, 0.0)) if theorem.claim in (LAST_DISTANCE, LIMIT_DISTANCE) else x)
        for x in (solution.guaranteed, solution.attained)
    )
    names = _shown_parameters(query, prediction)
    without_effect = WITHOUT_EFFECT if at_rest else ()
    return WorstCase(
        theorem=theorem.name,
        claim=theorem.claim.name,
        setting={n: v for n, v in names.items() if n not in without_effect},
        assumed=tuple(n for n in names if n not in (*given, *without_effect, "sigma", "eta")),
        largest_step="eta" not in given,
        inside=bool(prediction.holds),
        at_fixed_point=at_rest,
        terms={label: v if v > 1 / sqrt(LIMIT_ROUNDS) else 0.0 for label, v in prediction.terms.items()},
        value=guaranteed,
        attained=attained,
        exact=is_exact(theorem, setting),
        losses=setting.clients,
        solver=SOLVER,
        dimension=solution.dimension,
        conditions=solution.conditions,
        seconds=solution.seconds,
        unit=unit,
    )


def _predicted(theorem: Theorem, bound_values: Mapping[str, object]) -> Prediction:
    """Evaluate the bound, at the largest step size where none was given."""
    prediction = predict(theorem, **bound_values)
    refuse_axes(prediction.parameters, "an exact worst case")
    if "eta" in bound_values:
        return prediction
    if not isfinite(prediction.largest):
        raise BoundkitError(f"{theorem.name} does not limit eta here, so eta must be given.")
    return predict(theorem, **{**bound_values, "eta": prediction.largest})


def _values(query: WorstCaseQuery, prediction: Prediction) -> dict[str, float]:
    """Return every number, also those without effect on the bound here."""
    bound_values = {n: float(v) for n, v in prediction.parameters.values.items()}
    given = {n: float(v) for n, v in query.bound_values.items() if isinstance(v, (int, float))}
    return {"m": float(query.clients), **query.typical, **query.class_values, **given, **bound_values}


def _shown_parameters(query: WorstCaseQuery, prediction: Prediction) -> dict[str, object]:
    """Return the parameters as the result shows them."""
    statement = prediction.theorem
    numbers = prediction.parameters.to_dict(statement)
    return {"m": query.clients, **query.class_values, **numbers, **statement.clients}
