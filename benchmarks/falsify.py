"""Walks of the search for worst instances, by several minimisers, against random starts alone.

Six theorems, two seeds, the same number of instances each; without the tight instances from which a search
usually begins, which would hide the difference. Of every search: measured/bound of its worst instance, and
how much of each term was needed, from 0 to 1. Their means, and these as ratios to those of random starts
alone, the baseline. "aims in turn": a search that does not learn which aims its walks help. One thread.

    python benchmarks/falsify.py [--evaluations 120] [--seeds 2] [THEOREM ...]
"""

from __future__ import annotations

import argparse
import os
import time
from typing import get_args

os.environ.setdefault("OMP_NUM_THREADS", "1")

import numpy as np

from boundkit.attack import search, search_state
from boundkit.attack.search_state import METHOD, Method
from boundkit.theorems import theorem

THEOREMS = (
    "fedavg_nonconvex_partial",
    "fedavg_convex_partial_sharp",
    "fedavg_convex_partial",
    "fedavg_strongly_convex_partial",
    "fedavg_surrogate_optimum",
    "sgd_nonconvex",
)
BASELINE, UNLEARNED = "random starts alone", f"{METHOD}, aims in turn"


def scores(name: str, method: Method | None, evaluations: int, seed: int) -> tuple[float, float]:
    """measured/bound, and the mean need of the terms, of one search."""
    found = search.search(theorem(name), evaluations=evaluations, seed=seed, method=method)
    needs = [np.clip(f.score, 0, 1) for aim, f in found.best.items() if aim != "bound"]
    return found.best["bound"].score, float(np.mean(needs or [found.best["bound"].score]))


def main() -> None:
    """Print a line for each method."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--evaluations", type=int, default=120)
    parser.add_argument("--seeds", type=int, default=2)
    parser.add_argument("theorems", nargs="*", default=THEOREMS)
    asked = parser.parse_args()
    methods: dict[str, Method | None] = {BASELINE: None, UNLEARNED: METHOD}
    methods |= {name: name for name in get_args(Method)}
    setattr(search, "anchors", lambda of: ())  # noqa: B010
    decay, base = search_state.DECAY, np.ones(2)
    print(f"{'walks by':<30}{'bound':>10}{'ratio':>8}{'needs':>10}{'ratio':>8}{'seconds':>10}")
    for name, method in methods.items():
        search_state.DECAY = 1.0 if name == UNLEARNED else decay
        begun = time.process_time()
        found = [
            scores(of, method, asked.evaluations, seed)
            for of in asked.theorems
            for seed in range(asked.seeds)
        ]
        mean = np.mean(found, axis=0)
        base = mean if name == BASELINE else base
        times = mean / base
        seconds = time.process_time() - begun
        print(
            f"{name:<30}{mean[0]:>10.4f}{times[0]:>8.3f}{mean[1]:>10.4f}{times[1]:>8.3f}{seconds:>9.1f}s",
            flush=True,
        )


if __name__ == "__main__":
    main()
