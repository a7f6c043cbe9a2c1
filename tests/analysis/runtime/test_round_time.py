"""Schemes, axes, formulas and mistakes of ``round_time``."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sympy import N, harmonic

from boundkit.algebra import BoundkitError
from boundkit.analysis.runtime import SCHEMES, round_time
from boundkit.analysis.runtime.distributions import QUANTITIES, SlowestOf
from boundkit.analysis.runtime.round_time import time_effect
from tests.cases import each

FEDERATED: dict[str, Any] = {
    "m": 100,
    "C": 0.1,
    "epochs": 5,
    "samples": 600,
    "overhead": 0.01,
    "per_sample": 0.002,
    "delay": 3,
}


def test_synchronous_is_the_harmonic_number() -> None:
    found = round_time("synchronous", m=[1, 3, 6], step_time=2, delay=1)
    exact = [2 * float(harmonic(m)) + 1 for m in (1, 3, 6)]
    assert np.allclose(found.per_round, exact, rtol=1e-12)
    assert np.array_equal(found.per_round, found.per_iteration)
    assert str(found.formula) == "delay + step_time*harmonic(m)"


def test_local_steps_average_out_and_one_step_is_synchronous() -> None:
    found = round_time("local", m=16, tau=[1, 10, 100, 1000], step_time=1, delay=5)
    one = round_time("synchronous", m=16, step_time=1, delay=5)
    per = np.asarray(found.per_iteration)
    assert per[0] == pytest.approx(one.per_round, rel=1e-12)
    assert np.all(np.diff(per) < 0)
    assert 1 < per[-1] < 1.08
    assert round_time("local", m=1, tau=7, step_time=2, delay=5).per_round == pytest.approx(19, rel=1e-9)
    assert round_time("local", m=9, tau=7, step_time=2, delay=5, law="constant").per_round == 19


def test_overlap_of_the_exchange_with_the_steps() -> None:
    constant = round_time("overlap", m=9, tau=[1, 5, 20], step_time=1, delay=5, law="constant")
    assert list(np.asarray(constant.per_round)) == [5, 5, 20]
    hidden = round_time("overlap", m=4, tau=3, step_time=1, delay=0)
    assert hidden.per_round == pytest.approx(round_time("local", m=4, tau=3, step_time=1, delay=0).per_round)
    between = round_time("overlap", m=4, tau=3, step_time=1, delay=4).per_round
    assert max(hidden.per_round, 4) < between < hidden.per_round + 4


def test_asynchronous_scheme() -> None:
    found = round_time("asynchronous", m=[1, 8], step_time=2, delay=6)
    assert list(np.asarray(found.per_iteration)) == [2, 0.25]
    assert list(np.asarray(found.staleness)) == [0, 7]
    added = round_time("asynchronous", m=8, step_time=2, delay=6, delay_hidden=False)
    assert added.per_iteration == 1


def test_asynchronous_clients_in_a_simulation() -> None:
    rng, clients, events = np.random.default_rng(3), 5, 40_000
    ends, since, ages, clock = rng.exponential(1.0, clients), np.zeros(clients), [], 0.0
    for event in range(events):
        who = int(np.argmin(ends))
        clock = ends[who]
        ages.append(event - since[who])
        since[who] = event + 1
        ends[who] += rng.exponential(1.0)
    found = round_time("asynchronous", m=clients, step_time=1)
    assert clock / events == pytest.approx(found.per_iteration, rel=0.02)
    assert np.mean(ages) == pytest.approx(found.staleness, rel=0.02)


def test_a_federated_round_of_constant_steps() -> None:
    found = round_time("federated", **FEDERATED, batch=[10, 20, 600])
    exact = [5 * 600 * (0.01 / b + 0.002) + 3 for b in (10, 20, 600)]
    assert np.allclose(found.per_round, exact, rtol=1e-14)
    assert np.allclose(found.per_iteration, np.array(exact) / (3000 / np.array([10, 20, 600])))
    small = round_time("federated", **{**FEDERATED, "samples": 25}, batch=10)
    assert small.per_round == pytest.approx(5 * (3 * 0.01 + 25 * 0.002) + 3)  # two full batches and a half


def test_a_federated_round_of_random_steps() -> None:
    found = round_time("federated", **FEDERATED, batch=600, law="exponential")
    rng = np.random.default_rng(1)
    drawn = rng.gamma(5, 0.01 + 0.002 * 600, (60_000, 10)).max(axis=1) + 3
    assert abs(found.per_round - drawn.mean()) < 4 * drawn.std() / np.sqrt(drawn.size)
    assert str(found.formula).count("SlowestOf") == 1
    assert "the largest of M sums" in found.to_text()


def test_clients_with_unequal_data() -> None:
    sizes = [100, 300, 500, 900]
    full = round_time("federated", n_i=sizes, C=1, batch=100, epochs=2, overhead=0, per_sample=1, delay=0)
    assert full.per_round == 1800
    pairs = [300, 500, 900, 500, 900, 900]
    half = round_time("federated", n_i=sizes, C=0.5, batch=100, epochs=2, overhead=0, per_sample=1, delay=0)
    assert half.per_round == pytest.approx(2 * np.mean(pairs))
    assert half.formula is None
    assert half.to_dict()["parameters"]["n_i"] == sizes


@each("scheme", SCHEMES)
@each("law", ["constant", "exponential"])
def test_the_formula_is_the_number(scheme: str, law: str) -> None:
    found = round_time(scheme, law=law)
    if found.formula is None:
        assert (scheme, law) == ("overlap", "exponential")
        return
    values = {QUANTITIES[n]: v for n, v in found.values.items()}
    seconds = found.formula.xreplace({k: int(v) if v == int(v) else v for k, v in values.items()})
    for part in list(seconds.atoms(SlowestOf)):
        clients, steps = (int(N(x)) for x in part.args)
        number = round_time("local", m=clients, tau=steps, step_time=1, delay=0).per_round
        seconds = seconds.subs(part, number)
    assert float(seconds) == pytest.approx(found.per_round, rel=1e-9)


@each(
    ("scheme", "given", "sentence"),
    [
        ("lcoal", {}, "unknown scheme 'lcoal'; did you mean 'local'"),
        ("local", {"taus": 3}, "unknown parameter of local 'taus'; did you mean 'tau'"),
        ("synchronous", {"tau": 3}, "unknown parameter of synchronous 'tau'"),
        ("local", {"tau": 0}, "tau = 0 was given, but it must be a whole number, at least 1"),
        ("local", {"m": 2.5}, "m = 2.5 was given"),
        ("local", {"delay": -1}, "delay = -1 was given, but it must be at least 0"),
        ("local", {"m": "3"}, "m = '3' was given, but it must be a number"),
        ("local", {"m": [[1, 2], [3]]}, r"m holds \[1, 2\], but an axis is a flat list of numbers"),
        ("local", {"m": []}, "an axis needs at least one value"),
        ("local", {"m": list(range(1, 401)), "tau": list(range(1, 401))}, "160000 points were given"),
        ("local", {"tau": 10**7}, "tau at most 1000000 here"),
        ("federated", {"C": 0.15, "m": 10}, "make 1.5 clients a round"),
        ("federated", {"samples": 25, "law": "exponential"}, "no whole number of batches of 10"),
        ("federated", {"n_i": [100, 200], "m": 3, "C": 1}, "n_i holds 2 clients, but m = 3"),
        ("federated", {"n_i": [100], "samples": 5}, "samples must not be given as well"),
        ("federated", {"n_i": [0]}, "n_i = 0 was given"),
        ("federated", {"n_i": []}, "at least one client"),
        ("local", {"n_i": [100]}, "local does not read it"),
    ],
)
def test_invalid_arguments(scheme: str, given: dict[str, Any], sentence: str) -> None:
    with pytest.raises(BoundkitError, match=sentence):
        round_time(scheme, **given)


@each(
    ("name", "law", "word"),
    [
        ("C", "constant", "no effect"),
        ("C", "exponential", "worse"),
        ("m", "exponential", "worse"),
        ("epochs", "constant", "worse"),
        ("epochs", "exponential", "worse"),
        ("samples", "exponential", "worse"),
        ("batch", "constant", "depends"),
        ("batch", "exponential", "depends"),
        ("delay", "constant", "worse"),
        ("sigma_g", "constant", "no effect"),
        ("kappa", "exponential", "no effect"),
    ],
)
def test_effects_on_the_duration(name: str, law: str, word: str) -> None:
    effect = time_effect(name, law)
    assert effect.word == word
    assert effect.exact == ((name, law) != ("batch", "exponential"))


def test_data_sizes_of_all_clients_imply_full_participation() -> None:
    found = round_time("federated", n_i=[600, 300])
    assert (found.values["C"], found.values["m"]) == (1, 2)
    assert "C" in found.assumed
    assert found.per_round == round_time("federated", n_i=[600, 300], C=1).per_round
    assert round_time("federated", m=100).values["C"] == 0.1
