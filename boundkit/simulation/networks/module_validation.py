"""Validation of torch modules: layers that are random or mix the points of a batch; reinitialisation."""

from __future__ import annotations

from typing import TYPE_CHECKING

from boundkit.algebra import BoundkitError

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
