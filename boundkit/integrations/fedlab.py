"""Record of a training run in FedLab, from the hook of its synchronous server handlers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from boundkit.simulation.tracking import Tracker

S = TypeVar("S")


def record_handler(
    handler: S, log: Tracker, *, loss: Callable[[Any], float] | None = None, differences: bool = False
) -> S:
    """Record the rounds of a ``SyncServerHandler``: its ``global_update`` is wrapped.

    Parameters
    ----------
    handler
        The handler; it is changed and returned.
    log
        The recorder.
    loss
        Evaluates the loss of the server's model before a round.
    differences
        Whether clients upload the difference to the server's model first, as those of SCAFFOLD do, and not
        their model, as those of FedAvg, FedProx and FedNova do.

    Notes
    -----
    FedLab's handlers of FedAvg and SCAFFOLD take the unweighted mean, which is recorded.
    """
    server: Any = handler
    update = server.global_update

    def global_update(buffer: Any) -> Any:
        before = server.model_parameters
        log.round(
            int(server.round),
            loss=None if loss is None else float(loss(server.model)),
            before=before,
            after=(before + upload[0] if differences else upload[0] for upload in buffer),
        )
        return update(buffer)

    server.global_update = global_update
    return handler
