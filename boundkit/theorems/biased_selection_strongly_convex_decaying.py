"""FedAvg with biased client selection on strongly convex losses, decaying step size: the paper's bound.

Clients with a large loss are selected. That speeds up the first rounds, and leaves an error that no number of
rounds removes: the selected clients do not represent all clients, so the limit is not the optimum (selection
bias). Two skews describe it. $rho_bar$ is the ratio of the excess loss of the selected clients to that of all
clients, at least, along the run: it divides the noise. $rho_tilde$ is that ratio at the optimum: with
$rho_bar$ and $Gamma$, the cost of heterogeneity, it determines the bias.
"""

from boundkit.algebra.authoring import *

_OFFSET = 4 * L / mu
_SPAN = tau * T + _OFFSET

THEOREM = upper(
    "biased_selection_strongly_convex_decaying",
    title="Biased client selection, decaying step size, as published",
    algorithm="fedavg",
    costs="biased_selection",
    bounds=LAST_LOSS_GAP,
    assumes=(*STRONGLY_CONVEX_NOISY, *SELECTED_CLIENTS, COMMON_STEPS, SERVER_STEP_ONE, DECAYING_STEP),
    requires=(at_most(mu, L), more_than(rho_bar, 0), at_least(rho_tilde, rho_bar)),
    steps=(at_most(tau - 1, _OFFSET), at_most(1 + Rational(3, 8) * rho_bar, _OFFSET)),
    terms=(
        derived(
            "initial gap",
            L * _OFFSET * distance**2 / (2 * _SPAN),
            "gamma D^2 of the induction, times L/2 from distance to loss",
        ),
        derived(
            "stochastic noise",
            4 * L * sigma**2 / (3 * mu**2 * rho_bar * C * m * _SPAN),
            "4/3 = (1/2) (8/3): L/2, and 8/3 because the contraction beyond 1 is 3 rho_bar/8",
        ),
        derived(
            "client drift",
            Rational(128, 3) * L * tau**2 * G**2 / (mu**2 * rho_bar * _SPAN),
            "128/3 = (4/3) 2 16: as the noise, the deviation V enters twice, and V <= 16 e^2 tau^2 G^2",
        ),
        derived(
            "client drift",
            8 * L**2 * Gamma / (mu**2 * _SPAN),
            "8 = (4/3) 6: as the noise, with 6 rho_bar L Gamma from (iv), whose rho_bar cancels",
            label="heterogeneity",
        ),
        derived(
            "selection bias",
            8 * L * Gamma * (rho_tilde / rho_bar - 1) / (3 * mu),
            "8/3 = (1/2) 2 (8/3): L/2, the 2 of 2 e Gamma, and 1 + 3 rho_bar/8 counted as 3 rho_bar/8",
        ),
    ),
    becomes=(
        to(
            "biased_selection_strongly_convex_decaying_sharp",
            {tau: 1, offset: 4 * L / mu},
            factors={
                "stochastic noise": (2 + 3 * rho_bar) / (3 * rho_bar),
                "heterogeneity": (2 + 3 * rho_bar) / rho_bar,
                "selection bias": (8 + 6 * rho_bar) / (3 * rho_bar),
            },
            leaves=("client drift",),
            because="there is no drift at one local step, but 32 tau^2 G^2 does not vanish; that theorem's "
            "step is twice as long, so that no term is divided by rho_bar, and it needs twice the offset",
        ),
        not_to(
            "biased_selection_strongly_convex_decaying_sharp",
            {tau: 1, offset: 4 * L / mu},
            because="the term with 32 tau^2 G^2 does not vanish at tau = 1",
        ),
    ),
    limits=(
        removes({rho_tilde: rho_bar}, "selection bias"),
        removes({rho_bar: 1, rho_tilde: 1}, "selection bias"),
        keeps(
            {tau: 1}, "client drift", because="32 tau^2 G^2 bounds a deviation that is 0 at one local step"
        ),
        keeps(
            {Gamma: 0},
            "client drift",
            "heterogeneity",
            "selection bias",
            because="clients with a common minimiser still drift before they reach it, and the drift term "
            "holds G",
        ),
    ),
    remarks=(
        "The step of local step t, counted over all rounds from 0, is 1/(mu t + 4 L).",
        "The source counts local steps; its T is tau T here.",
        "A larger rho_bar divides the noise and the drift alone, not the initial gap and the heterogeneity.",
        "Sampling with replacement by p_i has rho_bar = rho_tilde = 1 and no bias; rho_tilde = rho_bar is "
        "enough for that, and so is Gamma = 0 whatever the skews are.",
        "The least skew over all of space is 0 for every rule that picks one client by the model alone, and "
        "at most 1 where all Hessians agree; take it over the models that a run visits, which is all that "
        "the proof uses.",
        "The factor 1/rho_bar is due to the step size: twice the step size, as in "
        "biased_selection_strongly_convex_decaying_sharp, has none.",
        "Bounded gradients and strong convexity exclude each other on all of space; G is the largest "
        "gradient that a run meets.",
    ),
    source=CHO_2022.at(
        "Theorem 3.1", note="The O(.) form is on the slides; the constants are those of the proof here."
    ),
    prose=__doc__,
)
