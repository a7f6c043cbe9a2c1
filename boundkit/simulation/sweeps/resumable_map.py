"""One function on many inputs, with results in a store: an interrupted map resumes."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, TypeVar

from boundkit.simulation.atomic_files import replacing
from boundkit.simulation.sweeps.parallel_map import map_parallel
from boundkit.simulation.sweeps.result_store import ResultStore

Computed = TypeVar("Computed")
Result = TypeVar("Result")


def resumable_map(
    task: Callable[..., Computed],
    inputs: Sequence[tuple[Any, ...]],
    store: ResultStore | None,
    *,
    name: Callable[[int], str],
    key: Callable[[int], str],
    load: Callable[[Path], Result | None],
    save: Callable[[Computed, Path | None], Result],
    jobs: int | None = 1,
    backend: str | None = None,
    scheduler: str | None = None,
) -> Iterator[tuple[int, Result]]:
    """Yield ``(place, result)`` for every input: stored results first, then computed ones as they finish.

    A result that was yielded is stored, so that an interrupt or an error loses only unfinished items.

    Parameters
    ----------
    task : evaluated by worker processes on ``inputs[place]``, where the store has no valid item.
    store : where items are looked up and stored; None computes all and stores nothing.
    name, key : file name of an item, and the key of its inputs. The key is evaluated again after ``save``,
        which may change an input.
    load : reads an item with a valid stamp; None has it computed again.
    save : called in this process. Writes a computed item to the path (None without a store), whole or not at
        all, and returns the result.
    jobs, backend, scheduler : workers, as in ``map_parallel``.

    Raises BoundkitError where a stored item was removed in the meantime, and what ``task`` raises.
    """
    missing = list(range(len(inputs)))
    if store is not None:
        missing = []
        for place in range(len(inputs)):
            valid = store.has(name(place), key(place))
            result = load(store.path(name(place))) if valid else None
            if result is None:
                missing.append(place)
            else:
                yield place, result
    for done, computed in map_parallel(task, [inputs[place] for place in missing], jobs, backend, scheduler):
        place = missing[done]
        if store is None:
            yield place, save(computed, None)
            continue
        # here and not in a worker, which may be on another machine, or be killed while it writes
        result = save(computed, store.path(name(place)))
        store.stamp(name(place), key(place))
        yield place, result
    if store is not None:
        store.refuse_missing()


def write_text(path: Path, text: str) -> None:
    """Write a text file, whole or not at all. Raises BoundkitError where it cannot be written."""
    with replacing(path) as temporary:
        temporary.write_text(text, encoding="utf-8")
