"""What an untimed call needs of a device, recorded on the reference.

portmeter compares these needs with what a device excludes by its documentation
(``rules/reasons.yaml``): a case that fails there and needs what is excluded is *not possible by
design*.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Sequence
from typing import Any


class Needs:
    """The needs that were recorded so far.

    Attributes
    ----------
    words
        NumPy's names of the dtypes that operations were given or returned, and:

        ``string``
            An array has strings.
        ``table``
            There is a handle to a table, a queue, an iterator or another resource that is neither
            an array nor a variable.
        ``values``
            The values of an array were read by Python or moved to the host, or decide the shape of
            a result.
    operations
        The words of each kind of operation, if the framework shows operations.
    """

    def __init__(self) -> None:
        self.words: set[str] = set()
        self.operations: dict[str, set[str]] = {}

    @contextlib.contextmanager
    def open(self) -> Iterator[None]:
        """Record the operations that this thread executes; each framework overrides this."""
        yield

    def look(self, call: Callable[..., Any], arguments: Sequence[Any]) -> None:
        """Add the needs of a call by tracing it, if operations cannot be recorded while it runs."""

    def note(self, value: Any) -> None:
        """Add the needs that a value shows; needed for values that no operation gets or returns."""

    def add(self, kind: str, words: set[str]) -> None:
        """Add the needs of an operation.

        Parameters
        ----------
        kind
            The name by which an exception of the framework calls the operation.
        words
            What it was given and returned, and what it reads.
        """
        self.words |= words
        self.operations.setdefault(kind, set()).update(words)

    def taken(self) -> list[str]:
        """Return the words that were recorded since the last call of this method."""
        found = sorted(self.words)
        self.words.clear()
        return found
