"""Record of a training run in Flower, from the hooks of its strategy."""

from __future__ import annotations

from inspect import signature
from typing import Any, TypeVar

from boundkit.simulation.tracking import Tracker

S = TypeVar("S")


def record_strategy(strategy: S, log: Tracker, *, loss: str = "loss", steps: str = "local-steps") -> S:
    """Record the rounds of a ``flwr.serverapp.strategy.Strategy``.

    Its methods are wrapped, so that custom strategies, wrappers for differential privacy and an overridden
    ``start`` remain as they are. Recorded are the clients' models as they arrive; under secure aggregation
    the server has none of them, and only losses are recorded.

    Parameters
    ----------
    strategy
        The strategy; it is changed and returned.
    log
        The recorder.
    loss
        The metric that is the loss: of ``evaluate_fn``, or else the mean over the clients that evaluate.
    steps
        The metric by which clients report how many local steps they took, if they do.

    Examples
    --------
    >>> with bk.track("run.csv", m=10, C=0.5, eta=0.1) as log:  # doctest: +SKIP
    ...     strategy = record_strategy(FedAvg(fraction_train=0.5), log)
    ...     strategy.start(grid=grid, initial_arrays=arrays, num_rounds=50)
    """
    hooks: Any = strategy
    start, configure, aggregate = hooks.start, hooks.configure_train, hooks.aggregate_train
    aggregate_evaluations = hooks.aggregate_evaluate
    losses: dict[int, float] = {}
    sent: dict[int, Any] = {}

    def observe(number: int, metrics: Any) -> Any:
        if metrics is not None and loss in metrics:
            losses[number] = float(metrics[loss])
        return metrics

    def configure_train(server_round: int, arrays: Any, *others: Any, **named: Any) -> Any:
        sent[server_round] = arrays.to_numpy_ndarrays()
        return configure(server_round, arrays, *others, **named)

    def aggregate_train(server_round: int, replies: Any) -> Any:
        messages = list(replies)
        contents = [message.content for message in messages if not message.has_error()]
        contents = [each for each in contents if each.array_records]  # none under secure aggregation
        measured: list[Any] = [next(iter(each.metric_records.values()), {}) for each in contents]
        by = getattr(strategy, "weighted_by_key", "num-examples")
        log.round(
            server_round - 1,
            loss=losses.pop(server_round - 1, None),
            before=sent.pop(server_round),
            after=(next(iter(each.array_records.values())).to_numpy_ndarrays() for each in contents),
            weights=[each[by] for each in measured] if all(by in each for each in measured) else None,
            steps=[each[steps] for each in measured] if all(steps in each for each in measured) else None,
        )
        return aggregate(server_round, messages)

    def aggregate_evaluate(server_round: int, replies: Any) -> Any:
        return observe(server_round, aggregate_evaluations(server_round, replies))

    def started(*arguments: Any, **named: Any) -> Any:
        bound = signature(start).bind(*arguments, **named)
        if (evaluate := bound.arguments.get("evaluate_fn")) is not None:
            bound.arguments["evaluate_fn"] = lambda number, arrays: observe(number, evaluate(number, arrays))
        result = start(*bound.args, **bound.kwargs)
        for number, value in sorted(losses.items()):
            if not log.rows or number > int(log.rows[-1]["round"]):  # no earlier round without training
                log.round(number, loss=value)
        return result

    hooks.start, hooks.configure_train, hooks.aggregate_train = started, configure_train, aggregate_train
    hooks.aggregate_evaluate = aggregate_evaluate
    return strategy
