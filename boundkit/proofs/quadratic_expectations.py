"""Exact expectations on quadratics, of every local step, from the first two moments of the server's model.

In the eigenbasis of its own Hessian a client's coordinates decouple. With z = x - e_i there, its model at
step k is e_i + alpha_k z + sum_r N_kr noise_r, where (1 + eta h A) alpha = 1 and (1 + eta h A) N = -eta A;
every quantity is a form in E z_j^2 and the variance of the noise. The server's moments are about its optimum.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from boundkit.proofs.expectation_values import Array, ClientExpectations, RunContext, ServerExpectations
from boundkit.simulation.problems import Quadratic


@dataclass(frozen=True)
class ClientRound:
    """A client's round in its eigenbasis: weights of E z_j^2, (d,), and noise, by quantity.

    ``response``: h_i = Q response Q' (x - e_i) plus noise. ``drift``: x less the mean of
    the models, in the mean over the steps, likewise. ``sent``: the variance of the noise in d_i, (d,).
    """

    forms: dict[str, tuple[Array, float]]
    response: Array
    drift: Array
    sent: Array
    noise: float


@dataclass(frozen=True)
class ServerMoments:
    """E u, (T + 1, d), and E u u', (T + 1, d, d), of u = x - centre."""

    mean: Array
    second: Array

    def square(self, M: Array, b: Array) -> Array:
        """E ||M u + b||^2, (T + 1,)."""
        return self.product(M, b, M, b)

    def product(self, M: Array, b: Array, N: Array, c: Array) -> Array:
        """E <M u + b, N u + c>, (T + 1,)."""
        quadratic = np.einsum("tij,ij->t", self.second, M.T @ N)
        return np.asarray(quadratic + self.mean @ (M.T @ c + N.T @ b) + b @ c)


def client_round(context: RunContext, client: int, h: Array, variance: float) -> ClientRound:
    """Compute the round of a client with eigenvalues h, (d,); ``variance``: of a coordinate's noise."""
    A, last = context.collected(client)
    tau, eta = len(last), context.run.eta
    share = last / last.sum()
    solved = np.eye(tau) + eta * h[:, None, None] * A
    alpha = np.asarray(np.linalg.solve(solved, np.ones((len(h), tau, 1)))[..., 0], dtype=np.float64)
    N = np.asarray(-eta * np.linalg.solve(solved, np.broadcast_to(A, solved.shape)), dtype=np.float64)

    def form(response: Array, noise: Array, weights: Array = share) -> tuple[Array, float]:
        """Weighted mean over steps of E (response_k z + sum_r N_kr noise_r)^2: (d, tau), (d, tau, tau)."""
        return np.asarray(response**2 @ weights), variance * float(((noise**2).sum(-1) @ weights).sum())

    def squared(response: Array, noise: Array) -> tuple[Array, float]:
        return response**2, variance * float((noise**2).sum())

    vanishing, one = 1 - alpha, h[:, None]
    each = one * alpha
    before = np.asarray(A @ (h[:, None, None] * N), dtype=np.float64)
    over_steps = np.array([0.0, *(1 / k for k in range(1, tau))])
    later = A.T @ (share * A.sum(1))  # of the squared gradient of step s, over the steps k after it
    missed = h * (vanishing @ share), h[:, None] * (share @ N)
    response = h - missed[0]
    return ClientRound(
        forms={
            "gradient": (h**2, 0.0),
            "direction_error": squared(*missed),
            "expected_error": (missed[0] ** 2, 0.0),
            "step_errors": form(one * vanishing, h[:, None, None] * N),
            "displacement": form(vanishing, N),
            "displacement_by_step": form(vanishing, N, over_steps),
            "noise_displacement": (0 * h, variance * len(h) * float((A**2).sum(1) @ share)),
            "noise_weights": (0 * h, float((A**2).sum(1) @ share)),
            "gradient_displacement": form(np.asarray(each @ A.T, dtype=np.float64), before),
            "weighted_gradients": form(each, h[:, None, None] * N, later),
            "step_gradients": form(each, h[:, None, None] * N),
            "mean": squared(response, missed[1]),
        },
        response=response,
        drift=vanishing @ share,
        sent=variance * ((share + missed[1]) ** 2).sum(-1),
        noise=variance * len(h) * float((share**2).sum()),
    )


@dataclass(frozen=True)
class AffineRound:
    """Every client's gradient H_i u + g_i and mean direction R_i u + r_i at the server's model, u from the
    centre, and the moments of u.

    ``basis``: eigenvectors, (m, d, d); ``away``: the centre from the clients' minimisers, (m, d);
    ``direction``: E ||v||^2 of the server's direction, (T,); ``sequence``: the moments of the model that
    takes plain steps, which is not the server's where the server has momentum.
    """

    own: list[ClientRound]
    basis: Array
    away: Array
    H: Array
    g: Array
    R: Array
    r: Array
    moments: ServerMoments
    sequence: ServerMoments
    direction: Array


def affine_round(context: RunContext) -> AffineRound:
    """Compute gradients and mean directions of a quadratic run, and the server's moments in all rounds."""
    problem = context.descended
    assert isinstance(problem, Quadratic)
    m, d = problem.m, problem.d
    Q = np.broadcast_to(np.eye(d), (m, d, d)) if problem.basis is None else problem.basis
    own = [client_round(context, i, problem.spectrum[i], problem.deviation**2) for i in range(m)]
    back = np.swapaxes(Q, 1, 2)
    away = problem.centre - problem.e
    H = (Q * problem.spectrum[:, None, :]) @ back
    R = (Q * np.array([one.response for one in own])[:, None, :]) @ back
    g, r = (np.einsum("ijk,ik->ij", maps, away) for maps in (H, R))
    noise_covariances = (Q * np.array([one.sent for one in own])[:, None, :]) @ back
    return AffineRound(own, Q, away, H, g, R, r, *_server_moments(context, R, r, noise_covariances))


class QuadraticRounds:
    """Exact expectations of products of vectors, and of scalars, in every round of a quadratic run."""

    def __init__(self, context: RunContext) -> None:
        this, self.w = affine_round(context), context.w
        clients, server = exact_expectations(context, this)
        self.now = ServerMoments(this.moments.mean[:-1], this.moments.second[:-1])
        m, d = this.g.shape
        one, p = np.broadcast_to(np.eye(d), (m, d, d)), context.run.problem.p
        true = [np.broadcast_to(np.tensordot(p, each, 1), each.shape) for each in (this.H, this.g)]
        self.vectors: dict[str, tuple[Array, Array]] = {
            "g": (this.H, this.g),
            "e": (this.H - this.R, this.g - this.r),
            "o": (0 * this.H, this.g),
            "X": (np.asarray(one), 0 * this.g),
            "P": (np.asarray(true[0]), np.asarray(true[1])),
        }
        G, g0 = np.tensordot(self.w, this.H, 1), self.w @ this.g
        square = np.einsum("tii->t", this.moments.second)
        gap = np.einsum("tij,ij->t", this.moments.second, G) / 2 + this.moments.mean @ g0
        along = this.sequence
        gap_along = np.einsum("tij,ij->t", along.second, G) / 2 + along.mean @ g0
        square_along = np.einsum("tii->t", along.second)
        spread = np.array([each.sent.sum() for each in this.own])
        paths = np.array([each.forms["mean"][1] for each in this.own])
        one_each = np.ones(len(square) - 1)
        turned = this.basis * np.array([each.drift for each in this.own])[:, None, :]
        drift = np.tensordot(self.w, turned @ np.swapaxes(this.basis, 1, 2), 1)
        at_centre = self.w @ np.einsum("ijk,ilk,il->ij", turned, this.basis, this.away)
        variance = float(self.w @ np.array([each.forms["displacement"][1] for each in this.own]))
        self.scalars: dict[str, Array] = {
            "direction": this.direction,
            "client_variance": server.update_variance,
            "decrease": server.decrease,
            "decrease_of_sequence": gap_along[:-1] - gap_along[1:],
            "approach_of_sequence": square_along[:-1] - square_along[1:],
            "displacement": clients.displacement @ self.w,
            "mean_displacement": clients.displacement @ self.w - variance,
            "model_variance": variance * one_each,
            "mean_drift": self.now.square(drift, at_centre),
            "loss_gap": gap[:-1],
            "next_loss_gap": gap[1:],
            "square_distance": square[:-1],
            "next_square_distance": square[1:],
            "sampled_variance": (context.weights.square @ spread) * one_each,
            "weighted_noise": (self.w**2 @ spread) * one_each,
            "path_variance": (self.w @ paths) * one_each,
        }

    def inner(self, first: str, second: str, mean: bool) -> Array:
        """E <u, v> of the means over clients, or E mean_i <u_i, v_i>, (T,)."""
        (M, b), (N, c) = self.vectors[first], self.vectors[second]
        w = self.w
        if mean:
            return self.now.product(np.tensordot(w, M, 1), w @ b, np.tensordot(w, N, 1), w @ c)
        each = (w[i] * self.now.product(M[i], b[i], N[i], c[i]) for i in range(len(w)))
        return np.asarray(sum(each), dtype=np.float64)


def exact_expectations(
    context: RunContext, this: AffineRound | None = None
) -> tuple[ClientExpectations, ServerExpectations]:
    """Evaluate the expectations of all quantities of the proofs, round by round."""
    this = affine_round(context) if this is None else this
    w, spare, m = context.w, context.spare, len(context.w)
    own, Q, away, H, g, R, r, moved = (
        this.own, this.basis, this.away, this.H, this.g, this.R, this.r, this.moments,
    )  # fmt: skip
    now = ServerMoments(moved.mean[:-1], moved.second[:-1])

    z = np.einsum("ijk,tjl,ilk->tik", Q, now.second, Q, optimize=True)
    turned, there = np.einsum("ijk,tj->tik", Q, now.mean), np.einsum("ijk,ij->ik", Q, away)
    z = z + 2 * turned * there + there**2
    each = {
        name: np.stack([z[:, i] @ own[i].forms[name][0] + own[i].forms[name][1] for i in range(m)], axis=1)
        for name in own[0].forms
    }
    mean = {name: (np.tensordot(w, M, 1), w @ b) for name, M, b in (("g", H, g), ("h", R, r))}
    (G, g0), (B, b0) = mean["g"], mean["h"]
    noise_of = {name: np.array([one.forms[name][1] for one in own]) for name in ("direction_error", "mean")}
    sent = np.array([one.sent.sum() for one in own])
    uniform_weight = 1 / m if spare else 0.0  # where clients are sampled, w is uniform

    def over_sampled(of_mean: Array, noise: Array, of_each: Array) -> Array:
        """E of the square of the mean over the sampled clients, from that over all and that of each."""
        mean_square = of_mean + w**2 @ noise
        return np.asarray(mean_square + spare * (uniform_weight * of_each.sum(1) - mean_square))

    mean_direction = now.square(B, b0)
    mean_error = now.square(G - B, g0 - b0)
    gap = np.einsum("tij,ij->t", moved.second, G) / 2 + moved.mean @ g0
    noise_variance = w**2 @ np.array([one.noise for one in own]) * (1 + spare * (m - 1))
    server = ServerExpectations(
        gradient=now.square(G, g0),
        dissimilarity=_weighted_square(now, w, H - G, g - g0),
        decrease=gap[:-1] - gap[1:],
        inner_product=now.product(G, g0, B, b0),
        server_direction=this.direction,
        noise=np.full(len(mean_direction), noise_variance),
        mean_direction=mean_direction + w**2 @ noise_of["mean"],
        sampled_direction=over_sampled(mean_direction, noise_of["mean"], each["mean"]),
        sampled_error=over_sampled(mean_error, noise_of["direction_error"], each["direction_error"]),
        direction_error=mean_error + w**2 @ noise_of["direction_error"],
        expected_direction=mean_direction,
        expected_error=mean_error,
        direction_dissimilarity=_weighted_square(now, w, R - B, r - b0),
        update_variance=np.full(len(mean_direction), w @ sent),
    )
    names = ClientExpectations.__dataclass_fields__
    return ClientExpectations(**{name: each[name] for name in names}), server


def _weighted_square(now: ServerMoments, w: Array, M: Array, b: Array) -> Array:
    """sum_i w_i E ||M_i u + b_i||^2, (T,)."""
    return np.asarray(sum(w[i] * now.square(M[i], b[i]) for i in range(len(w))), dtype=np.float64)


def _server_moments(
    context: RunContext, R: Array, r: Array, noise_covariances: Array
) -> tuple[ServerMoments, ServerMoments, Array]:
    """Compute the moments of the server's model and of the model with plain steps, about the optimum, in all
    rounds, and E ||v||^2.

    The state is the server's model and its momentum.
    """
    w, s, rounds, d = context.w, context.length, context.run.rounds, context.descended.d
    weights, (beta, nesterov, c), unit, none = context.weights, context.momentum, np.eye(d), np.zeros((d, d))
    kept = np.block([[unit, -s * c * beta * unit], [none, beta * unit]])
    moved = np.vstack([-s * (nesterov + c) * unit, unit])
    B, b, covariance = np.tensordot(w, R, 1), w @ r, np.tensordot(weights.square, noise_covariances, 1)
    together = [(size, np.tensordot(f, R, 1), f @ r) for size, f in weights.factors]
    alone = np.flatnonzero(weights.diagonal)
    mean, second = np.zeros((rounds + 1, 2 * d)), np.zeros((rounds + 1, 2 * d, 2 * d))
    direction = np.empty(rounds)
    mean[0, :d] = context.run.x0 - context.descended.centre
    second[0] = np.outer(mean[0], mean[0])
    for t in range(rounds):
        u, S, x = mean[t], second[t], slice(d)
        square = covariance + sum(size * _second_moment(M, f, u[x], S[x, x]) for size, M, f in together)
        square = square + sum(weights.diagonal[i] * _second_moment(R[i], r[i], u[x], S[x, x]) for i in alone)
        direction[t] = np.trace(square)
        mean[t + 1] = kept @ u + moved @ (B @ u[x] + b)
        cross = kept @ (S[:, x] @ B.T + np.outer(u, b)) @ moved.T
        after = kept @ S @ kept.T + cross + cross.T + moved @ square @ moved.T
        second[t + 1] = (after + after.T) / 2
    model = np.hstack([unit, context.ahead * unit])
    sequence = ServerMoments(mean @ model.T, model @ second @ model.T)
    return ServerMoments(mean[:, :d], second[:, :d, :d]), sequence, direction


def _second_moment(B: Array, b: Array, u: Array, S: Array) -> Array:
    """E (B u + b)(B u + b)'."""
    cross = np.outer(B @ u, b)
    return np.asarray(B @ S @ B.T + cross + cross.T + np.outer(b, b))
