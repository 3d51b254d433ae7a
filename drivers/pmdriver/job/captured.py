"""Catches what a call prints, for the name `captured` in `output` and `check`.

The file descriptors are redirected instead of `sys.stdout`: C++ prints too, and a handler of
`logging` keeps the stream with which it was created.
"""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Iterator

from pmdriver import host

NAME = "captured"

#: The most bytes of printed text that are kept.
MOST_BYTES = 1 << 20


class Capture:
    """Catches what is printed while `open` is active; `text` has it afterwards."""

    def __init__(self) -> None:
        self.text = ""

    @contextlib.contextmanager
    def open(self) -> Iterator[None]:
        """Catch standard output and standard error, in the order in which they are written."""
        _flush()
        file = os.memfd_create(NAME)
        kept = {number: os.dup(number) for number in (1, 2)}
        try:
            for number in kept:
                os.dup2(file, number)
            yield
        finally:
            _flush()
            for number, before in kept.items():
                os.dup2(before, number)
                os.close(before)
            self.text = os.pread(file, MOST_BYTES, 0).decode("utf-8", "replace")
            os.close(file)


def _flush() -> None:
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(AttributeError, OSError, ValueError):
            stream.flush()
    host.flush_c_streams()
