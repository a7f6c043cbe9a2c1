"""The surrogate objective of small steps: sum_i v_i F_i.

Where a round is a sum over participating clients, v_i is proportional to E[w_i] ||a_i||_1, with a_i the
weights of a client's gradients (all 1 for plain SGD, so ||a_i||_1 = tau_i) and w_i the server's weight, 0 for
absent clients; summed over a period where steps or schedule change. For algorithms with client state
the weights are read off clients F_i = (x - e_i)^2/2 in one dimension: there the limit is sum_i v_i e_i.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import numpy as np

from boundkit.algebra import BoundkitError
from boundkit.simulation.algorithms import ClientOracle, Local, Round, State
from boundkit.simulation.arrays import Array, array_namespace
from boundkit.simulation.engines.affine_maps import NotAffine
from boundkit.simulation.engines.aggregation_weights import AggregationWeights
from boundkit.simulation.engines.local_step_moments import LocalMap, LocalMaps
from boundkit.simulation.engines.stochastic_gradients import noiseless_oracle
from boundkit.simulation.fixed_point import fixed_point
from boundkit.simulation.problems import Quadratic
from boundkit.simulation.run import Run

_MOST_CLIENTS = 60
_STEPS = (4e-3, 2e-3, 1e-3, 5e-4)
"""Values of eta tau from which the limit is extrapolated to eta = 0."""
_LONGEST = 250
"""Most state numbers per coordinate for which one-dimensional limits are solved quickly."""
_NOISE = 1e-6


def surrogate_weights(run: Run, weights: list[Array] | None = None) -> Array | None:
    """v_i, summing to 1; ``weights`` are E w_i(t) over a period, exact by default.

    None where no surrogate exists or it is infeasible: the rounds are not affine or have no distribution of
    their own, or there are more than 60 clients with state.
    """
    if run.algorithm.stateless and run.offset is None:
        if weights is None:
            weighing = AggregationWeights(run)
            weights = [weighing.mean(t) for t in range(run.period)]
        weights_sum = (w * gradient_weights(run, t) for t, w in enumerate(weights))
        total = sum(weights_sum, np.zeros(run.problem.m))
        if not total.sum() > 0:
            raise BoundkitError("no client ever participates, so nothing is minimised.")
        return np.asarray(total / total.sum())
    origin = np.zeros((1, run.problem.d))
    state = run.algorithm.start(origin, noiseless_oracle(run, origin))
    long = sum(v[0].size for v in state.values()) // run.problem.d > _LONGEST
    if run.problem.m > _MOST_CLIENTS or long or run.offset is not None:
        return None
    try:
        return _extrapolate_limits(run)
    except BoundkitError:
        return None


def gradient_weights(run: Run, t: int) -> Array:
    """||a_i||_1 in round t: a client's displacement under unit gradients, over eta; by its own local step."""
    steps, rates, clients = run.steps(t), run.rates(t), np.arange(run.problem.m)
    one, ones = np.ones(1), np.ones((1, run.problem.m, 1))
    round = Round(t, run.problem.m, clients, None, steps, one, rates, run.eta_s)
    state = run.algorithm.start(np.zeros((1, 1)), noiseless_oracle(run, one))
    local = run.algorithm.local_start(state, round, ClientOracle(lambda y: ones, lambda x, mu: x - ones / mu))
    try:
        maps = LocalMaps(
            run.algorithm, lambda y: array_namespace(y).ones_like(y), tuple(local), (run.problem.m, 1)
        )
        local = _after_steps(local, maps.many(steps, rates))
    except NotAffine:
        return _sum_steps(run, local, round, state)
    return np.asarray(run.algorithm.message(state, local, round)["update"][0, :, 0] / run.eta)


def _after_steps(local: Local, steps: LocalMap) -> Local:
    """The local state (1, m, 1) after these steps."""
    z = np.stack([np.broadcast_to(value[0], steps.c.shape[:2]) for value in local.values()], axis=-1)
    after = z + (steps.D @ z[..., None])[..., 0] + steps.c
    return {name: after[None, ..., k] for k, name in enumerate(local)}


def _sum_steps(run: Run, local: Local, round: Round, state: State) -> Array:
    """The same, by successive local steps."""
    steps, rates = round.steps, round.rates
    ones, weights_sum = np.ones((1, run.problem.m, 1)), np.zeros(run.problem.m)
    for k in range(1, int(steps.max()) + 1):
        local = run.algorithm.local_step(local, ones, float(rates[k - 1]))
        if (steps == k).any():
            update = run.algorithm.message(state, local, round)["update"][0, :, 0] / run.eta
            weights_sum = np.where(steps == k, update, weights_sum)
    return weights_sum


def _extrapolate_limits(run: Run) -> Array | None:
    """The one-dimensional limits at decreasing step sizes, extrapolated to 0 by Richardson's table."""
    m = run.problem.m
    scale = int(run.local_steps.max())
    rows = []
    for small in _STEPS:
        at = []
        for i in range(m):
            line = Quadratic([1.0] * m, np.eye(m)[:, i : i + 1], run.problem.p)
            one_client = replace(run, problem=line, x0=np.zeros(1), eta=small / scale, objectives={})
            at.append(float(fixed_point(one_client).points.mean()))
        rows.append(np.array(at))
    while len(rows) > 1:
        order = len(_STEPS) - len(rows) + 1
        rows = [(2**order * fine - coarse) / (2**order - 1) for coarse, fine in pairwise(rows)]
    v = rows[0]
    v = np.where(np.abs(v) < _NOISE, 0.0, v)
    if abs(v.sum() - 1) > _NOISE or (v < 0).any():
        return None
    return np.asarray(v / v.sum())
