"""Quantities of the proofs on a deterministic run, from its iterates, for any problem."""

from __future__ import annotations

import numpy as np

from boundkit.proofs.expectation_values import Array, ClientExpectations, RunContext, ServerExpectations


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


def _loss(context: RunContext, x: Array) -> float:
    return float(context.descended.observe(x[None])["loss"][0])


def _steps(context: RunContext, x: Array) -> tuple[Array, Array]:
    """Return every client's models before its steps, and their gradients, (tau, m, d)."""
    import torch

    m, d = context.descended.m, context.descended.d
    most = context.solver.shape[1]
    ys, gradients = np.empty((most, m, d)), np.empty((most, m, d))
    like = torch.zeros(1, m, d, dtype=torch.float64)
    at = context.descended.gradients(np.arange(m), like)
    for k in range(most):
        ys[k] = x - context.run.eta * np.tensordot(context.solver[k, :k], gradients[:k], 1)
        gradients[k] = at(torch.from_numpy(ys[k][None])).numpy()[0]
    return ys, gradients


def _round(
    context: RunContext, x: Array, ys: Array, gradients: Array
) -> tuple[dict[str, Array], dict[str, float], Array]:
    """Return the quantities of one round, of the clients and of the server, and the server's direction."""
    m, w, p = context.descended.m, context.w, context.run.problem.p
    start = gradients[0]
    result: dict[str, Array] = {name: np.zeros(m) for name in ClientExpectations.__dataclass_fields__}
    h = np.empty_like(start)
    for i in range(m):
        A, last = context.collected(i)
        share, own = last / last.sum(), gradients[: len(last), i]
        squares = _square(own)
        h[i] = share @ own
        result["gradient"][i] = _square(start[i])
        result["missed"][i] = result["error"][i] = _square(start[i] - h[i])
        result["steps_missed"][i] = share @ _square(own - start[i])
        squared_drift = _square(ys[: len(last), i] - x)
        result["walk"][i] = share @ squared_drift
        result["walk_by_step"][i] = (squared_drift[1:] / np.arange(1, len(last))).sum()
        result["noise_way"][i] = share @ (A**2).sum(1)
        result["gradient_walk"][i] = share @ _square(A @ own)
        result["gradient_way"][i] = share @ (A.sum(1) * (A @ squares))
        result["step_gradients"][i] = share @ squares
    g, v, true = w @ start, w @ h, p @ start
    moved = float(_square(v))
    return (
        result,
        {
            "true_gradient": float(_square(true)),
            "gradient": float(_square(g)),
            "dissimilarity": float(w @ _square(start - g)),
            "other_weighing": float(_square(true - g)),
            "along": float(g @ v),
            "moved": moved,
            "noise": 0.0,
            "mean_moved": moved,
            "chosen_moved": moved,
            "chosen_apart": float(_square(g - v)),
            "missed": float(_square(g - v)),
            "true_moved": moved,
            "error": float(_square(g - v)),
            "spread": float(w @ _square(h - v)),
            "sent_variance": 0.0,
        },
        v,
    )


def _square(v: Array) -> Array:
    return np.asarray((v**2).sum(-1))
