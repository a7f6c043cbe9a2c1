"""Result of the search for a counterexample to a theorem."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Literal

import numpy as np

from boundkit.algebra import BoundkitError, Theorem
from boundkit.analysis.evaluate import evaluate
from boundkit.analysis.reductions.graph import sharper_theorems
from boundkit.attack.evidence import BOUND, Evidence
from boundkit.attack.infinite_clients import infinite_clients_apply
from boundkit.attack.instance_description import describe_instance
from boundkit.attack.search import SearchResult
from boundkit.report import Heading, Report, Reported, Sentences, Table
from boundkit.report.formatting import json_values
from boundkit.simulation.atomic_files import write_text
from boundkit.theorems import catalogue
from boundkit.verification.checks.bound_comparison import ROUNDING
from boundkit.verification.record import Record, versions
from boundkit.verification.verdict import Curves

ATTAINED = 0.99
"""From this share on a bound counts as attained."""
Answer = Literal["violated", "undecided", "not broken", "not applicable"]


@dataclass(frozen=True, repr=False)
class Falsification(Reported):
    """Result of the search on one theorem.

    Attributes
    ----------
    answer : "undecided" where a ratio above 1 rests on estimated constants or is not decided by fresh seeds.
    ratio : measured/bound (bound/measured of a lower bound) of the shown instance.
    interval : the ends of a sampled ratio.
    worst : evidence of the shown instance.
    run : the RUN.json that replays it.
    needs : the necessary share of each term, from the worst instance for that term.
    runs : the RUN.json of those instances.
    constants : of an order-level bound, a lower bound on its constants if all are equal.
    largest, largest_run : the largest ratio and its RUN.json, where a smaller instance is shown in its place.
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
    search: SearchResult | None = None
    path: str | None = None
    largest_path: str | None = None

    def __bool__(self) -> bool:
        """Whether no instance violates the bound, and none may."""
        return self.answer not in ("violated", "undecided")

    @property
    def interrupted(self) -> bool:
        """Whether the search was interrupted."""
        return self.search is not None and self.search.interrupted

    def written(self, folder: Path) -> Falsification:
        """Write ``folder/THEOREM.json`` and the RUN.json of the instance; return the result with their paths.

        The run with the largest ratio, where that is another, is ``folder/THEOREM.largest.run.json``. Files
        of an earlier result are replaced. Raises BoundkitError where the folder cannot be written.
        """
        name, stored = self.theorem.name, self
        if self.run is not None:
            stored = replace(stored, path=str(folder / f"{name}.run.json"))
            write_text(folder / f"{name}.run.json", _text(self.run))
        largest = folder / f"{name}.largest.run.json"
        if self.largest_run is not None:
            stored = replace(stored, largest_path=str(largest))
            write_text(largest, _text(self.largest_run))
        else:
            largest.unlink(missing_ok=True)
        write_text(folder / f"{name}.json", as_text(stored.to_dict()))
        return stored

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON of ``boundkit attack search``, without NaN."""
        search = self.search
        return {
            "theorem": self.theorem.name,
            "kind": self.theorem.kind,
            "answer": self.answer,
            "reason": self.reason,
            "ratio": _clean(self.ratio),
            "interval": None if self.interval is None else json_values(self.interval),
            "largest": _clean(self.ratio if self.largest is None else self.largest),
            "constants": _clean(self.constants),
            "engine": None if self.worst is None else self.worst.engine,
            "trust": None if self.worst is None else self.worst.trust,
            "instance": [] if self.worst is None else describe_instance(self.theorem, self.worst),
            "needs": {label: json_values(value) for label, value in self.needs.items()},
            "run": self.run,
            "largest_run": self.largest_run,
            "runs": dict(self.runs),
            "tried": None if search is None else search.tried,
            "refused": {} if search is None else dict(search.refused),
            "families": {} if search is None else dict(search.families),
            "seconds": None if search is None else round(search.seconds, 3),
            "seed": None if search is None else search.seed,
            "interrupted": self.interrupted,
            "path": self.path,
            "largest_path": self.largest_path,
        }

    def report(self) -> Report:
        """The answer, the worst instance and the necessary share of each term."""
        header, rows = self._share_table()
        return Report(
            (
                Heading(self._title()),
                Sentences([self.reason]),
                Sentences([] if self.worst is None else self._instance(self.worst)),
                Table(header, rows),
                Sentences(self._footer()),
            )
        )

    def _title(self) -> str:
        return f"{self.theorem.name}: {self.answer}"

    def _instance(self, evidence: Evidence) -> list[str]:
        by = f", by the {evidence.engine} engine" if evidence.engine else ""
        which = "the worst instance" if self.largest is None else "the worst instance, made smaller"
        return [f"{which}{by}", *(f"  {line}" for line in describe_instance(self.theorem, evidence))]

    def _share_table(self) -> tuple[list[str], list[list[str]]]:
        elsewhere = shown_by_infinite_clients(self.theorem, self.needs)
        rows = [
            [label, "0", elsewhere[label]] if label in elsewhere else [label, *_share_meaning(value)]
            for label, value in self.needs.items()
            if label != BOUND
        ]
        return ["term", "needed", "so that"], rows

    def _footer(self) -> list[str]:
        sharper = ", ".join(sharper_theorems(self.theorem, catalogue().values()))
        counts = [f"sharper, under conditions of its own: {sharper}"] if sharper else []
        counts += [] if self.search is None else [self.search.counts()]
        runs = [] if self.path is None else [f"run       {self.path}"]
        return counts + runs + ([] if self.largest_path is None else [f"largest   {self.largest_path}"])


def _share_meaning(value: float) -> tuple[str, str]:
    """Return a share with its interpretation."""
    if value > 1 + ROUNDING:
        return f"{value:.3g}", f"it is {value:.3g} times too small"
    if value <= 0:
        return "0", "no instance of this search showed that it is needed"
    if value >= ATTAINED:
        return f"{value:.3g}", "it is attained"
    return f"{value:.3g}", f"it could be at most {1 / value:.3g} times smaller"


def _clean(value: float | None) -> Any:
    return None if value is None else json_values(value)


def as_text(answer: Mapping[str, Any]) -> str:
    """Return the record of an answer; equal searches have equal records, so that it holds no time."""
    return _text({name: value for name, value in answer.items() if name != "seconds"})


def _text(fields: Mapping[str, Any]) -> str:
    return json.dumps(fields, indent=1, allow_nan=False) + "\n"


INFINITE = "shown by infinitely many clients only: see boundkit figure atlas"


def shown_by_infinite_clients(theorem: Theorem, needs: Mapping[str, float]) -> dict[str, str]:
    """Return the terms that no finite run needs and infinitely many clients do, each with a note."""
    if needs.get("noise drift", 1.0) > 0 or not infinite_clients_apply(theorem):
        return {}
    return {"noise drift": INFINITE}


def as_record(result: Falsification) -> Record:
    """Return bound and measurement at the horizons up to the worst one; unspecified constants are 1.

    Raises BoundkitError where there is no run, or where it diverged.
    """
    evidence, run = result.worst, result.run
    if evidence is None or run is None:
        raise BoundkitError(f"there is nothing to draw of {result.theorem.name}: {result.reason}")
    if evidence.diverged:
        raise BoundkitError(f"there is nothing to draw of {result.theorem.name}: its worst run diverged.")
    return Record(
        theorem=result.theorem.name,
        claim=result.theorem.claim.latex,
        verdict=_verdict_fields(result, evidence),
        run=run,
        causes={label: t.cause for label, t in result.theorem.bound.terms.items()},
        curves=_curves(result, evidence, int(run["rounds"])),
        versions=dict(versions()),
    )


def _curves(result: Falsification, evidence: Evidence, rounds: int) -> Curves:
    """Return the measurement and every term, up to the last round of the run that replays it."""
    until = evidence.horizons <= evidence.horizons[-1] - (evidence.run.rounds - rounds)
    values = {name: value[until] for name, value in evidence.values.items()}
    terms = {
        label: np.broadcast_to(evaluate(term.expr, values), values["T"].shape)
        for label, term in result.theorem.bound.terms.items()
    }
    return Curves(values["T"], terms, evidence.measured[until], evidence.low[until], evidence.high[until])


def _verdict_fields(result: Falsification, evidence: Evidence) -> dict[str, Any]:
    """Return the fields from which a figure writes its caption."""
    constants = {name: float(value[-1]) for name, value in evidence.values.items() if name != "T"}
    return {
        "theorem": result.theorem.name,
        "verdict": result.answer,
        "reason": result.reason,
        "ratio": result.ratio,
        "interval": result.interval,
        "engine": evidence.engine,
        "replicas": evidence.replicas,
        "constants": evidence.trust,
        "constant_values": {name: {"value": value} for name, value in constants.items()},
    }
