"""Compute the worst case of a theorem's claim, and compare it with its bound."""

from __future__ import annotations

from collections.abc import Mapping
from math import isfinite, sqrt

from boundkit.algebra import BoundkitError, Theorem
from boundkit.algebra.vocabulary import LAST_DISTANCE, LIMIT_DISTANCE
from boundkit.analysis.parameters import refuse_axes
from boundkit.analysis.predict import Prediction, predict
from boundkit.attack.pep.arguments import LIMIT_ROUNDS, Query, read_query
from boundkit.attack.pep.program import SOLVER, is_exact, solve
from boundkit.attack.pep.result import WorstCase
from boundkit.attack.pep.setting import WITHOUT_EFFECT, setting_of
from boundkit.attack.pep.supported_theorems import refuse_unsupported


def worst_case(theorem: Theorem, /, *, at_rest: bool = False, **given: object) -> WorstCase:
    """Compute the largest value of the theorem's claim over its class, for one choice of parameters.

    Parameters are those of ``predict``, one value each, with the vectors tau_i, p_i, w_i, a_i and the solver
    where the theorem has them. Defaults are m = 2, tau = 2, T = 2, C = 1/m and the largest eta that the
    theorem allows; other constants take their typical value. There is no noise: sigma is 0. Quantities that
    only the class has, such as the number of clients of a bound without m, may be given too.

    ``at_rest`` takes T to infinity: the largest claim where a round of all clients ends where it started.
    There the initial point has no effect, and the drift remains alone. Claims about the limit are always
    evaluated so.

    For convex losses and for one loss the value is exact over all dimensions; at rest it is so among runs at
    a fixed point. For several non-convex losses the program is a relaxation: its value bounds the worst case
    from above.

    Raises BoundkitError for a theorem without an exact worst case (``supported_theorems.unsupported_reason``
    says why), where noise or a list is given, where the program is too large, and where PEPit is not
    installed.

    Source: Taylor, Hendrickx, Glineur, "Smooth strongly convex interpolation and exact worst-case performance
    of first-order methods", Mathematical Programming 161 (2017); for the infimum of a smooth loss Drori,
    Shamir, "The complexity of finding stationary points with stochastic gradient descent", ICML 2020.
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


def _values(query: Query, prediction: Prediction) -> dict[str, float]:
    """Return every number, also those without effect on the bound here."""
    bound_values = {n: float(v) for n, v in prediction.parameters.values.items()}
    given = {n: float(v) for n, v in query.bound_values.items() if isinstance(v, (int, float))}
    return {"m": float(query.clients), **query.typical, **query.class_values, **given, **bound_values}


def _shown_parameters(query: Query, prediction: Prediction) -> dict[str, object]:
    """Return the parameters as the result shows them."""
    statement = prediction.theorem
    numbers = prediction.parameters.to_dict(statement)
    return {"m": query.clients, **query.class_values, **numbers, **statement.clients}
