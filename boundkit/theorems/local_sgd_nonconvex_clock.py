r"""Local SGD on alike data against the wall clock: how rarely should clients talk?

The bound of local_sgd_nonconvex, with the steps that fit into the time. tau steps share one exchange, so
a step takes step_time + delay/tau, and tau T = wall/(step_time + delay/tau). Talking less often lets the
start be forgotten sooner (initial gap) and lets the clients drift further on their noise (noise drift).
Somewhere between lies the best tau; it falls with the time that one has.

Proof. Put tau T = wall/(step_time + delay/tau) into local_sgd_nonconvex. In tau the bound is
a delay/tau + b tau plus a constant, with a = 2 gap/(eta wall) and b = eta^2 L^2 sigma^2: smallest at
tau = sqrt(a delay/b).
"""

from boundkit.algebra import Limit, Reduction, Source, Term, Theorem
from boundkit.algebra.condition import at_least
from boundkit.algebra.notation import L, T, delay, eta, gap, m, sigma, step_time, tau, wall
from boundkit.algebra.vocabulary import SYNCHRONOUS_CLOCK
from boundkit.theorems.local_sgd_nonconvex import THEOREM as BY_ROUNDS

THEOREM = Theorem(
    name="local_sgd_nonconvex_clock",
    algorithm="local_sgd",
    claim=BY_ROUNDS.claim,
    assumptions=(*BY_ROUNDS.assumptions, SYNCHRONOUS_CLOCK),
    requires=(at_least(wall, tau * step_time + delay),),
    step_size=BY_ROUNDS.step_size,
    terms=(
        Term(
            "initial gap",
            2 * gap * (step_time + delay / tau) / (eta * wall),
            provenance="derived",
            because="2 gap/(eta tau T), and a step takes its own time and a tau-th of an exchange",
        ),
        Term(
            "stochastic noise",
            eta * L * sigma**2 / m,
            provenance="derived",
            because="that of local_sgd_nonconvex: noise does not look at the clock",
        ),
        Term(
            "noise drift",
            eta**2 * L**2 * (tau - 1) * sigma**2,
            provenance="derived",
            because="that of local_sgd_nonconvex: drift counts steps, not seconds",
        ),
    ),
    reductions=(
        Reduction(
            to="local_sgd_nonconvex",
            when={wall: T * (tau * step_time + delay)},
            because="the wall clock shows T rounds",
        ),
        Reduction(
            to="sgd_nonconvex_clock", when={tau: 1}, because="clients that talk after every step never drift"
        ),
        Reduction(
            to="sgd_nonconvex_clock",
            when={delay: 0},
            leaves=("noise drift",),
            because="where talking costs nothing, silence gains nothing and still drifts",
        ),
    ),
    limits=(
        Limit(when={tau: 1}, removes=("noise drift",)),
        Limit(when={sigma: 0}, removes=("stochastic noise", "noise drift")),
    ),
    remarks=(
        "Best tau at a fixed step: sqrt(2 gap delay/(eta^3 L^2 sigma^2 wall)), rounded to a whole number "
        "from 1 to 1/(eta L). It falls as wall grows: talk rarely first and often later, which is what "
        "AdaComm does.",
        "Here step_time is the clock's time of one step of the slowest client. Over tau steps between two "
        "exchanges luck evens out, so it falls with tau towards the mean time of one client's step.",
        "Where times vary, the formula holds with their means in the long run, not for every wall.",
        "Only whole rounds count: round wall down to a multiple of tau step_time + delay.",
    ),
    source=Source(
        authors=("Wang", "Joshi"),
        year=2018,
        title="Adaptive Communication Strategies to Achieve the Best Error-Runtime Trade-off in Local-Update "
        "SGD",
        venue="SysML 2019",
        arxiv="1810.08313",
        where="Theorem 1",
        note="Recalled; the constants are those of local_sgd_nonconvex, which is proved.",
        renamed={"Y": step_time, "D": delay, "T": wall, "F(x_1) - F_inf": gap},
    ),
    prose=__doc__,
)
