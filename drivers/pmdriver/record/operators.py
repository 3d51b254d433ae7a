"""Record the operators that files of the program apply to arrays of JAX and TensorFlow.

An operator is a method of the array's class, such as ``__add__``. Here it is replaced by a function
that records the call as one of the public function with the same meaning, such as
``jax.numpy.add``. Operators inside libraries are not recorded. PyTorch's operators are seen by its
function mode (`begin`).
"""

from __future__ import annotations

import functools
import sys
from typing import Any, Callable

from pmdriver.record.sites import Recorder

#: By operator: the last part of the function of JAX and of TensorFlow.
_BINARY = {
    "add": ("add", "add"),
    "sub": ("subtract", "subtract"),
    "mul": ("multiply", "multiply"),
    "truediv": ("true_divide", "truediv"),
    "floordiv": ("floor_divide", "floordiv"),
    "mod": ("remainder", "floormod"),
    "pow": ("power", "pow"),
    "matmul": ("matmul", "matmul"),
}
_COMPARISONS = {
    "lt": ("less", "less"),
    "le": ("less_equal", "less_equal"),
    "gt": ("greater", "greater"),
    "ge": ("greater_equal", "greater_equal"),
    "eq": ("equal", "equal"),
    "ne": ("not_equal", "not_equal"),
}
_UNARY = {"neg": ("negative", "negative"), "abs": ("absolute", "abs")}
#: Only of JAX: the operators of TensorFlow mean other functions for integers than for booleans.
_BITS = {
    "and": "bitwise_and",
    "or": "bitwise_or",
    "xor": "bitwise_xor",
    "lshift": "left_shift",
    "rshift": "right_shift",
}

_ITEMS = {"jax": "jax.Array.__getitem__", "tensorflow": "tf.Tensor.__getitem__"}


def _functions(framework: str) -> dict[str, tuple[str, bool]]:
    """Return, by method, the public function and whether the method swaps its operands."""
    jax = framework == "jax"
    found = {}
    for short, names in {**_BINARY, **_COMPARISONS, **_UNARY}.items():
        name = names[0 if jax else 1]
        where = "jax.numpy" if jax else "tf.linalg" if name == "matmul" else "tf.math"
        found[f"__{short}__"] = (f"{where}.{name}", False)
        if short in _BINARY:
            found[f"__r{short}__"] = (f"{where}.{name}", True)
    for short, name in _BITS.items() if jax else ():
        found[f"__{short}__"] = (f"jax.numpy.{name}", False)
        found[f"__r{short}__"] = (f"jax.numpy.{name}", True)
    return found


def hook(recorder: Recorder, framework: str, classes: list[type]) -> None:
    """Record the operators of classes.

    Parameters
    ----------
    recorder
        Records the calls.
    framework
        The framework of the classes: ``"jax"`` or ``"tensorflow"``.
    classes
        The classes of arrays, and of arrays that are traced.
    """
    describer = next((d for names, d in recorder.frameworks if names.framework == framework), None)
    if describer is None:
        return
    for cls in classes:
        for method, (name, swaps) in _functions(framework).items():
            public = describer.names.canonical.get(name)
            plain = vars(cls).get(method)
            if public is not None and callable(plain):
                setattr(cls, method, _operator(recorder, describer, plain, public, swaps))
        public = describer.names.canonical.get(_ITEMS[framework])
        plain = vars(cls).get(method := "__getitem__")
        if public is not None and callable(plain):
            setattr(cls, method, _item(recorder, describer, plain, public))


def _operator(
    recorder: Recorder, describer: Any, plain: Callable[..., Any], name: str, swaps: bool
) -> Callable[..., Any]:
    files = recorder.sites.files

    @functools.wraps(plain)
    def operator(*operands: Any) -> Any:
        frame = sys._getframe(1)
        if frame.f_code.co_filename not in files or recorder.local.busy:
            return plain(*operands)
        site = recorder.sites.of_frame(frame)
        if not swaps:
            return recorder.record(site, plain, describer, name, "function", None, operands)

        def swapped(first: Any, second: Any) -> Any:
            return plain(second, first)

        words = operands[::-1]
        return recorder.record(site, swapped, describer, name, "function", None, words)

    return operator


def _item(
    recorder: Recorder, describer: Any, plain: Callable[..., Any], name: str
) -> Callable[..., Any]:
    files = recorder.sites.files

    @functools.wraps(plain)
    def item(self: Any, key: Any) -> Any:
        frame = sys._getframe(1)
        if frame.f_code.co_filename not in files or recorder.local.busy:
            return plain(self, key)
        site = recorder.sites.of_frame(frame)

        def get(index: Any) -> Any:
            return plain(self, index)

        return recorder.record(site, get, describer, name, "method", self, (key,))

    return item


class _Plain:
    """A compiled function of TensorFlow whose calls are not recorded."""

    def __init__(self, function: Any, plain: Callable[..., Any]) -> None:
        self._function = function
        self._plain = plain

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self._plain(self._function, *args, **kwargs)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._function, name)


def hook_functions(recorder: Recorder, tf: Any) -> None:
    """Record the functions that libraries compile, such as the step of `fit()` of Keras.

    The place of such a call is that of the program's call around it.

    Parameters
    ----------
    recorder
        Records the calls.
    tf
        The module `tensorflow`.
    """
    describer = next((d for names, d in recorder.frameworks if names.root == "tensorflow"), None)
    if describer is None:
        return
    cls = type(tf.function(abs))
    plain, name = cls.__call__, "tf.function"

    @functools.wraps(plain)
    def call(self: Any, *args: Any, **kwargs: Any) -> Any:
        if recorder.local.busy or not tf.executing_eagerly():
            return plain(self, *args, **kwargs)
        stack = recorder.local.stack
        if stack and stack[-1].name == name and not stack[-1].seen:  # already recorded
            stack[-1].seen = True
            return plain(self, *args, **kwargs)
        site = stack[-1].site if stack else recorder.sites.of_frame(sys._getframe(1))
        if site < 0:
            return plain(self, *args, **kwargs)
        target = _Plain(self, plain)
        return recorder.record(site, target, describer, name, "compiled", None, args, kwargs)

    cls.__call__ = call  # type: ignore[method-assign]
