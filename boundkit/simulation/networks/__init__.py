"""Networks by the ``kind`` of a RUN.json's model; a new one is one file and one entry of ARCHITECTURES."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from boundkit.algebra import BoundkitError
from boundkit.algebra.errors import unknown
from boundkit.simulation.json_fields import checked_fields
from boundkit.simulation.networks.base import Architecture
from boundkit.simulation.networks.cnn import CNN
from boundkit.simulation.networks.perceptron import MLP, SoftmaxRegression
from boundkit.simulation.networks.recurrent import Recurrent
from boundkit.simulation.networks.torch_module import TorchModule

ARCHITECTURES: dict[str, type[Architecture]] = {c.kind: c for c in (SoftmaxRegression, MLP, CNN, Recurrent)}
"""The architecture of each kind."""


def architecture(spec: Any, inputs: tuple[int, ...], classes: int) -> Architecture:
    """The network that the ``model`` field describes, for points of shape ``inputs`` and ``classes`` classes.

    A string is a kind without fields. Raises BoundkitError, naming the field.
    """
    spec = {"kind": spec} if isinstance(spec, str) else spec
    if not isinstance(spec, Mapping) or not isinstance(spec.get("kind"), str):
        raise BoundkitError('model must be a name, such as "mlp", or an object with a "kind".')
    kind = spec["kind"]
    if kind not in ARCHITECTURES:
        raise unknown("kind of model", kind, ARCHITECTURES)
    required, optional = ARCHITECTURES[kind].fields
    fields = checked_fields(f"a {kind} model", spec, ("kind", *required), optional)
    return ARCHITECTURES[kind].from_fields({k: v for k, v in fields.items() if k != "kind"}, inputs, classes)


__all__ = [
    "ARCHITECTURES",
    "CNN",
    "MLP",
    "Architecture",
    "Recurrent",
    "SoftmaxRegression",
    "TorchModule",
    "architecture",
]
