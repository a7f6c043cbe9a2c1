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
            "of the 2 that the three-point inequality gives, at least 1 remains; the rest telescopes",
        ),
        derived(
            "stochastic noise",
            12 * eta_s * eta * sigma**2 / (C * m),
            "12 a round, over s: 10 from Young for five parts, two of them noise, and a rest below 2",
        ),
        derived(
            "noise drift",
            12 * eta * sigma**2 / eta_s,
            "12 as for the sampled noise, times C m/eta_s^2: the local drift is not averaged, but a large "
            "server step size allows a small client step size",
        ),
        derived(
            "start-up",
            9 * _round * control_error_star**2 / (C * T),
            "9 s^2/C is the weight of the controls' error in the Lyapunov function, over s T",
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
        "The proof allows step sizes up to 1/(48 L tau) and 10.2 for 12; 81 and 12 are the paper's.",
        "The two noises together are (12 eta_s eta/(C m)) (1 + C m/eta_s^2) sigma^2; eta_s = sqrt(C m) makes "
        "them equal.",
        "Option I fits if its control is a mean of tau gradients at the round's start.",
    ),
    source=KARIMIREDDY_2020.at(
        "Theorem III, convex",
        note="O(.) there. The step from round to round is a lemma of its appendix, here recalled, and proved "
        "again above with the same constants.",
    ),
    prose=__doc__,
)
