"""The attacks as Python has them: by name, with a sentence for every mistake, on the run that is given."""

from collections.abc import Callable
from typing import Any

import pytest

import boundkit as bk
from boundkit import proofs as step_by_step
from boundkit.simulation.run import make_run

SEARCHES: list[Callable[..., object]] = [bk.falsify, bk.mutate]
PROBLEM = bk.Quadratic([1.0, 1.0], [[0.0], [2.0]], noise=0.1)
SETTINGS: dict[str, Any] = {"rounds": 3, "eta": 0.05, "local_steps": 2}


@pytest.mark.parametrize("ask", SEARCHES)
@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"budget": 0}, "the budget must be finite and above 0 seconds, but it is 0."),
        ({"budget": float("inf")}, "above 0 seconds, but it is inf."),
        ({"budget": float("nan")}, "above 0 seconds, but it is nan."),
        ({"budget": "long"}, "above 0 seconds, but it is 'long'."),
        ({"evaluations": 0}, "evaluations must be a whole number, at least 1, but it is 0."),
        ({"evaluations": 2.5}, "evaluations must be a whole number, at least 1, but it is 2.5."),
        ({"evaluations": True}, "evaluations must be a whole number, at least 1, but it is True."),
        ({"seed": -1}, "seed must be a whole number, at least 0, but it is -1."),
        ({"seed": None}, "seed must be a whole number, at least 0, but it is None."),
    ],
)
def test_a_search_without_beginning_or_end_is_refused(
    ask: Callable[..., object], given: dict[str, Any], said: str
) -> None:
    with pytest.raises(bk.BoundkitError) as refused:
        ask("sgd_nonconvex", **given)
    assert str(refused.value).endswith(said)


@pytest.mark.parametrize("ask", [*SEARCHES, bk.worst_case, bk.ledger])
def test_a_name_that_is_none_is_refused(ask: Callable[..., object]) -> None:
    with pytest.raises(bk.BoundkitError, match="did you mean 'sgd_nonconvex'"):
        ask("sgd_nonconvx")


def test_a_ledger_of_settings_is_that_of_their_run() -> None:
    run = make_run("fedavg", PROBLEM, **SETTINGS)
    found = bk.ledger("fedavg_nonconvex", PROBLEM, **SETTINGS)
    assert found.to_dict() == bk.ledger("fedavg_nonconvex", run).to_dict()
    assert found.to_dict() == step_by_step.ledger(bk.theorem("fedavg_nonconvex"), run).to_dict()


@pytest.mark.parametrize("given", [(), (make_run("fedavg", PROBLEM, **SETTINGS),)])
def test_settings_without_a_problem_are_refused(given: tuple[Any, ...]) -> None:
    with pytest.raises(bk.BoundkitError, match=r"rounds: given without a problem, but a .* has its own"):
        bk.ledger("fedavg_nonconvex", *given, rounds=3)


def test_a_proof_may_take_the_place_of_the_theorems_own() -> None:
    statement = bk.theorem("fedavg_nonconvex")
    proof = step_by_step.proof_of(statement)
    wrong = proof.changed("Young: noise split off", by=proof.steps[0].of)
    found = bk.ledger(statement, PROBLEM, proof=wrong, **SETTINGS)
    assert not found.closes
