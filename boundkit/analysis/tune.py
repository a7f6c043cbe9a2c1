"""The steps at which a bound is least."""

from __future__ import annotations

from collections.abc import Iterable
from math import inf

from boundkit.algebra import BoundkitError, Theorem
from boundkit.algebra.notation import ALPHABET
from boundkit.analysis.client_values import settled
from boundkit.analysis.evaluate import evaluate
from boundkit.analysis.minimisation import Minimum, minimum
from boundkit.analysis.parameters import Parameters, refuse_axes, resolve
from boundkit.analysis.predict import predict
from boundkit.analysis.step_size import largest, least_server_step, limit_at
from boundkit.analysis.tune_local_steps import tune_local_steps
from boundkit.analysis.tune_monotone import refuse, tune_monotone
from boundkit.analysis.tune_pair import tune_pair
from boundkit.analysis.tune_result import Tuned, where_zero
from boundkit.report.formatting import format_number

OVER = ("eta", "eta_s", "eta,eta_s", "tau")


def tune(
    theorem: Theorem, /, over: str | Iterable[str] = "eta", *, excess: float = 0.01, **parameters: object
) -> Tuned:
    """The best ``over`` inside the conditions: "eta", "eta_s", both ("eta,eta_s"), or "tau".

    ``excess`` counts where both steps are tuned and the bound has no minimiser: the drifts may add that
    share to the infimum. Where the bound only grows with a step, or falls with it for ever, the answer says
    so and holds the infimum. Raises BoundkitError for lists, for what cannot be tuned, where no value is
    inside the conditions, and where the bound falls for ever with tau or with both steps.

    >>> from boundkit.theorems import theorem
    >>> tune(theorem("sgd_nonconvex"), m=8, T=100, L=1, sigma=1, gap=1).formula
    sqrt(2)*sqrt(gap)*sqrt(m)/(sqrt(L)*sqrt(T)*sigma)
    """
    names = _words(over)
    theorem, parameters = settled(theorem, parameters, names)
    check_known(theorem, names)
    asked = resolve(theorem, parameters, free=names)
    refuse_axes(asked, "tune")
    if names == ("tau",):
        return tune_local_steps(theorem, asked)
    if len(names) == 2:
        return tune_pair(theorem, asked, excess)
    return _tune_one(theorem, names[0], asked)


def best_step(theorem: Theorem, name: str, asked: Parameters) -> Minimum:
    """Where the bound is least in one step, all else fixed.

    Raises BoundkitError where it only grows, where it falls for ever, or where no value is inside.
    """
    found = minimum_of(theorem, name, asked)
    if found.monotone is not None:
        raise refuse(theorem, name, found.monotone)
    return found


def minimum_of(theorem: Theorem, name: str, asked: Parameters) -> Minimum:
    """The minimum in one step, all else fixed; ``free`` is 0 or inf where there is no best one."""
    symbol = next(q for q in theorem.quantities if q.name == name)
    values = {n: float(v) for n, v in asked.values.items()}
    return minimum(theorem.terms, symbol, values, float(limit_at(largest(theorem, symbol), values)))


def _tune_one(theorem: Theorem, name: str, asked: Parameters) -> Tuned:
    found = minimum_of(theorem, name, asked)
    least = _least_allowed(theorem, name, asked)
    raised = found.at < least
    if found.monotone is not None and not raised:
        return tune_monotone(theorem, {name: found.at}, asked, found.monotone, found.method)
    given = {n: v for n, v in asked.values.items() if n not in asked.assumed}
    at = max(found.at, least)
    prediction = predict(theorem, **given, **{name: at})
    if not prediction.holds:
        raise BoundkitError(
            f"the other values are outside the conditions of {theorem.name} for every {name}."
        )
    note = ""
    if found.at_limit or raised:
        which = "least" if raised else "largest"
        note = f"the condition binds: {name} is the {which} that {theorem.name} allows"
        note += (
            f"; without the condition {format_number(found.free)} would be best."
            if 0 < found.free < inf
            else "."
        )
    return Tuned(
        theorem, (name,), {name: at}, prediction, found.at_limit or raised, found.method, note,
        found.formula, name if found.formula is not None else "",
        "" if found.formula is None else _when(theorem, name, asked),
    )  # fmt: skip


def _least_allowed(theorem: Theorem, name: str, asked: Parameters) -> float:
    """The least value of a step that the theorem allows; 0 where any above 0 will do."""
    least = least_server_step(theorem) if name == "eta_s" else None
    return 0.0 if least is None else float(evaluate(least, asked.values))


def _words(over: str | Iterable[str]) -> tuple[str, ...]:
    words = [w.strip() for w in over.split(",")] if isinstance(over, str) else [str(w) for w in over]
    asked = ",".join(sorted(words))
    if asked not in OVER:
        raise BoundkitError(
            f"over = {asked!r} was given, but what can be tuned is "
            f"{', '.join(map(repr, OVER[:-1]))} or {OVER[-1]!r}."
        )
    return tuple(sorted(words))


def check_known(theorem: Theorem, names: Iterable[str]) -> None:
    """Raise BoundkitError for a step that the theorem does not have."""
    known = {q.name for q in theorem.quantities}
    for name in names:
        if name not in known:
            raise BoundkitError(f"{theorem.name} has no {name} ({ALPHABET[name].meaning}) to tune.")


def _when(theorem: Theorem, name: str, asked: Parameters) -> str:
    """Which terms must be 0 for the formula, as they are at these values."""
    values = {n: float(v) for n, v in asked.values.items()} | {name: 1.0}
    seen = [t for t in theorem.terms if name in {s.name for s in t.expr.free_symbols}]
    return where_zero([t.label for t in seen if float(evaluate(t.expr, values)) == 0])
