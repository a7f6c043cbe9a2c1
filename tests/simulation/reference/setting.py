"""A RUN.json taken apart: gradients, weights, who comes, how many steps, which options."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Models = list[Array]
Gradient = Callable[[Array], Array]
Loss = Callable[[Array], float]


@dataclass
class Setting:
    """What an algorithm needs to know about its run; ``came(t)`` and ``steps(t, i)`` are of round t."""

    gradients: list[Gradient]
    loss: Loss
    least_loss: float
    p: Array
    x0: Array
    rounds: int
    eta: float
    eta_s: float
    options: dict[str, Any]
    schedule: list[list[int]]
    table: list[Any]

    @property
    def m(self) -> int:
        return len(self.gradients)

    def came(self, t: int) -> list[int]:
        return self.schedule[t % len(self.schedule)]

    def steps(self, t: int, i: int) -> int:
        row = self.table[t % len(self.table)]
        return int(row[i] if isinstance(row, list) else row)

    def option(self, name: str, default: Any) -> Any:
        return self.options.get(name, default)

    def share(self, i: int, came: list[int]) -> float:
        """p_i, renormalised over those who came; 0 where all of them weigh nothing."""
        whole = sum(self.p[j] for j in came)
        return float(self.p[i] / whole) if whole > 0 else 0.0


def read(spec: dict[str, Any]) -> Setting:
    """The setting of a RUN.json with a schedule or full participation, and without noise."""
    assert spec.get("noise", 0.0) == 0.0, "the reference is deterministic"
    assert "schedule" in spec or spec.get("participation", {"kind": "full"})["kind"] == "full"
    problem = spec["problem"]
    gradients, losses = quadratic(problem) if problem["kind"] == "quadratic" else polynomial(problem)
    m = len(gradients)
    p = np.array(problem.get("p", [1 / m] * m), dtype=float)

    def loss(x: Array) -> float:
        return sum(float(p[i]) * losses[i](x) for i in range(m))

    steps = spec["local_steps"]
    return Setting(
        gradients=gradients,
        loss=loss,
        least_loss=loss(optimum(problem, p)),
        p=p,
        x0=np.array(spec["x0"], dtype=float),
        rounds=spec["rounds"],
        eta=spec["eta"],
        eta_s=spec.get("eta_s", 1.0),
        options=dict(spec.get("options", {})),
        schedule=spec.get("schedule", [list(range(m))]),
        table=steps if isinstance(steps, list) and isinstance(steps[0], list) else [steps],
    )


def matrices(problem: dict[str, Any]) -> list[Array]:
    """Each H_i as a full matrix, from a number, a diagonal or a matrix."""
    d = len(problem["e"][0])
    full = []
    for entry in problem["H"]:
        h = np.array(entry, dtype=float)
        full.append(h * np.eye(d) if h.ndim == 0 else np.diag(h) if h.ndim == 1 else h)
    return full


def quadratic(problem: dict[str, Any]) -> tuple[list[Gradient], list[Loss]]:
    """H_i (x - e_i), and 1/2 (x - e_i)' H_i (x - e_i)."""
    gradients: list[Gradient] = []
    losses: list[Loss] = []
    for H, e in zip(matrices(problem), np.array(problem["e"], dtype=float), strict=True):
        gradients.append(lambda x, H=H, e=e: H @ (x - e))  # type: ignore[misc]
        losses.append(lambda x, H=H, e=e: 0.5 * float((x - e) @ H @ (x - e)))  # type: ignore[misc]
    return gradients, losses


def polynomial(problem: dict[str, Any]) -> tuple[list[Gradient], list[Loss]]:
    """Polynomials in one dimension, highest power first."""
    gradients: list[Gradient] = []
    losses: list[Loss] = []
    for c in problem["coefficients"]:
        slope = np.polyder(np.array(c, dtype=float))
        gradients.append(lambda x, c=slope: np.asarray(np.polyval(c, x), dtype=float))  # type: ignore[misc]
        losses.append(lambda x, c=c: float(np.polyval(c, x[0])))  # type: ignore[misc]
    return gradients, losses


def optimum(problem: dict[str, Any], p: Array) -> Array:
    """The point of least F = sum p_i F_i."""
    if problem["kind"] == "quadratic":
        H = matrices(problem)
        e = np.array(problem["e"], dtype=float)
        whole: Array = sum((p[i] * H[i] for i in range(len(H))), np.zeros_like(H[0]))
        right: Array = sum((p[i] * H[i] @ e[i] for i in range(len(H))), np.zeros_like(e[0]))
        return np.asarray(np.linalg.lstsq(whole, right, rcond=None)[0], dtype=float)
    mean = np.zeros(1)
    for i, c in enumerate(problem["coefficients"]):
        mean = np.polyadd(mean, p[i] * np.array(c, dtype=float))
    roots = np.roots(np.polyder(mean))
    real = roots[np.abs(roots.imag) < 1e-9].real
    return np.array([min(real, key=lambda x: float(np.polyval(mean, x)))])
