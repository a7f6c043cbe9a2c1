"""Try to break a theorem: search its class for the worst instance, confirm it, and make it small."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from boundkit.algebra import BoundkitError, Theorem
from boundkit.attack.aims import BOUND, bound_aim
from boundkit.attack.falsification import Answer, Falsification
from boundkit.attack.kept import runs
from boundkit.attack.search import Attack, Progress, search
from boundkit.attack.sequential import Confirmation, confirm
from boundkit.attack.shrink import shrink
from boundkit.verify.beyond import beyond
from boundkit.verify.checks.upper import ROUNDING
from boundkit.verify.machine import Machine
from boundkit.verify.run import Run
from boundkit.verify.runfile import run_from_spec
from boundkit.verify.up_to_constants import up_to_constants

CANDIDATES = 4
"""How many sampled candidates above 1 are looked at again."""


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
) -> Falsification:
    """The worst instance of the theorem's class that the budget finds, and whether it breaks the theorem.

    ``budget``: seconds of search; ``evaluations``: so many instead. ``starts``: runs to begin from; None
    for the worst that are kept in the package.
    ``smaller``: whether the worst instance is shrunk to one that can be read.
    """
    out_of_reach = beyond(theorem)
    if out_of_reach:
        said = f"Nothing here can hold it against a run: {'; '.join(out_of_reach)}."
        return Falsification(theorem, "not applicable", said)
    known = runs(theorem) if starts is None else starts
    attack = search(
        theorem, budget=budget, evaluations=evaluations, seed=seed, starts=known, machine=machine,
        progress=progress,
    )  # fmt: skip
    if theorem.kind == "order":
        return _up_to_constants(theorem, attack, machine, seed)
    if BOUND not in attack.best:
        said = f"No instance was found of which it speaks: {_commonest(attack)}."
        return Falsification(theorem, "not applicable", said, attack=attack)
    seconds = 0.0 if not smaller else np.inf if evaluations is not None else max(1.0, budget / 5)
    return _answered(theorem, attack, machine, seconds)


def _answered(theorem: Theorem, attack: Attack, machine: Machine | None, seconds: float) -> Falsification:
    """``seconds``: how long shrinking may take, 0 for none."""
    find = attack.best[BOUND]
    needs = {name: found.score for name, found in attack.best.items() if name != BOUND}
    runs = {name: found.run for name, found in attack.best.items() if name != BOUND}
    seen, ratio, run = find.evidence, find.score, find.run
    interval: tuple[float, float] | None = None
    answer: Answer = "violated" if ratio > 1 + ROUNDING else "not broken"
    said = f"The largest ratio found is {ratio:.6g}"
    if answer == "violated" and seen.random:
        confirmed = _confirmed(theorem, attack, machine)
        if confirmed is None or confirmed.decision != "violated":
            answer = "not broken"
            ratio = ratio if confirmed is None else confirmed.ratio
            said = f"What the search saw above 1 was not there again on fresh seeds: the ratio is {ratio:.6g}"
        else:
            ratio, interval, seen = confirmed.ratio, (confirmed.low, confirmed.high), confirmed.evidence
            least = f"at least {confirmed.low:.6g} at the level {confirmed.alpha:g}"
            said = f"The ratio is {ratio:.6g} on fresh seeds, {least}"
            run = seen.run.to_json()
    if seconds and find.plan is not None and not seen.random:
        small = shrink(
            theorem, replace(find.plan, rounds=run["rounds"]), bound_aim(theorem), machine, seconds=seconds
        )
        seen, ratio, run = small.evidence, small.score, small.evidence.run.to_json()
        said = f"The largest ratio found is {find.score:.6g}, and {ratio:.6g} on a smaller instance"
    return Falsification(theorem, answer, said + ".", ratio, interval, seen, run, needs, runs, attack=attack)


def _confirmed(theorem: Theorem, attack: Attack, machine: Machine | None) -> Confirmation | None:
    """The first sampled candidate above 1 that fresh seeds confirm, or the last that they do not."""
    found = None
    for place, find in enumerate(attack.candidates[:CANDIDATES]):
        if find.score <= 1 + ROUNDING:
            break
        try:
            found = confirm(
                theorem, run_from_spec(theorem.algorithm, find.run), candidate=place + 1, machine=machine
            )
        except BoundkitError:
            continue
        if found.decision == "violated":
            return found
    return found


def _up_to_constants(theorem: Theorem, attack: Attack, machine: Machine | None, seed: int) -> Falsification:
    verdict = up_to_constants(theorem, machine or Machine(), seed, quick=True)
    find = attack.best.get(BOUND)
    answer: Answer = "violated" if verdict.answer == "violated" else "not broken"
    if find is None:
        answer = "not applicable" if verdict.answer == "not applicable" else answer
        return Falsification(theorem, answer, verdict.reason, attack=attack)
    said = f"If its open constants are all alike, they are at least {find.score:.6g}. {verdict.reason}"
    return Falsification(
        theorem, answer, said, None, None, find.evidence, find.run, constants=find.score, attack=attack
    )


def _commonest(attack: Attack) -> str:
    return max(attack.refused, key=lambda r: attack.refused[r], default="nothing was tried").rstrip(".")
