"""FedAvg on strongly convex losses, full participation with weights $p_i$, decaying step size.

The claim is the loss gap at the end. The step size of step $t$, counted over all rounds from 0, is $eta_t =
2/(mu (offset + t))$. All terms fall as one over the number of local steps; no error floor remains, however
heterogeneous the clients are. The terms are the initial squared distance, the averaged noise, the
heterogeneity that remains with averaging after every step $(Gamma)$, and the local drift between two
aggregations, bounded through $G$.
"""

from boundkit.algebra.authoring import *

_SPAN = offset + tau * T

THEOREM = upper(
    "fedavg_strongly_convex_decaying",
    title="FedAvg, strongly convex, full participation, decaying step size",
    algorithm="fedavg",
    bounds=LAST_LOSS_GAP,
    assumes=(
        SMOOTH,
        STRONGLY_CONVEX,
        CLIENTWISE_NOISE,
        BOUNDED_GRADIENTS,
        WEIGHTED_OBJECTIVE,
        FULL_PARTICIPATION,
        COMMON_STEPS,
        SERVER_STEP_ONE,
        DECAYING_STEP,
    ),
    requires=(at_most(mu, L),),
    steps=(at_least(offset, 8 * L / mu), at_least(offset, tau - 1)),
    terms=(
        derived(
            "initial gap",
            L * offset * distance**2 / (2 * _SPAN),
            "the offset of the recursion, times L/2 from distance to loss",
        ),
        derived(
            "stochastic noise",
            2 * L * sigma_mean**2 / (mu**2 * _SPAN),
            "2 = 4 (1/2): 4 from the square of the step 2/(mu s), L/2 from distance to loss",
        ),
        derived(
            "client drift",
            12 * L**2 * Gamma / (mu**2 * _SPAN),
            "12 = 2 6: as the noise, with 6 = 4 + 2 times L Gamma from (i) and (ii)",
            label="heterogeneity",
        ),
        derived(
            "client drift",
            16 * L * (tau - 1) ** 2 * G**2 / (mu**2 * _SPAN),
            "16 = 2 2 4: as the noise, V enters twice, and the steps of a round differ by up to 2",
        ),
    ),
    definitions={sigma_mean: sqrt(ClientSum(p_i**2 * sigma_i**2)), offset: Max(8 * L / mu, tau)},
    limits=(
        keeps(
            {Gamma: 0},
            "heterogeneity",
            "client drift",
            because="clients with a common minimiser still drift before they reach it, and the drift term "
            "holds G",
        ),
    ),
    remarks=(
        "The offset is max{8 L/mu, tau} in the source; every larger one will do, and tau - 1 for tau.",
        "The proof gives the maximum of the initial term and the sum of the others instead of the sum of "
        "all, so this is at most twice as large as what is proved.",
        "G bounds the largest gradient of the whole run, which makes the drift term loose; without drift, at "
        "tau = 1, the bound is tighter.",
        "With a constant step size FedAvg does not converge to the optimum for tau > 1; therefore the step "
        "size decays.",
    ),
    source=LI_2020_FEDAVG.at(
        "Theorem 1", note="Stated there with time from 1; proved here with time from 0."
    ),
    prose=__doc__,
)
