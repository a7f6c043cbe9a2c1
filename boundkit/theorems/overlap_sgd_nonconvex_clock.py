r"""Overlap local SGD in wall-clock time: the exchange runs while the clients compute.

After $tau$ local steps each client is pulled towards an anchor, the average of the models of the previous
round. The anchor is exchanged during the next $tau$ steps, so a step takes $max(step_time, delay/tau)$: an
exchange that is shorter than $tau$ steps costs no time. The price is a stale anchor, so that the clients
drift even at $tau = 1$.

Proof. None here. What is known is the rate: with $eta = sqrt(m/(tau T))/L$ it is $1/sqrt(m tau T)$ in local
steps, as for minibatch SGD, and the drift falls as $m/T$. The constants are unknown, and so is their
dependence on the pull and on the anchor's momentum. The three terms are those of local SGD, whose analysis
the source extends to an anchor.
"""

from boundkit.algebra.authoring import *
from boundkit.theorems.local_sgd_nonconvex import THEOREM as LOCAL

THEOREM = order_level(
    "overlap_sgd_nonconvex_clock",
    title="Overlap local SGD in wall-clock time",
    algorithm="overlap_sgd",
    bounds=LOCAL.claim,
    assumes=(*LOCAL.assumptions, OVERLAPPED_CLOCK),
    requires=(at_least(wall, Max(tau * step_time, delay)),),
    steps=(at_most(c_4 * eta * L * tau, 1),),
    terms=(
        recalled(
            "initial gap",
            c_1 * gap * Max(step_time, delay / tau) / (eta * wall),
            "gap/(eta tau T) as for local SGD; a step covers a tau-th of an exchange, or waits for it",
        ),
        recalled(
            "stochastic noise",
            c_2 * eta * L * sigma**2 / m,
            "the noise is averaged over m clients, as for local SGD",
        ),
        recalled(
            "noise drift",
            c_3 * eta**2 * L**2 * tau * sigma**2,
            "the local drift of tau steps and more: the anchor is a round old, so this stays at tau = 1",
        ),
    ),
    becomes=(
        not_to(
            "local_sgd_nonconvex_clock",
            {delay: 0},
            factors={"initial gap": c_1 / 2, "stochastic noise": c_2},
            because="at tau = 1 local SGD has no drift, but a stale anchor has; no constant accounts for "
            "that",
        ),
    ),
    limits=(keeps({tau: 1}, "noise drift", because="the anchor is one round old at any tau"),),
    remarks=(
        "Communication is free where tau step_time >= delay; a larger tau only increases the drift.",
        "Here step_time is the time of one step of the slowest client.",
        "Without momentum the anchor is the average at the start of the round, and a pull alpha makes the "
        "average move by (1 - alpha) eta: the step that counts is smaller than the one taken.",
        "The source states the rate for tuned steps; the split into three terms at any eta is that of local "
        "SGD.",
    ),
    source=WANG_2020_OVERLAP.at(
        "Theorem 1 (rate)",
        note="The rate is recalled; its constants are unknown.",
        letters={"K": T * tau, "eta": eta},
    ),
    prose=__doc__,
)
