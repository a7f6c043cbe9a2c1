"""FedAvg written again from its definition, in plain loops, to hold the engines against."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


def matrices(H: Sequence[Any], d: int) -> list[Array]:
    """Each Hessian as a full matrix, from a number, a diagonal or a matrix."""
    full = []
    for h in H:
        h = np.asarray(h, dtype=float)
        full.append(h * np.eye(d) if h.ndim == 0 else np.diag(h) if h.ndim == 1 else h)
    return full


def fedavg(spec: dict[str, Any]) -> Array:
    """x_0, ..., x_T of a RUN.json with a schedule and without noise, (T + 1, d)."""
    e = np.asarray(spec["problem"]["e"], dtype=float)
    m, d = e.shape
    H = matrices(spec["problem"]["H"], d)
    p = np.asarray(spec["problem"].get("p", [1 / m] * m), dtype=float)
    options = spec.get("options", {})
    kind = options.get("aggregation", "weighted")
    rho, beta = options.get("momentum", 0.0), options.get("server_momentum", 0.0)
    eta, eta_s = spec["eta"], spec.get("eta_s", 1.0)
    steps = spec["local_steps"]
    table = steps if isinstance(steps, list) and isinstance(steps[0], list) else [steps]
    x = np.asarray(spec["x0"], dtype=float)
    b: Array | None = None
    path = [x]
    for t in range(spec["rounds"]):
        came = spec["schedule"][t % len(spec["schedule"])] if "schedule" in spec else list(range(m))
        row = table[t % len(table)]
        if came:
            update = np.zeros(d)
            for i in came:
                y, v = x.copy(), np.zeros(d)
                for _ in range(row[i] if isinstance(row, list) else row):
                    v = rho * v + H[i] @ (y - e[i])
                    y = y - eta * v
                weight = {
                    "weighted": p[i] / max(sum(p[j] for j in came), 1e-300),
                    "mean": 1 / len(came),
                    "all": 1 / m,
                    "sum": p[i],
                    "known": 1 / (m * options.get("probabilities", [1] * m)[i]),
                    "unbiased": p[i],  # everybody comes: q_i = 1
                }[kind]
                update = update + weight * (x - y)
            b = update if b is None else beta * b + update
            x = x - eta_s * b
        path.append(x)
    return np.array(path)
