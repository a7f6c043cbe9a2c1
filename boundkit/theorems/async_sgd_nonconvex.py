"""Asynchronous SGD on smooth non-convex losses, with stale gradients.

Three terms. No client waits for another, so each update is one client's gradient and its noise is not
averaged (stochastic noise). The gradient belongs to a model that is up to staleness updates old (staleness):
the noise of the updates since then costs a second-order term, and their gradients restrict the step size. A
round is one update of the server by one client.
"""

from boundkit.algebra.authoring import *

THEOREM = upper(
    "async_sgd_nonconvex",
    title="Asynchronous SGD with bounded staleness",
    algorithm="async_sgd",
    bounds=MEAN_SQUARED_GRADIENT,
    assumes=(*NONCONVEX_NOISY, HOMOGENEOUS_CLIENTS, BOUNDED_STALENESS),
    steps=(at_most(eta, 2 / (L * (1 + sqrt(1 + 8 * staleness**2)))),),
    terms=(
        derived(
            "initial gap",
            2 * gap / (eta * T),
            "eta/2 of the squared gradient an update is covered by the decrease of the loss",
        ),
        derived(
            "stochastic noise",
            eta * L * sigma**2,
            "eta^2 L sigma^2/2 an update, times 2/eta; the noise of one gradient is not averaged",
        ),
        derived(
            "staleness",
            2 * eta**2 * L**2 * staleness * sigma**2,
            "Young's 2 for noise and mean, then L^2/2 times 2",
        ),
    ),
    becomes=(
        to("sgd_nonconvex", {staleness: 0, m: 1}, because="the gradient of a single client is never stale"),
        not_to(
            "sgd_nonconvex",
            {staleness: 0},
            because="m clients that do not wait for each other do not average their noise either",
        ),
    ),
    remarks=(
        "The condition is eta L + 2 eta^2 L^2 staleness^2 <= 1, solved for eta: staleness is a second-order "
        "error, but a first-order restriction, eta <= about 1/(sqrt(2) L staleness).",
        "With m clients that always compute, the mean age is m - 1 in the long run, so that staleness is at "
        "least m - 1.",
        "Ages must not depend on the noise; the proof fails if some noise realisations take longer to "
        "compute.",
        "T counts updates here: one gradient each, where a round of minibatch SGD takes m.",
    ),
    source=LIAN_2015.at(
        "Theorem 1",
        note="Recalled, at one gradient an update; the constants stand on the proof here.",
        letters={"gamma": eta, "K": T, "max delay T": staleness},
    ),
    prose=__doc__,
)
