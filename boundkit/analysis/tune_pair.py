"""Joint tuning of client and server step size.

Initial gap, noise and participation terms depend on the product P = eta_s eta; the drifts depend on eta
alone. At fixed P a smaller eta is then always better, so the bound has no minimiser: it approaches its
infimum, the least value of the terms in P. The answer is the largest eta that is nearly as good.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from math import inf, log

import numpy as np
from sympy import S, Symbol

from boundkit.algebra import BoundkitError, Term, Theorem
from boundkit.algebra.notation import eta, eta_s
from boundkit.analysis.evaluate import RELATIVE_TOLERANCE, evaluate
from boundkit.analysis.minimisation import Minimum, exp, minimum, root_of_growth
from boundkit.analysis.parameters import Parameters
from boundkit.analysis.powers import powers
from boundkit.analysis.predict import predict
from boundkit.analysis.step_size import largest, largest_alone, largest_product, least_server_step, limit_at
from boundkit.analysis.tune_result import Tuned, no_minimum_error, tune_monotone, vanishing_condition
from boundkit.report.formatting import format_number

_PRODUCT = Symbol("product", positive=True)
_SERVER_DECADES = 12
_BOTH = "both steps"


def tune_pair(theorem: Theorem, query: Parameters, excess: float) -> Tuned:
    """The best eta and eta_s; where there is no best pair, one whose drifts add ``excess`` at most.

    Raises BoundkitError where the bound falls for ever, where a search over eta_s finds no best pair, and
    for an ``excess`` that is not above 0 and finite.
    """
    if isinstance(excess, bool) or not isinstance(excess, (int, float)) or not 0 < excess < inf:
        raise BoundkitError(
            f"excess = {excess!r} was given, but it must be a number above 0 (a share, such as 0.01)."
        )
    values = {n: float(v) for n, v in query.values.items()}
    split = _split(theorem, values)
    return (
        _nested(theorem, query, values)
        if split is None
        else _near_infimum(theorem, query, values, excess, split)
    )


_Split = tuple[list[Term], dict[float, list[Term]]]


def _split(theorem: Theorem, values: Mapping[str, float]) -> _Split | None:
    """The terms in the product alone, and those that grow with eta at a fixed product, by power.

    None where some term falls with eta at a fixed product, or is no sum of powers of it, or where a
    condition mixes the two steps in another way.
    """
    both = any({eta, eta_s} <= c.free_symbols for c in theorem.step_size)
    if (both and largest_product(theorem) is None) or least_server_step(theorem) is None:
        return None
    product_terms: list[Term] = []
    growing: dict[float, list[Term]] = {}
    for term in theorem.terms:
        parts = powers(term.expr.subs(eta_s, _PRODUCT / eta), eta)
        if parts is None:
            return None
        for power, coefficient in parts.items():
            part = replace(term, expr=coefficient)
            if power == 0:
                product_terms.append(part)
            elif float(evaluate(coefficient, {**values, _PRODUCT.name: 1.0})) != 0:
                if power < 0:
                    return None
                growing.setdefault(float(power), []).append(part)
    return product_terms, growing


def _near_infimum(
    theorem: Theorem, query: Parameters, values: Mapping[str, float], excess: float, split: _Split
) -> Tuned:
    product_terms, growing = split
    largest_allowed = largest_product(theorem)
    limit = inf if largest_allowed is None else float(limit_at(largest_allowed, values))
    best = minimum(product_terms, _PRODUCT, values, limit)
    if best.monotone == "infimum at 0":
        return tune_monotone(theorem, {"eta": 0.0, "eta_s": 1.0}, query, best.monotone, best.method)
    if best.monotone is not None:
        raise no_minimum_error(theorem, _BOTH, best.monotone)
    at_product = {**values, _PRODUCT.name: best.at}
    infimum = float(sum(float(evaluate(t.expr, at_product)) for t in product_terms))
    drifts = {q: float(sum(float(evaluate(t.expr, at_product)) for t in ts)) for q, ts in growing.items()}
    if not (infimum < inf and all(0 < drift < inf for drift in drifts.values())):
        raise BoundkitError(f"the terms of {theorem.name} are no finite numbers at these values.")
    server = float(evaluate(least_server_step(theorem) or S.Zero, values))
    client_limit = min(float(limit_at(largest_alone(theorem), values)), best.at / server if server else inf)
    client = (
        min(root_of_growth(drifts, excess * infimum), client_limit) if drifts else min(client_limit, best.at)
    )
    steps = {"eta": client, "eta_s": best.at / client}
    if drifts:
        share = format_number(100 * excess)
        note = (
            f"no pair is best: at the product eta_s*eta = {format_number(best.at)} the bound falls towards "
            f"{format_number(infimum)} as eta tends to 0; this is the largest eta whose drift "
            f"adds at most {share} %."
        )
    else:
        product = f"eta_s*eta = {format_number(best.at)}"
        note = f"only the product {product} matters at these values; any such pair is best."
    if best.at_limit:
        note += " The condition on the product binds."
    # At the infimum eta is 0, so the drifts are; at the pair reported here they are small instead.
    vanishing = [t.label for t in product_terms if float(evaluate(t.expr, at_product)) == 0]
    drift_labels = [t.label for ts in growing.values() for t in ts]
    formula = None if best.formula is None else best.formula.subs(_PRODUCT, eta_s * eta)
    prediction = predict(theorem, **query.given, **steps)
    return Tuned(
        theorem, ("eta", "eta_s"), steps, prediction, best.at_limit, best.method,
        note, formula, "eta_s*eta" if formula is not None else "",
        vanishing_condition([*vanishing, *drift_labels]) if formula is not None else "",
        infimum if drifts else None,
    )  # fmt: skip


def _nested(theorem: Theorem, query: Parameters, values: Mapping[str, float]) -> Tuned:
    """A search over eta_s, and for each the best eta: for bounds whose drifts depend on the server's step."""
    from scipy.optimize import minimize_scalar

    def inner(server: float) -> tuple[float, Minimum]:
        at = {**values, "eta_s": server}
        inner_optimum = minimum(theorem.terms, eta, at, float(limit_at(largest(theorem), at)))
        return float(
            sum(float(evaluate(t.expr, {**at, "eta": inner_optimum.at})) for t in theorem.terms)
        ), inner_optimum

    grid = np.geomspace(
        10.0 ** -(_SERVER_DECADES / 2), 10.0 ** (_SERVER_DECADES / 2), 20 * _SERVER_DECADES + 1
    )
    heights = np.array([inner(float(server))[0] for server in grid])
    least = float(np.nanmin(heights))
    tied = np.flatnonzero(heights <= least + RELATIVE_TOLERANCE * abs(least))
    place = int(tied[np.argmin(np.abs(np.log(grid[tied])))])  # of equals, that nearest to eta_s = 1
    if place in (0, grid.size - 1):
        raise BoundkitError(
            f"the bound of {theorem.name} has no best pair with eta_s between "
            f"{format_number(grid[0])} and {format_number(grid[-1])}."
        )
    server = float(grid[place])
    if tied.size == 1:
        ends = (log(grid[place - 1]), log(grid[place + 1]))
        refined = minimize_scalar(
            lambda u: inner(exp(u))[0], bounds=ends, method="bounded", options={"xatol": 1e-10}
        )
        server = exp(float(refined.x))
    inner_optimum = inner(server)[1]
    if inner_optimum.monotone is not None:
        raise no_minimum_error(theorem, _BOTH, inner_optimum.monotone)
    steps = {"eta": inner_optimum.at, "eta_s": server}
    prediction = predict(theorem, **query.given, **steps)
    if not prediction.holds:
        raise BoundkitError(
            f"where the bound of {theorem.name} is least, its conditions on eta_s do not hold; give eta_s."
        )
    return Tuned(theorem, ("eta", "eta_s"), steps, prediction, inner_optimum.at_limit, "numeric", "")
