r"""FedProx on smooth non-convex losses, C m clients a round, with inexact local solutions.

A client minimises its own loss plus $mu_prox/2$ times the squared distance from the server's model, and stops
when the gradient of that sum has fallen to the fraction inexactness of its initial value. Steps and noise do
not occur: only the exactness of the solution matters. A round lowers the loss by $rho$ times the squared
gradient, if $rho > 0$; and $rho$ is $1/mu_prox$ less five terms, for inexactness, for sampling (twice), for
heterogeneity, and for the length of the step.

All five grow with $beta$, the dissimilarity relative to the gradient. Where the gradients of the clients
differ by a constant, $beta$ grows without bound near a stationary point, and $rho > 0$ fails there: the
theorem covers the iterates until the gradient is of the size of that constant.

Proof. Let $mu' = mu_prox - L_minus$, so that proximal objectives are $mu'$-strongly convex and a client moves
by at most $(1 + g)/mu' ||grad F_i||$, $g$ the inexactness. (i) The mean over all clients moves by $-grad
F/mu_prox - M/mu_prox$ with $||M|| <= (L (1 + g)/mu' + g) beta ||grad F||$, and by at most $(1 + g) beta/mu'
||grad F||$ in all. Smoothness gives the first, second, fourth and fifth part. (ii) The mean over $K = C m$
samples differs from that mean by $E||.||^2 <= (2/K) (1 + g)^2 beta^2/mu'^2 ||grad F||^2$ ($1/K$ would do),
and the loss is Lipschitz there with $||grad F|| + L$ times the two lengths: the third and sixth part. (iii)
Telescope $gap >= rho sum_t ||grad F(x_t)||^2$.
"""

from boundkit.algebra.authoring import *

_curved = mu_prox - L_minus  # strong convexity of a proximal objective
_length = beta * (1 + inexactness)  # of a client's update, times _curved, over the gradient

THEOREM = upper(
    "fedprox_nonconvex",
    title="FedProx with inexact local solutions, partial participation",
    algorithm="fedprox",
    bounds=MEAN_SQUARED_GRADIENT,
    assumes=(
        SMOOTH,
        BOUNDED_NEGATIVE_CURVATURE,
        BOUNDED_BELOW,
        LOCAL_DISSIMILARITY,
        WEIGHTED_OBJECTIVE,
        REPLACEMENT,
        INEXACT_PROXIMAL,
    ),
    requires=(more_than(mu_prox, L_minus), less_than(prox_paid, 1 / mu_prox)),
    terms=(
        derived(
            "initial gap",
            gap / ((1 / mu_prox - prox_paid) * T),
            "a round lowers the loss by rho times the squared gradient, so the mean is gap/(rho T)",
        ),
    ),
    definitions={
        prox_paid: inexactness * beta / mu_prox
        + sqrt(2) * _length / (_curved * sqrt(C * m))
        + L * _length / (_curved * mu_prox)
        + L * _length**2 / (2 * _curved**2)
        + L * _length**2 * (2 * sqrt(2 * C * m) + 2) / (_curved**2 * C * m)
    },
    limits=(
        keeps(
            {C: 1},
            "initial gap",
            because="clients are sampled with replacement, so the terms for sampling remain at C = 1",
        ),
    ),
    remarks=(
        "One term holds all effects: noise enters through inexactness, sampling through C m, heterogeneity "
        "through beta.",
        "That rho = 1/mu_prox - prox_paid is above 0 needs mu_prox well above L beta^2 and C m above 2 "
        "beta^2.",
        "The terms for sampling do not vanish at C = 1, since clients are sampled with replacement.",
        "Under a constant dissimilarity sigma_g, beta^2 = 1 + sigma_g^2/||grad F||^2: the theorem then holds "
        "while the gradient is above some size.",
        "The 2 under the root and the two other factors 2 of the sampling come from a bound twice too large: "
        "1/K for 2/K turns sqrt(2) into 1, and 2 sqrt(2 K) + 2 into 2 sqrt(K) + 1.",
        "The corollary rho ~ 1/(24 L beta^2) for exact convex clients is not what the formula gives: at "
        "mu_prox = 6 L beta^2 and C m = 4 beta^2 it is 0.50, 0.76, 0.82 of that for beta = 5, 20, 100.",
        "FedProx with a number of proximal steps is FedNova's proximal solver; see fednova_nonconvex.",
    ),
    source=LI_2020_FEDPROX.at(
        "Theorem 4",
        note="The form was confirmed against three independent notes and the proof is above.",
        letters={"K": C * m, "B": beta, "gamma": inexactness, "mu": mu_prox, "rho": -prox_paid + 1 / mu_prox},
    ),
    prose=__doc__,
)
