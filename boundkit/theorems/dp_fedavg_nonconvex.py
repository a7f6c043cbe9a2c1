r"""DP-FedAvg: clipped updates and Gaussian noise, smooth non-convex losses, all clients, full gradients.

The privacy noise grows with the number $d$ of parameters and falls with $m^2$; at $clip$ in proportion to
$eta tau$ it is of the order of the server's whole step. A short clip costs a bias, which no step size
removes: where a minority of clients of one curvature has another minimiser, the clipped updates cancel, and
as $clip$ goes to 0 the model rests at the minimiser of the majority. Where no update is longer than $clip$,
$clip_excess$ is 0; so it is for $clip >= (16/15) eta tau G$ with gradients of norms up to $G$.

A run of $T$ rounds is differentially private for adding or removing one client: with any probability of
failure delta, at the level $T/(2 privacy_noise^2) + sqrt(2 T log(1/delta))/privacy_noise$, by the composition
of Renyi divergences. The denominator $m$ is a public number then, not a count of those present.
"""

from boundkit.algebra.authoring import *

_round = eta_s * eta * tau

THEOREM = upper(
    "dp_fedavg_nonconvex",
    title="DP-FedAvg, clipped updates and noise, non-convex",
    algorithm="dp_fedavg",
    bounds=MEAN_SQUARED_GRADIENT,
    assumes=(
        *NONCONVEX, NO_NOISE, BOUNDED_DISSIMILARITY, CLIPPED_UPDATES, GAUSSIAN_MECHANISM, EQUAL_WEIGHTS,
        FULL_PARTICIPATION, COMMON_STEPS,
    ),
    steps=(at_most(eta, 1 / (8 * L * tau)), at_most(_round, 1 / L)),
    terms=(
        derived("initial gap", Rational(101, 50) * gap / (_round * T), "2 over 0.991 that the drift leaves"),
        derived(
            "client drift",
            Rational(14, 25) * L**2 * eta**2 * (tau - 1) ** 2 * sigma_g**2,
            "2 (8/15)^2 by Young's inequality between drift and clipping, over 0.991",
        ),
        derived("clipping", Rational(101, 50) * clip_excess**2, "Young's 2, over 0.991"),
        derived(
            "message noise",
            Rational(101, 100) * L * eta_s * privacy_noise**2 * clip**2 * d / (eta * tau * m**2),
            "L/2 times the variance of the noise of d coordinates, over 0.991 s/2",
            label="privacy noise",
        ),
    ),
    remarks=(
        "With clip = (16/15) eta tau G, from which on nothing is clipped, the privacy noise is at most (6/5) "
        "L eta_s eta tau privacy_noise^2 G^2 d/m^2.",
        "An average over the clients that are present in place of m is not private in this sense: whoever "
        "leaves changes the denominator, too.",
    ),
    source=MCMAHAN_2018.at(
        "Algorithm 1", note="The algorithm; it has no theorem on convergence. Bound and proof are ours."
    ),
    prose=__doc__,
)  # fmt: skip
