"""Uniform sampling of C m clients without replacement, independently in every round."""

from __future__ import annotations

import math
import reprlib
from typing import Any, Self

import numpy as np

from boundkit.algebra import BoundkitError
from boundkit.algebra.domain import is_whole
from boundkit.algebra.notation import C
from boundkit.simulation.participation.base import Array, Participants, Participation, SelectionContext
from boundkit.simulation.participation.distribution import UniformSubsets
from boundkit.simulation.random_streams import Streams


class Uniform(Participation):
    """A fraction C of m clients; C m must be a whole number.

    Raises BoundkitError for C outside (0, 1] or C m not whole.
    """

    kind = "uniform"
    fields = ("C",)

    def __init__(self, clients: int, fraction: float) -> None:
        complaint = C.domain.complaint(fraction)
        if complaint:
            raise BoundkitError(f"participation C = {fraction:g} was given, but {complaint}.")
        if not is_whole(fraction * clients):
            near = [n / clients for n in (math.floor(fraction * clients), math.ceil(fraction * clients)) if n]
            raise BoundkitError(
                f"participation C = {fraction:g} of {clients} clients makes {fraction * clients:.12g} "
                f"clients; C m must be a whole number, as for C = {' or '.join(f'{c:.12g}' for c in near)}."
            )
        self.m, self.fraction, self.count = clients, fraction, round(fraction * clients)
        if self.count == 0:
            raise BoundkitError(
                f"participation C = {fraction:g} of {clients} clients makes no client at all."
            )

    @classmethod
    def of(cls, clients: int, p: Array, **fields: Any) -> Self:
        fraction = fields["C"]
        if isinstance(fraction, bool) or not isinstance(fraction, (int, float)):
            raise BoundkitError(f"participation C must be a number, but it is {reprlib.repr(fraction)}.")
        if abs(fraction) > 1:  # also refuses whole numbers too large for a float
            raise BoundkitError(
                f"participation C = {reprlib.repr(fraction)} was given, but it must be above 0 and at most 1."
            )
        return cls(clients, float(fraction))

    def draw(self, t: int, streams: Streams, context: SelectionContext | None = None) -> Participants:
        keys = streams.uniform(self.m)
        if self.count == self.m:
            return Participants(np.arange(self.m))
        return Participants(np.sort(np.argpartition(keys, self.count - 1, axis=-1)[:, : self.count], axis=-1))

    def distribution(self, t: int) -> UniformSubsets:
        return UniformSubsets(self.m, self.count)

    def to_json(self) -> dict[str, Any]:
        return {"kind": self.kind, "C": self.fraction}
