"""Searches for worst instances: random instances, families of few parameters, and local searches.

Six theorems, two seeds, the same number of instances each; without the initial instances of a search, which
would hide the difference. Of every search: measured/bound of its worst instance, and the mean necessary share
of the terms, from 0 to 1. Their means over searches, and these as ratios to those of the baseline, random
instances of many parameters alone. One thread.

    python benchmarks/falsify.py [--evaluations 120] [--seeds 2] [THEOREM ...]
"""

from __future__ import annotations

import argparse
import os
import time
from typing import get_args

os.environ.setdefault("OMP_NUM_THREADS", "1")

import numpy as np

from boundkit.attack.search import STRUCTURED_FRACTION, search
from boundkit.attack.search_state import Method
from boundkit.theorems import theorem

THEOREMS = (
    "fedavg_nonconvex_partial",
    "fedavg_convex_partial_sharp",
    "fedavg_convex_partial",
    "fedavg_strongly_convex_partial",
    "fednova_nonconvex_surrogate_sharp",
    "sgd_nonconvex",
)
BASELINE = "random instances"
STRUCTURED = "half of them of two kinds of clients"


def scores(
    name: str, structured: float, method: Method | None, evaluations: int, seed: int
) -> tuple[float, float]:
    """measured/bound, and the mean necessary share of the terms, of one search."""
    result = search(
        theorem(name), evaluations=evaluations, seed=seed, method=method, structured=structured, initial=False
    )
    shares = [np.clip(each.score, 0, 1) for aim, each in result.best.items() if aim != "bound"]
    return result.best["bound"].score, float(np.mean(shares or [result.best["bound"].score]))


def main() -> None:
    """Print a line for each kind of search."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--evaluations", type=int, default=120)
    parser.add_argument("--seeds", type=int, default=2)
    parser.add_argument("theorems", nargs="*", default=THEOREMS)
    arguments = parser.parse_args()
    kinds: dict[str, tuple[float, Method | None]] = {BASELINE: (0.0, None)}
    kinds[STRUCTURED] = (STRUCTURED_FRACTION, None)
    kinds |= {f"these, then {name}": (STRUCTURED_FRACTION, name) for name in get_args(Method)}
    base = np.ones(2)
    print(f"{'search':<40}{'bound':>10}{'ratio':>8}{'shares':>10}{'ratio':>8}{'seconds':>10}")
    for name, (structured, method) in kinds.items():
        begun = time.process_time()
        each = [
            scores(of, structured, method, arguments.evaluations, seed)
            for of in arguments.theorems
            for seed in range(arguments.seeds)
        ]
        mean = np.mean(each, axis=0)
        base = mean if name == BASELINE else base
        ratios = mean / base
        seconds = time.process_time() - begun
        print(
            f"{name:<40}{mean[0]:>10.4f}{ratios[0]:>8.3f}{mean[1]:>10.4f}{ratios[1]:>8.3f}{seconds:>9.1f}s",
            flush=True,
        )


if __name__ == "__main__":
    main()
