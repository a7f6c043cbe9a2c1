r"""SCAFFOLD on smooth convex losses, partial participation: the error floor depends on noise only.

The participating clients correct their steps by control variates from their last participation. So the
gradients of missing clients are estimated, and neither sampling nor heterogeneity leaves an error floor. They
occur in the start-up only: wrong initial controls cost $9 s/(C T)$ times their squared error, $s = eta_s eta
tau$ being the length of a round. Fewer clients a round increase that cost, because controls are older.
"""

from boundkit.algebra.authoring import *

_round = eta_s * eta * tau

THEOREM = upper(
    "scaffold_convex_partial",
    title="SCAFFOLD, convex, partial participation",
    algorithm="scaffold",
    bounds=MEAN_LOSS_GAP,
    assumes=(*CONVEX_NOISY, *SAMPLED_CLIENTS, LOCAL_GRADIENT_CONTROLS, SERVER_STEP_AT_LEAST_ONE),
    requires=(at_least(eta_s, 1),),
    steps=(at_most(eta_s * eta, 1 / (81 * L * tau)),),
    terms=(
        derived(
            "initial gap",
            distance**2 / (_round * T),
            "half of it is what the proof needs",
        ),
        derived(
            "stochastic noise",
            12 * eta_s * eta * sigma**2 / (C * m),
            "12 for 26/25: one half each for the direction and for old controls, and a rest",
        ),
        derived(
            "noise drift",
            12 * eta * sigma**2 / eta_s,
            "12 for 3/250: the local drift is not averaged, but a large server step size allows a small "
            "client step size",
        ),
        derived(
            "start-up",
            9 * _round * control_error_star**2 / (C * T),
            "9 for 27/50: s^2/C times it is the weight of the controls' error in the Lyapunov function",
        ),
    ),
    limits=(
        keeps(
            {C: 1},
            "start-up",
            because="full participation makes controls newer, but not the initial ones better",
        ),
        keeps(
            {tau: 1},
            "noise drift",
            because="the proof keeps the drift's noise at tau = 1, where there is no drift",
        ),
    ),
    remarks=(
        "The square of control_error_star is the mean of ||c_i - grad F_i(x*)||^2 over the initial controls: "
        "sigma_star^2 if they are 0. Heterogeneity enters nowhere else.",
        "The proof gives 1/2, 26/25, 3/250 and 27/50 for 1, 12, 12 and 9, and allows steps ten times as "
        "long; 81 and 12 are the paper's.",
        "The two noises together are (12 eta_s eta/(C m)) (1 + C m/eta_s^2) sigma^2; eta_s = sqrt(C m) makes "
        "them equal.",
        "Option I fits if its control is a mean of tau gradients at the round's start.",
    ),
    source=KARIMIREDDY_2020.at(
        "Theorem III, convex",
        note="O(.) there; the constants follow from a lemma of its appendix, here recalled, and proved again "
        "above with smaller ones.",
    ),
    prose=__doc__,
)
