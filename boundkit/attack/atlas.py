"""The tightness atlas: how much of every bound, and of every term's constant, some instance needs.

A term's share is (measured - all other terms)/term, the largest over instances. A constant that is k times
smaller, k = 1/share, would be too small on that instance: so it could be at most k times smaller. Where no
instance has a positive share nothing is shown, which is no proof that the term could be left out.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from boundkit.algebra import Theorem
from boundkit.attack.equality import equality
from boundkit.attack.evidence import Pool
from boundkit.attack.setting import setting
from boundkit.verify.demonstrated import Demonstrated, read_result

NAME = "atlas"
SHOWS = "How much of every bound, and of every term's constant, some instance needs."
ATTAINED = 0.99
"""From here on an instance attains the bound."""
SHOWN = 1e-9
"""A smaller share is rounding."""

OPEN = "its constants are open"
NOBODY = "no instance is kept that speaks of it"
ABSENT = "no kept instance inside the conditions has this term"
COVERED = "on every kept instance the other terms alone are more than what was measured"
SEVERAL = "terms of a lower bound are not taken apart"


@dataclass(frozen=True)
class Tight:
    """ratio: the largest measured/bound of a kept instance, and bound/measured of a lower bound.

    smaller: 1/ratio, so many times smaller the whole bound could be at most (a lower bound: larger).
    attained: ratio is at least 0.99. sampled: the low end of a 99 % interval of replicas, not exact.
    instance: its setting. equality: where it is known on paper. silent: why there is no ratio.
    """

    theorem: str
    algorithm: str
    kind: str
    ratio: float | None
    smaller: float | None
    attained: bool
    sampled: bool
    instance: str
    equality: str
    silent: str


@dataclass(frozen=True)
class Need:
    """share: the largest (measured - all other terms)/term; smaller: 1/share. silent: why there is none."""

    theorem: str
    term: str
    cause: str
    share: float | None
    smaller: float | None
    sampled: bool
    instance: str
    silent: str


@dataclass(frozen=True)
class Atlas:
    """A row a theorem, and a row a term, in the order of the catalogue."""

    theorems: list[Tight]
    terms: list[Need]


def atlas(theorems: Iterable[Theorem], pools: Mapping[str, Pool]) -> Atlas:
    """The atlas of what these instances, by the theorem's name, say."""
    rows: list[Tight] = []
    terms: list[Need] = []
    for theorem in theorems:
        pool = pools.get(theorem.name, Pool([]))
        rows.append(_tight(theorem, pool))
        terms += [_need(theorem, label, pool, rows[-1]) for label in theorem.bound.terms]
    return Atlas(rows, terms)


def record(progress: Callable[[int, int], None] | None = None) -> Demonstrated:
    """The atlas of the catalogue, from the worst instances that are kept, which are replayed."""
    from boundkit.attack.kept import replayed
    from boundkit.theorems import catalogue

    theorems = catalogue()
    pools = {}
    for done, (name, theorem) in enumerate(theorems.items()):
        if progress is not None:
            progress(done, len(theorems))
        if theorem.kind != "order":
            pools[name] = replayed(theorem)
    return read_result(NAME, SHOWS, atlas(theorems.values(), pools))


def _tight(theorem: Theorem, pool: Pool) -> Tight:
    known = (theorem.name, theorem.algorithm, theorem.kind)
    if theorem.kind == "order" or not pool.pieces:
        return Tight(*known, None, None, False, False, "", "", OPEN if theorem.kind == "order" else NOBODY)
    score, sampled, instance = _largest(theorem, pool, pool.ratios(theorem))
    if score is None:
        return Tight(*known, None, None, False, False, "", equality(theorem), NOBODY)
    return Tight(*known, score, _smaller(score), score >= ATTAINED, sampled, instance, equality(theorem), "")


def _need(theorem: Theorem, label: str, pool: Pool, whole: Tight) -> Need:
    known = (theorem.name, label, theorem.bound.terms[label].cause)
    if whole.ratio is None:
        return Need(*known, None, None, False, "", whole.silent)
    if len(theorem.terms) == 1:
        return Need(*known, whole.ratio, whole.smaller, whole.sampled, whole.instance, "")
    if theorem.kind == "lower":
        return Need(*known, None, None, False, "", SEVERAL)
    score, sampled, instance = _largest(theorem, pool, pool.shares(theorem, label))
    if score is None or score <= SHOWN:
        return Need(*known, None, None, False, "", ABSENT if score is None else COVERED)
    return Need(*known, score, _smaller(score), sampled, instance, "")


def _smaller(score: float) -> float | None:
    return 1 / score if score > SHOWN else None


def _largest(theorem: Theorem, pool: Pool, scores: NDArray[np.float64]) -> tuple[float | None, bool, str]:
    """The largest score, whether chance had a part in it, and the setting."""
    if not scores.size or np.isnan(scores).all():
        return None, False, ""
    place = int(np.nanargmax(scores))
    owner = int(pool.owner[place])
    piece = pool.pieces[owner]
    first = int(np.searchsorted(pool.owner, owner))
    return float(scores[place]), piece.random, setting(theorem, piece, place - first)
