"""Try to break a theorem: search its class for the worst instance, confirm it, and make it small."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from boundkit.algebra import Theorem
from boundkit.attack.confirmation import answered
from boundkit.attack.falsification import Answer, Falsification
from boundkit.attack.objectives import BOUND
from boundkit.attack.search import Progress, search
from boundkit.attack.search_result import Attack
from boundkit.attack.shrink import Allowance
from boundkit.attack.stored_instances import runs
from boundkit.simulation.run import Run
from boundkit.verification.engine_options import Machine
from boundkit.verification.order_level import up_to_constants
from boundkit.verification.unsupported_theorems import beyond

SHARE, LEAST = 0.2, 1.0
"""The part of the budget that goes to a smaller instance, and the least of it, in seconds."""
_EACH = 50.0
"""Where instances are counted in place of seconds: what shrinking may cost for each, about milliseconds."""


def falsify(
    theorem: Theorem,
    *,
    budget: float = 20.0,
    evaluations: int | None = None,
    seed: int = 0,
    starts: Sequence[Run] | None = None,
    machine: Machine | None = None,
    smaller: bool = True,
    progress: Progress | None = None,
    interruptible: bool = False,
) -> Falsification:
    """The worst instance of the theorem's class that the budget finds, and whether it breaks the theorem.

    ``budget``: seconds; ``evaluations``: so many instances instead. ``starts``: runs to begin from; None for
    the worst that are kept in the package. ``smaller``: whether the worst instance is shrunk to one that can
    be read, in a fifth of the budget. ``interruptible``: whether Ctrl-C ends it with the answer so far, in
    place of raising.
    """
    out_of_reach = beyond(theorem)
    if out_of_reach:
        said = f"Nothing here can hold it against a run: {'; '.join(out_of_reach)}."
        return Falsification(theorem, "not applicable", said)
    known = runs(theorem) if starts is None else starts
    attack = search(
        theorem, budget=(1 - SHARE) * budget if smaller else budget, evaluations=evaluations, seed=seed,
        starts=known, machine=machine, progress=progress, interruptible=interruptible,
    )  # fmt: skip
    try:
        return _come_to(attack, machine, _allowance(budget, evaluations) if smaller else None)
    except KeyboardInterrupt:
        if not interruptible:
            raise
        return _come_to(replace(attack, interrupted=True), machine, None)


def _allowance(budget: float, evaluations: int | None) -> Allowance:
    if evaluations is None:
        return Allowance(seconds=max(LEAST, SHARE * budget))
    return Allowance(price=_EACH * evaluations)


def _come_to(attack: Attack, machine: Machine | None, allowance: Allowance | None) -> Falsification:
    if attack.theorem.kind == "order":
        return _up_to_constants(attack, machine)
    if BOUND not in attack.best:
        said = f"No instance was found of which it speaks: {_commonest(attack)}."
        return Falsification(attack.theorem, "not applicable", said, attack=attack)
    return answered(attack, machine, allowance)


def _up_to_constants(attack: Attack, machine: Machine | None) -> Falsification:
    theorem, find = attack.theorem, attack.best.get(BOUND)
    answer: Answer = "not broken" if find is not None else "not applicable"
    reason = "It was interrupted before its rates were looked at."
    if not attack.interrupted:
        verdict = up_to_constants(theorem, machine or Machine(), attack.seed, quick=True)
        reason = verdict.reason
        if verdict.answer != "not applicable":
            answer = "violated" if verdict.answer == "violated" else "not broken"
    if find is None:
        return Falsification(theorem, answer, reason, attack=attack)
    said = f"If its open constants are all alike, they are at least {find.score:.6g}. {reason}"
    return Falsification(
        theorem, answer, said, None, None, find.evidence, find.run, constants=find.score, attack=attack
    )


def _commonest(attack: Attack) -> str:
    return max(attack.refused, key=lambda r: attack.refused[r], default="nothing was tried").rstrip(".")
