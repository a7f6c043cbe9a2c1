"""Runs whose mini-batches and sampled clients are drawn by counter."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from boundkit.algebra import BoundkitError
from boundkit.simulation.engines import StepEngine, step_engine
from boundkit.simulation.run import Run, make_run
from tests.simulation.engines.networks import CASES, network

SAMPLED = {"kind": "uniform", "C": 0.5}


def a_run(name: str = "fedavg", options: dict[str, Any] | None = None, **settings: Any) -> Run:
    given: dict[str, Any] = {"participation": SAMPLED, "rounds": 6, "eta": 0.2, "local_steps": 3, **settings}
    return make_run(name, network(batch=4), options=options, x0={"seed": 1}, **given)


@pytest.mark.parametrize(("name", "options"), [*CASES, ("fedavg", {"aggregation": "all"})])
def test_replicas_do_not_depend_on_the_chunk(name: str, options: dict[str, Any]) -> None:
    run = a_run(name, options)
    parts = [StepEngine(run, 4, draws="counter", chunk=chunk).trajectory() for chunk in (4, 3, 1)]
    for part in parts:
        np.testing.assert_allclose(part.x, parts[0].x, rtol=1e-12, atol=1e-14)
    assert parts[0].settings["draws"] == "counter"
    streams = StepEngine(run, 4, chunk=1).trajectory()
    assert "draws" not in streams.settings
    assert np.abs(streams.x - parts[0].x).max() > 1e-6


@pytest.mark.parametrize("aggregation", ["weighted", "mean", "all", "unbiased"])
def test_clients_on_the_device_and_on_the_host_have_the_same_weights(
    aggregation: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = a_run(options={"aggregation": aggregation}, eta={"first": 0.2, "offset": 9})
    on_device = StepEngine(run, 3, draws="counter")
    assert on_device._clients_stay_on_device
    result = on_device.trajectory()
    monkeypatch.setattr(StepEngine, "_clients_stay_on_device", False)
    np.testing.assert_allclose(
        result.x, StepEngine(run, 3, draws="counter").trajectory().x, rtol=1e-12, atol=1e-14
    )


def test_mini_batches_are_of_the_own_points_and_cover_them() -> None:
    """A client with one point has one batch; another's batches are all its points in the long run."""
    run = a_run(participation=None, local_steps=200, rounds=1)
    engine = StepEngine(run, 2, draws="counter")
    batches = engine.gradients(engine.streams(0, 2), 200, 6, np.arange(6))
    assert batches is not None
    index = batches.index  # type: ignore[attr-defined]
    offsets = run.problem.federation.offsets  # type: ignore[attr-defined]
    for i in range(6):
        assert set(np.unique(index[:, i])) == set(range(offsets[i], offsets[i + 1]))


def test_draws_that_do_not_exist_are_refused() -> None:
    with pytest.raises(BoundkitError, match="counters"):
        StepEngine(a_run(), draws="counters")
    for problem in (network("shuffled"), network(batch=None)):
        with pytest.raises(BoundkitError, match="take draws streams"):
            StepEngine(replace(a_run(), problem=problem), draws="counter")


def test_a_kernel_that_fails_is_replaced_by_single_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*arguments: object) -> None:
        raise RuntimeError("Failed to find C compiler.")

    expected = StepEngine(a_run(), 2, fused=False).trajectory()
    monkeypatch.setattr(step_engine, "fused_updates", fail)
    with pytest.warns(UserWarning, match=r"single steps are taken.*Failed to find C compiler"):
        result = StepEngine(a_run(), 2).trajectory()
    np.testing.assert_array_equal(result.x, expected.x)
    assert "fused" not in result.settings


@pytest.mark.gpu
@pytest.mark.parametrize(
    ("name", "options"), [*CASES, ("fedvarp", {}), ("fedavg", {"aggregation": "unbiased"})]
)
@pytest.mark.parametrize(("dtype", "close"), [("float64", 1e-10), ("float32", 1e-5)])
def test_gpu_and_cpu_draw_the_same(name: str, options: dict[str, Any], dtype: str, close: float) -> None:
    """In float32 plain steps are the fused kernel's."""
    run = a_run(name, options)
    cpu, gpu = (StepEngine(run, 4, dtype, device, draws="counter").trajectory() for device in ("cpu", "cuda"))
    assert np.linalg.norm(gpu.x - cpu.x) < close * np.linalg.norm(cpu.x)


@pytest.mark.gpu
@pytest.mark.parametrize("steps", [3, [1, 4, 2, 5, 3, 3]])
@pytest.mark.parametrize("order", ["independent", "shuffled"])
@pytest.mark.parametrize("name", ["fedavg", "fedvarp", "mifa"])
def test_fused_and_single_steps_agree(name: str, order: str, steps: Any) -> None:
    options = {"wait": False} if name == "mifa" else {}
    run = replace(a_run(name, options, local_steps=steps), problem=network(order, 4, l2=0.1))
    single, fused = (StepEngine(run, 4, "float32", "cuda", fused=f).trajectory() for f in (False, True))
    assert single.settings.get("fused") is None
    assert fused.settings["fused"] is True
    assert np.linalg.norm(fused.x - single.x) < 1e-5 * np.linalg.norm(single.x)
