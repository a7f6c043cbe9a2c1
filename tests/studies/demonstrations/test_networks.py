"""Demonstrations on networks: settings, rows, and inconsistency by hand."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from importlib import import_module
from typing import Any

import numpy as np
import pytest

from boundkit.analysis.progress import Progress
from boundkit.simulation.problems import Network
from boundkit.studies.demonstrations import _training, demonstration, sentence
from boundkit.studies.demonstrations._modified_tasks import LossOnlyTask
from boundkit.studies.demonstrations._training import Task, TrainingResult, TrainingSetting, TunedSetting
from boundkit.studies.demonstrations.fednova_table import EPOCHS, FedNovaTable, inconsistency
from boundkit.verification.tabular_result import tabulate_result
from tests.studies.demonstrations import quickly


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
    vanilla = TrainingSetting("", "fednova", {"eta": 0.1, "local_steps": {"epochs": 1}, "options": {}})
    assert inconsistency(problem, vanilla, 3) == pytest.approx(0.15**2 / 0.1 + 0.15**2 / 0.9, rel=1e-12)
    alike = TrainingSetting("", "fednova", {"eta": 0.1, "local_steps": 4, "options": {"momentum": 0.9}})
    assert inconsistency(problem, alike, 3) == pytest.approx(0, abs=1e-15)


ROWS = {
    "equal_communication": ("end", 8),
    "selection_fairness": ("table", 8),
    "fednova_table": ("table", 10),
    "cyclic_groups_on_digits": ("table", 12),
    "label_flipping": ("table", 9),
    "stored_updates_on_digits": ("late", 4),
    "server_steps": ("end", 7),
    "unequal_availability": ("table", 12),
    "heterogeneous_texts": ("table", 28),
}
"""A table of each demonstration in its quick form, and how many rows it has."""
OBSERVABLES = (
    "accuracy", "gradient_norm_squared", "loss", "loss_gap", "loss_spread", "test_accuracy", "test_loss",
    "worst_accuracy",
)  # fmt: skip


def one_round(task: Task, settings: Sequence[TrainingSetting]) -> None:
    quick = replace(task, settled=False) if isinstance(task, LossOnlyTask) else task
    for setting in settings:
        observed = _training._run_replica(quick, replace(setting, rounds=None), 0, 1, 1)
        assert all(np.isfinite(values).all() for values in observed.values()), setting.label


def train(
    task: Task,
    settings: Sequence[TrainingSetting],
    *,
    rounds: int,
    replicas: int,
    looks: int = 10,
    last: int = 2,
    progress: Progress | None = None,
    **_: Any,
) -> TrainingResult:
    one_round(task, settings)
    if progress is not None:
        progress(len(settings) * replicas, len(settings) * replicas)
    draw, decrease = np.random.default_rng(rounds), np.geomspace(2, 0.5, looks + 1)
    shape = (replicas, looks + 1)
    series = {
        s.label: {name: decrease * draw.uniform(0.9, 1, shape) for name in OBSERVABLES} for s in settings
    }
    return TrainingResult(series, last)


def tune(
    task: Task, name: str, steps: Sequence[float], make: Callable[[float], TrainingSetting], *, replicas: int,
    progress: Progress | None = None, **_: Any,
) -> tuple[TrainingSetting, TunedSetting]:  # fmt: skip
    if progress is not None:
        progress(len(steps) * replicas, len(steps) * replicas)
    choice = TunedSetting(name, steps[0], 1.0, len(steps), min(steps), max(steps), True)
    return replace(make(steps[0]), label=name), choice


@pytest.mark.parametrize("name", ROWS)
def test_every_setting_is_valid_and_every_row_is_there(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    module = import_module(f"boundkit.studies.demonstrations.{name}")
    for function in (train, tune):
        monkeypatch.setattr(module, function.__name__, function, raising=False)
    reported: list[tuple[int, int]] = []
    result = demonstration(name)(quick=True, progress=lambda done, total: reported.append((done, total)))
    field, count = ROWS[name]
    assert len(getattr(result, field)) == count
    assert reported[-1][0] == reported[-1][1]
    table = tabulate_result(name, sentence(name), result)
    assert all(len(column) for column in table.columns.values())
    assert all(c.theory for c in getattr(result, "comparisons", ()))
