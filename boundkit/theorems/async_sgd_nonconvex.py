r"""Asynchronous SGD on smooth non-convex losses: gradients of a model that has moved on since.

Three forces. Nobody waits, so each update is one client's gradient and its noise is not shared
(stochastic noise). The gradient belongs to a model up to staleness updates old (staleness): noise moved
the model meanwhile, which costs a second-order term, and gradients moved it too, which only small steps
can bear. A round is one update of the server by one client.

Proof, for x+ = x - eta g(x'), with x' at most d updates older than x and G = grad F(x').
(i) Smoothness, and -<a, b> = (||a - b||^2 - ||a||^2 - ||b||^2)/2: [E F(x+) - F(x)]/eta <=
-1/2 ||grad F(x)||^2 - 1/2 (1 - eta L) ||G||^2 + 1/2 L^2 E||x - x'||^2 + eta L sigma^2/2.
(ii) E||x - x'||^2 <= 2 eta^2 d sigma^2 + 2 eta^2 d sum of the last d ||G||^2, if ages do not look at noise.
(iii) Each ||G||^2 is met by at most d later updates, so it keeps the factor
-1/2 (1 - eta L - 2 eta^2 L^2 d^2) <= 0. Sum over T updates, and divide by eta T/2.
"""

from sympy import sqrt

from boundkit.algebra import Limit, Reduction, Source, Term, Theorem
from boundkit.algebra.condition import at_most
from boundkit.algebra.notation import L, T, eta, gap, m, sigma, staleness
from boundkit.algebra.vocabulary import (
    ALIKE_CLIENTS,
    BOUNDED_BELOW,
    BOUNDED_NOISE,
    BOUNDED_STALENESS,
    MEAN_SQUARED_GRADIENT,
    SMOOTH,
)

THEOREM = Theorem(
    name="async_sgd_nonconvex",
    algorithm="async_sgd",
    claim=MEAN_SQUARED_GRADIENT,
    assumptions=(SMOOTH, BOUNDED_BELOW, BOUNDED_NOISE, ALIKE_CLIENTS, BOUNDED_STALENESS),
    step_size=(at_most(eta, 2 / (L * (1 + sqrt(1 + 8 * staleness**2)))),),
    terms=(
        Term(
            "initial gap",
            2 * gap / (eta * T),
            provenance="derived",
            because="eta/2 of the squared gradient an update is paid from the gap",
        ),
        Term(
            "stochastic noise",
            eta * L * sigma**2,
            provenance="derived",
            because="eta^2 L sigma^2/2 an update, times 2/eta; the noise of one gradient is not shared",
        ),
        Term(
            "staleness",
            2 * eta**2 * L**2 * staleness * sigma**2,
            provenance="derived",
            because="Young's 2 for noise and mean, then L^2/2 times 2",
        ),
    ),
    reductions=(
        Reduction(to="sgd_nonconvex", when={staleness: 0, m: 1}, because="one client is never late"),
        Reduction(
            to="sgd_nonconvex",
            when={staleness: 0},
            holds=False,
            because="m clients that do not wait for each other do not share noise either",
        ),
    ),
    limits=(
        Limit(when={staleness: 0}, removes=("staleness",)),
        Limit(when={sigma: 0}, removes=("stochastic noise", "staleness")),
    ),
    remarks=(
        "The condition is eta L + 2 eta^2 L^2 staleness^2 <= 1, solved for eta: staleness is a second-order "
        "error, but a first-order restriction, eta <= about 1/(sqrt(2) L staleness).",
        "With m clients that always compute, the mean age is m - 1 in the long run, so that staleness is at "
        "least m - 1.",
        "Ages must not depend on the noise; a client whose bad batches take longer breaks the proof.",
        "T counts updates here: one gradient each, where a round of minibatch SGD takes m.",
    ),
    source=Source(
        authors=("Lian", "Huang", "Li", "Liu"),
        year=2015,
        title="Asynchronous Parallel Stochastic Gradient for Nonconvex Optimization",
        venue="NeurIPS 2015",
        arxiv="1506.08272",
        where="Theorem 1",
        note="Recalled, at one gradient an update; the constants stand on the proof above.",
        renamed={"gamma": eta, "K": T, "max delay T": staleness},
    ),
    prose=__doc__,
)
