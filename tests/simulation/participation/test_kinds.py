"""Contract of all kinds of participation."""

import json
from typing import Any

import numpy as np
import pytest

from boundkit.algebra import BoundkitError
from boundkit.simulation.participation import (
    FixedSubset,
    NoClosedForm,
    Participation,
    Schedule,
    participation,
)
from boundkit.simulation.random_streams import Streams
from tests.cases import each
from tests.simulation.participation.kinds import CLOSED_FORM, SPECS, M, P, came, everyone, made, rounds
from tests.simulation.participation.test_distribution import second_moment

ALL = each("who", everyone(), ids=[*SPECS, "schedule"])


@ALL
def test_samples_have_the_documented_form(who: Participation) -> None:
    """Rows list a client once; sizes are as announced; a replica does not depend on the chunk."""
    for t, here in enumerate(rounds(who, 1, 40)):
        assert here.clients.dtype == np.intp
        assert (np.diff(np.sort(here.clients, axis=-1), axis=-1) > 0).all()
        if here.counts is not None:
            assert here.counts.shape == here.clients.shape
            assert (here.counts >= 0).all()
        counts = came(here, 40)
        if who.size(t) is not None:
            assert (counts.sum(axis=1) == who.size(t)).all()
        if not who.ragged:
            assert here.counts is None
        if not who.random:
            assert (np.ptp(counts, axis=0) == 0).all()
    R = 7
    whole = [came(here, R) for here in rounds(who, 3, R)]
    parts = [[came(here, n) for here in rounds(who, 3, n, first)] for first, n in ((0, 2), (2, 1), (3, 4))]
    for t, together in enumerate(whole):
        np.testing.assert_array_equal(together, np.concatenate([part[t] for part in parts]))


@each("name", CLOSED_FORM)
def test_samples_have_the_moments_of_the_distribution(name: str) -> None:
    who = made(name)
    R = 5_000 // who.period + 1000
    streams = Streams(5, R)
    for t in range(who.period + 1):
        distribution, counts = who.distribution(t), came(who.draw(t, streams), R)
        assert distribution == who.distribution(t + who.period)
        assert distribution.clients == M
        mean, square = distribution.first, second_moment(distribution)
        error = np.sqrt(np.maximum(np.diag(square) - mean**2, 0) / R)
        assert (np.abs(counts.mean(axis=0) - mean) <= 5 * error + 1e-12).all()
        products = counts.T @ counts / R
        error = max(1, counts.max()) ** 2 * np.sqrt(np.maximum(square, 0) / R)
        assert (np.abs(products - square) <= 5 * error + 1e-12).all()
        empty = (counts.sum(axis=1) == 0).mean()
        assert np.isclose(empty, distribution.empty_probability, atol=5 * (0.25 / R) ** 0.5)
    if who.period > 1:
        assert who.mean_counts() is None
    else:
        np.testing.assert_array_equal(who.mean_counts(), who.distribution(0).first)
    varies = any(not isinstance(who.distribution(t), FixedSubset) for t in range(who.period))
    assert who.random == (varies and name != "uniform all")


def test_rounds_that_depend_on_the_past_or_on_losses_have_no_closed_form() -> None:
    for name in sorted(set(SPECS) - set(CLOSED_FORM)):
        who = made(name)
        with pytest.raises(NoClosedForm, match="has no distribution of a single round: it depends on"):
            [who.distribution(t) for t in range(who.period)]
        assert who.random
        if name in ("shuffled groups", "pow-d", "markov"):
            with pytest.raises(BoundkitError, match="cannot be sampled without a SelectionContext"):
                who.draw(0, Streams(0, 1))


def test_written_participation_is_read_as_the_same() -> None:
    for name, spec in SPECS.items():
        who = made(name)
        written = json.loads(json.dumps(who.to_json()))
        again = participation(written, M, P)
        assert again.to_json() == who.to_json()
        for one, other in zip(rounds(who, 2, 5), rounds(again, 2, 5), strict=True):
            np.testing.assert_array_equal(came(one, 5), came(other, 5), err_msg=name)
        assert {field: written[field] for field in spec} == spec
    assert participation("full", 3).to_json() == {"kind": "full"}


def test_a_schedule_cycles_and_may_have_empty_rounds() -> None:
    who = Schedule(3, [[2, 0], [], [1]])
    assert [here.clients.tolist() for here in rounds(who, 0, 1, T=4)] == [[2, 0], [], [1], [2, 0]]
    assert who.distribution(4) == FixedSubset((), 3)
    assert who.distribution(1).empty_probability == 1
    assert (who.period, who.mean_counts()) == (3, None)


def test_participation_needs_a_kind() -> None:
    specs: list[Any] = [None, 3, [], {}, {"kind": 3}, {"C": 0.5}]
    for spec in specs:
        with pytest.raises(BoundkitError, match='participation must be an object with a "kind"'):
            participation(spec, 4)


def of(kind: str, **fields: Any) -> dict[str, Any]:
    return {"kind": kind, **fields}


def best(count: int, d: Any, **fields: Any) -> dict[str, Any]:
    return of("power_of_choice", count=count, d=d, **fields)


REFUSED = [
    (of("bernouli"), "unknown participation 'bernouli'; did you mean 'bernoulli'"),
    (of("uniform"), "uniform participation needs the field 'C'"),
    (of("cyclic", group=2), "unknown field of cyclic participation 'group'; did you mean 'groups'"),
    (of("cyclic", groups=2, count=None), "the field 'count' of cyclic participation is null"),
    (of("uniform", C=1.5), "C = 1.5 was given, but it must be above 0 and at most 1"),
    (of("uniform", C=0.4), "makes 2.4 clients; C m must be a whole number, as for C = 0.333333333333 or 0.5"),
    (
        of("with_replacement", count=2, probabilities=[0.2] * 6),
        "probabilities must sum to 1, but it sums to 1.2",
    ),
    (
        of("cyclic", groups=4),
        "cyclic groups = 4 does not divide 6 clients; groups of unequal size can be given",
    ),
    (of("cyclic", groups=[[0, 1], [2, 3, 4]]), "must hold every client once, but client 5 is in no group"),
    (of("cyclic", groups=2, count=2, shuffle=True), "group 0 has 3 clients; the count must divide the size"),
    (best(6, 6), "count must be a whole number from 1 to 5, the number of clients with weight, but it is 6"),
    (best(3, 2), "d must be a whole number from 3 to 5, the number of clients with weight, but it is 2"),
    (best(1, 2, variant="cpov"), "unknown variant of power_of_choice 'cpov'; did you mean 'cpow'"),
    (best(1, 2, batch=4), "batch belongs to the variant 'cpow', which estimates losses, not to 'pow'"),
    (best(1, [3, 2]), "a list of d needs the field 'every'"),
    (best(1, 3, every=2), "one d needs none"),
    (of("bernoulli", probabilities=[0.5, 0.5]), "must be one number or 6, one a client, but 2 were given"),
    (
        of("bernoulli", probabilities=[0.5, 1.5, 0, 0, 0, 0]),
        "probabilities.1. must be from 0 to 1, but it is 1.5",
    ),
    (of("bernoulli", probabilities={"dirichlett": 1}), "unknown field of probabilities 'dirichlett'"),
    (
        of("bernoulli", probabilities=0.5, dynamics="sinus"),
        "unknown dynamics .* 'sinus'; did you mean 'sine'",
    ),
]


def test_mistakes_are_refused_in_one_sentence() -> None:
    for spec, sentence in REFUSED:
        with pytest.raises(BoundkitError, match=sentence) as refusal:
            participation(spec, M, P)
        assert "\n" not in str(refusal.value)
        assert str(refusal.value).endswith((".", "?"))
