r"""SCAFFOLD on smooth non-convex losses, partial participation: the order of its tuned rate.

Two terms. Noise falls as one over the square root of all gradients computed, gap as $1/T$. The dissimilarity
does not occur. Sampling affects the second term alone, as $C^(-2/3)$: fewer participating clients mean older
controls, and a smaller step size.

The source gives the rate up to constants, for the best step size below $C^(2/3)/(24 L tau eta_s)$ and $eta_s
>= 1$; its proof was not read. The constants $c_1$ and $c_2$ are unknown, and so is the bound at a given step
size. For full participation scaffold_nonconvex has every constant.

Proof. None here. The units are restored: with $sigma sqrt(L gap)$ the first term is a squared gradient.
"""

from boundkit.algebra.authoring import *

THEOREM = order_level(
    "scaffold_nonconvex_partial",
    title="SCAFFOLD, non-convex, partial participation, order of the tuned rate",
    algorithm="scaffold",
    bounds=MEAN_SQUARED_GRADIENT,
    assumes=(*NONCONVEX_NOISY, *SAMPLED_CLIENTS, SERVER_STEP_AT_LEAST_ONE),
    requires=(at_least(eta_s, 1),),
    terms=(
        recalled(
            "initial gap",
            c_1 * L * gap / T * C ** Rational(-2, 3),
            "the largest step size that old controls allow is C^(2/3)/(24 L tau eta_s)",
        ),
        recalled(
            "stochastic noise",
            c_2 * sigma * sqrt(L * gap * (1 + m / eta_s**2)) / sqrt(T * tau * C * m),
            "gap and noise balanced by the best step size; m/eta_s^2 is the noise of the local drift",
        ),
    ),
    limits=(keeps({C: 1}, "initial gap", because="C = 1 only makes the controls newer"),),
    remarks=(
        "The step size is tuned already, at most C^(2/3)/(24 L tau eta_s), and does not occur in the bound.",
        "A server step size of at least sqrt(m) makes the factor of the noise at most sqrt(2).",
    ),
    source=KARIMIREDDY_2020.at(
        "Theorem III, non-convex",
        note="Recalled, not opened; up to constants.",
        letters={"K": tau, "R": T, "N": m, "S": C * m, "eta_l": eta, "eta_g": eta_s, "beta": L, "F": gap},
    ),
    prose=__doc__,
)
