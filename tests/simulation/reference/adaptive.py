"""Local adaptive solvers with the correction of what each coordinate was allowed to move.

Choices: the solver's state is fresh each round (u = 0, v = 0); u <- beta1 u + (1 - beta1) g for every solver,
no correction of bias; v is read after it has been moved; y <- y - eta u/(sqrt v + epsilon), for sgd
y <- y - eta u; adagrad v + g^2; adam beta2 v + (1 - beta2) g^2; yogi v - (1 - beta2) sign(v - g^2) g^2;
a <- beta1 a + (1 - beta1) P, A_i the sum of a over the round. Weights p_i renormalised over those who came.
Defaults: solver adam, correction joint, epsilon 1e-3, beta1 0.9 for adam and yogi and 0 for sgd and adagrad,
beta2 0.99.
"""

from __future__ import annotations

import numpy as np

from tests.simulation.reference.setting import Array, Models, Setting


def local_adaptive(run: Setting) -> Models:
    """x <- x - eta_s times: sum p_i Delta_i; sum p_i Delta_i/A_i; or that over sum p_i/A_i."""
    x = run.x0
    correction = run.option("correction", "joint")
    path = [x]
    for t in range(run.rounds):
        came = run.came(t)
        if came:
            plain, corrected, inverse = np.zeros_like(x), np.zeros_like(x), np.zeros_like(x)
            for i in came:
                delta, A = solve(run, t, i, x)
                share = run.share(i, came)
                plain = plain + share * delta
                corrected = corrected + share * delta / A
                inverse = inverse + share / A
            u = {"none": plain, "local": corrected, "joint": corrected / inverse}[correction]
            x = x - run.eta_s * u
        path.append(x)
    return path


def solve(run: Setting, t: int, i: int, x: Array) -> tuple[Array, Array]:
    """x - y_i, and the sum of what each coordinate's gradients were multiplied by, over eta."""
    solver = run.option("solver", "adam")
    beta1 = run.option("beta1", 0.9 if solver in ("adam", "yogi") else 0.0)
    beta2, epsilon = run.option("beta2", 0.99), run.option("epsilon", 1e-3)
    y, u, v = x.copy(), np.zeros_like(x), np.zeros_like(x)
    a, A = np.zeros_like(x), np.zeros_like(x)
    for _ in range(run.steps(t, i)):
        g = run.gradients[i](y)
        u = beta1 * u + (1 - beta1) * g
        if solver == "adagrad":
            v = v + g**2
        elif solver == "adam":
            v = beta2 * v + (1 - beta2) * g**2
        elif solver == "yogi":
            v = v - (1 - beta2) * np.sign(v - g**2) * g**2
        P = np.ones_like(x) if solver == "sgd" else 1 / (np.sqrt(v) + epsilon)
        y = y - run.eta * P * u
        a = beta1 * a + (1 - beta1) * P
        A = A + a
    return x - y, A
