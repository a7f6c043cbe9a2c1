"""Echo weights as drawn are those of the formulas, and a cap takes the rare clients' weight."""

import pytest

from boundkit.studies.demonstrations.echo_weights import echo_weights

ROWS = {(row.chance, row.cap): row for row in echo_weights()}


def test_sampled_weights_agree_with_the_formulas() -> None:
    for key, row in ROWS.items():
        assert row.seen_weight == pytest.approx(row.weight, rel=0.02), key
        assert row.seen_second == pytest.approx(row.second, rel=0.05), key


def test_a_cap_bounds_them_and_loses_the_rare() -> None:
    for p in (0.01, 0.0001):
        capped = [ROWS[p, cap] for cap in (10, 100, 1000, 10000)]
        assert all(row.largest <= (row.cap or 0) for row in capped)
        assert [row.weight for row in capped] == sorted(row.weight for row in capped)
    assert ROWS[0.0001, 50].weight == pytest.approx(0.005, rel=0.01)
    assert ROWS[0.0001, 50].minimum == pytest.approx(0.005, rel=0.01)
    assert ROWS[0.01, 50].weight == pytest.approx(0.395, abs=0.001)
    assert ROWS[0.01, 1000].weight == pytest.approx(1, abs=1e-4)
    assert ROWS[0.0001, 10000].weight == pytest.approx(0.632, abs=0.001)
