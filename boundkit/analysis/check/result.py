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
OutcomeWithReason = tuple[Outcome, str]

_MARKS = {"pass": "pass", "fail": "FAIL", "not applicable": "n/a"}
FACTOR = 10
"""Factor of the changed constants that ``CheckResult.undetected`` names."""


@dataclass(frozen=True)
class SingleCheck:
    """Outcome of one check by name, and the reason in one sentence."""

    check: str
    outcome: Outcome
    why: str


def _none() -> tuple[str, ...]:
    return ()


@dataclass(frozen=True, repr=False)
class CheckResult(Reported):
    """Outcomes of all checks of one theorem, in the order of the checks. True where none fails."""

    theorem: str
    checks: tuple[SingleCheck, ...]
    kind: str = field(default="upper", compare=False)
    find_undetected: Callable[[], tuple[str, ...]] = field(default=_none, compare=False)

    def __bool__(self) -> bool:
        return not self.failures

    @property
    def failures(self) -> tuple[SingleCheck, ...]:
        """The checks that fail."""
        return tuple(c for c in self.checks if c.outcome == "fail")

    def named(self, name: str) -> SingleCheck:
        """The check of that name. Raises KeyError for an unknown name."""
        return {c.check: c for c in self.checks}[name]

    @cached_property
    def undetected(self) -> tuple[str, ...]:
        """The terms whose constant could be ten times too small (large, in a lower bound) undetected."""
        return self.find_undetected() if self else ()

    def headline(self) -> str:
        """Numbers of checks that passed, failed and did not apply."""
        count = Counter(c.outcome for c in self.checks)
        parts = [f"{count['pass']} checks passed"]
        parts += [f"{count['fail']} failed"] if count["fail"] else []
        parts += [f"{count['not applicable']} not applicable"] if count["not applicable"] else []
        return f"{self.theorem}: {', '.join(parts)}"

    def report(self, verbose: bool = False) -> Report:
        """The headline, the failures and undetected constants; with ``verbose`` a row for each check."""
        shown = self.checks if verbose else self.failures
        rows = [[_MARKS[c.outcome], c.check, c.why] for c in shown]
        return Report((Heading(self.headline()), Table(["", "", ""], rows, left=3), *self._undetected()))

    def _undetected(self) -> tuple[Sentences, ...]:
        if not self.undetected:
            return ()
        terms = f"{join_names(self.undetected)} term{'s' if len(self.undetected) > 1 else ''}"
        wrong = f"{FACTOR} times too {'large' if self.kind == 'lower' else 'small'}"
        return (Sentences([f"Without a run, a constant {wrong} in the {terms} would pass."], wrapped=True),)

    def to_dict(self) -> dict[str, Any]:
        """The result as JSON values."""
        return {
            "theorem": self.theorem,
            "passed": bool(self),
            "checks": [{"check": c.check, "outcome": c.outcome, "why": c.why} for c in self.checks],
        }


def passed(why: str) -> OutcomeWithReason:
    """The outcome of a check that passes."""
    return "pass", why


def failed(why: str) -> OutcomeWithReason:
    """The outcome of a check that fails."""
    return "fail", why


def skipped(why: str) -> OutcomeWithReason:
    """The outcome of a check that does not apply."""
    return "not applicable", why
