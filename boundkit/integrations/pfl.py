"""Record of a training run in pfl-research, from the hooks of its postprocessors."""

from __future__ import annotations

from typing import Any

from boundkit.algebra import BoundkitError
from boundkit.algebra.extras import require
from boundkit.simulation.tracking import Tracker


def recording_postprocessor(log: Tracker, *, loss: str = "loss") -> Any:
    """A pfl ``Postprocessor`` that records each user's statistics, and changes none.

    Give it last, so that it sees what earlier postprocessors (weights, clipping) leave of an update.

    Parameters
    ----------
    log
        The recorder.
    loss
        The metric that is the loss: its mean over the cohort before local training, in the iterations in
        which pfl evaluates on training users.

    Raises
    ------
    BoundkitError
        With several worker processes: each sees its own users only.

    Examples
    --------
    >>> backend = SimulatedBackend(  # doctest: +SKIP
    ...     training_data, val_data, postprocessors=[recording_postprocessor(log)]
    ... )
    """
    require("pfl")
    from pfl.internal.ops import selector
    from pfl.metrics import Metrics, get_overall_value
    from pfl.postprocessor.base import Postprocessor

    class RecordingPostprocessor(Postprocessor):  # type: ignore[misc]
        """Statistics of the cohort's updates."""

        def postprocess_one_user(self, *, stats: Any, user_context: Any) -> tuple[Any, Any]:
            workers = selector.get_default_framework_module().distributed.world_size
            if workers > 1:
                raise BoundkitError(f"pfl runs are recorded in one process, but {workers} are at work.")
            weight = float(getattr(stats, "weight", 1.0))
            if weight > 0:
                log.add([value / weight for value in stats.get_weights()[1]], weight)
            return stats, Metrics()

        def postprocess_server(
            self, *, stats: Any, central_context: Any, aggregate_metrics: Any
        ) -> tuple[Any, Any]:
            values = [
                float(get_overall_value(value))
                for name, value in aggregate_metrics
                if str(name).endswith(f"{loss} before local training")
            ]
            log.round(central_context.current_central_iteration, loss=values[0] if values else None)
            return stats, Metrics()

    return RecordingPostprocessor()
