r"""FedAU with estimated weights on smooth non-convex losses: the published rate.

The weights are estimated during the run. To the terms of fixed weights is added the error of the weights
(start-up), and the bias of the cutoff, which does not vanish with $T$ (objective inconsistency).

Proof: none here; the source states the order only, and its constants were not read. Known: with unbiased
weights, $omega_i = 1/q_i$, fedau_nonconvex has every constant. That the squared error of the weights tends to
$(1 - q_i)^(2 cutoff)$ is exact, see fedau_cutoff_bias; availability bounds it for all clients. Not known: the
numbers $c_1$ to $c_5$, and how tight the part with $log T$ is.
"""

from boundkit.algebra.authoring import *

_BOTH = tau * sigma_g**2 + sigma**2
_RECALLED = "the source gives O(.)"

THEOREM = order_level(
    "fedau_nonconvex_rate",
    title="FedAU with estimated weights, published rate",
    algorithm="fedau",
    bounds=MEAN_SQUARED_GRADIENT,
    assumes=(
        *NONCONVEX_NOISY,
        BOUNDED_GRADIENTS,
        CLIENTWISE_DISSIMILARITY,
        EQUAL_WEIGHTS,
        BERNOULLI_AVAILABILITY,
        INTERVAL_WEIGHTS,
        COMMON_STEPS,
    ),
    requires=(at_least(T, 2),),
    steps=(
        at_most(eta * L * tau, 1 / (4 * sqrt(15))),
        at_most(eta_s * eta * L * tau, Rational(1, 4)),
        at_most(54 * share_noise * eta_s * eta * L * tau, 1),
    ),
    terms=(
        recalled("initial gap", c_1 * gap / (eta_s * eta * tau * T), _RECALLED),
        recalled(
            "stochastic noise",
            c_2 * eta_s * eta * L * share_noise * sigma**2,
            _RECALLED + "; Q/N there is share_noise here, the mean of 1/q_i over m where weights are right",
        ),
        recalled(
            "partial participation",
            c_2 * eta_s * eta * L * share_noise * tau * sigma_g**2,
            _RECALLED + "; one constant with the noise",
        ),
        recalled(
            "client drift",
            c_3 * eta**2 * L**2 * tau * _BOTH,
            _RECALLED + "; noise and dissimilarity in one, and it stays at tau = 1",
        ),
        recalled(
            "start-up",
            c_4 * G**2 * cutoff * log(T) / T,
            _RECALLED + "; the weights' error while they are learnt, by its Theorem 3",
        ),
        recalled(
            "objective inconsistency",
            c_5 * G**2 * (1 - availability) ** (2 * cutoff),
            _RECALLED + "; what the cut-off leaves wrong, the exponent by its Theorem 3",
        ),
    ),
    definitions={share_noise: ClientSum(1 / q_i) / m**2, availability: 1 - ClientMax(1 - q_i)},
    limits=(
        removes({sigma: 0, sigma_g: 0}, "stochastic noise", "partial participation", "client drift"),
        keeps({tau: 1}, "client drift", because="this form of the drift has tau, not tau - 1"),
    ),
    remarks=(
        "The paper's G bounds the gradient of the mean loss; a bound on stochastic gradients implies it.",
        "The conditions on the steps are recalled, and sources differ between 1/(2 L tau) and 1/(4 L tau): "
        "the smaller is taken.",
        "The claim in the source is about the smallest squared gradient.",
        "Here availability is the least q_i.",
    ),
    source=WANG_2024.at(
        "Theorems 2 and 3",
        note="Recalled and not opened: the form is at the level of O(.).",
        letters={
            "N": m,
            "I": tau,
            "gamma": eta,
            "eta": eta_s,
            "p_n": q_i,
            "omega_n": omega_i,
            "P": m * pull,
            "K": cutoff,
            "Q/N": share_noise,
            "delta": sigma_g,
        },
    ),
    prose=__doc__,
)
