"""The searches and the ledger from Python: names, errors, and arguments."""

from collections.abc import Callable
from typing import Any

import pytest

import boundkit as bk
from boundkit import proofs
from boundkit.simulation.run import make_run

SEARCHES: list[Callable[..., object]] = [bk.falsify, bk.mutate]
PROBLEM = bk.Quadratic([1.0, 1.0], [[0.0], [2.0]], noise=0.1)
SETTINGS: dict[str, Any] = {"rounds": 3, "eta": 0.05, "local_steps": 2}


def test_a_wrong_budget_or_seed_is_an_error() -> None:
    cases: list[tuple[dict[str, Any], str]] = [
        ({"budget": 0}, "the budget must be finite and above 0 seconds, but it is 0."),
        ({"budget": float("inf")}, "above 0 seconds, but it is inf."),
        ({"budget": float("nan")}, "above 0 seconds, but it is nan."),
        ({"budget": "long"}, "above 0 seconds, but it is 'long'."),
        ({"evaluations": 0}, "evaluations must be a whole number, at least 1, but it is 0."),
        ({"evaluations": 2.5}, "evaluations must be a whole number, at least 1, but it is 2.5."),
        ({"evaluations": True}, "evaluations must be a whole number, at least 1, but it is True."),
        ({"seed": -1}, "seed must be a whole number, at least 0, but it is -1."),
        ({"seed": None}, "seed must be a whole number, at least 0, but it is None."),
    ]
    for search in SEARCHES:
        for arguments, message in cases:
            with pytest.raises(bk.BoundkitError) as refused:
                search("sgd_nonconvex", **arguments)
            assert str(refused.value).endswith(message)


def test_an_unknown_name_is_an_error_with_the_nearest() -> None:
    for function in (*SEARCHES, bk.worst_case, bk.ledger):
        with pytest.raises(bk.BoundkitError, match="did you mean 'sgd_nonconvex'"):
            function("sgd_nonconvx")


def test_a_ledger_of_settings_is_that_of_their_run() -> None:
    run = make_run("fedavg", PROBLEM, **SETTINGS)
    result = bk.ledger("fedavg_nonconvex", PROBLEM, **SETTINGS)
    assert result.to_dict() == bk.ledger("fedavg_nonconvex", run).to_dict()
    assert result.to_dict() == proofs.ledger(bk.theorem("fedavg_nonconvex"), run).to_dict()
    for given in ((), (run,)):
        with pytest.raises(bk.BoundkitError, match=r"rounds: given without a problem, but a .* has its own"):
            bk.ledger("fedavg_nonconvex", *given, rounds=3)


def test_a_proof_may_replace_the_theorems_own() -> None:
    statement = bk.theorem("fedavg_nonconvex")
    proof = proofs.proof_of(statement)
    wrong = proof.changed("Young: noise split off", by=proof.steps[0].of)
    assert not bk.ledger(statement, PROBLEM, proof=wrong, **SETTINGS).closes
