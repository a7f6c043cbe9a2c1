r"""FedExP on smooth convex losses, full participation, full gradients: the loss at a weighted mean iterate.

FedExP increases the server step size when the clients' updates disagree: $eta_s$ is half the mean squared
update over the square of the mean update, and at least 1. The initial gap is then divided by the sum of the
server step sizes, $eta_s_mean T$, instead of $T$. The price is an error floor, $eta tau sigma_star^2$:
extrapolation is justified only where the updates agree on the minimiser.

It holds for every server step with $1 <= eta_s$ and $eta_s ||mean Delta||^2 <= mean ||Delta_i||^2$. FedExP's
is one, at any eps $>= 0$, and so is $eta_s = 1$.
"""

from boundkit.algebra.authoring import *

THEOREM = upper(
    "fedexp_convex",
    title="FedExP, convex, full gradients",
    algorithm="fedexp",
    bounds=WEIGHTED_ITERATE_LOSS_GAP,
    assumes=(
        SMOOTH,
        CONVEX,
        NO_NOISE,
        OPTIMUM_DISSIMILARITY,
        EQUAL_WEIGHTS,
        FULL_PARTICIPATION,
        COMMON_STEPS,
        ADAPTIVE_SERVER_STEP,
    ),
    steps=(at_most(eta, 1 / (4 * L * tau)),),
    terms=(
        derived(
            "initial gap",
            Rational(21, 40) * distance**2 / (eta_s_mean * eta * tau * T),
            "the squared distance telescopes, and F - F* keeps 40/21",
        ),
        derived(
            "client drift",
            Rational(39, 50) * eta * tau * sigma_star**2,
            "(21/40) (4/3): the squared updates, as far as cocoercivity does not pay for them, and (21/40) "
            "(16/27) by the drift, times 1/4, rounded up",
            label="update dissimilarity",
        ),
    ),
    becomes=(
        not_to(
            "fedavg_convex_partial",
            {eta_s_mean: 1, eta_s: 1, C: 1, sigma: 0, sigma_g: sigma_star},
            factors={"initial gap": Rational(21, 40)},
            because="with server step size 1 it is FedAvg with full gradients, but the error floor of the "
            "unlike updates is due to the proof, and remains",
        ),
    ),
    limits=(
        keeps(
            {tau: 1},
            "update dissimilarity",
            because="the error floor of the heterogeneous updates is there with one local step, too",
        ),
    ),
    remarks=(
        "Where all clients share a minimiser (sigma_star = 0) only the initial gap remains, and the gain "
        "over FedAvg is the sum of the server step sizes against T.",
        "The mean eta_s_mean of eta_s over the rounds is known from a run only; the theorem does not bound "
        "it.",
        "The claim is about the mean of the models weighted by the server step sizes, not about the last "
        "one.",
        "For FedAvg the error floor is an artefact of bounding the mean update by the updates.",
        "The source gives these terms and the drift as O(.), for eta <= 1/(6 L tau).",
    ),
    source=JHUNJHUNWALA_2023.at(
        "Theorem 1", note="O(.) in the source; the constants are those of its certificate."
    ),
    prose=__doc__,
)
