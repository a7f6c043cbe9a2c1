"""A million points of every theorem: predict against the plain numpy formula of its total.

The plain formula is what one would write without boundkit: the sum of the terms as one numpy expression
over the same grid, without checks, without terms kept apart, without conditions and limits. Derived
quantities (FedNova's A, B, C, ...) are given as scalars. One thread; wall seconds; best of a few.

    python benchmarks/predict.py [--repeats 3] [--points 1000] [THEOREM ...]
"""

from __future__ import annotations

import argparse
import os
import time
from collections.abc import Callable
from contextlib import suppress
from typing import Any

os.environ.setdefault("OMP_NUM_THREADS", "1")

import numpy as np
from sympy import lambdify

from boundkit.algebra import BoundkitError, Theorem
from boundkit.analysis.predict import predict
from boundkit.theorems import catalogue

AIM = 1.0
"""Seconds for a million points."""


def grid(theorem: Theorem, points: int) -> dict[str, Any]:
    """Typical values, and two real quantities from theirs to twice as much, where the theorem allows it."""
    given: dict[str, Any] = {q.name: q.typical for q in theorem.quantities}
    axes: list[str] = []
    for q in theorem.quantities:
        if len(axes) < 2 and not q.domain.whole and q.domain.upper == np.inf:
            highest = {name: 2 * given[name] or 1e-3 for name in [*axes, q.name]}
            with suppress(BoundkitError):
                predict(theorem, **given | highest)
                axes.append(q.name)
    return given | {name: np.linspace(given[name], 2 * given[name] or 1e-3, points) for name in axes}


def seconds(work: Callable[[], object], repeats: int) -> float:
    """The best of a few, after one to warm up: the expression is compiled once."""
    work()
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        work()
        times.append(time.perf_counter() - start)
    return min(times)


def plain(theorem: Theorem, given: dict[str, Any]) -> Callable[[], object]:
    """The total as one numpy expression over the same grid."""
    names = [q.name for q in theorem.quantities]
    axes = [n for n in names if isinstance(given[n], np.ndarray)]
    shapes = {n: [-1 if i == k else 1 for i in range(len(axes))] for k, n in enumerate(axes)}
    values = [given[n].reshape(shapes[n]) if n in axes else given[n] for n in names]
    formula = lambdify(theorem.quantities, theorem.bound.total, modules=["numpy", "scipy"])
    shape = tuple(given[n].size for n in axes)
    return lambda: np.array(np.broadcast_to(formula(*values), shape))


def main() -> None:
    """Print a line for each theorem, and whether the aim is met."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--points", type=int, default=1000, help="of each of two axes")
    parser.add_argument("theorems", nargs="*")
    asked = parser.parse_args()
    slow = []
    print(f"{'theorem':<52}{'points':>10}{'predict':>10}{'numpy':>10}{'ratio':>8}")
    for name, theorem in catalogue().items():
        if asked.theorems and name not in asked.theorems:
            continue
        given = grid(theorem, asked.points)
        count = int(np.prod([np.size(v) for v in given.values()]))
        whole = seconds(lambda t=theorem, g=given: predict(t, **g).total, asked.repeats)  # type: ignore[misc]
        bare = seconds(plain(theorem, given), asked.repeats)
        slow += [name] if whole > AIM else []
        print(f"{name:<52}{count:>10}{whole:>9.3f}s{bare:>9.3f}s{whole / bare:>8.1f}")
    print(f"above {AIM:g} s: {', '.join(slow) or 'none'}")


if __name__ == "__main__":
    main()
