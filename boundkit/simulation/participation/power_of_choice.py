"""Power of choice: selects the clients with the largest losses among random candidates."""

from __future__ import annotations

from typing import Any, ClassVar, NoReturn, Self

import numpy as np
from numpy.typing import NDArray

from boundkit.algebra import BoundkitError
from boundkit.algebra.errors import unknown
from boundkit.simulation.arrays import Array
from boundkit.simulation.participation.base import (
    Participants,
    Participation,
    SelectionContext,
    required_context,
)
from boundkit.simulation.participation.distribution import NoClosedForm
from boundkit.simulation.random_streams import Streams
from boundkit.simulation.validation import boolean, whole

_EQUAL = 1e-12
"""Relative tolerance for equal losses: the same loss may be rounded in two ways."""


def ranking(scores: Array) -> NDArray[np.intp]:
    """The clients along the last axis in order of decreasing score; ties go to the smaller number.

    >>> ranking(np.array([0.3, 0.5, 0.1 + 0.2])).tolist()
    [1, 0, 2]
    """
    order = np.argsort(-scores, axis=-1, kind="stable")
    falling = np.take_along_axis(scores, order, axis=-1)
    above, below = falling[..., :-1], falling[..., 1:]
    with np.errstate(invalid="ignore"):
        slack = _EQUAL * np.maximum(np.abs(above), np.abs(below))
        distinct = above - below > np.where(np.isfinite(slack), slack, 0.0)
    groups = np.zeros(order.shape, dtype=np.intp)
    groups[..., 1:] = np.cumsum(distinct, axis=-1)
    return np.take_along_axis(order, np.lexsort((order, groups), axis=-1), axis=-1)


VARIANTS = ("pow", "cpow", "rpow")


class PowerOfChoice(Participation):
    """``d`` candidates sampled in proportion to p; the ``count`` with the largest loss participate.

    Candidates are sampled sequentially without replacement, in proportion to the p of the remaining clients;
    clients of weight 0 are excluded. The loss is, for ``pow``, F_i(x_t); for ``cpow``, its estimate from
    ``batch`` points; for ``rpow``, the mean loss over the local steps of the client's last participation, inf
    without one. Ties go to the smaller number. ``lowest`` takes the smallest losses instead. ``d`` may be a
    list: then d advances after every ``every`` rounds, and stays at the last (adapow-d: from m down to the
    count).

    Raises BoundkitError unless count <= d <= the number of clients with weight, and for an unknown variant.
    Source: Cho, Wang, Joshi, arXiv 2010.01243.
    """

    kind = "power_of_choice"
    fields = ("count", "d")
    optional: ClassVar[dict[str, Any]] = {"variant": "pow", "batch": 1, "every": None, "lowest": False}

    def __init__(
        self,
        p: Array,
        count: Any,
        d: Any,
        variant: Any = "pow",
        batch: Any = None,
        every: Any = None,
        lowest: Any = False,
    ) -> None:
        self.m, self.p = len(p), p
        eligible = int((p > 0).sum())
        self.count = whole("power_of_choice count", count, 1, eligible, _WHOSE)
        self._listed = isinstance(d, (list, tuple))
        if self._listed and not d:
            raise BoundkitError("power_of_choice d must be a number or a list of numbers, at least one.")
        self.d = tuple(
            whole("power_of_choice d", v, self.count, eligible, _WHOSE) for v in (d if self._listed else [d])
        )
        self.variant = _variant(variant)
        if batch is not None and self.variant != "cpow":
            raise BoundkitError(
                f"batch belongs to the variant 'cpow', which estimates losses, not to {self.variant!r}."
            )
        self.batch = whole("batch", 1 if batch is None else batch, 1)
        if (every is None) == self._listed:
            raise BoundkitError(
                "a list of d needs the field 'every', the rounds after which d moves on; one d needs none."
            )
        self.every = None if every is None else whole("every", every, 1)
        self.lowest = boolean("lowest", lowest)

    @classmethod
    def of(cls, clients: int, p: Array, **fields: Any) -> Self:
        return cls(p, **fields)

    @property
    def reports_losses(self) -> bool:  # type: ignore[override]
        """Whether clients report their losses during local steps."""
        return self.variant == "rpow"

    def candidates(self, t: int) -> int:
        """d in round t."""
        return self.d[min(t // self.every, len(self.d) - 1)] if self.every else self.d[0]

    def draw(self, t: int, streams: Streams, context: SelectionContext | None = None) -> Participants:
        with np.errstate(divide="ignore", invalid="ignore"):
            keys = -np.log1p(-streams.uniform(self.m)) / self.p
        keys[:, self.p == 0] = np.inf
        d = self.candidates(t)
        candidate = np.zeros(keys.shape, dtype=bool)
        np.put_along_axis(candidate, np.argpartition(keys, d - 1, axis=-1)[:, :d], True, axis=-1)
        places = np.argsort(ranking(self._scores(required_context(context, self.kind))), axis=-1)
        order = np.lexsort((places, ~candidate), axis=-1)
        return Participants(np.sort(order[:, : self.count], axis=-1))

    def _scores(self, context: SelectionContext) -> Array:
        """Scores of the candidates, (R, m); the largest are selected."""
        if self.variant == "rpow":
            never = np.isinf(context.reported_losses)
            return np.where(
                never, np.inf, -context.reported_losses if self.lowest else context.reported_losses
            )
        losses = context.losses() if self.variant == "pow" else context.estimates(self.batch)
        return -losses if self.lowest else losses

    def distribution(self, t: int) -> NoReturn:
        raise NoClosedForm(
            "power_of_choice participation has no distribution of a single round: it depends on the losses."
        )

    def size(self, t: int) -> int:
        return self.count

    @property
    def random(self) -> bool:
        """Whether two replicas may differ with the same gradients: not with all clients as candidates."""
        return any(d < int((self.p > 0).sum()) for d in self.d)

    def to_json(self) -> dict[str, Any]:
        more: dict[str, Any] = {"batch": self.batch} if self.variant == "cpow" else {}
        if self.every is not None:
            more["every"] = self.every
        if self.lowest:
            more["lowest"] = True
        d = list(self.d) if self._listed else self.d[0]
        return {"kind": self.kind, "count": self.count, "d": d, "variant": self.variant, **more}


_WHOSE = ", the number of clients with weight"


def _variant(given: Any) -> str:
    if not isinstance(given, str):
        raise BoundkitError(f"variant must be a text, {', '.join(VARIANTS[:-1])} or {VARIANTS[-1]}.")
    name = given.removesuffix("-d")
    if name not in VARIANTS:
        raise unknown("variant of power_of_choice", given, VARIANTS)
    return name
