"""Recorder of a chunk of replicas: iterates, observables, and observables at local steps."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from boundkit.algebra import BoundkitError
from boundkit.simulation.algorithms import Round, State
from boundkit.simulation.arrays import AnyArray, Array, array_namespace, as_like, to_float64, to_numpy
from boundkit.simulation.run import Run

_ROUNDING = 1e-6
_BLOCK = 1024
"""Rounds whose arrays are packed into one."""
VIRTUAL_OBSERVABLES = ("gradient_norm_squared", "loss_gap")
"""Observables at the mean of the local models, averaged over the local steps of each round."""


def refuse_unobserved_start(run: Run) -> None:
    """Raise BoundkitError where rounds count from a starting round that may not be observed."""
    if run.every > 1 and run.algorithm.settings.get("wait"):
        raise BoundkitError(
            "the rounds of a run that waits count from its starting round, which may lie between two "
            f"observed ones: take every = 1 and not {run.every}, or the option wait false."
        )


class _Series:
    """Arrays of rounds by name, (R, ...), packed in blocks, to avoid the overhead of small arrays."""

    def __init__(self) -> None:
        self._blocks: list[dict[str, Array]] = []
        self._rows: list[dict[str, Array]] = []

    def __len__(self) -> int:
        return _BLOCK * len(self._blocks) + len(self._rows)

    def append(self, row: dict[str, Array]) -> None:
        """Add the arrays of one round."""
        self._rows.append(row)
        if len(self._rows) == _BLOCK:
            self._blocks.append(_stacked(self._rows))
            self._rows = []

    def last(self) -> dict[str, Array]:
        """The arrays of the last round."""
        return self._rows[-1] if self._rows else {n: v[:, -1] for n, v in self._blocks[-1].items()}

    def stacked(self) -> dict[str, Array]:
        """All rounds, (R, T', ...)."""
        blocks = [*self._blocks, *([_stacked(self._rows)] if self._rows else [])]
        return {n: np.concatenate([b[n] for b in blocks], axis=1) for n in blocks[0]} if blocks else {}


def _summed(points: AnyArray) -> AnyArray:
    """The sum over the replicas, (1, ...), in float64."""
    xp = array_namespace(points)
    return xp.sum(points, axis=0, keepdims=True, dtype=xp.float64)


def _stacked(rows: list[dict[str, Array]]) -> dict[str, Array]:
    return {n: np.stack([row[n] for row in rows], axis=1) for n in rows[0]}


class RoundRecorder:
    """Records of ``count`` replicas of a run, round by round."""

    def __init__(self, run: Run, count: int) -> None:
        self.run, self.count = run, count
        self.reported_losses = np.full((count, run.problem.m), np.inf)
        self._points = _Series()
        self._path: list[Array] = []
        self._keeps_replicas = not run.problem.large  # else only sums over the replicas
        self._reached = np.zeros(count, dtype=bool)
        self._observed, self._diagnostics, self._local = _Series(), _Series(), _Series()
        self._round = 0
        self._last_diagnostics: dict[str, Array] = {}
        self._diagnostics_before: dict[str, Array] = {}
        self._round_sums: dict[str, Array] = {}
        self._start = np.full(count, -1)
        self._mean_iterate: AnyArray | None = None
        self._round_losses: tuple[Any, Array] | None = None

    def observe(self, t: int, state: State) -> bool:
        """Record x_t and its observables; return False, and record nothing, where they are not finite."""
        algorithm, problem, x = self.run.algorithm, self.run.problem, state["x"]
        xp = array_namespace(x)
        further = algorithm.models(state)
        values = problem.observe(x)
        for prefix, other in self.run.objectives.items():
            values |= {f"{prefix}_{n}": v for n, v in other.observe(x).items()}
        for prefix, point in further.items():
            values |= {f"{prefix}_{n}": v for n, v in problem.observe(point).items()}
        if self.run.iterate_ratio is not None:
            mean = x if self._mean_iterate is None else self._mean_iterate
            values |= {f"weighted_iterate_{n}": v for n, v in problem.observe(mean).items()}
            ratio = self.run.iterate_ratio
            share = (1 - ratio) / (1 - ratio ** (t + 1))  # s_t over s_0 + ... + s_t
            self._mean_iterate = mean + share * (x - mean)
        numbers = to_float64(xp.stack([xp.astype(v, xp.float64) for v in values.values()]))
        observed = dict(zip(values, numbers, strict=True))
        if not (bool(xp.all(xp.isfinite(x))) and np.isfinite(numbers).all()):
            return False
        waiting = algorithm.waiting(state)
        running = np.ones(self.count, bool) if waiting is None else ~to_numpy(waiting)
        if not running.all() and not self._keeps_replicas and self.count > 1:
            raise BoundkitError(
                "replicas of a large model that begin at different rounds are run one by one: chunk 1."
            )
        self._start[running & (self._start < 0)] = len(self._points)
        points = {"": x, **further}
        if not self._keeps_replicas:
            self._path.append(to_float64(x[0]).copy())
            points = {n: _summed(v) for n, v in points.items()}
        self._points.append({n: to_float64(v) for n, v in points.items()})
        self._observed.append(observed)
        self._diagnostics_before = self._last_diagnostics
        return True

    @property
    def rounds(self) -> Sequence[int]:
        """The observed rounds."""
        return self.run.observed_rounds[: len(self._observed)]

    def reached_target(self) -> bool:
        """Whether every replica has reached the run's target."""
        if self.run.until is None:
            return False
        name, level = self.run.until
        observed = self._observed.last()
        if name not in observed:
            raise BoundkitError(f"this problem has no {name.replace('_', ' ')} to wait for.")
        value = observed[name]
        near = _ROUNDING * abs(level)  # 0.9 in single precision is below 0.9
        self._reached |= value >= level - near if "accuracy" in name else value <= level + near
        return bool(self._reached.all())

    def start_round(self, round: Round) -> None:
        """Reset the sums over local steps at the start of a round."""
        self._round_sums = {}
        self._round_losses = None

    def observe_local_step(self, round: Round, y: AnyArray, k: int) -> None:
        """The local models before local step k, (R, n, d)."""
        takes_step = round.steps > k if round.counts is None else (round.steps > k) & (round.counts > 0)
        active = np.broadcast_to(takes_step, (self.count, round.clients.shape[-1]))
        if self.run.observes_local_steps:
            observed, sums = self.run.problem.observe(round.average(y)), self._round_sums
            stepping = active.any(axis=1)
            for name in VIRTUAL_OBSERVABLES:
                if name in observed:
                    value = np.where(stepping, to_float64(observed[name]), 0.0)
                    sums[name] = sums.get(name, np.zeros(self.count)) + value
            sums["steps"] = sums.get("steps", np.zeros(self.count)) + stepping
        if self.run.local_spread:
            deviations, sums = self._gradient_deviations(round, y), self._round_sums
            largest = np.where(active, deviations, 0.0).max(axis=1)
            sums["spread"] = np.maximum(sums.get("spread", largest), largest)
        if self.run.participation.reports_losses:
            losses = to_float64(self.run.problem.losses_at(round.clients, y))
            before = np.zeros(active.shape) if self._round_losses is None else self._round_losses[1]
            self._round_losses = (round, before + np.where(active, losses, 0.0))

    def _gradient_deviations(self, round: Round, y: AnyArray) -> Array:
        """||grad F_i(y_i) - grad F(y_i)||^2, (R, n)."""
        xp, problem, (R, n, d) = array_namespace(y), self.run.problem, y.shape
        each = xp.repeat(y.reshape(R * n, 1, d), problem.m, axis=1)
        all_gradients = problem.gradients(np.arange(problem.m), each)(each).reshape(R, n, problem.m, d)
        mean = xp.sum(as_like(problem.p, y)[:, None] * all_gradients, axis=2)
        own = problem.gradients(round.clients, y)(y)
        return to_float64(xp.sum((own - mean) ** 2, axis=-1))

    def end_round(self, state: State) -> None:
        """Record the end of a round in this state."""
        diagnostics = self.run.algorithm.diagnostics(state)
        self._last_diagnostics = {n: to_float64(v) for n, v in diagnostics.items()}
        if self.run.observes(self._round):
            self._diagnostics.append(self._last_diagnostics)
        if self.run.every == 1 and (self.run.observes_local_steps or self.run.local_spread):
            zeros = np.zeros(self.count)
            self._local.append(
                {n: self._round_sums.get(n, zeros) for n in (*VIRTUAL_OBSERVABLES, "steps", "spread")}
            )
        self._round += 1
        if self._round_losses is not None:
            round, total = self._round_losses
            shape = (self.count, round.clients.shape[-1])
            clients, steps = np.broadcast_to(round.clients, shape), np.broadcast_to(round.steps, shape)
            mean = total / np.maximum(steps, 1)
            if round.counts is not None:
                mean = np.where(
                    round.counts > 0, mean, np.take_along_axis(self.reported_losses, clients, axis=1)
                )
            np.put_along_axis(self.reported_losses, clients, mean, axis=1)

    @property
    def path(self) -> Array | None:
        """The iterates of the first replica of a large problem, (T' + 1, d); None of others."""
        return np.stack(self._path) if self._path else None

    def series(self) -> tuple[dict[str, Array], dict[str, Array], bool]:
        """Points (R, T' + 1, d), observables (R, T' + 1), and whether some replica has yet to begin.

        Points are the iterates, under "", and further models, under their prefix; for a large problem they
        are sums over the replicas, (1, T' + 1, d).

        Each replica's rounds count from its starting round; all are cut to the shortest.
        """
        if not self._points:
            raise BoundkitError("the loss at x0 is not finite; start nearer.")
        waiting = bool((self._start < 0).any())
        last = len(self._points) - 1
        first = np.where(self._start < 0, last, self._start)
        series = self._observed.stacked()
        series |= self._of_rounds(series)
        points = self._points.stacked()
        if not first.any():
            return points, series, waiting
        length = last + 1 - int(first.max())
        rounds = first[:, None] + np.arange(length)
        series = {n: np.take_along_axis(v, rounds, axis=1) for n, v in series.items()}
        points = {n: np.take_along_axis(v, rounds[: len(v), :, None], axis=1) for n, v in points.items()}
        return points, series, waiting

    def _of_rounds(self, series: dict[str, Array]) -> dict[str, Array]:
        """Per-round numbers as series of length T' + 1: round t at index t; the last entry is no round."""
        rounds, result = len(self._points) - 1, dict[str, Array]()
        if rounds and self._diagnostics_before:
            for n, values in self._diagnostics.stacked().items():
                result[n] = np.concatenate([values[:, :rounds], self._diagnostics_before[n][:, None]], axis=1)
        if not rounds or not len(self._local):
            return result
        local = {n: values[:, :rounds] for n, values in self._local.stacked().items()}
        if self.run.local_spread:
            spread = local["spread"]
            result["local_spread"] = np.concatenate([spread, spread[:, -1:]], axis=1)
        if self.run.observes_local_steps:
            steps = local["steps"]
            for name in set(VIRTUAL_OBSERVABLES) & set(series):
                values = series[name][:, : rounds + 1].copy()
                mean = local[name] / np.maximum(steps, 1)
                values[:, :-1] = np.where(steps > 0, mean, values[:, :-1])  # the model of an empty round
                result[f"virtual_{name}"] = values
        return result
