r"""Lemmas on models that absent clients keep: FedAWE, whose participants alone average and receive the mean.

x_i is the model that client i stores, x their mean, a_i the mean of the direction of its local steps from
x_i, and k_i one more than the rounds that it missed. g_i = grad F_i(x), c_i = g_i - grad F_i(x_i), and b_i =
grad F_i(x_i) - a_i. With s the step of a round and q the least availability, participation is independent
over clients and rounds, and all models agree at the start. Atoms are means over the rounds t < T.

Exchange of sums. Let h_i >= 0 depend on x_i alone. Order the rounds by the last one in which i participated:
h_i is constant since, and later participation is independent of it. With S_j the probability of an absence of
j rounds, S_(j+1) <= (1 - q) S_j, and j^2 rises: Chebyshev's sum inequality compares sum_j j^2 S_j with the
geometric case, also where the run ends. In the mean over rounds

    E (k_i - 1)^2 h_i <= R E h_i, R = (1 - q)(2 - q)/q^2, and E 1_i k_i^2 <= (2 - q)/q,

1_i for participation, by summation by parts: sum (2 j + 1) S_j.

Auxiliary models z_i = x_i - u_i, u_i = s (k_i - 1) a_i. Before the average an absent client has z_i - s a_i,
and a participant this less s k_i n_i, n_i the noise of its direction, of a squared mean of at most V. So the
mean z of the z_i moves by -s a and the mean of these noises, whichever clients participate.

Offsets v_i = x_i - z. W averages the participants S, W = W^2 = W', and rho bounds the second eigenvalue of E
W in every round, of which 1 is an eigenvector. No client is absent with a probability above rho: W keeps the
model of an absent client and has 1/|S| >= 1/m on the diagonal for the others, so that the quadratic form of
E W at e_i - 1/m is at least 1 - 1/m times that probability. A round adds -s a_i to the auxiliary models, then
applies W to these and stores the result for participants, then adds noise to both. In the mean square over
clients the noise is E 1_i (1/|S| - 1/m) k_i^2 V, k_i independent of S. Given a participant, |S| is 1 and
m - 1 independent clients of probability at least q, so that E 1/|S| <= (1 - (1 - q)^m)/(m q) <= 1/(m q).

What an addition b_i leaves after j rounds without others: let Z = W .. W b, and N_i be 1 where i was absent
in all of them, with probability n_i <= rho^j. An absent client has Z_i = b_i and the offset -b, b the mean of
the b_i, and another one Z_i - b. So sum_i ||v_i||^2 = sum_i ||Z_i - b||^2 - N_i (||b_i - b||^2
- ||b||^2), of a mean of at most rho^j sum_i (||b_i - b||^2 + ||b||^2) = rho^j sum_i ||b_i||^2. Noise is in
both models, and leaves the first part alone.

Fix a round T, and let Q_t be the mean square of the offsets at T that follow from the state at t without
later additions, the square of a seminorm of the state. Additions change the root of E Q_t by at most
rho^((T - t)/2) s A_t, A_t^2 the mean square of the a_i, and noise, which is independent of the state,
increases E Q_(t+1) by at most rho^(T - t - 1) times its own. Hence D_t^2 = E Q_t/rho^(T - t), which at T is
the mean square of the offsets, has

    D_(t+1)^2 <= rho (D_t + s A_t)^2 + noise.

With r = sqrt(rho) and (u + v)^2 <= u^2/r + v^2/(1 - r), sum over the rounds.
"""

from __future__ import annotations

from typing import Any

from sympy import Expr, sympify

from boundkit.algebra.notation import L, availability, beta, eta, kappa, m, mixing, sigma, tau
from boundkit.proofs import local_steps
from boundkit.proofs.domain import Inequality
from boundkit.proofs.lemmas import Conclusion, Lemma
from boundkit.proofs.linear_form import LinearForm, Vector, client_vector, common_vector, data, inner, square
from boundkit.proofs.rounds import ABSENT, AlgorithmRound, decrease, g

auxiliary = client_vector("A", "A", "gradient at the mean of the auxiliary models")
auxiliary_gradient = auxiliary.mean
sequence_gradient = common_vector(
    "B", "B", "the same for auxiliary models with gradients at the stored models"
)
own_change = client_vector(
    "c", "c", "gradient at the mean of all models, less that at the client's own model"
)
auxiliary_change = client_vector(
    "f", "f", "gradient at the mean of the auxiliary models, less that at the client's own model"
)
model_offset = client_vector("v", "v", "stored model of the client less the mean of the auxiliary models")
own_bias = client_vector("b", "b", "gradient at the client's own model, less the mean of its direction")
own_gradient = g - own_change
"""The gradients of the clients at their own models."""
own_direction = own_gradient - own_bias
"""Means of the clients' directions, given their models."""
own_error = own_change + own_bias
"""The gradients at the mean model, less the means of the directions."""
_CHANGES = ((g, own_change), (auxiliary, auxiliary_change))
"""Gradients at a mean model, and these less the gradients at the clients' own models."""
apart = model_offset - model_offset.mean
"""The stored models, less their mean."""

RETURNS = (2 - availability) / availability
AGES = (1 - availability) * (2 - availability) / availability**2
"""What the mean squares of k_i over the rounds with participation, and of k_i - 1, are at most."""


def _noise(h: Any) -> tuple[LinearForm, tuple[Inequality, ...]]:
    """Return V, and what it rests on."""
    growth, _ = local_steps.variance_factor(h)
    return LinearForm({data(sigma**2): growth / tau}), local_steps.variance(h)[1]


def _own_gradient(at: Vector) -> Vector:
    """Return the gradients at the own models, as those at a mean less their change."""
    return at - next(change for gradient, change in _CHANGES if gradient is at)


def _descent(this: AlgorithmRound, h: Any, at: Vector = g) -> Conclusion:
    s, direction = this.length, (_own_gradient(at) - own_bias).mean
    noise, hypotheses = _noise(h)
    step = square(direction) + RETURNS / m * noise
    form = LinearForm({decrease: 1}) - s * inner(auxiliary_gradient, direction) + L * s**2 / 2 * step
    return Conclusion(form, (*hypotheses, Inequality(s, "s > 0", strict=True)))


def _auxiliary(_: AlgorithmRound) -> Conclusion:
    return Conclusion(L**2 * square(model_offset.mean) - square(auxiliary_gradient - g.mean))


def _missed_gradients(this: AlgorithmRound) -> Conclusion:
    return Conclusion(
        (this.length * L) ** 2 * AGES * square(own_gradient) - square(sequence_gradient - g.mean)
    )


def _offsets(this: AlgorithmRound, h: Any, r: Any, at: Vector = g) -> Conclusion:
    r, s = sympify(r), this.length
    noise, hypotheses = _noise(h)
    kept: Expr = 1 / (1 - r)
    among = (1 - availability) / (m * availability)
    spread = (r * kept) ** 2 * square(_own_gradient(at) - own_bias) + kept * among * RETURNS * noise
    return Conclusion(
        s**2 * spread - square(model_offset),
        (
            *hypotheses,
            Inequality(r, f"r = {r} >= 0"),
            Inequality(1 - r, f"r = {r} < 1", strict=True),
            Inequality(r**2 - mixing, f"r = {r}, r^2 >= mixing"),
        ),
    )


def _own(_: AlgorithmRound) -> Conclusion:
    return Conclusion(L**2 * square(apart) - square(own_change))


def _own_auxiliary(_: AlgorithmRound) -> Conclusion:
    return Conclusion(L**2 * square(model_offset) - square(auxiliary_change))


def _mixing(_: AlgorithmRound, of: Expr = sigma**2) -> Conclusion:
    return Conclusion(LinearForm({data(of): 1 - availability**2 - mixing}))


def _dissimilarity(_: AlgorithmRound) -> Conclusion:
    bound = beta**2 * square(auxiliary_gradient) + LinearForm({data(kappa**2): 1})
    return Conclusion(bound - square(auxiliary))


def _bias(_: AlgorithmRound, h: Any, y: Any, p: Any, q: Any, at: Vector = g, **more: Any) -> Conclusion:
    p, q = sympify(p), sympify(q)
    own = p * square(_own_gradient(at)) + LinearForm({data(sigma**2): q / tau})
    return Conclusion(
        (eta * L * (tau - 1)) ** 2 * own - square(own_bias), local_steps.bias(h, y, p, q, **more)
    )


_NEEDS = ("smooth", "bounded-noise", "equal-weights", "common-local-steps", "changing-availability")

AUXILIARY_DESCENT = Lemma(
    "descent of the auxiliary model",
    "mean over rounds of F(z) - F(z+) >= s <A, a> - (L s^2/2) (||a||^2 + (2 - q)/q V/m)",
    "z moves by $-s a$ and by independent noises $s k_i n_i/m$ of the participants, whichever they are; "
    "$k_i^2$ has a mean over the rounds with participation of at most $(2 - q)/q$",
    _NEEDS,
    _descent,
    over_rounds=True,
    kinds=(ABSENT,),
)
AUXILIARY_GRADIENT = Lemma(
    "gradient at the auxiliary model",
    "||A - g||^2 <= L^2 ||v||^2",
    "v is the mean of all models less that of the auxiliary models",
    ("smooth", "equal-weights"),
    _auxiliary,
    kinds=(ABSENT,),
)
MISSED_GRADIENTS = Lemma(
    "auxiliary models by gradients at the stored models",
    "mean over rounds of ||B - g||^2 <= (s L)^2 R mean_i ||g_i - c_i||^2, R = (1 - q)(2 - q)/q^2",
    "these auxiliary models are $x_i - s (k_i - 1) grad F_i(x_i)$; Jensen, and exchange of sums",
    _NEEDS,
    _missed_gradients,
    over_rounds=True,
    kinds=(ABSENT,),
)
MODEL_OFFSETS = Lemma(
    "offsets of the stored models",
    "mean over rounds of mean_i ||v_i||^2 <= s^2 (r^2/(1 - r)^2 mean_i ||a_i||^2 + (1 - q)(2 - q)/"
    "(m q^2 (1 - r)) V), r^2 >= mixing",
    "averages of the participants have the mean square contraction mixing on vectors of mean 0, a client is "
    "absent with a probability of at most mixing, and an average divides the noise of a participant by "
    "their number",
    _NEEDS,
    _offsets,
    over_rounds=True,
    kinds=(ABSENT,),
)
OWN_GRADIENTS = Lemma(
    "gradients at the stored models",
    "mean_i ||c_i||^2 <= L^2 mean_i ||x_i - x||^2",
    "the losses are smooth; $x_i - x = v_i - v$",
    ("smooth", "equal-weights"),
    _own,
    kinds=(ABSENT,),
)
OWN_AUXILIARY = Lemma(
    "gradients at the stored and the auxiliary models",
    "mean_i ||f_i||^2 <= L^2 mean_i ||v_i||^2",
    "the losses are smooth; $v_i = x_i - z$",
    ("smooth", "equal-weights"),
    _own_auxiliary,
    kinds=(ABSENT,),
)
MIXING = Lemma(
    "mixing of clients that are rarely absent",
    "rho <= 1 - q^2, times sigma^2 or kappa^2",
    "of x with sum 0, x' (I - E W) x is $sum_{i<j} E[1_i 1_j/|S|] (x_i - x_j)^2$, of which $sum_{i<j} (x_i - "
    "x_j)^2 = m ||x||^2$ and $E[1_i 1_j/|S|] >= q^2/m$",
    ("changing-availability",),
    _mixing,
    kinds=(ABSENT,),
)
AUXILIARY_DISSIMILARITY = Lemma(
    "dissimilarity at the auxiliary model",
    "mean_i ||A_i||^2 <= beta^2 ||A||^2 + kappa^2",
    "the assumption, which holds at every point",
    ("beta-kappa-dissimilarity", "equal-weights"),
    _dissimilarity,
    kinds=(ABSENT,),
)
OWN_BIAS = Lemma(
    "bias of local steps from the stored models",
    "mean_i ||b_i||^2 <= eta^2 L^2 (tau - 1)^2 (p mean_i ||grad F_i(x_i)||^2 + q sigma^2/tau) for "
    "eta L (tau - 1) <= h",
    "as the bias of local steps, at the model from which they start",
    ("smooth", "bounded-noise", "common-local-steps"),
    _bias,
    kinds=(ABSENT,),
)
