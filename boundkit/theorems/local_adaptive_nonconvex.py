r"""Adaptive local optimisers with corrected updates on smooth non-convex losses: the order of the rate.

Adaptive local steps have different lengths in every coordinate, so that plain averaging of the updates
minimises another objective: the objective inconsistency of heterogeneous local steps, coordinate by
coordinate. Dividing each update by the sum of its step sizes in that coordinate, before averaging, removes
it: the gradient of the objective falls as one over the square root of all gradients computed, with a
remainder of order $1/T$.

The source gives $O(1/sqrt(m tau T)) + O(1/T)$; its further quantities were not read. Those below are what the
units and the special case of FedNova (equal step sizes) require, with one unknown constant a term. How the
preconditioner enters them is not known.

Proof. None here. For one local step the corrected update is $-eta sum_i p_i g_i$, which determines its
stationary points; for more steps a bias of order $eta$ remains.
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
            "the averaged noise of m clients at that step size",
        ),
        recalled(
            "noise drift",
            c_3 * sigma**2 / T,
            "the part of the 1/T due to noise; its dependence on m and tau is not known",
        ),
        recalled(
            "client drift",
            c_4 * sigma_g**2 / T,
            "the part of the 1/T due to heterogeneity; its dependence on m and tau is not known",
        ),
    ),
    remarks=(
        "The step size is tuned already and does not occur in the bound.",
        "Two corrections have the same stationary points: dividing each update by its sum of step sizes "
        "(local), and rescaling the mean by the harmonic mean of the sums (joint).",
        "Uncorrected, a bias remains at any step size; corrected, none at tau = 1.",
        "For tau > 1 the corrected method has a bias that is linear in eta.",
        "FedNova is the special case in which all step sizes of a client are equal.",
        "With noise a preconditioner depends on the gradients that it divides, and for tau > 1 a bias "
        "remains at any step size; momentum leaves a bias without noise, too. There no constants make the "
        "bound true for every T; it is tested with AdaGrad, with noise at tau = 1 and without noise at any "
        "tau.",
    ),
    source=WANG_2021_ADAPTIVITY.at(
        "the theorem for corrected local updates",
        note="The algorithm was read as code; the rate is recalled, up to constants.",
        letters={"M": m, "F(x_0) - F_inf": gap},
    ),
    prose=__doc__,
)
