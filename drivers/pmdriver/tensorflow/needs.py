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
_OF_TABLES = re.compile(
    "HashTable|LookupTable|InitializeTable|Queue|Iterator|Barrier|SummaryWriter"
)


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
        words = _dtypes((*inputs, *outputs))
        if _OF_TABLES.search(kind):
            words.add("table")
        self.add(kind, words)

    def note(self, value: Any) -> None:
        """Note the dtypes of the tensors in a structure."""
        self.words |= _dtypes(
            [item for item in tf.nest.flatten(value) if isinstance(item, tf.Tensor)]
        )


def _dtypes(tensors: Sequence[Any]) -> set[str]:
    """Name the dtypes of tensors; a handle has none."""
    found = (getattr(tensor, "dtype", None) for tensor in tensors)
    return {getattr(d, "name", str(d)) for d in found if d not in (tf.resource, tf.variant)}
