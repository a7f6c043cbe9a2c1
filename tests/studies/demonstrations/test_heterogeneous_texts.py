"""Text in languages that are known, dealt out or not, and what is compared on it."""

from pathlib import Path

import numpy as np
import pytest

from boundkit.algebra import BoundkitError
from boundkit.simulation.arrays import Array
from boundkit.studies.demonstrations._training import TrainingResult
from boundkit.studies.demonstrations.heterogeneous_texts import (
    CHARACTERS,
    RUNS,
    SHARES,
    Languages,
    ShakespeareTexts,
    both_together,
    entropy,
    one_table,
    spoken,
    stationary,
    verdicts,
)
from tests.simulation.data.files import write_plays

MODEL = {"kind": "recurrent", "hidden": 4, "embedding": 3, "cell": "tanh"}


def test_least_losses_of_chains_by_hand() -> None:
    """Two clients who stay with 0.9 and 0.5: alike shares of both characters, pairs stay with 0.7."""
    chains = np.array([[[0.9, 0.1], [0.1, 0.9]], [[0.5, 0.5], [0.5, 0.5]]])
    h = {q: -(q * np.log(q) + (1 - q) * np.log(1 - q)) for q in (0.9, 0.5, 0.7)}
    assert stationary(chains) == pytest.approx(np.full((2, 2), 0.5))
    assert entropy(chains) == pytest.approx((h[0.9] + h[0.5]) / 2)
    assert one_table(chains) == pytest.approx(h[0.7])


def test_no_table_beats_the_entropy_and_alike_clients_lose_nothing_by_it() -> None:
    apart = [Languages(apart=h).chains(3) for h in (0.0, 0.5, 1.0)]
    assert all(chains.sum(axis=-1) == pytest.approx(1) for chains in apart)
    cost = [one_table(chains) - entropy(chains) for chains in apart]
    assert cost[0] == pytest.approx(0, abs=1e-12)
    assert cost[0] < cost[1] < cost[2]
    assert max(map(one_table, apart)) < np.log(CHARACTERS)


def test_what_is_written_follows_the_chain() -> None:
    chains = Languages(clients=2).chains(0)
    text = spoken(chains, 3000, 8, np.random.default_rng(0))
    for i, chain in enumerate(chains):
        pairs = np.zeros((CHARACTERS, CHARACTERS))
        np.add.at(pairs, (text[i, :, :-1].ravel(), text[i, :, 1:].ravel()), 1)
        law = stationary(chains)[i][:, None] * chain
        assert pairs / pairs.sum() == pytest.approx(law, abs=0.006)
        assert np.bincount(text[i, :, 0], minlength=CHARACTERS) / 3000 == pytest.approx(
            stationary(chains)[i], abs=0.04
        )


def test_dealt_text_is_the_same_loss_divided_otherwise() -> None:
    own, dealt = (Languages(model=MODEL, clients=4, sequences=6, dealt=d).problem(1) for d in (False, True))
    w = own.initial_point({"seed": 0})
    assert own.p @ own.losses(w) == pytest.approx(dealt.p @ dealt.losses(w), rel=1e-12)
    assert np.ptp(dealt.losses(w)) != pytest.approx(np.ptp(own.losses(w)), rel=1e-3)
    assert own.test is not None
    assert dealt.test is not None
    assert (own.test[0] == dealt.test[0]).all()
    rows = [sorted(map(tuple, problem.federation.X)) for problem in (own, dealt)]
    assert rows[0] == rows[1]
    assert (own.federation.X[:, 1:] == own.federation.y[:, :-1]).all()


def test_plays_take_the_place_of_languages(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_plays(tmp_path / "plays")
    monkeypatch.setenv("BOUNDKIT_DATA", str(tmp_path))
    problem = ShakespeareTexts(model=MODEL, clients=2, sequences=5).problem(0)
    assert problem.federation.X.shape == (10, 10)
    assert (problem.federation.X[:, 1:] == problem.federation.y[:, :-1]).all()
    with pytest.raises(BoundkitError, match="50 roles with 40 sequences each are needed"):
        ShakespeareTexts(model=MODEL, clients=50).problem(0)


def made(cost: float, more: float) -> TrainingResult:
    """Losses where heterogeneous clients cost ``cost`` where many come, and so much more where few do."""
    rng = np.random.default_rng(0)
    series: dict[str, dict[str, Array]] = {}
    for k, C in enumerate(SHARES):
        for run in RUNS:
            dealt = 2 + rng.uniform(size=(4, 1))
            own = dealt + cost + (more if k == 0 else 0) + 1e-3 * rng.standard_normal((4, 1))
            series |= {
                f"{text}, {run}, C = {C:g}": {"loss": v} for text, v in (("dealt", dealt), ("own", own))
            }
    return TrainingResult(series)


def test_participation_times_heterogeneity_is_a_difference_of_differences() -> None:
    for run in RUNS:
        found = both_together(made(0.3, 0.2), run)
        assert found.value == pytest.approx(0.2, abs=0.005)
        assert found.found == "higher"
        assert both_together(made(0.3, -0.2), run).found == "lower"
    of_clients = [c for c in verdicts(made(0.3, 0.2)) if c.against.startswith("dealt")]
    assert len(of_clients) == len(SHARES) * len(RUNS)
    assert all(c.found == "higher" for c in of_clients)
    assert of_clients[0].value == pytest.approx(0.5, abs=0.005)
    assert of_clients[-1].value == pytest.approx(0.3, abs=0.005)
