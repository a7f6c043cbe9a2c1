"""The searches and the ledger from Python: names, errors, and arguments."""

from typing import Any

import pytest

import boundkit as bk
from boundkit import proofs
from boundkit.simulation.run import make_run

PROBLEM = bk.Quadratic([1.0, 1.0], [[0.0], [2.0]], noise=0.1)
SETTINGS: dict[str, Any] = {"rounds": 3, "eta": 0.05, "local_steps": 2}


def test_a_ledger_of_settings_is_that_of_their_run() -> None:
    run = make_run("fedavg", PROBLEM, **SETTINGS)
    result = bk.ledger("fedavg_nonconvex", PROBLEM, **SETTINGS)
    assert result.to_dict() == bk.ledger("fedavg_nonconvex", run).to_dict()
    assert result.to_dict() == proofs.ledger(bk.theorem("fedavg_nonconvex"), run).to_dict()
    for given in ((), (run,)):
        with pytest.raises(bk.BoundkitError, match=r"rounds: given without a problem, but a .* has its own"):
            bk.ledger("fedavg_nonconvex", *given, rounds=3)
