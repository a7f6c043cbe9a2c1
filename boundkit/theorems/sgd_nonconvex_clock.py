r"""Synchronous minibatch SGD against the wall clock.

The bound of sgd_nonconvex, with the rounds that fit into the time: T = wall/(step_time + delay). A round
is as long as its slowest client and one exchange. Waiting and talking do not change the noise; they make
the start linger, in the proportion in which they lengthen a round.

Proof. Put T = wall/(step_time + delay) into sgd_nonconvex.
"""

from boundkit.algebra import Limit, Reduction, Source, Term, Theorem
from boundkit.algebra.condition import at_least, at_most
from boundkit.algebra.notation import L, T, delay, eta, gap, m, sigma, step_time, tau, wall
from boundkit.algebra.vocabulary import (
    BOUNDED_BELOW,
    BOUNDED_NOISE,
    EQUAL_WEIGHTS,
    FULL_PARTICIPATION,
    MEAN_SQUARED_GRADIENT,
    ONE_LOCAL_STEP,
    SERVER_STEP_ONE,
    SMOOTH,
    SYNCHRONOUS_CLOCK,
)

THEOREM = Theorem(
    name="sgd_nonconvex_clock",
    algorithm="minibatch_sgd",
    claim=MEAN_SQUARED_GRADIENT,
    assumptions=(
        SMOOTH,
        BOUNDED_BELOW,
        BOUNDED_NOISE,
        EQUAL_WEIGHTS,
        FULL_PARTICIPATION,
        ONE_LOCAL_STEP,
        SERVER_STEP_ONE,
        SYNCHRONOUS_CLOCK,
    ),
    requires=(at_least(wall, step_time + delay),),
    step_size=(at_most(eta, 1 / L),),
    terms=(
        Term(
            "initial gap",
            2 * gap * (step_time + delay) / (eta * wall),
            provenance="derived",
            because="2 gap/(eta T), and a round takes the slowest client's step and an exchange",
        ),
        Term(
            "stochastic noise",
            eta * L * sigma**2 / m,
            provenance="derived",
            because="that of sgd_nonconvex: noise does not look at the clock",
        ),
    ),
    reductions=(
        Reduction(
            to="sgd_nonconvex",
            when={wall: T * (step_time + delay)},
            because="the wall clock shows T rounds",
        ),
    ),
    limits=(Limit(when={sigma: 0}, removes=("stochastic noise",)),),
    remarks=(
        "Here step_time is the clock's time of one step, that of the slowest of m clients: where a client "
        "takes an exponential time of mean y, it is y (1 + 1/2 + ... + 1/m) on average.",
        "Where times vary, the formula holds with their means in the long run, not for every wall.",
        "Only whole rounds count: round wall down to a multiple of step_time + delay.",
        "Best step: eta = sqrt(2 m gap (step_time + delay)/(L sigma^2 wall)), where it is at most 1/L.",
    ),
    source=Source(
        authors=("Wang", "Joshi"),
        year=2018,
        title="Adaptive Communication Strategies to Achieve the Best Error-Runtime Trade-off in Local-Update "
        "SGD",
        venue="SysML 2019",
        arxiv="1810.08313",
        where="Theorem 1 at tau = 1",
        note="Recalled; the constants are those of sgd_nonconvex, which is proved.",
        renamed={"Y": step_time, "D": delay, "T": wall, "tau": tau},
    ),
    prose=__doc__,
)
