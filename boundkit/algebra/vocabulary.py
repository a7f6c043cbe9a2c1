r"""Assumptions and claims that theorems share, each said once.

"Bounded dissimilarity" has three readings, and theorems differ in which they need:
D1, every client's gradient is within sigma_g of the mean gradient; D2, it is so in the mean square
over clients; D3, sum_i w_i ||grad F_i||^2 <= beta^2 ||grad F||^2 + kappa^2. D1 implies D2, and D2 is
D3 with beta = 1. No D1 or D2 holds on all of space for quadratics with unlike Hessians; the proofs
here evaluate it at the server's iterates only, so it may be measured along the trajectory.
"""

from boundkit.algebra.assumption import Assumption
from boundkit.algebra.claim import Claim
from boundkit.algebra.dimension import GRADIENT, LENGTH, LOSS

SMOOTH = Assumption(
    "smooth",
    "every client's loss has an L-Lipschitz gradient",
    r"\|\nabla F_i(x) - \nabla F_i(y)\| \le L \|x - y\|",
)
CONVEX = Assumption(
    "convex",
    "every client's loss is convex, and the mean loss attains its minimum",
    r"F_i(y) \ge F_i(x) + \langle \nabla F_i(x), y - x\rangle",
)
STRONGLY_CONVEX = Assumption(
    "strongly-convex",
    "every client's loss is mu-strongly convex",
    r"F_i(y) \ge F_i(x) + \langle \nabla F_i(x), y - x\rangle + \tfrac{\mu}{2}\|y - x\|^2",
)
BOUNDED_BELOW = Assumption("bounded-below", "the mean loss has a finite infimum", r"F_{\inf} > -\infty")
BOUNDED_NOISE = Assumption(
    "bounded-noise",
    "stochastic gradients are unbiased with variance at most sigma^2, independent over clients and steps",
    r"\mathbb{E}\, g_i(x) = \nabla F_i(x), \quad \mathbb{E}\|g_i(x) - \nabla F_i(x)\|^2 \le \sigma^2",
)
BOUNDED_DISSIMILARITY = Assumption(
    "bounded-dissimilarity",
    "the clients' gradients differ from their mean by at most sigma_g in mean square (reading D2), "
    "at the server's iterates",
    r"\frac1m \sum_{i=1}^m \|\nabla F_i(x_t) - \nabla F(x_t)\|^2 \le \sigma_g^2",
)
EQUAL_WEIGHTS = Assumption(
    "equal-weights", "the objective weighs all clients alike", r"F = \frac1m \sum_{i=1}^m F_i"
)
COMMON_STEPS = Assumption(
    "common-local-steps", "every client takes the same number of local steps in every round", r"\tau_i = \tau"
)
FULL_PARTICIPATION = Assumption(
    "full-participation", "all clients take part in every round", r"S_t = \{1, \dots, m\}"
)
PARTIAL_PARTICIPATION = Assumption(
    "partial-participation",
    "C m clients take part in a round, drawn uniformly without replacement, afresh each round",
    r"S_t \subset \{1, \dots, m\}, \quad |S_t| = C m",
)
SERVER_STEP_ONE = Assumption("server-step-one", "the server takes the average as it is", r"\eta_s = 1")
ONE_LOCAL_STEP = Assumption("one-local-step", "clients average after every gradient", r"\tau = 1")

MEAN_SQUARED_GRADIENT = Claim(
    name="mean squared gradient",
    latex=r"\frac1T \sum_{t=0}^{T-1} \mathbb{E}\|\nabla F(x_t)\|^2",
    plain="(1/T) sum_{t<T} E||grad F(x_t)||^2",
    observable="gradient_norm_squared",
    summary="average",
    dimension=GRADIENT**2,
)
MEAN_LOSS_GAP = Claim(
    name="mean loss gap",
    latex=r"\frac1T \sum_{t=0}^{T-1} \mathbb{E}\,F(x_t) - F^*",
    plain="(1/T) sum_{t<T} E F(x_t) - F*",
    observable="loss_gap",
    summary="average",
    dimension=LOSS,
)
LAST_SQUARED_DISTANCE = Claim(
    name="last squared distance",
    latex=r"\mathbb{E}\|x_T - x^*\|^2",
    plain="E||x_T - x*||^2",
    observable="distance_squared",
    summary="last",
    dimension=LENGTH**2,
)
