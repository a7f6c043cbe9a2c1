"""Lemmas on one client that solves: x+ minimises <g, y> + B(y, x), g the mean gradient at x.

B(y, x) = Q(y) - Q(x) - <grad Q(x), y - x> with Q = F_1 + mu_prox ||.||^2/2 is a Bregman distance. The
Hessians H of the mean loss and H_1 of the solver's differ by at most mu_prox: H <= H_1 + mu_prox <= H + 2
mu_prox <= (1 + 2 mu_prox/mu) H, so that B >= 0.
"""

from __future__ import annotations

from boundkit.algebra.notation import mu, mu_prox
from boundkit.proofs.lemmas import Conclusion, Lemma
from boundkit.proofs.linear_form import LinearForm, scalar
from boundkit.proofs.rounds import SOLVER, AlgorithmRound, loss_gap, next_loss_gap

bregman = scalar("B(x*, x)", "B(x^*,x)", "Bregman distance of the optimum from the server's model")
next_bregman = scalar("B(x*, x+)", "B(x^*,x^+)", "Bregman distance of the optimum after the round")
moved_bregman = scalar(
    "B(x+, x)", "B(x^+,x)", "Bregman distance of the model after the round from that before"
)
along_move = scalar(
    "<g, x+ - x>", r"\langle g,x^+-x\rangle", "gradient times the move of the round", signed=True
)
along_optimum = scalar(
    "<g, x* - x>", r"\langle g,x^*-x\rangle", "gradient times the way to the optimum", signed=True
)


def _solution(_: AlgorithmRound) -> Conclusion:
    form = LinearForm({bregman: 1, next_bregman: -1, moved_bregman: -1, along_move: -1, along_optimum: 1})
    return Conclusion(form, equality=True)


def _smooth(_: AlgorithmRound) -> Conclusion:
    return Conclusion(LinearForm({loss_gap: 1, along_move: 1, moved_bregman: 1, next_loss_gap: -1}))


def _convex(_: AlgorithmRound) -> Conclusion:
    return Conclusion(LinearForm({loss_gap: -1, along_optimum: -1, bregman: -mu / (mu + 2 * mu_prox)}))


_SOLVED = ("strongly-convex", "no-noise", "similar-solver")

BREGMAN_SOLUTION = Lemma(
    "solution of a Bregman step",
    "<g, x+ - x*> = B(x*, x) - B(x*, x+) - B(x+, x)",
    "three points of a Bregman distance: $g + grad Q(x+) - grad Q(x) = 0$ at the minimiser",
    _SOLVED,
    _solution,
    kinds=(SOLVER,),
)
RELATIVE_SMOOTHNESS = Lemma(
    "relative smoothness",
    "F(x+) <= F(x) + <g, x+ - x> + B(x+, x)",
    "$Q - F$ is convex, as $H <= H_1 + mu_prox$",
    _SOLVED,
    _smooth,
    kinds=(SOLVER,),
)
RELATIVE_CONVEXITY = Lemma(
    "relative strong convexity",
    "F* >= F(x) + <g, x* - x> + mu/(mu + 2 mu_prox) B(x*, x)",
    "$F - k Q$ is convex for $k = mu/(mu + 2 mu_prox)$, as $k (H_1 + mu_prox) <= H$",
    _SOLVED,
    _convex,
    kinds=(SOLVER,),
)
