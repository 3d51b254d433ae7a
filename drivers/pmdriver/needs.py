"""What an untimed call needs of a device, recorded on the reference.

portmeter compares this with what the documented types of a device exclude (``rules/reasons.yaml``):
a case that fails there and needs something of this kind is not possible by design.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Sequence
from typing import Any


class Needs:
    """What was recorded so far.

    Attributes
    ----------
    words
        NumPy's names of the dtypes that operations were given or returned, and:

        ``string``
            Texts in arrays.
        ``table``
            Handles to tables, queues, iterators: whatever is not an array, and no variable.
        ``values``
            The values of an array were read by Python or moved to the host, or decide the shape of
            a result.
    """

    def __init__(self) -> None:
        self.words: set[str] = set()

    @contextlib.contextmanager
    def open(self) -> Iterator[None]:
        """Record the operations that this thread executes; each framework overrides this."""
        yield

    def look(self, call: Callable[..., Any], arguments: Sequence[Any]) -> None:
        """Add what the text of a call says, where no operation shows it while it is executed."""

    def note(self, value: Any) -> None:
        """Add what a value is, which no operation has to be given or to return."""
