r"""Assumptions and claims that theorems share, each stated once.

"Bounded dissimilarity" has three readings, and theorems differ in which they need:
D1, every client's gradient is within sigma_g of the mean gradient; D2, it is so in the mean square
over clients; D3, sum_i w_i ||grad F_i||^2 <= beta^2 ||grad F||^2 + kappa^2. D1 implies D2, and D2 is
D3 with beta = 1. Neither D1 nor D2 holds on all of space for quadratics with different Hessians; the proofs
here evaluate it at the server's iterates only, so it may be measured along the trajectory.
"""

from boundkit.algebra.claim import Assumption, Claim
from boundkit.algebra.dimension import GRADIENT, LENGTH, LOSS, ONE

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
BOUNDED_BELOW = Assumption(
    "bounded-below", "the objective of the bound has a finite infimum", r"F_{\inf} > -\infty"
)
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
    "equal-weights", "the objective weights all clients equally", r"F = \frac1m \sum_{i=1}^m F_i"
)
COMMON_STEPS = Assumption(
    "common-local-steps", "every client takes the same number of local steps in every round", r"\tau_i = \tau"
)
FULL_PARTICIPATION = Assumption(
    "full-participation", "all clients participate in every round", r"S_t = \{1, \dots, m\}"
)
PARTIAL_PARTICIPATION = Assumption(
    "partial-participation",
    "C m clients participate in a round, sampled uniformly without replacement, independently over rounds",
    r"S_t \subset \{1, \dots, m\}, \quad |S_t| = C m",
)
SERVER_STEP_ONE = Assumption("server-step-one", "the server step size is 1", r"\eta_s = 1")
ONE_LOCAL_STEP = Assumption("one-local-step", "clients average after every gradient", r"\tau = 1")


POLYAK_LOJASIEWICZ = Assumption(
    "polyak-lojasiewicz",
    "the mean loss satisfies the Polyak-Lojasiewicz inequality, so that a small gradient implies a small gap",
    r"\|\nabla F(x)\|^2 \ge 2 \mu_{PL} (F(x) - F^*)",
)
RELAXED_SMOOTH = Assumption(
    "relaxed-smooth",
    "every client's loss is (L0, L1)-smooth: its curvature may grow with its gradient",
    r"\|\nabla^2 F_i(x)\| \le L_0 + L_1 \|\nabla F_i(x)\|",
)
RELAXED_SMOOTH_MEAN = Assumption(
    "relaxed-smooth-mean",
    "the mean loss is (L0, L1)-smooth: its curvature may grow with its gradient",
    r"\|\nabla^2 F(x)\| \le L_0 + L_1 \|\nabla F(x)\|",
)
BOUNDED_NEGATIVE_CURVATURE = Assumption(
    "bounded-negative-curvature",
    "the Hessian of every client's loss is at least -L_minus",
    r"\nabla^2 F_i(x) \succeq -L_- I",
)
QUADRATIC = Assumption("quadratic", "every client's loss is a quadratic", r"\nabla^2 F_i(x) = H_i")
LIPSCHITZ_HESSIAN = Assumption(
    "lipschitz-hessian",
    "every client's loss has a Hessian with Lipschitz constant third",
    r"\|\nabla^2 F_i(x) - \nabla^2 F_i(y)\| \le M_3 \|x - y\|",
)
HESSIAN_DISSIMILARITY = Assumption(
    "hessian-dissimilarity",
    "the clients' Hessians at the optimum are at most delta_hess from their mean, in the root mean square of "
    "spectral norms",
    r"\sum_i p_i \|\nabla^2 F_i(x^*) - \nabla^2 F(x^*)\|^2 \le \delta_H^2",
)
NO_NOISE = Assumption("no-noise", "clients compute full gradients", r"g_i(x) = \nabla F_i(x)")
ALMOST_SURE_NOISE = Assumption(
    "almost-sure-noise",
    "stochastic gradients are unbiased and never further than sigma from the gradient",
    r"\|g_i(x) - \nabla F_i(x)\| \le \sigma",
)
SYMMETRIC_NOISE = Assumption(
    "symmetric-noise",
    "the noise of a stochastic gradient is symmetric about 0 and unimodal",
    r"g_i(x) - \nabla F_i(x) \sim -(g_i(x) - \nabla F_i(x))",
)
SHUFFLED_PARTS = Assumption(
    "shuffled-parts",
    "a client passes once a round through its tau parts in a random order, and the gradient of a part is "
    "never further than sigma from the client's",
    r"F_i = \frac1\tau \sum_{j=1}^\tau f_{ij}, \quad \|\nabla f_{ij}(x) - \nabla F_i(x)\| \le \sigma",
)
COORDINATE_NOISE = Assumption(
    "coordinate-noise",
    "stochastic gradients are unbiased with bounded variance in every coordinate, sigma^2 in all",
    r"\mathbb{E}\,(g_i(x) - \nabla F_i(x))_j^2 \le \sigma_j^2, \quad \sum_j \sigma_j^2 = \sigma^2",
)
BOUNDED_GRADIENTS = Assumption(
    "bounded-gradients",
    "stochastic gradients have a second moment of at most G^2 along the trajectory",
    r"\mathbb{E}\|g_i(x)\|^2 \le G^2",
)
BOUNDED_COORDINATES = Assumption(
    "bounded-coordinates",
    "no coordinate of a stochastic gradient exceeds G_inf",
    r"|g_i(x)_j| \le G_\infty",
)
HOMOGENEOUS_CLIENTS = Assumption("alike-clients", "all clients draw from the same data", r"F_i = F")
CLIENTWISE_DISSIMILARITY = Assumption(
    "clientwise-dissimilarity",
    "every client's gradient is within sigma_g of the mean gradient (reading D1), at the server's iterates",
    r"\|\nabla F_i(x_t) - \nabla F(x_t)\|^2 \le \sigma_g^2",
)
BETA_KAPPA_DISSIMILARITY = Assumption(
    "beta-kappa-dissimilarity",
    "the weighted mean square of the clients' gradients is at most beta^2 times the square of their "
    "weighted mean plus kappa^2 (reading D3), at the server's iterates",
    r"\sum_i w_i \|\nabla F_i(x_t)\|^2 \le \beta^2 \|\sum_i w_i \nabla F_i(x_t)\|^2 + \kappa^2",
)
LOCAL_DISSIMILARITY = Assumption(
    "local-dissimilarity",
    "the mean square of the clients' gradients is at most beta^2 times the square of their mean "
    "(reading D3 with kappa = 0), wherever that mean is not 0",
    r"\sum_i p_i \|\nabla F_i(x_t)\|^2 \le \beta^2 \|\nabla F(x_t)\|^2",
)
SURROGATE_DISSIMILARITY = Assumption(
    "surrogate-dissimilarity",
    "the clients' gradients differ from the gradient of the surrogate by at most sigma_g in the weighted "
    "mean square, at the server's iterates",
    r"\sum_i w_i \|\nabla F_i(x_t) - \nabla \tilde F(x_t)\|^2 \le \sigma_g^2",
)
NORM_DISSIMILARITY = Assumption(
    "norm-dissimilarity",
    "every client's gradient is within zeta + rho_zeta times the norm of the mean gradient of it",
    r"\|\nabla F_i(x) - \nabla F(x)\| \le \zeta + \rho_\zeta \|\nabla F(x)\|",
)
OPTIMUM_DISSIMILARITY = Assumption(
    "optimum-dissimilarity",
    "the clients' gradients at the optimum have a mean square of at most sigma_star^2",
    r"\frac1m \sum_{i=1}^m \|\nabla F_i(x^*)\|^2 \le \sigma_*^2",
)
CLUSTER_DISSIMILARITY = Assumption(
    "cluster-dissimilarity",
    "every client's gradient is within sigma_c of the mean gradient of its cluster",
    r"\|\nabla F_i(x) - \nabla F_{c(i)}(x)\|^2 \le \sigma_c^2",
)
GROUP_DISSIMILARITY = Assumption(
    "group-dissimilarity",
    "every group's gradient is within sigma_between of the mean gradient where a cycle starts, and inside "
    "a group the clients' gradients differ from the group's by at most sigma_within in mean square",
    r"\|\nabla F_g(x) - \nabla F(x)\| \le \sigma_b, \quad "
    r"\frac1{|g|} \sum_{i \in g} \|\nabla F_i(x) - \nabla F_g(x)\|^2 \le \sigma_w^2",
)
WEIGHTED_OBJECTIVE = Assumption(
    "weighted-objective", "the objective weights client i by p_i", r"F = \sum_i p_i F_i"
)
REPLACEMENT = Assumption(
    "sampling-with-replacement",
    "C m clients are sampled with replacement, client i with probability p_i, and averaged with repetition",
    r"\mathbb{P}(i) = p_i, \quad x_{t+1} = \frac{1}{C m} \sum_{i \in S_t} x_i",
)
UNBIASED_SAMPLING = Assumption(
    "unbiased-sampling",
    "the server weighs client i by W_i, random with mean p_i, drawn afresh in each round and independent of "
    "the noise; sampling_spread and sampling_slack bound the variance of a weighted sum, share_noise is the "
    "sum of the mean W_i^2",
    r"\mathbb{E} W_i = p_i, \quad x_{t+1} = x_t + \eta_s \sum_i W_i \Delta_i, \quad "
    r"\mathbb{E}\left\|\sum_i (W_i - p_i) u_i\right\|^2 \le \Lambda \sum_i p_i \|u_i\|^2 - "
    r"\nu \left\|\sum_i p_i u_i\right\|^2, \quad N = \sum_i \mathbb{E} W_i^2",
)
SAMPLING_ERROR = Assumption(
    "sampling-error",
    "the weighted sum of the sampled clients' gradients differs from its mean by at most sampling_error in "
    "mean square, at the server's iterates",
    r"\mathbb{E}\left\|\sum_i (W_i - p_i) \nabla F_i(x_t)\right\|^2 \le S^2",
)
BIASED_SELECTION = Assumption(
    "biased-selection",
    "C m clients are selected by their losses at the start of the round, with skews rho_bar and rho_tilde, "
    "and averaged equally",
    r"\rho(x, x') = \frac{\mathbb{E}\,\frac{1}{C m} \sum_{i \in S(x)} (F_i(x') - F_i^*)}"
    r"{F(x') - \sum_i p_i F_i^*}, \quad \bar\rho \le \rho(x, x'), \quad \rho(x, x^*) \le \tilde\rho",
)
DETERMINISTIC_SELECTION = Assumption(
    "deterministic-selection",
    "the server's model determines the selected clients, or clients average after every gradient",
    r"S_t = S(x_t) \text{ or } \tau = 1",
)
CYCLIC_GROUPS = Assumption(
    "cyclic-participation",
    "groups of equal size participate in a fixed order, by C m clients of the current group, sampled "
    "uniformly without replacement",
    r"S_t \subset g_{t \bmod \bar K}, \quad |S_t| = C m",
)
WHOLE_GROUPS = Assumption("whole-groups", "all clients of the current group participate", r"C m = m/\bar K")
KNOWN_AVAILABILITY = Assumption(
    "known-availability",
    "client i is available with a probability of at least availability, known to the server and independent "
    "over clients and rounds, and the server divides its update by that probability",
    r"\mathbb{P}(i \in S_t) = q_i^t \ge \delta, \quad x_{t+1} = x_t + \frac{\eta_s}{m} \sum_{i \in S_t} "
    r"\Delta_i / q_i^t",
)
BERNOULLI_AVAILABILITY = Assumption(
    "bernoulli-availability",
    "client i is available with probability q_i, independently over clients and rounds",
    r"\mathbb{P}(i \in S_t) = q_i",
)
CHANGING_AVAILABILITY = Assumption(
    "changing-availability",
    "every client is available with a probability of at least availability, which may change between "
    "rounds, independently over clients and rounds",
    r"\mathbb{P}(i \in S_t) = q_i^t \ge \delta",
)
BOUNDED_ABSENCE = Assumption(
    "bounded-absence",
    "every client participates in the first round, and is unavailable for at most staleness rounds",
    r"t - \max\{s \le t : i \in S_s\} \le d_{\max}",
)
INITIAL_UPDATES = Assumption(
    "initial-updates",
    "the server has an update of every client, computed at the initial model, before its first step",
    r"y_i^0 = g_i(x_0) \text{ for all } i",
)
AVERAGE_OVER_ALL = Assumption(
    "average-over-all",
    "the server divides the sum of the received updates by the number of all clients",
    r"x_{t+1} = x_t + \frac{\eta_s}{m} \sum_{i \in S_t} \Delta_i",
)
AVERAGE_OVER_PRESENT = Assumption(
    "average-over-present",
    "the server averages the updates of the participating clients, and keeps its model in a round without "
    "participants",
    r"x_{t+1} = x_t + \frac{\eta_s}{|S_t|} \sum_{i \in S_t} \Delta_i",
)
FIXED_WEIGHTS = Assumption(
    "fixed-weights",
    "the server multiplies what client i sends by omega_i, and divides by the number of all clients",
    r"x_{t+1} = x_t + \frac{\eta_s}{m} \sum_{i \in S_t} \omega_i \Delta_i",
)
INTERVAL_WEIGHTS = Assumption(
    "interval-weights",
    "the weight of a client is the mean interval between its participations, each interval truncated at "
    "cutoff, and the server divides by the number of all clients",
    r"\omega_i \to \mathbb{E} \min(\text{interval}_i, K_{cut})",
)
BOUNDED_STALENESS = Assumption(
    "bounded-staleness",
    "a gradient is at most staleness steps old, whatever its noise is",
    r"x_{t+1} = x_t - \eta\, g(x_{t - d_t}), \quad 0 \le d_t \le d_{\max}",
)
ONE_CLIENT_DRAWN = Assumption(
    "one-client-drawn",
    "every gradient is that of a client drawn uniformly, independently of the past and of the gradient's age",
    r"\mathbb{P}(i_t = i) = 1/m",
)
GENERAL_SOLVER = Assumption(
    "general-local-solver",
    "client i sends eta times a weighted sum of its gradients, with weights a_i >= 0 that may differ",
    r"\Delta_i = -\eta\, G_i a_i",
)
PLAIN_LOCAL_STEPS = Assumption(
    "plain-local-steps",
    "client i takes tau_i SGD steps of one size",
    r"\Delta_i = -\eta \sum_{k<\tau_i} g_i(x_i^k)",
)
INEXACT_PROXIMAL = Assumption(
    "inexact-proximal-minimisers",
    "a participating client returns a point at which the gradient of its proximal objective is at most "
    "inexactness times what it was at the round's start",
    r"\|\nabla F_i(x_i) + \mu_p (x_i - x_t)\| \le \gamma_{in} \|\nabla F_i(x_t)\|",
)
EXACT_MINIMISERS = Assumption(
    "exact-proximal-minimisers",
    "clients return exact minimisers of their loss with a proximal term and a linear correction, whose first "
    "value is 0",
    r"\nabla F_i(y_i) - G_i + \mu_p (y_i - x_t) = 0",
)
SIMILAR_SOLVER = Assumption(
    "similar-solver",
    "the Hessian of the client that solves is at most mu_prox from the mean Hessian, and mu_prox is the "
    "weight of its proximal term",
    r"\|\nabla^2 F_1(x) - \nabla^2 F(x)\| \le \mu_p",
)
LOCAL_GRADIENT_CONTROLS = Assumption(
    "controls-of-local-gradients",
    "a client's control is the mean of its local gradients of its last participation (option II), "
    "and the server's is the mean of the clients'",
    r"c_i^+ = \frac1\tau \sum_{k<\tau} g_i(x_i^k), \quad c = \frac1m \sum_{i=1}^m c_i",
)
COMMON_EXCHANGE = Assumption(
    "common-exchange",
    "after every local step all clients exchange their models with the same probability, or none does, by a "
    "coin that is independent of the past",
    r"\mathbb{P}(S_t = \{1, \dots, m\}) = p_e = 1 - \mathbb{P}(S_t = \emptyset)",
)
GOSSIP = Assumption(
    "gossip",
    "clients average their models by a symmetric, doubly stochastic matrix that keeps at most gossip of "
    "their spread",
    r"x_i \leftarrow \sum_j W_{ij} x_j, \quad \|W - J\| \le \rho_W",
)
CONTRACTIVE_COMPRESSION = Assumption(
    "contractive-compression",
    "what a client sends keeps at least comp_keep of the squared norm of what it would send",
    r"\|Q(v) - v\|^2 \le (1 - \alpha_Q) \|v\|^2",
)
UNBIASED_COMPRESSION = Assumption(
    "unbiased-compression",
    "every client compresses its update at random, independently of all else, without bias, and with a "
    "variance of at most comp_noise times its squared norm",
    r"\mathbb{E} Q(v) = v, \quad \mathbb{E}\|Q(v) - v\|^2 \le \omega_Q \|v\|^2",
)
CLIPPED_UPDATES = Assumption(
    "clipped-updates",
    "every client scales its update down to the length clip where it is longer; the mean over the clients of "
    "the length that is lost, over that of the local steps, is clip_excess in the root mean square over "
    "rounds",
    r"\Delta_i \min(1, \gamma/\|\Delta_i\|), \quad \frac1T \sum_{t<T} \mathbb{E}\Big(\frac1m \sum_{i=1}^m "
    r"\frac{(\|\Delta_i\| - \gamma)_+}{\eta\tau}\Big)^2 \le b_\gamma^2",
)
GAUSSIAN_MECHANISM = Assumption(
    "gaussian-mechanism",
    "the server adds independent normal noise to the mean update, of the standard deviation privacy_noise "
    "times clip over m in every coordinate",
    r"\frac1m \sum_{i=1}^m \Delta_i + \frac{z\gamma}{m} N, \quad N \sim \mathcal{N}(0, I_d)",
)
ROBUST_AGGREGATION = Assumption(
    "robust-aggregation",
    "the server's aggregate of all updates, the Byzantine ones included, differs from the mean of the honest "
    "ones by at most robustness times their mean squared deviation; m and F are those of the honest clients",
    r"\left\|A(z_1, \dots, z_n) - \bar z\right\|^2 \le \kappa_A \frac1m \sum_{i=1}^m \|z_i - \bar z\|^2, "
    r"\quad \bar z = \frac1m \sum_{i=1}^m z_i",
)
SERVER_STEP_AT_LEAST_ONE = Assumption(
    "server-step-at-least-one", "the server's step is at least 1", r"\eta_s \ge 1"
)
ADAPTIVE_SERVER_STEP = Assumption(
    "adaptive-server-step",
    "the server's step is at least 1, and its square times the squared mean update is at most the step "
    "times the mean squared update",
    r"\eta_s^t \ge 1, \quad \eta_s^t \|\bar\Delta\|^2 \le \frac1m \sum_i \|\Delta_i\|^2",
)
DECAYING_STEP = Assumption(
    "decaying-step",
    "the client's step decays with the number of local steps since the start, as a remark states",
    r"\eta_t \propto \frac{1}{t + \gamma}",
)
CONSTANT_MOMENTUM = Assumption(
    "constant-momentum", "the momentum of the server is the same in every round", r"\beta_t = \beta_s"
)
INCREASING_MOMENTUM = Assumption(
    "increasing-momentum", "the momentum of the server in round t is t/(t + 3)", r"\beta_t = t/(t+3)"
)
SMOOTH_MEAN = Assumption(
    "smooth-mean", "the mean loss has an L-Lipschitz gradient",
    r"\|\nabla F(x) - \nabla F(y)\| \le L \|x - y\|",
)  # fmt: skip
UNIFORM_DISSIMILARITY = Assumption(
    "uniform-dissimilarity",
    "every client's gradient is within sigma_g of the mean gradient (reading D1), at all local iterates",
    r"\|\nabla F_i(x) - \nabla F(x)\| \le \sigma_g",
)
WEIGHTED_DISSIMILARITY = Assumption(
    "weighted-dissimilarity",
    "the clients' gradients differ from the gradient of the objective by at most sigma_g in the mean square "
    "weighted as the objective is, at the server's iterates",
    r"\sum_i p_i \|\nabla F_i(x_t) - \nabla F(x_t)\|^2 \le \sigma_g^2",
)
CLIENTWISE_NOISE = Assumption(
    "clientwise-noise",
    "stochastic gradients are unbiased with variance at most sigma_i^2 at client i, independent over clients "
    "and steps",
    r"\mathbb{E}\, g_i(x) = \nabla F_i(x), \quad \mathbb{E}\|g_i(x) - \nabla F_i(x)\|^2 \le \sigma_i^2",
)
SYNCHRONOUS_CLOCK = Assumption(
    "synchronous-clock",
    "a local step takes step_time, the time of the slowest client, and an exchange takes delay",
    r"W = T (\tau y + d_c)",
)
OVERLAPPED_CLOCK = Assumption(
    "overlapped-clock",
    "an exchange of length delay runs while clients take their next local steps, each of length step_time",
    r"W = T \max(\tau y, d_c)",
)
ASYNCHRONOUS_CLOCK = Assumption(
    "asynchronous-clock",
    "each of m clients sends a gradient every step_time + delay, without waiting",
    r"W = T (y + d_c)/m",
)

OPPOSITE_CURVATURES = Assumption(
    "opposite-curvatures",
    "there are two clients on a line, quadratics of curvature L and -(1 - eta L tau) L, and the run starts "
    "at the fixed point of FedAvg",
    r"F_i(x) = \tfrac{h_i}{2} (x - e_i)^2, \quad h = (L, -(1 - \eta L \tau) L), \quad x_0 = \Phi(x_0)",
)
ONE_STIFF_CLIENT = Assumption(
    "one-stiff-client",
    "on a line, client 1 is a quadratic of curvature L and all others are one quadratic of curvature mu, and "
    "the run starts at the fixed point of FedAvg",
    r"F_i(x) = \tfrac{h_i}{2} (x - e_i)^2, \quad h = (L, \mu, \dots, \mu), \quad x_0 = \Phi(x_0)",
)
ONE_PIECEWISE_CLIENT = Assumption(
    "one-piecewise-client",
    "on a line, client 1 has curvature mu up to a third of the way of its local steps and L beyond, all "
    "others are one quadratic of curvature mu, and the run starts at the fixed point of FedAvg",
    r"F_1'' (x) = \mu \text{ or } L, \quad F_i'' (x) = \mu, \quad x_0 = \Phi(x_0)",
)
RARE_JUMPS = Assumption(
    "rare-jumps",
    "all clients have one loss on a line, whose curvature is 0 or mu up to a point and L beyond, the run "
    "starts half a jump before that point, and the noise is a rare jump forwards or a small step backwards",
    r"F'' (x) = L \text{ for } x > x_0 + u/2, \quad y^{k+1} - y^k + \eta F'(y^k) \in \{u, -p u/(1 - p)\}",
)
CONSTANT_SLOPE = Assumption(
    "constant-slope",
    "all clients have one Huber loss of curvature L on a line, and the run is on its linear part until "
    "x_{T-1}, where that ends",
    r"F_i' (x) = \min(L x, g), \quad x_{T-1} = g/L",
)
HUBER_WITH_LINEAR_TERMS = Assumption(
    "huber-with-linear-terms",
    "on a line, the clients share one Huber loss, whose slopes are small, half of them have a linear term "
    "besides and the others its negative, and the run starts at the optimum",
    r"F_i(x) = H(x) \pm \sigma_g x, \quad H'(x) = \min(\max(L x, -g), g)",
)
SHARED_CURVATURE = Assumption(
    "shared-curvature",
    "the clients' losses are quadratics of one curvature L in every direction",
    r"F_i(x) = \tfrac{L}{2} \|x - e_i\|^2",
)

# Assumptions that occur together

NONCONVEX = (SMOOTH, BOUNDED_BELOW)
"""Smooth losses with an objective that is bounded below."""
NONCONVEX_NOISY = (*NONCONVEX, BOUNDED_NOISE)
"""Smooth losses with an objective that is bounded below, and stochastic gradients."""
CONVEX_NOISY = (SMOOTH, CONVEX, BOUNDED_NOISE)
"""Smooth convex losses with stochastic gradients."""
STRONGLY_CONVEX_NOISY = (SMOOTH, STRONGLY_CONVEX, BOUNDED_NOISE)
"""Smooth strongly convex losses with stochastic gradients."""
ALL_CLIENTS = (EQUAL_WEIGHTS, FULL_PARTICIPATION, COMMON_STEPS, SERVER_STEP_ONE)
"""FedAvg with all clients in every round, equally weighted."""
SAMPLED_CLIENTS = (EQUAL_WEIGHTS, PARTIAL_PARTICIPATION, COMMON_STEPS)
"""FedAvg with clients sampled uniformly without replacement, equally weighted."""
WEIGHTED_CLIENTS = (WEIGHTED_DISSIMILARITY, WEIGHTED_OBJECTIVE, UNBIASED_SAMPLING, COMMON_STEPS)
"""FedAvg with clients of any weights, sampled in any unbiased way."""
SELECTED_CLIENTS = (BOUNDED_GRADIENTS, WEIGHTED_OBJECTIVE, BIASED_SELECTION)
"""FedAvg with clients selected by their losses."""
LINEAR_SOLVERS = (BETA_KAPPA_DISSIMILARITY, WEIGHTED_OBJECTIVE, FULL_PARTICIPATION, GENERAL_SOLVER)
"""Clients whose updates are weighted sums of gradients, as in FedNova."""

# Claims

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

LAST_LOSS_GAP = Claim(
    name="last loss gap",
    latex=r"\mathbb{E}\,F(x_T) - F^*",
    plain="E F(x_T) - F*",
    observable="loss_gap",
    summary="last",
    dimension=LOSS,
)
LAST_DISTANCE = Claim(
    name="last distance",
    latex=r"\|x_T - x^*\|",
    plain="||x_T - x*||",
    observable="distance",
    summary="last",
    dimension=LENGTH,
)
SURROGATE_GRADIENT = Claim(
    name="mean squared gradient of the surrogate",
    latex=r"\frac1T \sum_{t=0}^{T-1} \mathbb{E}\|\nabla \tilde F(x_t)\|^2",
    plain="(1/T) sum_{t<T} E||grad Ft(x_t)||^2",
    observable="surrogate_gradient_norm_squared",
    summary="average",
    dimension=GRADIENT**2,
)
WEIGHTED_SQUARED_GRADIENT = Claim(
    name="weighted mean squared gradient",
    latex=r"\frac{\sum_{t<T} s_t\, \mathbb{E}\|\nabla F(x_t)\|^2}{\sum_{t<T} s_t}",
    plain="sum_{t<T} s_t E||grad F(x_t)||^2 / sum_{t<T} s_t",
    observable="gradient_norm_squared",
    summary="weighted",
    dimension=GRADIENT**2,
)
WEIGHTED_ITERATE_LOSS_GAP = Claim(
    name="loss gap of the weighted iterate",
    latex=r"F\Bigl(\frac{\sum_{t<T} s_t x_t}{\sum_{t<T} s_t}\Bigr) - F^*",
    plain="F(sum_{t<T} s_t x_t / sum_{t<T} s_t) - F*",
    observable="weighted_iterate_loss_gap",
    summary="last",
    dimension=LOSS,
)
VIRTUAL_SQUARED_GRADIENT = Claim(
    name="mean squared gradient at the virtual average",
    latex=r"\frac{1}{\tau T} \sum_{k=0}^{\tau T-1} \mathbb{E}\|\nabla F(\bar x_k)\|^2",
    plain="(1/(tau T)) sum_{k<tau T} E||grad F(mean_i x_i^k)||^2",
    observable="virtual_gradient_norm_squared",
    summary="average",
    dimension=GRADIENT**2,
)
VIRTUAL_LOSS_GAP = Claim(
    name="mean loss gap at the virtual average",
    latex=r"\frac{1}{\tau T} \sum_{k=1}^{\tau T} \mathbb{E}\,F(\bar x_k) - F^*",
    plain="(1/(tau T)) sum_{k<=tau T} E F(mean_i x_i^k) - F*",
    observable="virtual_loss_gap",
    summary="average",
    dimension=LOSS,
)
LOCAL_AVERAGE_LOSS_GAP = Claim(
    name="mean loss gap at the averages of the local models",
    latex=r"\frac{1}{\tau T} \sum_{t<T} \sum_{k<\tau} \mathbb{E}\,F(\bar x_t^k) - F^*",
    plain="(1/(tau T)) sum_{t<T, k<tau} E F(mean_i x_i^{t,k}) - F*",
    observable="virtual_start_loss_gap",
    summary="average",
    dimension=LOSS,
)
LAST_MEAN_MODEL_LOSS_GAP = Claim(
    name="loss gap of the mean of the last local models",
    latex=r"\mathbb{E}\,F(y_T) - F^*, \quad y_T = \tfrac1m \sum_{i=1}^m x_i^{T-1,\tau}",
    plain="E F(y_T) - F*, y_T = mean_i x_i^{T-1,tau}",
    observable="mean_model_loss_gap",
    summary="last",
    dimension=LOSS,
)
MEAN_MODEL_SQUARED_GRADIENT = Claim(
    name="mean squared gradient at the mean of all models",
    latex=r"\frac1T \sum_{t=0}^{T-1} \mathbb{E}\|\nabla F(\bar x_t)\|^2",
    plain="(1/T) sum_{t<T} E||grad F(mean_i x_i^t)||^2",
    observable="mean_model_gradient_norm_squared",
    summary="average",
    dimension=GRADIENT**2,
)
AUXILIARY_SQUARED_GRADIENT = Claim(
    name="mean squared gradient at the auxiliary sequence",
    latex=r"\frac1T \sum_{t=0}^{T-1} \mathbb{E}\|\nabla F(\bar z_t)\|^2",
    plain="(1/T) sum_{t<T} E||grad F(z_t)||^2",
    observable="auxiliary_gradient_norm_squared",
    summary="average",
    dimension=GRADIENT**2,
)
CONSENSUS = Claim(
    name="mean spread of the models, times L^2",
    latex=r"\frac{L^2}{T} \sum_{t=0}^{T-1} \frac1m \sum_{i=1}^m \mathbb{E}\|x_i^t - \bar x_t\|^2",
    plain="(L^2/T) sum_{t<T} mean_i E||x_i^t - mean_j x_j^t||^2",
    observable="scaled_spread",
    summary="average",
    dimension=GRADIENT**2,
)
LIMIT_SQUARED_GRADIENT = Claim(
    name="squared gradient in the limit",
    latex=r"\lim_{\eta \to 0} \lim_{T \to \infty} \|\nabla F(\mathbb{E}\, x_T)\|^2",
    plain="lim_{eta->0} lim_{T->inf} ||grad F(E x_T)||^2",
    observable="gradient_norm_squared",
    summary="limit",
    dimension=GRADIENT**2,
)
SURROGATE_STATIONARY_GRADIENT = Claim(
    name="squared gradient where the surrogate has none",
    latex=r"\|\nabla F(\tilde x)\|^2, \quad \nabla \tilde F(\tilde x) = 0,",
    plain="||grad F(xt)||^2 where grad Ft(xt) = 0",
    observable="gradient_norm_squared",
    summary="limit",
    dimension=GRADIENT**2,
)
LIMIT_DISTANCE = Claim(
    name="distance in the limit",
    latex=r"\lim_{T \to \infty} \|x_T - x^*\|",
    plain="lim_{T->inf} ||x_T - x*||",
    observable="distance",
    summary="limit",
    dimension=LENGTH,
)
CLIPPED_DECREASE = Claim(
    name="mean clipped decrease",
    latex=r"\frac1T \sum_{t=0}^{T-1} \min(\eta \|\nabla F(x_t)\|^2, \gamma \|\nabla F(x_t)\|)",
    plain="(1/T) sum_{t<T} min(eta ||grad F(x_t)||^2, clip ||grad F(x_t)||)",
    observable="clipped_decrease",
    summary="average",
    dimension=LOSS,
)
ROUNDS_TO_TARGET = Claim(
    name="rounds to a small gradient",
    latex=r"\min\{t : \mathbb{E}\|\nabla F(x_t)\| \le \epsilon\}",
    plain="min{t : E||grad F(x_t)|| <= target}",
    observable="gradient_norm",
    summary="first",
    dimension=ONE,
)

ASSUMPTIONS: dict[str, Assumption] = {a.name: a for a in list(vars().values()) if isinstance(a, Assumption)}
"""Every assumption by its keyword."""

CLAIMS: dict[str, Claim] = {c.name: c for c in list(vars().values()) if isinstance(c, Claim)}
"""Every claim by its name."""
