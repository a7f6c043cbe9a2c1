r"""MIFA on smooth non-convex losses: full gradients, one local step, bounded unavailability.

The server stores every client's last gradient and steps with the mean of all stored gradients. There is one
term, the initial gap. Heterogeneity adds none: the stored gradients of unavailable clients replace the
missing ones, and are correct in the limit. Unavailability restricts the step size, which must fall with
staleness.
"""

from boundkit.algebra.authoring import *

THEOREM = upper(
    "mifa_nonconvex",
    title="MIFA, non-convex, full gradients, one local step",
    algorithm="mifa",
    bounds=MEAN_SQUARED_GRADIENT,
    assumes=(*NONCONVEX, NO_NOISE, EQUAL_WEIGHTS, BOUNDED_ABSENCE, ONE_LOCAL_STEP, SERVER_STEP_ONE),
    steps=(at_most(eta * L * (1 + staleness), 1),),
    terms=(
        derived(
            "initial gap",
            2 * gap / (eta * T),
            "eta/2 of the squared gradient a round is covered by the decrease of the loss",
        ),
    ),
    becomes=(
        to(
            "sgd_nonconvex",
            {sigma: 0},
            because="without noise it is the bound of gradient descent; only the step size is smaller, by 1 "
            "+ staleness",
        ),
    ),
    limits=(
        keeps(
            {staleness: 0},
            "initial gap",
            because="staleness is in the condition on the step size, not in the bound",
        ),
    ),
    remarks=(
        "With noise and local steps: mifa_nonconvex_local_steps, at steps shorter by a factor of 4.",
        "Attained: a quadratic at eta = 1/L with full participation is at its minimum after one round.",
        "With more local steps the method has the limit of FedAvg with all clients: the drift remains, the "
        "bias of unavailability does not.",
        "The server waits until every client has participated once.",
    ),
    source=GU_2021.at(
        "Algorithm 1",
        note="The method is the paper's; this statement without noise and its proof are ours.",
        letters={"N": m, "eta_t": eta, "tau_max": staleness},
    ),
    prose=__doc__,
)
