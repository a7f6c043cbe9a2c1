"""Collection made cheap: thousands of tests are gathered by every worker before the first one runs."""

import gc
from collections.abc import Generator
from pathlib import Path

import pytest
from _pytest.doctest import DoctestModule

Collected = list[pytest.Collector]


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Nothing is thrown away while modules load, so nobody looks for what was; nor at them ever after."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.set_threshold(50_000, 20, 100)  # theorems and caches stay for good
        gc.enable()


@pytest.hookimpl(wrapper=True)
def pytest_collect_file(file_path: Path) -> Generator[None, Collected, Collected]:
    """Only files that show an example are searched for examples."""
    found = yield
    if b">>>" in file_path.read_bytes():
        return found
    return [collector for collector in found if not isinstance(collector, DoctestModule)]
