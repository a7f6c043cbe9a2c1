"""Contract of all kinds of participation."""

import json
from typing import Any

import numpy as np
import pytest

from boundkit.algebra import BoundkitError
from boundkit.simulation.engines import CollapsedEngine, StepEngine
from boundkit.simulation.participation import (
    KINDS,
    FixedSubset,
    NoClosedForm,
    Participation,
    Schedule,
    participation,
)
from boundkit.simulation.problems import Quadratic
from boundkit.simulation.random_streams import Streams
from boundkit.simulation.run import make_run
from tests.cases import each
from tests.simulation.participation.kinds import CLOSED_FORM, SPECS, M, P, came, everyone, made, rounds
from tests.simulation.participation.test_distribution import second_moment

ALL = each("who", everyone(), ids=[*SPECS, "schedule"])


def test_every_kind_is_tested() -> None:
    assert {spec["kind"] for spec in SPECS.values()} == set(KINDS)


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
    R = 10_000 // who.period + 1000
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


@each("engine", [StepEngine, CollapsedEngine])
def test_runs_do_not_depend_on_the_chunk(engine: type[StepEngine] | type[CollapsedEngine]) -> None:
    rng = np.random.default_rng(0)
    problem = Quadratic(rng.uniform(0.5, 1.5, M).tolist(), rng.normal(size=(M, 2)), P, 0.1)
    steps: dict[str, Any] = {"rounds": 7, "eta": 0.1, "local_steps": 2, "seed": 3}
    for name, spec in SPECS.items():
        run = make_run("fedavg", problem, participation=spec, options={"aggregation": "mean"}, **steps)
        whole = engine(run, replicas=9, chunk=9).trajectory()
        split = engine(run, replicas=9, chunk=4).trajectory()
        for observable, series in whole.observed.items():
            np.testing.assert_allclose(
                split.observed[observable], series, rtol=1e-12, atol=1e-12, err_msg=name
            )
        assert np.isfinite(whole.x).all()


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
    (of("uniform", C="half"), "C must be a number, but it is 'half'"),
    (of("uniform", C=1.5), "C = 1.5 was given, but it must be above 0 and at most 1"),
    (of("uniform", C=0.4), "makes 2.4 clients; C m must be a whole number, as for C = 0.333333333333 or 0.5"),
    (of("uniform", C=1e-12), "makes no client at all"),
    (of("with_replacement", count=2.5), "count must be a whole number from 1 to 1000000, but it is 2.5"),
    (
        of("with_replacement", count=2, probabilities=0.5),
        "probabilities must have the shape .6,., but it has",
    ),
    (
        of("with_replacement", count=2, probabilities=[0.2] * 6),
        "probabilities must sum to 1, but it sums to 1.2",
    ),
    (
        of("cyclic", groups=4),
        "cyclic groups = 4 does not divide 6 clients; groups of unequal size can be given",
    ),
    (
        of("cyclic", groups=7),
        "cyclic groups must be a whole number from 1 to 6, the number of clients, but it is 7",
    ),
    (of("cyclic", groups=[[0, 1], [2, 3, 4]]), "must hold every client once, but client 5 is in no group"),
    (of("cyclic", groups=[[0, 1, 0], [2, 3, 4, 5]]), "client 0 is in more than one place"),
    (of("cyclic", groups=[[0], [6]]), "groups.1. must hold clients, 0 to 5, but it holds 6"),
    (of("cyclic", groups=[[0], []]), "groups.1. must be a list of clients, with at least one"),
    (
        of("cyclic", groups=3, count=3),
        "count must be .* from 1 to 2, the size of the smallest group of 6 clients in 3",
    ),
    (of("cyclic", groups=2, count=2, shuffle=True), "group 0 has 3 clients; the count must divide the size"),
    (of("cyclic", groups=2, shuffle=True), "shuffle needs a count"),
    (of("cyclic", groups=2, count=1, shuffle=1), "shuffle must be true or false, but it is 1"),
    (best(6, 6), "count must be a whole number from 1 to 5, the number of clients with weight, but it is 6"),
    (best(3, 2), "d must be a whole number from 3 to 5, the number of clients with weight, but it is 2"),
    (best(1, 2, variant="cpov"), "unknown variant of power_of_choice 'cpov'; did you mean 'cpow'"),
    (best(1, 2, variant=1), "variant must be a text, pow, cpow or rpow"),
    (best(1, 2, batch=4), "batch belongs to the variant 'cpow', which estimates losses, not to 'pow'"),
    (best(1, [3, 2]), "a list of d needs the field 'every'"),
    (best(1, 3, every=2), "one d needs none"),
    (best(1, [], every=2), "d must be a number or a list of numbers, at least one"),
    (of("bernoulli", probabilities=[0.5, 0.5]), "must be one number or 6, one a client, but 2 were given"),
    (
        of("bernoulli", probabilities=[0.5, 1.5, 0, 0, 0, 0]),
        "probabilities.1. must be from 0 to 1, but it is 1.5",
    ),
    (of("bernoulli", probabilities="often"), "probabilities must be a number, but it is 'often'"),
    (of("bernoulli", probabilities={"dirichlett": 1}), "unknown field of probabilities 'dirichlett'"),
    (
        of("bernoulli", probabilities=0.5, dynamics="sinus"),
        "unknown dynamics .* 'sinus'; did you mean 'sine'",
    ),
    (
        of("bernoulli", probabilities=0.5, dynamics=3),
        "dynamics must be a text, one of stationary, staircase, sine",
    ),
    (of("bernoulli", probabilities=0.5, gamma=2), "gamma must be from 0 to 1, but it is 2"),
    (
        of("bernoulli", probabilities=0.5, period=2.5),
        "period must be a whole number from 1 to 100000, but it is 2.5",
    ),
    (of("markov", probabilities=0.5, switch_on=0), "switch_on must be from 1e-12 to 1, but it is 0"),
]


def test_mistakes_are_refused_in_one_sentence() -> None:
    for spec, sentence in REFUSED:
        with pytest.raises(BoundkitError, match=sentence) as refusal:
            participation(spec, M, P)
        assert "\n" not in str(refusal.value)
        assert str(refusal.value).endswith((".", "?"))
