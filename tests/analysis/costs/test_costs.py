"""Costs: every algorithm has them, they are dimensionless, and they agree with counts by hand."""

from __future__ import annotations

import pytest
from sympy import Integer

from boundkit.algebra import BoundkitError, dimension_of
from boundkit.algebra.dimension import ONE
from boundkit.algebra.notation import C, L, clusters, d, m, tau, units_of
from boundkit.analysis.costs import COSTS, Cost, Exchange, cost_table, costs_of
from boundkit.analysis.costs.cost import batch, candidates, chosen, samples
from boundkit.analysis.evaluate import evaluate
from boundkit.simulation.algorithms import ALGORITHMS
from boundkit.theorems import catalogue
from tests.cases import each


def test_every_algorithm_has_costs() -> None:
    for name in {t.algorithm for t in catalogue().values()} | set(ALGORITHMS):
        assert costs_of(name), name


def test_costs_are_dimensionless_and_nonnegative() -> None:
    for cost in COSTS.values():
        expressions = [x for e in (*cost.exchanges, *cost.once) for x in e.expressions]
        typical = {q.name: q.typical for q in cost.quantities}
        for expr in (*expressions, cost.server, cost.client, *cost.round().values()):
            assert dimension_of(expr, units_of(expr)) in (None, ONE), cost.name
            assert evaluate(expr, typical) >= 0, cost.name
        assert evaluate(cost.up, typical) >= 1, cost.name
        assert evaluate(cost.gradients, typical) >= 1, cost.name
        assert cost.keeps_state == (evaluate(cost.client, typical) > 0), cost.name
        assert cost.name.startswith(cost.algorithm)


@each(
    ("name", "expected"),
    [
        ("fedavg", {"down": C * m * d, "up": C * m * d, "samples": batch * C * m * tau}),
        ("scaffold (II)", {"down": 2 * C * m * d, "up": 2 * C * m * d, "gradients": C * m * tau}),
        ("scaffold (I)", {"gradients": C * m * (tau + 1)}),
        ("episode", {"down": 2 * m * d, "up": 2 * m * d, "gradients": m * (tau + 1)}),
        ("episodepp", {"up": 2 * C * m * d, "gradients": C * m * tau}),
        ("biased_selection (pow-d)", {
            "down": candidates * d, "up": candidates + C * m * d, "gradients": C * m * tau,
            "samples": candidates * samples + batch * C * m * tau,
        }),
        ("biased_selection (cpow-d)", {"samples": candidates * batch + batch * C * m * tau}),
        ("biased_selection (rpow-d)", {"down": C * m * d, "up": C * m * (d + 1)}),
        ("async_sgd", {"up": d, "gradients": Integer(1)}),
        ("local_adaptive (joint)", {"up": 2 * C * m * d}),
        ("minibatch_sgd", {"gradients": m}),
    ],
)  # fmt: skip
def test_a_round_by_hand(name: str, expected: dict[str, object]) -> None:
    found = COSTS[name].round()
    for key, value in expected.items():
        assert (found[key] - value).expand() == 0, key


@each(
    ("name", "server", "client"),
    [
        ("fedavg", 0, 0),
        ("fedvarp", m * d, 0),
        ("clusterfedvarp", clusters * d, 0),
        ("mifa", m * d, 0),
        ("scaffold (II)", d, d),
        ("episodepp", d, d),
        ("episode", 0, 0),
        ("vrlsgd", 0, d),
        ("fedawe", 0, d + 1),
        ("fedau", 0, 3),
        ("fedadam", 2 * d, 0),
        ("fedadagrad", d, 0),
        ("fedexp", 0, 0),
        ("biased_selection (rpow-d)", m, 0),
    ],
)
def test_the_state_by_hand(name: str, server: object, client: object) -> None:
    assert (COSTS[name].server, COSTS[name].client) == (server, client)


def test_one_cluster_a_client_is_fedvarp_and_scaffold_is_episodepp_without_its_start() -> None:
    assert COSTS["clusterfedvarp"].server.subs({clusters: m}) == COSTS["fedvarp"].server
    assert COSTS["episodepp"].round() == COSTS["scaffold (II)"].round()
    assert COSTS["episodepp"].before()["gradients"] == m
    assert {k: v.subs({C: 1}) for k, v in COSTS["fedavg"].round().items()} == COSTS["local_sgd"].round()


def test_totals_are_rounds_and_the_exchanges_before() -> None:
    table = cost_table(["mifa"], {"m": 10, "C": 0.5, "tau": 3, "d": 7, "T": 100, "batch": 2})
    (row,) = table.rows
    assert row.number(row.totals["up"]) == 100 * 5 * 7 + 10 * 7
    assert row.number(row.totals["gradients"]) == 100 * 5 * 3 + 10 * 3
    assert row.number(row.totals["samples"]) == 2 * (100 * 5 * 3 + 10 * 3)
    assert table.assumed == ()
    one = cost_table(["mifa"], {"m": 10, "C": 0.5, "tau": 3, "d": 7, "batch": 2}).rows[0]
    assert one.number(one.totals["up"]) == 5 * 7


@each(
    ("names", "values", "sentence"),
    [
        (["fedvarpp"], None, "unknown algorithm 'fedvarpp'; did you mean 'fedvarp'"),
        (["scaffold (III)"], None, r"unknown algorithm 'scaffold \(III\)'; did you mean 'scaffold"),
        (["fedavg"], {"tauu": 3}, "unknown quantity of these costs 'tauu'; did you mean 'tau'"),
        (["fedavg"], {"tau": 0}, "tau = 0 was given, but it must be a whole number, at least 1"),
        (["fedavg"], {"tau": [1, 2]}, "a cost takes one number"),
        (["fedavg"], {"m": 10, "C": 0.15}, "but it is 1.5 at m = 10 and C = 0.15"),
        (["biased_selection"], {"m": 10, "C": 0.5, "candidates": 3}, r"candidates >= C\*m is needed"),
        (["biased_selection"], {"m": 10, "C": 0.5, "candidates": 30}, "candidates <= m is needed"),
        (["clusterfedvarp"], {"m": 5, "C": 1}, "clusters <= m is needed"),
    ],
)  # fmt: skip
def test_a_mistake_is_a_sentence(names: list[str], values: dict[str, object] | None, sentence: str) -> None:
    with pytest.raises(BoundkitError, match=sentence):
        cost_table(names, values)


def test_a_cost_with_a_unit_or_without_a_description_of_its_state_is_refused() -> None:
    with pytest.raises(BoundkitError, match="a cost counts things, but up = L"):
        Exchange(clients=m, up=L)
    with pytest.raises(BoundkitError, match="must describe its state"):
        Cost("planted", chosen(tau), server=d)
    with pytest.raises(BoundkitError, match="must describe its state"):
        Cost("planted", chosen(tau), state="nothing")
    with pytest.raises(BoundkitError, match="at least one exchange"):
        Cost("planted", ())
