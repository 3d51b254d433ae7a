"""The variant ``+jit`` of TensorFlow: the call under ``tf.function(jit_compile=True)``."""

from __future__ import annotations

import importlib
import re
from collections.abc import Sequence
from typing import Any, Callable

import numpy as np
import tensorflow as tf

from pmdriver import host
from pmdriver.failure import NotApplicable, message_of

#: What a call raises if it reads the value of a traced tensor.
_UNTRACEABLE = (tf.errors.OperatorNotAllowedInGraphError,)
_TEXTS = (
    "Cannot convert a symbolic",
    "symbolic tf.Tensor",
    "is not allowed in Graph execution",
    "only supports singleton tf.Variables",
    "has no attribute 'numpy'",
    "be compatible with tf.function",
    "failed to lift variable creations",
)


#: The modules in which versions of TensorFlow count the time of tracing, newest first.
_TRACERS = (
    "tensorflow.python.eager.polymorphic_function.tracing_compilation",
    "tensorflow.python.eager.polymorphic_function.tracing_compiler",
    "tensorflow.python.eager.function",
)


def tracing_clock() -> Callable[[], dict[str, int]] | None:
    """Return a function that returns the time of tracing so far, in ns; None in older versions.

    TensorFlow counts the microseconds of the outermost traced function. It also counts the time for
    which XLA compiles, but Python cannot read this.
    """
    for name in filter(host.is_installed, _TRACERS):
        counter = getattr(importlib.import_module(name), "_graph_building_time_counter", None)
        if counter is not None:
            cell = counter.get_cell()
            return lambda: {"tracing": int(cell.value()) * 1000}
    return None


class Held:
    """Wraps a host array that is an argument: TensorFlow would trace the array as a tensor.

    Calls with equal arrays share the traced function.
    """

    def __init__(self, array: np.ndarray) -> None:
        self.array = array
        self._key = (array.dtype.str, array.shape, array.tobytes())

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Held) and self._key == other._key

    def __hash__(self) -> int:
        return hash(self._key)


class Jit:
    """Compiles calls, and checks the traced graphs."""

    def __init__(self) -> None:
        self._bound: Any = None
        self._arguments: Sequence[Any] = ()
        self._traced = 0

    def bind(self, function: Callable[..., Any], has_host_arrays: bool) -> Callable[..., Any]:
        """Wrap a function, which is compiled at its first call.

        Arguments that are not tensors are static.
        """
        self._traced = self.count()
        inner = opened(function) if has_host_arrays else function
        self._bound = bound = tf.function(inner, jit_compile=True, autograph=False)

        def call(*arguments: Any) -> Any:
            self._arguments = arguments
            return bound(*arguments)

        return held(call) if has_host_arrays else call

    def count(self) -> int:
        """Return how often functions were traced so far."""
        return self._traced + self._own()

    def _own(self) -> int:
        """Return how often the function that was bound last was traced."""
        return self._bound.experimental_get_tracing_count() if self._bound is not None else 0

    def verify(self) -> None:
        """Check the graph to which the last call was traced.

        Raises
        ------
        NotApplicable
            No result depends on an input, so the compiler may compute the results.
        """
        graph = self._bound.get_concrete_function(*self._arguments).graph
        if not depends_on_inputs(graph):
            raise NotApplicable("the compiled call depends on no input")

    def holds_state(self) -> bool:
        """Return whether the last call uses variables, or other state, of the setup.

        The traced function keeps these objects, also after another setup.
        """
        return self._variables() != []

    def restorer(self, again: Callable[[], Sequence[Any]]) -> Callable[[], None] | None:
        """Return a function that gives the variables of the last call the values of a new setup.

        Parameters
        ----------
        again
            Makes a new setup and binds its call, which is traced here but not made; returns the
            arguments of the call.

        Returns
        -------
        callable or None
            None if the last call uses no variable or other state, or other variables than the call
            of the new setup.
        """
        used, bound, arguments, own = self._variables(), self._bound, self._arguments, self._own()
        if not used:
            return None
        try:
            self._arguments = [Held(v) if isinstance(v, np.ndarray) else v for v in again()]
            made = self._variables() or []
            values = [variable.read_value() for variable in made]
        finally:
            self._traced = self.count() - own
            self._bound, self._arguments = bound, arguments
        if [_form(variable) for variable in made] != [_form(variable) for variable in used]:
            return None

        def restore() -> None:
            for variable, value in zip(used, values):
                variable.assign(value)

        return restore

    def _variables(self) -> list[Any] | None:
        """List the variables that the last call uses, in the order in which the trace met them.

        Returns
        -------
        list or None
            None if the call uses other state too.
        """
        graph = self._bound.get_concrete_function(*self._arguments).graph
        known = {id(variable.handle): variable for variable in graph.variables}
        state = [kept for kept, _ in graph.captures if kept.dtype in (tf.resource, tf.variant)]
        found = [known.get(id(kept)) for kept in state]
        return None if any(variable is None for variable in found) else found


def _form(variable: Any) -> tuple[Any, ...]:
    """Return the dtype, the shape, and the name without the numbers that make it unique."""
    return variable.dtype, variable.shape, re.sub(r"_\d+(?=[/:])", "", variable.name)


def held(call: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function that passes each host array on as a `Held`, always the same object."""
    known: dict[int, Held] = {}

    def kept(value: Any) -> Any:
        return known.setdefault(id(value), Held(value)) if isinstance(value, np.ndarray) else value

    return lambda *arguments: call(*map(kept, arguments))


def opened(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function that calls `function` with the array instead of each `Held`."""

    def array_of(value: Any) -> Any:
        return value.array if isinstance(value, Held) else value

    return lambda *arguments: function(*map(array_of, arguments))


def depends_on_inputs(graph: Any) -> bool:
    """Return whether an output of a traced function depends on one of its inputs or captures."""
    inputs = {id(tensor.op) for tensor in graph.inputs}
    seen: set[int] = set()
    left = [tensor.op for tensor in graph.outputs]
    while left:
        op = left.pop()
        if id(op) in inputs:
            return True
        if id(op) not in seen:
            seen.add(id(op))
            left += [tensor.op for tensor in op.inputs]
    return False


def not_traceable(error: BaseException) -> str | None:
    """Say why TensorFlow cannot trace the call; None for other exceptions."""
    text = message_of(error)
    if isinstance(error, _UNTRACEABLE) or any(part in text for part in _TEXTS):
        return "not traceable: " + text.strip().split("\n")[0]
    return None
