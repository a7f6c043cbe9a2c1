r"""SCAFFOLD on smooth strongly convex losses, partial participation: a linear rate down to the noise.

As for convex losses, sampling and heterogeneity leave no error floor. Here their contribution at the start
falls geometrically, too. Without noise SCAFFOLD converges to the optimum, linearly, at a constant step size,
whichever clients participate.

The rate is limited by the condition number ($s mu$ small where $s L$ must be), and by old controls where few
clients participate, which restrict $s mu$ to $C/15$.
"""

from boundkit.algebra.authoring import *

_round = eta_s * eta * tau
_contraction = (1 - mu * _round / 2) ** T

THEOREM = upper(
    "scaffold_strongly_convex_partial",
    title="SCAFFOLD, strongly convex, partial participation",
    algorithm="scaffold",
    bounds=LAST_SQUARED_DISTANCE,
    assumes=(*STRONGLY_CONVEX_NOISY, *SAMPLED_CLIENTS, LOCAL_GRADIENT_CONTROLS, SERVER_STEP_AT_LEAST_ONE),
    requires=(at_least(eta_s, 1), at_most(mu, L)),
    steps=(at_most(eta_s * eta, 1 / (81 * L * tau)), at_most(eta_s * eta, C / (15 * mu * tau))),
    terms=(
        derived(
            "initial gap",
            _contraction * distance**2,
            "strong convexity contracts the squared distance by mu s a round, of which the paper has half",
        ),
        derived(
            "stochastic noise",
            24 * eta_s * eta * sigma**2 / (mu * C * m),
            "24 = 2 12: the 12 of the convex theorem, summed geometrically with ratio 1 - mu s/2; the proof "
            "gives a tenth",
        ),
        derived(
            "noise drift",
            24 * eta * sigma**2 / (mu * eta_s),
            "24 = 2 12: as the sampled noise, times C m/eta_s^2",
        ),
        derived(
            "start-up",
            _contraction * 9 * _round**2 * control_error_star**2 / C,
            "9 for 23/20: s^2/C times it is the weight of the controls' error in the Lyapunov function",
        ),
    ),
    limits=(
        keeps(
            {tau: 1},
            "noise drift",
            because="the proof keeps the drift's noise at tau = 1, where there is no drift",
        ),
    ),
    remarks=(
        "The square of control_error_star is the mean of ||c_i - grad F_i(x*)||^2 over the initial controls: "
        "sigma_star^2 if they are 0.",
        "The paper bounds the loss of a weighted mean of iterates, this theorem the last squared distance.",
        "With tau = 1, C m = 1, no noise, and option I it is SAGA.",
    ),
    source=KARIMIREDDY_2020.at(
        "Theorem III, strongly convex",
        note="O(.) there. The step from round to round is a recalled lemma of its appendix, proved above.",
    ),
    prose=__doc__,
)
