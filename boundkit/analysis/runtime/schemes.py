"""How long an iteration or a round takes: five schemes, each a formula and a mean of a maximum.

Clients are independent, an exchange takes the same time always. Writing y for the mean time of a step,
d for that of an exchange, and S for the time of tau steps of one client:

synchronous   a step of every client, then an exchange:       E max_i Y_i + d      an iteration
local         tau steps of every client, then an exchange:    E max_i S_i + d      a round of tau iterations
overlap       the exchange runs beside the next tau steps:    E max(max_i S_i, d)  a round of tau iterations
asynchronous  nobody waits: each of m clients ends a step every y (+ d), so somebody does every (y + d)/m
federated     C m of m clients make E passes over their n_i data points in batches of b, at c_0 + c_1 b a
              step, then an exchange:                         E max_{i in S} S_i + d  a round
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from sympy import Expr, Max

from boundkit.algebra import BoundkitError, Quantity
from boundkit.algebra.notation import C, delay, m, step_time, tau
from boundkit.analysis.runtime.distributions import Law, Total, certainly
from boundkit.analysis.runtime.maximum import mean_maximum
from boundkit.analysis.runtime.notation import SlowestOf, batch, epochs, overhead, per_sample, samples

Values = Mapping[str, float]


@dataclass(frozen=True)
class Clock:
    """One answer: seconds a round and an iteration, and what is known of the error."""

    round: float
    iteration: float
    accuracy: float
    staleness: float = 0.0


@dataclass(frozen=True)
class Scheme:
    """What a scheme reads, and what its round is."""

    name: str
    says: str
    letters: tuple[Quantity, ...]
    round_is: str


_CLOCK = (m, step_time, delay)

SCHEMES: dict[str, Scheme] = {
    s.name: s
    for s in (
        Scheme("synchronous", "every step waits for the slowest", _CLOCK, "one iteration"),
        Scheme("local", "tau steps, then the exchange", (tau, *_CLOCK), "tau iterations"),
        Scheme("overlap", "the exchange hides behind the steps", (tau, *_CLOCK), "tau iterations"),
        Scheme("asynchronous", "nobody waits", _CLOCK, "one iteration"),
        Scheme(
            "federated",
            "C m clients work through their data",
            (m, C, epochs, samples, batch, overhead, per_sample, delay),
            "as many iterations as the longest list of batches has",
        ),
    )
}
"""Every scheme by name."""


def formula(scheme: str, law: str, hidden: bool = True) -> Expr | None:
    """The seconds of a round as a formula, for constant and for exponential times; None for other laws.

    >>> formula("synchronous", "exponential")
    delay + step_time*harmonic(m)
    """
    if scheme == "asynchronous":
        return (step_time if hidden else step_time + delay) / m
    slowest = {
        "constant": lambda clients, steps: steps,
        "exponential": SlowestOf,
    }.get(law)
    if slowest is None or (scheme == "overlap" and law != "constant"):
        return None
    if scheme == "synchronous":
        return step_time * slowest(m, 1) + delay
    if scheme == "local":
        return step_time * slowest(m, tau) + delay
    if scheme == "overlap":
        return Max(tau * step_time, delay)
    return (overhead + per_sample * batch) * slowest(C * m, epochs * samples / batch) + delay


def clock(
    scheme: str, law: Law, at: Values, sizes: Sequence[float] | None = None, hidden: bool = True
) -> Clock:
    """The clock of a scheme at one point; ``sizes`` are the data points of each client."""
    if scheme == "asynchronous":
        cycle = at["step_time"] + (0.0 if hidden else at["delay"])
        return Clock(cycle / at["m"], cycle / at["m"], 0.0, at["m"] - 1)
    if scheme == "federated":
        return _federated(law, at, sizes)
    steps = 1 if scheme == "synchronous" else round(at["tau"])
    total = law.total(at["step_time"], steps)
    # no client is told from another, so one kind stands for all of them
    if scheme == "overlap":
        seconds = mean_maximum([total], round(at["m"]), floor=at["delay"])
    else:
        seconds = mean_maximum([total], round(at["m"])) + at["delay"]
    return Clock(seconds, seconds / steps, total.accuracy)


def _federated(law: Law, at: Values, sizes: Sequence[float] | None) -> Clock:
    clients = round(at["m"])
    among = round(at["C"] * at["m"])
    own = [at["samples"]] if sizes is None else list(sizes)
    kinds = {size: _work(law, at, size) for size in dict.fromkeys(own)}
    totals = [kinds[size] for size in own]
    if sizes is not None and len(totals) != clients:
        raise BoundkitError(f"n_i holds {len(totals)} clients, but m = {clients} was given.")
    seconds = mean_maximum(totals, among) + at["delay"]
    most = max(at["epochs"] * -(-size // at["batch"]) for size in own)
    return Clock(seconds, seconds / most, max(t.accuracy for t in totals))


def _work(law: Law, at: Values, size: float) -> Total:
    """All steps of one client in a round.

    Raises BoundkitError where the last batch of a pass is smaller and the time of a step is random: its
    law would be another one.
    """
    full, rest = divmod(size, at["batch"])
    step = at["overhead"] + at["per_sample"] * at["batch"]
    if rest == 0:
        return law.total(step, round(at["epochs"] * full))
    if law.name == "constant":
        last = at["overhead"] + at["per_sample"] * rest
        return certainly(at["epochs"] * (full * step + last))
    raise BoundkitError(
        f"{size:g} data points are no whole number of batches of {at['batch']:g}; the last step of a pass "
        "would have a law of its own. Take a batch that divides them, or the law constant."
    )
