"""Expectations of clients and server in every round, and the quantities of the proofs made of them.

On a deterministic run they are evaluated at its iterates, for any problem; ``quadratic_expectations`` has
their formulas.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from boundkit.algebra import BoundkitError
from boundkit.proofs import expectations as of
from boundkit.report.formatting import join_names
from boundkit.simulation.engines.aggregation_weights import AggregationWeights, WeightMoments
from boundkit.simulation.participation import Bernoulli, Full, WithoutReplacement, WithReplacement
from boundkit.simulation.problems import Problem, Quadratic
from boundkit.simulation.run import Run

Array = NDArray[np.float64]
LONGEST = 500
"""Largest number of local steps in a round, since every pair of them is evaluated."""


@dataclass(frozen=True)
class ClientExpectations:
    """Expectations of each client, (T, m); constant ones, (m,)."""

    gradient: Array
    direction_error: Array
    expected_error: Array
    step_errors: Array
    displacement: Array
    displacement_by_step: Array
    noise_displacement: Array
    noise_weights: Array
    gradient_displacement: Array
    weighted_gradients: Array
    step_gradients: Array


@dataclass(frozen=True)
class ServerExpectations:
    """Expectations of the server, (T,)."""

    gradient: Array
    dissimilarity: Array
    decrease: Array
    inner_product: Array
    server_direction: Array
    noise: Array
    mean_direction: Array
    sampled_direction: Array
    sampled_error: Array
    direction_error: Array
    expected_direction: Array
    expected_error: Array
    direction_dissimilarity: Array
    update_variance: Array


def expectation_values(
    context: RunContext, clients: ClientExpectations, server: ServerExpectations, counted: float
) -> dict[str, Array]:
    """Return every quantity of the proofs, by name, (T,); ``counted``: the counted part of c_i."""
    w = context.w
    c = counted * np.array([context.counted(i) for i in range(len(w))])
    result = {
        of.gradient: server.gradient,
        of.dissimilarity: server.dissimilarity,
        of.decrease: server.decrease,
        of.inner_product: server.inner_product,
        of.server_direction: server.server_direction,
        of.noise: server.noise,
        of.mean_direction: server.mean_direction,
        of.sampled_direction: server.sampled_direction,
        of.sampled_error: server.sampled_error,
        of.sampled_gradient: context.spare * server.dissimilarity,
        of.direction_error: server.direction_error,
        of.client_errors: clients.direction_error @ w,
        of.step_errors: clients.step_errors @ w,
        of.displacement: clients.displacement @ w,
        of.displacement_remaining: clients.displacement @ w,
        of.noise_displacement: clients.noise_displacement @ w,
        of.noise_weights: clients.noise_weights @ w,
        of.gradient_displacement: clients.gradient_displacement @ w,
        of.weighted_gradients: clients.weighted_gradients @ w,
        of.all_gradients: clients.step_gradients @ (w * c),
        of.all_errors: clients.step_errors @ (w * c),
        of.all_initial_gradients: clients.gradient @ (w * c),
        of.all_displacements: clients.displacement @ (w * c),
        of.initial_gradients: clients.gradient @ w,
        of.expected_direction: server.expected_direction,
        of.error_inner_product: server.gradient - server.inner_product,
        of.expected_error: server.expected_error,
        of.expected_client_errors: clients.expected_error @ w,
        of.direction_dissimilarity: server.direction_dissimilarity,
        of.update_variance: server.update_variance,
        of.displacement_by_step: clients.displacement_by_step @ w,
    }
    rounds = len(server.gradient)
    return {quantity.name: np.broadcast_to(value, (rounds,)) for quantity, value in result.items()}


@dataclass(frozen=True)
class RunContext:
    """A run, the function that it descends, and the weights of the local solver.

    Attributes
    ----------
    descended : the problem with the weights w_i of the clients in the server's direction.
    solver : A, (tau + 1, tau): (x - y_k)/eta = sum_s A_ks g_s.
    length : eta tau_eff, the step of the server along its direction.
    spare : q/(C m), the part of the clients' variance that remains in the mean of the participating ones.
    """

    run: Run
    descended: Problem
    solver: Array
    w: Array
    length: float
    spare: float

    @property
    def momentum(self) -> tuple[float, float, float]:
        """beta_s, n and c of a server with b+ = beta_s b + v and x+ = x - s (n v + c b+), c = 1 - n (1 -
        beta_s), n = nesterov; beta_s is 0 without momentum."""
        settings = self.run.algorithm.settings
        beta, nesterov = (float(settings.get(name) or 0.0) for name in ("server_momentum", "nesterov"))
        return beta, nesterov, 1 - nesterov * (1 - beta)

    @property
    def ahead(self) -> float:
        """a, so that x + a b takes plain steps of the server, of length s/(1 - beta_s)."""
        beta, _, c = self.momentum
        return -self.length * c * beta / (1 - beta)

    @cached_property
    def weights(self) -> WeightMoments:
        """The moments of the weights W_i in the server's direction v = sum_i W_i d_i; E W_i = w_i."""
        run = self.run
        moments = AggregationWeights(run).moments(0)
        times = run.eta * _sent(run, self.solver) / self.length
        factors = tuple((s, times * v) for s, v in moments.factors)
        return WeightMoments(times * moments.mean, times**2 * moments.diagonal, factors)

    @cached_property
    def steps(self) -> NDArray[np.intp]:
        """tau_i, (m,)."""
        return self.run.steps(0)

    def collected(self, client: int) -> tuple[Array, Array]:
        """Return A_ks of a client's own steps, (tau_i, tau_i), and the weights a_s of its update."""
        tau = int(self.steps[client])
        return self.solver[:tau, :tau], self.solver[tau, :tau]

    def counted(self, client: int) -> float:
        """Return c_i: ||a_i||_1 (||a_i||_1 - a_{i,-1})."""
        a = self.collected(client)[1]
        return float(a.sum() * (a.sum() - a[-1]))

    @property
    def exact(self) -> bool:
        """Whether expectations have formulas; else the run is deterministic and is simulated."""
        return isinstance(self.run.problem, Quadratic)


def run_context(run: Run, descended: Problem, uniform: bool = False) -> RunContext:
    """Return the context of a run; ``uniform``: of one with full or uniform participation.

    Raises BoundkitError where rounds differ in distribution, are too long, or where something is random
    without exact moments.
    """
    if run.period != 1:
        raise BoundkitError("a ledger needs the same local steps, rate and participation in all rounds.")
    if int(run.local_steps.max()) > LONGEST:
        raise BoundkitError(
            f"a ledger follows every pair of a round's local steps, up to {LONGEST} of them, not "
            f"{int(run.local_steps.max())}."
        )
    participation, problem = run.participation, run.problem
    known = (Full, WithoutReplacement) if uniform else (Full, WithoutReplacement, WithReplacement, Bernoulli)
    if not isinstance(participation, known):
        names = join_names([each.kind for each in known])
        raise BoundkitError(f"this ledger supports {names} participation, not {participation.kind}.")
    count = participation.count if isinstance(participation, WithoutReplacement) else problem.m
    random = problem.stochastic or not participation.distribution(0).deterministic
    if (random and not isinstance(problem, Quadratic)) or problem.parts is not None:
        raise BoundkitError(
            f"this {problem.kind} run is random and its expectations have no formula: a ledger needs a "
            "quadratic problem, or full participation without noise."
        )
    solver = solver_weights(run)
    mass = AggregationWeights(run).mean(0) * _sent(run, solver)
    spare = (problem.m - count) / (count * (problem.m - 1)) if count < problem.m else 0.0
    return RunContext(run, descended, solver, mass / mass.sum(), run.eta * float(mass.sum()), spare)


def _sent(run: Run, solver: Array) -> Array:
    """Return the multiple of eta d_i by which the server steps for each client's weight, (m,)."""
    multiples = run.algorithm.settings.get("weights") if run.algorithm.name == "fedau" else None
    sums = solver.sum(axis=1)[run.steps(0)]
    return np.asarray(run.eta_s * sums * (1.0 if multiples is None else np.asarray(multiples)))


def solver_weights(run: Run) -> Array:
    """Compute A_ks, (tau + 1, tau), the weight of gradient s in (x - y_k)/eta."""
    given = run.algorithm.settings
    momentum, mu = float(given.get("momentum", 0.0)), float(given.get("mu", 0.0))
    rates = run.rates(0)
    tau = len(rates)
    weights, v, unit = np.zeros((tau + 1, tau)), np.zeros(tau), np.eye(tau)
    for k, rate in enumerate(rates):
        v = momentum * v + unit[k]
        weights[k + 1] = weights[k] + rate / run.eta * v - rate * mu * weights[k]
    return weights


def observed_values(context: RunContext) -> tuple[ClientExpectations, ServerExpectations]:
    """Evaluate all quantities of the proofs round by round, from every client's steps."""
    rounds = context.run.rounds
    clients: dict[str, list[Array]] = {name: [] for name in ClientExpectations.__dataclass_fields__}
    server: dict[str, list[float]] = {name: [] for name in ServerExpectations.__dataclass_fields__}
    x = context.run.x0
    loss = _loss(context, x)
    for _ in range(rounds):
        ys, gradients = _steps(context, x)
        one, two, v = _round(context, x, ys, gradients)
        x = x - context.length * v
        after = _loss(context, x)
        for name, values in one.items():
            clients[name].append(values)
        for name, value in (two | {"decrease": loss - after}).items():
            server[name].append(value)
        loss = after
    return (
        ClientExpectations(**{name: np.array(values) for name, values in clients.items()}),
        ServerExpectations(**{name: np.array(values) for name, values in server.items()}),
    )


class ObservedRounds:
    """Products of vectors, and scalars, in every round of a deterministic run."""

    def __init__(self, context: RunContext) -> None:
        self.w = context.w
        x, loss = context.run.x0, _loss(context, context.run.x0)
        b, loss_along, (beta, nesterov, c) = 0 * x, loss, context.momentum
        vectors: dict[str, list[Array]] = {"g": [], "e": [], "P": []}
        names = ("direction", "decrease", "decrease_of_sequence", "displacement", "mean_drift")
        scalars: dict[str, list[float]] = {name: [] for name in names}
        for _ in range(context.run.rounds):
            ys, gradients = _steps(context, x)
            clients, server, v = _round(context, x, ys, gradients)
            shares = [context.collected(i)[1] for i in range(len(self.w))]
            h = np.array([a / a.sum() @ gradients[: len(a), i] for i, a in enumerate(shares)])
            drifts = np.array([a / a.sum() @ (ys[: len(a), i] - x) for i, a in enumerate(shares)])
            objective = np.broadcast_to(context.run.problem.p @ gradients[0], h.shape)
            for name, value in (("g", gradients[0]), ("e", gradients[0] - h), ("P", objective)):
                vectors[name].append(np.array(value))
            b = beta * b + v
            x = x - context.length * (nesterov * v + c * b)
            after, after_along = _loss(context, x), _loss(context, x + context.ahead * b)
            for name, number in (
                ("direction", server["server_direction"]),
                ("decrease", loss - after),
                ("decrease_of_sequence", loss_along - after_along),
                ("displacement", float(clients["displacement"] @ self.w)),
                ("mean_drift", float(_square(self.w @ drifts))),
            ):
                scalars[name].append(number)
            loss, loss_along = after, after_along
        self.vectors = {name: np.array(each) for name, each in vectors.items()}
        self.scalars = {name: np.array(each) for name, each in scalars.items()}
        self.scalars["mean_displacement"] = self.scalars["displacement"]
        nothing = ("client_variance", "weighted_noise", "path_variance", "model_variance")
        self.scalars |= dict.fromkeys(nothing, np.zeros(context.run.rounds))

    def inner(self, first: str, second: str, mean: bool) -> Array:
        """<u, v> of the means over clients, or mean_i <u_i, v_i>, (T,)."""
        u, v = self.vectors[first], self.vectors[second]
        if mean:
            return np.asarray((np.tensordot(u, self.w, (1, 0)) * np.tensordot(v, self.w, (1, 0))).sum(-1))
        return np.asarray(np.einsum("tij,tij,i->t", u, v, self.w))


def _loss(context: RunContext, x: Array) -> float:
    return float(context.descended.observe(x[None])["loss"][0])


def _steps(context: RunContext, x: Array) -> tuple[Array, Array]:
    """Return every client's models before its steps, and their gradients, (tau, m, d)."""
    m, d = context.descended.m, context.descended.d
    most = context.solver.shape[1]
    ys, gradients = np.empty((most, m, d)), np.empty((most, m, d))
    at = context.descended.gradients(np.arange(m), np.empty((1, m, d)))
    for k in range(most):
        ys[k] = x - context.run.eta * np.tensordot(context.solver[k, :k], gradients[:k], 1)
        gradients[k] = at(ys[k][None])[0]
    return ys, gradients


def _round(
    context: RunContext, x: Array, ys: Array, gradients: Array
) -> tuple[dict[str, Array], dict[str, float], Array]:
    """Return the quantities of one round, of the clients and of the server, and the server's direction."""
    m, w = context.descended.m, context.w
    start = gradients[0]
    result: dict[str, Array] = {name: np.zeros(m) for name in ClientExpectations.__dataclass_fields__}
    h = np.empty_like(start)
    for i in range(m):
        A, last = context.collected(i)
        share, own = last / last.sum(), gradients[: len(last), i]
        squares = _square(own)
        h[i] = share @ own
        result["gradient"][i] = _square(start[i])
        result["direction_error"][i] = result["expected_error"][i] = _square(start[i] - h[i])
        result["step_errors"][i] = share @ _square(own - start[i])
        squared_drift = _square(ys[: len(last), i] - x)
        result["displacement"][i] = share @ squared_drift
        result["displacement_by_step"][i] = (squared_drift[1:] / np.arange(1, len(last))).sum()
        result["noise_weights"][i] = share @ (A**2).sum(1)
        result["gradient_displacement"][i] = share @ _square(A @ own)
        result["weighted_gradients"][i] = share @ (A.sum(1) * (A @ squares))
        result["step_gradients"][i] = share @ squares
    g, v = w @ start, w @ h
    moved = float(_square(v))
    return (
        result,
        {
            "gradient": float(_square(g)),
            "dissimilarity": float(w @ _square(start - g)),
            "inner_product": float(g @ v),
            "server_direction": moved,
            "noise": 0.0,
            "mean_direction": moved,
            "sampled_direction": moved,
            "sampled_error": float(_square(g - v)),
            "direction_error": float(_square(g - v)),
            "expected_direction": moved,
            "expected_error": float(_square(g - v)),
            "direction_dissimilarity": float(w @ _square(h - v)),
            "update_variance": 0.0,
        },
        v,
    )


def _square(v: Array) -> Array:
    return np.asarray((v**2).sum(-1))
