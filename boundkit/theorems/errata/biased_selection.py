"""Cho, Wang and Joshi (2022): biased client selection and power-of-choice."""

from boundkit.algebra.authoring import *
from boundkit.algebra.erratum import Erratum

ERRATA = (
    Erratum(
        name="biased_selection_mean_model",
        source=CHO_2022.at("Theorem 3.1, the step that brings in rho_bar"),
        text="paper",
        basis="counterexample",
        printed="The excess loss of the selected clients at the mean of their local models is at least "
        "rho_bar times that of all clients.",
        reason="For random selection and tau > 1 that mean depends on the selection. For one of two clients "
        "at -1 and 1, selected with equal probability, with step size 1/5, fractions 8/13, 0.124 and "
        "0.000105 of the excess remain in the last of 2, 5 and 20 local steps.",
        corrected="biased_selection_strongly_convex_decaying_sharp compares at the model at the start "
        "of the round.",
        consequence="For deterministic selection, or tau = 1, the published proof stands. Otherwise the "
        "published bounds hold by another proof, a certificate that compares at the start of the round: the "
        "published drift term is large enough for both.",
        theorems=(
            "biased_selection_strongly_convex_decaying_sharp",
            "biased_selection_strongly_convex_decaying",
            "biased_selection_strongly_convex_fixed",
        ),
    ),
    Erratum(
        name="biased_selection_step_ratio",
        source=CHO_2022.at("Theorem 3.1, the drift"),
        text="paper",
        basis="proof",
        printed="A round's first step size is at most twice its last.",
        reason="With the printed step sizes that holds only if tau - 1 <= 4 L/mu.",
        corrected="tau - 1 <= 4 L/mu is a condition of the theorem.",
        consequence="Closed by a condition.",
        theorems=("biased_selection_strongly_convex_decaying",),
    ),
    Erratum(
        name="biased_selection_skew_definition",
        source=CHO_2022.at("the definition of the skews"),
        text="paper",
        basis="definition",
        printed="rho_bar and rho_tilde are minima of a fraction over all models.",
        reason="The denominator vanishes at the optimum where Gamma = 0, and the minimum may be an infimum "
        "at infinity.",
        corrected="The fraction is taken where its denominator is positive, and its infimum.",
        consequence="None for Gamma > 0.",
        theorems=("biased_selection_strongly_convex_decaying",),
    ),
    Erratum(
        name="biased_selection_talk",
        source=CHO_2022.at("Theorem 3.1, in a talk"),
        text="talk",
        basis="proof",
        printed="The bound holds after T rounds; rho_bar > 0 speeds it up; a bias of 0 needs both skews to "
        "be 1.",
        reason="The recursion is over local steps; unbiased selection has rho_bar = 1; and the bias is "
        "proportional to rho_tilde/rho_bar - 1.",
        corrected="T counts local steps; rho_bar > 1 speeds it up; equal skews, or Gamma = 0, remove the "
        "bias.",
        consequence="Read literally, the talk promises a speed-up by any selection.",
        theorems=("biased_selection_strongly_convex_decaying",),
    ),
    Erratum(
        name="biased_selection_candidates",
        source=CHO_2022.at("the number of candidates, in a talk"),
        text="talk",
        basis="counterexample",
        printed="d = C m candidates select without bias.",
        reason="Candidates drawn without replacement with unequal p_i have inclusion probabilities other "
        "than C m p_i.",
        corrected="So it is with replacement, or with equal weights.",
        consequence="A small bias for unequal weights, which `boundkit objective` computes.",
        example="boundkit objective power_of_choice RUN.json --skew",
    ),
    Erratum(
        name="biased_selection_constant_step",
        source=CHO_2022.at("Theorem 3.2"),
        text="paper",
        basis="proof",
        printed="32 tau^2 G^2.",
        reason="With a constant step size a round's first step size is its last, and no local model has "
        "taken more than tau - 1 steps.",
        corrected="2 (tau - 1)^2 G^2 may stand in its place.",
        consequence="The printed bound is true, and loose by a factor of at least 16.",
        theorems=("biased_selection_strongly_convex_fixed",),
    ),
    Erratum(
        name="biased_selection_quadratic_optimum",
        source=CHO_2022.at("the README of a reproduction, the optimum of the quadratic problem"),
        text="code",
        basis="proof",
        printed="w* = (sum_k p_k h_k)^-1 sum_k e_k.",
        reason="The gradient of sum_k p_k F_k is sum_k p_k (h_k w - e_k).",
        corrected="w* = (sum_k p_k h_k)^-1 sum_k p_k e_k.",
        consequence="For equal weights the printed optimum is m times the true one.",
    ),
)
