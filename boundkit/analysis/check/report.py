"""What the checks of a theorem found."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Any, Literal

from boundkit.report.html import heading, html_table

Outcome = Literal["pass", "fail", "not applicable"]

_MARKS = {"pass": "pass", "fail": "FAIL", "not applicable": "n/a"}


@dataclass(frozen=True)
class Finding:
    """One check by name, what came out, and why, in one sentence."""

    check: str
    outcome: Outcome
    why: str


@dataclass(frozen=True, repr=False)
class Report:
    """The findings on one theorem, in the order of the checks. True where none of them fails."""

    theorem: str
    findings: tuple[Finding, ...]

    def __bool__(self) -> bool:
        return not self.failures

    @property
    def failures(self) -> tuple[Finding, ...]:
        """The findings that fail."""
        return tuple(f for f in self.findings if f.outcome == "fail")

    def finding(self, check: str) -> Finding:
        """The finding of one check. Raises KeyError for a name that is none."""
        return {f.check: f for f in self.findings}[check]

    def headline(self) -> str:
        """How many checks passed, fell short and did not apply."""
        count = Counter(f.outcome for f in self.findings)
        parts = [f"{count['pass']} checks passed"]
        parts += [f"{count['fail']} failed"] if count["fail"] else []
        parts += [f"{count['not applicable']} not applicable"] if count["not applicable"] else []
        return f"{self.theorem}: {', '.join(parts)}"

    def to_text(self) -> str:
        """A line a check, under a headline."""
        width = max((len(f.check) for f in self.findings), default=0)
        lines = [f"  {_MARKS[f.outcome]:<4}  {f.check:<{width}}  {f.why}" for f in self.findings]
        return "\n".join([self.headline(), *lines])

    def to_dict(self) -> dict[str, Any]:
        """The same for a machine."""
        return {
            "theorem": self.theorem,
            "passed": bool(self),
            "checks": [{"check": f.check, "outcome": f.outcome, "why": f.why} for f in self.findings],
        }

    def __repr__(self) -> str:
        return self.to_text()

    def _repr_html_(self) -> str:
        rows = [[f.check, f.outcome, f.why] for f in self.findings]
        return heading(self.headline()) + html_table(["check", "outcome", "why"], rows)


@dataclass(frozen=True)
class Found:
    """What one check says, before its name is put to it."""

    outcome: Outcome
    why: str


def passed(why: str) -> Found:
    """It holds."""
    return Found("pass", why)


def failed(why: str) -> Found:
    """It does not hold."""
    return Found("fail", why)


def skipped(why: str) -> Found:
    """There is nothing to check."""
    return Found("not applicable", why)
