"""Feasibility of an order of losses: linear programme for equal Hessians, else branch and bound on boxes."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from boundkit.simulation.problems import Quadratic
from boundkit.simulation.problems.base import Array
from boundkit.simulation.selection.pencil import Pencil

_STRICT = 1e-9
_MOST_BOXES = 4000
_HALVINGS = 80


def occurs(pencil: Pencil, pairs: NDArray[np.intp]) -> bool | None:
    """Whether F_a > F_b for all pairs (a, b) holds at some model; None where undecided.

    For equal Hessians a linear programme decides. Otherwise all of space, infinity included, is covered with
    boxes: a box on which some pair is reversed is dropped, others are halved, until none is left,
    or the centre of one satisfies all pairs, or there are too many.
    """
    if len(pairs) == 0:
        return True
    if np.ptp(pencil.problem.H, axis=0).max() <= 1e-12 * np.abs(pencil.problem.H).max():
        return _occurs_linearly(pencil.problem, pairs)
    A = pencil.matrices
    lead = A[pairs[:, 0]] - A[pairs[:, 1]]
    if (np.linalg.eigvalsh(lead)[:, -1] <= 1e-12 * np.abs(A).max()).any():
        return False  # the losses are never strictly ordered
    return _occurs_in_boxes(lead / np.abs(lead).max((1, 2), keepdims=True))


def _occurs_in_boxes(lead: Array) -> bool | None:
    """Whether z' D z > 0 for all D of lead, (n, s, s), at some z; up to scale z is on a face of a cube."""
    centre = np.eye(lead.shape[-1])
    radius = 1 - centre
    for _ in range(_HALVINGS):
        slope = np.einsum("nij,bj->bni", lead, centre)
        value = np.einsum("bni,bi->bn", slope, centre)
        if (value > _STRICT).all(1).any():
            return True
        change = 2 * np.einsum("bni,bi->bn", np.abs(slope), radius)
        change += np.einsum("bi,nij,bj->bn", radius, np.abs(lead), radius, optimize=True)
        keep = (value + change > -1e-13).all(1)
        centre, radius = centre[keep], radius[keep]
        if len(centre) == 0:
            return False
        if 2 * len(centre) > _MOST_BOXES:
            return None
        longest = radius.argmax(1)
        radius[np.arange(len(radius)), longest] /= 2
        step = np.zeros_like(radius)
        step[np.arange(len(radius)), longest] = radius[np.arange(len(radius)), longest]
        centre, radius = np.concatenate([centre - step, centre + step]), np.concatenate([radius, radius])
    return None


def _occurs_linearly(problem: Quadratic, pairs: NDArray[np.intp]) -> bool:
    """The same for one Hessian: F_k(c + u) = u'Hu/2 - u'H(e_k - c) + F_k(c), differences are linear."""
    from scipy.optimize import linprog

    pull = problem.apply(problem.e - problem.centre)
    at = problem.losses(problem.centre)
    rows, level = pull[pairs[:, 0]] - pull[pairs[:, 1]], at[pairs[:, 0]] - at[pairs[:, 1]]
    size = np.linalg.norm(rows, axis=1)
    if (size == 0).any():
        return False  # two clients with equal losses are never strictly ordered
    scale = max(float(np.abs(level / size).max()), 1e-300)
    found = linprog(
        np.append(np.zeros(problem.d), -1.0),
        A_ub=np.column_stack([rows / size[:, None], np.ones(len(rows))]),
        b_ub=level / size / scale,
        bounds=[(None, None)] * problem.d + [(None, 1)],
    )
    return found.status == 0 and float(np.asarray(found.x)[-1]) > _STRICT
