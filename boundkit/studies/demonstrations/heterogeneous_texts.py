"""A recurrent network on text: participation and heterogeneity, with and without clipping.

Twenty clients write in languages of their own, or have the same sequences distributed at random: F is the
same function then, and only its partition differs. Two or ten of them participate in a round and take five
local steps, of eta = 1 without clipping, or of eta = 8. Clipped steps are no longer than `clip`. Theory:

FedAvg        needs eta tau L <= a constant, and no L holds everywhere: long steps may diverge. Such runs are
              chaotic, and their losses depend on how a machine rounds; their intervals cover that.
CELGC         clips each client's own steps; its theorem assumes homogeneous clients, since the mean of
              clipped gradients of heterogeneous ones has another direction.
EPISODE       clips all steps of a round or none, by the mean gradient of the participating clients. Its
              theorem assumes full participation; with partial participation, sampling errors remain.
EPISODE++     the same by stored gradients of all clients; sampling errors vanish as they converge. Steps
              are clipped where the stored mean is long, however long a step itself would be.
clipped SGD   accumulates gradients at one point and clips their mean: no drift, but sampling errors.

The sampling error has the variance (1-C)/C sigma_g^2/(m - 1): heterogeneity should cost more at low
participation. `best` is the mean entropy of the languages, below which no model can be on fresh text; `pairs`
is the smallest entropy of a model that sees one character and not the language.

Crawshaw, Bao, Liu, arXiv 2302.07155 and NeurIPS 2023; Liu, Zhuang, Lei, Liao, arXiv 2205.05040.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from boundkit.algebra import BoundkitError
from boundkit.algebra.errors import unknown
from boundkit.analysis.progress import Progress
from boundkit.simulation.arrays import Array
from boundkit.simulation.data import load_dataset
from boundkit.simulation.problems import Network
from boundkit.simulation.problems.federated_data import data_location
from boundkit.studies.demonstrations._training import (
    ReplicaComparison,
    Task,
    TrainingResult,
    TrainingSetting,
    staged,
    train,
)

Text = NDArray[np.int64]
CHARACTERS = 12
_PEAKED = 0.15
"""Of the Dirichlet law of rows: a few characters follow each."""
_ANY = 0.02
"""With this chance any character follows, so that every chain has one stationary law."""


@dataclass(frozen=True)
class Texts(Task, ABC):
    """``clients`` with so many ``sequences`` each of so many characters, and as many fresh ones as a test.

    ``dealt``: the same sequences dealt out among the clients by chance, so that F is the same function.
    """

    partition: Mapping[str, Any] = field(default_factory=dict)
    clients: int = 20
    sequences: int = 20
    length: int = 10
    dealt: bool = False

    @abstractmethod
    def written(self, seed: int) -> tuple[Text, int]:
        """Twice as many sequences as are trained on, (m, 2 sequences, length + 1), and how many characters
        there are."""

    def problem(self, seed: int, batch: int | None = None) -> Network:
        """The network on the text that the seed draws; ``batch`` instead of the task's where it is given."""
        text, characters = self.written(seed)
        own, fresh = text[:, : self.sequences], text[:, self.sequences :].reshape(-1, self.length + 1)
        if self.dealt:
            own = (
                np.random.default_rng([seed, 9])
                .permutation(own.reshape(-1, own.shape[-1]))
                .reshape(own.shape)
            )
        return Network(
            [(one[:, :-1], one[:, 1:]) for one in own],
            self.model,
            batch=self.batch if batch is None else batch,
            l2=self.l2,
            test=(fresh[:, :-1], fresh[:, 1:]),
            classes=characters,
        )


@dataclass(frozen=True)
class Languages(Texts):
    """Text of one Markov chain over characters a client, P_i = (1 - h) P + h Q_i with h = ``apart``.

    The rows of P and Q_i are drawn by Dirichlet. As the chains are available, so is the least loss of any
    model on fresh text, the mean of their entropies, and that of a model of one preceding character that does
    not distinguish clients.
    """

    apart: float = 0.5

    def written(self, seed: int) -> tuple[Text, int]:
        draw = np.random.default_rng([seed, 7])
        return spoken(self.chains(seed), 2 * self.sequences, self.length + 1, draw), CHARACTERS

    def chains(self, seed: int) -> Array:
        """P_i of every client, (m, characters, characters)."""
        draw = np.random.default_rng([seed, 8])
        law = np.full(CHARACTERS, _PEAKED)
        common = draw.dirichlet(law, CHARACTERS)
        own = draw.dirichlet(law, (self.clients, CHARACTERS))
        mixed = (1 - self.apart) * common + self.apart * own
        return np.asarray((1 - _ANY) * mixed + _ANY / CHARACTERS)


@dataclass(frozen=True)
class ShakespeareTexts(Texts):
    """Beginnings of the sequences of Shakespeare's roles, drawn by the seed; for who has the plays.

    Raises BoundkitError where they are nowhere, or too few roles are long enough.
    """

    def written(self, seed: int) -> tuple[Text, int]:
        data = load_dataset("shakespeare", *data_location())
        draw = np.random.default_rng([seed, 7])
        names, counts = np.unique(np.asarray(data.groups), return_counts=True)
        names = names[counts >= 2 * self.sequences]
        if len(names) < self.clients:
            raise BoundkitError(
                f"{self.clients} roles with {2 * self.sequences} sequences each are needed, "
                f"but {data.source} has {len(names)}."
            )
        text = np.concatenate([data.X, data.y[:, -1:]], axis=1)[:, : self.length + 1]
        roles = draw.choice(names, self.clients, replace=False)
        own = [np.flatnonzero(data.groups == role) for role in roles]
        rows = [draw.choice(some, 2 * self.sequences, replace=False) for some in own]
        return text[np.stack(rows)], data.classes


def stationary(chains: Array) -> Array:
    """The share of each character in a long text, (m, characters)."""
    power = np.linalg.matrix_power(chains, 4096)[:, 0]
    return np.asarray(power / power.sum(axis=-1, keepdims=True))


def entropy(chains: Array) -> float:
    """The mean over clients of -sum_a pi_a sum_b P_ab log P_ab: no model can do better on fresh text."""
    each = -(chains * np.log(chains)).sum(axis=-1)
    return float((stationary(chains) * each).sum(axis=-1).mean())


def one_table(chains: Array) -> float:
    """The least loss of one table of pairs for all clients: it sees the last character, not who writes."""
    mean = (stationary(chains)[..., None] * chains).mean(axis=0)
    return float(-(mean * np.log(mean / mean.sum(axis=-1, keepdims=True))).sum())


def spoken(chains: Array, count: int, length: int, draw: np.random.Generator) -> Text:
    """So many sequences of each chain, (m, count, length), that begin as if they had gone on for long."""
    rows = np.arange(len(chains))[:, None]
    text = np.empty((len(chains), count, length), dtype=np.int64)
    law = stationary(chains)[:, None]
    for t in range(length):
        point = draw.random((len(chains), count, 1))
        text[..., t] = (point > law.cumsum(axis=-1)[..., :-1]).sum(axis=-1)
        law = chains[rows, text[..., t]]
    return text


SMALL, LARGE, CLIP, LOOSE, TAU = 1.0, 8.0, 0.3, 1.0, 5
SHARES = (0.1, 0.5)
MODEL = {"kind": "recurrent", "hidden": 12, "embedding": 6, "cell": "tanh"}
TEXTS: dict[str, type[Texts]] = {"languages": Languages, "shakespeare": ShakespeareTexts}
APART: dict[str, dict[str, Any]] = {"languages": {"apart": 0.8}}
NATURAL, DEALT = "own", "dealt"
CLIPPED = {
    "celgc": "lower: steps are bounded",
    "episode": "lower: steps are bounded",
    "episodepp": "lower where the remembered mean is long",
    "clipped_minibatch_sgd": "lower: steps are bounded",
}
_LOOSELY = f"episodepp, clip {LOOSE:g}"
RUNS: dict[str, tuple[str, float, float | None]] = {
    "fedavg, short": ("fedavg", SMALL, None),
    "fedavg, long": ("fedavg", LARGE, None),
    **{f"{name}, clip {CLIP:g}": (name, LARGE, CLIP) for name in CLIPPED},
    _LOOSELY: ("episodepp", LARGE, LOOSE),
}
"""Algorithm, eta and clip."""
_UNLIKE = {
    "fedavg": "higher: client drift and participation",
    "celgc": "higher: drift, participation, and each clips by its own",
    "episode": "higher: participation",
    "episodepp": "neither: corrections remove it as they settle",
    "clipped_minibatch_sgd": "higher: participation",
}
_MORE = "higher: heterogeneous clients cost (1-C)/C"


@dataclass(frozen=True)
class TextRow:
    """``loss``, in ``low`` to ``high``: F at the end; ``fresh``: on fresh text of the same clients."""

    text: str
    C: float
    run: str
    loss: float
    low: float
    high: float
    fresh: float


@dataclass(frozen=True)
class HeterogeneousTexts:
    """Means over ``replicas`` and over the last three looks; losses in nats a character.
    Comparisons are differences. ``best``: the mean entropy of the languages; ``pairs``: the least loss of a
    model that sees one character and does not know who writes."""

    table: list[TextRow]
    comparisons: list[ReplicaComparison]
    best: float | None
    pairs: float | None
    rounds: int
    replicas: int


def heterogeneous_texts(
    text: str = "languages", *, quick: bool = False, jobs: int = 1, progress: Progress | None = None
) -> HeterogeneousTexts:
    """Seven runs on either division of the text, at two shares C of clients a round.

    ``text``: "shakespeare" takes the roles of the plays, where these are installed.
    """
    if text not in TEXTS:
        raise unknown("text", text, TEXTS)
    rounds, replicas = (2, 2) if quick else (40, 5)
    task = TEXTS[text](model=MODEL, batch=5, sequences=5 if quick else 20, **APART.get(text, {}))
    settings = [_setting(run, C) for C in SHARES for run in RUNS]
    reports = staged(progress, [len(settings) * replicas] * 2)
    both: dict[str, Mapping[str, Array]] = {}
    for (name, dealt), report in zip(((NATURAL, False), (DEALT, True)), reports, strict=True):
        own = train(replace(task, dealt=dealt), settings, rounds=rounds, replicas=replicas, last=3, jobs=jobs,
                    progress=report)  # fmt: skip
        both |= {f"{name}, {label}": series for label, series in own.series.items()}
    trained = TrainingResult(both, 3)
    table = [_row(trained, name, C, run) for name in (NATURAL, DEALT) for C in SHARES for run in RUNS]
    least: tuple[float | None, float | None] = (None, None)
    if isinstance(task, Languages):
        chains = [task.chains(seed) for seed in range(replicas)]
        least = float(np.mean([*map(entropy, chains)])), float(np.mean([*map(one_table, chains)]))
    return HeterogeneousTexts(table, verdicts(trained), *least, rounds, replicas)


def _label(run: str, C: float) -> str:
    return f"{run}, C = {C:g}"


def _setting(run: str, C: float) -> TrainingSetting:
    name, eta, clip = RUNS[run]
    options: dict[str, Any] = {} if clip is None else {"gamma": clip}
    sampling = {"kind": "uniform", "C": C}
    return TrainingSetting(
        _label(run, C),
        name,
        {"eta": eta, "local_steps": TAU, "participation": sampling, "options": options},
    )


def _row(trained: TrainingResult, text: str, C: float, run: str) -> TextRow:
    label = f"{text}, {_label(run, C)}"
    loss = trained.at_end(label, "loss")
    return TextRow(text, C, run, loss.value, loss.low, loss.high, trained.at_end(label, "test_loss").value)


def verdicts(trained: TrainingResult) -> list[ReplicaComparison]:
    """Clipping, division, and both together with participation."""

    def against(one: str, other: str, theory: str) -> ReplicaComparison:
        return trained.compare(one, other, theory=theory, by="difference")

    comparisons = []
    for C in SHARES:
        at = {run: f"{NATURAL}, {_label(run, C)}" for run in RUNS}
        for name, expected in CLIPPED.items():
            comparisons.append(against(at[f"{name}, clip {CLIP:g}"], at["fedavg, long"], expected))
        tight = {name: at[f"{name}, clip {CLIP:g}"] for name in CLIPPED}
        comparisons.append(against(tight["episode"], tight["celgc"], "lower: clips all or none"))
        comparisons.append(against(tight["episodepp"], tight["episode"], "lower: no participation error"))
        comparisons.append(against(at[_LOOSELY], tight["episodepp"], "not said: no L is known"))
    for C in SHARES:
        for run, (name, _, _) in RUNS.items():
            label = _label(run, C)
            comparisons.append(against(f"{NATURAL}, {label}", f"{DEALT}, {label}", _UNLIKE[name]))
    return comparisons + [both_together(trained, run) for run in RUNS]


def both_together(trained: TrainingResult, run: str) -> ReplicaComparison:
    """Whether what heterogeneous clients cost is more where fewer come: a difference of differences."""
    few, many = (
        trained.each(f"{NATURAL}, {_label(run, C)}", "loss")
        - trained.each(f"{DEALT}, {_label(run, C)}", "loss")
        for C in SHARES
    )
    names = [f"{run}, {NATURAL} less {DEALT}, C = {C:g}" for C in SHARES]
    cost = {name: {"loss": each[:, None]} for name, each in zip(names, (few, many), strict=True)}
    return TrainingResult(cost).compare(names[0], names[1], theory=_MORE, by="difference")
