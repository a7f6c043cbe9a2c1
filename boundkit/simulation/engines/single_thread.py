"""Single-threaded torch for blocks of small matrix products, where synchronisation outweighs the work."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def one_thread(wanted: bool = True) -> Iterator[None]:
    """Restrict torch to one thread in this context, and restore the number of threads afterwards."""
    import torch

    before = torch.get_num_threads()
    if not wanted or before == 1:
        yield
        return
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(before)
