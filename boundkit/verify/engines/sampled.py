"""What the two sampling engines share: replicas in chunks, observed every round, stopped when not finite."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, ClassVar

import numpy as np
from numpy.typing import NDArray

from boundkit.algebra import BoundkitError
from boundkit.verify.algorithms import Received, State
from boundkit.verify.engines.grouped import Axes
from boundkit.verify.engines.weighing import Weighing
from boundkit.verify.participation import Clients
from boundkit.verify.run import Run
from boundkit.verify.streams import Streams
from boundkit.verify.trajectory import Trajectory

if TYPE_CHECKING:
    import torch

Array = NDArray[np.float64]
Progress = Callable[[int, int], None]
_CHUNK_BYTES = 4 * 2**20
"""How large one tensor (replicas, clients, parameters) of a chunk may be: about what a cache holds."""


class Sampled(ABC):
    """Runs replicas, each on its own random streams, in chunks that change nothing but the speed."""

    name: ClassVar[str]
    least_chunk: ClassVar[int] = 1

    def __init__(
        self,
        run: Run,
        replicas: int = 1,
        dtype: str = "float64",
        device: str = "cpu",
        chunk: int | None = None,
    ) -> None:
        import torch

        if dtype not in ("float32", "float64"):
            raise BoundkitError(f"dtype must be float32 or float64, but it is {dtype!r}.")
        self.run, self.replicas = run, replicas
        self.dtype, self.device = getattr(torch, dtype), chosen_device(device)
        self.weighing = Weighing(run)
        self.axes = None if run.problem.basis is None else Axes(run.problem.basis, self.dtype, self.device)
        row = run.problem.m * run.problem.d * self.dtype.itemsize
        self.chunk = chunk or min(replicas, max(self.least_chunk, _CHUNK_BYTES // max(row, 1)))

    @property
    def random(self) -> bool:
        """Whether two replicas would differ."""
        from boundkit.verify.participation import FixedSubset

        laws = (self.run.participation.law(t) for t in range(self.run.participation.period))
        certain = all(isinstance(law, FixedSubset) or law.size == law.clients for law in laws)
        return self.run.problem.noise > 0 or not certain

    def trajectory(self, progress: Progress | None = None) -> Trajectory:
        """All replicas; ``progress(done, total)`` is called after each round of each chunk."""
        replicas = self.replicas if self.random else 1
        parts = []
        for first in range(0, replicas, self.chunk):
            count = min(self.chunk, replicas - first)
            tick = partial(_tell, progress, first * self.run.rounds, count, replicas * self.run.rounds)
            parts.append(self._chunk(first, count, tick))
        end = min(len(x) for x, _ in parts)
        total = sum((x[:end] for x, _ in parts), np.zeros((end, self.run.problem.d)))
        whole = end == self.run.rounds + 1
        return Trajectory(
            algorithm=self.run.algorithm.name,
            engine=self.name,
            x=total / replicas,
            random=self.random,
            observed={n: np.concatenate([o[n][:, :end] for _, o in parts]) for n in parts[0][1]},
            outcome="done" if whole else "diverged",
            diverged_at=None if whole else end,
            settings={"device": self.device, "dtype": str(self.dtype).split(".")[1], "chunk": self.chunk},
        )

    @np.errstate(over="ignore", invalid="ignore")  # a run that diverges is an outcome, not a warning
    def _chunk(self, first: int, count: int, tick: Callable[[int], object]) -> tuple[Array, dict[str, Array]]:
        """The sum of x over the chunk, (T' + 1, d), and each observable, (count, T' + 1)."""
        import torch

        run, streams = self.run, Streams(self.run.seed, count, first)
        x0 = torch.as_tensor(run.x0, dtype=self.dtype, device=self.device).expand(count, -1)
        state = run.algorithm.start(x0)
        xs: list[Array] = []
        seen: list[dict[str, Array]] = []
        for t in range(run.rounds + 1):
            x = state["x"]
            values = {n: v.double().cpu().numpy() for n, v in run.problem.observe(x).items()}
            if not (bool(torch.isfinite(x).all()) and all(np.isfinite(v).all() for v in values.values())):
                break
            xs.append(x.double().sum(dim=0).cpu().numpy())
            seen.append(values)
            if t < run.rounds:
                clients = run.participation.draw(t, streams)
                if clients.shape[-1]:
                    state = self.round(t, state, clients, streams)
                tick(t + 1)
        if not xs:
            raise BoundkitError("the loss at x0 is not finite; start nearer.")
        return np.stack(xs), {n: np.stack([s[n] for s in seen], axis=1) for n in seen[0]}

    def normal(self, streams: Streams, *shape: int) -> torch.Tensor:
        """Standard normals of shape (R, *shape), at the precision and on the device of the run."""
        import torch

        kind = np.float64 if self.dtype == torch.float64 else np.float32
        return torch.as_tensor(streams.normal(*shape, dtype=kind), device=self.device)

    def receive(self, state: State, updates: torch.Tensor, clients: Clients) -> State:
        """The server's step on these updates."""
        weights = updates.new_tensor(self.weighing.of(clients))
        return self.run.algorithm.server_step(state, Received(updates, clients, weights), self.run.eta_s)

    @abstractmethod
    def round(self, t: int, state: State, clients: Clients, streams: Streams) -> State:
        """The state after round t, in which these clients came (at least one)."""


def _tell(progress: Progress | None, done: int, count: int, total: int, t: int) -> None:
    if progress is not None:
        progress(done + count * t, total)


def chosen_device(device: str) -> str:
    """cpu, cuda, or the better of the two that is there for auto.

    Raises BoundkitError where cuda is asked for and absent.
    """
    import torch

    if device not in ("cpu", "cuda", "auto"):
        raise BoundkitError(f"device must be cpu, cuda or auto, but it is {device!r}.")
    if device == "cuda" and not torch.cuda.is_available():
        raise BoundkitError("device cuda was asked for, but torch finds no GPU here; use cpu or auto.")
    return ("cuda" if torch.cuda.is_available() else "cpu") if device == "auto" else device
