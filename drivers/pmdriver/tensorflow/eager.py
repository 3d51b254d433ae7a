"""Watches on which device each eager operation of a call computes, and whether on data.

Soft placement moves operations that a device lacks to the host, even in the middle of a call with
an output on the device. The library also has operations with kernels for the host's memory, and
functions that call Python. TensorFlow reports two devices of each tensor: that of the operation
that made it, and that of its memory. The bodies of a ``tf.function`` are graphs: see ``graph.py``.

Data are the tensors from before the call (inputs, and what the setup made), variables, random
numbers, and everything derived from these. An operation reads a variable by its handle, so the
handle is watched. In a call without data, the constants from which it makes its values count as
data. Operations on shapes do not count as operations on data. In a call that saves or restores
files, operations on texts do not count, because they make the names of the files, nor do copies to
the host.

Not detected are operations in other threads than the call's, operations without an output, the
bodies of functions that the process has executed before, and values that a call reads back
(``.numpy()``) to compute in Python.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

import tensorflow as tf
from tensorflow.python.eager import context
from tensorflow.python.framework import ops
from tensorflow.python.ops import resource_variable_ops, script_ops

from pmdriver.tensorflow import callbacks, graph

_VARIABLE = resource_variable_ops.BaseResourceVariable

#: Handles have no values, so the device of their memory does not matter.
_HANDLES = (tf.resource, tf.variant)


class Moved(NamedTuple):
    """An operation that was not executed by the device.

    Attributes
    ----------
    name
        The name, as `graph.named` writes it.
    on_data
        Whether it got data, or drew random numbers.
    by_device
        Whether another device executed it, not a kernel of this device for the host's memory.
    for_files
        Whether it is needed for files: it reads or writes one, gets or makes texts, or copies.
    """

    name: str
    on_data: bool
    by_device: bool
    for_files: bool = False


class Watch:
    """The eager operations of the calls that were watched."""

    def __init__(self, on_device: Callable[[str], bool]) -> None:
        self._on_device = on_device
        self.forget()

    def forget(self) -> None:
        """Forget the operations found so far."""
        self._moved: list[Moved] = []
        self._has_data = False
        self._before = 0
        self._data: set[int] = set()
        self._reads_variable = False
        self._has_files = False

    @property
    def moved(self) -> list[str]:
        """Name the operations on data that were executed elsewhere."""
        return graph.unique(each.name for each in self._moved if self._counts(each))

    @property
    def on_constants(self) -> list[str]:
        """Name the operations on shapes and constants that were executed elsewhere."""
        return graph.unique(each.name for each in self._moved if not self._counts(each))

    def _counts(self, each: Moved) -> bool:
        if each.for_files and self._has_files:
            return False
        return each.on_data or (not self._has_data and each.by_device)

    @contextlib.contextmanager
    def open(self) -> Iterator[None]:
        """Watch the operations that this thread executes while the block runs."""
        call_python = script_ops.py_func_common

        def called(func: Any, inp: Any, *others: Any, **named: Any) -> Any:
            if tf.executing_eagerly():
                self._add("numpy_function", True, True)
            return call_python(func, inp, *others, **named)

        def handle(variable: Any) -> Any:
            self._reads_variable = True
            return vars(variable)["_handle"]

        def set_handle(variable: Any, to: Any) -> None:
            vars(variable)["_handle"] = to

        self._before = ops.uid()
        context.context().enable_run_metadata()
        script_ops.py_func_common, _VARIABLE._handle = called, property(handle, set_handle)
        try:
            with callbacks.noted(self._note, graphs=False):
                yield
        finally:
            script_ops.py_func_common = call_python
            del _VARIABLE._handle
            context.context().disable_run_metadata()

    def _note(
        self, kind: str, inputs: Sequence[Any], attrs: Sequence[Any], outputs: Sequence[Any]
    ) -> None:
        """Note an operation that was executed."""
        metadata = context.context().export_run_metadata()
        given = self._reads_variable or any(self._is_data(tensor) for tensor in inputs)
        self._reads_variable = False
        if context.context().has_function(kind):
            self._note_function(metadata, given, outputs)
        else:
            texts = any(tensor.dtype == tf.string for tensor in (*inputs, *outputs))
            for_files = texts or kind == "Identity"
            self._note_operation(kind, given, outputs, for_files)

    def _note_operation(
        self, kind: str, given: bool, outputs: Sequence[Any], for_files: bool = False
    ) -> None:
        if graph.is_of_files(kind):
            self._has_files = for_files = True
        on_data = (given or graph.is_source(kind)) and kind not in graph.OF_SHAPES
        self._keep(on_data, outputs)
        if kind in graph.OF_PYTHON:
            self._add(kind, on_data, True)
            return
        values = [tensor for tensor in outputs if tensor.dtype not in _HANDLES]
        other = next((t.device for t in values if not self._on_device(t.device)), None)
        if other is not None:
            self._add(graph.named(kind, other), on_data, True, for_files)
        elif any("device:CPU:" in t.backing_device for t in values):
            self._add(f"{kind} (in the host's memory)", on_data, False, for_files)

    def _note_function(self, metadata: Any, given: bool, outputs: Sequence[Any]) -> None:
        found = graph.elsewhere(metadata.partition_graphs, self._on_device, given)
        self._keep(given or found.is_data, outputs)
        for name in found.moved:
            self._add(name, True, True)
        for name in found.on_constants:
            self._add(name, False, True)

    def _is_data(self, tensor: Any) -> bool:
        number = getattr(tensor, "_id", None)
        return number is not None and (number < self._before or number in self._data)

    def _keep(self, on_data: bool, outputs: Sequence[Any]) -> None:
        if on_data:
            self._has_data = True
            self._data.update(tensor._id for tensor in outputs)

    def _add(self, name: str, on_data: bool, by_device: bool, for_files: bool = False) -> None:
        self._moved.append(Moved(name, on_data, by_device, for_files))
