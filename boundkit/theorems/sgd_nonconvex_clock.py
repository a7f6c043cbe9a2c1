r"""Synchronous minibatch SGD in wall-clock time.

The bound of sgd_nonconvex with the number of rounds that fit into the time: $T = wall/(step_time + delay)$. A
round takes one step of the slowest client and one exchange. Computation and communication times do not change
the noise term; they increase the initial gap term in proportion to the length of a round.
"""

from boundkit.algebra.authoring import *
from boundkit.theorems.sgd_nonconvex import THEOREM as BASE

THEOREM = tuned(
    BASE,
    {T: wall / (step_time + delay)},
    "sgd_nonconvex_clock",
    title="Minibatch SGD in wall-clock time",
    assumes=(*BASE.assumptions, SYNCHRONOUS_CLOCK),
    requires=(at_least(wall, step_time + delay),),
    becomes=(
        to("sgd_nonconvex", {wall: T * (step_time + delay)}, because="T rounds take that wall-clock time"),
    ),
    remarks=(
        "Here step_time is the time of one step of the slowest of m clients: where the time of a client is "
        "exponential with mean y, it is y (1 + 1/2 + ... + 1/m) on average.",
        "Where times vary, the formula holds with their means in the long run, not for every wall.",
        "Only whole rounds count: round wall down to a multiple of step_time + delay.",
        "Best step size: eta = sqrt(2 m gap (step_time + delay)/(L sigma^2 wall)), where it is at most 1/L.",
    ),
    source=WANG_2018_ADACOMM.at(
        "Theorem 1 at tau = 1",
        note="The place is recalled; the constants are those of sgd_nonconvex, which is proved.",
        letters={"Y": step_time, "D": delay, "T": wall, "tau": tau},
    ),
    prose=__doc__,
)
