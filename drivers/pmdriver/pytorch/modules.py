"""Moves modules of PyTorch to the device, with the same bits on every target."""

from __future__ import annotations

import contextlib
import math
from collections.abc import Iterator, Sequence
from typing import Any, Callable

import torch

from pmdriver.failure import HarnessFault, summary
from pmdriver.framework import Fill, Wanted


def dtype_name(dtype: torch.dtype) -> str:
    """Return NumPy's name of a dtype: ``float32``."""
    return str(dtype)[len("torch.") :]


def fan_in(shape: Sequence[int]) -> int:
    """Return the fan-in, at least 1: the product of all sizes except the first; n for [n]."""
    if len(shape) <= 1:
        return max(1, math.prod(shape))
    return max(1, math.prod(shape[1:]))


def wanted(text: str, name: str, parameter: Any) -> Wanted:
    """Describe the values of a parameter: uniform, scaled by 1/sqrt(fan-in)."""
    shape = tuple(parameter.shape)
    return Wanted(f"{text}.{name}", dtype_name(parameter.dtype), shape, fan_in(shape) ** -0.5)


def _is_lazy(parameter: Any) -> bool:
    return isinstance(parameter, torch.nn.parameter.UninitializedTensorMixin)


def move_module(module: Any, device: Any) -> Any:
    """Move a module in place, so that optimizers still own its parameters; return it.

    On ``meta``, PyTorch 2.13 turns an uninitialized parameter or buffer into a plain one without
    elements, and the first call of a lazy module then fails. A new uninitialized one replaces it.
    """
    lazy = [  # with their types now: moving changes the type of a parameter in place
        (kind, name, type(value), value.requires_grad, value.dtype)
        for owner in module.modules()
        for kind in (owner._parameters, owner._buffers)
        for name, value in kind.items()
        if _is_lazy(value)
    ]
    with _identity_kept():
        moved = module.to(device)
    for kind, name, made, differentiable, dtype in lazy:
        if not isinstance(kind[name], made):
            kind[name] = made(differentiable, device=device, dtype=dtype)
    return moved


def place_modules(
    modules: list[tuple[str, Any]],
    device: Any,
    construct: Callable[[], list[Any]],
    fill: Fill,
    has_values: bool,
    is_host: bool,
) -> list[Any]:
    """Move modules to the device, fill parameters, copy buffers from the host; all in place.

    Parameters
    ----------
    modules, construct, fill
        As for `pmdriver.framework.Framework.place_modules`.
    device
        The object that `device` is bound to in the texts of the case.
    has_values, is_host
        As in `pmdriver.framework.Framework`, for this device.

    Returns
    -------
    list of torch.nn.Module
        The same objects.

    Raises
    ------
    HarnessFault
        An object is not a module, or the setup fails on the host, where buffers are constructed.
    """
    for text, module in modules:
        if not isinstance(module, torch.nn.Module):
            raise HarnessFault(
                f"modules: '{text}' is a {type(module).__name__}, not a module: remove it"
            )
    if not is_host:
        for _, module in modules:
            move_module(module, device)
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
    """List what the generator does not fill: buffers, and parameters of integers or booleans."""
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
            f"modules: 'setup' failed when it ran on the host to copy buffers: {summary(error)}"
        ) from error
    with torch.no_grad():
        for module, source in zip(modules, sources):
            values = dict(_copied(source))
            for name, target in _copied(module):
                target.copy_(values[name])


@contextlib.contextmanager
def _identity_kept() -> Iterator[None]:
    """Make ``Module.to`` keep each Parameter's identity, so that optimizers still own them."""
    future = torch.__future__
    if not hasattr(future, "get_swap_module_params_on_conversion"):  # before 2.3
        yield
        return
    before = future.get_swap_module_params_on_conversion()
    future.set_swap_module_params_on_conversion(True)
    try:
        yield
    finally:
        future.set_swap_module_params_on_conversion(before)
