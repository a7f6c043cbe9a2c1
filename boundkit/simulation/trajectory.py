"""The result of a run: the server's iterates and their observables."""

from __future__ import annotations

from dataclasses import dataclass, field
from textwrap import shorten
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from boundkit.algebra import BoundkitError
from boundkit.algebra.extras import require
from boundkit.report import Heading, Report, Reported, Table
from boundkit.report.formatting import format_count
from boundkit.simulation.arrays import Array
from boundkit.simulation.confidence_interval import (
    Estimate,
    confidence_margin,
    estimate_mean,
    replica_scale,
    standard_error,
)

if TYPE_CHECKING:
    import xarray as xr

    from boundkit.algebra import Claim

Outcome = Literal["done", "diverged", "waiting"]
"""diverged: some round is not finite. waiting: a run, or some replica of it, has not begun."""


_SHOWN = 6
"""Number of rounds displayed in a table of a run."""


_UNITS = {"gradient_norm_squared": "[F]^2/[x]^2", "gradient_norm": "[F]/[x]", "loss_gap": "[F]",
          "loss": "[F]", "distance_squared": "[x]^2", "distance": "[x]", "accuracy": "1"}  # fmt: skip
"""The unit of an observable, by the end of its name."""


def _units(observable: str) -> dict[str, str]:
    """The unit of an observable as an attribute; nothing where its name has none."""
    return next(({"units": unit} for end, unit in _UNITS.items() if observable.endswith(end)), {})


@dataclass(frozen=True, repr=False)
class Trajectory(Reported):
    """Rounds 0, ..., T of a run, or as many as were finite.

    ``x``: (T + 1, d), the server's iterate or its mean over replicas. ``observed``: each observable,
    (R, T + 1) where it was sampled, (1, T + 1) where it is an exact expectation or one
    deterministic run. ``outcome`` is "diverged" where round ``diverged_at`` is the first that is not
    finite; the arrays end before it. ``settings``: device, precision and chunk size of a sampled run,
    on which the last bits depend. ``models``: further points at which the algorithm is observed, (T + 1, d)
    each, such as FedAWE's ``mean_model`` of all stored models. ``observed_at``: the observed rounds, where
    not all are. ``path``: the first replica's iterates where d is large. ``options``: those of the algorithm
    that are not the paper's, as text.
    """

    algorithm: str
    engine: str
    x: Array
    observed: dict[str, Array]
    random: bool
    outcome: Outcome = "done"
    diverged_at: int | None = None
    settings: dict[str, Any] = field(default_factory=dict)
    models: dict[str, Array] = field(default_factory=dict)
    observed_at: tuple[int, ...] | None = None
    path: Array | None = None
    options: tuple[str, ...] = ()

    @property
    def rounds(self) -> NDArray[np.intp]:
        """The observed rounds, (T' + 1,): all, unless the run observes only some."""
        return np.arange(len(self.x)) if self.observed_at is None else np.array(self.observed_at)

    @property
    def replicas(self) -> int:
        """R, the number of runs; 1 where the expectation is exact or nothing is random."""
        return len(next(iter(self.observed.values())))

    def mean(self, observable: str) -> Array:
        """The mean over replicas, (T + 1,)."""
        series = self._series(observable)
        scale = replica_scale(series)
        return np.asarray((series / scale).mean(axis=0) * scale)

    def standard_error(self, observable: str) -> Array:
        """The standard error of that mean, (T + 1,); 0 where nothing is random."""
        return standard_error(self._series(observable)) if self.random else 0 * self.mean(observable)

    def measure(self, claim: Claim, level: float = 0.99) -> Estimate:
        """The claimed quantity, with a Student t interval over replicas where the run is random.

        The summary is computed in each replica first, because rounds are not independent.
        """
        each = claim.measure(self._series(claim.observable))
        return estimate_mean(each, self.random, level)

    def at_end(self, observable: str, last: int = 1, level: float = 0.95) -> Estimate:
        """The mean over the last observed rounds, in each replica first, with its Student t interval.

        Raises BoundkitError where the run diverged: it then has no final value.
        """
        if self.outcome == "diverged":
            raise BoundkitError(f"the run diverged in round {self.diverged_at}, so it has no final value.")
        return estimate_mean(self._series(observable)[:, -last:].mean(axis=1), self.random, level)

    def running(self, claim: Claim, level: float = 0.99) -> tuple[Array, Array, Array]:
        """The claimed quantity at every horizon 1, ..., T: its mean, low and high ends."""
        each = claim.running(self._series(claim.observable))
        mean = each.mean(axis=0)
        margin = confidence_margin(each, self.random, level)
        return mean, mean - margin, mean + margin

    def to_dataset(self) -> xr.Dataset:
        """The iterates, (round, coordinate), and every observable, (replica, round), with units.

        A sampled run has its replicas, an exact expectation one. [F] is the unit of the loss, [x] that of
        the model. Needs xarray.
        """
        require("xarray")
        import xarray as xr

        data = xr.Dataset(
            coords={"round": ("round", self.rounds, {"long_name": "communication rounds", "units": "1"})},
            attrs={"algorithm": self.algorithm, "engine": self.engine, "outcome": self.outcome},
        )
        for name, points in {"x": self.x, **self.models}.items():
            meaning = "server model" if name == "x" else name.replace("_", " ")
            data[name] = (("round", "coordinate"), points, {"long_name": meaning, "units": "[x]"})
        for name, series in self.observed.items():
            own = {"long_name": name.replace("_", " "), **_units(name)}
            data[name] = (("replica", "round"), series, own)
        return data

    def report(self) -> Report:
        """The observables at some rounds."""
        return Report((Heading(self._title()), Table(*self._columns(), left=0)))

    def _title(self) -> str:
        ended = "" if self.diverged_at is None else f", diverged in round {self.diverged_at}"
        many = f", {format_count(self.replicas, 'replica')}" if self.random else ""
        last = int(self.rounds[-1]) if len(self.x) else 0
        options = ", ".join(shorten(each, 40, placeholder=" ...") for each in self.options)
        name = f"{self.algorithm} ({options})" if options else self.algorithm
        return f"{name}: {last} rounds by the {self.engine} engine{many}{ended}"

    def _columns(self) -> tuple[list[str], list[list[str]]]:
        """Each observable at a few rounds, its mean with the standard error where there is one."""
        places = np.unique(np.linspace(0, len(self.rounds) - 1, min(_SHOWN, len(self.rounds))).round())
        header, columns = ["round"], [[str(self.rounds[int(k)]) for k in places]]
        for name in self.observed:
            mean, error = self.mean(name), self.standard_error(name)
            header.append(name.replace("_", " "))
            columns.append([f"{mean[int(k)]:.6g}" for k in places])
            if self.random and self.replicas > 1:
                header.append("±")
                columns.append([f"{error[int(k)]:.2g}" for k in places])
        return header, [list(row) for row in zip(*columns, strict=True)]

    def _series(self, observable: str) -> Array:
        if observable not in self.observed:
            raise BoundkitError(f"this problem has no {observable.replace('_', ' ')} to measure.")
        return self.observed[observable]

    def to_dict(self) -> dict[str, Any]:
        """The answer of ``simulate --json``, without NaN."""
        result: dict[str, Any] = {
            "algorithm": self.algorithm,
            "options": list(self.options),
            "engine": self.engine,
            "outcome": self.outcome,
            "diverged_at": self.diverged_at,
            "rounds": int(self.rounds[-1]) if len(self.x) else 0,
            **({} if self.observed_at is None else {"observed_at": list(self.observed_at)}),
            "replicas": self.replicas if self.random else None,
            "settings": self.settings,
            "x": self.x.tolist(),
            **{name: points.tolist() for name, points in self.models.items()},
            **{name: self.mean(name).tolist() for name in self.observed},
        }
        if self.random and self.replicas > 1:
            result["standard_errors"] = {name: self.standard_error(name).tolist() for name in self.observed}
        return result
