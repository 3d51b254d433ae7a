"""Exceptions as evidence: what was raised, in words that survive the process."""

from __future__ import annotations

import os
import traceback
from typing import Any

MOST_MESSAGE = 8 << 10
MOST_TRACEBACK = 16 << 10

_OWN_FOLDER = os.path.dirname(__file__) + os.sep

#: Raised by our own code, and not through it by the framework, these are bugs of ours.
_BUGS = (AttributeError, KeyError, IndexError, NameError)


class NotApplicable(Exception):
    """The case says nothing about this target; the message is the reason, one line."""


class HarnessFault(Exception):
    """Our own fault, or the case's: the execution says nothing about the function."""


def one_line(text: str, most: int = 400) -> str:
    """Fold a message into one line of at most `most` characters."""
    line = " ".join(text.split())
    return line if len(line) <= most else line[: most - 3] + "..."


def summary(error: BaseException) -> str:
    """Give an exception as one line, ``ValueError: must match``."""
    return one_line(f"{type(error).__name__}: {error}".rstrip(": "))


def own_bug(error: BaseException) -> str | None:
    """Give the line of a bug in the driver itself; None for what the case or framework raised."""
    if not isinstance(error, _BUGS) or error.__traceback__ is None:
        return None
    last = traceback.extract_tb(error.__traceback__)[-1]
    if not last.filename.startswith(_OWN_FOLDER):
        return None
    return f"driver: {summary(error)} ({os.path.basename(last.filename)}:{last.lineno})"


def _cut(text: str, most: int) -> str:
    if len(text) <= most:
        return text
    return text[: most // 2] + "\n...\n" + text[-most // 2 :]


def _without_own_frames(trace: Any) -> Any:
    """Skip the driver's frames at the top, down to the first of the case or the framework."""
    at = trace
    while at is not None and at.tb_frame.f_code.co_filename.startswith(_OWN_FOLDER):
        at = at.tb_next
    return at if at is not None else trace


def describe(error: BaseException, memory: str | None) -> dict[str, Any]:
    """Describe an exception for the header of a result.

    Parameters
    ----------
    error
        What was raised.
    memory
        ``"host"`` or ``"device"`` where it says that memory is exhausted, else None.
    """
    try:
        message = str(error)
    except Exception as broken:  # an exception whose text cannot be made is still an exception
        message = f"(its message raised {type(broken).__name__})"
    trace = _without_own_frames(error.__traceback__)
    try:
        text = "".join(traceback.format_exception(type(error), error, trace))
    except Exception:
        text = ""
    return {
        "type": type(error).__name__,
        "types": [cls.__name__ for cls in type(error).__mro__],
        "message": _cut(message, MOST_MESSAGE),
        "traceback": _cut(text, MOST_TRACEBACK),
        "memory": memory,
    }
