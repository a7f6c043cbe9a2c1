"""From what a search found to an answer: fresh seeds for what was sampled, and a smaller instance."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from boundkit.algebra import BoundkitError, Theorem
from boundkit.attack.aims import BOUND, bound_aim
from boundkit.attack.evidence import Evidence
from boundkit.attack.falsification import Falsification
from boundkit.attack.found import Attack, Find
from boundkit.attack.search import REPLICAS
from boundkit.attack.sequential import Confirmation, confirm
from boundkit.attack.shrink import Allowance, Shrunk, shrink
from boundkit.attack.swift import Swift
from boundkit.verify.checks.upper import ROUNDING
from boundkit.verify.machine import Machine
from boundkit.verify.runfile import run_from_spec

CANDIDATES = 4
"""How many sampled candidates above 1 are looked at again."""
_CLOSE = 1e-6


def answered(attack: Attack, machine: Machine | None, allowance: Allowance | None) -> Falsification:
    """What an attack that found something for the bound comes to.

    ``allowance``: for a smaller instance; None leaves it as it was found. Of an interrupted attack nothing
    more is run, so that a sampled ratio above 1 remains unconfirmed.
    """
    theorem, find = attack.theorem, attack.best[BOUND]
    others = {name: found for name, found in attack.best.items() if name != BOUND}
    found = Falsification(
        theorem, "violated" if find.score > 1 + ROUNDING else "not broken",
        f"The largest ratio found is {find.score:.6g}.",
        _as_verified(theorem, find.evidence, find.score, find.horizon), None, find.evidence, find.run,
        {name: other.score for name, other in others.items()},
        {name: other.run for name, other in others.items()}, attack=attack,
    )  # fmt: skip
    if find.evidence.random:
        return _sampled(found, machine, allowance)
    if attack.interrupted or allowance is None:
        return found
    small = _cut(theorem, find, machine, allowance)
    if small is None:
        return found
    said = f"The largest ratio found is {find.score:.6g}, and {small.score:.6g} on a smaller instance."
    seen = small.evidence
    ratio = _as_verified(theorem, seen, small.score, seen.horizons[-1])
    return replace(found, reason=said, ratio=ratio, worst=seen, run=seen.run.to_json())


def _as_verified(theorem: Theorem, seen: Evidence, score: float, horizon: float) -> float:
    """The ratio as ``boundkit verify`` has it, which takes nothing off for rounding, unless that is much."""
    if seen.random or not np.isfinite(score):
        return score
    plain = replace(seen, zero=0.0).ratios(theorem)[seen.horizons == horizon]
    return float(plain[-1]) if plain.size and abs(plain[-1] - score) <= _CLOSE * abs(score) else score


def _sampled(found: Falsification, machine: Machine | None, allowance: Allowance | None) -> Falsification:
    """The answer where the worst run is sampled: above 1 it counts once fresh seeds say so as well."""
    theorem, attack = found.theorem, found.attack
    assert attack is not None
    if found.answer == "not broken":
        return replace(found, reason=f"{found.reason} It is sampled, and stays as it was found.")
    if attack.interrupted:
        said = f"The search saw {found.ratio:.6g} on sampled runs, and fresh seeds were not asked any more."
        return replace(found, answer="not broken", reason=said)
    told = _confirmed(attack, machine)
    if told is None or told[1].decision != "violated":
        ratio = found.ratio if told is None else told[1].ratio
        said = f"What the search saw above 1 was not there again on fresh seeds: the ratio is {ratio:.6g}."
        return replace(found, answer="not broken", reason=said, ratio=ratio)
    find, confirmed = told
    left = " It stays as it was found."
    small = None if allowance is None else _cut(theorem, find, machine or Swift(replicas=REPLICAS), allowance)
    if small is not None:
        again = _asked_again(theorem, small, machine)
        if again is not None and again.decision == "violated":
            confirmed, left = again, ""
    least = f"at least {confirmed.low:.6g} at the level {confirmed.alpha:g}"
    return replace(
        found, reason=f"The ratio is {confirmed.ratio:.6g} on fresh seeds, {least}.{left}",
        ratio=confirmed.ratio, interval=(confirmed.low, confirmed.high), worst=confirmed.evidence,
        run=confirmed.evidence.run.to_json(),
    )  # fmt: skip


def _confirmed(attack: Attack, machine: Machine | None) -> tuple[Find, Confirmation] | None:
    """The first sampled candidate above 1 that fresh seeds confirm, or the last that they do not."""
    theorem, found = attack.theorem, None
    for place, find in enumerate(attack.candidates[:CANDIDATES]):
        if find.score <= 1 + ROUNDING:
            break
        run = run_from_spec(theorem.algorithm, find.run)
        try:
            found = find, confirm(theorem, run, candidate=place + 1, machine=machine)
        except BoundkitError:
            continue
        if found[1].decision == "violated":
            return found
    return found


def _asked_again(theorem: Theorem, small: Shrunk, machine: Machine | None) -> Confirmation | None:
    try:
        return confirm(theorem, small.evidence.run, candidate=CANDIDATES + 1, machine=machine)
    except BoundkitError:
        return None


def _cut(theorem: Theorem, find: Find, machine: Machine | None, allowance: Allowance) -> Shrunk | None:
    """A smaller instance; None where there is none, or where the plan itself is not there any more."""
    if find.plan is None:
        return None
    plan = replace(find.plan, rounds=find.run["rounds"])
    try:
        return shrink(theorem, plan, bound_aim(theorem), machine, allowance)
    except (BoundkitError, ArithmeticError, np.linalg.LinAlgError):
        return None
