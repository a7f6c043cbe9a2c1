"""Recorder of a chunk of replicas: iterates, observables, and observables inside rounds."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from boundkit.algebra import BoundkitError
from boundkit.simulation.algorithms import Round, State
from boundkit.simulation.run import Run

if TYPE_CHECKING:
    import torch

Array = NDArray[np.float64]
_ROUNDING = 1e-6
_BLOCK = 1024
"""Rounds whose arrays are packed into one."""
VIRTUAL = ("gradient_norm_squared", "loss_gap")
"""Observables at the mean of the local models, averaged over the local steps of each round."""


def refuse_unseen_start(run: Run) -> None:
    """Raise BoundkitError where rounds count from a starting round that may not be observed."""
    if run.every > 1 and run.algorithm.settings.get("wait"):
        raise BoundkitError(
            "a run that waits counts its rounds from where it begins, which may lie between two that are "
            f"observed: take every = 1 and not {run.every}, or the option wait false."
        )


class _Rows:
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


def _stacked(rows: list[dict[str, Array]]) -> dict[str, Array]:
    return {n: np.stack([row[n] for row in rows], axis=1) for n in rows[0]}


class RoundRecorder:
    """Records of ``count`` replicas of a run, round by round."""

    def __init__(self, run: Run, count: int) -> None:
        self.run, self.count = run, count
        self.reported_losses = np.full((count, run.problem.m), np.inf)
        self._points = _Rows()
        self._path: list[Array] = []
        self._whole = not run.problem.large  # else means over the replicas are kept of points, not each
        self._there = np.zeros(count, dtype=bool)
        self._seen, self._noted, self._inside = _Rows(), _Rows(), _Rows()
        self._round, self._latest, self._before = 0, dict[str, Array](), dict[str, Array]()
        self._at: dict[str, Array] = {}
        self._begun = np.full(count, -1)
        self._iterate: torch.Tensor | None = None
        self._reported: tuple[Any, Array] | None = None

    def look(self, t: int, state: State) -> bool:
        """Record x_t and its observables; return False, and record nothing, where they are not finite."""
        import torch

        algorithm, problem, x = self.run.algorithm, self.run.problem, state["x"]
        further = algorithm.models(state)
        values = problem.observe(x)
        for prefix, other in self.run.watch.items():
            values |= {f"{prefix}_{n}": v for n, v in other.observe(x).items()}
        for prefix, point in further.items():
            values |= {f"{prefix}_{n}": v for n, v in problem.observe(point).items()}
        if self.run.iterate_ratio is not None:
            mean = x if self._iterate is None else self._iterate
            values |= {f"weighted_iterate_{n}": v for n, v in problem.observe(mean).items()}
            kept = self.run.iterate_ratio
            share = (1 - kept) / (1 - kept ** (t + 1))  # s_t over s_0 + ... + s_t
            self._iterate = mean + share * (x - mean)
        seen = {n: v.double().cpu().numpy() for n, v in values.items()}
        if not (bool(torch.isfinite(x).all()) and all(np.isfinite(v).all() for v in seen.values())):
            return False
        waiting = algorithm.waiting(state)
        running = np.ones(self.count, bool) if waiting is None else ~waiting.cpu().numpy()
        if not running.all() and not self._whole and self.count > 1:
            raise BoundkitError(
                "replicas of a large model that begin at different rounds are run one by one: chunk 1."
            )
        self._begun[running & (self._begun < 0)] = len(self._points)
        points = {n: v.double().cpu().numpy() for n, v in {"": x, **further}.items()}
        if not self._whole:
            self._path.append(points[""][0].copy())
            points = {n: v.sum(axis=0, keepdims=True) for n, v in points.items()}
        self._points.append(points)
        self._seen.append(seen)
        self._before = self._latest
        return True

    @property
    def rounds(self) -> Sequence[int]:
        """The observed rounds."""
        return self.run.observed[: len(self._seen)]

    def reached(self) -> bool:
        """Whether every replica has reached the run's target."""
        if self.run.until is None:
            return False
        name, level = self.run.until
        seen = self._seen.last()
        if name not in seen:
            raise BoundkitError(f"this problem has no {name.replace('_', ' ')} to wait for.")
        now = seen[name]
        near = _ROUNDING * abs(level)  # 0.9 in single precision is below 0.9
        self._there |= now >= level - near if "accuracy" in name else now <= level + near
        return bool(self._there.all())

    def begin(self, round: Round) -> None:
        """Reset the records inside the round at its start."""
        self._at = {}
        self._reported = None

    def inside(self, round: Round, y: torch.Tensor, k: int) -> None:
        """The local models before local step k, (R, n, d)."""
        stepping = round.steps > k if round.counts is None else (round.steps > k) & (round.counts > 0)
        active = np.broadcast_to(stepping, (self.count, round.clients.shape[-1]))
        if self.run.looks_inside:
            seen, at, on = self.run.problem.observe(round.average(y)), self._at, active.any(axis=1)
            for name in VIRTUAL:
                if name in seen:
                    value = np.where(on, seen[name].double().cpu().numpy(), 0.0)
                    at[name] = at.get(name, np.zeros(self.count)) + value
            at["steps"] = at.get("steps", np.zeros(self.count)) + on
        if self.run.local_spread:
            apart, at = self._apart(round, y), self._at
            worst = np.where(active, apart, 0.0).max(axis=1)
            at["spread"] = np.maximum(at.get("spread", worst), worst)
        if self.run.participation.reports_losses:
            losses = self.run.problem.losses_at(round.clients, y).double().cpu().numpy()
            before = np.zeros(active.shape) if self._reported is None else self._reported[1]
            self._reported = (round, before + np.where(active, losses, 0.0))

    def _apart(self, round: Round, y: torch.Tensor) -> Array:
        """||grad F_i(y_i) - grad F(y_i)||^2, (R, n)."""
        import torch

        problem, (R, n, d) = self.run.problem, y.shape
        each = y.reshape(R * n, 1, d).expand(R * n, problem.m, d).contiguous()
        all_of_them = problem.gradients(np.arange(problem.m), each)(each).reshape(R, n, problem.m, d)
        p = torch.as_tensor(problem.p, dtype=y.dtype, device=y.device)
        mean = (p[:, None] * all_of_them).sum(dim=2)
        own = problem.gradients(round.clients, y)(y)
        return np.asarray((own - mean).square().sum(dim=-1).double().cpu().numpy())

    def end(self, state: State) -> None:
        """Record the end of a round in this state."""
        noted = self.run.algorithm.diagnostics(state)
        self._latest = {n: v.double().cpu().numpy() for n, v in noted.items()}
        if self.run.looked_at(self._round):
            self._noted.append(self._latest)
        if self.run.every == 1 and (self.run.looks_inside or self.run.local_spread):
            none = np.zeros(self.count)
            self._inside.append({n: self._at.get(n, none) for n in (*VIRTUAL, "steps", "spread")})
        self._round += 1
        if self._reported is not None:
            round, total = self._reported
            shape = (self.count, round.clients.shape[-1])
            who, steps = np.broadcast_to(round.clients, shape), np.broadcast_to(round.steps, shape)
            mean = total / np.maximum(steps, 1)
            if round.counts is not None:
                mean = np.where(round.counts > 0, mean, np.take_along_axis(self.reported_losses, who, axis=1))
            np.put_along_axis(self.reported_losses, who, mean, axis=1)

    @property
    def path(self) -> Array | None:
        """The iterates of the first replica of a large problem, (T' + 1, d); None of others."""
        return np.stack(self._path) if self._path else None

    def written(self) -> tuple[dict[str, Array], dict[str, Array], bool]:
        """Points (R, T' + 1, d), observables (R, T' + 1), and whether some replica has yet to begin.

        Points are the iterates, under "", and further models, under their prefix; for a large problem they
        are sums over the replicas, (1, T' + 1, d).

        Each replica's rounds count from its starting round; all are cut to the shortest.
        """
        if not self._points:
            raise BoundkitError("the loss at x0 is not finite; start nearer.")
        waits = bool((self._begun < 0).any())
        last = len(self._points) - 1
        first = np.where(self._begun < 0, last, self._begun)
        series = self._seen.stacked()
        series |= self._of_rounds(series)
        points = self._points.stacked()
        if not first.any():
            return points, series, waits
        length = last + 1 - int(first.max())
        keep = first[:, None] + np.arange(length)
        cut = {n: np.take_along_axis(v, keep, axis=1) for n, v in series.items()}
        kept = {n: np.take_along_axis(v, keep[: len(v), :, None], axis=1) for n, v in points.items()}
        return kept, cut, waits

    def _of_rounds(self, series: dict[str, Array]) -> dict[str, Array]:
        """Per-round numbers as series of length T' + 1: round t at index t; the last entry is no round."""
        rounds, found = len(self._points) - 1, dict[str, Array]()
        if rounds and self._before:
            for n, values in self._noted.stacked().items():
                found[n] = np.concatenate([values[:, :rounds], self._before[n][:, None]], axis=1)
        if not rounds or not len(self._inside):
            return found
        inside = {n: values[:, :rounds] for n, values in self._inside.stacked().items()}
        if self.run.local_spread:
            spread = inside["spread"]
            found["local_spread"] = np.concatenate([spread, spread[:, -1:]], axis=1)
        if self.run.looks_inside:
            steps = inside["steps"]
            for name in set(VIRTUAL) & set(series):
                at = series[name][:, : rounds + 1].copy()
                mean = inside[name] / np.maximum(steps, 1)
                at[:, :-1] = np.where(steps > 0, mean, at[:, :-1])  # nobody: the model rests
                found[f"virtual_{name}"] = at
        return found
