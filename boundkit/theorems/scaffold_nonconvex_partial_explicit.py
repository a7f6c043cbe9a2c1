r"""SCAFFOLD on smooth non-convex losses, partial participation, with every constant.

Neither sampling nor heterogeneity leaves an error floor: the dissimilarity does not occur. What remains for
many rounds is noise, of the sampled clients, of old controls, and of the local steps. Wrong initial controls
cost something once (start-up). Fewer participating clients mean older controls, which the step conditions
pay for: without noise, with one client a round and many clients, $s L$ of about $(2/9) C^(2/3)$ is allowed,
$s = eta_s eta tau$ being the length of a round.
"""

from boundkit.algebra.authoring import *

_round = eta_s * eta * tau
_sampling = (1 - C) / (C * (m - 1))

THEOREM = upper(
    "scaffold_nonconvex_partial_explicit",
    title="SCAFFOLD, non-convex, partial participation",
    algorithm="scaffold",
    bounds=MEAN_SQUARED_GRADIENT,
    assumes=(*NONCONVEX_NOISY, *SAMPLED_CLIENTS, LOCAL_GRADIENT_CONTROLS),
    requires=(at_least(m, 2),),
    steps=(
        at_most(eta, 1 / (10 * L * tau)),
        at_most(eta_s * eta, 1 / (4 * L * tau)),
        at_most(eta_s * eta**2 * L**2 * tau * (tau - 1), C / 10),
        at_most((_round * L) ** 2 * _sampling, C / 64),
        at_most((_round * L) ** 3 * _sampling, 8 * C**2 / 729),
    ),
    terms=(
        derived("initial gap", Rational(79, 50) * gap / (_round * T), "the weight of the descent"),
        derived(
            "stochastic noise",
            eta_s * eta * L * sigma**2 * (29 - 20 * C) / (8 * C * m),
            "(10/9)(79/50) of the weight of the variance, (103 - 71 C)/50, rounded up: by the direction, and "
            "more than twice as much by old controls where few clients participate",
        ),
        derived(
            "noise drift",
            Rational(5, 3) * eta**2 * L**2 * sigma**2 * (tau - 1),
            "(1341/2500)(167/100) for the local steps and (43/100)(10/9)(79/50) for the controls, rounded up",
        ),
        derived(
            "start-up",
            (Rational(37, 20) * _round * L * _sampling + Rational(17, 25) * eta**2 * L**2 * (tau - 1) ** 2)
            * control_error**2
            / (C * T),
            "the weights of the first controls in the sampling and in the local steps, rounded up",
        ),
    ),
    becomes=(
        to(
            "scaffold_nonconvex_sharp",
            {C: 1, correction_error: control_error},
            factors={
                "initial gap": Rational(158, 155),
                "stochastic noise": Rational(5, 4),
                "noise drift": Rational(25, 21),
                "start-up": Rational(17, 12),
            },
            because="with full participation controls are one round old, and only their differences matter",
        ),
    ),
    limits=(
        keeps(
            {C: 1},
            "start-up",
            because="full participation makes controls newer, but not the initial ones better",
        ),
    ),
    remarks=(
        "With eta_s >= 1 and s L <= C^(2/3)/8 all step conditions but that on eta L tau hold; the source has "
        "C^(2/3)/24.",
        "The square of control_error is the mean of ||grad F_i(x_0) - c_i||^2 over the initial controls; "
        "with c_i = 0 it is the mean of ||grad F_i(x_0)||^2.",
        "With one local step it is SAGA with C m gradients a round.",
        "Option I fits if its control is a mean of tau gradients at the round's start.",
    ),
    source=KARIMIREDDY_2020.at(
        "Theorem III, non-convex",
        note="O(.) there; the constants are ours, by another Lyapunov function, for option II.",
    ),
    prose=__doc__,
)
