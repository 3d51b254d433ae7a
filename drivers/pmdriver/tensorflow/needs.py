"""Records what eager operations, and those of graphs, are given and return."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Iterator, Sequence
from typing import Any

import tensorflow as tf
from tensorflow.python.framework import op_callbacks

from pmdriver import needs

#: Operations whose texts are messages, which compilers drop, and constants that these may be.
_WITH_MESSAGES = ("Assert", "Const")

#: Operations on what a handle names in the memory of the host. Handles of variables are not among
#: them: XLA has variables.
_OF_TABLES = re.compile("HashTable|LookupTable|Queue|Iterator|Barrier|SummaryWriter")


class Needs(needs.Needs):
    """What was recorded so far."""

    @contextlib.contextmanager
    def open(self) -> Iterator[None]:
        """Record what this thread executes or puts into a graph."""
        op_callbacks.add_op_callback(self._note)
        try:
            yield
        finally:
            op_callbacks.remove_op_callback(self._note)

    def _note(
        self, op_type: Any, inputs: Sequence[Any], attrs: Any, outputs: Sequence[Any],
        op_name: Any = None, **about: Any,
    ) -> None:  # fmt: skip
        """Note an operation: TensorFlow calls this after it."""
        kind = op_type.decode() if isinstance(op_type, bytes) else str(op_type)
        if kind in _WITH_MESSAGES:
            return
        if _OF_TABLES.search(kind):
            self.words.add("table")
        for tensor in (*inputs, *(outputs or ())):
            self._add(tensor)

    def note(self, value: Any) -> None:
        """Note the tensors in a structure."""
        for item in tf.nest.flatten(value):
            if isinstance(item, tf.Tensor):
                self._add(item)

    def _add(self, tensor: Any) -> None:
        dtype = getattr(tensor, "dtype", None)
        if dtype not in (tf.resource, tf.variant):
            self.words.add(getattr(dtype, "name", str(dtype)))
