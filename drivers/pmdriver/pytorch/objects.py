"""Opens PyTorch's generators, and its distributions with their transforms and constraints."""

from __future__ import annotations

import ctypes
from typing import Any

import torch

from pmdriver.job import plain

Parts = list[tuple[str, Any]]

#: The class of inverse transforms. The ``inv`` of each is the original transform, and vice versa.
_INVERSE = getattr(torch.distributions.transforms, "_InverseTransform", ())


def parts(value: Any) -> Parts | None:
    """Open an object: the step of the path and the part, in order; None if it is not opened."""
    if isinstance(value, torch.Generator):
        return _parts_of_generator(value)
    if isinstance(value, torch.distributions.Distribution):
        return _parts_of_distribution(value)
    if isinstance(value, torch.distributions.Transform):
        return _parts_of_transform(value)
    if isinstance(value, torch.distributions.constraints.Constraint):
        return _public(value)
    return None


def _parts_of_generator(value: Any) -> Parts:
    """Open a generator: its seed, and its state as the generator of its kind of device."""
    try:
        state = value.get_state()
        data = ctypes.string_at(state.data_ptr(), state.numel())
    except (RuntimeError, NotImplementedError):
        data = None  # generators of this kind of device do not expose their state
    state_of = plain.State(f"torch.Generator on {value.device.type}", data)
    return [(".initial_seed()", value.initial_seed()), (".get_state()", state_of)]


def _public(value: Any) -> Parts:
    return [(f".{name}", item) for name, item in vars(value).items() if not name.startswith("_")]


def _parts_of_distribution(value: Any) -> Parts:
    """Open a distribution: its shapes, its parameters, and the distributions that it is made of."""
    inner = torch.distributions.Distribution
    shapes = [(f".{name}", list(getattr(value, name))) for name in ("batch_shape", "event_shape")]
    made_of = [
        (f".{name}", item)
        for name, item in vars(value).items()
        if not name.startswith("_") or isinstance(item, inner)
    ]
    return [*shapes, *made_of]


def _parts_of_transform(value: Any) -> Parts:
    """Return the parameters of a transform, or the transform that an inverse one inverts."""
    dimensions = [(".event_dim", value.event_dim)] if "_event_dim" in vars(value) else []
    inverted = [(".inv", value.inv)] if isinstance(value, _INVERSE) else []
    return [*_public(value), *dimensions, *inverted]
