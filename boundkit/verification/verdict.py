"""A verdict: the outcome of the tests of a theorem, its constants, the ratio, and what was not tested."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from boundkit.algebra import BoundkitError, Theorem
from boundkit.algebra.extras import require
from boundkit.algebra.notation import T
from boundkit.analysis.labelled_values import attributes
from boundkit.analysis.predict import Prediction
from boundkit.report import Heading, Report, Reported, Sentences, Table
from boundkit.report.formatting import format_count
from boundkit.simulation.arrays import Array
from boundkit.simulation.confidence_interval import Estimate
from boundkit.simulation.constant import Constant, weakest
from boundkit.verification.checks import Check

if TYPE_CHECKING:
    import xarray as xr

Answer = Literal["holds", "violated", "undecided", "not applicable"]


@dataclass(frozen=True)
class Curves:
    """Bound and measurement at every horizon 1, ..., T, for figures.

    ``terms``: each term's value, (T,). ``measured``, ``low``, ``high``: the claimed quantity, (T,).
    """

    horizon: Array
    terms: dict[str, Array]
    measured: Array
    low: Array
    high: Array

    def bound(self) -> Array:
        """The terms over the horizon, (term, T)."""
        return np.stack([np.broadcast_to(v, self.horizon.shape) for v in self.terms.values()])

    def to_dataset(self) -> xr.Dataset:
        """``bound`` (term, horizon), ``measured``, ``low`` and ``high`` (horizon). Needs xarray."""
        require("xarray")
        import xarray as xr

        series = {name: ("horizon", getattr(self, name)) for name in ("measured", "low", "high")}
        coordinates = {"horizon": self.horizon, "term": list(self.terms)}
        return xr.Dataset({"bound": (("term", "horizon"), self.bound()), **series}, coords=coordinates)


@dataclass(frozen=True)
class Case:
    """One instance on which a theorem was tested."""

    name: str
    answer: Answer
    ratio: float | None
    interval: tuple[float, float] | None
    trust: str
    engine: str
    run: dict[str, Any] = field(hash=False, repr=False)


@dataclass(frozen=True, repr=False)
class Verdict(Reported):
    """The answer, with its constants, measurement and checks.

    ``reason``: a sentence. ``untested``: the tests without a result. ``cases``: every instance where there
    were several; the numbers are those of the worst one.
    """

    theorem: Theorem
    answer: Answer
    reason: str
    engine: str = ""
    replicas: int | None = None
    constants: dict[str, Constant] = field(default_factory=dict, hash=False)
    prediction: Prediction | None = field(default=None, hash=False)
    measured: Estimate | None = None
    checks: tuple[Check, ...] = ()
    curves: Curves | None = field(default=None, hash=False)
    cases: tuple[Case, ...] = ()
    run: dict[str, Any] = field(default_factory=dict, hash=False)
    record: str | None = None
    settings: dict[str, Any] = field(default_factory=dict, hash=False)

    @property
    def trust(self) -> str | None:
        """The weakest trust of the constants: exact, local or estimated; None without constants."""
        return weakest(self.constants) if self.constants else None

    @property
    def ratio(self) -> float | None:
        """measured/bound; None where there is no such number."""
        ratio: float | None = self._comparison("ratio")
        return ratio

    @property
    def interval(self) -> tuple[float, float] | None:
        """The 99 % interval of the ratio; both ends are equal where it is exact."""
        ends = self._comparison("interval")
        return None if ends is None else (ends[0], ends[1])

    @property
    def headline(self) -> str:
        """The answer, and that it rests on estimated constants where it does."""
        estimated = self.answer == "holds" and self.trust == "estimated"
        return f"{self.answer} with estimated constants" if estimated else self.answer

    @property
    def untested(self) -> list[str]:
        """The checks that were not tested, with reasons."""
        return [f"{c.name}: {c.sentence}" for c in self.checks if c.outcome == "not tested"]

    def with_answer(self, answer: Answer, reason: str) -> Verdict:
        """The verdict with another answer, and its reason."""
        return replace(self, answer=answer, reason=reason)

    def _comparison(self, key: str) -> Any:
        return next((c.numbers.get(key) for c in self.checks if c.name in ("upper", "lower")), None)

    def to_dataset(self) -> xr.Dataset:
        """The terms of the bound and what was measured, with its 99 % interval, at every horizon, with units.

        Raises BoundkitError where nothing ran.
        """
        if self.curves is None:
            raise BoundkitError(f"there are no curves of {self.theorem.name}: {self.reason}")
        data, claim = self.curves.to_dataset(), self.theorem.claim
        names = {"bound": "terms of the bound", "measured": claim.name,
                 "low": "low end of the 99 % interval", "high": "high end of the 99 % interval"}  # fmt: skip
        for name, meaning in names.items():
            data[name].attrs = {"long_name": meaning, "units": claim.dimension.units}
        data["horizon"].attrs = attributes(T)
        ratio = {} if self.ratio is None else {"ratio": self.ratio}
        return data.assign_attrs(theorem=self.theorem.name, verdict=self.answer, **ratio)

    def to_dict(self) -> dict[str, Any]:
        """The JSON of ``boundkit verify``."""
        return {
            "theorem": self.theorem.name,
            "verdict": self.answer,
            "kind": self.theorem.kind,
            "constants": self.trust,
            "ratio": self.ratio,
            "interval": None if self.interval is None else list(self.interval),
            "untested": self.untested,
            "record": self.record,
            "reason": self.reason,
            "engine": self.engine or None,
            "replicas": self.replicas,
            "settings": self.settings,
            "measured": None if self.measured is None else self.measured.value,
            "bound": None if self.prediction is None else float(self.prediction.total),
            "terms": {} if self.prediction is None else dict(self.prediction.terms),
            "dominant": None if self.prediction is None else self.prediction.dominant,
            "constant_values": {
                n: {"value": c.value, "trust": c.trust, "how": c.how} for n, c in self.constants.items()
            },
            "checks": [c.to_dict() for c in self.checks],
            "cases": [
                {
                    "name": c.name,
                    "verdict": c.answer,
                    "ratio": c.ratio,
                    "constants": c.trust,
                    "engine": c.engine,
                }
                for c in self.cases
            ],
        }

    def report(self) -> Report:
        """The prediction, the constants, the measurement, the checks and the instances."""
        constants = [[n, f"{c.value:.6g}", c.trust, c.how] for n, c in self.constants.items()]
        checks = [[c.name, c.outcome, c.sentence] for c in self.checks]
        cases = [[c.name, c.answer, _ratio(c), c.engine] for c in self.cases]
        return Report(
            (
                Heading(f"{self.theorem.name}: {self.headline}"),
                Sentences([self.reason]),
                *(() if self.prediction is None else self.prediction.report().blocks),
                Table(["constant", "value", "trust", "how"], constants, left=4),
                Sentences([] if self.measured is None else [f"measured: {self._measurement(self.measured)}"]),
                Table(["check", "outcome", "result"], checks, left=3),
                Table(["instance", "answer", "measured/bound", "engine"], cases, left=4),
                Sentences([f"record: {self.record}"] if self.record else []),
            )
        )

    def _measurement(self, estimate: Estimate) -> str:
        how = f"{self.engine} engine" + (
            f", {format_count(self.replicas, 'replica')}" if self.replicas else ""
        )
        interval = (
            f" in [{estimate.low:.6g}, {estimate.high:.6g}] (99 %)"
            if estimate.low < estimate.high
            else ", exact"
        )
        return f"{self.theorem.claim.plain} = {estimate.value:.6g}{interval}   ({how})"


def _ratio(case: Case) -> str:
    if case.ratio is None:
        return ""
    low, high = case.interval or (case.ratio, case.ratio)
    return f"{case.ratio:.4g}" + (f" in [{low:.4g}, {high:.4g}]" if low < high else "")
