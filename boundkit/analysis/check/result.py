"""Results of the checks of a theorem."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Literal

from boundkit.report import Heading, Report, Reported, Sentences, Table
from boundkit.report.formatting import join_names

Outcome = Literal["pass", "fail", "not applicable"]

_MARKS = {"pass": "pass", "fail": "FAIL", "not applicable": "n/a"}
FACTOR = 10
"""Factor of the changed constants that ``CheckResult.undetected`` names."""


@dataclass(frozen=True)
class Finding:
    """One check by name, what came out, and why, in one sentence."""

    check: str
    outcome: Outcome
    why: str


def _none() -> tuple[str, ...]:
    return ()


@dataclass(frozen=True, repr=False)
class CheckResult(Reported):
    """The findings on one theorem, in the order of the checks. True where none of them fails."""

    theorem: str
    findings: tuple[Finding, ...]
    kind: str = field(default="upper", compare=False)
    find_undetected: Callable[[], tuple[str, ...]] = field(default=_none, compare=False)

    def __bool__(self) -> bool:
        return not self.failures

    @property
    def failures(self) -> tuple[Finding, ...]:
        """The findings that fail."""
        return tuple(f for f in self.findings if f.outcome == "fail")

    def finding(self, check: str) -> Finding:
        """The finding of one check. Raises KeyError for a name that is none."""
        return {f.check: f for f in self.findings}[check]

    @cached_property
    def undetected(self) -> tuple[str, ...]:
        """The terms whose constant could be ten times too small (large, in a lower bound) unseen."""
        return self.find_undetected() if self else ()

    def headline(self) -> str:
        """How many checks passed, fell short and did not apply."""
        count = Counter(f.outcome for f in self.findings)
        parts = [f"{count['pass']} checks passed"]
        parts += [f"{count['fail']} failed"] if count["fail"] else []
        parts += [f"{count['not applicable']} not applicable"] if count["not applicable"] else []
        return f"{self.theorem}: {', '.join(parts)}"

    def report(self, verbose: bool = False) -> Report:
        """The headline, the failures and what could not be seen; with ``verbose`` a row for each check."""
        shown = self.findings if verbose else self.failures
        rows = [[_MARKS[f.outcome], f.check, f.why] for f in shown]
        return Report((Heading(self.headline()), Table(["", "", ""], rows, left=3), *self._undetected()))

    def _undetected(self) -> tuple[Sentences, ...]:
        if not self.undetected:
            return ()
        terms = f"{join_names(self.undetected)} term{'s' if len(self.undetected) > 1 else ''}"
        wrong = f"{FACTOR} times too {'large' if self.kind == 'lower' else 'small'}"
        return (Sentences([f"Without a run, a constant {wrong} in the {terms} would pass."], wrapped=True),)

    def to_dict(self) -> dict[str, Any]:
        """The same for a machine."""
        return {
            "theorem": self.theorem,
            "passed": bool(self),
            "checks": [{"check": f.check, "outcome": f.outcome, "why": f.why} for f in self.findings],
        }


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
