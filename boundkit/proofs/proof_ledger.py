"""A ledger: a proof evaluated on a run, with the slack of each step."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from boundkit.algebra.prose import plain_prose
from boundkit.proofs.proof import Kind
from boundkit.report import Cell, Heading, Report, Reported, Sentences, Table, Tex
from boundkit.report.formatting import format_number
from boundkit.verification.tabular_result import TabularResult

CLOSE = 1e-10
"""Tolerance of measured plus all slacks against the bound, relative to the bound."""


_NEGLIGIBLE = 1e-13
"""Parts of the bound below this are rounding error and printed as 0."""


@dataclass(frozen=True, repr=False)
class LedgerEntry(Reported):
    """A step on a run.

    ``cause``: of the term whose constant it makes larger; of a certificate's step, of the constant in its
    lemma. ``left`` and ``right``: the means over rounds of its sides, in the bound's unit. ``slack``: right
    less left. ``share``: that of the bound. ``factor``: what it multiplies the sum so far by. ``worst``: the
    largest left/right of any round, 1 where a round attains equality, None where the right is not above 0.
    ``weight``: what both sides are multiplied by. ``broken``: the first round in which left exceeds right
    beyond rounding, None where none does; 0 for a step about the mean over rounds.
    """

    name: str
    kind: Kind
    cause: str
    because: str
    latex: str
    plain: str
    weight: str
    left: float
    right: float
    share: float
    factor: float | None
    worst: float | None
    broken: int | None = None

    @property
    def slack(self) -> float:
        """Right less left."""
        return self.right - self.left

    def _conclusion(self) -> list[Cell]:
        result: list[Cell] = [Tex(self.latex, self.plain), self.because]
        result.append(f"{self.left:.4g} {'=' if self.kind == 'identity' else '<='} {self.right:.4g}")
        return [*result, *([] if self.broken is None else [f"wrong, first in round {self.broken}"])]

    def report(self) -> Report:
        """The step, its two sides and its slack."""
        return Report((Heading(f"{self.name}: {self.kind}"), Sentences(self._conclusion())))


@dataclass(frozen=True, repr=False)
class Ledger(Reported):
    """The proof of ``theorem`` on one run: measured, and a slack a step, up to the bound.

    ``end``: the last line of the proof; it is the ``bound`` unless a step took the place of another.
    ``terms``: the bound by term, and ``causes`` of each. ``letters``: what the statements are made of.
    ``run``: its RUN.json. ``setting``: the run in words, with its name where it is a default instance.
    """

    theorem: str
    claim: str
    steps: tuple[LedgerEntry, ...]
    measured: float
    bound: float
    end: float
    terms: Mapping[str, float]
    letters: Mapping[str, str]
    rounds: int
    engine: str
    run: Mapping[str, Any]
    setting: str = ""
    causes: Mapping[str, str] = field(default_factory=dict)

    @property
    def broken(self) -> tuple[LedgerEntry, ...]:
        """The steps whose left side exceeds their right, in the order of the proof."""
        return tuple(step for step in self.steps if step.broken is not None)

    @property
    def residual(self) -> float:
        """Measured plus all slacks, less the end of the proof, relative to that end; 0 up to rounding."""
        scale = max(abs(self.end), abs(self.measured), *(abs(s.left) for s in self.steps)) or 1.0
        return (self.measured + sum(s.slack for s in self.steps if s.kind != "identity") - self.end) / scale

    @property
    def closes(self) -> bool:
        """Whether measured and all slacks add up to the end, and the end is the bound of the theorem."""
        return abs(self.residual) <= CLOSE and abs(self.end - self.bound) <= CLOSE * max(self.end, self.bound)

    @property
    def holds(self) -> bool:
        """Whether no step is broken and the ledger closes."""
        return not self.broken and self.closes

    @property
    def loose(self) -> float | None:
        """Bound over measured: the product of the factors of all steps; None where the measurement is 0."""
        return self.bound / self.measured if self.measured else None

    def step(self, name: str) -> LedgerEntry:
        """Return the entry of that name. Raises BoundkitError where there is none."""
        from boundkit.algebra.errors import unknown

        for step in self.steps:
            if step.name == name:
                return step
        raise unknown(f"step of {self.theorem}", name, [step.name for step in self.steps])

    def report(self) -> Report:
        """A row for each step, and the conclusion."""
        setting = Sentences([f"on {self.setting}"] if self.setting else [])
        table = Table(*self._columns(), left=1)
        return Report((Heading(self._title()), setting, table, Sentences(self._conclusion())))

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON."""
        return {
            "theorem": self.theorem,
            "claim": self.claim,
            "holds": self.holds,
            "closes": self.closes,
            "measured": self.measured,
            "bound": self.bound,
            "end": self.end,
            "terms": dict(self.terms),
            "causes": dict(self.causes),
            "rounds": self.rounds,
            "engine": self.engine,
            "broken": [step.name for step in self.broken],
            "steps": [
                {
                    **{name: getattr(step, name) for name in LedgerEntry.__dataclass_fields__},
                    "slack": step.slack,
                }
                for step in self.steps
            ],
            "letters": dict(self.letters),
            "setting": self.setting,
            "run": dict(self.run),
        }

    def _title(self) -> str:
        return f"{self.theorem}, step by step: {self.engine}, {self.rounds} rounds"

    def statements(self) -> str:
        """Return every step with its inequality and its reason, and the meaning of the quantities."""
        lines = [f"{step.name}: {step.plain}\n    {plain_prose(step.because)}" for step in self.steps]
        return "\n".join([*lines, "", *(f"{name}: {meaning}" for name, meaning in self.letters.items())])

    def _columns(self) -> tuple[list[str], list[list[str]]]:
        header = ["step", "left", "right", "slack", "of bound", "factor", "tightest", "term"]
        rows = [["measured", "", self._few(self.measured), "", self._percent(self.measured), "", "", ""]]
        for step in self.steps:
            if step.kind == "identity":
                continue
            name = step.name + (" (broken)" if step.broken is not None else "")
            worst = "-" if step.worst is None else f"{step.worst:.3f}"
            sides = [self._few(value) for value in (step.left, step.right, step.slack)]
            rows.append([name, *sides, self._percent(step.slack), _times(step.factor), worst, step.cause])
        times = _times(self.end / self.measured if self.measured else None)
        rows.append(["end of the proof", "", self._few(self.end), "", self._percent(self.end), times, "", ""])
        return header, rows

    def _conclusion(self) -> list[str]:
        result = []
        for step in self.broken[:1]:
            used = set(re.findall(r"\w+", step.plain))
            letters = [f"{name}: {meaning}" for name, meaning in self.letters.items() if name in used]
            result += [
                f"The step {step.name!r} is wrong on this run, first in round {step.broken}: {step.plain}.",
                f"Its reason was: {step.because}.",
                f"({'; '.join(letters)}.)",
            ]
        if abs(self.residual) > CLOSE:
            result.append(f"The slacks do not add up: {self.residual:.3g} of the end is left over.")
        elif not self.closes:
            result.append(
                f"The proof ends at {format_number(self.end)}, and the bound of the theorem is "
                f"{format_number(self.bound)}."
            )
        if self.holds:
            most = sorted(self.steps, key=lambda step: -step.slack)[:3]
            lost = "; ".join(f"{step.name} ({self._percent(step.slack)})" for step in most)
            times = "" if self.loose is None else f", {self.loose:.3g} times as much"
            result += [
                f"Every step holds, and measured + slacks = bound: {format_number(self.measured)} becomes "
                f"{format_number(self.bound)}{times}.",
                f"Most is given away by: {lost}.",
            ]
        return result

    def _few(self, value: float) -> str:
        return f"{value:.4g}" if abs(value) > _NEGLIGIBLE * abs(self.bound) else "0"

    def _percent(self, value: float) -> str:
        share = 100 * value / self.bound if self.bound else 0.0
        return f"{share:.1f} %" if abs(share) >= 0.05 else "0 %"


def _times(factor: float | None) -> str:
    return "-" if factor is None else f"x {factor:.3f}"


NAME = "ledger"
"""The name of the record."""


def as_record(result: Ledger) -> TabularResult:
    """Return the steps and the terms of the bound as columns."""
    names = [*LedgerEntry.__dataclass_fields__, "slack"]
    columns: dict[str, list[Any]] = {
        f"steps {name}": [getattr(step, name) for step in result.steps] for name in names
    }
    tables = [("steps", [*columns]), ("terms", ["terms term", "terms value", "terms cause"])]
    columns |= {"terms term": [*result.terms], "terms value": [*result.terms.values()]}
    columns["terms cause"] = [result.causes.get(term, term) for term in result.terms]
    alone = ("theorem", "claim", "measured", "bound", "end", "rounds", "engine", "setting", "holds", "closes")
    return TabularResult(
        NAME,
        f"What every step of the proof of {result.theorem} gives away on a run.",
        f"steps: {_line(LedgerEntry)} terms: the bound, by term.",
        {name: getattr(result, name) for name in alone},
        columns,
        tables,
    )


def _line(kind: type) -> str:
    return " ".join((kind.__doc__ or "").replace("``", "").split())
