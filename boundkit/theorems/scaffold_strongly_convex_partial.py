r"""SCAFFOLD on smooth strongly convex losses, C m clients a round: a linear rate down to the noise.

As for convex losses, the sampling and unlike losses leave no error that stays. Here even their price at
the start is forgotten geometrically, together with the start itself. Without noise SCAFFOLD converges to
the optimum, linearly, at a fixed step, whoever comes.

Forgetting is slowed by two things: ill conditioning (s mu small where s L must be), and controls that get old
when few clients come, which caps s mu at C/15.

Proof. As scaffold_convex_partial, where strong convexity adds -(mu s/2) ||x - x*||^2 to (i). Of the
controls' 9 s^2/C, 9 s^2 is forgotten a round and at most 5.1 s^2 comes back; s mu <= C/15 leaves more
than the share mu s/2 of it. So Phi_{t+1} <= (1 - mu s/2) Phi_t + (12 s^2/(tau C m)) (1 + C m/eta_s^2)
sigma^2, the loss gap dropped; the geometric sum of the noise is at most 2/(mu s) times it.
"""

from boundkit.algebra.authoring import *

_round = eta_s * eta * tau
_forgetting = (1 - mu * _round / 2) ** T

THEOREM = upper(
    "scaffold_strongly_convex_partial",
    title="SCAFFOLD, strongly convex, partial participation",
    algorithm="scaffold",
    bounds=LAST_SQUARED_DISTANCE,
    assumes=(*STRONGLY_CONVEX_NOISY, *SAMPLED_CLIENTS, CONTROLS_OF_THE_WAY, SERVER_STEP_AT_LEAST_ONE),
    requires=(at_least(eta_s, 1), at_most(mu, L)),
    steps=(at_most(eta_s * eta, 1 / (81 * L * tau)), at_most(eta_s * eta, C / (15 * mu * tau))),
    terms=(
        derived(
            "initial gap",
            _forgetting * distance**2,
            "strong convexity takes mu s/2 of the squared distance a round",
        ),
        derived(
            "stochastic noise",
            24 * eta_s * eta * sigma**2 / (mu * C * m),
            "24 = 2 12: the 12 of the convex theorem, summed geometrically with ratio 1 - mu s/2",
        ),
        derived(
            "noise drift",
            24 * eta * sigma**2 / (mu * eta_s),
            "24 = 2 12: as the sampled noise, times C m/eta_s^2",
        ),
        derived(
            "start-up",
            _forgetting * 9 * _round**2 * control_error_star**2 / C,
            "9 s^2/C is the weight of the controls' error beside the squared distance",
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
        "The square of control_error_star is the mean of ||c_i - grad F_i(x*)||^2 over the first controls: "
        "sigma_star^2 if they start at 0.",
        "The paper bounds the loss of a weighted mean of iterates; this is the last squared distance, of "
        "which the loss gap is at most L/2.",
        "With tau = 1, C m = 1, no noise, and option I it is SAGA.",
        "Runs on quadratics come to 0.99 of the bound, where T is small and conditioning bad.",
    ),
    source=KARIMIREDDY_2020.at(
        "Theorem III, strongly convex",
        note="O(.) there. The step from round to round is a lemma of its appendix, here recalled, and proved "
        "again in scaffold_convex_partial and above with the same constants.",
        letters={"K": tau, "R": T, "N": m, "S": C * m, "eta_l": eta, "eta_g": eta_s, "beta": L},
    ),
    prose=__doc__,
)
