"""Weights of Keras's layers and models and of `tf.Module`: the same bits on every target.

Variables are identified by their place among the weights, because the names of Keras's layers are
numbered through the whole process.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Callable

import tensorflow as tf

from pmdriver.failure import HarnessFault, summary
from pmdriver.framework import Fill, Wanted

#: Keras's own class of variables; before Keras 3 they are TensorFlow's.
KERAS_VARIABLE = getattr(tf.keras, "Variable", ())


def is_module(value: Any) -> bool:
    """Return whether a value owns weights."""
    return isinstance(value, (tf.Module, tf.keras.layers.Layer))


def is_built(module: Any) -> bool:
    """Return whether a module has made its weights: Keras makes them in the first call."""
    return bool(getattr(module, "built", True)) or not is_module(module)


def variable_of(value: Any) -> Any:
    """Return the TensorFlow variable inside a Keras variable; any other value unchanged."""
    return value.value if KERAS_VARIABLE and isinstance(value, KERAS_VARIABLE) else value


def weights_of(module: Any) -> list[tuple[str, Any, bool]]:
    """List the weights: the step of the path, the variable, and whether the generator fills it."""
    found = module.weights if hasattr(module, "weights") else module.variables
    kept = [(f".weights[{i}]", variable_of(v), bool(v.trainable)) for i, v in enumerate(found)]
    return [(step, v, trainable and v.dtype.is_floating) for step, v, trainable in kept]


def scale_of(shape: Sequence[int]) -> float:
    """Return 1/sqrt(fan-in); the fan-in is the product of all sizes except the last."""
    return max(1, math.prod(shape[:-1] if len(shape) > 1 else shape)) ** -0.5


def place_modules(
    modules: list[tuple[str, Any]], construct: Callable[[], list[Any]], fill: Fill
) -> list[Any]:
    """Fill trainable weights, and copy the others from the host; all in place.

    Parameters
    ----------
    modules, construct, fill
        As for `pmdriver.framework.Framework.place_modules`. The modules were made, and built,
        within the scope of the device.

    Raises
    ------
    HarnessFault
        An object is not a module, or the setup fails on the host.
    """
    wanted, copied = [], False
    for text, module in modules:
        if not is_module(module):
            raise HarnessFault(
                f"modules: '{text}' is a {type(module).__name__}, not a module: remove it"
            )
        for step, variable, is_filled in weights_of(module):
            shape = tuple(variable.shape)
            item = Wanted(text + step, variable.dtype.name, shape, scale_of(shape))
            wanted += [(item, variable)] if is_filled else []
            copied |= not is_filled
    for (_, variable), value in zip(wanted, fill([item for item, _ in wanted]) if wanted else []):
        variable.assign(value)
    if copied:
        _copy(modules, construct)
    return [module for _, module in modules]


def _copy(modules: list[tuple[str, Any]], construct: Callable[[], list[Any]]) -> None:
    try:
        with tf.device("/device:CPU:0"):
            sources = construct()
    except Exception as error:
        raise HarnessFault(
            f"modules: 'setup' failed when it ran on the host to copy weights: {summary(error)}"
        ) from error
    for (_, module), source in zip(modules, sources):
        for (_, variable, is_filled), (_, value, _) in zip(weights_of(module), weights_of(source)):
            if not is_filled:
                variable.assign(value.numpy())
