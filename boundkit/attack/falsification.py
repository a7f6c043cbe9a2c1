"""What an attack on a theorem came to."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Literal

from boundkit.algebra import Theorem
from boundkit.algebra.notebook import heading, html_table, notes
from boundkit.analysis.formatting import clean, table
from boundkit.attack.evidence import Evidence
from boundkit.attack.instance_description import sentences
from boundkit.attack.objectives import BOUND
from boundkit.attack.related_theorems import sharper, shown_elsewhere
from boundkit.attack.search_result import Attack
from boundkit.simulation.atomic_files import replacing
from boundkit.theorems import catalogue
from boundkit.verification.checks.upper_bound import ROUNDING

ATTAINED = 0.99
"""From here on equality counts as reached."""
Answer = Literal["violated", "undecided", "not broken", "not applicable"]


@dataclass(frozen=True)
class Falsification:
    """The answer on one theorem.

    ``answer``: "undecided" where a ratio above 1 was sampled and fresh seeds do not decide it, or where it
    rests on constants that are estimated. ``ratio``: measured/bound (bound/measured of a lower bound) of the
    instance that is shown, with the ends of its ``interval`` where it was sampled. ``worst``: its evidence,
    and ``run`` the RUN.json that replays it. ``largest``: the largest ratio that was found, and
    ``largest_run`` its RUN.json, where the instance that is shown is a smaller one with a smaller ratio;
    None where the shown one is the largest. ``needs``: how much of each term was needed, from the worst
    instance for that term, and ``runs`` those instances. ``constants``: of a bound up to constants, what they
    must be at least if all are alike.
    """

    theorem: Theorem
    answer: Answer
    reason: str
    ratio: float | None = None
    interval: tuple[float, float] | None = None
    worst: Evidence | None = None
    run: dict[str, Any] | None = None
    needs: Mapping[str, float] = field(default_factory=dict)
    runs: Mapping[str, dict[str, Any]] = field(default_factory=dict)
    constants: float | None = None
    largest: float | None = None
    largest_run: dict[str, Any] | None = None
    attack: Attack | None = None
    path: str | None = None
    largest_path: str | None = None

    def __bool__(self) -> bool:
        """Whether it stood: nothing that was found breaks it, or may."""
        return self.answer not in ("violated", "undecided")

    @property
    def interrupted(self) -> bool:
        """Whether it was ended before its time."""
        return self.attack is not None and self.attack.interrupted

    def written(self, folder: Path) -> Falsification:
        """The same, with ``folder/THEOREM.json`` and, where there is a run, ``folder/THEOREM.run.json``.

        The run with the largest ratio, where that is another, is ``folder/THEOREM.largest.run.json``. Files
        of an earlier answer are replaced. Raises BoundkitError where the folder cannot be written.
        """
        name, kept = self.theorem.name, self
        if self.run is not None:
            kept = replace(kept, path=str(folder / f"{name}.run.json"))
            _write(folder / f"{name}.run.json", _text(self.run))
        largest = folder / f"{name}.largest.run.json"
        if self.largest_run is not None:
            kept = replace(kept, largest_path=str(largest))
            _write(largest, _text(self.largest_run))
        else:
            largest.unlink(missing_ok=True)
        _write(folder / f"{name}.json", as_text(kept.to_dict()))
        return kept

    def to_dict(self) -> dict[str, Any]:
        """For ``boundkit falsify --json``, without NaN."""
        attack = self.attack
        return {
            "theorem": self.theorem.name,
            "kind": self.theorem.kind,
            "answer": self.answer,
            "reason": self.reason,
            "ratio": _clean(self.ratio),
            "interval": None if self.interval is None else clean(self.interval),
            "largest": _clean(self.ratio if self.largest is None else self.largest),
            "constants": _clean(self.constants),
            "engine": None if self.worst is None else self.worst.engine,
            "trust": None if self.worst is None else self.worst.trust,
            "instance": [] if self.worst is None else sentences(self.theorem, self.worst),
            "needs": {label: clean(value) for label, value in self.needs.items()},
            "run": self.run,
            "largest_run": self.largest_run,
            "runs": dict(self.runs),
            "tried": None if attack is None else attack.tried,
            "refused": {} if attack is None else dict(attack.refused),
            "families": {} if attack is None else dict(attack.families),
            "seconds": None if attack is None else round(attack.seconds, 3),
            "seed": None if attack is None else attack.seed,
            "interrupted": self.interrupted,
            "path": self.path,
            "largest_path": self.largest_path,
        }

    def to_text(self) -> str:
        """For a terminal: the answer, the worst instance in words, and what each term is needed for."""
        lines = [self._title(), "", f"  {self.reason}"]
        if self.worst is not None:
            lines += ["", *(f"  {line}" for line in self._instance(self.worst))]
        header, rows = self._needed()
        if rows:
            lines += ["", *(f"  {line}" for line in table(header, rows).split("\n"))]
        footer = self._footer()
        return "\n".join([*lines, *([""] if footer else []), *(f"  {line}" for line in footer)])

    def _title(self) -> str:
        return f"{self.theorem.name}: {self.answer}"

    def _instance(self, seen: Evidence) -> list[str]:
        by = f", by the {seen.engine} engine" if seen.engine else ""
        which = "the worst instance" if self.largest is None else "the worst instance, made smaller"
        return [f"{which}{by}", *(f"  {line}" for line in sentences(self.theorem, seen))]

    def _needed(self) -> tuple[list[str], list[list[str]]]:
        elsewhere = shown_elsewhere(self.theorem, self.needs)
        rows = [
            [label, "0", elsewhere[label]] if label in elsewhere else [label, *_need(value)]
            for label, value in self.needs.items()
            if label != BOUND
        ]
        return ["term", "needed", "so that"], rows

    def _footer(self) -> list[str]:
        better = ", ".join(sharper(self.theorem, catalogue().values()))
        counts = [f"sharper, under conditions of its own: {better}"] if better else []
        counts += [] if self.attack is None else [self.attack.counts()]
        runs = [] if self.path is None else [f"run       {self.path}"]
        return counts + runs + ([] if self.largest_path is None else [f"largest   {self.largest_path}"])

    def __repr__(self) -> str:
        return self.to_text()

    def _repr_html_(self) -> str:
        header, rows = self._needed()
        parts = [heading(self._title()), notes([self.reason])]
        parts += [] if self.worst is None else [notes(self._instance(self.worst))]
        parts += [html_table(header, rows)] if rows else []
        return "".join([*parts, notes(self._footer())])


def _need(value: float) -> tuple[str, str]:
    """A share, and what follows from it."""
    if value > 1 + ROUNDING:
        return f"{value:.3g}", f"it is {value:.3g} times too small"
    if value <= 0:
        return "0", "no instance of this search showed that it is needed"
    if value >= ATTAINED:
        return f"{value:.3g}", "it is attained"
    return f"{value:.3g}", f"it could be at most {1 / value:.3g} times smaller"


def _clean(value: float | None) -> Any:
    return None if value is None else clean(value)


def as_text(answer: Mapping[str, Any]) -> str:
    """The record of an answer, as ``to_dict`` has it: the same for the same search, so without its time."""
    return _text({name: value for name, value in answer.items() if name != "seconds"})


def _text(told: Mapping[str, Any]) -> str:
    return json.dumps(told, indent=1, allow_nan=False) + "\n"


def _write(path: Path, text: str) -> None:
    with replacing(path) as beside:
        beside.write_text(text, encoding="utf-8")
