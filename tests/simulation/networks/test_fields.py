"""The model field of a RUN.json: defaults, forms of points, refusals."""

from typing import Any

import pytest
import torch

from boundkit.algebra import BoundkitError
from boundkit.simulation.networks import CNN, MLP, Recurrent, architecture

REFUSED: list[tuple[Any, tuple[int, ...], str]] = [
    (3, (64,), 'model must be a name, such as "mlp"'),
    ("mpl", (64,), "unknown kind of model 'mpl'; did you mean 'mlp'"),
    ({"kind": "mlp", "width": [3]}, (64,), "unknown field of a mlp model 'width'"),
    ({"kind": "mlp", "hidden": 128}, (64,), r"hidden must be a list, such as \[128\], but it is 128"),
    (
        {"kind": "mlp", "hidden": [0]},
        (64,),
        "hidden must be a whole number from 1 to 100000, but it is 0",
    ),
    ({"kind": "cnn", "channels": [4, 4, 4]}, (64,), "channels must be a list of at most 2 numbers"),
    ({"kind": "cnn", "kernel": 4}, (64,), "kernel must be odd, .* but it is 4"),
    ({"kind": "cnn", "kernel": 33}, (64,), "kernel must be a whole number from 1 to 31"),
    ({"kind": "cnn", "channels": [4, 4]}, (3, 9), r"images of 3 x 9 are too small"),
    ("cnn", (60,), r"a cnn needs points that are images, .* but they have the shape \(60,\)"),
    ("recurrent", (8, 8), r"needs sequences, \(length,\), but the points have the shape \(8, 8\)"),
    (
        {"kind": "recurrent", "cell": "lstm"},
        (9,),
        "unknown cell of a recurrent network 'lstm'; known are gru",
    ),
    ({"kind": "recurrent", "hidden": None}, (9,), "the field 'hidden' of a recurrent model is null"),
]


def test_invalid_models_are_refused_in_one_sentence() -> None:
    for spec, inputs, sentence in REFUSED:
        with pytest.raises(BoundkitError, match=sentence):
            architecture(spec, inputs, 10)


def test_defaults() -> None:
    assert architecture("mlp", (8, 8), 10).shapes == MLP((64, 128, 10)).shapes
    assert architecture("cnn", (64,), 10).shapes == CNN((1, 8, 8), 10, (8,), 3).shapes
    assert architecture("recurrent", (80,), 81).shapes == Recurrent(81, 8, 128, "gru").shapes


def test_characters_are_whole_numbers_below_the_number_of_classes() -> None:
    network = Recurrent(5, 2, 3)
    w, labels = torch.as_tensor(network.start(0))[None], torch.zeros(1, 1, 4, dtype=torch.int64)
    with pytest.raises(BoundkitError, match=r"^a recurrent network reads whole numbers"):
        network.point_losses(w, torch.rand(1, 1, 4), labels)
    with pytest.raises(IndexError):  # and not another client's row of the table
        network.gradients(w, torch.full((1, 1, 4), 5), labels, torch.ones(1, 1, dtype=torch.float64))
