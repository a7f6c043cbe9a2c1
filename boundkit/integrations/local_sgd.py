"""Record of local SGD and DiLoCo across processes, from the hooks of torch's optimizers.

For torchft, Hugging Face accelerate and torch's own model averaging: each process has its own update, and the
mean update after an averaging. What a log needs of the others is three numbers, so that a round costs one
all-reduce of three numbers and two more copies of the model on each process.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Self

from boundkit.algebra import BoundkitError
from boundkit.simulation.tracking import Tracker

if TYPE_CHECKING:
    import torch


def record_local_sgd(
    log: Tracker | None, model: torch.nn.Module, optimizer: torch.optim.Optimizer, every: int,
    average: Callable[[torch.Tensor], torch.Tensor], *,
    replicas: int, outer: torch.optim.Optimizer | None = None,
) -> LocalSGDRecorder:  # fmt: skip
    """Record local SGD; call it before the training loop, and before ``LocalSGD`` or ``DiLoCo`` is entered.

    Parameters
    ----------
    log
        The recorder in one process; None in the others, which take part in the averages.
    model, optimizer
        The model of this process, whole, and its (inner) optimizer.
    every
        Local steps between two averagings.
    average
        The mean over the processes of a tensor of three numbers: ``lambda t: accelerator.reduce(t, "mean")``,
        or an all-reduce of torch.distributed or of torchft's manager.
    replicas
        The number of processes.
    outer
        The outer optimizer of DiLoCo, whose gradient is the mean update; without one the mean update is what
        averaging leaves.

    Notes
    -----
    DiLoCo is recorded with one fragment and without delay. A round that it discards is left out; of one in
    which replicas join or leave, or which torchft's ``LocalSGD`` discards, the norms are wrong.
    """
    return LocalSGDRecorder(log, model, optimizer, every, average, replicas, outer)


class LocalSGDRecorder:
    """Recorder of one process; see ``record_local_sgd``."""

    def __init__(
        self, log: Tracker | None, model: torch.nn.Module, optimizer: torch.optim.Optimizer, every: int,
        average: Callable[[torch.Tensor], torch.Tensor], replicas: int, outer: torch.optim.Optimizer | None,
    ) -> None:  # fmt: skip
        if every < 1:
            raise BoundkitError(f"every must be at least 1, but {every} was given.")
        self.log, self.model, self.every, self.average = log, model, every, average
        self.replicas, self._outer = replicas, outer
        self._step = self._round = 0
        self._loss: float | None = None
        self._start: Any = None
        self._local: Any = None
        self._mean: Any = None
        self._start_loss: float | None = None
        inner = getattr(optimizer, "optimizer", optimizer)  # accelerate wraps it, without hooks of its own
        self._hooks = [
            inner.register_step_pre_hook(self._before_step), inner.register_step_post_hook(self._after_step)
        ]  # fmt: skip
        if outer is not None:
            self._hooks.append(outer.register_step_pre_hook(self._before_outer_step))

    def observe(self, loss: Any) -> None:
        """The loss of the next local step; the first of a round is one of the model before the round.

        Parameters
        ----------
        loss
            That of a mini-batch, whose mean over the processes is recorded, or an evaluated one.
        """
        if self._step % self.every == 0:
            self._loss = float(loss.detach() if hasattr(loss, "detach") else loss)

    def close(self) -> None:
        """Record the last round, where it was averaged, and remove the hooks."""
        if self._step % self.every == 0:
            self._finish_round()
        for hook in self._hooks:
            hook.remove()
        if self.log is not None:
            self.log.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def _parameters(self) -> Any:
        import torch

        return torch.cat([p.detach().flatten().double() for p in self.model.parameters()])

    def _before_step(self, *_: Any) -> None:
        if self._step % self.every == 0:
            self._start = self._finish_round()
            self._start_loss = self._loss
            self._loss = None

    def _after_step(self, *_: Any) -> None:
        self._step += 1
        if self._step % self.every == 0:
            self._local = self._parameters()

    def _before_outer_step(self, *_: Any) -> None:
        import torch

        self._mean = -torch.cat(
            [
                (torch.zeros_like(p) if p.grad is None else p.grad.detach()).flatten().double()
                for p in self.model.parameters()
            ]
        )

    def _finish_round(self) -> Any:
        import torch

        server = self._parameters()
        if self._local is None or (self._outer is not None and self._mean is None):
            return server  # the first round begins, or DiLoCo discarded one
        own = self._local - self._start
        mean = server - self._start if self._outer is None else self._mean
        product = own.norm() * mean.norm()
        cosine = own @ mean / product if product > 0 else torch.zeros_like(product)
        loss = torch.as_tensor(torch.nan if self._start_loss is None else self._start_loss).to(cosine)
        square, cosine, loss = self.average(torch.stack([own @ own, cosine, loss])).tolist()
        if self.log is not None:
            self.log.round(
                self._round,
                loss=loss if loss == loss else None,
                norms={"clients": self.replicas, "update_norm_squared": float(mean @ mean),
                       "client_update_norm_squared": square, "cosine": cosine},
            )  # fmt: skip
        self._round += 1
        self._local = self._mean = None
        return server
