"""What the theorems of algorithms with memory ask for: first errors, and what a cluster hides.

All means over clients are plain: these theorems weigh clients alike.
"""

from __future__ import annotations

from math import comb

import numpy as np

from boundkit.algebra import BoundkitError
from boundkit.analysis.evaluate import geometric_sum
from boundkit.simulation.constant import Constant
from boundkit.simulation.problems import Network, Problem, Quadratic, SmoothNonconvex
from boundkit.simulation.problems.base import Array
from boundkit.simulation.run import Run
from boundkit.verification.assumed.memory import clusters_of
from boundkit.verification.group_dissimilarity import GroupsSeen
from boundkit.verification.quantities.subject import Subject

_REPLICAS = 4000
_FEW = 20
_CLUSTERS = "clusters"


def _gradients(subject: Subject, x: Array) -> Array:
    """grad F_i(x) of every client, (m, d)."""
    return np.asarray(subject.run.problem.client_gradients(x[None])[0])


def _mean_square(v: Array) -> float:
    return float((v**2).sum(axis=-1).mean())


def _gradients_start(subject: Subject) -> Constant:
    value = _mean_square(_gradients(subject, subject.run.x0)) ** 0.5
    return Constant(value, "exact", "root of the mean of ||grad F_i(x_0)||^2")


def _control_error(subject: Subject) -> Constant:
    run = subject.run
    if run.algorithm.settings.get("initial_controls") == "gradient":
        sigma = subject.constant("sigma")
        return Constant(sigma.value, sigma.trust, "gradients at x_0, of which noise is left")
    return Constant(_gradients_start(subject).value, "exact", "first controls are 0")


def _control_error_star(subject: Subject) -> Constant:
    run = subject.run
    if run.problem.optimum is None:
        raise BoundkitError("the error of the controls at the optimum needs an optimum, and none is known.")
    there = _gradients(subject, run.problem.optimum)
    if run.algorithm.settings.get("initial_controls") == "gradient":
        square = _mean_square(_gradients(subject, run.x0) - there)
        sigma = subject.constant("sigma")
        return Constant((square + sigma.value**2) ** 0.5, sigma.trust, "first controls are gradients at x_0")
    return Constant(_mean_square(there) ** 0.5, "exact", "first controls are 0")


def _missed(subject: Subject) -> Constant:
    run = subject.run
    m, came = run.problem.m, run.participation.size(0)
    if came is None:
        raise BoundkitError("the chance to miss a cluster needs a fixed number of clients a round.")
    size = len(clusters_of(run)[0])
    value = comb(m - size, came) / comb(m, came)
    return Constant(value, "exact", f"none of the {size} clients of a cluster among {came} of {m}")


def _sigma_c(subject: Subject) -> Constant:
    run, problem = subject.run, subject.run.problem
    clusters = clusters_of(run)
    if all(len(c) == 1 for c in clusters):
        return Constant(0.0, "exact", "clusters of one client each")
    alike = isinstance(problem, Quadratic) and "sigma_g" in subject.constants
    if alike or isinstance(problem, SmoothNonconvex):
        g = _gradients(subject, problem.centre)
        square = np.mean([_mean_square(g[c] - g[c].mean(axis=0)) for c in clusters])
        return Constant(float(square) ** 0.5, "exact", "the same at every point: clients differ by constants")
    seen = subject.trajectory
    names = [f"{name}_dissimilarity" for name in watched_clusters(run)]
    if isinstance(problem, Network):
        names = [f"{_CLUSTERS}_within_{k}" for k in range(len(clusters))]
    if not names or not set(names) <= set(seen.observed):
        raise BoundkitError(
            f"the dissimilarity inside clusters is not known of this {problem.kind} problem; "
            "it is known of quadratics, and of losses that differ by linear parts."
        )
    series = np.mean([seen.mean(n) for n in names], axis=0)[: max(len(seen.x) - 1, 1)]
    worst = int(np.argmax(series))
    how = f"largest along the run, at round {worst}"
    return Constant(float(series[worst]) ** 0.5, "estimated" if seen.random else "local", how)


def watched_clusters(run: Run) -> dict[str, Problem]:
    """Each cluster as a problem of its own, by prefix: its dissimilarity is what sigma_c is made of."""
    problem = run.problem
    if isinstance(problem, Network):
        return {_CLUSTERS: GroupsSeen(problem, tuple(tuple(c) for c in clusters_of(run)))}
    if not isinstance(problem, Quadratic) or "sigma_g" in problem.constants(run.x0):
        return {}
    return {
        f"cluster{k}": Quadratic(list(problem.H[c]), problem.e[c]) for k, c in enumerate(clusters_of(run))
    }


def _update_error(subject: Subject) -> Constant:
    """V_0: with g_i = h_i + n_i the mean stochastic gradient of client i in the first round,
    V_0^2 = (q/M) E mean_i ||g_i - mean g||^2 + E||mean n||^2, M clients coming and q = (m - M)/(m - 1)."""
    run, problem = subject.run, subject.run.problem
    m, came, tau = problem.m, run.participation.size(0), run.tau
    if came is None or tau is None:
        raise BoundkitError(
            "the error of the first direction needs fixed numbers of clients and of local steps."
        )
    sampled = (m - came) / (came * (m - 1)) if m > 1 else 0.0
    own = subject.value("sigma") ** 2 / (m * tau)
    if problem.batches is not None:
        spread = float(np.mean([_apart(_first_sum_on_batches(run, seed)) for seed in range(_FEW)]))
        return Constant((sampled * spread + own) ** 0.5, "estimated", f"from {_FEW} first rounds, and sigma")
    if not problem.noise or isinstance(problem, Quadratic):
        spread = _apart(_first_sums(run)[0]) + (1 - 1 / m) * _noise_of_sums(run)
        return Constant((sampled * spread + own) ** 0.5, "exact", "from every client's first round")
    spread = float(np.mean([_apart(g) for g in _first_sums(run, _REPLICAS)]))
    return Constant((sampled * spread + own) ** 0.5, "estimated", f"from {_REPLICAS} first rounds")


def _apart(g: Array) -> float:
    """mean_i ||g_i - mean g||^2 for g of shape (m, d)."""
    return _mean_square(g - g.mean(axis=0))


def _first_sums(run: Run, replicas: int = 0) -> Array:
    """The mean gradient of every client's first round, (R, m, d); one without noise where R is 0."""
    import torch

    problem, rng = run.problem, np.random.default_rng(run.seed)
    R = max(replicas, 1)
    y = torch.as_tensor(run.x0).expand(R, problem.m, problem.d)
    gradient = problem.gradients(np.arange(problem.m), y)
    total = torch.zeros_like(y)
    for rate in run.rates(0):
        g = gradient(y)
        if replicas:
            noise = rng.standard_normal(tuple(y.shape)) * (problem.noise / problem.d**0.5)
            g = g + torch.as_tensor(noise)
        total, y = total + g, y - float(rate) * g
    return np.asarray(total.numpy()) / len(run.rates(0))


def _first_sum_on_batches(run: Run, seed: int) -> Array:
    """The mean gradient of every client's first round on mini-batches that are drawn with replacement."""
    import torch

    problem, law, rng = run.problem, run.problem.batches, np.random.default_rng((run.seed, seed))
    assert law is not None
    y = torch.as_tensor(run.x0).expand(problem.m, problem.d).clone()
    total = torch.zeros_like(y)
    for rate in run.rates(0):
        points = rng.integers(0, law.sizes[:, None], (problem.m, law.size)) + law.offsets[:-1, None]
        g = problem.batch_gradient(y, points)
        total, y = total + g, y - float(rate) * g
    return np.asarray(total.numpy()) / len(run.rates(0))


def _noise_of_sums(run: Run) -> float:
    """mean_i of the variance of that mean on quadratics: sigma^2/(d tau^2) sum_k tr (1 - eta H_i)^(2k)."""
    problem = run.problem
    if not problem.noise:
        return 0.0
    assert isinstance(problem, Quadratic)
    steps = len(run.rates(0))
    pull = run.eta * problem.spectrum
    shrinks = geometric_sum(pull * (pull - 2), np.float64(steps))  # the sum of (1 - eta h)^(2 k)
    return float(problem.noise**2 / (problem.d * steps**2) * shrinks.sum(axis=1).mean())


KNOWN = {
    "gradients_start": _gradients_start,
    "control_error": _control_error,
    "control_error_star": _control_error_star,
    "missed": _missed,
    "sigma_c": _sigma_c,
    "update_error": _update_error,
}
