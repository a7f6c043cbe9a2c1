"""One thread while blocks of small matrices are multiplied: more would wait longer than they work."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def one_thread(wanted: bool = True) -> Iterator[None]:
    """Torch computes on one thread of this process, and afterwards on as many as before."""
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
