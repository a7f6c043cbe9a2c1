"""Five schemes of synchronisation: the duration of a round as a formula and as a mean maximum.

Clients are independent, and the time of an exchange is constant. Writing y for the mean time of a step,
d for that of an exchange, and S for the time of tau steps of one client:

synchronous   a step of every client, then an exchange:       E max_i Y_i + d      an iteration
local         tau steps of every client, then an exchange:    E max_i S_i + d      a round of tau iterations
overlap       the exchange overlaps the next tau steps:      E max(max_i S_i, d)  a round of tau iterations
asynchronous  no client waits: each of m clients ends a step every y (+ d), so one of them every (y + d)/m
federated     C m of m clients make E passes over their n_i data points in batches of b, at c_0 + c_1 b a
              step, then an exchange:                         E max_{i in S} S_i + d  a round
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from sympy import Expr, Max

from boundkit.algebra import BoundkitError, Quantity
from boundkit.algebra.notation import C, delay, m, step_time, tau
from boundkit.analysis.runtime.distributions import (
    SlowestOf,
    StepTime,
    TotalTime,
    batch,
    deterministic,
    epochs,
    mean_maximum,
    overhead,
    per_sample,
    samples,
)

Values = Mapping[str, float]


@dataclass(frozen=True)
class Duration:
    """Seconds per round and per iteration at one point, with the relative accuracy and the staleness."""

    round: float
    iteration: float
    accuracy: float
    staleness: float = 0.0


@dataclass(frozen=True)
class Scheme:
    """A scheme of synchronisation: its quantities, and the definition of its round."""

    name: str
    description: str
    quantities: tuple[Quantity, ...]
    round_description: str


_CLOCK = (m, step_time, delay)

SCHEMES: dict[str, Scheme] = {
    s.name: s
    for s in (
        Scheme("synchronous", "every step waits for the slowest", _CLOCK, "one iteration"),
        Scheme("local", "tau steps, then the exchange", (tau, *_CLOCK), "tau iterations"),
        Scheme("overlap", "the exchange overlaps the steps", (tau, *_CLOCK), "tau iterations"),
        Scheme("asynchronous", "no client waits", _CLOCK, "one iteration"),
        Scheme(
            "federated",
            "C m clients make passes over their data",
            (m, C, epochs, samples, batch, overhead, per_sample, delay),
            "as many iterations as the largest number of batches of a client",
        ),
    )
}
"""Every scheme by name."""


def formula(scheme: str, distribution: str, hidden: bool = True) -> Expr | None:
    """The duration of a round as a formula, for constant and exponential times; None for other distributions.

    >>> formula("synchronous", "exponential")
    delay + step_time*harmonic(m)
    """
    if scheme == "asynchronous":
        return (step_time if hidden else step_time + delay) / m
    slowest = {
        "constant": lambda clients, steps: steps,
        "exponential": SlowestOf,
    }.get(distribution)
    if slowest is None or (scheme == "overlap" and distribution != "constant"):
        return None
    if scheme == "synchronous":
        return step_time * slowest(m, 1) + delay
    if scheme == "local":
        return step_time * slowest(m, tau) + delay
    if scheme == "overlap":
        return Max(tau * step_time, delay)
    return (overhead + per_sample * batch) * slowest(C * m, epochs * samples / batch) + delay


def duration(
    scheme: str, distribution: StepTime, at: Values, sizes: Sequence[float] | None = None, hidden: bool = True
) -> Duration:
    """The duration of a scheme at one point; ``sizes`` are the data points of each client."""
    if scheme == "asynchronous":
        cycle = at["step_time"] + (0.0 if hidden else at["delay"])
        return Duration(cycle / at["m"], cycle / at["m"], 0.0, at["m"] - 1)
    if scheme == "federated":
        return _federated(distribution, at, sizes)
    steps = 1 if scheme == "synchronous" else round(at["tau"])
    total = distribution.total(at["step_time"], steps)
    # clients are identically distributed, so that one total represents all
    if scheme == "overlap":
        seconds = mean_maximum([total], round(at["m"]), minimum=at["delay"])
    else:
        seconds = mean_maximum([total], round(at["m"])) + at["delay"]
    return Duration(seconds, seconds / steps, total.accuracy)


def _federated(distribution: StepTime, at: Values, sizes: Sequence[float] | None) -> Duration:
    clients = round(at["m"])
    count = round(at["C"] * at["m"])
    data = [at["samples"]] if sizes is None else list(sizes)
    by_size = {size: _local_work(distribution, at, size) for size in dict.fromkeys(data)}
    totals = [by_size[size] for size in data]
    if sizes is not None and len(totals) != clients:
        raise BoundkitError(f"n_i holds {len(totals)} clients, but m = {clients} was given.")
    seconds = mean_maximum(totals, count) + at["delay"]
    most = max(at["epochs"] * -(-size // at["batch"]) for size in data)
    return Duration(seconds, seconds / most, max(t.accuracy for t in totals))


def _local_work(distribution: StepTime, at: Values, size: float) -> TotalTime:
    """The total time of one client's steps in a round.

    Raises BoundkitError for random times where the last batch of a pass is smaller, since the time of its
    step has another distribution.
    """
    full, rest = divmod(size, at["batch"])
    step = at["overhead"] + at["per_sample"] * at["batch"]
    if rest == 0:
        return distribution.total(step, round(at["epochs"] * full))
    if distribution.name == "constant":
        last = at["overhead"] + at["per_sample"] * rest
        return deterministic(at["epochs"] * (full * step + last))
    raise BoundkitError(
        f"{size:g} data points are no whole number of batches of {at['batch']:g}; the last step of a pass "
        "would have another distribution. Choose a batch that divides them, or constant times."
    )
