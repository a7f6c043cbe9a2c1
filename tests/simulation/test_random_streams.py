"""A result does not depend on how the work was split, nor the sampled clients on the noise."""

import numpy as np
import pytest
from scipy import stats

from boundkit.simulation import random_streams
from boundkit.simulation.arrays import AnyArray, array_namespace, empty_array, to_numpy
from boundkit.simulation.engines import CollapsedEngine, StepEngine
from boundkit.simulation.random_streams import CounterStreams, Streams
from tests.cases import each
from tests.simulation.engines.test_agreement import SAMPLED, noisy


@each("dtype", ["float64", "float32"])
@each("engine", SAMPLED)
@each("curvature", ["diagonal", "dense"])
def test_chunks_change_nothing(curvature: str, engine: str, dtype: str) -> None:
    run = noisy(curvature)
    whole = SAMPLED[engine](run, replicas=10, chunk=10, dtype=dtype).trajectory()
    again = SAMPLED[engine](run, replicas=10, chunk=10, dtype=dtype).trajectory()
    split = SAMPLED[engine](run, replicas=10, chunk=3, dtype=dtype).trajectory()
    exactly = 1e-12 if dtype == "float64" else 1e-4
    for name, series in whole.observed.items():
        np.testing.assert_array_equal(series, again.observed[name])
        np.testing.assert_allclose(split.observed[name], series, rtol=exactly, atol=exactly)
    np.testing.assert_array_equal(whole.x, again.x)
    np.testing.assert_allclose(split.x, whole.x, rtol=0, atol=exactly)


def test_blocks_of_noise_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """Large runs draw their noise in blocks; what the clients that came leave over is drawn all the same."""
    run = noisy("dense")
    whole = StepEngine(run, replicas=6, chunk=6).trajectory().observed["loss"]
    monkeypatch.setattr("boundkit.simulation.engines.stochastic_gradients._BYTES", 1)
    for chunk in (6, 1):
        blocks = StepEngine(run, replicas=6, chunk=chunk).trajectory().observed["loss"]
        np.testing.assert_allclose(blocks, whole, rtol=1e-12)


@each("engine", [StepEngine, CollapsedEngine])
def test_the_noise_level_leaves_the_sampled_clients_alone(
    engine: type[StepEngine] | type[CollapsedEngine],
) -> None:
    still, barely, other = noisy("dense"), noisy("dense"), noisy("dense", seed=6)
    still.problem.noise, barely.problem.noise, other.problem.noise = 0.0, 1e-10, 0.0
    calm, shaken = engine(still, replicas=5).trajectory(), engine(barely, replicas=5).trajectory()
    np.testing.assert_allclose(shaken.observed["loss"], calm.observed["loss"], atol=1e-8)
    elsewhere = engine(other, replicas=5).trajectory()  # other clients do show
    assert np.abs(elsewhere.observed["loss"] - calm.observed["loss"]).max() > 1e-3


def test_streams_are_keyed_by_seed_purpose_and_replica() -> None:
    together, alone = Streams(7, count=4), Streams(7, count=1, first=2)
    np.testing.assert_array_equal(together.uniform(5)[2], alone.uniform(5)[0])
    np.testing.assert_array_equal(together.normal(3, 2)[2], alone.normal(3, 2)[0])
    blocks = Streams(7, count=4)
    whole = Streams(7, count=4).normal(6, 2)
    np.testing.assert_array_equal(np.concatenate([blocks.normal(2, 2), blocks.normal(4, 2)], axis=1), whole)
    uniform, normal = Streams(7, count=1).uniform(1000), Streams(7, count=1).normal(1000)
    assert abs(np.corrcoef(uniform[0], normal[0])[0, 1]) < 0.15


def test_every_purpose_has_its_own_stream() -> None:
    purposes = ("participation", "noise", "selection", "batches")
    draws = [Streams(3, 2).uniform(4, purpose=purpose) for purpose in purposes]
    assert len({float(v) for draw in draws for v in draw.ravel()}) == 4 * 2 * 4


def split_mix(key: int, k: int) -> int:
    """Output k of SplitMix64 from a state, in Python's integers."""
    z = (key + k * 0x9E3779B97F4A7C15) % 2**64
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9 % 2**64
    z = (z ^ (z >> 27)) * 0x94D049BB133111EB % 2**64
    return z ^ (z >> 31)


LIBRARIES = {"numpy": ("numpy", "cpu"), "torch": ("torch", "cpu")}
WITH_GPU = [*LIBRARIES.values(), pytest.param(("torch", "cuda"), marks=pytest.mark.gpu)]


@each("library", LIBRARIES)
def test_words_by_counter_are_those_of_splitmix(library: str) -> None:
    words = random_streams._Words(7, "batches", 3, 2, empty_array(library))
    drawn = np.concatenate([to_numpy(words.next(3)), to_numpy(words.next(2))], axis=1)
    for row, key in zip(drawn.tolist(), words.keys[:, 0].tolist(), strict=True):
        assert [w % 2**64 for w in row] == [split_mix(key, k) for k in range(1, 6)]
    # the known first output of the published code from the state 1234567
    assert split_mix(1234567, 1) == 6457827717110365317


@each("place", WITH_GPU)
def test_numbers_and_subsets_by_counter_are_uniform(place: tuple[str, str]) -> None:
    like = empty_array(place[0], device=place[1])
    streams = CounterStreams(0, 4, 0, like)
    numbers = to_numpy(streams.integers(whole_numbers([[3, 10]] * 4, like), 2, 5000))
    for column, n in enumerate((3, 10)):
        assert stats.chisquare(np.bincount(numbers[:, column].ravel(), minlength=n)).pvalue > 1e-3
    subsets = np.stack([to_numpy(streams.subset(7, 3)) for _ in range(2000)])
    assert (np.diff(subsets, axis=-1) > 0).all()
    counts = np.bincount((subsets * [49, 7, 1]).sum(-1).ravel())
    assert len(counts[counts > 0]) == 35
    assert stats.chisquare(counts[counts > 0]).pvalue > 1e-3


def whole_numbers(values: list[list[int]], like: AnyArray) -> AnyArray:
    return array_namespace(like).asarray(values, device=like.device)


def test_draws_by_counter_do_not_depend_on_library_chunk_or_block(monkeypatch: pytest.MonkeyPatch) -> None:
    def draws(library: str, first: int, count: int) -> tuple[AnyArray, AnyArray]:
        like = empty_array(library)
        streams, below = CounterStreams(5, count, first, like), whole_numbers([[9, 9]] * count, like)
        numbers = [to_numpy(streams.integers(below, 3, k)) for k in (5, 2, 7)]
        subsets = [to_numpy(streams.subset(6, 2)) for _ in range(5)]
        return np.concatenate(numbers, axis=-1), np.stack(subsets)

    all_numbers, all_subsets = draws("numpy", 0, 4)
    for ahead in (random_streams._AHEAD, 1):
        monkeypatch.setattr(random_streams, "_AHEAD", ahead)
        for library in LIBRARIES:
            for first, count in ((0, 1), (1, 3), (0, 4)):
                numbers, subsets = draws(library, first, count)
                np.testing.assert_array_equal(numbers, all_numbers[first : first + count])
                np.testing.assert_array_equal(subsets, all_subsets[:, first : first + count])
