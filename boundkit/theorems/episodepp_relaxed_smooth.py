r"""EPISODE++: episodic gradient clipping with stored corrections, C m clients: rounds to a small gradient.

EPISODE needs fresh gradients of all clients in every round. EPISODE++ stores each client's last mean gradient
instead, as SCAFFOLD does, so that only the participating clients compute. Clipping by the stored mean of all
clients keeps the direction of the mean gradient; clipping by the minibatch of the participating clients does
not, and then the bound depends on the largest gradient (clipped_minibatch_sgd_relaxed_smooth_lower).

Proof. Not reproduced: the paper was not opened, and the factor that subsampling adds is unreadable in the
scan of the talk. It was inferred from three things: the fragment that is readable, the rule by which the
table's largest number of local steps follows from its rounds, and that the row becomes EPISODE's with full
participation.
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
            "the noise is averaged over C m clients with tau gradients a round; inside O~(.)",
        ),
        recalled(
            "client drift",
            c_2 * gap * _CURVATURE * (1 / C + sigma / target) / target**2,
            "tau steps must stay where the curvature is bounded, and corrections are 1/C rounds old; inside "
            "O~(.), and 1/C + sigma/target is inferred",
        ),
    ),
    becomes=(
        to(
            "episode_relaxed_smooth",
            {C: 1},
            because="with full participation corrections are one round old; the order is EPISODE's",
        ),
        not_to(
            "scaffold_nonconvex_rounds",
            {L1: 0, zeta: 0, rho_zeta: 0},
            leaves=("client drift",),
            because="without clipping the algorithm is SCAFFOLD, but its rounds grow with (1/C)^(2/3), and "
            "the noise counts once",
        ),
    ),
    limits=(keeps({C: 1}, "client drift", because="clients drift with full participation, too"),),
    remarks=(
        "The inner bracket is inferred: the bound is not tested on runs.",
        "O~ hides logarithms, and the source's claim holds with high probability.",
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
