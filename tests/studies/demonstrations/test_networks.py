"""What the demonstrations on networks show, as far as their quick forms can tell."""

from __future__ import annotations

import numpy as np
import pytest

from boundkit.simulation.problems import Network
from boundkit.studies.demonstrations._training import Comparison, Setting
from boundkit.studies.demonstrations.equal_communication import EqualCommunication
from boundkit.studies.demonstrations.fednova_table import EPOCHS, SOLVERS, FedNovaTable, inconsistency
from boundkit.studies.demonstrations.server_steps import ServerSteps
from boundkit.studies.demonstrations.stored_updates_on_digits import CLIENTS, CLUSTERS, StoredUpdatesOnDigits
from tests.studies.demonstrations import quickly


def verdict(comparisons: list[Comparison], setting: str, against: str) -> Comparison:
    (found,) = (c for c in comparisons if (c.setting, c.against) == (setting, against))
    return found


@pytest.mark.slow  # test_network_settings.py holds the table without training
def test_the_talks_table_has_its_rows() -> None:
    found: FedNovaTable = quickly.run("fednova_table")[0]
    assert [(r.epochs, r.solver) for r in found.table] == [(E, solver) for E in EPOCHS for solver in SOLVERS]
    for row in found.table:
        assert (row.gradient_fedavg is None) == (row.solver == "both")  # not defined, as in the talk
        assert (row.chi2 is None) == (row.solver in ("both", "variance-reduced"))
        assert 0 < row.accuracy_fednova < 1
        assert row.loss_fednova > 0
    assert len(found.comparisons) == 2 * len(EPOCHS) * (len(SOLVERS) - 1)


@pytest.mark.slow  # test_network_settings.py holds the table without training
def test_fednova_is_lower_by_loss_and_momentum_is_furthest_from_p() -> None:
    found: FedNovaTable = quickly.run("fednova_table")[0]
    for epochs in EPOCHS:
        chi2 = {r.solver: r.chi2 for r in found.table if r.epochs == epochs}
        assert chi2["momentum"] > chi2["vanilla"] > chi2["proximal"] > 0  # type: ignore[operator]
    losses = [c for c in found.comparisons if c.measure == "loss"]
    assert all(c.value < 1 for c in losses if "reduced" not in c.setting)
    assert all(c.value == pytest.approx(1, abs=0.01) for c in losses if "reduced" in c.setting)


def test_inconsistency_by_hand() -> None:
    """Two clients of 10 and 30 points: p = (1, 3)/4, tau = (1, 3), w = (1, 9)/10."""
    X, y = np.zeros((40, 2)), np.arange(40) % 2
    problem = Network([(X[:10], y[:10]), (X[10:], y[10:])], "softmax", batch=10)
    vanilla = Setting("", "fednova", {"eta": 0.1, "local_steps": {"epochs": 1}, "options": {}})
    assert inconsistency(problem, vanilla, 3) == pytest.approx(0.15**2 / 0.1 + 0.15**2 / 0.9, rel=1e-12)
    alike = Setting("", "fednova", {"eta": 0.1, "local_steps": 4, "options": {"momentum": 0.9}})
    assert inconsistency(problem, alike, 3) == pytest.approx(0, abs=1e-15)


@pytest.mark.slow  # test_network_settings.py holds the table without training
def test_memories_are_lower_than_fedavg_in_the_end() -> None:
    found: StoredUpdatesOnDigits = quickly.run("stored_updates_on_digits")[0]
    assert sorted(i for cluster in CLUSTERS for i in cluster) == list(range(CLIENTS))
    for name in ("clusterfedvarp", "scaffold"):
        assert verdict(found.late_comparisons, name, "fedavg").found == "lower"
    assert verdict(found.late_comparisons, "fedvarp", "fedavg").value < 0.7
    assert [row.setting for row in found.early] == [row.setting for row in found.late]
    for before, after in zip(found.early, found.late, strict=True):
        assert after.loss < before.loss


@pytest.mark.slow  # test_network_settings.py holds the table without training
def test_fedexp_is_ahead_at_the_same_step() -> None:
    found: ServerSteps = quickly.run("server_steps")[0]
    assert len({t.tried for t in found.tuned}) == 1
    assert [t.setting for t in found.tuned] == ["fedavg", "fedexp", "scaffold", "fedadagrad"]
    at_same = verdict(found.end_comparisons, "fedexp at fedavg's eta", "fedavg")
    assert at_same.value < 1
    assert at_same.theory.startswith("not said")
    assert verdict(found.early_comparisons, "fedexp at fedavg's eta", "fedavg").theory.startswith("lower")


@pytest.mark.slow  # test_network_settings.py holds the table without training
def test_local_steps_win_where_clients_are_alike_and_lose_where_they_are_not() -> None:
    found: EqualCommunication = quickly.run("equal_communication")[0]
    short, long, apart, far_apart = found.comparisons
    assert [short.found, long.found, far_apart.found] == ["lower", "lower", "higher"]
    assert apart.theory.startswith("not said")
    assert len({t.tried for t in found.tuned}) == 1
