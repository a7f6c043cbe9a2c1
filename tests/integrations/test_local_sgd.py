from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from itertools import count
from pathlib import Path
from threading import Barrier
from typing import Any

import pytest
import torch

import boundkit as bk
from boundkit.algebra import BoundkitError
from boundkit.integrations.local_sgd import record_local_sgd
from boundkit.simulation.tracking import Tracker

REPLICAS, EVERY, ROUNDS = 2, 2, 3
Average = Callable[[torch.Tensor], torch.Tensor]
TARGETS = torch.tensor([[1.0, 0.0], [0.0, 1.0]])


class Point(torch.nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.x = torch.nn.Parameter(torch.zeros(2))


def steps(model: Point, optimizer: Any, recorder: Any, rank: int, then: Callable[[], Any]) -> None:
    """Steps of size 1/2 on ||x - target||^2/2: half of the way each."""
    for _ in range(ROUNDS * EVERY):
        loss = ((model.x - TARGETS[rank]) ** 2).sum() / 2
        recorder.observe(loss)
        optimizer.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]
        optimizer.step()
        then()


def check(rows: list[dict[str, Any]], mean_after_first: float) -> None:
    """Updates of the first round are 3/4 of (1, 0) and of (0, 1)."""
    assert [row["round"] for row in rows] == list(range(ROUNDS))
    first, second = rows[:2]
    assert first["loss"] == pytest.approx(0.5)
    assert first["client_update_norm_squared"] == pytest.approx(0.75**2)
    assert first["update_norm_squared"] == pytest.approx(0.75**2 / 2)
    assert first["cosine"] == pytest.approx(0.5**0.5)
    assert second["loss"] == pytest.approx(((1 - mean_after_first) ** 2 + mean_after_first**2) / 2)


def replicas(tmp_path: Path, train: Callable[[int, Tracker | None], None]) -> list[dict[str, Any]]:
    """Run each replica in a thread; the rows of the first."""
    with bk.track(tmp_path / "run.csv", tau=EVERY) as log, ThreadPoolExecutor(REPLICAS) as pool:
        runs = [pool.submit(train, rank, log if rank == 0 else None) for rank in range(REPLICAS)]
        for run in runs:
            run.result(timeout=60)
    return log.rows


def test_threads_average_their_models(tmp_path: Path) -> None:
    meeting = Barrier(REPLICAS, timeout=60)
    board: list[Any] = [None] * REPLICAS

    def train(rank: int, log: Tracker | None) -> None:
        def average(value: torch.Tensor) -> torch.Tensor:
            board[rank] = value.detach().clone()
            meeting.wait()
            mean = torch.stack(board).mean(dim=0)
            meeting.wait()
            return mean

        def then() -> None:
            if next(taken) % EVERY == 0:
                model.x.data = average(model.x.data)

        model, taken = Point(), count(1)
        optimizer = torch.optim.SGD(model.parameters(), lr=0.5)
        with record_local_sgd(log, model, optimizer, EVERY, average, replicas=REPLICAS) as recorder:
            steps(model, optimizer, recorder, rank, then)

    check(replicas(tmp_path, train), 0.375)
    with pytest.raises(BoundkitError, match="every must be at least 1"):
        record_local_sgd(None, Point(), torch.optim.SGD([torch.zeros(1)]), 0, lambda t: t, replicas=1)


@pytest.mark.filterwarnings("default")
@pytest.mark.parametrize("outer_step", [None, 0.5])
def test_torchft_averages_models_and_takes_outer_steps(tmp_path: Path, outer_step: float | None) -> None:
    pytest.importorskip("torchft", reason="torchft is not installed")
    from torch.distributed import TCPStore  # type: ignore[attr-defined]
    from torchft.coordination import LighthouseServer
    from torchft.local_sgd import DiLoCo, LocalSGD
    from torchft.manager import Manager
    from torchft.process_group import ProcessGroupGloo

    lighthouse = LighthouseServer(bind="[::]:0", min_replicas=REPLICAS, join_timeout_ms=100)

    def train(rank: int, log: Tracker | None) -> None:
        model = Point()
        optimizer = torch.optim.SGD(model.parameters(), lr=0.5)
        store = TCPStore("localhost", 0, is_master=True, wait_for_workers=False)
        manager = Manager(
            pg=ProcessGroupGloo(), min_replica_size=REPLICAS, use_async_quorum=False, init_sync=False,
            load_state_dict=model.load_state_dict, state_dict=model.state_dict, replica_id=str(rank),
            store_addr="localhost", store_port=store.port, rank=0, world_size=1,
            lighthouse_addr=lighthouse.address(), timeout=timedelta(seconds=30),
        )  # fmt: skip

        def average(value: torch.Tensor) -> torch.Tensor:
            manager.allreduce(value).wait()
            return value

        outer = None if outer_step is None else torch.optim.SGD(model.parameters(), lr=outer_step)
        try:
            with record_local_sgd(
                log, model, optimizer, EVERY, average, replicas=REPLICAS, outer=outer
            ) as recorder:
                loop: Any = (
                    LocalSGD(manager, model, optimizer, sync_every=EVERY)
                    if outer is None
                    else DiLoCo(manager, [model], optimizer, outer, sync_every=EVERY)
                )
                with loop:
                    steps(model, optimizer, recorder, rank, lambda: None)
        finally:
            manager.shutdown(wait=False)

    try:
        check(replicas(tmp_path, train), 0.375 * (outer_step or 1))
    finally:
        lighthouse.shutdown()


def train_with_accelerate(path: Path) -> None:
    from accelerate import Accelerator
    from accelerate.local_sgd import LocalSGD

    accelerator, point = Accelerator(cpu=True), Point()
    model, optimizer = accelerator.prepare(point, torch.optim.SGD(point.parameters(), lr=0.5))
    log = bk.track(path) if accelerator.is_main_process else None

    def average(value: torch.Tensor) -> torch.Tensor:
        mean: torch.Tensor = accelerator.reduce(value, "mean")
        return mean

    with (
        record_local_sgd(log, point, optimizer, EVERY, average, replicas=REPLICAS) as recorder,
        LocalSGD(accelerator, model, EVERY) as local_sgd,
    ):
        steps(point, optimizer, recorder, accelerator.process_index, local_sgd.step)
    if log is not None:
        check(log.rows, 0.375)


@pytest.mark.slow  # it starts processes
@pytest.mark.filterwarnings("default")
def test_accelerate_averages_models(tmp_path: Path) -> None:
    accelerate = pytest.importorskip("accelerate", reason="accelerate is not installed")
    accelerate.debug_launcher(train_with_accelerate, (tmp_path / "run.csv",), num_processes=REPLICAS)
    assert (tmp_path / "run.csv").read_text().count("\n") == ROUNDS + 1
