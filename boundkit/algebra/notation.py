r"""Notation: every symbol with one meaning.

The symbols of a paper are mapped to these in the ``Source`` of each theorem. m counts all clients,
C m of them participate in a round, T counts rounds (never local steps), sigma is the noise of one
stochastic gradient summed over its coordinates, sigma_g the dissimilarity of the clients' gradients.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from sympy import Expr, Integer
from sympy.core.relational import Relational

from boundkit.algebra.dimension import CURVATURE, GRADIENT, LENGTH, LOSS, ONE, SECONDS, STEP, Dimension
from boundkit.algebra.domain import (
    AT_LEAST_ONE,
    BELOW_ONE,
    COUNT,
    COUNT_FROM_ZERO,
    FRACTION,
    NONNEGATIVE,
    POSITIVE,
    UNIT_INTERVAL,
)
from boundkit.algebra.errors import BoundkitError, unknown
from boundkit.algebra.quantity import Quantity, Vector

m = Quantity("m", "m", "number of clients, all of them", COUNT, ONE, 100)
C = Quantity("C", "C", "fraction of the clients that participates in a round", FRACTION, ONE, 0.1)
T = Quantity("T", "T", "communication rounds", COUNT, ONE, 1000)
tau = Quantity("tau", r"\tau", "local steps a round, the same for all clients", COUNT, ONE, 10)

eta = Quantity("eta", r"\eta", "client step size", POSITIVE, STEP, 0.001)
eta_s = Quantity("eta_s", r"\eta_s", "server step size", POSITIVE, ONE, 1)

L = Quantity("L", "L", "smoothness of every client's loss", POSITIVE, CURVATURE, 1)
mu = Quantity("mu", r"\mu", "strong convexity of every client's loss", POSITIVE, CURVATURE, 0.1)

sigma = Quantity(
    "sigma", r"\sigma", "noise of one stochastic gradient, summed over coordinates", NONNEGATIVE, GRADIENT, 1
)
sigma_g = Quantity(
    "sigma_g", r"\sigma_g", "dissimilarity of the clients' gradients", NONNEGATIVE, GRADIENT, 1
)

gap = Quantity("gap", r"\Delta", "initial loss above its infimum", NONNEGATIVE, LOSS, 1)
distance = Quantity("distance", "D", "distance of the initial point from the optimum", NONNEGATIVE, LENGTH, 1)

# Smoothness and curvature, in other forms

L0 = Quantity("L0", "L_0", "relaxed smoothness where the gradient is small", POSITIVE, CURVATURE, 1)
L1 = Quantity("L1", "L_1", "growth of the relaxed smoothness with the gradient", POSITIVE, LENGTH**-1, 1)
L_minus = Quantity(
    "L_minus", "L_-", "negative curvature of a client's loss, at most", NONNEGATIVE, CURVATURE, 0
)
mu_pl = Quantity(
    "mu_pl", r"\mu_{PL}", "Polyak-Lojasiewicz constant of the mean loss", POSITIVE, CURVATURE, 0.1
)
mu_prox = Quantity("mu_prox", r"\mu_p", "weight of the proximal term", POSITIVE, CURVATURE, 10)

# Heterogeneous clients, other measures

beta = Quantity("beta", r"\beta", "slope of the (β, κ) dissimilarity", AT_LEAST_ONE, ONE, 1)
kappa = Quantity("kappa", r"\kappa", "constant part of the (β, κ) dissimilarity", NONNEGATIVE, GRADIENT, 1)
zeta = Quantity(
    "zeta", r"\zeta", "constant part of the dissimilarity in norm, for every client", NONNEGATIVE, GRADIENT, 1
)
rho_zeta = Quantity(
    "rho_zeta", r"\rho_\zeta", "slope of the dissimilarity in norm, for every client", NONNEGATIVE, ONE, 1
)
sigma_star = Quantity(
    "sigma_star", r"\sigma_*", "root mean square of the clients' gradients at the optimum", NONNEGATIVE,
    GRADIENT, 1,
)  # fmt: skip
sigma_c = Quantity(
    "sigma_c", r"\sigma_c", "dissimilarity inside a cluster, at most", NONNEGATIVE, GRADIENT, 1
)
sigma_between = Quantity(
    "sigma_between", r"\sigma_b", "distance of a group's gradient from the mean gradient, at most",
    NONNEGATIVE, GRADIENT, 1,
)  # fmt: skip
sigma_within = Quantity(
    "sigma_within", r"\sigma_w", "dissimilarity of the clients inside a group", NONNEGATIVE, GRADIENT, 1
)
delta_hess = Quantity(
    "delta_hess", r"\delta_H",
    "root mean square distance of the clients' Hessians from their mean, at the optimum",
    NONNEGATIVE, CURVATURE, 0.1,
)  # fmt: skip
third = Quantity(
    "third", "M_3", "Lipschitz constant of every client's Hessian", NONNEGATIVE, CURVATURE * LENGTH**-1, 0.1
)
drift_star = Quantity("drift_star", r"\rho_*", "mean drift at the optimum, a step", NONNEGATIVE, GRADIENT, 1)
G = Quantity("G", "G", "bound on a stochastic gradient, in the root mean square", NONNEGATIVE, GRADIENT, 1)
G_inf = Quantity(
    "G_inf", r"G_\infty", "bound on a coordinate of a stochastic gradient", POSITIVE, GRADIENT, 1
)
grad_max = Quantity(
    "grad_max", "M", "largest gradient norm on the initial sublevel set", POSITIVE, GRADIENT, 10
)
d = Quantity("d", "d", "number of parameters of the model", COUNT, ONE, 1000)

# Local steps that differ from round to round, steps that shrink

tau_mean = Quantity(
    "tau_mean", r"\bar{\tau}", "local steps a round, in the mean over rounds", AT_LEAST_ONE, ONE, 10
)
tau_felt = Quantity(
    "tau_felt",
    r"\tilde{\tau}",
    "local steps of the round of a local step, in the mean over local steps",
    AT_LEAST_ONE,
    ONE,
    10,
)
tau_max = Quantity("tau_max", r"\tau_{\max}", "local steps of the longest round", COUNT, ONE, 10)
offset = Quantity(
    "offset", "t_0", "offset of a decaying step size, in steps before the first", POSITIVE, ONE, 80
)

# Selection

Gamma = Quantity("Gamma", r"\Gamma", "objective gap of the clients: F* - sum p_i F_i*", NONNEGATIVE, LOSS, 1)
rho_bar = Quantity("rho_bar", r"\bar{\rho}", "least selection skew", NONNEGATIVE, ONE, 1)
rho_tilde = Quantity("rho_tilde", r"\tilde{\rho}", "selection skew at the optimum", NONNEGATIVE, ONE, 1)

# Client participation

groups = Quantity("groups", r"\bar{K}", "groups that participate in turn", COUNT, ONE, 5)
clusters = Quantity("clusters", "K", "clusters of similar clients", COUNT, ONE, 10)
missed = Quantity(
    "missed", "p_0", "probability that no client of a given cluster participates", BELOW_ONE, ONE, 0.5
)
availability = Quantity(
    "availability", r"\delta", "least availability of a client, a probability", FRACTION, ONE, 0.5
)
availability_max = Quantity(
    "availability_max",
    r"\delta_{\max}",
    "largest availability of a client, a probability",
    FRACTION,
    ONE,
    0.5,
)
mixing = Quantity(
    "mixing",
    r"\rho",
    "second eigenvalue of the mean gossip matrix",
    BELOW_ONE,
    ONE,
    0.5,
)
exchange = Quantity(
    "exchange",
    r"p_e",
    "probability that clients exchange their models after a local step",
    FRACTION,
    ONE,
    0.1,
)
gossip = Quantity(
    "gossip", r"\rho_W", "part of the models' spread that a gossip step keeps, at most", BELOW_ONE, ONE, 0.5
)
comp_keep = Quantity(
    "comp_keep", r"\alpha_Q", "part of a squared norm that a compressor keeps, at least", FRACTION,
    ONE, 0.1,
)  # fmt: skip
comp_noise = Quantity(
    "comp_noise", r"\omega_Q", "largest variance of a randomly compressed vector over its squared norm",
    NONNEGATIVE, ONE, 1,
)  # fmt: skip
robustness = Quantity(
    "robustness", r"\kappa_A", "robustness coefficient of the server's aggregator", NONNEGATIVE, ONE, 0.25
)
pull = Quantity("pull", "P", "mean over clients of weight times participation probability", POSITIVE, ONE, 1)
share_noise = Quantity(
    "share_noise", "N", "sum over clients of the mean squared weight of a client in a round", POSITIVE, ONE,
    0.02,
)  # fmt: skip
sampling_spread = Quantity(
    "sampling_spread", r"\Lambda", "spread of the weights that sampling gives the clients", NONNEGATIVE, ONE,
    0.1,
)  # fmt: skip
sampling_slack = Quantity(
    "sampling_slack", r"\nu", "part of the spread that the mean of the clients is free of", UNIT_INTERVAL,
    ONE, 0.1,
)  # fmt: skip
sampling_error = Quantity(
    "sampling_error", "S", "root mean square error of the sampled clients' weighted mean gradient",
    NONNEGATIVE, GRADIENT, 0.3,
)  # fmt: skip
absence = Quantity("absence", "R", "largest w_i (1 - q_i)/q_i", NONNEGATIVE, ONE, 0.01)
cutoff = Quantity("cutoff", r"K_{cut}", "longest interval that is recorded", COUNT, ONE, 50)
staleness = Quantity("staleness", r"d_{\max}", "largest age of a gradient, in steps", COUNT_FROM_ZERO, ONE, 4)
staleness_mean = Quantity(
    "staleness_mean",
    r"\bar{d}",
    "mean age of a gradient over clients and rounds, in steps",
    NONNEGATIVE,
    ONE,
    2,
)

# Heterogeneous local work

tau_eff = Quantity("tau_eff", r"\tau_{\mathrm{eff}}", "effective local steps of a round", POSITIVE, ONE, 10)
A_noise = Quantity(
    "A_noise", "A", "factor of the noise by the aggregation weights; 1 at best", POSITIVE, ONE, 1
)
B_drift = Quantity("B_drift", "B", "factor of the noise drift", NONNEGATIVE, ONE, 9)
C_drift = Quantity("C_drift", r"C_\tau", "factor of the client drift", NONNEGATIVE, ONE, 90)
B_walk = Quantity("B_walk", "B''", "factor of the noise drift, for any solver", NONNEGATIVE, ONE, 9)
C_walk = Quantity("C_walk", "C''", "factor of the client drift, for any solver", NONNEGATIVE, ONE, 81)
chi2 = Quantity("chi2", r"\chi^2", "distance of the true weights from the surrogate's", NONNEGATIVE, ONE, 0.1)
tau_clients = Quantity(
    "tau_clients", r"\langle\tau\rangle", "local steps, in the mean over clients", AT_LEAST_ONE, ONE, 10
)
tau_eff_mean = Quantity(
    "tau_eff_mean", r"\bar{\tau}_{\mathrm{eff}}", "mean of tau_eff over rounds", POSITIVE, ONE, 10
)
A_mean = Quantity("A_mean", r"\bar{A}", "mean of A_noise over rounds, weighted by tau_eff", POSITIVE, ONE, 1)
B_mean = Quantity(
    "B_mean", r"\bar{B}", "mean of B_drift over rounds, weighted by tau_eff", NONNEGATIVE, ONE, 9
)
C_mean = Quantity(
    "C_mean", r"\bar{C}_\tau", "mean of C_drift over rounds, weighted by tau_eff", NONNEGATIVE, ONE, 90
)
tau_eff_max = Quantity(
    "tau_eff_max", r"\hat{\tau}_{\mathrm{eff}}", "largest tau_eff over rounds", POSITIVE, ONE, 10
)
C_drift_max = Quantity("C_drift_max", r"\hat{C}_\tau", "largest C_drift over rounds", NONNEGATIVE, ONE, 90)
rho_momentum = Quantity("rho_momentum", r"\rho_m", "momentum of the local steps", BELOW_ONE, ONE, 0.9)
prox_step = Quantity(
    "prox_step", r"\alpha", "proximal shrinkage of a local step, as a fraction", NONNEGATIVE, ONE, 0
)
decay = Quantity("decay", r"\gamma_d", "factor from one local step size to the next", FRACTION, ONE, 0.9)
inexactness = Quantity(
    "inexactness",
    r"\gamma_{in}",
    "remaining local gradient norm, as a fraction of the initial one",
    BELOW_ONE,
    ONE,
    0,
)
prox_paid = Quantity(
    "prox_paid",
    r"\pi_p",
    "decrease that a round of FedProx loses to inexactness, sampling and heterogeneity",
    NONNEGATIVE,
    STEP,
    0.07,
)
sigma_mean = Quantity(
    "sigma_mean",
    r"\bar{\sigma}",
    "noise of the weighted mean, sqrt(sum p_i^2 sigma_i^2)",
    NONNEGATIVE,
    GRADIENT,
    0.1,
)

# Client state, control variates, adaptive servers, clipping

control_error = Quantity(
    "control_error", r"E_0", "root mean square error of the first controls, at the initial point",
    NONNEGATIVE, GRADIENT, 1,
)  # fmt: skip
control_error_star = Quantity(
    "control_error_star", r"E_*", "root mean square error of the first controls, at the optimum", NONNEGATIVE,
    GRADIENT, 1,
)  # fmt: skip
correction_error = Quantity(
    "correction_error", r"E_\Delta",
    "root mean square error of the first controls less their mean, at the initial point", NONNEGATIVE,
    GRADIENT, 1,
)  # fmt: skip
update_error = Quantity(
    "update_error", r"V_0", "root mean square error of the first server direction", NONNEGATIVE, GRADIENT, 1
)
gradients_start = Quantity(
    "gradients_start",
    r"G_0",
    "root mean square of the clients' gradients at the initial point",
    NONNEGATIVE,
    GRADIENT,
    1,
)
eta_s_mean = Quantity("eta_s_mean", r"\bar{\eta}_s", "mean server step over the rounds", AT_LEAST_ONE, ONE, 2)
eta_a = Quantity("eta_a", r"\eta_a", "server step of an adaptive method, a length", POSITIVE, LENGTH, 0.01)
adaptivity = Quantity(
    "adaptivity",
    r"\tau_a",
    "constant added to the preconditioner of an adaptive method",
    POSITIVE,
    LENGTH,
    0.001,
)
beta2 = Quantity("beta2", r"\beta_2", "decay rate of the second moment", BELOW_ONE, ONE, 0.99)
beta_s = Quantity("beta_s", r"\beta_s", "momentum of the server", BELOW_ONE, ONE, 0.9)
nesterov = Quantity("nesterov", "n", "0 for heavy ball, 1 for Nesterov's method", UNIT_INTERVAL, ONE, 1)
fresh = Quantity(
    "fresh", r"\nu_g", "share of the new gradient in a local step with momentum", FRACTION, ONE, 0.1
)
clip = Quantity("clip", r"\gamma", "longest clipped step", POSITIVE, LENGTH, 0.01)
clip_excess = Quantity(
    "clip_excess", r"b_\gamma", "root mean square over rounds of what clipping takes off the mean direction",
    NONNEGATIVE, GRADIENT, 0.1,
)  # fmt: skip
privacy_noise = Quantity(
    "privacy_noise", "z", "noise multiplier: deviation of the noise of the summed updates over clip",
    NONNEGATIVE, ONE, 1,
)  # fmt: skip
target = Quantity("target", r"\epsilon", "target norm of the gradient", POSITIVE, GRADIENT, 0.1)

# The clock

step_time = Quantity("step_time", "y", "mean time of one gradient", POSITIVE, SECONDS, 1)
delay = Quantity("delay", r"d_c", "time of one exchange", NONNEGATIVE, SECONDS, 10)
wall = Quantity("wall", "W", "time on the wall clock", POSITIVE, SECONDS, 10_000)

# One value a client

p_i = Vector("p_i", "p_i", "weight of a client in the objective", NONNEGATIVE, ONE, 1 / m, sums_to_one=True)
w_i = Vector("w_i", "w_i", "weight of a client in the surrogate", POSITIVE, ONE, 1 / m, sums_to_one=True)
tau_i = Vector("tau_i", r"\tau_i", "local steps of a client", COUNT, ONE, tau)
q_i = Vector("q_i", "q_i", "participation probability of a client", FRACTION, ONE, availability)
omega_i = Vector("omega_i", r"\omega_i", "weight that the server gives a client", POSITIVE, ONE, Integer(1))
sigma_i = Vector(
    "sigma_i", r"\sigma_i", "noise of a client's stochastic gradient", NONNEGATIVE, GRADIENT, sigma
)
a1_i = Vector("a1_i", r"\|a_i\|_1", "sum of the weights of a client's gradients", POSITIVE, ONE, tau)
a2_i = Vector("a2_i", r"\|a_i\|_2^2", "sum of their squares", POSITIVE, ONE, tau)
alast_i = Vector("alast_i", r"a_{i,-1}", "weight of the last gradient", NONNEGATIVE, ONE, Integer(1))
walk1_i = Vector("walk1_i", r"\|A_i\|_1", "largest sum of weights before a step", NONNEGATIVE, ONE, tau - 1)
walk2_i = Vector(
    "walk2_i", r"\|A_i\|_2^2", "largest sum of squared weights before a step", NONNEGATIVE, ONE, tau - 1
)

# Constants that a source leaves open

c_1, c_2, c_3, c_4, c_5, c_6 = (
    Quantity(f"c_{k}", f"c_{k}", "a number that the source leaves open", POSITIVE, ONE, 1)
    for k in range(1, 7)
)

_SCALARS = (
    m, C, T, tau, eta, eta_s, L, mu, sigma, sigma_g, gap, distance,
    L0, L1, L_minus, mu_pl, mu_prox, beta, kappa, zeta, rho_zeta, sigma_star, sigma_c, sigma_between,
    sigma_within, delta_hess, third, drift_star, G, G_inf, grad_max, d, Gamma, rho_bar, rho_tilde, groups,
    clusters, missed, availability, availability_max, mixing, exchange, gossip, comp_keep, comp_noise,
    robustness, pull, share_noise, sampling_spread, sampling_slack, sampling_error, absence, cutoff,
    staleness, staleness_mean, tau_eff, A_noise, B_drift, C_drift, B_walk, C_walk, chi2, tau_clients,
    tau_eff_mean, A_mean, B_mean, C_mean, tau_eff_max, C_drift_max, rho_momentum, prox_step, decay,
    inexactness, prox_paid, sigma_mean, tau_mean, tau_felt, tau_max, offset,
    control_error, control_error_star, correction_error, update_error, gradients_start, eta_s_mean, eta_a,
    adaptivity, beta2, beta_s, nesterov, fresh,
    clip, clip_excess, privacy_noise, target, step_time, delay, wall, c_1, c_2, c_3, c_4, c_5, c_6,
)  # fmt: skip

VECTORS: dict[str, Vector] = {
    v.name: v for v in (p_i, w_i, tau_i, q_i, omega_i, sigma_i, a1_i, a2_i, alast_i, walk1_i, walk2_i)
}
"""Every vector by its keyword."""

ALPHABET: dict[str, Quantity] = {q.name: q for q in _SCALARS}
"""Every quantity by its keyword, in the order in which tables list them."""

_ORDER = {q: place for place, q in enumerate(ALPHABET.values())}


class UnknownSymbolError(BoundkitError, KeyError):
    """A name that no quantity has; a KeyError too, so that ``in`` and ``get`` work as in every mapping."""

    __str__ = BoundkitError.__str__  # that of KeyError quotes the message


class Symbols(Mapping[str, Quantity]):
    """The quantities of all theorems as attributes, for use in sympy; by keyword as well.

    >>> from boundkit.algebra.notation import symbols
    >>> symbols.eta * symbols["L"]
    L*eta
    >>> tau, T = symbols("tau, T")
    """

    def __init__(self, quantities: Mapping[str, Quantity]) -> None:
        self._quantities = dict(quantities)

    def __getitem__(self, name: str) -> Quantity:
        if name not in self._quantities:
            raise UnknownSymbolError(str(unknown("quantity", str(name), self._quantities)))
        return self._quantities[name]

    def __getattr__(self, name: str) -> Quantity:
        try:
            return vars(self)["_quantities"][name]  # type: ignore[no-any-return]
        except KeyError:
            raise AttributeError(f"there is no quantity {name!r}.") from None

    def __call__(self, names: str) -> Quantity | tuple[Quantity, ...]:
        """The quantities of these names, parted by commas or spaces, as in ``sympy.symbols``."""
        several = tuple(self[name] for name in names.replace(",", " ").split())
        return several[0] if len(several) == 1 else several

    def __iter__(self) -> Iterator[str]:
        return iter(self._quantities)

    def __len__(self) -> int:
        return len(self._quantities)

    def __dir__(self) -> list[str]:
        return [*self._quantities]

    def __repr__(self) -> str:
        return "\n".join(f"{name}: {q.meaning}" for name, q in self._quantities.items())


symbols = Symbols({**ALPHABET, **VECTORS})
"""Every quantity and vector by its keyword."""

WHOLE: dict[Expr, str] = {C * m: "a round", m / groups: "a group", m / clusters: "a cluster"}
"""Products that are whole numbers of clients wherever all their symbols occur, with a description."""


def quantities_of(expressions: Iterable[Expr | Relational]) -> tuple[Quantity, ...]:
    """The quantities that occur in the expressions, in the order of the notation.

    >>> [q.name for q in quantities_of([eta * L, gap / T])]
    ['T', 'eta', 'L', 'gap']
    """
    quantities = {q for e in expressions for q in e.free_symbols if isinstance(q, Quantity)}
    return tuple(sorted(quantities, key=lambda q: (_ORDER.get(q, len(_ORDER)), q.name)))


def units_of(*expressions: Expr | Relational) -> dict[Quantity, Dimension]:
    """The dimension of every quantity that occurs, as ``dimension_of`` takes it."""
    return {q: q.dimension for q in quantities_of(expressions)}
