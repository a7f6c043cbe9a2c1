"""C m clients, drawn uniformly without replacement, afresh in every round."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from boundkit.algebra import BoundkitError
from boundkit.algebra.domain import is_whole
from boundkit.algebra.notation import C
from boundkit.verify.participation.base import Clients, Participation, UniformSubsets
from boundkit.verify.streams import Streams


class Uniform(Participation):
    """A fraction C of m clients; C m must be whole.

    Raises BoundkitError for C outside (0, 1] or C m not whole.
    """

    kind = "uniform"

    def __init__(self, clients: int, fraction: float) -> None:
        complaint = C.domain.complaint(fraction)
        if complaint:
            raise BoundkitError(f"participation C = {fraction:g} was given, but {complaint}.")
        if not is_whole(fraction * clients):
            raise BoundkitError(
                f"participation C = {fraction:g} of {clients} clients makes {fraction * clients:.12g} "
                "clients; C m must be a whole number."
            )
        self.m, self.fraction, self.size = clients, fraction, round(fraction * clients)
        if self.size == 0:
            raise BoundkitError(
                f"participation C = {fraction:g} of {clients} clients makes no client at all."
            )

    def draw(self, t: int, streams: Streams) -> Clients:
        keys = streams.uniform(self.m)
        if self.size == self.m:
            return np.arange(self.m)
        return np.sort(np.argpartition(keys, self.size - 1, axis=-1)[:, : self.size], axis=-1)

    def law(self, t: int) -> UniformSubsets:
        return UniformSubsets(self.m, self.size)

    def chances(self) -> NDArray[np.float64]:
        return np.full(self.m, self.size / self.m)

    def to_json(self) -> dict[str, Any]:
        return {"kind": self.kind, "C": self.fraction}
