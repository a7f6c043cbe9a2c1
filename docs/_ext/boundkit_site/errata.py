"""How each error was found out, which no theorem's field says, and slips that belong to no one theorem.

The errors themselves stand in ``Theorem.errata``; here is how they were found, by the words an erratum
begins with. tests/docs holds the two lists against each other.
"""

from __future__ import annotations

WAYS = {
    "units": "Two sides, or two summands, have different units, so that a change of units makes the "
    "statement false. Building a theorem checks it.",
    "proof": "The proof was done again, and a step does not hold, or another number comes out.",
    "counterexample": "One numerical case that satisfies the assumptions and contradicts the claim.",
    "second text": "Two printed forms, or a text and its code, contradict each other, and the derivation "
    "decides.",
    "sense": "A definition was read literally, and the method or the quantity would be another.",
}
"""The ways in which an error comes to light."""

FOUND: dict[str, tuple[str, str]] = {
    "Gap 1, open: for random selection and tau > 1": ("paper", "counterexample"),
    "Gap 2, closed here by a condition": ("paper", "proof"),
    "Gap 3: the skews are a fraction": ("paper", "sense"),
    "A talk prints the bound after T rounds": ("talk", "proof"),
    "With a constant step size a round's first step size": ("paper", "proof"),
    "The scan of a talk prints gap L1 M/target": ("talk", "units"),
    "Lemma 11 and eq. (21) of the supplement": ("paper", "proof"),
    "A slide prints the last factor as (1 - alpha - C)": ("talk", "units"),
    "The number of groups before the sampling error": ("paper", "proof"),
    "Of the row only gap L0 sigma^2": ("talk", "second text"),
    "The talk's listings of the algorithm": ("talk", "second text"),
    "The source's second form of the variance": ("memory", "units"),
    "Papers on unequal availability state the weights": ("paper", "counterexample"),
    "Lecture notes that put eta = sqrt(m/(tau T)) here": ("notes", "units"),
    "The same notes read m as the sampled clients": ("notes", "proof"),
    "A note on this theorem prints beta^2 >= 0": ("notes", "proof"),
    "As recalled, the noise has L sqrt(gap)": ("memory", "units"),
    "A talk prints the three terms under a bound": ("talk", "proof"),
    "Lecture notes print (1 + sigma^2)/sqrt(m tau T)": ("notes", "units"),
    "The same notes read m as the C m clients": ("notes", "proof"),
    "The notes state that more local work needs fewer rounds": ("notes", "second text"),
    "The source counts steps from 1": ("paper", "proof"),
    "Copies in circulation omit the parentheses": ("notes", "proof"),
    "Others take the step size 1/(mu (gamma + t))": ("notes", "proof"),
    "The paper bounds the consensus error itself, a squared length": ("paper", "units"),
    "The paper's conditions on the step sizes, eq. (11)": ("paper", "units"),
    "The descent lemma has a term": ("paper", "proof"),
    "Proposition 2 treats the last round": ("paper", "proof"),
    "The time since a client last participated": ("paper", "second text"),
    "The theorem needs eta_s >= 1": ("paper", "proof"),
    "Its eq. (3), on the bias of FedAvg": ("paper", "counterexample"),
    "The paper states the rate up to a constant": ("paper", "proof"),
    "As first submitted, the last term had a bare factor L": ("paper", "units"),
    "Slides print ||x - x_i||^2 in the denominator": ("talk", "counterexample"),
    "The eps that is added to that denominator": ("paper", "units"),
    "The source states it for the smallest gradient": ("paper", "proof"),
    "The lecture notes' tau in tau_i/tau": ("notes", "sense"),
    "The lecture notes print the first term as": ("notes", "units"),
    "The lecture notes require beta^2 >= 0": ("notes", "counterexample"),
    "The published code takes sum_i p_i tau_i": ("code", "second text"),
    "With momentum and a proximal term at once": ("code", "proof"),
    "A version with 2 mu_prox^2 for": ("notes", "proof"),
    "Lemmas 9 and 10 of the supplement": ("paper", "proof"),
    "The bound is nevertheless true": ("paper", "proof"),
    "The supplement's last display has": ("paper", "second text"),
    "A display of the supplement subtracts": ("paper", "proof"),
    "Slides write the update of the stored value": ("talk", "sense"),
    "The paper's corollary gives the rate as O(.)": ("paper", "proof"),
    "In the scan of the table the largest number": ("talk", "second text"),
}
"""By the first words of an erratum: where it stands (a key of ``PLACES``), and how it was found."""

PLACES = {
    "paper": "the paper",
    "talk": "a talk",
    "notes": "notes and copies",
    "code": "the code",
    "memory": "recalled, not read",
}
"""What the places are called on the page."""

NOBODYS: tuple[tuple[str, str, str, str], ...] = (
    (
        "Lecture notes on FedAvg: the server takes sum over the participating clients of p_i x_i.",
        "The p_i of a part of the clients do not sum to 1: where one of ten equal clients participates, "
        "the model shrinks to a tenth.",
        "Every algorithm here says how it weighs: see [algorithms](algorithms.md).",
        "counterexample",
    ),
    (
        "The same notes: every F_i is L-Lipschitz.",
        "The proof uses Lipschitz gradients, and a strongly convex loss is not Lipschitz.",
        "**smooth**, in [relations](relations.md).",
        "proof",
    ),
    (
        "The same notes: dissimilarity with the expectation over one stochastic gradient inside.",
        "Then noise counts as dissimilarity, and homogeneous clients seem to differ.",
        "**beta-kappa-dissimilarity**, of true gradients.",
        "sense",
    ),
    (
        "The same notes: F_1 = (x - 1)^2 and F_2 = 2 (x - 5)^2 with the"
        " updates eta (x - 1) and 2 eta (x - 5).",
        "The gradients are 2 (x - 1) and 4 (x - 5). The optimum 11/3 is right all the same.",
        "`bk.Quadratic(hessians=[2.0, 4.0], centers=[[1.0], [5.0]])`.",
        "second text",
    ),
    (
        "A talk on choosing clients: candidates d = C m choose without bias.",
        "So it is with replacement, or with equal weights. Without replacement and with unequal p_i a "
        "client's inclusion probability is not C m p_i.",
        "`boundkit objective fedavg RUN.json --skew` computes it; see [selection](selection.md).",
        "counterexample",
    ),
    (
        "A listing of EPISODE++: both branches of the clipping rule hold where the norm is at the threshold.",
        "Then a client would take both steps.",
        "The second comparison is strict, as in the released code.",
        "second text",
    ),
)
"""Printed, why it cannot be, here instead, found by: slips of texts that no theorem is encoded from."""
