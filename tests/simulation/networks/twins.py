"""Networks with their equals, built from the layers of torch.nn."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import torch
from torch import nn

from boundkit.simulation.networks import CNN, MLP, Architecture, Recurrent, SoftmaxRegression

CLASSES = 5


class Reader(nn.Module):
    def __init__(self, embedding: int, hidden: int, cell: type[nn.RNN] | type[nn.GRU]) -> None:
        super().__init__()
        self.embedding = nn.Embedding(CLASSES, embedding)
        self.cell = cell(embedding, hidden, batch_first=True)
        self.out = nn.Linear(hidden, CLASSES)

    def forward(self, x: torch.Tensor) -> Any:
        return self.out(self.cell(self.embedding(x))[0])


@dataclass(frozen=True)
class Twin:
    """``turned``: the parameters of the module that are the transposed blocks of the architecture."""

    architecture: Architecture
    module: Callable[[], nn.Module]
    point: tuple[int, ...]
    turned: Callable[[str], bool]

    def loaded(self, w: torch.Tensor) -> nn.Module:
        """The module with the weights w, (d,)."""
        module = self.module().to(w.dtype)
        blocks = self.architecture.blocks(w[None])
        for (name, parameter), block in zip(module.named_parameters(), blocks, strict=True):
            parameter.data = block[0].T.clone() if self.turned(name) else block[0].clone()
        return module

    def flat(self, values: dict[str, torch.Tensor]) -> torch.Tensor:
        """One number for each weight, by the names of the module, in the order of the architecture."""
        return torch.cat([(v.T if self.turned(n) else v).reshape(-1) for n, v in values.items()])

    def losses(self, module: nn.Module, X: torch.Tensor, labels: torch.Tensor) -> torch.Tensor:
        """Of each point, (b,)."""
        scores = module(X)
        if scores.ndim == 3:
            scores = scores.transpose(1, 2)
        each = nn.functional.cross_entropy(scores, labels, reduction="none")
        return each.reshape(len(X), -1).mean(1)

    def points(self, K: int, b: int, dtype: torch.dtype, seed: int = 0) -> tuple[torch.Tensor, torch.Tensor]:
        """K batches; images have even surfaces, so that poolings meet equals."""
        draw = torch.Generator().manual_seed(seed)
        if self.architecture.tokens:
            both = torch.randint(CLASSES, (2, K, b, *self.point), generator=draw)
            return both[0], both[1]
        X = torch.rand(K, b, *self.point, generator=draw, dtype=torch.float64)
        X = torch.where(X < 0.6, 0.0, X)
        return X.to(dtype), torch.randint(CLASSES, (K, b), generator=draw)


def _dense(*widths: int) -> list[nn.Module]:
    layers: list[nn.Module] = [nn.Flatten()]
    for n, k in pairwise(widths):
        layers += [nn.Linear(n, k), nn.ReLU()]
    return layers[:-1]


def _pooled(*channels: int, kernel: int) -> list[nn.Module]:
    layers: list[nn.Module] = []
    for n, k in pairwise(channels):
        layers += [nn.Conv2d(n, k, kernel, padding="same"), nn.ReLU(), nn.MaxPool2d(2)]
    return layers


def _module(layers: Callable[[], list[nn.Module]]) -> Callable[[], nn.Module]:
    return lambda: nn.Sequential(*layers())


def _matrices(name: str) -> bool:
    return name.endswith("weight")


def _cnn(convolutions: int) -> Callable[[str], bool]:
    return lambda name: name.endswith("weight") and int(name.split(".")[0]) >= 3 * convolutions


def _recurrent(name: str) -> bool:
    return "weight" in name and not name.startswith("embedding")


TWINS: dict[str, Twin] = {
    "softmax": Twin(SoftmaxRegression((6, CLASSES)), _module(lambda: _dense(6, CLASSES)), (6,), _matrices),
    "mlp": Twin(MLP((6, 7, CLASSES)), _module(lambda: _dense(6, 7, CLASSES)), (6,), _matrices),
    "mlp, two hidden": Twin(
        MLP((6, 7, 4, CLASSES)), _module(lambda: _dense(6, 7, 4, CLASSES)), (2, 3), _matrices
    ),
    "cnn": Twin(
        CNN((1, 8, 8), CLASSES),
        _module(lambda: [*_pooled(1, 8, kernel=3), *_dense(128, CLASSES)]),
        (1, 8, 8),
        _cnn(1),
    ),
    "cnn, two of three colours, odd": Twin(
        CNN((3, 7, 9), CLASSES, (4, 3), 5, 6),
        _module(lambda: [*_pooled(3, 4, 3, kernel=5), *_dense(6, 6, CLASSES)]),
        (3, 7, 9),
        _cnn(2),
    ),
    "recurrent": Twin(Recurrent(CLASSES, 3, 4), lambda: Reader(3, 4, nn.GRU), (6,), _recurrent),
    "recurrent, tanh": Twin(Recurrent(CLASSES, 3, 4, "tanh"), lambda: Reader(3, 4, nn.RNN), (6,), _recurrent),
}
"""By kind, and what is special."""
