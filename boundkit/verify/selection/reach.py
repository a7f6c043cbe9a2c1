"""Does an order of losses occur anywhere? Decided where Hessians are alike; else both ways, or left open."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from boundkit.verify.problems import Quadratic
from boundkit.verify.problems.base import Array
from boundkit.verify.selection.pencil import Pencil

_STRICT = 1e-9
_CUTS = 12


def shared_hessian(problem: Quadratic) -> bool:
    """Whether all clients have one Hessian, so that differences of losses are linear."""
    return bool(np.ptp(problem.H, axis=0).max() <= 1e-12 * np.abs(problem.H).max())


def nowhere(pencil: Pencil, pairs: NDArray[np.intp]) -> bool:
    """Whether F_a > F_b for all the pairs (a, b) is proved to hold at no model.

    With one Hessian the answer is complete: a linear programme decides. Otherwise one pair may do, and the
    outer product z z' of z = (x, 1) is relaxed to a matrix with v' Z v >= 0 for some v, found one by one.
    """
    if len(pairs) == 0:
        return False
    if shared_hessian(pencil.problem):
        return strictly_inside(pencil.problem, pairs) is None
    A = pencil.matrices
    ahead, behind = _implied(pairs, len(A))
    if (np.linalg.eigvalsh(A[ahead] - A[behind])[:, -1] <= 1e-12 * np.abs(A).max()).any():
        return True  # one is never ahead of the other, by itself
    size = A.shape[-1]
    upper = np.triu_indices(size)
    twice = np.where(upper[0] == upper[1], 1.0, 2.0)
    rows = (A[pairs[:, 0]] - A[pairs[:, 1]])[:, upper[0], upper[1]] * twice
    reach = np.abs(rows).max(1, keepdims=True)
    cuts = [np.outer(v, v) for v in np.eye(size)]
    trace = np.eye(size)[upper]
    for _ in range(_CUTS):
        psd = np.array([c[upper] * twice for c in cuts])
        Z, slack = _best(rows / reach, psd, trace)
        if slack <= _STRICT:
            return True
        full = np.zeros((size, size))
        full[upper] = Z
        values, vectors = np.linalg.eigh(full + np.triu(full, 1).T)
        if values[0] >= -1e-9:
            return False
        cuts += [np.outer(v, v) for v in vectors.T[values < -1e-9]]
    return False


def _implied(pairs: NDArray[np.intp], clients: int) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """All pairs that follow from these: who is ahead, who is behind."""
    above = np.zeros((clients, clients), dtype=bool)
    above[pairs[:, 0], pairs[:, 1]] = True
    for k in range(clients):
        above |= above[:, k, None] & above[None, k]
    ahead, behind = np.nonzero(above)
    return ahead, behind


def _best(rows: Array, psd: Array, trace: Array) -> tuple[Array, float]:
    """Z of trace 1 with the largest slack in rows Z >= slack, subject to psd Z >= 0."""
    from scipy.optimize import linprog

    n, size = rows.shape
    A = np.block([[-rows, np.ones((n, 1))], [-psd, np.zeros((len(psd), 1))]])
    found = linprog(
        np.append(np.zeros(size), -1.0),
        A_ub=A,
        b_ub=np.zeros(len(A)),
        A_eq=np.append(trace, 0.0)[None],
        b_eq=[1.0],
        bounds=[(-1, 1)] * size + [(None, 1)],
    )
    if found.status != 0:
        return trace, 1.0
    solution = np.asarray(found.x)
    return solution[:-1], float(solution[-1])


def strictly_inside(problem: Quadratic, pairs: NDArray[np.intp]) -> Array | None:
    """A model at which F_a > F_b for all pairs, one Hessian for all; None where there is none."""
    from scipy.optimize import linprog

    pull = problem.apply(problem.e - problem.centre)  # F_k(c + u) = u'Hu/2 - u'pull_k + F_k(c)
    at = problem.losses(problem.centre)
    rows, level = pull[pairs[:, 0]] - pull[pairs[:, 1]], at[pairs[:, 0]] - at[pairs[:, 1]]
    size = np.linalg.norm(rows, axis=1)
    if (size == 0).any():
        return None
    scale = max(float(np.abs(level / size).max()), 1e-300)
    found = linprog(
        np.append(np.zeros(problem.d), -1.0),
        A_ub=np.column_stack([rows / size[:, None], np.ones(len(rows))]),
        b_ub=level / size / scale,
        bounds=[(None, None)] * problem.d + [(None, 1)],
    )
    solution = np.asarray(found.x) if found.status == 0 else np.zeros(1)
    return np.asarray(problem.centre + scale * solution[:-1]) if solution[-1] > _STRICT else None


def somewhere(problem: Quadratic, pairs: NDArray[np.intp], starts: Array) -> Array | None:
    """A model at which F_a > F_b for all pairs, searched from ``starts`` (n, d); None where none is found."""
    if len(pairs) == 0:
        return problem.centre
    if shared_hessian(problem):
        return strictly_inside(problem, pairs)
    from scipy.optimize import minimize

    a, b = pairs.T
    scale = float(problem.losses(problem.centre).max()) or 1.0
    losses = problem.losses(starts)
    promising = np.argsort(-(losses[:, a] - losses[:, b]).min(1))[:6]
    task: dict[str, Any] = {
        "fun": lambda v: -v[-1],
        "jac": lambda v: np.append(np.zeros(problem.d), -1.0),
        "method": "SLSQP",
        "bounds": [(None, None)] * problem.d + [(None, 1)],
        "constraints": {
            "type": "ineq",
            "fun": lambda v: _lead(problem.losses(v[:-1]), a, b) / scale - v[-1],
            "jac": lambda v: np.column_stack(
                [_lead(problem.apply(v[:-1] - problem.e), a, b) / scale, -np.ones(len(a))]
            ),
        },
    }
    for x in starts[promising]:
        found = np.asarray(minimize(x0=np.append(x, 0.0), **task).x[:-1])
        if np.isfinite(found).all() and _lead(problem.losses(found), a, b).min() > _STRICT * scale:
            return found
    return None


def _lead(values: Array, a: NDArray[np.intp], b: NDArray[np.intp]) -> Array:
    return np.asarray(values[a] - values[b])
