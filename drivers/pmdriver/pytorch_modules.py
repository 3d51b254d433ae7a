"""Modules of PyTorch: moved to the device, and given the same bits on every target."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Callable

import torch

from pmdriver.failure import HarnessFault
from pmdriver.framework import Fill, Wanted
from pmdriver.pytorch_devices import identity_kept


def dtype_name(dtype: torch.dtype) -> str:
    """Give NumPy's name of a dtype: ``float32``."""
    return str(dtype)[len("torch.") :]


def fan_in(shape: Sequence[int]) -> int:
    """Count what one output sums over: the product of all dimensions but the first, or n of [n]."""
    if len(shape) <= 1:
        return max(1, math.prod(shape))
    return max(1, math.prod(shape[1:]))


def wanted(text: str, name: str, parameter: Any) -> Wanted:
    """Say what a parameter is filled with: uniform, scaled by the square root of the fan-in."""
    shape = tuple(parameter.shape)
    return Wanted(f"{text}.{name}", dtype_name(parameter.dtype), shape, fan_in(shape) ** -0.5)


def _is_lazy(parameter: Any) -> bool:
    return isinstance(parameter, torch.nn.parameter.UninitializedTensorMixin)


def place(
    modules: list[tuple[str, Any]],
    device: Any,
    construct: Callable[[], list[Any]],
    fill: Fill,
    has_values: bool,
    is_host: bool,
) -> list[Any]:
    """Move modules to the device, fill parameters, copy buffers from a construction on the host.

    Raises
    ------
    HarnessFault
        One of them is no module.
    """
    for text, module in modules:
        if not isinstance(module, torch.nn.Module):
            raise HarnessFault(f"modules: '{text}' is a {type(module).__name__}, not a module")
    if not is_host:
        with identity_kept():
            for _, module in modules:
                module.to(device)
    if has_values:
        _fill_parameters(modules, fill)
        if not is_host:
            _copy_buffers([module for _, module in modules], construct)
    return [module for _, module in modules]


def _fill_parameters(modules: list[tuple[str, Any]], fill: Fill) -> None:
    targets = [
        (wanted(text, name, parameter), parameter)
        for text, module in modules
        for name, parameter in module.named_parameters()
        if not _is_lazy(parameter) and (parameter.is_floating_point() or parameter.is_complex())
    ]
    if not targets:
        return
    with torch.no_grad():
        for (_, parameter), value in zip(targets, fill([item for item, _ in targets])):
            parameter.copy_(value)


def _copied(module: Any) -> list[tuple[str, Any]]:
    """List what the generator does not fill: buffers, and parameters that are not floating."""
    found = list(module.named_buffers())
    found += [
        (name, parameter)
        for name, parameter in module.named_parameters()
        if not _is_lazy(parameter) and not (parameter.is_floating_point() or parameter.is_complex())
    ]
    return [(name, value) for name, value in found if value is not None and not _is_lazy(value)]


def _copy_buffers(modules: list[Any], construct: Callable[[], list[Any]]) -> None:
    if not any(_copied(module) for module in modules):
        return
    try:
        sources = construct()
    except Exception as error:
        raise HarnessFault(
            f"modules: the setup cannot be executed on the host for its buffers: {error}"
        ) from error
    with torch.no_grad():
        for module, source in zip(modules, sources):
            values = dict(_copied(source))
            for name, target in _copied(module):
                target.copy_(values[name])
