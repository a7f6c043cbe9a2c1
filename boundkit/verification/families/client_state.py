"""Client state: stored updates (FedVARP, ClusterFedVARP), control variates (SCAFFOLD, VRL-SGD).

Few clients, so that moments are exact. All means over clients have equal weights, as in these theorems.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from math import comb, sqrt

import numpy as np

from boundkit.algebra import BoundkitError, Theorem, notation, vocabulary
from boundkit.analysis.evaluate import first_largest, geometric_sum
from boundkit.simulation.arrays import AnyArray, Array
from boundkit.simulation.constant import Constant
from boundkit.simulation.problems import Network, Problem, Quadratic, SmoothNonconvex
from boundkit.simulation.run import Run
from boundkit.verification.context import EvaluationContext
from boundkit.verification.dissimilarity import GroupDissimilarity
from boundkit.verification.family import MEASURED, AssumptionRule, Family, Sweeps
from boundkit.verification.instance import Instance, vary_instance

_ALGORITHMS = ("fedvarp", "clusterfedvarp", "scaffold", "vrlsgd")
_CLUSTER_SIZE = 2
"""Clients per cluster in a default instance."""
_CLIENTS = 6
_REPLICAS = 4000
_FIRST_ROUNDS = 20
_CLUSTERS = "clusters"
_SWEEP_CLIENTS = (4, 6, 8)
_SWEEP_FRACTIONS = (1 / 6, 1 / 3, 1 / 2)


def clusters_of(run: Run) -> list[list[int]]:
    """The clusters of a run; one client each where the algorithm has no such option."""
    given = run.algorithm.settings.get("clusters")
    return [[i] for i in range(run.problem.m)] if given is None else [list(c) for c in given]


def _clusters_of_one_size(theorem: Theorem, run: Run) -> str:
    sizes = sorted({len(cluster) for cluster in clusters_of(run)})
    if len(sizes) == 1:
        return ""
    return f"it needs clusters of one size, and those of the run have from {sizes[0]} to {sizes[-1]} clients"


def _with_clusters(theorem: Theorem, instance: Instance) -> Instance | None:
    """The instance with clusters of two neighbours, where it has no clusters of its own."""
    m = instance.problem.m
    if "clusters" in instance.options:
        return instance
    if m % _CLUSTER_SIZE:
        return None
    clusters = [list(range(i, i + _CLUSTER_SIZE)) for i in range(0, m, _CLUSTER_SIZE)]
    return replace(instance, options={**instance.options, "clusters": clusters})


def _controls_of_local_gradients(theorem: Theorem, run: Run) -> str:
    if run.algorithm.settings.get("variant") != "I":
        return ""
    return "its controls are means of local gradients (variant II), and those of the run are not (variant I)"


def _shared_hessian(noise: float = 0.5) -> Problem:
    return Quadratic.random(_CLIENTS, 2, 1, dense=True, shared=True, noise=noise, curvature=(0.2, 1.0))


def _heterogeneous(noise: float = 0.5, spread: float = 1.0) -> Problem:
    return Quadratic.random(_CLIENTS, 2, 2, dense=True, noise=noise, spread=spread, curvature=(0.1, 1.0))


def _steep() -> Problem:
    return Quadratic([4.0] * _CLIENTS, np.zeros((_CLIENTS, 1)))


def _nonconvex(noise: float) -> Problem:
    return SmoothNonconvex.random(_CLIENTS, 3, seed=4, noise=noise)


def _at_optimum(problem: Problem) -> np.ndarray:
    assert problem.optimum is not None
    return problem.optimum


def default_instances(theorem: Theorem) -> list[Instance] | None:
    """Those of ``_instances``, or at the step sizes that the theorem prescribes by a rule."""
    if theorem.algorithm not in _ALGORITHMS or theorem.kind == "order":
        return None
    return _instances_by_rule() if theorem.rules else _instances(theorem)


def _instances(theorem: Theorem) -> list[Instance]:
    """Also from the optimum, where only the initial state is wrong, and with one client per round."""
    far = _heterogeneous(noise=0.0, spread=3.0)
    third, half = 1 / 3, 0.5
    instances = [
        Instance("equal Hessians, noise", _shared_hessian(), 8, third, rounds=200),
        Instance("different Hessians, noise", _heterogeneous(), 8, third, eta_s=2.0, rounds=200),
        Instance("not convex, noise", _nonconvex(0.5), 4, half, rounds=150),
        Instance("different Hessians, no noise, many steps", far, 64, 1.0, rounds=100),
        Instance("different Hessians, one step", _heterogeneous(), 1, half, step=0.3, rounds=500),
        Instance("one client a round", far, 4, 1 / _CLIENTS, rounds=300),
        Instance("one round", far, 4, half, rounds=1),
        Instance("from the optimum, wrong memories", far, 16, third, rounds=40, x0=_at_optimum(far)),
        Instance("homogeneous clients, only the initial error", _steep(), 4, 1.0, rounds=20),
        Instance("at the error floor", _shared_hessian(), 8, third, step=0.1, rounds=2000),
        Instance("not convex, no noise", _nonconvex(0.0), 16, 1.0, step=0.3, rounds=60),
    ]
    if theorem.algorithm == "scaffold":
        exact = {"initial_controls": "gradient"}
        instances.append(Instance("right first controls", far, 16, half, rounds=60, options=exact))
        instances.append(
            Instance(
                "noisy first controls", _heterogeneous(1.0), 4, half, eta_s=2.0, rounds=60, options=exact
            )
        )
    if theorem.algorithm == "clusterfedvarp":
        pairs = np.repeat(np.arange(3.0) - 1, 2)[:, None] + 0.05 * np.tile([1.0, -1.0], 3)[:, None]
        instances.append(
            Instance("like neighbours", Quadratic([1.0] * _CLIENTS, pairs), 4, third, rounds=2000)
        )
        one = {"clusters": [list(range(_CLIENTS))]}
        instances.append(Instance("one cluster of all", _heterogeneous(), 4, third, rounds=200, options=one))
    if theorem.assumes("full-participation"):
        instances = [instance for instance in instances if instance.name != "one client a round"]
    if theorem.assumes("convex") or theorem.assumes("strongly-convex"):
        instances = [instance for instance in instances if instance.problem.convexity()[0]]
    return [
        replace(instance, x0=np.full(instance.problem.d, 2.0) if instance.x0 is None else instance.x0)
        for instance in instances
    ]


def _instances_by_rule() -> list[Instance]:
    """Step sizes that depend on T: half or all of the clients participate, so that T need not be large."""
    instances = (
        Instance("equal Hessians, noise", _shared_hessian(), 2, 0.5, rounds=300),
        Instance("different Hessians, noise", _heterogeneous(), 4, 0.5, rounds=300),
        Instance("not convex, noise", SmoothNonconvex.random(4, 2, seed=4, noise=0.5), 2, 0.5, rounds=300),
        Instance("different Hessians, no noise, many steps", _heterogeneous(0.0, 3.0), 16, 1.0, rounds=300),
        Instance("different Hessians, one step", _heterogeneous(), 1, 0.5, rounds=256),
        Instance("one client a round", Quadratic.random(3, 1, 3, spread=3.0), 1, 1 / 3, rounds=600),
        Instance("homogeneous clients, only the initial error", _steep(), 1, 1.0, rounds=100),
        Instance("much noise, many rounds", _shared_hessian(5.0), 2, 0.5, rounds=3000),
        Instance("not convex, no noise", SmoothNonconvex.random(4, 2, seed=4), 2, 1.0, rounds=200),
    )
    return [replace(instance, x0=np.full(instance.problem.d, 2.0)) for instance in instances]


def _gradients(context: EvaluationContext, x: Array) -> Array:
    """grad F_i(x) of every client, (m, d)."""
    return np.asarray(context.run.problem.client_gradients(x[None])[0])


def _mean_square(v: Array) -> float:
    return float((v**2).sum(axis=-1).mean())


def _gradients_start(context: EvaluationContext) -> Constant:
    value = _mean_square(_gradients(context, context.run.x0)) ** 0.5
    return Constant(value, "exact", "root of the mean of ||grad F_i(x_0)||^2")


def _control_error(context: EvaluationContext) -> Constant:
    run = context.run
    if run.algorithm.settings.get("initial_controls") == "gradient":
        sigma = context.constant("sigma")
        return Constant(sigma.value, sigma.trust, "first controls are stochastic gradients at x_0")
    return Constant(_gradients_start(context).value, "exact", "first controls are 0")


def _correction_error(context: EvaluationContext) -> Constant:
    run = context.run
    if run.algorithm.settings.get("initial_controls") == "gradient":
        sigma = context.constant("sigma")
        value = sigma.value * (1 - 1 / run.problem.m) ** 0.5
        return Constant(value, sigma.trust, "first controls are stochastic gradients at x_0")
    value = _spread(_gradients(context, run.x0)) ** 0.5
    return Constant(value, "exact", "root of the mean of ||grad F_i(x_0) - grad F(x_0)||^2")


def _control_error_star(context: EvaluationContext) -> Constant:
    run = context.run
    if run.problem.optimum is None:
        raise BoundkitError("the error of the controls at the optimum needs a known optimum.")
    at_optimum = _gradients(context, run.problem.optimum)
    if run.algorithm.settings.get("initial_controls") == "gradient":
        square = _mean_square(_gradients(context, run.x0) - at_optimum)
        sigma = context.constant("sigma")
        return Constant((square + sigma.value**2) ** 0.5, sigma.trust, "first controls are gradients at x_0")
    return Constant(_mean_square(at_optimum) ** 0.5, "exact", "first controls are 0")


def _missed(context: EvaluationContext) -> Constant:
    run = context.run
    m, sampled = run.problem.m, run.participation.size(0)
    if sampled is None:
        raise BoundkitError("the probability to miss a cluster needs a fixed number of clients a round.")
    size = len(clusters_of(run)[0])
    value = comb(m - size, sampled) / comb(m, sampled)
    return Constant(value, "exact", f"none of the {size} clients of a cluster among {sampled} of {m}")


def _sigma_c(context: EvaluationContext) -> Constant:
    run, problem = context.run, context.run.problem
    clusters = clusters_of(run)
    if all(len(c) == 1 for c in clusters):
        return Constant(0.0, "exact", "clusters of one client each")
    same_everywhere = isinstance(problem, Quadratic) and "sigma_g" in context.constants
    if same_everywhere or isinstance(problem, SmoothNonconvex):
        g = _gradients(context, problem.centre)
        square = np.mean([_mean_square(g[c] - g[c].mean(axis=0)) for c in clusters])
        return Constant(float(square) ** 0.5, "exact", "the same at every point: clients differ by constants")
    recorded = context.trajectory
    names = [f"{name}_dissimilarity" for name in cluster_objectives(run)]
    if isinstance(problem, Network):
        names = [f"{_CLUSTERS}_within_{k}" for k in range(len(clusters))]
    if not names or not set(names) <= set(recorded.observed):
        raise BoundkitError(
            f"the dissimilarity inside clusters is not known for this {problem.kind} problem, only for "
            "quadratics and for losses that differ by linear parts."
        )
    series = np.mean([recorded.mean(n) for n in names], axis=0)[: max(len(recorded.x) - 1, 1)]
    worst = first_largest(series)
    how = f"largest along the run, at round {worst}"
    return Constant(float(series[worst]) ** 0.5, "estimated" if recorded.random else "local", how)


def cluster_objectives(run: Run) -> dict[str, Problem]:
    """Each cluster as a problem of its own, by prefix: sigma_c is computed from their dissimilarities."""
    problem = run.problem
    if isinstance(problem, Network):
        return {_CLUSTERS: GroupDissimilarity(problem, tuple(tuple(c) for c in clusters_of(run)))}
    if not isinstance(problem, Quadratic) or "sigma_g" in problem.constants(run.x0):
        return {}
    return {f"cluster{k}": Quadratic(problem.H[c], problem.e[c]) for k, c in enumerate(clusters_of(run))}


def _update_error(context: EvaluationContext) -> Constant:
    """V_0: with g_i = h_i + n_i the mean stochastic gradient of client i in the first round,
    V_0^2 = (q/M) E mean_i ||g_i - mean g||^2 + E||mean n||^2, M clients sampled and q = (m - M)/(m - 1)."""
    run, problem = context.run, context.run.problem
    m, sampled, tau = problem.m, run.participation.size(0), run.tau
    if sampled is None or tau is None:
        raise BoundkitError(
            "the error of the first direction needs fixed numbers of clients and of local steps."
        )
    share = (m - sampled) / (sampled * (m - 1)) if m > 1 else 0.0
    own = context.value("sigma") ** 2 / (m * tau)
    if problem.batches is not None:
        spread = float(
            np.mean([_spread(_first_round_batch_gradients(run, seed)) for seed in range(_FIRST_ROUNDS)])
        )
        return Constant(
            (share * spread + own) ** 0.5, "estimated", f"from {_FIRST_ROUNDS} first rounds, and sigma"
        )
    if not problem.noise or isinstance(problem, Quadratic):
        spread = _spread(_first_round_gradients(run)[0]) + (1 - 1 / m) * _first_round_noise(run)
        return Constant((share * spread + own) ** 0.5, "exact", "from every client's first round")
    spread = float(np.mean([_spread(g) for g in _first_round_gradients(run, _REPLICAS)]))
    return Constant((share * spread + own) ** 0.5, "estimated", f"from {_REPLICAS} first rounds")


def _spread(g: Array) -> float:
    """mean_i ||g_i - mean g||^2 for g of shape (m, d)."""
    return _mean_square(g - g.mean(axis=0))


def _first_round_gradients(run: Run, replicas: int = 0) -> Array:
    """The mean gradient of every client's first round, (R, m, d); one without noise where R is 0."""
    problem, rng = run.problem, np.random.default_rng(run.seed)
    shape = (max(replicas, 1), problem.m, problem.d)
    gradient = problem.gradients(np.arange(problem.m), np.broadcast_to(run.x0, shape))
    if not replicas:
        return _mean_over_local_steps(run, shape, gradient)

    def noisy(y: AnyArray) -> AnyArray:
        return gradient(y) + rng.standard_normal(shape) * (problem.noise / problem.d**0.5)

    return _mean_over_local_steps(run, shape, noisy)


def _first_round_batch_gradients(run: Run, seed: int) -> Array:
    """The mean gradient of every client's first round on mini-batches that are drawn with replacement."""
    problem, batches, rng = run.problem, run.problem.batches, np.random.default_rng((run.seed, seed))
    assert batches is not None

    def gradient(y: AnyArray) -> AnyArray:
        drawn = rng.integers(0, batches.sizes[:, None], (problem.m, batches.size))
        return problem.batch_gradient(y, drawn + batches.offsets[:-1, None])

    return _mean_over_local_steps(run, (problem.m, problem.d), gradient)


def _mean_over_local_steps(
    run: Run, shape: tuple[int, ...], gradient: Callable[[AnyArray], AnyArray]
) -> Array:
    """The mean of the gradients along the local steps of the first round from x_0, of that shape."""
    y, total = np.broadcast_to(run.x0, shape), np.zeros(shape)
    rates = run.rates(0)
    for rate in rates:
        g = gradient(y)
        total, y = total + g, y - float(rate) * g
    return np.asarray(total / len(rates))


def _first_round_noise(run: Run) -> float:
    """mean_i of the variance of that mean on quadratics: sigma^2/(d tau^2) sum_k tr (1 - eta H_i)^(2k)."""
    problem = run.problem
    if not problem.noise:
        return 0.0
    assert isinstance(problem, Quadratic)
    steps = len(run.rates(0))
    pull = run.eta * problem.spectrum
    powers = geometric_sum(pull * (pull - 2), np.asarray(float(steps)))  # the sum of (1 - eta h)^(2 k)
    return float(problem.noise**2 / (problem.d * steps**2) * powers.sum(axis=1).mean())


def _sweep_instance(noise: float, start: float, rounds: int, target: float | None = None) -> Instance:
    e = np.random.default_rng(5).standard_normal((_CLIENTS, 1))
    problem = Quadratic(np.linspace(0.25, 1.0, _CLIENTS).tolist(), e, noise=noise)
    x0 = np.full(1, start)
    return Instance("different Hessians", problem, 4, 0.5, 2.0, rounds=rounds, x0=x0, target=target)


def _with_step(instance: Instance, product: float) -> Instance:
    """The instance at eta_s eta tau = ``product``, or at the largest allowed value."""
    largest = instance.present ** (2 / 3) / (24 * instance.problem.constants(instance.x0)["L"].value)
    return replace(instance, eta=min(largest, product) / (int(instance.local_steps) * instance.eta_s))


def _without_noise_for_sampling(instance: Instance, keyword: str) -> Instance:
    return replace(instance, problem=instance.problem.without_noise()) if keyword == "C" else instance


def _noise_divisor(instance: Instance) -> float:
    """C m tau/(L sigma^2), the divisor of a round's noise."""
    steps = instance.present * instance.problem.m * int(instance.local_steps)
    return float(
        steps / (instance.problem.constants(instance.x0)["L"].value * instance.problem.noise**2 + 1e-300)
    )


def _tuned(instance: Instance, keyword: str, value: float) -> Instance:
    """Varied, at the step s that balances gap/(s T) and s L sigma^2/(C m tau)."""
    instance = _without_noise_for_sampling(vary_instance(instance, keyword, value), keyword)
    gap = instance.problem.constants(instance.x0)["gap"].value
    return _with_step(instance, sqrt(gap / instance.rounds * _noise_divisor(instance)))


def _with_target(instance: Instance, keyword: str, value: float) -> Instance:
    """Varied, at a step size with which noise contributes half of the squared target."""
    instance = (
        replace(instance, target=value)
        if keyword == "target"
        else _without_noise_for_sampling(vary_instance(instance, keyword, value), keyword)
    )
    assert instance.target is not None
    return _with_step(instance, instance.target**2 * _noise_divisor(instance))


def _rate_sweeps() -> Sweeps:
    """The average after T rounds, at the step size that balances gap and noise, below the published limit."""
    values = {
        "T": (800, 1600, 3200, 6400),
        "tau": (1, 2, 4, 8, 16),
        "C": _SWEEP_FRACTIONS,
        "m": _SWEEP_CLIENTS,
    }
    return Sweeps(_sweep_instance(10.0, 3.0, 1600), values, _tuned)


def _rounds_sweeps() -> Sweeps:
    """The rounds to a small gradient, with so much noise that every step is below the published limit."""
    values = {"target": (0.4, 0.47, 0.55, 0.64, 0.75), "tau": (2, 3, 4, 6, 8), "C": _SWEEP_FRACTIONS}
    return Sweeps(_sweep_instance(18.0, 2.0, 400, target=0.5), values, _with_target)


def _objectives(theorem: Theorem, run: Run) -> Mapping[str, Problem]:
    return cluster_objectives(run) if theorem.assumes("cluster-dissimilarity") else {}


def sweeps(theorem: Theorem) -> Sweeps | None:
    """SCAFFOLD's rates: T, tau, m and the target with much noise, C without noise at the largest step.

    With unspecified constants only a dominant term shows its powers.
    """
    if theorem.algorithm not in _ALGORITHMS or theorem.kind != "order":
        return None
    return _rounds_sweeps() if theorem.claim.summary == "first" else _rate_sweeps()


FAMILY = Family(
    assumptions={
        vocabulary.CLIENTWISE_DISSIMILARITY: MEASURED,
        vocabulary.CLUSTER_DISSIMILARITY: AssumptionRule(_clusters_of_one_size, _with_clusters),
        vocabulary.LOCAL_GRADIENT_CONTROLS: AssumptionRule(
            _controls_of_local_gradients, options=frozenset({"variant"})
        ),
    },
    instances=default_instances,
    constants={
        notation.gradients_start: _gradients_start,
        notation.control_error: _control_error,
        notation.control_error_star: _control_error_star,
        notation.correction_error: _correction_error,
        notation.missed: _missed,
        notation.sigma_c: _sigma_c,
        notation.update_error: _update_error,
    },
    objectives=_objectives,
    sweeps=sweeps,
)
