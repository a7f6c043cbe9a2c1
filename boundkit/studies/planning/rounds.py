"""Rounds to a target against local steps: by a theorem with constants in ranges, or by a fit to logs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from itertools import product
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray
from sympy import simplify

from boundkit.algebra import BoundkitError, Theorem
from boundkit.algebra.errors import unknown
from boundkit.algebra.notation import T
from boundkit.analysis.evaluate import evaluate, satisfied
from boundkit.analysis.step_size import largest, limit_at
from boundkit.report.formatting import join_names
from boundkit.simulation.arrays import Array
from boundkit.simulation.confidence_interval import Estimate
from boundkit.studies.forecast import Forecast
from boundkit.studies.forecast.forecast import WIDEST

NOISE = ("stochastic noise", "partial participation", "noise drift")
"""Causes of terms that vanish without noise and sampling of clients."""
Range = tuple[float, float]
ETA_S: Range = (0.1, 10.0)
"""The server steps among which the best is chosen by default."""


class RoundsModel(Protocol):
    """Rounds to a target. Arrays have a row for each member: of a fit, or of the constants' ranges."""

    @property
    def kind(self) -> str:
        """Where the numbers come from: theorem or fitted."""

    @property
    def target(self) -> float:
        """The level to be reached."""

    @property
    def quantity(self) -> str:
        """What reaches it."""

    @property
    def representative(self) -> slice:
        """The members whose mean says what the time is spent on."""

    def admits(self, tau: int) -> str:
        """Why nothing is said about a tau; empty where something is."""

    def rounds(self, taus: Array) -> Array:
        """Rounds to the target, (members, taus); infinite where it is not reached."""

    def parallel_steps(self, accumulated: int = 1) -> Array:
        """Steps of data-parallel training to the target, (members,), each of so many gradients a replica."""

    def noiseless_steps(self) -> Array:
        """The same without noise and sampling of clients."""

    def estimate(self, values: Array) -> Estimate:
        """The value and its interval, from one value a member."""

    def steps_at(self, tau: int) -> dict[str, Range]:
        """The step sizes that were chosen for a tau, and their ranges over the members."""

    def is_measured(self, tau: int) -> bool:
        """Whether the rounds at a tau are those that a logged run took."""

    def largest_curvature(self, tau: int) -> float | None:
        """eta L at a tau, the largest over the members; None where it is not known."""


@dataclass(frozen=True, eq=False)
class TheoremRounds:
    """The least T at which the bound of a theorem is at most the target, with the best steps for each tau.

    ``constants``: a value or a range for each constant. Members are the middle (geometric), and all corners
    of the ranges. Where the bound grows in each constant, the interval of times is that of the ranges.
    """

    theorem: Theorem
    target: float
    settings: Mapping[str, float]
    constants: Mapping[str, Range]
    eta_s: Range = ETA_S
    eta: float | None = None
    kind: str = "theorem"

    def __post_init__(self) -> None:
        names = {q.name for q in self.theorem.quantities}
        own = {"T", "tau", "eta", "eta_s", "m", "C"}
        needed = [n for n in sorted(names - own) if n not in _OPTIONAL]
        for name in self.constants:
            if name not in names - own:
                raise unknown(f"constant of {self.theorem.name}", name, sorted(names - own))
        if missing := [name for name in needed if name not in self.constants]:
            raise BoundkitError(
                f"a plan by {self.theorem.name} needs {join_names(needed)}, as numbers or ranges such as "
                f"L=0.5:2, but {join_names(missing)} {'is' if len(missing) == 1 else 'are'} missing; or give "
                "logs."
            )
        if not {"tau", "eta", "T"} <= names or self.theorem.order_level or self.theorem.kind != "upper":
            raise BoundkitError(
                f"a plan needs an upper bound with constants, in T, tau and eta; {self.theorem.name} is "
                "none, fedavgm_nonconvex_partial_long_steps is one."
            )
        _ = self._initial

    @property
    def quantity(self) -> str:
        """What the theorem bounds."""
        return self.theorem.claim.name

    @cached_property
    def _initial(self) -> Any:
        """The initial gap times T."""
        falling = [t for t in self.theorem.terms if T in t.expr.free_symbols]
        constant = [simplify(t.expr * T) for t in falling]
        if not falling or any(T in each.free_symbols for each in constant):
            raise BoundkitError(
                f"a plan needs a bound whose initial gap falls as 1/T; that of {self.theorem.name} does not."
            )
        return sum(constant)

    @property
    def representative(self) -> slice:
        """The middle of the ranges."""
        return slice(0, 1)

    @property
    def members(self) -> list[dict[str, float]]:
        """The constants of each member, the middle first."""
        ranges = {n: r for n, r in self.constants.items() if r[0] != r[1]}
        fixed = {n: r[0] for n, r in self.constants.items() if r[0] == r[1]}
        middle = {n: float(np.sqrt(low * high)) if low > 0 else (low + high) / 2
                  for n, (low, high) in ranges.items()}  # fmt: skip
        corners = (
            [dict(zip(ranges, ends, strict=True)) for ends in product(*ranges.values())] if ranges else []
        )
        return [{**fixed, **each} for each in (middle, *corners)]

    def admits(self, tau: int) -> str:
        """Every tau is admitted."""
        return ""

    def rounds(self, taus: Array) -> Array:
        """See ``RoundsModel``."""
        return np.array([self._rounds(np.asarray(taus, float), c) for c in self.members])

    def parallel_steps(self, accumulated: int = 1) -> Array:
        """See ``RoundsModel``."""
        at = [{**c, "sigma": c.get("sigma", 0.0) / np.sqrt(accumulated)} for c in self.members]
        return np.array([self._rounds(np.ones(1), c)[0] for c in at])

    def noiseless_steps(self) -> Array:
        """See ``RoundsModel``."""
        at = [{**c, "sigma": 0.0} for c in self.members]
        return np.array([self._rounds(np.ones(1), c, C=1.0)[0] for c in at])

    def estimate(self, values: Array) -> Estimate:
        """The middle of the ranges, and the least and the largest value over their corners."""
        return Estimate(float(values[0]), float(values.min()), float(values.max()))

    def steps_at(self, tau: int) -> dict[str, Range]:
        """See ``RoundsModel``."""
        pairs = [self._best(np.array([float(tau)]), c) for c in self.members]
        eta, eta_s = (np.array([float(p[k][0]) for p in pairs]) for k in (1, 2))
        return {"eta": (eta.min(), eta.max()), "eta_s": (eta_s.min(), eta_s.max())}

    def is_measured(self, tau: int) -> bool:
        """Nothing is measured."""
        return False

    def largest_curvature(self, tau: int) -> float | None:
        """See ``RoundsModel``."""
        if "L" not in self.constants:
            return None
        products = []
        for constants in self.members:
            rounds, eta, _ = self._best(np.array([float(tau)]), constants)
            if np.isfinite(rounds[0]):
                products.append(constants["L"] * float(eta[0]))
        return max(products, default=None)

    def _rounds(self, taus: Array, constants: Mapping[str, float], **changed: float) -> Array:
        rounds = self._best(taus, constants, **changed)[0]
        return np.where(np.isfinite(rounds), np.maximum(np.ceil(rounds * (1 - 1e-12)), 1.0), np.inf)

    def _best(
        self, taus: Array, constants: Mapping[str, float], **changed: float
    ) -> tuple[Array, Array, Array]:
        """The fewest rounds over the steps, and these steps, at each tau."""
        values = {**_OPTIONAL, **self.settings, **constants, **changed}
        has_server = any(q.name == "eta_s" for q in self.theorem.quantities)
        low, high = np.log(self.eta_s) if has_server else (0.0, 0.0)
        server, rows = np.tile(np.linspace(low, high, _GRID), (len(taus), 1)), np.arange(len(taus))
        for _ in range(_ZOOMS):
            rounds, eta = self._best_eta(values, taus, np.exp(server))
            k = rounds.argmin(axis=1)
            best = rounds[rows, k], eta[rows, k], np.exp(server[rows, k])
            server = _zoomed(server, k[:, None], low, high)[:, 0]
        return best

    def _best_eta(self, values: Mapping[str, Any], taus: Array, server: Array) -> tuple[Array, Array]:
        """The fewest rounds over eta, and this eta, (taus, server steps)."""
        least = float(np.log(_LEAST_SHARE))
        share = np.broadcast_to(np.linspace(least, 0.0, 2 * _GRID), (*server.shape, 2 * _GRID))
        for _ in range(_ZOOMS):
            rounds, eta = self._at(values, taus, server, np.exp(share))
            k = rounds.argmin(axis=2)[..., None]
            best = np.take_along_axis(rounds, k, 2)[..., 0], np.take_along_axis(eta, k, 2)[..., 0]
            share = _zoomed(share, k, least, 0.0)[..., 0, :]
        return best

    def _at(self, values: Mapping[str, Any], taus: Array, server: Array, share: Array) -> tuple[Array, Array]:
        """Rounds and eta, (taus, server steps, shares of the largest eta)."""
        at = {**values, "tau": taus[:, None, None], "eta_s": server[:, :, None]}
        if self.eta is None:
            most = np.minimum(limit_at(largest(self.theorem), at), _NO_LIMIT)
            at["eta"] = np.broadcast_to(most, (*server.shape, 1)) * share
        else:
            at["eta"] = np.full(share.shape, self.eta)
        shape = share.shape
        start = evaluate(self._initial, at)
        rest = sum(
            (evaluate(t.expr, at) for t in self.theorem.terms if T not in t.expr.free_symbols),
            np.zeros(shape),
        )
        allowed = np.ones(shape, bool)
        for condition in (*self.theorem.step_size, *self.theorem.requires):
            allowed = allowed & satisfied(condition, at)
        left = self.target - rest
        with np.errstate(all="ignore"):
            rounds = np.where((left > 0) & allowed, start / left, np.inf)
        return np.broadcast_to(rounds, shape), at["eta"]


def _zoomed(grid: Array, places: NDArray[np.intp], low: float, high: float) -> Array:
    """Finer points between the neighbours of a place along the last axis, (..., 1, points)."""
    centre, width = np.take_along_axis(grid, places, -1), grid[..., 1:2] - grid[..., :1]
    ends = np.maximum(centre - width, low), np.minimum(centre + width, high)
    return np.moveaxis(np.linspace(*ends, _GRID // 2), 0, -1)


_OPTIONAL = {"beta_s": 0.0, "nesterov": 0.0}
_GRID, _ZOOMS, _NO_LIMIT, _LEAST_SHARE = 20, 3, 1e6, 1e-5


@dataclass(frozen=True, eq=False)
class FittedRounds:
    """Rounds until the loss is at most the target: those of the log where it reached it, else fitted.

    Fits are those of a forecast, without fluctuations. ``C``: participation, by default that of the log.
    """

    forecast: Forecast
    replicas: int
    C: float | None = None
    kind: str = "fitted"
    _known: dict[float, Array] = field(default_factory=dict)
    _measured: dict[float, float | None] = field(default_factory=dict)

    def __post_init__(self) -> None:
        base = self.forecast.runs[0].settings
        if "tau" not in base:
            raise BoundkitError(
                "the log does not say tau; give it as a column, or by --given tau=VALUE where it is one run."
            )
        if "tau" not in self.forecast.varied:
            raise BoundkitError(
                f"tau is {base['tau']:g} in every logged run, so nothing says what another one does: log a "
                "run at another tau."
            )
        if refusal := self.forecast.refuse(self._settings(base["tau"])):
            logged = sorted({run.settings["m"] for run in self.forecast.runs if "m" in run.settings})
            if logged and len(logged) == 1 and logged[0] != self.replicas:
                raise BoundkitError(
                    f"the logs are of {logged[0]:g} replicas (m), and nothing says what {self.replicas} do: "
                    f"plan for {logged[0]:g} replicas, or log a run at another m."
                )
            raise BoundkitError(f"no tau can be planned: {refusal}.")

    @property
    def target(self) -> float:
        """The level of the loss."""
        assert self.forecast.target is not None
        return self.forecast.target

    @property
    def quantity(self) -> str:
        """The column that was fitted."""
        return self.forecast.quantity

    @property
    def representative(self) -> slice:
        """All fits."""
        return slice(None)

    def _settings(self, tau: float) -> dict[str, float]:
        base = dict(self.forecast.runs[0].settings)
        changed = {"tau": float(tau)} | ({"m": float(self.replicas)} if "m" in base else {})
        return base | changed | ({} if self.C is None else {"C": self.C})

    def admits(self, tau: int) -> str:
        """See ``RoundsModel``."""
        if refusal := self.forecast.refuse(self._settings(tau)):
            return refusal
        estimate = self.forecast.quantiles(self._passages(float(tau)).tolist())
        return (
            f"the logs leave more than a factor of {WIDEST:g} in rounds open"
            if _is_wide(estimate, 1.0)
            else ""
        )

    def rounds(self, taus: Array) -> Array:
        """See ``RoundsModel``."""
        return np.column_stack([self._passages(tau) for tau in map(float, taus)])

    def _passages(self, tau: float) -> Array:
        if tau not in self._known:
            reached, count = self._reached(tau), len(self.forecast.members)
            fitted = self.forecast.passages(self._settings(tau)) if reached is None else None
            self._known[tau] = np.full(count, reached) if fitted is None else fitted
        return self._known[tau]

    def _reached(self, tau: float) -> float | None:
        """The round at which the runs of a tau reached the target, their median."""
        if tau not in self._measured:
            settings = self._settings(tau)
            logged = any(run.settings == settings for run in self.forecast.runs)
            self._measured[tau] = self.forecast.at(settings).reached if logged else None
        return self._measured[tau]

    def is_measured(self, tau: int) -> bool:
        """See ``RoundsModel``."""
        return self._reached(float(tau)) is not None

    def largest_curvature(self, tau: int) -> float | None:
        """A log does not say L."""
        return None

    def parallel_steps(self, accumulated: int = 1) -> Array:
        """By the shape, at tau = 1; not for accumulated gradients, of which the log says nothing."""
        if accumulated != 1:
            raise BoundkitError("a log says nothing about accumulated gradients.")
        return np.asarray(self.rounds(np.ones(1))[:, 0])

    def noiseless_steps(self) -> Array:
        """See ``RoundsModel``."""
        return self.forecast.passages(self._settings(1.0), without=NOISE)

    def estimate(self, values: Array) -> Estimate:
        """The median and the 90 % interval, open-ended where a forecast gives none."""
        result = self.forecast.quantiles(values.tolist())
        return Estimate(result.value, result.low, np.inf) if _is_wide(result) else result

    def steps_at(self, tau: int) -> dict[str, Range]:
        """Those of the log."""
        base = self._settings(tau)
        return {name: (base[name], base[name]) for name in ("eta", "eta_s") if name in base}


def _is_wide(estimate: Estimate, least: float = 0.0) -> bool:
    low = max(estimate.low, least)
    return bool(np.isfinite(estimate.high) and low > 0 and estimate.high > WIDEST * low)
