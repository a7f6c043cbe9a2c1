"""Examination of a user's theorem: static checks, runs, slopes and mutants, in one result."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from boundkit.algebra import BoundkitError, Theorem
from boundkit.analysis.check import CheckResult, check
from boundkit.analysis.evaluate import evaluate
from boundkit.analysis.statement import statement
from boundkit.attack.exact_instances import measure_infinite_clients
from boundkit.attack.falsification import Falsification
from boundkit.attack.falsify import falsify
from boundkit.attack.measurement import Measurement, measurement_of_evidence
from boundkit.attack.mutation import Mutation, mutate
from boundkit.attack.mutation.measurements import Measurements
from boundkit.attack.stored_instances import stored_runs
from boundkit.attack.user_theorem.counterexample import add_counterexample, mark_violated
from boundkit.attack.user_theorem.rates import Rates, compare_rates
from boundkit.attack.user_theorem.reductions import (
    CheckedReduction,
    check_stated,
    find_vanishing_terms,
    suggest_reductions,
)
from boundkit.attack.user_theorem.sections import headline, sections, undetected
from boundkit.report import Code, Heading, Listing, Report, Reported
from boundkit.simulation.run import Run
from boundkit.simulation.run_file import run_from_spec
from boundkit.verification.record import Record, as_record
from boundkit.verification.verdict import Verdict
from boundkit.verification.verifier import verify

STARTS = 8
"""Largest number of stored runs of other theorems with which the search begins."""
UNDECIDED = ("not tested", "undecided")


@dataclass(frozen=True, repr=False)
class Examination(Reported):
    """Result of all tests of one theorem.

    Attributes
    ----------
    static : checks without a run.
    reductions : stated and suggested reductions to known theorems.
    vanishing : labels of the vanishing terms, by condition.
    rates : rate of the tuned bound, compared with known theorems.
    falsification : result of the search for a counterexample.
    verdict : default instances and slopes; None where they were skipped.
    mutants : outcomes of the mutants; None where they were skipped.
    skipped : reason of every skipped test, by its name.
    replay : the command that evaluates the worst run again.
    """

    theorem: Theorem
    static: CheckResult
    reductions: tuple[CheckedReduction, ...]
    vanishing: dict[str, tuple[str, ...]]
    rates: Rates
    falsification: Falsification
    verdict: Verdict | None = None
    mutants: Mutation | None = None
    skipped: dict[str, str] = field(default_factory=dict)
    replay: str = ""

    def __bool__(self) -> bool:
        """Whether no test failed and no violation is undecided."""
        return not self.failures and self.falsification.answer != "undecided"

    @property
    def violated(self) -> bool:
        """Whether an instance violates the bound."""
        return self.falsification.answer == "violated"

    @property
    def worst_values(self) -> str | None:
        """Measured value and bound at the worst instance, as a sentence; None without such an instance."""
        result = self.falsification
        if result.worst is None or result.ratio is None:
            return None
        totals = evaluate(self.theorem.bound.total, result.worst.values)
        measured = float(result.worst.measured[-1])
        bound = float(np.broadcast_to(totals, result.worst.measured.shape)[-1])
        quotient = "bound/measured" if self.theorem.kind == "lower" else "measured/bound"
        ratio = f", so that {quotient} is {result.ratio:.4g}" if 0 < bound < np.inf else ""
        return f"at worst {measured:.4g} was measured where the bound is {bound:.4g}{ratio}."

    @property
    def failures(self) -> tuple[str, ...]:
        """One sentence for each failed test."""
        failures = [f"{f.check}: {f.why}" for f in self.static.failures]
        if self.violated:
            failures.append(f"bound: {self.worst_values or self.falsification.reason}")
        if self.verdict is not None:
            failures += [f"{c.name}: {c.sentence}" for c in self.verdict.checks if c.outcome == "violated"]
        return tuple(failures)

    @property
    def untested(self) -> tuple[tuple[str, str], ...]:
        """Names of the tests without a result, with reasons."""
        reasons = dict(self.skipped)
        if self.falsification.answer in ("not applicable", "undecided"):
            reasons["runs"] = self.falsification.reason
        if self.verdict is not None:
            reasons |= {c.name: c.sentence for c in self.verdict.checks if c.outcome in UNDECIDED}
        if self.rates.rate is None:
            reasons["rate"] = self.rates.reason
        return tuple(reasons.items())

    def with_run_file(self, target: str, path: str) -> Examination:
        """Return the same, its worst run written at ``path``; ``target``: the theorem, as verify takes it."""
        falsification = replace(self.falsification, path=path)
        return replace(self, replay=f"boundkit verify {target} {path}", falsification=falsification)

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON of ``boundkit check``, without NaN."""
        return self.static.to_dict() | {
            "passed": bool(self),
            "failed": list(self.failures),
            "untested": [{"what": what, "why": why} for what, why in self.untested],
            "statement": statement(self.theorem),
            "becomes": [
                {
                    "to": r.to, "when": r.when, "factors": dict(r.factors), "leaves": list(r.leaves),
                    "stated": r.stated, "holds": r.holds, "objection": r.objection or None, "code": r.code,
                }
                for r in self.reductions
            ],
            "vanishing": {when: list(labels) for when, labels in self.vanishing.items()},
            "rates": self.rates.to_dict(),
            "falsified": self.falsification.to_dict(),
            "verdict": None if self.verdict is None else self.verdict.to_dict(),
            "mutants": None if self.mutants is None else self.mutants.to_dict(),
        }  # fmt: skip

    def report(self) -> Report:
        """The answer, the failures, the worst instance and the mistakes that would not have been detected."""
        return Report(
            (
                Heading(headline(self)),
                Listing("Failed", self.failures),
                Listing("Not detected", undetected(self)),
                Listing("Not tested", [f"{name}: {reason}" for name, reason in self.untested]),
                Code("Replay the worst instance", [self.replay] if self.replay else []),
            )
        )

    def to_page(self) -> str:
        """Return the summary and all sections, for a terminal."""
        return "\n\n".join([headline(self), *(s.to_text() for s in sections(self))])


def examine(
    theorem: Theorem,
    catalogue: Mapping[str, Theorem],
    *,
    budget: float = 20.0,
    evaluations: int | None = None,
    seed: int = 0,
    progress: Callable[[int, int], None] | None = None,
) -> Examination:
    """Run every test on a theorem.

    Mutants are skipped where an instance violates the bound itself, since they test whether the tests tell a
    true theorem from a false one. Slopes are skipped as well where the search finds that instance.

    Parameters
    ----------
    catalogue : the theorems with which it is compared, by name.
    budget : seconds, half for the search of the worst instance and half for the mutants.
    evaluations : number of instances instead of the budget, which is the same on every machine.
    """
    static = check(theorem, catalogue)
    reductions = (*check_stated(theorem, catalogue), *suggest_reductions(theorem, catalogue))
    result = falsify(
        theorem, budget=budget / 2, evaluations=evaluations, seed=seed,
        starts=initial_runs(theorem, catalogue), progress=progress,
    )  # fmt: skip
    verdict: Verdict | None = None
    mutants: Mutation | None = None
    skipped: dict[str, str] = {}
    if result.answer in ("not broken", "undecided"):
        verdict = verify(theorem, quick=True, slopes=True, seed=seed)
        result = add_counterexample(result, verdict)
    if result.answer == "not broken":
        mutants = mutate(
            theorem, catalogue, budget=budget / 2, evaluations=evaluations, seed=seed,
            measurements=_measurements(result), progress=progress,
        )  # fmt: skip
        if mutants.above is not None:
            result, mutants = mark_violated(result, mutants.finding()), None
    if result.answer == "not broken":
        result = replace(result, needs=needs_with_infinite_clients(result))
    if result.answer == "violated" and verdict is not None:
        skipped["wrong versions"] = "the bound itself is violated, so that they would have no meaning."
    elif result.answer == "undecided":
        skipped["wrong versions"] = "whether the bound itself is violated is undecided."
    elif result.answer == "violated":
        skipped["slopes and wrong versions"] = (
            "the bound itself is violated, so that they would have no meaning."
        )
    return Examination(
        theorem, static, reductions, find_vanishing_terms(theorem), compare_rates(theorem, catalogue),
        result, verdict, mutants, skipped,
    )  # fmt: skip


def initial_runs(theorem: Theorem, catalogue: Mapping[str, Theorem]) -> list[Run]:
    """Return stored worst runs of theorems about the same algorithm, those of the same claim first.

    One run of each theorem, that of its bound, and at most ``STARTS``.
    """
    others = [t for t in catalogue.values() if t.algorithm == theorem.algorithm and t.name != theorem.name]
    others.sort(key=lambda other: other.claim != theorem.claim)
    return [run for other in others for run in stored_runs(other)[:1]][:STARTS]


def needs_with_infinite_clients(result: Falsification) -> dict[str, float]:
    """Return the necessary share of each term, with infinitely many clients among the instances.

    A noise drift shows on no other instance.
    """
    theorem, needs = result.theorem, dict(result.needs)
    pieces = tuple(measure_infinite_clients(theorem))
    if theorem.kind != "upper" or not pieces:
        return needs
    measurements = Measurements(theorem, pieces)
    for label in theorem.bound.terms:
        most = max((float(share) for share in measurements.shares(label) if np.isfinite(share)), default=0.0)
        if most > needs.get(label, 0.0):
            needs[label] = most
    return needs


def worst_record(examination: Examination) -> Record | None:
    """Verify the theorem on its worst run; None where there is no curve to draw."""
    spec = examination.falsification.run
    if spec is None:
        return None
    try:
        run = run_from_spec(examination.theorem.algorithm, spec)
        verdict = verify(examination.theorem, run, slopes=False)
    except BoundkitError:
        return None
    return None if verdict.curves is None else as_record(verdict)


def _measurements(result: Falsification) -> list[Measurement]:
    """Return the measurements of the search, with which mutants are compared too."""
    if result.search is None:
        return []
    names = {q.name for q in result.theorem.quantities}
    pieces = [piece for piece in result.search.pool.pieces if names <= set(piece.values)]
    return [measurement_of_evidence(piece, "falsifier") for piece in pieces]
