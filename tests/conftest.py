"""What every test stands on: no window, hypothesis that repeats itself, and no GPU test without a GPU."""

import os
from functools import cache

import pytest
from hypothesis import settings

from tests import collecting

os.environ.setdefault(
    "MPLBACKEND", "Agg"
)  # before matplotlib is imported; commands started by tests inherit it
os.environ.setdefault("SYMPY_CACHE_SIZE", "20000")  # before sympy is imported: theorem after theorem is alike

# A failure must come back on the next run, and a slow machine is no failure.
settings.register_profile("ci", deadline=None, derandomize=True)
# For a search by hand: pytest --hypothesis-profile=explore
settings.register_profile("explore", deadline=None, max_examples=2000)
settings.load_profile("ci")


@cache
def cuda_is_here() -> bool:
    import torch

    return torch.cuda.is_available()


def pytest_configure(config: pytest.Config) -> None:
    config.pluginmanager.register(collecting)  # hooks of a conftest would see the files beside it only


def pytest_runtest_setup(item: pytest.Item) -> None:
    if item.get_closest_marker("gpu") and not cuda_is_here():
        pytest.skip("needs CUDA, and torch finds none here")
