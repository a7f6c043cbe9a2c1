"""How unlike the clients are.

Most readings bound gradients at the same point. For equal weights and m clients in all, D2 gives D1
with sqrt(m - 1) sigma_g: true, and of no use for a million clients, so it does not count here.
"""

from sympy import Rational, sqrt

from boundkit.algebra.notation import (
    G,
    L,
    beta,
    kappa,
    mu_pl,
    rho_zeta,
    sigma_between,
    sigma_c,
    sigma_g,
    sigma_star,
    sigma_within,
    zeta,
)
from boundkit.algebra.vocabulary import (
    ALIKE_CLIENTS,
    BETA_KAPPA_DISSIMILARITY,
    BOUNDED_DISSIMILARITY,
    BOUNDED_GRADIENTS,
    BOUNDED_NOISE,
    CLIENTWISE_DISSIMILARITY,
    CLUSTER_DISSIMILARITY,
    COMMON_STEPS,
    CONVEX,
    EQUAL_WEIGHTS,
    GROUP_DISSIMILARITY,
    LOCAL_DISSIMILARITY,
    NORM_DISSIMILARITY,
    OPTIMUM_DISSIMILARITY,
    POLYAK_LOJASIEWICZ,
    SMOOTH,
    SURROGATE_DISSIMILARITY,
)
from boundkit.analysis.assumptions.relation import Implication, Refutation, Subject, x

_UNLIKE_HESSIANS = "F_1 = x^2/2, F_2 = 3 x^2/2"
_TEN = (Rational(-9, 2) * x, *(Rational(1, 2) * x for _ in range(9)))

SUBJECT = Subject(
    "dissimilarity",
    suppositions=(
        ALIKE_CLIENTS,
        CLIENTWISE_DISSIMILARITY,
        BOUNDED_DISSIMILARITY,
        NORM_DISSIMILARITY,
        BETA_KAPPA_DISSIMILARITY,
        SURROGATE_DISSIMILARITY,
        LOCAL_DISSIMILARITY,
        CLUSTER_DISSIMILARITY,
        GROUP_DISSIMILARITY,
        OPTIMUM_DISSIMILARITY,
    ),
    implications=(
        Implication((ALIKE_CLIENTS,), CLIENTWISE_DISSIMILARITY, "the differences are 0", {sigma_g: 0}),
        Implication((ALIKE_CLIENTS,), LOCAL_DISSIMILARITY, "all gradients are the mean", {beta: 1}),
        Implication((ALIKE_CLIENTS,), CLUSTER_DISSIMILARITY, "the differences are 0", {sigma_c: 0}),
        Implication(
            (ALIKE_CLIENTS,),
            GROUP_DISSIMILARITY,
            "the differences are 0",
            {sigma_between: 0, sigma_within: 0},
        ),
        Implication((ALIKE_CLIENTS,), OPTIMUM_DISSIMILARITY, "they share the optimum", {sigma_star: 0}),
        Implication(
            (CLIENTWISE_DISSIMILARITY,),
            BOUNDED_DISSIMILARITY,
            "a mean square is at most the largest",
            {sigma_g: sigma_g},
        ),
        Implication(
            (CLIENTWISE_DISSIMILARITY,),
            SURROGATE_DISSIMILARITY,
            "a mean square is least about its own mean, whatever the weights",
            {sigma_g: sigma_g},
        ),
        Implication(
            (CLIENTWISE_DISSIMILARITY,),
            BETA_KAPPA_DISSIMILARITY,
            "a mean square is the square of the mean and the mean square about it, whatever the weights",
            {beta: 1, kappa: sigma_g},
        ),
        Implication(
            (BOUNDED_DISSIMILARITY, EQUAL_WEIGHTS, COMMON_STEPS),
            BETA_KAPPA_DISSIMILARITY,
            "the same identity with the weights 1/m: D2 is D3 with beta = 1",
            {beta: 1, kappa: sigma_g},
        ),
        Implication(
            (BOUNDED_DISSIMILARITY, EQUAL_WEIGHTS, COMMON_STEPS),
            SURROGATE_DISSIMILARITY,
            "equal weights and equal steps: the surrogate is the objective",
            {sigma_g: sigma_g},
        ),
        Implication(
            (CLIENTWISE_DISSIMILARITY,),
            NORM_DISSIMILARITY,
            "without a slope it is the same",
            {zeta: sigma_g, rho_zeta: 0},
        ),
        Implication(
            (NORM_DISSIMILARITY, COMMON_STEPS),
            BETA_KAPPA_DISSIMILARITY,
            "(zeta + rho_zeta ||grad F||)^2 <= 2 zeta^2 + 2 rho_zeta^2 ||grad F||^2, about the mean",
            {beta: sqrt(1 + 2 * rho_zeta**2), kappa: sqrt(2) * zeta},
        ),
        Implication(
            (CLIENTWISE_DISSIMILARITY,),
            CLUSTER_DISSIMILARITY,
            "client and cluster are each within sigma_g of the mean",
            {sigma_c: 2 * sigma_g},
        ),
        Implication(
            (CLIENTWISE_DISSIMILARITY,),
            GROUP_DISSIMILARITY,
            "a group's mean is within sigma_g of the mean; inside, a mean square is least about its own",
            {sigma_between: sigma_g, sigma_within: sigma_g},
        ),
        Implication(
            (GROUP_DISSIMILARITY,),
            BOUNDED_DISSIMILARITY,
            "the variance is that inside the groups and that between them",
            {sigma_g: sqrt(sigma_between**2 + sigma_within**2)},
        ),
        Implication(
            (BOUNDED_DISSIMILARITY,),
            OPTIMUM_DISSIMILARITY,
            "at the optimum the mean gradient is 0",
            {sigma_star: sigma_g},
        ),
        Implication(
            (NORM_DISSIMILARITY,),
            OPTIMUM_DISSIMILARITY,
            "at the optimum the mean gradient is 0",
            {sigma_star: zeta},
        ),
        Implication(
            (BETA_KAPPA_DISSIMILARITY, EQUAL_WEIGHTS, COMMON_STEPS),
            OPTIMUM_DISSIMILARITY,
            "at the optimum the mean gradient is 0",
            {sigma_star: kappa},
        ),
        Implication(
            (OPTIMUM_DISSIMILARITY, SMOOTH, CONVEX, POLYAK_LOJASIEWICZ, EQUAL_WEIGHTS, COMMON_STEPS),
            BETA_KAPPA_DISSIMILARITY,
            "mean ||grad F_i(x) - grad F_i(x*)||^2 <= 2 L (F(x) - F*) <= (L/mu_pl) ||grad F(x)||^2, and "
            "||a + b||^2 <= 2 ||a||^2 + 2 ||b||^2",
            {beta: sqrt(2 * L / mu_pl), kappa: sqrt(2) * sigma_star},
        ),
        Implication(
            (BOUNDED_GRADIENTS, BOUNDED_NOISE),
            CLIENTWISE_DISSIMILARITY,
            "the norm of a mean gradient is at most G, for each client and for all",
            {sigma_g: 2 * G},
        ),
        Implication(
            (BOUNDED_GRADIENTS, BOUNDED_NOISE, EQUAL_WEIGHTS),
            BOUNDED_DISSIMILARITY,
            "a variance is at most the mean square",
            {sigma_g: G},
        ),
    ),
    refutations=(
        Refutation(
            (BOUNDED_DISSIMILARITY,),
            CLIENTWISE_DISSIMILARITY,
            "ten linear losses, one of slope -9/2, nine of slope 1/2",
            "the mean square is (3/2)^2, but one client is 9/2 away: sqrt(m - 1) times as far",
            clients=_TEN,
            constants={sigma_g: Rational(3, 2)},
            still="with sqrt(m - 1) sigma_g it does, where all weigh alike",
        ),
        Refutation(
            (BETA_KAPPA_DISSIMILARITY, SMOOTH),
            BOUNDED_DISSIMILARITY,
            _UNLIKE_HESSIANS,
            "the slope beta^2 = 5/4 takes up what grows; the difference, |x|, is larger than any sigma_g",
            clients=(x**2 / 2, 3 * x**2 / 2),
            constants={beta: sqrt(5) / 2, kappa: 0, L: 3},
        ),
        Refutation(
            (NORM_DISSIMILARITY, SMOOTH),
            CLIENTWISE_DISSIMILARITY,
            _UNLIKE_HESSIANS,
            "the slope rho_zeta = 1/2 takes up what grows",
            clients=(x**2 / 2, 3 * x**2 / 2),
            constants={zeta: 0, rho_zeta: Rational(1, 2), L: 3},
        ),
        Refutation(
            (OPTIMUM_DISSIMILARITY, SMOOTH, CONVEX),
            BOUNDED_DISSIMILARITY,
            "F_1 = x^2/2, F_2 = 3 (x - 1)^2/2",
            "one number at the optimum, and |x - 3/2| away from it: no sigma_g serves quadratics with unlike "
            "Hessians",
            clients=(x**2 / 2, 3 * (x - 1) ** 2 / 2),
            constants={sigma_star: Rational(3, 4), L: 3},
        ),
        Refutation(
            (LOCAL_DISSIMILARITY, SMOOTH),
            BETA_KAPPA_DISSIMILARITY,
            "F_1 = x^2/2, F_2 = -x^2/2",
            "the mean gradient is 0 everywhere, so that nothing is asked, and x^2 grows without bound",
            clients=(x**2 / 2, -(x**2) / 2),
            constants={beta: 1, L: 1},
            still="with kappa = 0 it does wherever the mean gradient is not 0",
        ),
        Refutation(
            (CLIENTWISE_DISSIMILARITY, SMOOTH),
            LOCAL_DISSIMILARITY,
            "F_1 = (x - 1)^2/2, F_2 = (x + 1)^2/2",
            "the ratio is 1 + 1/x^2: without a constant part no beta serves near the optimum",
            clients=((x - 1) ** 2 / 2, (x + 1) ** 2 / 2),
            constants={sigma_g: 1, L: 1},
        ),
        Refutation(
            (CLIENTWISE_DISSIMILARITY, SMOOTH),
            ALIKE_CLIENTS,
            "F_1 = (x - 1)^2/2, F_2 = (x + 1)^2/2",
            "alike Hessians make the difference one number, and it is 1",
            clients=((x - 1) ** 2 / 2, (x + 1) ** 2 / 2),
            constants={sigma_g: 1, L: 1},
        ),
        Refutation(
            (CLUSTER_DISSIMILARITY, SMOOTH),
            BOUNDED_DISSIMILARITY,
            "two clusters of alike clients, x^2/2 in one and 3 x^2/2 in the other",
            "inside a cluster nothing differs, between them |x| does",
            clients=(x**2 / 2, x**2 / 2, 3 * x**2 / 2, 3 * x**2 / 2),
            constants={sigma_c: 0, L: 3},
        ),
        Refutation(
            (OPTIMUM_DISSIMILARITY, SMOOTH, CONVEX),
            ALIKE_CLIENTS,
            _UNLIKE_HESSIANS,
            "they share the optimum, so that sigma_star = 0, and nothing else",
            clients=(x**2 / 2, 3 * x**2 / 2),
            constants={sigma_star: 0, L: 3},
        ),
    ),
)
