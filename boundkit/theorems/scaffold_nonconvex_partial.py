r"""SCAFFOLD on smooth non-convex losses, C m clients a round: the order of its tuned rate.

Two terms. Noise falls as one over the square root of all gradients computed, gap as 1/T. No letter says how
unlike the clients are. Sampling is felt in the second term alone, as C^(-2/3): the fewer come, the older
the controls, and the smaller the step that they allow.

What is known, and what is not. The source gives the rate up to constants, for the best step
below C^(2/3)/(24 L tau eta_s) and eta_s >= 1; its proof was not at hand. The constants c_1 and c_2 stay
open, and so does what a given step would give. For full participation scaffold_nonconvex has every constant.

Proof. None here. The units are restored: with sigma sqrt(L gap) the first term is a squared gradient.
"""

from sympy import Rational, sqrt

from boundkit.algebra import Limit, Source, Term, Theorem
from boundkit.algebra.condition import at_least
from boundkit.algebra.notation import C, L, T, c_1, c_2, eta, eta_s, gap, m, sigma, tau
from boundkit.algebra.vocabulary import (
    BOUNDED_BELOW,
    BOUNDED_NOISE,
    COMMON_STEPS,
    EQUAL_WEIGHTS,
    MEAN_SQUARED_GRADIENT,
    PARTIAL_PARTICIPATION,
    SERVER_STEP_AT_LEAST_ONE,
    SMOOTH,
)

THEOREM = Theorem(
    name="scaffold_nonconvex_partial",
    algorithm="scaffold",
    claim=MEAN_SQUARED_GRADIENT,
    kind="order",
    assumptions=(
        SMOOTH,
        BOUNDED_BELOW,
        BOUNDED_NOISE,
        EQUAL_WEIGHTS,
        PARTIAL_PARTICIPATION,
        COMMON_STEPS,
        SERVER_STEP_AT_LEAST_ONE,
    ),
    requires=(at_least(eta_s, 1),),
    terms=(
        Term(
            "initial gap",
            c_1 * L * gap / T * C ** Rational(-2, 3),
            provenance="order",
            because="the largest step that old controls allow is C^(2/3)/(24 L tau eta_s)",
        ),
        Term(
            "stochastic noise",
            c_2 * sigma * sqrt(L * gap * (1 + m / eta_s**2)) / sqrt(T * tau * C * m),
            provenance="order",
            because="gap and noise balanced by the best step; m/eta_s^2 is the noise of single walks",
        ),
    ),
    limits=(
        Limit(when={sigma: 0}, removes=("stochastic noise",)),
        Limit(
            when={C: 1},
            removes=("initial gap",),
            holds=False,
            because="C = 1 only makes the controls young",
        ),
    ),
    remarks=(
        "The step is tuned already: at most C^(2/3)/(24 L tau eta_s), and no letter of the bound.",
        "A server step of at least sqrt(m) makes the factor beside the noise at most sqrt(2).",
    ),
    source=Source(
        authors=("Karimireddy", "Kale", "Mohri", "Reddi", "Stich", "Suresh"),
        year=2020,
        title="SCAFFOLD: Stochastic Controlled Averaging for Federated Learning",
        venue="ICML 2020",
        arxiv="1910.06378",
        where="Theorem III, non-convex",
        note="Recalled, not opened; up to constants.",
        renamed={"K": tau, "R": T, "N": m, "S": C * m, "eta_l": eta, "eta_g": eta_s, "beta": L, "F": gap},
    ),
    prose=__doc__,
)
