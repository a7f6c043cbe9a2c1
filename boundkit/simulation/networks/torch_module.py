r"""A user's torch module with its own loss, through torch.func: slower than the other networks, but general.

The module and the loss are evaluated at one point at a time, as a batch of one: loss(module(x), label) with x
(1, ...) and label (1, ...). So a loss that averages over its batch, one that sums, and one that gives a
number for each point all agree, and no point affects the loss of another. torch.func.vmap makes
one batched computation of all points and all weight vectors; where it has no rule for a layer (torch.nn.GRU,
for example), or the module branches on values, points are evaluated one by one.
"""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, ClassVar, NoReturn, Self

import numpy as np

from boundkit.algebra import BoundkitError
from boundkit.simulation.arrays import Array
from boundkit.simulation.networks.base import Architecture, by_torch, cross_entropy

if TYPE_CHECKING:
    import torch


def refuse_layers(module: torch.nn.Module) -> None:
    """Raise BoundkitError that names the first unsupported layer and a remedy."""
    import torch

    for name, layer in module.named_modules():
        reason = _reason(layer)
        if reason:
            where = f"the layer {name!r}" if name else "the module"
            raise BoundkitError(f"{where} ({type(layer).__name__}) {reason}.")
    for name, parameter in module.named_parameters():
        if isinstance(parameter, torch.nn.parameter.UninitializedParameter):
            raise BoundkitError(f"the parameter {name!r} has no shape yet; call the module on a point once.")
        if not parameter.is_floating_point():
            raise BoundkitError(f"parameters must be real numbers, but {name!r} is of {parameter.dtype}.")


def _reason(layer: torch.nn.Module) -> str:
    from torch import nn
    from torch.nn.modules.batchnorm import _BatchNorm, _NormBase
    from torch.nn.modules.dropout import _DropoutNd

    if isinstance(layer, _BatchNorm) and layer.running_mean is None:
        return "has no statistics but those of a batch; use GroupNorm or LayerNorm instead"
    if not layer.training:
        return ""
    if isinstance(layer, _NormBase) and layer.running_mean is not None:
        return "takes statistics of the batch while it trains; use GroupNorm, or call the module's eval()"
    drops = isinstance(layer, _DropoutNd) and layer.p > 0
    drops = drops or (isinstance(layer, (nn.RNNBase, nn.MultiheadAttention)) and layer.dropout > 0)
    if drops or isinstance(layer, nn.RReLU):
        return "draws at random while it trains; take it out, or call the module's eval()"
    return ""


def reset(module: torch.nn.Module) -> None:
    """Reinitialise all weights, innermost layers first. Raises BoundkitError for a layer without a method."""
    for name, layer in reversed(list(module.named_modules())):
        again = getattr(layer, "reset_parameters", None) or getattr(layer, "_reset_parameters", None)
        if again is not None:
            again()
        elif any(p.requires_grad for p in layer.parameters(recurse=False)):
            where = f"the layer {name!r}" if name else "the module"
            raise BoundkitError(
                f"{where} ({type(layer).__name__}) has weights but no reset_parameters, so a seed cannot draw"
                " them; give it one, or start from the weights that the module has."
            )


class TorchModule(Architecture):
    """``loss``: of the module's output on one point and its label, cross entropy by default.

    Weights are the parameters that require a gradient, by name in ``named_shapes``; all others, and the
    buffers, are constant. All take the precision of the weights of a call.

    Raises BoundkitError for layers that are random or mix the points of a batch.
    """

    kind = "module"
    fields: ClassVar[tuple[tuple[str, ...], tuple[str, ...]]] = ((), ())

    def __init__(
        self,
        module: torch.nn.Module,
        loss: Callable[[torch.Tensor, torch.Tensor], torch.Tensor] | None = None,
    ) -> None:
        import torch

        if not isinstance(module, torch.nn.Module):
            raise BoundkitError(f"model must be a torch.nn.Module, but it is a {type(module).__name__}.")
        if loss is not None and not callable(loss):
            raise BoundkitError(f"loss must be a function of output and label, but it is {loss!r}.")
        refuse_layers(module)
        self.module, self.loss = module, loss
        trainable = _trainable(module)
        if not trainable:
            raise BoundkitError(
                "the module has no parameter that requires a gradient: nothing can be trained."
            )
        self.named_shapes = {name: tuple(p.shape) for name, p in trainable.items()}
        self.shapes = tuple(self.named_shapes.values())
        self._own = _flat(trainable)
        others = (*module.named_parameters(), *module.named_buffers())
        self._constants = {name: t.detach() for name, t in others if name not in trainable}
        self._checked: set[Any] = set()
        self._one_by_one = False

    @property
    def own(self) -> Array:
        """The initial weights of the given module."""
        return self._own.copy()

    def start(self, seed: int | None = None) -> Array:
        """The initial weights of the given module, or those from its layers' reset_parameters and a seed.

        Raises BoundkitError where a layer has no reset_parameters.
        """
        import torch

        if seed is None:
            return self._own.copy()
        fresh = copy.deepcopy(self.module)
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(seed)
            reset(fresh)
        return _flat(_trainable(fresh))

    @by_torch
    def point_losses(self, w: torch.Tensor, X: torch.Tensor, labels: torch.Tensor) -> torch.Tensor:
        self.check(w, X, labels)
        return self._each(w, X, labels, self._loss)

    @by_torch
    def correct(self, w: torch.Tensor, X: torch.Tensor, labels: torch.Tensor) -> torch.Tensor:
        """Whether the label has the largest score; nan where labels are not classes."""
        self.check(w, X, labels)
        return self._each(w, X, labels, _accuracy)

    def check(self, w: torch.Tensor, X: torch.Tensor, labels: torch.Tensor) -> None:
        """Evaluate one point, once for every kind of points. Raises BoundkitError that names a mismatch."""
        import torch

        kind = (w.dtype, X.dtype, X.shape[2:], labels.dtype, labels.shape[2:])
        if kind in self._checked:
            return
        own = torch.as_tensor(self._own, dtype=w.dtype, device=w.device)
        x, label, given = X[0, :1], labels[0, :1], self._arguments(own)
        before = {name: given[name].clone() for name in self._constants}
        with torch.no_grad():
            outputs = [_call("the module", lambda x: self._output(given, x), x) for _ in range(2)]
            if not torch.equal(*outputs) or any(not torch.equal(given[n], t) for n, t in before.items()):
                raise BoundkitError(
                    "the module gives other outputs, or has other buffers, when it is called again; call its"
                    " eval(), or take out what draws at random or counts."
                )
            if self.loss is None and not _is_classification(outputs[0], label):
                raise BoundkitError(
                    "cross entropy needs scores with two classes or more last, and whole labels, but a"
                    f" point has the output {_form(outputs[0])} and the label {_form(label)}; give a loss."
                )
            result = _call("the loss", self._loss, outputs[0], label)
            if result.numel() != 1:
                raise BoundkitError(
                    f"loss must give one number for one point (a batch of one), but it gives {_form(result)}."
                )
            try:
                self._each(own[None], x[None], label[None], self._loss)
            except RuntimeError:
                self._one_by_one = True
        self._checked.add(kind)

    def _loss(self, output: torch.Tensor, label: torch.Tensor) -> torch.Tensor:
        return cross_entropy(output, label).mean() if self.loss is None else self.loss(output, label)

    def _output(self, given: dict[str, torch.Tensor], x: torch.Tensor) -> Any:
        from torch.func import functional_call

        return functional_call(self.module, given, (x,))

    def _arguments(self, w: torch.Tensor) -> dict[str, torch.Tensor]:
        """The module's parameters and buffers at weights w, (d,)."""
        named = {name: p[0] for name, p in zip(self.named_shapes, self.blocks(w[None]), strict=True)}
        return named | {n: t.to(w if t.is_floating_point() else w.device) for n, t in self._constants.items()}

    def _each(
        self,
        w: torch.Tensor,
        X: torch.Tensor,
        labels: torch.Tensor,
        evaluate: Callable[[torch.Tensor, torch.Tensor], torch.Tensor],
    ) -> torch.Tensor:
        """One number for each point, (K, b)."""
        import torch
        from torch.func import vmap

        def one(weights: torch.Tensor, x: torch.Tensor, label: torch.Tensor) -> torch.Tensor:
            return evaluate(self._output(self._arguments(weights), x[None]), label[None]).reshape(())

        points, targets = (t.expand(len(w), *t.shape[1:]) for t in (X, labels))
        if self._one_by_one:
            rows = zip(w, points, targets, strict=True)
            each = [[one(own, *pair) for pair in zip(x, y, strict=True)] for own, x, y in rows]
            return torch.stack([torch.stack(row) for row in each])
        result: torch.Tensor = vmap(vmap(one, (None, 0, 0)))(w, points, targets)
        return result

    @classmethod
    def from_fields(cls, given: dict[str, Any], inputs: tuple[int, ...], classes: int) -> Self:
        """Raises BoundkitError: a file cannot represent a user's module."""
        raise _not_representable()

    def to_json(self) -> NoReturn:
        """Raises BoundkitError: a file cannot represent a user's module."""
        raise _not_representable()


def _call(what: str, call: Callable[..., Any], *given: torch.Tensor) -> torch.Tensor:
    import torch

    try:
        result = call(*given)
    except Exception as error:  # a user's own code may raise anything
        shapes = " and ".join(_form(t) for t in given)
        raise BoundkitError(f"{what} cannot be called on one point, {shapes}: {error}") from error
    if not isinstance(result, torch.Tensor):
        raise BoundkitError(f"{what} must give one tensor, but it gives a {type(result).__name__}.")
    return result


def _form(tensor: torch.Tensor) -> str:
    return f"{tuple(tensor.shape)} of {str(tensor.dtype).removeprefix('torch.')}"


def _is_classification(output: torch.Tensor, label: torch.Tensor) -> bool:
    fits = output.ndim > 0 and output.shape[:-1] == label.shape and output.shape[-1] > 1
    return fits and not label.is_floating_point()


def _accuracy(output: torch.Tensor, label: torch.Tensor) -> torch.Tensor:
    if not _is_classification(output, label):
        return output.new_full((), float("nan"))
    return (output.argmax(-1) == label).to(output.dtype).mean()


def _trainable(module: torch.nn.Module) -> dict[str, torch.nn.Parameter]:
    return {name: p for name, p in module.named_parameters() if p.requires_grad}


def _flat(parameters: dict[str, torch.nn.Parameter]) -> Array:
    return np.concatenate([p.detach().cpu().double().numpy().reshape(-1) for p in parameters.values()])


def _not_representable() -> BoundkitError:
    return BoundkitError("a torch module of one's own cannot be written to RUN.json; run it from Python.")
