"""Pools of worker processes."""

from __future__ import annotations

import inspect
import warnings
from threading import Thread

from joblib.externals.loky import process_executor

from boundkit.simulation.processes import starting_workers

REPLACED = "A worker stopped while some jobs were given to the"


def test_a_worker_that_joblib_replaces_is_no_warning() -> None:
    assert REPLACED in inspect.getsource(process_executor)
    with warnings.catch_warnings(record=True) as shown:
        warnings.simplefilter("always")
        with starting_workers():
            pass
        for text in (f"{REPLACED} executor.", "another"):
            thread = Thread(target=warnings.warn, args=(text, UserWarning))  # as joblib does, in a thread
            thread.start()
            thread.join()
    assert [str(one.message) for one in shown] == ["another"]
