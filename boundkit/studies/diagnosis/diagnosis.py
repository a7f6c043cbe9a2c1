"""Result of ``diagnose``: terms of the bound, measured cost of each source, and recommended changes."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from boundkit.algebra import Theorem
from boundkit.analysis.predict import Prediction
from boundkit.report import Report, Reported, Sentences, Table
from boundkit.report.formatting import format_count, json_values
from boundkit.simulation.confidence_interval import Estimate
from boundkit.simulation.constant import Constant
from boundkit.verification.estimate import MeasuredConstant

_WIDTH = 110
_LOOSE = 1e3
"""A bound that is this many times the measured value is called uninformative."""
_SETTINGS = ("m", "C", "T", "tau", "eta", "eta_s")


@dataclass(frozen=True)
class ErrorSourceCost:
    """Cost of a source of error: the run minus the run without it, replica by replica.

    ``loss``: F at the end. ``gradient``: the mean of ||grad F||^2 over the rounds. ``rounds``: the rounds to
    the higher of the two final losses. None where the run without it diverged, or one of the two does not
    descend. ``theory``: the sum of the terms of the bound that it contributes to.
    """

    source: str
    removed_by: str
    loss: Estimate | None
    gradient: Estimate | None
    theory: float | None
    rounds: Estimate | None = None
    causes: frozenset[str] = frozenset()

    @property
    def verdict(self) -> str:
        """Sign of the cost, by the interval of the loss."""
        if self.loss is None:
            return "the run without it diverges"
        if self.loss.low > 0:
            return "costs"
        return "helps" if self.loss.high < 0 else "not told apart from 0"


@dataclass(frozen=True)
class AlternativeAlgorithm:
    """Another algorithm on the same draws: its loss at the end and its rounds, minus the run's own."""

    algorithm: str
    loss: Estimate | None
    rounds: Estimate | None = None

    @property
    def verdict(self) -> str:
        """Better or worse than the run, by the interval."""
        if self.loss is None:
            return "diverges at these steps"
        if self.loss.high < 0:
            return "better"
        return "worse" if self.loss.low > 0 else "not told apart"


@dataclass(frozen=True)
class ConfigurationChange:
    """A change, its bound, and the ratio to the run's own; ``holds``: inside the step condition."""

    what: str
    total: float
    factor: float
    holds: bool


@dataclass(frozen=True, repr=False)
class Diagnosis(Reported):
    """Diagnosis of a run: the cost of each source of error, by theory and by measurement.

    ``measured``: the claimed quantity; ``prediction``: its bound, at constants of which ``estimates`` were
    measured along the run and others are ``known``; ``uncovered``: why the theorem does not apply to this
    run; ``left_out``: sources that cannot be ablated.
    ``first_loss``, ``final_loss``: F at the start and at the end.
    """

    algorithm: str
    theorem: Theorem
    replicas: int
    estimates: dict[str, MeasuredConstant]
    known: dict[str, Constant]
    parameters: dict[str, float]
    prediction: Prediction
    measured: Estimate
    first_loss: float
    final_loss: Estimate
    costs: tuple[ErrorSourceCost, ...]
    changes: tuple[ConfigurationChange, ...]
    rivals: tuple[AlternativeAlgorithm, ...]
    uncovered: tuple[str, ...]
    left_out: tuple[str, ...]
    run: dict[str, Any] = field(hash=False)

    @property
    def worst(self) -> ErrorSourceCost | None:
        """The source with the largest cost, of those with a positive one."""
        positive = [c for c in self.costs if c.loss is not None and c.loss.low > 0]
        return max(positive, key=lambda c: c.loss.value if c.loss else 0.0, default=None)

    @property
    def uninformative(self) -> list[str]:
        """Reasons why the bound says nothing about this run; empty where it does."""
        bound = self.prediction
        reasons = [] if not self.uncovered else [f"it does not apply ({'; '.join(self.uncovered)})"]
        if not bound.holds:
            eta = self.parameters.get("eta", float("nan"))
            largest = float(bound.largest) if bound.largest is not None else float("nan")
            reasons.append(
                f"its condition admits eta <= {short(largest)}, and the run has {short(eta)}"
                if largest < eta
                else "the steps are outside its condition"
            )
        if self.ratio < 1 / _LOOSE:
            times = f"its value is {1 / self.ratio:.2g} times the measured one" if self.ratio > 0 else ""
            worst = f"almost all of it the {bound.dominant}, as large as in the worst problem of its class"
            reasons.append(f"{times}, {worst}" if times else f"it is {worst}, and the measured value is 0")
        return reasons

    @property
    def ratio(self) -> float:
        """The measured quantity over the bound."""
        total = float(self.prediction.total)
        return self.measured.value / total if total > 0 else float("inf")

    def to_dict(self) -> dict[str, Any]:
        """The whole result for JSON."""
        bound = self.prediction
        return {
            "algorithm": self.algorithm,
            "theorem": self.theorem.name,
            "replicas": self.replicas,
            "first_loss": json_values(self.first_loss),
            "final_loss": _interval(self.final_loss),
            "measured": _interval(self.measured),
            "bound": json_values(bound.total),
            "ratio": json_values(self.ratio),
            "terms": {n: json_values(v) for n, v in bound.terms.items()},
            "dominant": bound.dominant,
            "step_size": {"holds": bool(bound.holds), "largest": json_values(bound.largest)},
            "estimates": {n: m.to_dict() for n, m in self.estimates.items()},
            "known": {n: {"value": json_values(c.value), "how": c.how} for n, c in self.known.items()},
            "parameters": {n: json_values(v) for n, v in self.parameters.items()},
            "costs": [
                {"source": c.source, "removed_by": c.removed_by, "loss": _interval(c.loss),
                 "gradient": _interval(c.gradient), "theory": json_values(c.theory), "found": c.verdict,
                 "rounds": _interval(c.rounds)}
                for c in self.costs
            ],
            "worst": None if self.worst is None else self.worst.source,
            "changes": [
                {"what": c.what, "bound": json_values(c.total), "factor": json_values(c.factor),
                 "holds": c.holds}
                for c in self.changes
            ],
            "rivals": [
                {"algorithm": r.algorithm, "loss": _interval(r.loss), "found": r.verdict,
                 "rounds": _interval(r.rounds)}
                for r in self.rivals
            ],
            "uninformative": self.uninformative,
            "uncovered": list(self.uncovered),
            "left_out": list(self.left_out),
            "run": self.run,
        }  # fmt: skip

    def report(self) -> Report:
        """What was measured, then the worst-case bound and what it says of changes."""
        lines = (*self._conclusions(), self._describe_run())
        sentences = (Sentences([line], wrapped=True) for line in lines)
        tables = (Table(header, rows, caption=title) for title, header, rows in self._tables())
        notes = (Sentences([line], wrapped=True) for line in self._notes())
        return Report((*sentences, *tables, *notes))

    def _describe_run(self) -> str:
        settings = {n: v for n, v in self.parameters.items() if n in _SETTINGS}
        run = ", ".join(f"{name} = {short(value)}" for name, value in settings.items())
        end = f"F goes from {short(self.first_loss)} to {_with_interval(self.final_loss)}"
        return f"{self.algorithm} with {run}: {end}; means over {format_count(self.replicas, 'replica')}."

    def _conclusions(self) -> list[str]:
        """The largest cost as measured, and whether the bound says anything about this run."""
        worst, bound, name = self.worst, self.prediction, self.theorem.name
        measured = ""
        if self.final_loss.value > self.first_loss:
            measured = "The run ends above where it began: take a smaller step before anything else. "
        if worst is None:
            measured += "No source of error has a measured cost that these replicas tell apart from 0."
        else:
            measured += f"Most is lost to {worst.source}: {_with_interval(worst.loss)} of the loss at the end"
            if worst.rounds is not None:
                of_all = f" of {short(self.parameters['T'])}" if "T" in self.parameters else ""
                measured += f", or {_with_interval(worst.rounds)}{of_all} rounds"
            measured += "."
        better = min((r for r in self.rivals if r.verdict == "better"), key=_loss, default=None)
        if better is not None:
            measured += f" On the same draws {better.algorithm} ends {short(-_loss(better))} lower."
        if self.uninformative:
            theory = f"The theorem {name} says nothing about this run: {'; '.join(self.uninformative)}."
        else:
            share = float(bound.terms[bound.dominant]) / (float(bound.total) or 1.0)
            theory = (
                f"By {name} the largest term is the {bound.dominant}, {100 * share:.0f} % of the sum; the "
                f"run is {100 * self.ratio:.2g} % of the bound."
            )
        return [f"{measured} {theory}"]

    def _notes(self) -> list[str]:
        notes = ["rounds: to the higher of the two final losses, with the source minus without it."]
        if self.left_out:
            notes.append(f"Not measured: {'; '.join(self.left_out)}.")
        return notes

    def _tables(self) -> list[tuple[str, list[str], list[list[str]]]]:
        bound = self.prediction
        terms = sorted(bound.terms.items(), key=lambda item: -float(item[1]))
        causes = {t.label: t.cause for t in self.theorem.terms}
        total = float(bound.total) or 1.0
        silent = bool(self.uninformative)
        return [
            (
                "Measured: the run minus the run without one source of error",
                ["source", "rounds", "loss at the end", "95 % interval", "squared gradient", "verdict"],
                [
                    [c.source, "" if c.rounds is None else short(c.rounds.value), *_two(c.loss),
                     "" if c.gradient is None else short(c.gradient.value), c.verdict]
                    for c in self.costs
                ],
            ),
            (
                "Measured: other algorithms on the same draws, minus this run",
                ["algorithm", "rounds", "loss at the end", "95 % interval", "verdict"],
                [
                    [r.algorithm, "" if r.rounds is None else short(r.rounds.value), *_two(r.loss), r.verdict]
                    for r in self.rivals
                ],
            ),
            (
                f"The worst-case bound of {self.theorem.name}, term by term"
                + (", which says nothing about this run" if silent else ""),
                ["term", "value", "share", "fed by"],
                [
                    [n, short(float(v)), f"{100 * float(v) / total:.1f} %", self._sources(causes.get(n, ""))]
                    for n, v in terms
                ]
                + [["total", short(total), "", ""], ["measured", short(self.measured.value), "", ""]],
            ),
            (
                "The constants of this run",
                ["constant", "value", "from", "to", "how"],
                [
                    [n, *map(short, (m.value, m.low, m.high)), f"measured at {m.where}"]
                    for n, m in self.estimates.items()
                ]
                + [[n, short(c.value), "", "", c.how] for n, c in self.known.items()],
            ),
            (
                "What a change would do to the bound, the lowest first"
                + ("; only rows that meet the step condition are bounds" if silent else ""),
                ["change", "bound", "times", "step condition"],
                [
                    [c.what, short(c.total), f"{c.factor:.3g}", "met" if c.holds else "not met"]
                    for c in self.changes
                ],
            ),
        ]  # fmt: skip

    def _sources(self, cause: str) -> str:
        return ", ".join(c.source for c in self.costs if cause and cause in c.causes)


def short(value: float) -> str:
    """A number in three digits."""
    return f"{value:.3g}"


def _interval(estimate: Estimate | None) -> dict[str, Any] | None:
    if estimate is None:
        return None
    return {
        "value": json_values(estimate.value),
        "low": json_values(estimate.low),
        "high": json_values(estimate.high),
    }


def _loss(rival: AlternativeAlgorithm) -> float:
    return rival.loss.value if rival.loss else float("inf")


def _two(estimate: Estimate | None) -> list[str]:
    if estimate is None:
        return ["", ""]
    return [short(estimate.value), f"[{short(estimate.low)}, {short(estimate.high)}]"]


def _with_interval(estimate: Estimate | None) -> str:
    value, interval = _two(estimate)
    return f"{value} {interval}"
