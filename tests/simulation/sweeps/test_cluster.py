"""A real dask cluster on this machine: a scheduler and two workers, one of which is killed on the way."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from boundkit.simulation.sweeps.simulations import simulate_all
from tests.simulation.sweeps.long_sweep import (
    REPLICAS,
    SEEDS,
    environment,
    points_of,
    records,
    uninterrupted,
    wait_for,
    write_long_run,
)

distributed = pytest.importorskip("distributed", reason="boundkit[cluster] is not installed")


@dataclass(frozen=True)
class Cluster:
    address: str
    workers: list[subprocess.Popen[bytes]]


@pytest.fixture
def cluster(tmp_path: Path) -> Iterator[Cluster]:
    """A scheduler and two workers of one thread each, in processes of their own."""
    home = tmp_path / "cluster"
    home.mkdir()
    started: list[subprocess.Popen[bytes]] = []

    def dask(*words: str) -> subprocess.Popen[bytes]:
        command = [sys.executable, "-m", "dask", *words, "--no-dashboard"]
        log = (home / f"{len(started)}.log").open("w")
        process = subprocess.Popen(command, env=environment(), cwd=home, stdout=log, stderr=log)
        log.close()
        started.append(process)
        return process

    scheduler_file = home / "scheduler.json"
    dask("scheduler", "--host", "127.0.0.1", "--port", "0", "--scheduler-file", str(scheduler_file))
    try:
        wait_for(lambda: scheduler_file.is_file() and scheduler_file.read_text().endswith("}"))
        address = json.loads(scheduler_file.read_text())["address"]
        one = ("--nthreads", "1", "--no-nanny", "--host", "127.0.0.1")
        workers = [
            dask("worker", address, *one, "--local-directory", str(home / name)) for name in ("a", "b")
        ]
        yield Cluster(address, workers)
    finally:
        for process in started:
            process.kill()
            process.wait()


def test_a_cluster_writes_the_records_of_one_process(tmp_path: Path) -> None:
    run, out = write_long_run(tmp_path, rounds=5), tmp_path / "out"
    with distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, processes=False, protocol="tcp://", host="127.0.0.1",
        dashboard_address=None,
    ) as threads:  # fmt: skip
        rows = list(simulate_all(points_of(run), out, scheduler=threads.scheduler_address, replicas=REPLICAS))
    assert sorted(row.place for row in rows) == list(range(len(SEEDS)))
    assert records(out) == uninterrupted(run, tmp_path / "alone")


@pytest.mark.slow
def test_a_worker_that_is_killed_loses_nothing(cluster: Cluster, tmp_path: Path) -> None:
    run, out = write_long_run(tmp_path), tmp_path / "out"
    rows = simulate_all(points_of(run), out, scheduler=cluster.address, replicas=REPLICAS)
    first = next(rows)  # now both work: each has begun, or is about to
    assert first.outcome == "done"
    cluster.workers[0].kill()
    rest = list(rows)
    assert sorted(row.place for row in [first, *rest]) == list(range(len(SEEDS)))
    assert records(out) == uninterrupted(run, tmp_path / "alone")
