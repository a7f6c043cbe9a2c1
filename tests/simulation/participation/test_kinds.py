"""What all kinds of participation have in common."""

import json

import numpy as np
import pytest

from boundkit.algebra import BoundkitError
from boundkit.simulation.participation import (
    KINDS,
    FixedSubset,
    NoClosedForm,
    Participation,
    Schedule,
    participation,
)
from boundkit.simulation.random_streams import Streams
from tests.simulation.participation.kinds import LAWFUL, SPECS, M, P, came, everyone, made, rounds

ALL = pytest.mark.parametrize("who", everyone(), ids=[*SPECS, "schedule"])


def test_every_kind_is_tested() -> None:
    assert {spec["kind"] for spec in SPECS.values()} == set(KINDS)


@ALL
def test_a_replica_draws_the_same_in_any_chunk(who: Participation) -> None:
    R = 7
    whole = [came(here, R) for here in rounds(who, 3, R)]
    parts = [[came(here, n) for here in rounds(who, 3, n, first)] for first, n in ((0, 2), (2, 1), (3, 4))]
    for t, together in enumerate(whole):
        np.testing.assert_array_equal(together, np.concatenate([part[t] for part in parts]))


@ALL
def test_rows_name_a_client_once_and_counts_are_beside_them(who: Participation) -> None:
    for here in rounds(who, 1, 40):
        assert here.clients.dtype == np.intp
        ranked = np.sort(here.clients, axis=-1)
        assert (np.diff(ranked, axis=-1) > 0).all()
        if here.counts is not None:
            assert here.counts.shape == here.clients.shape
            assert (here.counts >= 0).all()


@ALL
def test_sizes_and_shapes_are_as_announced(who: Participation) -> None:
    for t, here in enumerate(rounds(who, 1, 40)):
        many = came(here, 40).sum(axis=1)
        if who.size(t) is not None:
            assert (many == who.size(t)).all()
        if not who.ragged:
            assert here.counts is None
        if not who.random:
            assert (np.ptp(came(here, 40), axis=0) == 0).all()
    assert who.period >= 1


@pytest.mark.parametrize("name", LAWFUL)
def test_laws_repeat_after_a_period_and_draws_obey_them(name: str) -> None:
    who = made(name)
    R = 10_000 // who.period + 1000
    streams = Streams(5, R)
    for t in range(who.period + 1):
        law, counts = who.distribution(t), came(who.draw(t, streams), R)
        assert law == who.distribution(t + who.period)
        assert law.clients == M
        mean, square = (
            law.first,
            np.diag(law.pairs.diagonal) + sum(s * np.outer(v, v) for s, v in law.pairs.factors),
        )
        spread = np.sqrt(np.maximum(np.diag(square) - mean**2, 0) / R)
        assert (np.abs(counts.mean(axis=0) - mean) <= 5 * spread + 1e-12).all()
        products = counts.T @ counts / R
        highest = max(1, counts.max())
        assert (
            np.abs(products - square) <= 5 * highest**2 * np.sqrt(np.maximum(square, 0) / R) + 1e-12
        ).all()
        assert np.isclose((counts.sum(axis=1) == 0).mean(), law.empty_probability, atol=5 * (0.25 / R) ** 0.5)


@pytest.mark.parametrize("name", LAWFUL)
def test_chances_are_those_of_the_law_where_it_stays(name: str) -> None:
    who = made(name)
    if who.period > 1:
        assert who.mean_counts() is None
    else:
        np.testing.assert_array_equal(who.mean_counts(), who.distribution(0).first)
    assert who.random == any(not isinstance(who.distribution(t), FixedSubset) for t in range(who.period)) or (
        name == "uniform all"
    )


@pytest.mark.parametrize("name", sorted(set(SPECS) - set(LAWFUL)))
def test_rounds_that_look_back_or_at_losses_have_no_law(name: str) -> None:
    who = made(name)
    with pytest.raises(NoClosedForm, match="has no distribution of a single round: it depends on"):
        [who.distribution(t) for t in range(who.period)]
    assert who.random


@pytest.mark.parametrize("name", SPECS)
def test_what_is_written_is_read_again(name: str) -> None:
    who = made(name)
    written = json.loads(json.dumps(who.to_json()))
    again = participation(written, M, P)
    assert again.to_json() == who.to_json()
    for one, other in zip(rounds(who, 2, 5), rounds(again, 2, 5), strict=True):
        np.testing.assert_array_equal(came(one, 5), came(other, 5))
    assert {name: written[name] for name in SPECS[name]} == SPECS[name]


def test_a_kind_may_be_named_by_its_name_alone() -> None:
    assert participation("full", 3).to_json() == {"kind": "full"}


@pytest.mark.parametrize("spec", [None, 3, [], {}, {"kind": 3}, {"C": 0.5}])
def test_participation_needs_a_kind(spec: object) -> None:
    with pytest.raises(BoundkitError, match='participation must be an object with a "kind"'):
        participation(spec, 4)


def test_a_schedule_cycles_and_may_have_empty_rounds() -> None:
    who = Schedule(3, [[2, 0], [], [1]])
    drawn = [here.clients.tolist() for here in rounds(who, 0, 1, T=4)]
    assert drawn == [[2, 0], [], [1], [2, 0]]
    assert who.distribution(4) == FixedSubset((), 3)
    assert who.distribution(1).empty_probability == 1
    assert (who.period, who.mean_counts()) == (3, None)


@pytest.mark.parametrize("name", ["shuffled groups", "pow-d", "markov"])
def test_kinds_that_look_need_sight(name: str) -> None:
    with pytest.raises(BoundkitError, match="cannot be sampled without a SelectionContext"):
        made(name).draw(0, Streams(0, 1))


REFUSED = {
    "unknown participation 'bernouli'; did you mean 'bernoulli'": {"kind": "bernouli"},
    "uniform participation needs the field 'C'": {"kind": "uniform"},
    "unknown field of cyclic participation 'group'; did you mean 'groups'": {"kind": "cyclic", "group": 2},
    "the field 'count' of cyclic participation is null": {"kind": "cyclic", "groups": 2, "count": None},
    "C must be a number, but it is 'half'": {"kind": "uniform", "C": "half"},
    "C = 1.5 was given, but it must be above 0 and at most 1": {"kind": "uniform", "C": 1.5},
    "makes 2.4 clients; C m must be a whole number, as for C = 0.333333333333 or 0.5": {
        "kind": "uniform",
        "C": 0.4,
    },
    "makes no client at all": {"kind": "uniform", "C": 1e-12},
    "count must be a whole number from 1 to 1000000, but it is 2.5": {
        "kind": "with_replacement",
        "count": 2.5,
    },
    "probabilities must have the shape .6,., but it has": {
        "kind": "with_replacement",
        "count": 2,
        "probabilities": 0.5,
    },
    "probabilities must sum to 1, but it sums to 1.2": {
        "kind": "with_replacement",
        "count": 2,
        "probabilities": [0.2] * 6,
    },
    "cyclic groups = 4 does not divide 6 clients; groups of unequal size can be given as lists": {
        "kind": "cyclic",
        "groups": 4,
    },
    "cyclic groups must be a whole number from 1 to 6, the number of clients, but it is 7": {
        "kind": "cyclic",
        "groups": 7,
    },
    "groups must hold every client once, but client 5 is in no group": {
        "kind": "cyclic",
        "groups": [[0, 1], [2, 3, 4]],
    },
    "client 0 is in more than one place": {"kind": "cyclic", "groups": [[0, 1, 0], [2, 3, 4, 5]]},
    "groups.1. must hold clients, 0 to 5, but it holds 6": {"kind": "cyclic", "groups": [[0], [6]]},
    "groups.1. must be a list of clients, with at least one": {"kind": "cyclic", "groups": [[0], []]},
    "count must be a whole number from 1 to 2, the size of the smallest group of 6 clients in 3 groups": {
        "kind": "cyclic",
        "groups": 3,
        "count": 3,
    },
    "group 0 has 3 clients; the count must divide the size of every group": {
        "kind": "cyclic",
        "groups": 2,
        "count": 2,
        "shuffle": True,
    },
    "shuffle needs a count": {"kind": "cyclic", "groups": 2, "shuffle": True},
    "shuffle must be true or false, but it is 1": {"kind": "cyclic", "groups": 2, "count": 1, "shuffle": 1},
    "count must be a whole number from 1 to 5, the number of clients with weight, but it is 6": {
        "kind": "power_of_choice",
        "count": 6,
        "d": 6,
    },
    "d must be a whole number from 3 to 5, the number of clients with weight, but it is 2": {
        "kind": "power_of_choice",
        "count": 3,
        "d": 2,
    },
    "unknown variant of power_of_choice 'cpov'; did you mean 'cpow'": {
        "kind": "power_of_choice",
        "count": 1,
        "d": 2,
        "variant": "cpov",
    },
    "variant must be a text, pow, cpow or rpow": {
        "kind": "power_of_choice",
        "count": 1,
        "d": 2,
        "variant": 1,
    },
    "batch belongs to the variant 'cpow', which estimates losses, not to 'pow'": {
        "kind": "power_of_choice",
        "count": 1,
        "d": 2,
        "batch": 4,
    },
    "a list of d needs the field 'every'": {"kind": "power_of_choice", "count": 1, "d": [3, 2]},
    "one d needs none": {"kind": "power_of_choice", "count": 1, "d": 3, "every": 2},
    "d must be a number or a list of numbers, at least one": {
        "kind": "power_of_choice",
        "count": 1,
        "d": [],
        "every": 2,
    },
    "probabilities must be one number or 6, one a client, but 2 were given": {
        "kind": "bernoulli",
        "probabilities": [0.5, 0.5],
    },
    "probabilities.1. must be from 0 to 1, but it is 1.5": {
        "kind": "bernoulli",
        "probabilities": [0.5, 1.5, 0, 0, 0, 0],
    },
    "probabilities must be a number, but it is 'often'": {"kind": "bernoulli", "probabilities": "often"},
    "unknown field of probabilities 'dirichlett'; did you mean 'dirichlet'": {
        "kind": "bernoulli",
        "probabilities": {"dirichlett": 1},
    },
    "unknown dynamics of bernoulli participation 'sinus'; did you mean 'sine'": {
        "kind": "bernoulli",
        "probabilities": 0.5,
        "dynamics": "sinus",
    },
    "dynamics must be a text, one of stationary, staircase, sine, interleaved_sine": {
        "kind": "bernoulli",
        "probabilities": 0.5,
        "dynamics": 3,
    },
    "gamma must be from 0 to 1, but it is 2": {
        "kind": "bernoulli",
        "probabilities": 0.5,
        "dynamics": "sine",
        "gamma": 2,
    },
    "period must be a whole number from 1 to 100000, but it is 2.5": {
        "kind": "bernoulli",
        "probabilities": 0.5,
        "dynamics": "sine",
        "period": 2.5,
    },
    "switch_on must be from 1e-12 to 1, but it is 0": {
        "kind": "markov",
        "probabilities": 0.5,
        "switch_on": 0,
    },
}


@pytest.mark.parametrize("sentence", REFUSED)
def test_mistakes_are_refused_in_one_sentence(sentence: str) -> None:
    with pytest.raises(BoundkitError, match=sentence) as refusal:
        participation(REFUSED[sentence], M, P)
    said = str(refusal.value)
    assert "\n" not in said
    assert said.endswith((".", "?"))
