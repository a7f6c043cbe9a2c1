"""From what a search found to an answer: fresh seeds for what was sampled, and a smaller instance."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from boundkit.algebra import BoundkitError, Theorem
from boundkit.attack.evidence import Evidence
from boundkit.attack.evidence_batch import Pool
from boundkit.attack.falsification import Answer, Falsification
from boundkit.attack.fast_rounds import Swift
from boundkit.attack.nested_numbers import plan_of_run
from boundkit.attack.objectives import BOUND, bound_aim
from boundkit.attack.search import REPLICAS, truncated
from boundkit.attack.search_result import Attack, Find
from boundkit.attack.sequential_test import Confirmation, confirm
from boundkit.attack.shrink import Allowance, Shrunk, shrink
from boundkit.simulation.run_file import run_from_spec
from boundkit.verification.checks.upper_bound import ROUNDING
from boundkit.verification.engine_options import EngineOptions

CANDIDATES = 4
"""How many sampled candidates above 1 are looked at again."""
_CLOSE = 1e-6


def answered(attack: Attack, machine: EngineOptions | None, allowance: Allowance | None) -> Falsification:
    """What an attack that found something for the bound comes to.

    A fact above 1 comes first, then samples above 1, then what rests on estimated constants, which decides
    nothing. ``allowance``: for a smaller instance; None leaves it as it was found. Of an interrupted attack
    nothing more is run, so that a sampled ratio above 1 remains unconfirmed.
    """
    fact = fact_above(attack)
    find = attack.best[BOUND] if fact is None else fact
    found = _of(attack, find)
    if find.evidence.random:
        return _sampled(found, machine, allowance)
    if attack.interrupted or allowance is None:
        return _rests(found)
    small = _cut(attack.theorem, find, machine, allowance)
    if small is None:
        return _rests(found)
    return _rests(_with_smaller(found, find, small))


def _of(attack: Attack, find: Find) -> Falsification:
    others = {name: other for name, other in attack.best.items() if name != BOUND}
    return Falsification(
        attack.theorem, "violated" if find.score > 1 + ROUNDING else "not broken",
        f"The largest ratio found is {find.score:.6g}.",
        _as_verified(attack.theorem, find.evidence, find.score, find.horizon), None, find.evidence, find.run,
        {name: other.score for name, other in others.items()},
        {name: other.run for name, other in others.items()}, attack=attack,
    )  # fmt: skip


def _with_smaller(found: Falsification, find: Find, small: Shrunk) -> Falsification:
    """The smaller instance is shown, and the largest beside it where that is another."""
    seen = small.evidence
    ratio = _as_verified(found.theorem, seen, small.score, seen.horizons[-1])
    said, largest, run = f"The largest ratio found is {small.score:.6g}.", None, None
    if small.score < find.score:
        largest, run = found.ratio, found.run
        said = (
            f"The largest ratio found is {find.score:.6g}; the smaller instance below has {small.score:.6g}."
        )
    return replace(
        found, reason=said, ratio=ratio, worst=seen, run=seen.run.to_json(), largest=largest, largest_run=run
    )


def _rests(found: Falsification) -> Falsification:
    """Undecided where a ratio above 1 rests on constants that are estimated."""
    if found.answer != "violated" or not _guessed(found.worst):
        return found
    said = (
        f"{found.reason} That is above 1, but its constants are estimated, with an error that is not known."
    )
    return replace(found, answer="undecided", reason=said)


def _guessed(seen: Evidence | None) -> bool:
    return seen is not None and seen.trust == "estimated"


def fact_above(attack: Attack) -> Find | None:
    """The worst instance above 1 that is a fact: not sampled, its constants not estimated; or None."""
    for find in attack.candidates:
        if find.score > 1 + ROUNDING and not find.evidence.random and not _guessed(find.evidence):
            return find
    facts = Pool([one for one in attack.pool.pieces if not one.random and not _guessed(one)])
    score, seen = facts.worst(attack.theorem)
    if seen is None or not score > 1 + ROUNDING:
        return None
    horizon = float(seen.horizons[int(np.nanargmax(seen.ratios(attack.theorem)))])
    return Find(BOUND, score, seen, horizon, truncated(seen, horizon), "pool", plan_of_run(seen.run))


def _as_verified(theorem: Theorem, seen: Evidence, score: float, horizon: float) -> float:
    """The ratio as ``boundkit verify`` has it, which takes nothing off for rounding, unless that is much."""
    if seen.random or not np.isfinite(score):
        return score
    plain = replace(seen, zero=0.0).ratios(theorem)[seen.horizons == horizon]
    return float(plain[-1]) if plain.size and abs(plain[-1] - score) <= _CLOSE * abs(score) else score


def _sampled(
    found: Falsification, machine: EngineOptions | None, allowance: Allowance | None
) -> Falsification:
    """The answer where the worst run is sampled: above 1 it counts once fresh seeds say so as well."""
    theorem, attack = found.theorem, found.attack
    assert attack is not None
    if found.answer == "not broken":
        return replace(found, reason=f"{found.reason} It is sampled, and stays as it was found.")
    if attack.interrupted:
        said = f"The search saw {found.ratio:.6g} on sampled runs, and fresh seeds were not asked any more."
        return replace(found, answer="undecided", reason=said)
    told = _confirmed(attack, machine)
    if told is None:
        said = f"The search saw {found.ratio:.6g} on sampled runs, and no fresh seeds could be run."
        return replace(found, answer="undecided", reason=said)
    find, confirmed = told
    if confirmed.decision != "violated":
        return _unconfirmed(found, confirmed)
    left, small = " It stays as it was found.", None
    if allowance is not None:
        small = _cut(theorem, find, machine or Swift(replicas=REPLICAS), allowance)
    if small is not None:
        again = _asked_again(theorem, small, machine)
        if again is not None and again.decision == "violated":
            confirmed, left = again, ""
    least = f"at least {confirmed.low:.6g} at the level {confirmed.alpha:g}"
    said = f"The ratio is {confirmed.ratio:.6g} on fresh seeds, {least}.{left}"
    return _rests(_looked_at(found, confirmed, said))


def _unconfirmed(found: Falsification, last: Confirmation) -> Falsification:
    """What fresh seeds did not show: not there, or not decided by so many replicas."""
    answer: Answer = "not broken"
    said = f"What the search saw above 1 was not there again on fresh seeds: the ratio is {last.ratio:.6g}."
    if last.decision == "undecided":
        answer = "undecided"
        said = (
            f"On fresh seeds the ratio lies between {last.low:.6g} and {last.high:.6g} at the level "
            f"{last.alpha:g}: {last.replicas} replicas do not decide it."
        )
    return replace(_looked_at(found, last, said), answer=answer)


def _looked_at(found: Falsification, look: Confirmation, said: str) -> Falsification:
    """The answer with the run that was looked at, so that what is told is what is replayed."""
    return replace(
        found, reason=said, ratio=look.ratio, interval=(look.low, look.high), worst=look.evidence,
        run=look.evidence.run.to_json(),
    )  # fmt: skip


def _confirmed(attack: Attack, machine: EngineOptions | None) -> tuple[Find, Confirmation] | None:
    """The first sampled candidate above 1 that fresh seeds confirm; else an undecided one; else the first.

    Those whose constants are not estimated come first; a look at the others decides nothing.
    """
    theorem, looked = attack.theorem, list[tuple[Find, Confirmation]]()
    above = [find for find in attack.candidates if find.score > 1 + ROUNDING and find.evidence.random]
    above.sort(key=lambda find: _guessed(find.evidence))
    for place, find in enumerate(above[:CANDIDATES]):
        run = run_from_spec(theorem.algorithm, find.run)
        try:
            looked.append((find, confirm(theorem, run, candidate=place + 1, machine=machine)))
        except BoundkitError:
            continue
        if looked[-1][1].decision == "violated":
            return looked[-1]
    undecided = [each for each in looked if each[1].decision == "undecided"]
    return next(iter(undecided or looked), None)


def _asked_again(theorem: Theorem, small: Shrunk, machine: EngineOptions | None) -> Confirmation | None:
    try:
        return confirm(theorem, small.evidence.run, candidate=CANDIDATES + 1, machine=machine)
    except BoundkitError:
        return None


def _cut(theorem: Theorem, find: Find, machine: EngineOptions | None, allowance: Allowance) -> Shrunk | None:
    """A smaller instance; None where there is none, or where the plan itself is not there any more."""
    if find.plan is None:
        return None
    plan = replace(find.plan, rounds=find.run["rounds"])
    try:
        return shrink(theorem, plan, bound_aim(theorem), machine, allowance)
    except (BoundkitError, ArithmeticError, np.linalg.LinAlgError):
        return None
