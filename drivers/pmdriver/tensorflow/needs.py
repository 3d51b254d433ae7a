"""Records what eager operations, and those of graphs, are given and return."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Iterator, Sequence
from typing import Any

import tensorflow as tf

from pmdriver import needs
from pmdriver.tensorflow import callbacks

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
        with callbacks.noted(self._note, graphs=True):
            yield

    def _note(
        self, kind: str, inputs: Sequence[Any], attrs: Sequence[Any], outputs: Sequence[Any]
    ) -> None:
        """Note an operation."""
        if kind in _WITH_MESSAGES:
            return
        if _OF_TABLES.search(kind):
            self.words.add("table")
        for tensor in (*inputs, *outputs):
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
