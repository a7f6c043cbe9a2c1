"""Lecture notes after Joshi (2022) on federated learning."""

from boundkit.algebra.authoring import *
from boundkit.algebra.erratum import Erratum, Form
from boundkit.algebra.papers import Paper

_NOTES = Paper(
    ("Lecture notes after Joshi",), 2022, "Introduction to Federated Learning", letters={"K": sigma_g}
)
_SHARED = sqrt(m * tau * T)
_DRIFT = m * (tau - 1) / (tau * T)

ERRATA = (
    Erratum(
        name="lecture_notes_bound",
        source=_NOTES.at("the slide 'Convergence of Federated Learning'"),
        text="notes",
        basis="units",
        printed=Form(
            MEAN_SQUARED_GRADIENT,
            (
                stated("stochastic noise", (1 + sigma**2) / _SHARED, "inside O(.), as printed"),
                stated("client drift", (sigma**2 + tau * sigma_g**2) * _DRIFT, "inside O(.), as printed"),
            ),
        ),
        reason="L gap was set to 1 beside sigma^2, and the 1/L of the step size sqrt(m/(tau T))/L was lost.",
        corrected=Form(
            MEAN_SQUARED_GRADIENT,
            (
                derived("initial gap", 4 * L * gap / _SHARED, "4 gap/(eta tau T) with the step size"),
                derived("stochastic noise", 4 * sigma**2 / _SHARED, "4 eta L sigma^2/m with the step size"),
                derived("noise drift", 6 * sigma**2 * _DRIFT, "6 (eta L)^2 = 6 m/(tau T)"),
                derived("client drift", 12 * tau * sigma_g**2 * _DRIFT, "12 (eta L)^2 = 12 m/(tau T)"),
            ),
        ),
        consequence="The powers of m, tau and T are right, and so is the bound in units with L = gap = 1.",
        theorems=("fedavg_nonconvex", "fedavg_nonconvex_tuned"),
        at={eta: sqrt(m / (tau * T)) / L},
    ),
    Erratum(
        name="lecture_notes_sampled_clients",
        source=_NOTES.at("the slide 'Convergence of Federated Learning', m"),
        text="notes",
        basis="proof",
        printed="m = C K, the number of clients that are sampled of K.",
        reason="The bound has no participation term: it is the bound of full participation with m clients.",
        corrected="With sampling 12 q sigma_g^2 sqrt(tau/(C m T)) is added, with q = (1 - C) m/(m - 1), and "
        "8 and 32 replace 6 and 12, as fedavg_nonconvex_partial states.",
        consequence="The added term dominates.",
        theorems=("fedavg_nonconvex_partial", "fedavg_nonconvex", "fedavg_nonconvex_tuned"),
    ),
    Erratum(
        name="lecture_notes_more_local_work",
        source=_NOTES.at("the table of effects"),
        text="notes",
        basis="contradiction",
        printed="More local work needs fewer rounds.",
        reason="The measurements that the notes quote have 483, 1000 and 672 rounds at 1, 5 and 20 epochs, "
        "and the drift terms grow with tau.",
        corrected="Up to a point that the drift terms determine.",
        consequence="Beyond it more local steps slow the run down.",
        theorems=("fedavg_nonconvex_tuned",),
    ),
    Erratum(
        name="lecture_notes_aggregation",
        source=_NOTES.at("the listing of FedAvg"),
        text="notes",
        basis="counterexample",
        printed="The server takes the sum of p_i x_i over the participating clients.",
        reason="The p_i of a part of the clients do not sum to 1: where one of ten equal clients "
        "participates, the model shrinks to a tenth.",
        corrected="p_i over the sum of those present, or updates with the weights p_i m/(C m).",
        consequence="The first of the two is biased for unequal weights.",
    ),
    Erratum(
        name="lecture_notes_lipschitz",
        source=_NOTES.at("the assumptions"),
        text="notes",
        basis="proof",
        printed="Every F_i is L-Lipschitz.",
        reason="The proof uses Lipschitz gradients, and a strongly convex loss is not Lipschitz.",
        corrected="Every F_i is L-smooth.",
        consequence="None for the proof.",
    ),
    Erratum(
        name="lecture_notes_dissimilarity",
        source=_NOTES.at("the assumption on dissimilarity"),
        text="notes",
        basis="definition",
        printed="The expectation over one stochastic gradient stands inside the dissimilarity.",
        reason="Then noise counts as dissimilarity, and homogeneous clients have a positive one.",
        corrected="sum_i p_i ||grad F_i||^2 <= beta^2 ||sum_i p_i grad F_i||^2 + kappa^2, of true gradients.",
        consequence="The noise would enter the drift terms twice.",
    ),
    Erratum(
        name="lecture_notes_example",
        source=_NOTES.at("the example with two clients"),
        text="notes",
        basis="contradiction",
        printed="F_1 = (x - 1)^2 and F_2 = 2 (x - 5)^2 with the updates eta (x - 1) and 2 eta (x - 5).",
        reason="The gradients are 2 (x - 1) and 4 (x - 5).",
        corrected="The updates have a factor 2, or the step size is half.",
        consequence="The optimum 11/3 is right all the same.",
    ),
    Erratum(
        name="lecture_notes_local_steps",
        source=_NOTES.at("the number of local steps"),
        text="notes",
        basis="definition",
        printed="tau_i = E n_i/B.",
        reason="The quotient need not be a whole number.",
        corrected="E times n_i/B, rounded up.",
        consequence="None where B divides every n_i.",
    ),
)
