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

gradient = _of_gradients("gradient", _mean_square(_GRAD), "squared gradient of the surrogate objective")
dissimilarity = _of_gradients(
    "dissimilarity",
    _over_clients(_mean_square(rf"{_GRAD_I}-{_GRAD}")),
    "mean squared distance of the clients' gradients from their mean",
)
decrease = _quantity(
    "decrease",
    r"\mathbb{E}\left[\tilde F(x)-\tilde F(x_+)\right]",
    "decrease of the loss in the round",
    LOSS,
    _REAL,
)
inner_product = _quantity(
    "inner_product",
    rf"\mathbb{{E}}\left\langle{_GRAD},{_H}\right\rangle",
    "inner product of the gradient with the mean direction of the clients",
    _SQUARE,
    _REAL,
)
server_direction = _of_gradients("server_direction", _mean_square("v"), "squared direction of the server")
noise = _of_gradients("noise", _mean_square(r"v-v_h"), "squared noise in the direction of the server")
mean_direction = _of_gradients(
    "mean_direction", _mean_square(_H), "squared mean of the clients' exact gradients"
)
sampled_direction = _of_gradients(
    "sampled_direction", _mean_square("v_h"), "squared mean of the sampled clients' exact gradients"
)
sampled_error = _of_gradients(
    "sampled_error",
    _mean_square(r"\textstyle\frac{1}{Cm}\sum_{i\in S}(h_i-\nabla F_i(x))"),
    "squared mean over the sampled clients of the change of their gradients",
)
sampled_gradient = _of_gradients(
    "sampled_gradient",
    _mean_square(r"\textstyle\frac{1}{Cm}\sum_{i\in S}\nabla F_i(x)-\nabla F(x)"),
    "squared distance of the sampled clients' mean gradient from that of all",
)
direction_error = _of_gradients(
    "direction_error", _mean_square(rf"{_GRAD}-{_H}"), "squared error of the clients' mean direction"
)

# The local steps of a client

client_errors = _of_gradients(
    "client_errors",
    _over_clients(_mean_square(rf"{_GRAD_I}-h_i")),
    "squared error of a client's direction",
)
step_errors = _of_gradients(
    "step_errors",
    _over_clients(_over_steps(_mean_square(rf"{_GRAD_I}-{_AT_STEP}"))),
    "squared error of each step's gradient",
)
displacement = _quantity(
    "displacement",
    _over_clients(_over_steps(_mean_square(r"x-y_{i,k}"))),
    "mean squared displacement of the local models from x",
    LENGTH**2,
)
displacement_remaining = _quantity(
    "displacement_remaining", displacement.latex, "the same displacement, still to be bounded", LENGTH**2
)
noise_displacement = _of_gradients(
    "noise_displacement",
    _over_clients(_over_steps(_mean_square(r"\textstyle\sum_{s<k}A_{i,k,s}\,\xi_{i,s}"))),
    "squared weighted sum of the noise of a client's steps so far",
)
noise_weights = _quantity(
    "noise_weights",
    _over_clients(_over_steps(r"\textstyle\sum_{s<k}A_{i,k,s}^2")),
    "sum of the squared weights of the gradients so far, mean over the steps",
    ONE,
)
gradient_displacement = _of_gradients(
    "gradient_displacement",
    _over_clients(_over_steps(_mean_square(r"\textstyle\sum_{s<k}A_{i,k,s}\nabla F_i(y_{i,s})"))),
    "squared weighted sum of the gradients of a client's steps so far",
)
weighted_gradients = _of_gradients(
    "weighted_gradients",
    _over_clients(
        _over_steps(
            r"\textstyle\sum_{s<k}A_{i,k,s}\cdot\sum_{s<k}A_{i,k,s}\mathbb{E}\|\nabla F_i(y_{i,s})\|^2"
        )
    ),
    "weighted squared gradients of a client's steps so far, times the sum of the weights",
)
all_gradients = _of_gradients(
    "all_gradients",
    _over_clients(r"c_i\," + _over_steps(_mean_square(_AT_STEP))),
    "squared gradients of a client's whole round, times c_i",
)
all_errors = _of_gradients(
    "all_errors",
    _over_clients(r"c_i\," + _over_steps(_mean_square(rf"{_GRAD_I}-{_AT_STEP}"))),
    "squared changes of these gradients since the start of the round, times c_i",
)
all_initial_gradients = _of_gradients(
    "all_initial_gradients",
    _over_clients(r"c_i\," + _mean_square(_GRAD_I)),
    "squared gradients at the start of the round, times c_i",
)
all_displacements = _quantity(
    "all_displacements",
    _over_clients(r"c_i\," + _over_steps(_mean_square(r"x-y_{i,k}"))),
    "squared displacement, times c_i",
    LENGTH**2,
)
initial_gradients = _of_gradients(
    "initial_gradients", _over_clients(_mean_square(_GRAD_I)), "squared gradients of the clients at x"
)

# Without Young between noise and gradients: expectations given x, a_i of d_i, and e_i = grad F_i(x) - a_i

expected_direction = _of_gradients(
    "expected_direction", _mean_square(r"a"), "squared mean direction, given x"
)
error_inner_product = _quantity(
    "error_inner_product",
    rf"\mathbb{{E}}\left\langle{_GRAD},e\right\rangle",
    "inner product of the gradient with the error of the mean direction",
    _SQUARE,
    _REAL,
)
expected_error = _of_gradients(
    "expected_error", _mean_square("e"), "squared error of the mean direction, given x"
)
expected_client_errors = _of_gradients(
    "expected_client_errors",
    _over_clients(_mean_square("e_i")),
    "squared error of a client's direction, given x",
)
direction_dissimilarity = _of_gradients(
    "direction_dissimilarity",
    _over_clients(_mean_square("a_i-a")),
    "mean squared distance of the clients' directions from their mean",
)
update_variance = _of_gradients(
    "update_variance",
    _over_clients(r"\mathrm{Var}\,d_i"),
    "variance of a client's direction, given x",
)
displacement_by_step = _quantity(
    "displacement_by_step",
    _over_clients(r"\sum_k \tfrac{1}{k}" + _mean_square(r"x-y_{i,k}")),
    "squared displacement before each step, over the number of steps before it",
    LENGTH**2,
)

# Constants that a proof defines

descent_factor = _quantity(
    "descent_factor",
    r"\ell",
    "one over the part of the squared gradient that the descent leaves",
    ONE,
    AT_LEAST_ONE,
)

solution_factor = _quantity(
    "solution_factor",
    r"\textstyle\frac{1}{1-D}",
    "factor of solving for the displacement, which stands on both sides, with the weight D on the right",
    ONE,
    AT_LEAST_ONE,
)
error_weight = _quantity(
    "error_weight", "u", "the weight of the clients' error in the descent, at most 5/8", ONE, FRACTION
)

QUANTITIES = tuple(value for value in globals().copy().values() if isinstance(value, Quantity))
"""All of them, in the order of a proof."""
