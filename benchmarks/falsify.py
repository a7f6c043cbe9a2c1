"""Searches for worst instances: random instances, families of few parameters, and local searches.

Six theorems, two seeds, the same number of instances each; without the initial instances of a search, which
would hide the difference, and once with them. Of every search: measured/bound of its worst instance, and the
mean necessary share of the terms, from 0 to 1. Their means over searches, and these as ratios to those of the
baseline, random instances of many parameters alone. One thread.

With ``--stored`` instead: for every theorem, what a search of the default budget, which begins without the
stored instances, finds of the largest measured/bound of the stored ones. Theorems below 90 % are listed.

    python benchmarks/falsify.py [--evaluations 400] [--seeds 2] [--stored] [THEOREM ...]
"""

from __future__ import annotations

import argparse
import os
import time
from collections.abc import Sequence
from typing import Any

os.environ.setdefault("OMP_NUM_THREADS", "1")

import numpy as np

from boundkit.attack.search import search
from boundkit.attack.stored_instances import load_instances
from boundkit.theorems import catalogue, theorem

THEOREMS = (
    "fedavg_nonconvex_partial_sharp",
    "fedavg_convex_partial_sharp",
    "fedavg_nonconvex_partial",
    "fedavg_strongly_convex_partial",
    "fednova_nonconvex_surrogate_sharp",
    "sgd_nonconvex",
)
KINDS: dict[str, dict[str, Any]] = {
    "random instances": {"structured": 0.0, "local": False, "initial": False},
    "half of them of two kinds of clients": {"local": False, "initial": False},
    "these, then local searches": {"initial": False},
    "initial instances, then all of these": {},
}
"""The searches; the first is the baseline."""
BUDGETS = (1.0, 4.0, 20.0)
"""Seconds of a search for what is stored, until one finds enough; the last is the default of a search."""
ENOUGH = 0.9


def scores(name: str, evaluations: int, seed: int, **kind: Any) -> tuple[float, float]:
    """measured/bound, and the mean necessary share of the terms, of one search."""
    result = search(theorem(name), evaluations=evaluations, seed=seed, **kind)
    shares = [np.clip(each.score, 0, 1) for aim, each in result.best.items() if aim != "bound"]
    return result.best["bound"].score, float(np.mean(shares or [result.best["bound"].score]))


def compare_searches(names: Sequence[str], evaluations: int, seeds: int) -> None:
    """Print a line for each kind of search."""
    base = None
    print(f"{'search':<40}{'bound':>10}{'ratio':>8}{'shares':>10}{'ratio':>8}{'seconds':>10}")
    for kind, options in KINDS.items():
        begun = time.process_time()
        each = [scores(name, evaluations, seed, **options) for name in names for seed in range(seeds)]
        mean = np.mean(each, axis=0)
        base = mean if base is None else base
        ratios, seconds = mean / base, time.process_time() - begun
        print(
            f"{kind:<40}{mean[0]:>10.4f}{ratios[0]:>8.3f}{mean[1]:>10.4f}{ratios[1]:>8.3f}{seconds:>9.1f}s",
            flush=True,
        )


def found_of_stored(name: str) -> tuple[float, float, float]:
    """The largest stored ratio, that of a search, and the budget of that search in seconds."""
    stored = max(
        (each.score for each in load_instances(theorem(name)) if each.objective == "bound"), default=0.0
    )
    found = 0.0
    for budget in BUDGETS:
        best = search(theorem(name), budget=budget).best.get("bound")
        found = max(found, -np.inf if best is None else best.score)
        if found >= ENOUGH * stored:
            break
    return stored, found, budget


def compare_with_stored(names: Sequence[str]) -> None:
    """Print the theorems of which a search finds too little, and how many it finds enough of."""
    enough = 0
    for name in names:
        stored, found, budget = found_of_stored(name)
        enough += found >= ENOUGH * stored
        if found < ENOUGH * stored or budget > BUDGETS[0]:
            print(f"{name:<60} stored {stored:.4f}  found {found:.4f}  in {budget:g} s", flush=True)
    print(f"at least {ENOUGH:.0%} of what is stored: {enough} of {len(names)} theorems")


def main() -> None:
    """Compare kinds of searches, or the default search with what is stored."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--evaluations", type=int, default=400)
    parser.add_argument("--seeds", type=int, default=2)
    parser.add_argument("--stored", action="store_true")
    parser.add_argument("theorems", nargs="*")
    arguments = parser.parse_args()
    if arguments.stored:
        compare_with_stored(arguments.theorems or [t.name for t in catalogue().values() if t.kind != "order"])
    else:
        compare_searches(arguments.theorems or THEOREMS, arguments.evaluations, arguments.seeds)


if __name__ == "__main__":
    main()
