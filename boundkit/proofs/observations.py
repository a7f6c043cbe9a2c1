"""What was seen of the clients in every round, and the letters of the proofs that are made of it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from boundkit.proofs import expectations as of
from boundkit.proofs.context import Array, Scene


@dataclass(frozen=True)
class Clients:
    """Expectations of each client, (T, m); those that no round changes, (m,)."""

    gradient: Array
    missed: Array
    error: Array
    steps_missed: Array
    walk: Array
    walk_by_step: Array
    noise_walk: Array
    noise_way: Array
    gradient_walk: Array
    gradient_way: Array
    step_gradients: Array


@dataclass(frozen=True)
class Server:
    """Expectations of the server, (T,)."""

    true_gradient: Array
    gradient: Array
    dissimilarity: Array
    other_weighing: Array
    decrease: Array
    along: Array
    moved: Array
    noise: Array
    mean_moved: Array
    chosen_moved: Array
    chosen_apart: Array
    missed: Array
    true_moved: Array
    error: Array
    spread: Array
    sent_variance: Array


def values_of(scene: Scene, clients: Clients, server: Server, counted: float) -> dict[str, Array]:
    """Every letter of the proofs, by name, (T,); ``counted``: how much of c_i the proof counts."""
    w = scene.w
    c = counted * np.array([scene.counted(i) for i in range(len(w))])
    found = {
        of.true_gradient: server.true_gradient,
        of.gradient: server.gradient,
        of.other_weighing: server.other_weighing,
        of.dissimilarity: server.dissimilarity,
        of.decrease: server.decrease,
        of.along: server.along,
        of.moved: server.moved,
        of.noise: server.noise,
        of.mean_moved: server.mean_moved,
        of.chosen_moved: server.chosen_moved,
        of.chosen_apart: server.chosen_apart,
        of.chosen_gradient: scene.spare * server.dissimilarity,
        of.missed: server.missed,
        of.clients_missed: clients.missed @ w,
        of.steps_missed: clients.steps_missed @ w,
        of.walk: clients.walk @ w,
        of.walk_on: clients.walk @ w,
        of.noise_walk: clients.noise_walk @ w,
        of.noise_way: clients.noise_way @ w,
        of.gradient_walk: clients.gradient_walk @ w,
        of.gradient_way: clients.gradient_way @ w,
        of.all_steps: clients.step_gradients @ (w * c),
        of.all_missed: clients.steps_missed @ (w * c),
        of.all_start: clients.gradient @ (w * c),
        of.all_walk: clients.walk @ (w * c),
        of.start_gradients: clients.gradient @ w,
        of.true_moved: server.true_moved,
        of.error_along: server.gradient - server.along,
        of.error: server.error,
        of.clients_error: clients.error @ w,
        of.spread: server.spread,
        of.sent_variance: server.sent_variance,
        of.walk_by_step: clients.walk_by_step @ w,
    }
    rounds = len(server.gradient)
    return {letter.name: np.broadcast_to(value, (rounds,)) for letter, value in found.items()}
