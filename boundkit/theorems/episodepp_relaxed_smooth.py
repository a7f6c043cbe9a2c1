r"""EPISODE++: episodic clipping with remembered corrections, C m clients: rounds until the gradient is small.

The fresh gradients of EPISODE ask all clients in every round. EPISODE++ remembers each client's last mean
gradient instead, as SCAFFOLD does, so that only those who come work. Clipping by the remembered mean of
all clients, not by what the few who came have sent, keeps the clipped steps pointing where the mean
points; clipping the minibatch of those who came does not, and pays for it with the largest gradient
(clipped_minibatch_sgd_relaxed_smooth_lower).

Proof. Not reproduced: the paper was not opened, and the factor that subsampling adds is unreadable in the
scan of the talk. It was inferred from three things: the fragment that is readable, the rule by which the
table's largest number of local steps follows from its rounds, and that the row becomes EPISODE's where
all come.
"""

from boundkit.algebra.authoring import *

_CURVATURE = L0 + L1 * (zeta + rho_zeta * sigma)

THEOREM = order_level(
    "episodepp_relaxed_smooth",
    title="EPISODE++: episodic clipping with sampled clients, rounds to target",
    algorithm="episodepp",
    bounds=ROUNDS_TO_TARGET,
    assumes=(
        RELAXED_SMOOTH,
        BOUNDED_BELOW,
        ALMOST_SURE_NOISE,
        NORM_DISSIMILARITY,
        *SAMPLED_CLIENTS,
        SERVER_STEP_ONE,
    ),
    terms=(
        recalled(
            "stochastic noise",
            c_1 * gap * L0 * sigma**2 / (C * m * tau * target**4),
            "C m clients with tau gradients a round share the noise; inside O~(.)",
        ),
        recalled(
            "client drift",
            c_2 * gap * _CURVATURE * (1 / C + sigma / target) / target**2,
            "tau steps must stay where the curvature is known, and corrections are 1/C rounds old; inside "
            "O~(.), and 1/C + sigma/target is inferred",
        ),
    ),
    becomes=(
        to(
            "episode_relaxed_smooth",
            {C: 1},
            because="where all clients come, corrections are one round old; the order is EPISODE's",
        ),
        not_to(
            "scaffold_nonconvex_rounds",
            {L1: 0, zeta: 0, rho_zeta: 0},
            leaves=("client drift",),
            because="without clipping the algorithm is SCAFFOLD, but its rounds grow with (1/C)^(2/3), and "
            "the noise counts once",
        ),
    ),
    limits=(keeps({C: 1}, "client drift", because="clients drift whether or not all of them come"),),
    remarks=(
        "The inner bracket is inferred: do not hold the row against a run.",
        "O~ hides logarithms, and the source's claim holds with high probability.",
    ),
    errata=(
        "Of the row only gap L0 sigma^2, L0 + L1 (zeta + rho_zeta sigma) and the beginning of a bracket with "
        "sigma are readable in the scan of the talk.",
        "The talk's listings of the algorithm are all headed EPISODE or EPISODE++ for the same lines, and "
        "they are EPISODE++; line 15 divides by the number of all clients.",
    ),
    source=CRAWSHAW_2023_SUBSAMPLING.at(
        "Theorem 1, in the scan of a talk",
        note="Of the row only gap L0 sigma^2, L0 + L1 (zeta + rho_zeta sigma) and the beginning of a bracket "
        "with sigma are readable in the scan of the talk; 1/C + sigma/target is inferred. The paper was not "
        "opened.",
        letters={
            "R": T,
            "N": m,
            "S": C * m,
            "I": tau,
            "kappa": zeta,
            "rho": rho_zeta,
            "Delta": gap,
            "epsilon": target,
        },
    ),
    prose=__doc__,
)
