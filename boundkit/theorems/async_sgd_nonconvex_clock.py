"""Asynchronous SGD in wall-clock time: m updates in the time of one gradient.

The bound of async_sgd_nonconvex with the number of updates that fit into the time, $T = m wall/(step_time +
delay)$. No client waits for another, so the slowest client does not set the pace, and the initial gap term
falls $m$ times as fast as with one client. The price is that the noise is not averaged over clients, and that
gradients are stale.
"""

from boundkit.algebra.authoring import *
from boundkit.theorems.async_sgd_nonconvex import THEOREM as BASE

THEOREM = tuned(
    BASE,
    {T: m * wall / (step_time + delay)},
    "async_sgd_nonconvex_clock",
    title="Asynchronous SGD in wall-clock time",
    assumes=(*BASE.assumptions, ASYNCHRONOUS_CLOCK),
    requires=(at_least(wall, step_time + delay),),
    becomes=(
        to(
            "async_sgd_nonconvex",
            {wall: T * (step_time + delay) / m},
            because="T updates take that wall-clock time",
        ),
        to("sgd_nonconvex_clock", {m: 1, staleness: 0}, because="one client never waits"),
        not_to(
            "sgd_nonconvex_clock",
            {staleness: 0},
            factors={"initial gap": 1 / m},
            because="m clients that do not wait for each other do not average their noise either",
        ),
    ),
    remarks=(
        "Here step_time is the mean time of one client's gradient, not the slowest's as in "
        "sgd_nonconvex_clock: for homogeneous clients with exponential times the latter is 1 + 1/2 + ... + "
        "1/m times as long. Put delay = 0 where the exchange runs beside the next gradient.",
        "With m clients that always compute, the mean age is m - 1, so that staleness is at least m - 1. The "
        "formula does not check that.",
        "At the same step size the noise term is m times that of sgd_nonconvex_clock. A step size smaller by "
        "a factor m removes that, and the gain in time with it.",
    ),
    source=DUTTA_2018.at(
        "the runtime of asynchronous SGD",
        note="The source bounds the error under another assumption on stale gradients; here the error is "
        "that of async_sgd_nonconvex, which is proved.",
        letters={"P": m, "mu": 1 / step_time},
    ),
    prose=__doc__,
)
