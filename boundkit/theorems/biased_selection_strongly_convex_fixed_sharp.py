r"""FedAvg with chosen clients on strongly convex losses, fixed step, where the proof loses least.

The same forces as in the paper's bound. The start enters by its distance, so nothing is paid at time 0
beyond L/2, and at one local step no client drifts, so no bound on gradients is needed: what is left is
noise, heterogeneity in proportion to the step, and the selection bias.

Proof. Steps (i) to (iii) of biased_selection_strongly_convex_decaying at a fixed step eta <= 1/(4 L),
where the choice is fixed given the round's start, or tau = 1. The spread V of the local models is at most
the mean of ||w_k - w_0||^2, hence at most eta^2 (tau - 1)^2 G^2, and enters twice:
D+ <= (1 - eta mu B) D + eta q, with B = 1 + 3 rho_bar/8 and
q = eta (2 (tau - 1)^2 G^2 + sigma^2/(C m) + 6 rho_bar L Gamma) + 2 Gamma (rho_tilde - rho_bar).
Over tau T local steps D <= (1 - eta mu B)^(tau T) (D_0 - q/(mu B)) + q/(mu B), and the loss is at most
L/2 times D.
"""

from dataclasses import replace

from sympy import Rational

from boundkit.algebra import Limit, Term, Theorem
from boundkit.algebra.condition import at_least, at_most
from boundkit.algebra.notation import (
    C,
    G,
    Gamma,
    L,
    T,
    distance,
    eta,
    m,
    mu,
    rho_bar,
    rho_tilde,
    sigma,
    tau,
)
from boundkit.algebra.vocabulary import (
    BIASED_SELECTION,
    BOUNDED_GRADIENTS,
    BOUNDED_NOISE,
    COMMON_STEPS,
    DETERMINISTIC_SELECTION,
    LAST_LOSS_GAP,
    SERVER_STEP_ONE,
    SMOOTH,
    STRONGLY_CONVEX,
    WEIGHTED_OBJECTIVE,
)
from boundkit.theorems.biased_selection_strongly_convex_decaying import THEOREM as PAPERS_THEOREM

_B = 1 + Rational(3, 8) * rho_bar
_LEFT = (1 - eta * mu * _B) ** (tau * T)
_BALL = L * (1 - _LEFT) / (2 * mu * _B)

THEOREM = Theorem(
    name="biased_selection_strongly_convex_fixed_sharp",
    algorithm="fedavg",
    costs="biased_selection",
    claim=LAST_LOSS_GAP,
    assumptions=(
        SMOOTH,
        STRONGLY_CONVEX,
        BOUNDED_NOISE,
        BOUNDED_GRADIENTS,
        WEIGHTED_OBJECTIVE,
        BIASED_SELECTION,
        DETERMINISTIC_SELECTION,
        COMMON_STEPS,
        SERVER_STEP_ONE,
    ),
    requires=(at_most(mu, L), at_least(rho_tilde, rho_bar)),
    step_size=(at_most(eta, 1 / (4 * L)), at_most(eta * mu * _B, 1)),
    terms=(
        Term(
            "initial gap",
            L * distance**2 * _LEFT / 2,
            provenance="derived",
            because="L/2 from distance to loss",
        ),
        Term(
            "stochastic noise",
            _BALL * eta * sigma**2 / (C * m),
            provenance="derived",
            because="the noise of the chosen clients, shared; L/2 over the contraction mu B, as all that "
            "stays",
        ),
        Term(
            "client drift",
            2 * _BALL * eta * (tau - 1) ** 2 * G**2,
            provenance="derived",
            because="2: the spread enters twice, and is at most eta^2 (tau - 1)^2 G^2",
        ),
        Term(
            "client drift",
            6 * _BALL * eta * rho_bar * L * Gamma,
            provenance="derived",
            because="6 = 2 3: 2 e (1 - 2 e L) (1 - e L) is at least 2 e - 2 (3 L e^2)",
            label="heterogeneity",
        ),
        Term(
            "selection bias",
            2 * _BALL * Gamma * (rho_tilde - rho_bar),
            provenance="derived",
            because="2 from 2 e times the mean excess loss of the chosen clients at the optimum",
        ),
    ),
    limits=(
        Limit(when={tau: 1}, removes=("client drift",)),
        Limit(when={rho_tilde: rho_bar}, removes=("selection bias",)),
        Limit(when={rho_bar: 1, rho_tilde: 1}, removes=("selection bias",)),
        Limit(when={rho_bar: 0}, removes=("heterogeneity",)),
        Limit(when={Gamma: 0}, removes=("heterogeneity", "selection bias")),
        Limit(when={sigma: 0}, removes=("stochastic noise",)),
        Limit(
            when={tau: 1, sigma: 0},
            removes=("client drift", "stochastic noise", "heterogeneity"),
            holds=False,
            because="Gamma acts at every step: exact gradients and one local step do not remove it",
        ),
    ),
    remarks=(
        "Finite at rho_bar = 0, the least skew of a rule that picks one client by the model alone.",
        "The floor is loose where the selection is: on three clients it was 1.28 where the exact cycle of "
        "the run ended at 0.03.",
        "On three clients the exact loss gap comes to at most 0.7 of it at tau = 1.",
    ),
    source=replace(
        PAPERS_THEOREM.source,
        where="Theorem 3.2 (setting); sharpened here",
        note="The recursion of the source's proof where it is complete, solved as it stands.",
    ),
    prose=__doc__,
)
