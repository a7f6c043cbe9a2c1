r"""FedExP on smooth convex losses, all clients, full gradients: the loss at a weighted mean of the models.

FedExP lengthens the server's step when the clients' updates disagree: eta_s is half the mean squared
update over the square of the mean update, and at least 1. The start is then paid off by the sum of the
server's steps, eta_s_mean T, instead of T. The price is a floor, eta tau sigma_star^2: a long server step
trusts that the clients' updates are longer than their mean only because each client is right.

Proof. For any server step with 1 <= eta_s and eta_s ||mean Delta||^2 <= mean ||Delta_i||^2; FedExP's is
one, at any eps >= 0, and so is eta_s = 1. Then ||x+ - x*||^2 <= ||x - x*||^2 - eta_s mean_i [2 <x - x*,
Delta_i> - ||Delta_i||^2].
(i) Three points at every local step: 2 <x - x*, Delta_i> >= 2 eta sum_k [F_i(x) - F_i(x*)
- (L/2) ||x - x_i^k||^2].
(ii) Gradients do not grow along gradient descent on a convex loss: ||x - x_i^k|| <= eta k ||grad F_i(x)||,
and ||Delta_i|| <= eta tau ||grad F_i(x)||; sum_k k^2 <= tau^2 (tau - 1)/3.
(iii) mean_i ||grad F_i(x)||^2 <= 4 L (F - F*) + 2 sigma_star^2. With eta L tau <= 1/6, F - F* keeps eta tau
(2 - 2/3 - 1/27) >= (5/4) eta tau; divide by that, weigh by eta_s, telescope, and use convexity of F for the
mean of the models.
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
    steps=(at_most(eta, 1 / (6 * L * tau)),),
    terms=(
        derived(
            "initial gap",
            Rational(4, 5) * distance**2 / (eta_s_mean * eta * tau * T),
            "4/5 = 1/(5/4): the squared distance telescopes, and F - F* keeps 5/4",
        ),
        derived(
            "client drift",
            Rational(8, 5) * eta * tau * sigma_star**2,
            "8/5 = 2 (4/5): the mean squared update, by (iii), over 5/4",
            label="unlike updates",
        ),
        derived(
            "client drift",
            Rational(8, 15) * eta**2 * L * tau * (tau - 1) * sigma_star**2,
            "8/15 = 2 (1/3) (4/5): sum_k k^2, and (iii), over 5/4",
        ),
    ),
    becomes=(
        to(
            "fedavg_convex_partial",
            {eta_s_mean: 1, eta_s: 1, C: 1, sigma: 0, sigma_g: sigma_star},
            factors={"initial gap": Rational(4, 5), "client drift": Rational(4, 75)},
            leaves=("unlike updates",),
            because="with the server's step at 1 it is FedAvg with full gradients; the floor of the unlike "
            "updates is the proof's, not FedAvg's",
        ),
        not_to(
            "fedavg_convex_partial",
            {eta_s_mean: 1, eta_s: 1, C: 1, sigma: 0, sigma_g: sigma_star},
            factors={"initial gap": Rational(4, 5), "client drift": Rational(4, 75)},
            because="the floor eta tau sigma_star^2 stays even where the server's step is 1",
        ),
    ),
    limits=(
        keeps(
            {tau: 1},
            "unlike updates",
            "client drift",
            because="one local step ends the drift, but not the floor of the unlike updates",
        ),
    ),
    remarks=(
        "Where all clients share a minimiser (sigma_star = 0) only the start is left, and what FedExP gains "
        "on FedAvg is the sum of its server steps against T.",
        "Only a run tells eta_s_mean, the mean of eta_s over its rounds. Nothing here says how large it "
        "becomes.",
        "The claim is about the mean of the models weighed by the server's steps, not about the last one.",
        "For plain FedAvg the floor is an artefact of bounding the mean update by the updates.",
        "The source gives the three terms as O(.), for the same condition eta <= 1/(6 L tau).",
    ),
    errata=(
        "Slides print ||x - x_i||^2 in the denominator of the server's step; it is the square of the mean "
        "update. Taken literally the ratio is at most 1/2 for symmetric clients, and the method is FedAvg.",
        "The eps that is added to that denominator is a squared length and no number: a fixed 0.001 means "
        "something else in other units and at other steps. Released code multiplies it by the number of "
        "clients that came.",
    ),
    source=JHUNJHUNWALA_2023.at(
        "Theorem 1",
        note="O(.) in the source; the constants stand on the proof above.",
        letters={"eta_l": eta, "sum_t eta_g^(t)": T * eta_s_mean},
    ),
    prose=__doc__,
)
