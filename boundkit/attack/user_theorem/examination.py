"""Everything at once about a theorem: without a run, against runs, and against wrong versions of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

import numpy as np

from boundkit.algebra import Theorem
from boundkit.analysis.check import check
from boundkit.attack.falsification import Falsification
from boundkit.attack.falsify import falsify
from boundkit.attack.mutation import Mutation, mutate
from boundkit.attack.mutation.measurements import Ground, Held, of_evidence
from boundkit.attack.mutation.mutant_search import endless
from boundkit.attack.stored_instances import runs
from boundkit.attack.user_theorem.counterexample import counterexample, refuted
from boundkit.attack.user_theorem.page import Page
from boundkit.attack.user_theorem.rates import rates
from boundkit.attack.user_theorem.reductions import stated, suggested, vanishing
from boundkit.simulation.run import Run
from boundkit.verification.verdict import Verdict
from boundkit.verification.verifier import verify

STARTS = 8
"""At most so many kept runs of other theorems are looked at first."""
Tell = Callable[[int, int], None]


def own(
    theorem: Theorem,
    known: Mapping[str, Theorem],
    *,
    budget: float = 20.0,
    evaluations: int | None = None,
    seed: int = 0,
    progress: Tell | None = None,
) -> Page:
    """All that can be found out about a theorem; ``known`` holds the theorems to hold it beside, by name.

    ``budget``: seconds, half for its worst instance and half for its mutants. ``evaluations``: so many
    instances instead, the same on every machine. Where an instance breaks the bound, also one
    of a default check, mutants are left out: they ask whether a true theorem would have been told from a
    wrong one. Where the search finds it, so are slopes.
    """
    report = check(theorem, known)
    becomes = (*stated(theorem, known), *suggested(theorem, known))
    found = falsify(
        theorem, budget=budget / 2, evaluations=evaluations, seed=seed, starts=starts(theorem, known),
        progress=progress,
    )  # fmt: skip
    verdict: Verdict | None = None
    mutants: Mutation | None = None
    left_out: dict[str, str] = {}
    if found.answer in ("not broken", "undecided"):
        verdict = verify(theorem, quick=True, slopes=True, seed=seed)
        found = counterexample(found, verdict)
    if found.answer == "not broken":
        mutants = mutate(
            theorem, known, budget=budget / 2, evaluations=evaluations, seed=seed, held=_held(found),
            progress=progress,
        )  # fmt: skip
        if mutants.above is not None:
            found, mutants = refuted(found, mutants.finding()), None
    if found.answer == "not broken":
        found = replace(found, needs=with_endless(found))
    if found.answer == "violated" and verdict is not None:
        left_out["wrong versions"] = "the bound itself is broken, so that they would say nothing."
    elif found.answer == "undecided":
        left_out["wrong versions"] = "whether the bound itself is broken is undecided."
    elif found.answer == "violated":
        left_out["slopes and wrong versions"] = "the bound itself is broken, so that they would say nothing."
    return Page(
        theorem, report, becomes, vanishing(theorem), rates(theorem, known), found, verdict, mutants, left_out
    )


def starts(theorem: Theorem, known: Mapping[str, Theorem]) -> list[Run]:
    """The worst instances that are kept of theorems about the same algorithm, those of the same claim first.

    One of each theorem, of its bound, and at most eight.
    """
    others = [t for t in known.values() if t.algorithm == theorem.algorithm and t.name != theorem.name]
    others.sort(key=lambda other: other.claim != theorem.claim)
    return [run for other in others for run in runs(other)[:1]][:STARTS]


def with_endless(found: Falsification) -> dict[str, float]:
    """How much of each term was needed, of infinitely many clients too: a noise drift shows nowhere else."""
    theorem, needs = found.theorem, dict(found.needs)
    pieces = tuple(endless(theorem))
    if theorem.kind != "upper" or not pieces:
        return needs
    ground = Ground(theorem, pieces)
    for label in theorem.bound.terms:
        most = max((float(share) for share in ground.shares(label) if np.isfinite(share)), default=0.0)
        if most > needs.get(label, 0.0):
            needs[label] = most
    return needs


def _held(found: Falsification) -> list[Held]:
    """What the search measured, to be held against mutants too."""
    if found.attack is None:
        return []
    needed = {q.name for q in found.theorem.quantities}
    pieces = [piece for piece in found.attack.pool.pieces if needed <= set(piece.values)]
    return [of_evidence(piece, "falsifier") for piece in pieces]
