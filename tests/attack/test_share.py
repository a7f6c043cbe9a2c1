"""The share of the attack that every run of the tests repeats: what was found before, against all theorems.

The whole is ``boundkit falsify --all`` and ``boundkit mutate --all``.
"""

import numpy as np
import pytest

from boundkit.attack.evidence import BOUND, EvidencePool, collect_evidence, default_objectives
from boundkit.attack.fast_rounds import FastEngineOptions
from boundkit.attack.mutation import mutate
from boundkit.attack.stored_instances import load_instances
from boundkit.simulation.run_file import run_from_spec
from boundkit.theorems import names, theorem
from boundkit.verification.checks.bound_comparison import ROUNDING

KEPT = [name for name in names() if load_instances(theorem(name))]
CLOSE = 1e-6
"""Other versions of packages add in other orders, and a long run magnifies it."""


def test_every_bound_with_constants_has_its_worst_instances() -> None:
    explicit = {name for name in names() if theorem(name).kind != "order"}
    assert set(KEPT) == explicit


def quick(name: str) -> bool:
    """Whether moments tell all its worst instances at once."""
    return theorem(name).algorithm in ("fedavg", "fednova", "local_sgd", "sgd") and all(
        entry.engine == "exact" and entry.rounds <= 3000 for entry in load_instances(theorem(name))
    )


@pytest.mark.parametrize(
    "name", [pytest.param(n, marks=[] if quick(n) else [pytest.mark.slow]) for n in KEPT]
)
def test_the_worst_instances_are_what_they_say_and_break_nothing(name: str) -> None:
    statement = theorem(name)
    scores = {aim.name: aim.score for aim in default_objectives(statement)}
    assert load_instances(statement)
    for entry in load_instances(statement):
        with np.errstate(all="ignore"):
            seen = collect_evidence(
                statement, run_from_spec(statement.algorithm, entry.run), FastEngineOptions()
            )
        assert not seen.diverged
        ratio = seen.ratios(statement)[-1]
        assert seen.random or ratio <= 1 + ROUNDING
        said = float(scores[entry.objective](EvidencePool([seen]))[-1])
        assert said == pytest.approx(entry.score, rel=CLOSE, abs=1e-9), entry.objective


def test_a_bound_that_is_tight_is_kept_so() -> None:
    best = {
        name: next((e.score for e in load_instances(theorem(name)) if e.objective == BOUND), 0.0)
        for name in KEPT
    }
    tight = {name for name, score in best.items() if score >= 0.99}
    assert tight >= {
        "fedavg_surrogate_optimum",
        "fedavg_strongly_convex_average_drift",
        "fedavg_strongly_convex_drift_limit",
        "sgd_strongly_convex",
        "sgd_nonconvex",
        "fedau_cutoff_bias",
    }
    assert all(score > 0 for score in best.values())


@pytest.mark.parametrize("name", ["sgd_strongly_convex", "fedavg_nonconvex", "fednova_nonconvex_surrogate"])
def test_no_false_mutant_survives_what_was_found(name: str) -> None:
    told = mutate(theorem(name), evaluations=1)
    assert [one.what for one in told.judgements if one.open] == []
    assert any(one.by in ("verification", "falsifier") for one in told.judgements)
