"""Local SGD on homogeneous clients in wall-clock time: the trade-off of the communication period.

The bound of local_sgd_nonconvex with the number of steps that fit into the time. $tau$ steps share one
exchange, so a step takes $step_time + delay/tau$, and $tau T = wall/(step_time + delay/tau)$. A longer
communication period reduces the initial gap term and increases the noise drift. The best $tau$ lies between;
it falls with the wall-clock time.
"""

from boundkit.algebra.authoring import *
from boundkit.theorems.local_sgd_nonconvex import THEOREM as BASE

THEOREM = tuned(
    BASE,
    {T: wall / (tau * (step_time + delay / tau))},
    "local_sgd_nonconvex_clock",
    title="Local SGD in wall-clock time",
    assumes=(*BASE.assumptions, SYNCHRONOUS_CLOCK),
    requires=(at_least(wall, tau * step_time + delay),),
    becomes=(
        to(
            "local_sgd_nonconvex",
            {wall: T * (tau * step_time + delay)},
            because="T rounds take that wall-clock time",
        ),
        to("sgd_nonconvex_clock", {tau: 1}, because="clients that average after every step do not drift"),
        to(
            "sgd_nonconvex_clock",
            {delay: 0},
            leaves=("noise drift",),
            because="where communication is free, rare communication gains nothing and still drifts",
        ),
    ),
    remarks=(
        "Best tau at a fixed step size: sqrt(2 gap delay/(eta^3 L^2 sigma^2 wall)), rounded to a whole "
        "number from 1 to 1/(eta L). It falls as wall grows: a long communication period first and a short "
        "one later, as in AdaComm.",
        "Here step_time is the time of one step of the slowest client. Averaged over the tau steps between "
        "two exchanges random times even out, so it falls with tau towards the mean time of one step.",
        "Where times vary, the formula holds with their means in the long run, not for every wall.",
        "Only whole rounds count: round wall down to a multiple of tau step_time + delay.",
    ),
    source=WANG_2018_ADACOMM.at(
        "Theorem 1",
        note="The place is recalled; the constants are those of local_sgd_nonconvex, which is proved.",
        letters={"Y": step_time, "D": delay, "T": wall, "F(x_1) - F_inf": gap},
    ),
    prose=__doc__,
)
