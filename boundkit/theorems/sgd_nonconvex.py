r"""Synchronous minibatch SGD on smooth non-convex losses.

Two terms. Small step sizes reduce the initial gap slowly (initial gap). Large step sizes admit gradient
noise, averaged over $m$ clients (stochastic noise). Clients average after every gradient, so there is no
drift, and heterogeneity does not occur: the mean of the clients' gradients is the gradient of the mean loss.
"""

from boundkit.algebra.authoring import *

THEOREM = upper(
    "sgd_nonconvex",
    title="Minibatch SGD, non-convex",
    algorithm="minibatch_sgd",
    bounds=MEAN_SQUARED_GRADIENT,
    assumes=(*NONCONVEX_NOISY, EQUAL_WEIGHTS, FULL_PARTICIPATION, ONE_LOCAL_STEP, SERVER_STEP_ONE),
    steps=(at_most(eta, 1 / L),),
    terms=(
        derived(
            "initial gap",
            2 * gap / (eta * T),
            "eta/2 of the squared gradient a round is covered by the decrease of the loss, so 2/(eta T) of "
            "it in the mean",
        ),
        derived(
            "stochastic noise",
            eta * L * sigma**2 / m,
            "eta^2 L sigma^2/(2m) a round, independent across clients, times 2/eta",
        ),
    ),
    remarks=("Heterogeneity adds no term; the price is one exchange a gradient.",),
    source=BOTTOU_2018.at(
        "Theorem 4.8",
        note="The classical form, with M_G = mu = 1 and M = sigma^2/m; the constants stand on the proof "
        "above.",
        letters={"alpha_bar": eta, "K": T, "M": sigma**2 / m, "F(w_1) - F_inf": gap},
    ),
    prose=__doc__,
)
