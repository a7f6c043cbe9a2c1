"""What is seen of a run without chance: its own points, round by round, for any problem."""

from __future__ import annotations

import numpy as np

from boundkit.proofs.context import Array, Scene
from boundkit.proofs.observations import Clients, Server


def seen(scene: Scene) -> tuple[Clients, Server]:
    """All that the proofs name, round by round, from every client's steps."""
    rounds = scene.run.rounds
    clients: dict[str, list[Array]] = {name: [] for name in Clients.__dataclass_fields__}
    server: dict[str, list[float]] = {name: [] for name in Server.__dataclass_fields__}
    x = scene.run.x0
    loss = _loss(scene, x)
    for _ in range(rounds):
        ys, gradients = _steps(scene, x)
        one, two, v = _round(scene, x, ys, gradients)
        x = x - scene.length * v
        after = _loss(scene, x)
        for name, values in one.items():
            clients[name].append(values)
        for name, value in (two | {"decrease": loss - after}).items():
            server[name].append(value)
        loss = after
    return (
        Clients(**{name: np.array(values) for name, values in clients.items()}),
        Server(**{name: np.array(values) for name, values in server.items()}),
    )


def _loss(scene: Scene, x: Array) -> float:
    return float(scene.descended.observe(x[None])["loss"][0])


def _steps(scene: Scene, x: Array) -> tuple[Array, Array]:
    """Every client's models before its steps, and their gradients, (tau, m, d)."""
    import torch

    m, d = scene.descended.m, scene.descended.d
    most = scene.solver.shape[1]
    ys, gradients = np.empty((most, m, d)), np.empty((most, m, d))
    like = torch.zeros(1, m, d, dtype=torch.float64)
    at = scene.descended.gradients(np.arange(m), like)
    for k in range(most):
        ys[k] = x - scene.run.eta * np.tensordot(scene.solver[k, :k], gradients[:k], 1)
        gradients[k] = at(torch.from_numpy(ys[k][None])).numpy()[0]
    return ys, gradients


def _round(
    scene: Scene, x: Array, ys: Array, gradients: Array
) -> tuple[dict[str, Array], dict[str, float], Array]:
    """The letters of one round, of the clients and of the server, and the server's direction."""
    m, w, p = scene.descended.m, scene.w, scene.run.problem.p
    start = gradients[0]
    found: dict[str, Array] = {name: np.zeros(m) for name in Clients.__dataclass_fields__}
    h = np.empty_like(start)
    for i in range(m):
        A, last = scene.collected(i)
        share, own = last / last.sum(), gradients[: len(last), i]
        squares = _square(own)
        h[i] = share @ own
        found["gradient"][i] = _square(start[i])
        found["missed"][i] = found["error"][i] = _square(start[i] - h[i])
        found["steps_missed"][i] = share @ _square(own - start[i])
        walk = _square(ys[: len(last), i] - x)
        found["walk"][i] = share @ walk
        found["walk_by_step"][i] = (walk[1:] / np.arange(1, len(last))).sum()
        found["noise_way"][i] = share @ (A**2).sum(1)
        found["gradient_walk"][i] = share @ _square(A @ own)
        found["gradient_way"][i] = share @ (A.sum(1) * (A @ squares))
        found["step_gradients"][i] = share @ squares
    g, v, true = w @ start, w @ h, p @ start
    moved = float(_square(v))
    return (
        found,
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
