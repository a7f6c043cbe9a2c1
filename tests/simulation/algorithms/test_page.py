"""docs/algorithms.md says of every algorithm what is so."""

import json
import re
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np

from boundkit import simulate
from boundkit.simulation.algorithms import ALGORITHMS, WeightInputs, algorithm
from boundkit.simulation.arrays import to_numpy
from boundkit.simulation.engines import StepEngine
from boundkit.simulation.engines.recorder import RoundRecorder
from boundkit.simulation.participation import Participants
from boundkit.simulation.random_streams import Streams
from boundkit.simulation.run import make_run
from tests.cases import each
from tests.simulation.algorithms.uneven import problem

PAGE = (Path(__file__).parents[3] / "docs" / "algorithms.md").read_text(encoding="utf-8")
SHARES = {"p": [0.5 / 0.9, 0.4 / 0.9], "mean": [1 / 3, 2 / 3], "all": [1 / 4, 2 / 4]}
WEIGHS_OTHERWISE = {"fednova", "mifa", "scaffnew"}  # by ||a_i||_1 too; all m; those that exchange
ONLY_RECORDED = {"fedexp": {"server_step"}, "fedawe": {"offset"}, "dp_fedavg": {"excess"}}
BUSY = {"async_sgd": {"delays": 2}, "adacomm": {"tau_0": 4, "period": 1}, "mifa": {"wait": False}}


def tables(columns: str) -> list[list[str]]:
    """The rows of all tables with this first line."""
    rows, inside = [], False
    for line in PAGE.splitlines():
        if line == columns:
            inside = True
        elif not line.startswith("|"):
            inside = False
        elif inside and not line.startswith("|---"):
            rows.append([cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]])
    return rows


RULES = {
    row[0].strip("`"): row[1:] for row in tables("| algorithm | update | weights | empty round | paper |")
}
OPTIONS = tables("| algorithm | option | default | meaning |")
RECORDED = tables("| algorithm | names | of what |")


def named(cell: str) -> list[str]:
    return re.findall(r"`([^`]+)`", cell)


def test_every_algorithm_has_a_row_with_its_paper() -> None:
    assert sorted(RULES) == sorted(ALGORITHMS)
    for name, row in RULES.items():
        assert ALGORITHMS[name].reference in row[3]


def test_every_option_of_every_algorithm_is_named_with_its_default() -> None:
    said = [
        (name, option, row[2].strip("`"))
        for row in OPTIONS
        for name in named(row[0])
        for option in named(row[1])
    ]
    there = [(n, o, json.dumps(default)) for n, a in ALGORITHMS.items() for o, default in a.options.items()]
    assert Counter(said) == Counter(there)
    assert all(row[3] for row in OPTIONS)


@each("name", [n for n in ALGORITHMS if n not in WEIGHS_OTHERWISE])
def test_weights_are_as_the_row_says(name: str) -> None:
    came = WeightInputs(np.array([0.5, 0.2]), np.array([1.0, 2.0]), np.array([2, 3]), 4, np.full(3, 0.1))
    expected = SHARES[RULES[name][1].strip("`")]
    np.testing.assert_allclose(algorithm(name).weights(came), expected, rtol=1e-14)


@each("name", ALGORITHMS)
def test_an_empty_round_changes_what_the_row_says(name: str) -> None:
    options = BUSY.get(name, {})
    run = make_run(name, problem(), rounds=3, eta=0.1, x0=[3.0, -1.0], options=options)
    engine, streams = StepEngine(run), Streams(0, 1)
    engine.recorder = RoundRecorder(run, 1)
    state = engine.begin(streams)
    for t in range(2):
        state = engine.advance(t, state, Participants(np.arange(4)), streams)
    after = engine.advance(2, state, Participants(np.arange(0)), streams)
    moved = {n for n, v in after.items() if not np.array_equal(to_numpy(v), to_numpy(state[n]))}
    changed = moved - ONLY_RECORDED.get(name, set())
    says = RULES[name][2]
    kinds: dict[str, Any] = {
        "nothing": set(),
        "clients step on": {"x"},
        "adds its noise": {"x"},
        "clocks count on": changed & run.algorithm.counters,
        "models grow older": {"past"},
        "the choice of tau is made": {"tau"},
        "steps with its stored updates, once it has begun": {"x"},
    }
    assert changed == kinds[says]
    assert (says == "nothing") == (not changed)


@each("name", ALGORITHMS)
def test_what_else_is_recorded_is_named(name: str) -> None:
    setting: dict[str, Any] = {"rounds": 2, "eta": 0.1, "options": BUSY.get(name, {})}
    usual = simulate("fedavg", problem(), rounds=2, eta=0.1).observed
    more = set(simulate(name, problem(), **setting).observed) - set(usual)
    said = [token for row in RECORDED if name in named(row[0]) for token in named(row[1])]
    unsaid = {n for n in more if not any(n == s or (s[-1] == "_" and n.startswith(s)) for s in said)}
    assert not unsaid
    assert all(any(n == s or n.startswith(s) for n in more) for s in said)
