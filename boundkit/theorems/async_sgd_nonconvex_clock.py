r"""Asynchronous SGD against the wall clock: m updates in the time of one gradient.

The bound of async_sgd_nonconvex, with the updates that fit into the time: T = m wall/(step_time + delay).
Nobody waits, so the slowest client no longer sets the pace, and the start is forgotten m times as fast as
by one client. The price is that noise is not shared, and that gradients are stale.

Proof. Each of m clients sends one gradient every step_time + delay. Put T = m wall/(step_time + delay)
into async_sgd_nonconvex.
"""

from boundkit.algebra import Limit, Reduction, Source, Term, Theorem
from boundkit.algebra.condition import at_least
from boundkit.algebra.notation import L, T, delay, eta, gap, m, sigma, staleness, step_time, wall
from boundkit.algebra.vocabulary import ASYNCHRONOUS_CLOCK
from boundkit.theorems.async_sgd_nonconvex import THEOREM as BY_UPDATES

THEOREM = Theorem(
    name="async_sgd_nonconvex_clock",
    algorithm="async_sgd",
    claim=BY_UPDATES.claim,
    assumptions=(*BY_UPDATES.assumptions, ASYNCHRONOUS_CLOCK),
    requires=(at_least(wall, step_time + delay),),
    step_size=BY_UPDATES.step_size,
    terms=(
        Term(
            "initial gap",
            2 * gap * (step_time + delay) / (eta * m * wall),
            provenance="derived",
            because="2 gap/(eta T), and m clients bring an update every (step_time + delay)/m",
        ),
        Term(
            "stochastic noise",
            eta * L * sigma**2,
            provenance="derived",
            because="that of async_sgd_nonconvex: noise does not look at the clock",
        ),
        Term(
            "staleness",
            2 * eta**2 * L**2 * staleness * sigma**2,
            provenance="derived",
            because="that of async_sgd_nonconvex: age counts updates, not seconds",
        ),
    ),
    reductions=(
        Reduction(
            to="async_sgd_nonconvex",
            when={wall: T * (step_time + delay) / m},
            because="the wall clock shows T updates",
        ),
        Reduction(
            to="sgd_nonconvex_clock", when={m: 1, staleness: 0}, because="one client waits for nobody anyway"
        ),
        Reduction(
            to="sgd_nonconvex_clock",
            when={staleness: 0},
            factors={"initial gap": 1 / m},
            holds=False,
            because="m clients that do not wait for each other do not share noise either",
        ),
    ),
    limits=(
        Limit(when={staleness: 0}, removes=("staleness",)),
        Limit(when={sigma: 0}, removes=("stochastic noise", "staleness")),
    ),
    remarks=(
        "Here step_time is the mean time of one client's gradient, not the slowest's as in "
        "sgd_nonconvex_clock: for alike clients with exponential times the latter is 1 + 1/2 + ... + 1/m "
        "times as long. Put delay = 0 where the exchange runs beside the next gradient.",
        "With m clients that always compute, the mean age is m - 1, so that staleness is at least m - 1. "
        "The formula does not check that.",
        "At the same step the noise is m times that of sgd_nonconvex_clock. A step smaller by m pays for "
        "that, and gives the gain in time away.",
    ),
    source=Source(
        authors=("Dutta", "Joshi", "Ghosh", "Dube", "Nagpurkar"),
        year=2018,
        title="Slow and Stale Gradients Can Win the Race: Error-Runtime Trade-offs in Distributed SGD",
        venue="AISTATS 2018",
        arxiv="1803.01113",
        where="the runtime of asynchronous SGD",
        note="The source bounds the error under another assumption on stale gradients; here the error is "
        "that of async_sgd_nonconvex, which is proved.",
        renamed={"P": m, "mu": 1 / step_time},
    ),
    prose=__doc__,
)
