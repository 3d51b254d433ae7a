"""Calls a function after each operation of TensorFlow, to watch or record operations."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from tensorflow.python.framework import op_callbacks

#: Gets the kind of an operation, its inputs, its attributes (name, value, name, value...) and its
#: outputs.
Note = Callable[[str, Sequence[Any], Sequence[Any], Sequence[Any]], None]


@contextlib.contextmanager
def noted(note: Note, graphs: bool) -> Iterator[None]:
    """Call `note` after each operation of this thread.

    Parameters
    ----------
    note
        The function to call.
    graphs
        Whether to call it also for operations that are added to a graph instead of executed.
    """

    def called(
        op_type: Any, inputs: Sequence[Any], attrs: Any, outputs: Any, *rest: Any, **about: Any
    ) -> None:
        is_executed = about.get("graph") is None and outputs is not None
        if is_executed or graphs:
            kind = op_type.decode() if isinstance(op_type, bytes) else str(op_type)
            note(kind, inputs, attrs or (), outputs or ())

    op_callbacks.add_op_callback(called)
    try:
        yield
    finally:
        op_callbacks.remove_op_callback(called)
