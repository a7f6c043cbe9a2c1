"""Random runs, as RUN.json would hold them."""

from __future__ import annotations

from typing import Any

import numpy as np

CURVATURES = ("scalar", "diagonal", "mixed", "dense")
AGGREGATIONS = ("weighted", "mean", "all", "sum", "known", "unbiased")


def spec(
    seed: int, curvature: str = "mixed", aggregation: str = "weighted", rounds: int = 12
) -> dict[str, Any]:
    """A run without noise: unequal weights, steps by client and round, a schedule with empty rounds."""
    rng = np.random.default_rng(seed)
    m, d = int(rng.integers(2, 6)), int(rng.integers(1, 4))
    p = rng.dirichlet(np.ones(m))
    options: dict[str, Any] = {"aggregation": aggregation}
    if aggregation == "known":
        options["probabilities"] = rng.uniform(0.3, 1, m).tolist()
    if seed % 2:
        options["momentum"] = float(rng.uniform(0.1, 0.9))
    if seed % 3:
        options["server_momentum"] = float(rng.uniform(0.1, 0.8))
    run = {
        "problem": {
            "kind": "quadratic",
            "H": [hessian(rng, d, curvature, i) for i in range(m)],
            "e": rng.normal(size=(m, d)).tolist(),
            "p": p.tolist(),
        },
        "x0": rng.normal(size=d).tolist(),
        "rounds": rounds,
        "eta": float(rng.uniform(0.01, 0.2)),
        "eta_s": float(rng.uniform(0.3, 1.2)),
        "local_steps": rng.integers(1, 8, size=(int(rng.integers(1, 4)), m)).tolist(),
        "options": options,
    }
    if aggregation != "unbiased":  # which needs a law of participation
        sizes = rng.integers(0, m + 1, size=5)
        run["schedule"] = [rng.permutation(m)[:n].tolist() for n in sizes] + [[]]
    return run


def hessian(rng: np.random.Generator, d: int, curvature: str, i: int = 0) -> Any:
    """One Hessian with eigenvalues between 0.1 and 2."""
    kind = CURVATURES[(0, 1, 3)[i % 3]] if curvature == "mixed" else curvature
    if kind == "scalar":
        return float(rng.uniform(0.1, 2))
    if kind == "diagonal":
        return rng.uniform(0.1, 2, d).tolist()
    Q = np.linalg.qr(rng.normal(size=(d, d)))[0]
    h = (Q * rng.uniform(0.1, 2, d)) @ Q.T
    return ((h + h.T) / 2).tolist()
