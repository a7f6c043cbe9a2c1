"""Additional observables of a run's iterates, in the form of a problem that cannot be run."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from boundkit.algebra import BoundkitError
from boundkit.simulation.arrays import Array
from boundkit.simulation.constant import Constant
from boundkit.simulation.problems import Problem

if TYPE_CHECKING:
    import torch

_REFUSED = "this problem has observables only; it cannot be run."


class ObservedProblem(Problem):
    """Observables of a problem at a model; methods for losses of its own raise errors."""

    kind = "seen"
    fields: ClassVar[tuple[tuple[str, ...], tuple[str, ...]]] = ((), ())

    def __init__(self, problem: Problem) -> None:
        self.problem = problem
        self.m, self.d, self.p = problem.m, problem.d, problem.p
        self.noise, self.optimum, self.centre = 0.0, problem.optimum, problem.centre

    @abstractmethod
    def observe(self, x: Any) -> dict[str, Any]:
        """Numbers (R,) at server iterates x, (R, d), by name."""

    def each_gradient(self, x: Any) -> torch.Tensor:
        """grad F_i of every client at x, (R, d) as an array or a tensor: (R, m, d)."""
        import torch

        at = torch.as_tensor(x)
        at = at if at.ndim == 2 else at[None]
        y = at[:, None, :].expand(len(at), self.m, self.d).contiguous()
        return self.problem.gradients(np.arange(self.m), y)(y)

    @property
    def minima(self) -> Array | None:
        """None: there are no losses."""
        return None

    @property
    def homogeneous(self) -> bool:
        """Whether the clients of the problem are homogeneous."""
        return self.problem.homogeneous

    def gradients(
        self, clients: NDArray[np.intp], like: torch.Tensor, own_axes: bool = False
    ) -> Callable[[torch.Tensor], torch.Tensor]:
        raise BoundkitError(_REFUSED)

    def losses(self, x: Any) -> Any:
        raise BoundkitError(_REFUSED)

    def losses_at(self, clients: NDArray[np.intp], y: torch.Tensor) -> torch.Tensor:
        raise BoundkitError(_REFUSED)

    def constants(self, x0: Array) -> dict[str, Constant]:
        raise BoundkitError(_REFUSED)

    def convexity(self) -> tuple[bool, str]:
        raise BoundkitError(_REFUSED)

    @classmethod
    def from_fields(cls, given: dict[str, Any], noise: Any) -> Self:
        raise BoundkitError(_REFUSED)

    def to_json(self) -> dict[str, Any]:
        raise BoundkitError(_REFUSED)
