r"""Adaptive local solvers whose updates are corrected, on smooth non-convex losses: the order of the rate.

Clients that adapt their steps walk unequally far in every coordinate, so that plain averaging of their
updates minimises another objective: the inconsistency of unequal steps, coordinate by coordinate. Divide
each update by the sum of the steps that were taken in that coordinate, before averaging, and it is gone:
the gradient of the objective itself falls, as one over the square root of all gradients computed, and a
rest as 1/T.

What is known, and what is not. The source gives O(1/sqrt(m tau T)) + O(1/T); its letters were not at
hand. The letters below are those that units and the special case of FedNova (all steps equal) ask for,
one open constant a term. How the preconditioner enters them is not known.

Proof. None here. For one local step the corrected update is -eta sum_i p_i g_i, which settles what
its stationary points are; for more steps a bias of order eta stays, and runs agree.
"""

from boundkit.algebra.authoring import *

THEOREM = order_level(
    "local_adaptive_nonconvex",
    title="Local adaptive optimisers with correction, order of the rate",
    algorithm="local_adaptive",
    bounds=MEAN_SQUARED_GRADIENT,
    assumes=(*NONCONVEX_NOISY, BOUNDED_DISSIMILARITY, EQUAL_WEIGHTS, FULL_PARTICIPATION, COMMON_STEPS),
    terms=(
        recalled(
            "initial gap",
            c_1 * L * gap / sqrt(m * tau * T),
            "a step of sqrt(m/(tau T))/L, as FedNova takes it",
        ),
        recalled(
            "stochastic noise",
            c_2 * sigma**2 / sqrt(m * tau * T),
            "the noise of m clients, shared, at that step",
        ),
        recalled(
            "noise drift",
            c_3 * sigma**2 / T,
            "the part of the 1/T that noise causes; how it depends on m and tau is not said",
        ),
        recalled(
            "client drift",
            c_4 * sigma_g**2 / T,
            "the part of the 1/T that unlike losses cause; how it depends on m and tau is not said",
        ),
    ),
    remarks=(
        "The step is tuned already, and no letter of the bound.",
        "Two corrections have the same stationary points: dividing each update by its sum of steps (local), "
        "and rescaling the mean by the harmonic mean of the sums (joint).",
        "Uncorrected, a bias stays at any step: eight clients with AdaGrad restarted each round come to rest "
        "0.49 from the optimum at tau = 1, and corrected at 0.00.",
        "At tau = 10 the corrected bias is 0.051 at eta = 0.05 and 0.0046 at eta = 0.005: linear in eta.",
        "FedNova is the case in which all steps of a client are equal.",
        "With noise a preconditioner has seen the gradients that it divides, and for tau > 1 a bias stays at "
        "any step: clients 1/2 (x - e_i)^2 with e = (3, -1, -1, -1), sigma = 1, and AdaGrad restarted each "
        "round, 0.1 added to its root, rest 0.096 from the optimum at tau = 4. Momentum leaves a bias "
        "without noise: 0.037 with Adam at 0.9. There no constants make the bound true for every T; runs are "
        "held against it with AdaGrad, with noise at tau = 1 and without at any tau.",
    ),
    source=WANG_2021_ADAPTIVITY.at(
        "the theorem for corrected local updates",
        note="The algorithm was read as code; the rate is recalled, up to constants.",
        letters={"M": m, "F(x_0) - F_inf": gap},
    ),
    prose=__doc__,
)
