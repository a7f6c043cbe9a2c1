"""The same results whoever works, and one sentence where nobody can."""

import socket
import sys
from typing import Any

import pytest
import torch

from boundkit.algebra import BoundkitError
from boundkit.simulation.sweeps.parallel_map import LOCAL, map_parallel
from tests.cases import each
from tests.representatives import aside


def squared(x: float) -> float:
    return x * x


def threads(_: int) -> int:
    return torch.get_num_threads()


@each("backend", aside([None, *LOCAL], "loky"))  # test_interrupt.py sweeps with it
def test_every_backend_gives_the_results_of_one_process(backend: str | None) -> None:
    work = [(float(x),) for x in range(7)]
    results = dict(map_parallel(squared, work, jobs=1 if backend is None else 2, backend=backend))
    assert results == {i: i * i for i in range(7)}


@each("backend", [None, "threading"])
def test_a_task_has_one_thread_and_the_process_its_own_again(backend: str | None) -> None:
    before = torch.get_num_threads()
    torch.set_num_threads(2)
    try:
        assert dict(map_parallel(threads, [(0,), (1,)], jobs=1, backend=backend)) == {0: 1, 1: 1}
        assert torch.get_num_threads() == 2
    finally:
        torch.set_num_threads(before)


@each(
    ("given", "message"),
    [
        ({"backend": "lokey"}, "unknown backend 'lokey'; did you mean 'loky'"),
        ({"backend": "loky", "scheduler": "a:1"}, "loky has none"),
        ({"jobs": 0}, "jobs must be a whole number, at least 1"),
        ({"scheduler": "nowhere"}, "'nowhere' is no address of a scheduler; write HOST:PORT"),
        ({"backend": "dask"}, "dask needs the address of its scheduler"),
    ],
)
def test_mistakes_are_refused(given: dict[str, Any], message: str) -> None:
    if {"scheduler", "backend"} & set(given):
        pytest.importorskip("distributed")
    with pytest.raises(BoundkitError, match=message):
        list(map_parallel(squared, [(1,)], **given))


def test_an_unreachable_scheduler_is_refused_at_once() -> None:
    pytest.importorskip("distributed")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        address = f"127.0.0.1:{free.getsockname()[1]}"
    with pytest.raises(BoundkitError, match=f"no dask scheduler answers at {address}: Connection refused"):
        list(map_parallel(squared, [(1,)], scheduler=address))


@pytest.mark.parametrize(("backend", "package"), [("dask", "distributed"), ("ray", "ray")])
def test_a_missing_package_is_named_with_what_installs_it(
    backend: str, package: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(
        BoundkitError, match=f"{backend} needs {package}, which is not installed: pip install"
    ):
        list(map_parallel(squared, [(1,)], backend=backend))
