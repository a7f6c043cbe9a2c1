"""Text for recurrent networks: clients with languages of their own, or Shakespeare's roles.

A language is a Markov chain over characters, P_i = (1 - h) P + h Q_i, rows of P and Q_i drawn by Dirichlet.
``apart`` = h is how unlike clients are. As the chains are known, so is the least loss that any model can have
on fresh text, the mean of their entropies, and the least of a model that looks at one character only and does
not know who writes.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from boundkit.algebra import BoundkitError
from boundkit.simulation.arrays import Array
from boundkit.simulation.data import load_dataset
from boundkit.simulation.problems import Network
from boundkit.simulation.problems.federated_data import data_location
from boundkit.studies.demonstrations._training import Task

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
    """Text in one Markov chain a client, ``apart`` from the common one; always there."""

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
class Plays(Texts):
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
