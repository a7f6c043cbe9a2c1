"""What a change of settings or of the algorithm would do to the bound, at the constants of the run."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from boundkit.algebra import BoundkitError, Theorem
from boundkit.analysis.predict import Prediction, predict
from boundkit.analysis.tune import tune


@dataclass(frozen=True)
class Change:
    """``what`` is changed, the bound then, and over the run's own; ``holds``: inside the step condition."""

    what: str
    total: float
    factor: float
    holds: bool


def changes(
    theorem: Theorem, asked: Mapping[str, Any], others: Mapping[str, Theorem], whole: int
) -> list[Change]:
    """Every change that the theorem, or another of the same claim, can be asked about, the best first.

    ``whole``: all clients, so that C m stays a whole number.
    """
    now = float(predict(theorem, **asked).total)
    found = []
    told = {label: other for label, other in others.items() if other.kind == "upper"}  # no open constants
    for what, statement, values in _tried(theorem, dict(asked), told, whole):
        try:
            bound: Prediction = predict(statement, **values)
        except BoundkitError:
            continue  # the other theorem asks for more than is known of this run
        total = float(bound.total)
        found.append(Change(what, total, total / now if now > 0 else float("inf"), bool(bound.holds)))
    return sorted(found, key=lambda c: c.total)


def _tried(
    theorem: Theorem, asked: dict[str, Any], others: Mapping[str, Theorem], whole: int
) -> Iterator[tuple[str, Theorem, dict[str, Any]]]:
    tau, C, eta = asked.get("tau"), asked.get("C"), asked.get("eta")
    if tau is not None:
        for steps in sorted({1, max(1, int(tau) // 2), 2 * int(tau)} - {int(tau)}):
            yield f"tau = {steps} instead of {int(tau)}", theorem, {**asked, "tau": steps}
    if C is not None and C < 1:
        for count in sorted({min(whole, 2 * round(C * whole)), whole}):
            yield f"C = {count / whole:g} instead of {C:g}", theorem, {**asked, "C": count / whole}
    if eta is not None:
        for factor in (0.5, 2.0):
            yield f"eta = {factor * eta:.3g} instead of {eta:.3g}", theorem, {**asked, "eta": factor * eta}
        yield from _tuned(theorem, asked)
    for label, other in others.items():
        names = {q.name for q in other.quantities}
        yield f"{label} ({other.name})", other, {n: v for n, v in asked.items() if n in names}


def _tuned(theorem: Theorem, asked: dict[str, Any]) -> Iterator[tuple[str, Theorem, dict[str, Any]]]:
    """The steps that the theorem likes best."""
    names = {q.name for q in theorem.quantities}
    for over in ("eta,eta_s", "eta"):
        if not set(over.split(",")) <= names:
            continue
        try:
            best = tune(theorem, over, **{n: v for n, v in asked.items() if n not in over.split(",")})
        except BoundkitError:
            continue
        if best.monotone is not None:
            continue
        steps = {name: float(value) for name, value in best.values.items()}
        words = ", ".join(f"{name} = {value:.3g}" for name, value in steps.items())
        yield f"{words} (the best inside the condition)", theorem, {**asked, **steps}
        return
