"""Effect of larger quantities on a bound: at fixed steps, under rules for the steps, and at the best eta."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from sympy import Expr, Le
from sympy.core.relational import Relational

from boundkit.algebra import BoundkitError, Quantity, Theorem
from boundkit.algebra.dimension import ONE
from boundkit.algebra.domain import COUNT
from boundkit.algebra.errors import unknown
from boundkit.algebra.notation import C, m
from boundkit.algebra.notation import eta as step
from boundkit.analysis.client_values import homogeneous_form
from boundkit.analysis.rate import substitute_rules
from boundkit.analysis.sensitivity.change import change, direction, direction_of_sum
from boundkit.analysis.sensitivity.context import SensitivityContext, context_of
from boundkit.analysis.sensitivity.envelope import tuned_change
from boundkit.analysis.sensitivity.result import Effect, QuantityEffects, Region, Sensitivity

__all__ = ["Effect", "Region", "Sensitivity", "sensitivity"]


participants = Quantity("participants", "M", "participating clients of a round, C m", COUNT, ONE, 10)
"""The fixed quantity where m changes at a fixed number of participants."""

FIXED, RULED, TUNED = "fixed steps", "under the rules", "best eta"


def sensitivity(
    theorem: Theorem,
    /,
    of: str | Iterable[str] | None = None,
    *,
    eta: str | Expr | None = None,
    eta_s: str | Expr | None = None,
    tuned: bool | None = None,
    alike: bool = False,
    under: Mapping[Quantity, Expr] | None = None,
    requires: Iterable[Relational] = (),
) -> Sensitivity:
    """Derive the effect of each quantity on a bound: does it grow or fall?

    The readings are: fixed steps; the rules ``eta``, ``eta_s`` where given; and the best eta under its
    condition. A count changes as a real number. Where C and m both occur, m changes twice: at fixed C, and
    at a fixed number C m of participants.

    Parameters
    ----------
    theorem : Theorem or str
        The theorem, or its name.
    of : str or iterable of str, optional
        Keywords of the quantities; all without it.
    eta, eta_s : str or sympy expression, optional
        Rules for the steps.
    tuned : bool, optional
        Whether the reading of the best eta is taken; by default where there is one.
    alike : bool
        Whether homogeneous clients are taken, in m and tau, for a bound in quantities derived from
        heterogeneous ones; rules for the steps imply it.
    under : mapping, optional
        Quantities that are replaced by others, such as sigma by sigma/sqrt(B).
    requires : iterable of relations
        Conditions on these.

    Returns
    -------
    Sensitivity
        A row for each quantity with the effect in each reading, exact or by numbers.

    Raises
    ------
    BoundkitError
        For an invalid rule, an unknown quantity in ``of``, and ``tuned=True`` for a bound without a best
        eta.

    Examples
    --------
    >>> import boundkit as bk
    >>> bk.sensitivity("sgd_nonconvex", "m").effect("m", "best eta").word
    'better'
    """
    rules = {name: rule for name, rule in (("eta", eta), ("eta_s", eta_s)) if rule is not None}
    statement = homogeneous_form(theorem) if alike or rules else theorem
    base = context_of(statement)
    no_best = "" if tuned is False else _no_best(base)
    if tuned and no_best:
        raise BoundkitError(f"{theorem.name} {no_best}, so there is no best eta to ask about.")
    readings = {FIXED: base}
    used: dict[str, Expr] = {}
    if rules:
        ruled, used = substitute_rules(statement, rules)
        readings[RULED] = context_of(ruled)
    if tuned is not False and not no_best:
        readings[TUNED] = base
    if under:
        readings = {n: s.under(under, tuple(requires)) for n, s in readings.items()}
    names = _names(theorem, of, readings.values())
    rows = [QuantityEffects(name, "", _effects(name, readings)) for name in names]
    rows += [
        QuantityEffects("m", "C*m", _effects("m", {n: _at_participants(s) for n, s in readings.items()}))
        for _ in range({"C", "m"} <= {q.name for q in readings[FIXED].quantities} and "m" in names)
    ]
    order = {name: place for place, name in enumerate(names)}
    return Sensitivity(statement, used, tuple(readings), tuple(sorted(rows, key=lambda r: order[r.name])))


def _no_best(base: SensitivityContext) -> str:
    """The reason why there is no best eta; empty where there is one."""
    if not base.has_step:
        return "has no term with eta"
    ways = [direction(expr, step, base.admissible) for expr in base.terms.values()]
    if "down" in ways:
        return ""  # whether what falls is enough is for the best eta to find
    grows = (
        direction_of_sum(ways) == "up"
        or change(base.terms, step, base.admissible, base.sample).word == "worse"
    )
    return "only grows with eta" if grows else ""


def _names(
    theorem: Theorem, of: str | Iterable[str] | None, contexts: Iterable[SensitivityContext]
) -> list[str]:
    known = list(dict.fromkeys(q.name for s in contexts for q in s.quantities))
    if of is None:
        return known
    requested = [w.strip() for w in of.split(",")] if isinstance(of, str) else [str(w) for w in of]
    for name in requested:
        if name not in known:
            raise unknown(f"quantity of {theorem.name}", name, known)
    return list(dict.fromkeys(requested))


def _effects(name: str, readings: Mapping[str, SensitivityContext]) -> dict[str, Effect]:
    """The effect in each reading in which the quantity is still free."""
    result: dict[str, Effect] = {}
    for reading, context in readings.items():
        quantity = next((q for q in context.quantities if q.name == name), None)
        if quantity is None or (reading == TUNED and quantity == step):
            continue
        result[reading] = (
            tuned_change(context, quantity)
            if reading == TUNED
            else change(context.terms, quantity, context.admissible, context.sample)
        )
    return result


def _at_participants(context: SensitivityContext) -> SensitivityContext:
    """The context at fixed C m: C becomes participants/m."""
    return context.under({C: participants / m}, (Le(participants, m, evaluate=False),))
