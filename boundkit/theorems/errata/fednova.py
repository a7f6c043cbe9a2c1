"""Wang, Liu, Liang, Joshi and Poor (2020): FedNova; the paper, its code, and readers' notes on it."""

from sympy import Eq

from boundkit.algebra.authoring import *
from boundkit.algebra.erratum import Erratum, Form

_LETTERS = {"tau_hat": tau, "A": A_noise, "B": B_drift, "C": C_drift}
_PRINTED = "inside O(.), as printed"

ERRATA = (
    Erratum(
        name="fednova_step_rule",
        source=WANG_2020_FEDNOVA.at("Theorem 1, the step size"),
        text="paper",
        basis="units",
        printed=Form(MEAN_SQUARED_GRADIENT, conditions=(Eq(eta, sqrt(m / (tau * T)), evaluate=False),)),
        reason="A step turns a gradient into a displacement. Put into a bound, a number takes the unit of "
        "every term with it.",
        corrected=Form(MEAN_SQUARED_GRADIENT, conditions=(Eq(eta, sqrt(m / (tau * T)) / L, evaluate=False),)),
        consequence="Lecture notes that put this step size into the bound add a number and a squared "
        "gradient.",
        theorems=("fednova_nonconvex_tuned", "fedavg_nonconvex"),
        up_to="the average of the clients' steps for tau",
    ),
    Erratum(
        name="fednova_note_first_term",
        source=WANG_2020_FEDNOVA.at("eq. (6) of a reader's note, eq. (8) of the paper", letters=_LETTERS),
        text="notes",
        basis="units",
        printed=Form(
            MEAN_SQUARED_GRADIENT,
            (
                stated("initial gap", tau * eta / (m * tau_eff), _PRINTED),
                stated("stochastic noise", A_noise * eta * sigma**2 / m, _PRINTED),
                stated("noise drift", B_drift * eta**2 * sigma**2, _PRINTED),
                stated("client drift", C_drift * eta**2 * kappa**2, _PRINTED),
            ),
        ),
        reason="The gap and the rounds were lost when the step size was put in, and L was set to 1. As a "
        "formula in eta the first term grows with the step size.",
        corrected=Form(
            MEAN_SQUARED_GRADIENT,
            (
                derived("initial gap", 4 * gap / (eta * tau_eff * T), "half the descent is left"),
                derived("stochastic noise", 4 * eta * L * sigma**2 * A_noise / m, "eta L a round"),
                derived("noise drift", 6 * eta**2 * L**2 * sigma**2 * B_drift, "6 = 4 times 3/2"),
                derived("client drift", 12 * eta**2 * L**2 * kappa**2 * C_drift, "12 = 4 times 3"),
            ),
        ),
        consequence="The paper's first term is this one after eta = sqrt(m/(tau_hat T)), without the 1/L of "
        "that step size.",
        theorems=("fednova_nonconvex_surrogate",),
    ),
    Erratum(
        name="fednova_note_beta",
        source=WANG_2020_FEDNOVA.at("Assumption 3, in lecture notes and a reader's note"),
        text="notes",
        basis="counterexample",
        printed="beta^2 >= 0.",
        reason="A mean of squares is at least the square of the mean, so beta < 1 bounds the gradient "
        "itself, by kappa^2/(1 - beta^2) everywhere; the proof needs 1/(2 beta^2) <= 1/2.",
        corrected="beta >= 1.",
        consequence="What holds with a smaller beta holds with 1 as well.",
        theorems=("fednova_nonconvex_surrogate", "fedavg_nonconvex_beta_kappa"),
    ),
    Erratum(
        name="fednova_proximal_drift",
        source=WANG_2020_FEDNOVA.at("Theorem 1, B and C with a proximal solver"),
        text="paper",
        basis="counterexample",
        printed="B sums the squares of all weights but the last, and C is the largest ||a_i||_1 (||a_i||_1 - "
        "a_{i,-1}), for a proximal solver too.",
        reason="At step k its weights so far are (1 - alpha)^(k-1-s), alpha = eta mu_prox, and exceed the "
        "final ones. At alpha = 1 B and C are 0, and yet losses (x + 1)^2/2 and (x - 1)^2/4, at tau_i = 2 "
        "and eta = 1/4, converge to a point where the squared gradient is 1/361.",
        corrected="For a proximal solver B'' and C'' of fednova_nonconvex_surrogate_sharp; or B and C over "
        "(1 - alpha)^2, in the condition too, for every alpha below 1.",
        consequence="Near alpha = 1 the printed bound is false.",
        theorems=("fednova_nonconvex_surrogate", "fednova_nonconvex", "fednova_nonconvex_varying"),
    ),
    Erratum(
        name="fednova_smallest_gradient",
        source=WANG_2020_FEDNOVA.at("Theorem 2"),
        text="paper",
        basis="proof",
        printed="A bound on the smallest gradient over the rounds.",
        reason="The proof bounds the mean over the rounds.",
        corrected="The mean over the rounds, which is more.",
        consequence="The statement here is the stronger one.",
        theorems=("fednova_nonconvex",),
    ),
    Erratum(
        name="fednova_note_minimiser",
        source=WANG_2020_FEDNOVA.at("the limit of plain averaging, in lecture notes and a reader's note"),
        text="notes",
        basis="definition",
        printed="sum_i (tau_i/tau) e_i, and F_i = sum_i ||x - e_i||^2/2.",
        reason="The weights must sum to 1, and F_i is the loss of one client.",
        corrected="tau is sum_j tau_j, and F_i = ||x - e_i||^2/2. The limit holds for eta to 0 only: at a "
        "given step size the weights are p_i (1 - (1 - eta)^tau_i) over their sum.",
        consequence="At tau_i > 1 the run ends elsewhere than the printed limit, by an amount of order eta.",
        theorems=("fednova_nonconvex",),
        example="boundkit demo surrogate_paths",
    ),
    Erratum(
        name="fednova_stacked_gradients",
        source=WANG_2020_FEDNOVA.at("the matrix G_i of stacked gradients"),
        text="paper",
        basis="definition",
        printed="The last index is tau_i.",
        reason="A client takes gradients at its models before each of tau_i steps, counted from 0.",
        corrected="The last index is tau_i - 1.",
        consequence="None: the norms of a_i count tau_i gradients.",
    ),
    Erratum(
        name="fednova_code_tau_eff",
        source=WANG_2020_FEDNOVA.at("tau_eff in the published code"),
        text="code",
        basis="contradiction",
        printed="sum_i p_i tau_i for tau_eff as soon as mu_prox > 0.",
        reason="The paper defines sum_i p_i ||a_i||_1, which is smaller with a proximal term.",
        corrected="sum_i p_i ||a_i||_1.",
        consequence="The server step of the code is larger than the paper's.",
        theorems=("fednova_nonconvex_surrogate",),
    ),
    Erratum(
        name="fednova_code_momentum",
        source=WANG_2020_FEDNOVA.at("||a_i||_1 in the published code, with momentum and a proximal term"),
        text="code",
        basis="proof",
        printed="||a_i||_1 plus the momentum counter, times 1 - alpha, plus 1.",
        reason="It is the sum of no solver's weights.",
        corrected="The sum of the weights of the solver that is run.",
        consequence="With both options the normalised updates have other weights than p_i.",
        theorems=("fednova_nonconvex_surrogate",),
    ),
)
