"""Networks on a GPU give what they give on a CPU, but for rounding."""

from typing import Any

import numpy as np
import pytest
import torch

from boundkit.simulation.engines import StepEngine
from boundkit.simulation.run import Run, make_run
from tests.cases import each
from tests.simulation.engines.networks import CASES, EQUAL, UNEQUAL, network

pytestmark = pytest.mark.gpu
SCHEDULE = [[0, 1, 2], [3, 4, 5], [1, 3]]


def a_run(name: str, options: dict[str, Any], order: str, batch: int | None, steps: Any = EQUAL) -> Run:
    return make_run(
        name, network(order, batch), rounds=6, eta=0.2, local_steps=steps, options=options,
        schedule=SCHEDULE, x0={"seed": 1},
    )  # fmt: skip


@each(("dtype", "close"), [("float64", 1e-10), ("float32", 2e-3)])
@each(
    ("order", "batch", "steps"),
    [
        ("independent", None, EQUAL),
        ("shuffled", 4, EQUAL),
        ("shuffled", 4, UNEQUAL),
        ("independent", 4, EQUAL),
    ],
)
@each(("name", "options"), CASES)
def test_gpu_and_cpu_agree(
    name: str, options: dict[str, Any], order: str, batch: int | None, steps: Any, dtype: str, close: float
) -> None:
    run = a_run(name, options, order, batch, steps)
    cpu, gpu = (StepEngine(run, 3, dtype, device).trajectory() for device in ("cpu", "cuda"))
    np.testing.assert_allclose(gpu.x, cpu.x, rtol=close, atol=close)
    for observable, series in cpu.observed.items():
        np.testing.assert_allclose(gpu.observed[observable], series, rtol=close, atol=close)


def test_products_are_of_full_precision() -> None:
    assert torch.backends.cuda.matmul.allow_tf32 is False


def test_memory_that_runs_out_halves_the_chunk(monkeypatch: pytest.MonkeyPatch) -> None:
    """20,000 replicas need some 100 MB; 64 MiB are given, and the estimate is silenced."""
    from boundkit.simulation.engines import sampled_engine

    run, replicas = a_run("fedavg", {}, "independent", 4), 20_000
    StepEngine(run, 1, "float32", "cuda").trajectory()  # what the card's libraries hold for themselves
    monkeypatch.setattr(sampled_engine, "fitting_chunk", lambda run, wanted, *rest: wanted)
    torch.cuda.empty_cache()  # what earlier tests left free would serve the run
    given = torch.cuda.memory_reserved() + 64 * 2**20
    torch.cuda.set_per_process_memory_fraction(given / torch.cuda.get_device_properties(0).total_memory)
    try:
        with pytest.warns(UserWarning, match="20000 replicas at a time did not fit in memory"):
            result = StepEngine(run, replicas, "float32", "cuda", fused=False).trajectory()
    finally:
        torch.cuda.set_per_process_memory_fraction(1.0)
    assert int(result.settings["chunk"]) < replicas
    assert len(result.observed["loss"]) == replicas
