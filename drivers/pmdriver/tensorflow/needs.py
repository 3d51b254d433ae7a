"""Records the dtypes and handles of the inputs and outputs of operations, eager or in graphs."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Iterator, Sequence
from typing import Any

import tensorflow as tf

from pmdriver import needs
from pmdriver.tensorflow import callbacks

#: Operations with strings that may be messages, which compilers drop: assertions and constants.
_WITH_MESSAGES = ("Assert", "Const")

#: Operations on resources in the host's memory. Handles of variables are not among them, because
#: XLA supports variables.
_OF_TABLES = re.compile("HashTable|LookupTable|Queue|Iterator|Barrier|SummaryWriter")


class Needs(needs.Needs):
    """The needs that were recorded so far."""

    @contextlib.contextmanager
    def open(self) -> Iterator[None]:
        """Record the operations that this thread executes or adds to a graph in the block."""
        with callbacks.noted(self._note, graphs=True):
            yield

    def _note(
        self, kind: str, inputs: Sequence[Any], attrs: Sequence[Any], outputs: Sequence[Any]
    ) -> None:
        """Note the dtypes of an operation's tensors, and whether it uses a table."""
        if kind in _WITH_MESSAGES:
            return
        if _OF_TABLES.search(kind):
            self.words.add("table")
        for tensor in (*inputs, *outputs):
            self._add(tensor)

    def note(self, value: Any) -> None:
        """Note the dtypes of the tensors in a structure."""
        for item in tf.nest.flatten(value):
            if isinstance(item, tf.Tensor):
                self._add(item)

    def _add(self, tensor: Any) -> None:
        dtype = getattr(tensor, "dtype", None)
        if dtype not in (tf.resource, tf.variant):
            self.words.add(getattr(dtype, "name", str(dtype)))
