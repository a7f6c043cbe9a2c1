"""Everything that was found out about a user's own theorem."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from boundkit.algebra import Theorem
from boundkit.analysis.check import Report
from boundkit.analysis.evaluate import evaluate
from boundkit.analysis.statement import statement
from boundkit.attack.evidence import Evidence
from boundkit.attack.falsification import Falsification
from boundkit.attack.mutation import Mutation
from boundkit.attack.user_theorem.rates import Rates
from boundkit.attack.user_theorem.reductions import Becoming
from boundkit.verification.verdict import Verdict


@dataclass(frozen=True)
class Page:
    """One theorem: its checks without a run, what it becomes, its rate, its worst instance, its mutants.

    ``verdict`` holds default instances and slopes. What was left out is None, with the reason in ``left_out``
    by its name. ``replay``: the command that holds the worst run against the theorem once more.
    """

    theorem: Theorem
    report: Report
    becomes: tuple[Becoming, ...]
    vanishing: dict[str, tuple[str, ...]]
    rates: Rates
    falsified: Falsification
    verdict: Verdict | None = None
    mutants: Mutation | None = None
    left_out: dict[str, str] = field(default_factory=dict)
    replay: str = ""

    def __bool__(self) -> bool:
        """Whether nothing failed, and nothing may that was seen above the bound."""
        return not self.failed and self.falsified.answer != "undecided"

    @property
    def broken(self) -> bool:
        """Whether an instance breaks the bound."""
        return self.falsified.answer == "violated"

    @property
    def faced(self) -> str | None:
        """Measured beside bound at the worst instance, as a sentence; None where there is none."""
        found = self.falsified
        if found.worst is None or found.ratio is None:
            return None
        measured, bound = float(found.worst.measured[-1]), _bound(self.theorem, found.worst)
        over = "bound/measured" if self.theorem.kind == "lower" else "measured/bound"
        ratio = f", so that {over} is {found.ratio:.4g}" if 0 < bound < np.inf else ""
        return f"at worst {measured:.4g} was measured where the bound is {bound:.4g}{ratio}."

    @property
    def failed(self) -> tuple[str, ...]:
        """What failed, a sentence each."""
        found = [f"{f.check}: {f.why}" for f in self.report.failures]
        if self.broken:
            found.append(f"bound: {self.faced or self.falsified.reason}")
        if self.verdict is not None:
            found += [f"{c.name}: {c.sentence}" for c in self.verdict.checks if c.outcome == "violated"]
        return tuple(found)

    @property
    def untested(self) -> tuple[tuple[str, str], ...]:
        """What could not be tested, and why."""
        found = dict(self.left_out)
        if self.falsified.answer in ("not applicable", "undecided"):
            found["runs"] = self.falsified.reason
        if self.verdict is not None:
            found |= {c.name: c.sentence for c in self.verdict.checks if c.outcome in _OPEN}
        if self.rates.law is None:
            found["rate"] = self.rates.reason
        return tuple(found.items())

    def kept_at(self, target: str, path: str) -> Page:
        """The same, its worst run written at ``path``; ``target`` is the theorem, as verify takes it."""
        return replace(
            self, replay=f"boundkit verify {target} {path}", falsified=replace(self.falsified, path=path)
        )

    def to_dict(self) -> dict[str, Any]:
        """For ``boundkit check --json``, without NaN."""
        return self.report.to_dict() | {
            "passed": bool(self),
            "failed": list(self.failed),
            "untested": [{"what": what, "why": why} for what, why in self.untested],
            "statement": statement(self.theorem),
            "becomes": [
                {
                    "to": b.to, "when": b.when, "factors": dict(b.factors), "leaves": list(b.leaves),
                    "stated": b.stated, "holds": b.holds, "objection": b.objection or None, "code": b.code,
                }
                for b in self.becomes
            ],
            "vanishing": {when: list(labels) for when, labels in self.vanishing.items()},
            "rates": self.rates.to_dict(),
            "falsified": self.falsified.to_dict(),
            "verdict": None if self.verdict is None else self.verdict.to_dict(),
            "mutants": None if self.mutants is None else self.mutants.to_dict(),
        }  # fmt: skip

    def to_text(self) -> str:
        """For a terminal: in short, then section by section."""
        from boundkit.attack.user_theorem.sections import headline, sections

        return "\n\n".join([headline(self), *(s.to_text() for s in sections(self))])

    def __repr__(self) -> str:
        return self.to_text()


def _bound(theorem: Theorem, seen: Evidence) -> float:
    return float(np.broadcast_to(evaluate(theorem.bound.total, seen.values), seen.measured.shape)[-1])


_OPEN = ("not tested", "undecided")
