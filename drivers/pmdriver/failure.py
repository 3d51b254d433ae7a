"""Exceptions as lines and as evidence, and the exceptions that portmeter raises itself.

Every exception that leaves this process is turned into text here, so that the same exception reads
the same wherever it is shown.
"""

from __future__ import annotations

import os
import traceback
from types import TracebackType
from typing import Any, Callable

#: The longest message and traceback that a result carries, in characters.
MOST_MESSAGE = 8 << 10
MOST_TRACEBACK = 16 << 10

_PACKAGE = os.path.dirname(__file__) + os.sep

#: Exceptions that mean a bug of portmeter if its own code, not the framework, raises them.
_BUGS = (AttributeError, KeyError, IndexError, NameError)


class CaseError(Exception):
    """The case itself is wrong; the message is one line."""


class NotApplicable(Exception):
    """The case does not apply to this target; the message is the reason, one line."""


class HarnessFault(Exception):
    """Portmeter or the case failed, not the function; the message is one line."""


class ValuesDestroyed(Exception):
    """Values read back from the device differ from those placed there; the message is one line."""


#: Exceptions that only portmeter raises, never a framework or a case.
OWN = (CaseError, NotApplicable, HarnessFault, ValuesDestroyed)


#: By the path of a folder that exists only for a while: what `one_line` writes instead.
_hidden: dict[str, str] = {}


def hide(path: str, name: str) -> None:
    """Write `name` instead of a path in all later lines; a path within it must be hidden first."""
    _hidden[path] = name


def one_line(text: str, most: int = 400) -> str:
    """Join the lines of a string into one of at most `most` characters, without hidden paths."""
    for path, name in _hidden.items():
        text = text.replace(path, name)
    line = " ".join(text.split())
    return line if len(line) <= most else line[: most - 3] + "..."


def summary(error: BaseException, most: int = 400) -> str:
    """Return an exception as one line: ``ValueError: shapes must match``.

    Parameters
    ----------
    error
        What was raised.
    most
        The maximum length in characters; a longer line is cut.
    """
    message = message_of(error)
    return one_line(f"{type(error).__name__}: {message}" if message else type(error).__name__, most)


def fails(call: Callable[[], Any]) -> bool:
    """Return whether a call raises, as any work does on a device whose context is lost."""
    try:
        call()
    except Exception:
        return True
    return False


def located(error: BaseException) -> str:
    """Return the summary of an exception, and where it was raised: ``... (job/clocks.py:12)``."""
    frames = traceback.extract_tb(error.__traceback__)
    if not frames:
        return summary(error)
    path = frames[-1].filename
    path = path[len(_PACKAGE) :] if path.startswith(_PACKAGE) else os.path.basename(path)
    return f"{summary(error)} ({path}:{frames[-1].lineno})"


def is_own_bug(error: BaseException) -> bool:
    """Return whether an exception shows a bug in portmeter, not in the case or the framework."""
    if not isinstance(error, _BUGS) or error.__traceback__ is None:
        return False
    return traceback.extract_tb(error.__traceback__)[-1].filename.startswith(_PACKAGE)


def description(error: BaseException) -> dict[str, str]:
    """Describe an exception: ``type``, ``message`` and ``traceback``, each a string.

    The traceback begins at the first frame that is not portmeter's. Long texts lose their middle.
    """
    trace = _without_own_frames(error.__traceback__)
    try:
        text = "".join(traceback.format_exception(type(error), error, trace))
    except Exception:
        text = ""
    return {
        "type": type(error).__name__,
        "message": _cut(message_of(error), MOST_MESSAGE),
        "traceback": _cut(text, MOST_TRACEBACK),
    }


def evidence(error: BaseException, memory: str | None) -> dict[str, Any]:
    """Describe an exception as a result carries it under ``raised``.

    Parameters
    ----------
    error
        What was raised.
    memory
        ``"host"`` or ``"device"`` if the exception says that this memory is exhausted, else None.

    Returns
    -------
    dict
        As `description`, with ``memory`` and with ``types``: the names of the exception's class
        and of its bases. `Exception` and its bases are not among them, because a case that expects
        any exception would test nothing.
    """
    types = [cls.__name__ for cls in type(error).__mro__ if _names_an_exception(cls)]
    return {**description(error), "types": types, "memory": memory}


def _names_an_exception(cls: type) -> bool:
    return issubclass(cls, Exception) and cls is not Exception


def message_of(error: BaseException) -> str:
    """Return the text of an exception; if making the text raises, a text that says so."""
    try:
        return str(error)
    except BaseException as broken:  # `__str__` of the exception raised too
        return f"(reading its message raised {type(broken).__name__})"


def _cut(text: str, most: int) -> str:
    if len(text) <= most:
        return text
    return text[: most // 2] + "\n...\n" + text[-most // 2 :]


def _without_own_frames(trace: TracebackType | None) -> TracebackType | None:
    """Skip portmeter's outermost frames, up to the first one of the case or the framework."""
    at = trace
    while at is not None and at.tb_frame.f_code.co_filename.startswith(_PACKAGE):
        at = at.tb_next
    return at if at is not None else trace
