"""Surrogate weights of aggregation rules, against hand calculation and the small-step limits of runs."""

from itertools import combinations
from typing import Any

import numpy as np
import pytest

import boundkit as bk
from boundkit.algebra import BoundkitError
from boundkit.simulation.aggregation_rules import RULES
from boundkit.simulation.rule_objective import rule_objective

P, TAU = [0.4, 0.3, 0.2, 0.1], [1, 2, 3, 4]


def by_subsets(rule: str, size: int) -> np.ndarray[Any, Any]:
    """v under ``size`` of four clients without replacement, summed over all subsets."""
    p, tau, v = np.array(P), np.array(TAU, dtype=float), np.zeros(4)
    subsets = [list(s) for s in combinations(range(4), size)]
    for s in subsets:
        weights = {
            "weighted": p[s] / p[s].sum(),
            "mean": np.full(size, 1 / size),
            "all": np.full(size, 1 / 4),
            "sum": p[s],
            "unbiased": p[s] * 4 / size,
            "normalised": p[s] / p[s].sum() * (p[s] @ tau[s] / p[s].sum()) / tau[s],
        }[rule]
        v[s] += weights * tau[s] / len(subsets)
    return np.asarray(v / v.sum())


@pytest.mark.parametrize("rule", [name for name in RULES if name != "models"])
def test_weights_are_sums_over_subsets(rule: str) -> None:
    answer = rule_objective(p=P, tau=TAU, rule=rule, C=0.5)
    assert answer.weights is not None
    np.testing.assert_allclose(answer.weights, by_subsets(rule, 2), rtol=1e-12)
    assert answer.bias == pytest.approx(np.abs(answer.weights - P).sum() / 2, rel=1e-12)


@pytest.mark.parametrize(
    ("given", "weights", "repairs", "equal"),
    [
        ({"tau": [5, 2, 9], "p": [0.6, 0.3, 0.1]}, [30 / 45, 6 / 45, 9 / 45], ("normalised",), False),
        ({"p": P, "C": 0.5, "rule": "sum"}, P, ("unbiased",), False),
        ({"p": P, "rule": "models"}, P, ("weighted", "sum", "unbiased", "normalised"), False),
        ({"p": P, "q": [0.9, 0.5, 0.2, 0.3], "rule": "sum"}, [0.36, 0.15, 0.04, 0.03], ("unbiased",), False),
        ({"p": P, "tau": TAU, "count": 2, "rule": "mean"}, [0.2, 0.3, 0.3, 0.2],
         ("mean", "all", "unbiased"), True),
        ({"samples": [600, 300, 100], "epochs": 2, "batch": 32}, [22.8, 6.0, 0.8], ("normalised",), False),
        ({"p": [0.6, 0.4], "tau": [5, 2], "algorithm": "scaffold"}, [0.6, 0.4], ("normalised",), False),
    ],
)  # fmt: skip
def test_by_hand(given: dict[str, Any], weights: list[float], repairs: tuple[str, ...], equal: bool) -> None:
    answer = rule_objective(**given)
    assert answer.weights is not None
    np.testing.assert_allclose(answer.weights, np.array(weights) / sum(weights), rtol=1e-9)
    assert (answer.repairs, answer.equal_steps) == (repairs, equal)


def test_models_whose_weights_do_not_sum_to_one_are_drawn_to_zero() -> None:
    answer = rule_objective(p=P, C=0.5, rule="models")
    assert answer.weights is None
    assert answer.scale == pytest.approx(0.5, rel=1e-12)
    assert "drawn to 0" in str(answer)
    assert answer.to_dict()["minimises_f"] is False


def test_weights_are_those_of_a_run_of_small_steps() -> None:
    """The limit of FedAvg on (x - e_i)^2/2 is sum v_i e_i."""
    e = np.array([[0.0], [1.0], [5.0], [-3.0]])
    run = bk.objective(
        "fedavg", bk.Quadratic([1.0] * 4, e, P), eta=1e-7, local_steps=TAU,
        participation={"kind": "uniform", "C": 0.5}, options={"aggregation": "mean"},
    )  # fmt: skip
    answer = bk.objective(p=P, tau=TAU, rule="mean", C=0.5)
    assert answer.weights is not None
    assert run.limit.points[0, 0] == pytest.approx(float(answer.weights @ e[:, 0]), abs=1e-5)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({}, "the clients are not known"),
        ({"p": P, "rule": "average"}, "unknown rule 'average'"),
        ({"p": P, "C": 0.5, "q": 0.3}, "exclude each other"),
        ({"p": P, "tau": [1, 2]}, "tau has 2 values, but there are 4 clients"),
        ({"p": P, "epochs": 2}, "epochs needs samples and batch"),
        ({"samples": [3, 4], "epochs": 1, "batch": 2, "tau": 2}, "give one of them"),
        ({"p": P, "batch": 2}, "batch goes with epochs"),
        ({"p": [0.5, 0.6]}, "must sum to 1"),
        ({"p": P, "rule": "mean", "algorithm": "fednova"}, "the rule mean is of fedavg"),
        ({"p": P, "q": 0}, "no client ever participates"),
        ({"p": P, "rule": "mean", "algorithm": "scaffold"}, "aggregation"),
    ],
)
def test_contradictions_are_one_sentence(given: dict[str, Any], message: str) -> None:
    with pytest.raises(BoundkitError, match=message):
        rule_objective(**given)
