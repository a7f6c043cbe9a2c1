"""Quantities of a proof: expectations in one round, as symbols with a meaning.

x is the server's model before the round and x_+ after it; y_{i,k} is client i's model before its step k, the
gradient of which has the weight a_{i,k} in the client's update; xi_{i,k} is that gradient's noise. d_i is the
a_i-weighted mean of the client's stochastic gradients, h_i that of its exact ones, v the direction of the
server. Sums over clients have weights w_i, and angle brackets over k denote the a_i-weighted mean over steps.
"""

from __future__ import annotations

from dataclasses import dataclass

from boundkit.algebra.dimension import GRADIENT, LENGTH, LOSS, ONE, Dimension
from boundkit.algebra.domain import AT_LEAST_ONE, FRACTION, NONNEGATIVE, Domain
from boundkit.algebra.quantity import Quantity


@dataclass(frozen=True)
class _Reals(Domain):
    @property
    def assumptions(self) -> dict[str, bool]:
        return {"real": True}


_SQUARE, _REAL = GRADIENT**2, _Reals(float("-inf"))


def _of_gradients(name: str, latex: str, meaning: str) -> Quantity:
    return _quantity(name, latex, meaning, _SQUARE)


def _quantity(
    name: str, latex: str, meaning: str, dimension: Dimension, domain: Domain = NONNEGATIVE
) -> Quantity:
    return Quantity(name, latex, meaning, domain, dimension, 1)


def _mean_square(inside: str) -> str:
    return rf"\mathbb{{E}}\left\|{inside}\right\|^2"


def _over_clients(inside: str) -> str:
    return rf"\sum_i w_i\,{inside}"


def _over_steps(inside: str) -> str:
    return rf"\left\langle{inside}\right\rangle_k"


_D, _H = r"\textstyle\sum_i w_i d_i", r"\textstyle\sum_i w_i h_i"
_GRAD, _GRAD_I = r"\nabla\tilde F(x)", r"\nabla F_i(x)"
_AT_STEP = r"\nabla F_i(y_{i,k})"

# The server

true_gradient = _of_gradients(
    "true_gradient", _mean_square(r"\nabla F(x)"), "squared gradient of the objective"
)
gradient = _of_gradients("gradient", _mean_square(_GRAD), "squared gradient of what is descended")
other_weighing = _of_gradients(
    "other_weighing",
    _mean_square(r"\nabla F(x)-\nabla\tilde F(x)"),
    "squared difference of the gradients of the two weighings",
)
dissimilarity = _of_gradients(
    "dissimilarity",
    _over_clients(_mean_square(rf"{_GRAD_I}-{_GRAD}")),
    "how far the clients' gradients are from their mean",
)
decrease = _quantity(
    "decrease",
    r"\mathbb{E}\left[\tilde F(x)-\tilde F(x_+)\right]",
    "how much the loss falls in the round",
    LOSS,
    _REAL,
)
along = _quantity(
    "along",
    rf"\mathbb{{E}}\left\langle{_GRAD},{_H}\right\rangle",
    "inner product of the gradient with the mean direction of the clients",
    _SQUARE,
    _REAL,
)
moved = _of_gradients("moved", _mean_square("v"), "squared direction of the server")
noise = _of_gradients("noise", _mean_square(r"v-v_h"), "squared noise in the direction of the server")
mean_moved = _of_gradients("mean_moved", _mean_square(_H), "squared mean of the clients' true gradients")
chosen_moved = _of_gradients(
    "chosen_moved", _mean_square("v_h"), "squared mean of the chosen clients' true gradients"
)
chosen_apart = _of_gradients(
    "chosen_apart",
    _mean_square(r"\textstyle\frac{1}{Cm}\sum_{i\in S}(h_i-\nabla F_i(x))"),
    "squared mean over the chosen of what their walks changed",
)
chosen_gradient = _of_gradients(
    "chosen_gradient",
    _mean_square(r"\textstyle\frac{1}{Cm}\sum_{i\in S}\nabla F_i(x)-\nabla F(x)"),
    "squared distance of the chosen clients' mean gradient from that of all",
)
missed = _of_gradients(
    "missed", _mean_square(rf"{_GRAD}-{_H}"), "squared error of the clients' mean direction"
)

# A client's walk

clients_missed = _of_gradients(
    "clients_missed",
    _over_clients(_mean_square(rf"{_GRAD_I}-h_i")),
    "squared error of a client's direction",
)
steps_missed = _of_gradients(
    "steps_missed",
    _over_clients(_over_steps(_mean_square(rf"{_GRAD_I}-{_AT_STEP}"))),
    "squared error of each step's gradient",
)
walk = _quantity(
    "walk",
    _over_clients(_over_steps(_mean_square(r"x-y_{i,k}"))),
    "mean squared walk of the clients",
    LENGTH**2,
)
walk_on = _quantity("walk_on", walk.latex, "the same walk, still to be bounded", LENGTH**2)
noise_walk = _of_gradients(
    "noise_walk",
    _over_clients(_over_steps(_mean_square(r"\textstyle\sum_{s<k}A_{i,k,s}\,\xi_{i,s}"))),
    "squared sum of the noise that a client has met so far",
)
noise_way = _quantity(
    "noise_way",
    _over_clients(_over_steps(r"\textstyle\sum_{s<k}A_{i,k,s}^2")),
    "squared weights of the gradients so far, in the mean over the steps",
    ONE,
)
gradient_walk = _of_gradients(
    "gradient_walk",
    _over_clients(_over_steps(_mean_square(r"\textstyle\sum_{s<k}A_{i,k,s}\nabla F_i(y_{i,s})"))),
    "squared sum of the gradients that a client has met so far",
)
gradient_way = _of_gradients(
    "gradient_way",
    _over_clients(
        _over_steps(
            r"\textstyle\sum_{s<k}A_{i,k,s}\cdot\sum_{s<k}A_{i,k,s}\mathbb{E}\|\nabla F_i(y_{i,s})\|^2"
        )
    ),
    "squared gradients that a client has met so far, times how many they are",
)
all_steps = _of_gradients(
    "all_steps",
    _over_clients(r"c_i\," + _over_steps(_mean_square(_AT_STEP))),
    "squared gradients of a client's whole round, times what c_i counts of them",
)
all_missed = _of_gradients(
    "all_missed",
    _over_clients(r"c_i\," + _over_steps(_mean_square(rf"{_GRAD_I}-{_AT_STEP}"))),
    "what the walk changed in them, times c_i",
)
all_start = _of_gradients(
    "all_start", _over_clients(r"c_i\," + _mean_square(_GRAD_I)), "squared gradients at the start, times c_i"
)
all_walk = _quantity(
    "all_walk",
    _over_clients(r"c_i\," + _over_steps(_mean_square(r"x-y_{i,k}"))),
    "squared walk, times c_i",
    LENGTH**2,
)
start_gradients = _of_gradients(
    "start_gradients", _over_clients(_mean_square(_GRAD_I)), "squared gradients of the clients at x"
)

# Without Young between noise and gradients: expectations given x, a_i of d_i, and e_i = grad F_i(x) - a_i

true_moved = _of_gradients("true_moved", _mean_square(r"a"), "squared mean direction, given x")
error_along = _quantity(
    "error_along",
    rf"\mathbb{{E}}\left\langle{_GRAD},e\right\rangle",
    "inner product of the gradient with the error of the mean direction",
    _SQUARE,
    _REAL,
)
error = _of_gradients("error", _mean_square("e"), "squared error of the mean direction, given x")
clients_error = _of_gradients(
    "clients_error", _over_clients(_mean_square("e_i")), "squared error of a client's direction, given x"
)
spread = _of_gradients(
    "spread", _over_clients(_mean_square("a_i-a")), "how far the clients' directions are from their mean"
)
sent_variance = _of_gradients(
    "sent_variance",
    _over_clients(r"\mathrm{Var}\,d_i"),
    "variance of a client's direction, given x",
)
walk_by_step = _quantity(
    "walk_by_step",
    _over_clients(r"\sum_k \tfrac{1}{k}" + _mean_square(r"x-y_{i,k}")),
    "squared walk before each step, over the number of steps before it",
    LENGTH**2,
)

# Constants that a proof makes on its way

left = _quantity(
    "left", r"\ell", "one over the part of the squared gradient that the descent leaves", ONE, AT_LEAST_ONE
)

solved = _quantity(
    "solved",
    r"\textstyle\frac{1}{1-D}",
    "what solving for the walk costs: it stands on both sides, with the weight D on the right",
    ONE,
    AT_LEAST_ONE,
)
share_of_walk = _quantity(
    "share_of_walk", "u", "the weight of the clients' error in the descent, at most 5/8", ONE, FRACTION
)

QUANTITIES = tuple(value for value in globals().copy().values() if isinstance(value, Quantity))
"""All of them, in the order of a proof."""
