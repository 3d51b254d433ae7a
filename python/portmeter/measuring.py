"""Starts a run or a study from Python, and reports its progress."""

from __future__ import annotations

import contextlib
import fcntl
import os
import pty
import re
import signal
import struct
import subprocess
import sys
import termios
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Callable

from ._program import PortmeterError, environment, find_program, message_of
from .database import Database, StrPath

COLUMNS = 200  # width of the program's terminal, enough for whole lines of progress
LINE = re.compile(r"(\S+) +([\d,]+)/([\d,]+)(?:  (?! )(.*?))?(?:   (?:([\d,]+) with .*|took .*))?$")
ENDINGS = {signal.SIGINT + 128, signal.SIGTERM + 128, signal.SIGHUP + 128}
INVALID = 4  # exit status: the measurement ended, but the results are not valid


@dataclass(frozen=True)
class Progress:
    """The progress of a command.

    Attributes
    ----------
    what : str
        What the command does, such as "measuring".
    done, total : int
        Numbers of executions: finished, and all.
    label : str
        The target and the function that are being measured.
    line : str
        The whole line that a terminal shows, with the remaining time.
    """

    what: str
    done: int
    total: int
    label: str
    line: str

    @property
    def share(self) -> float:
        """`done` divided by `total`, from 0 to 1."""
        return self.done / self.total if self.total else 0.0


#: A function that is called with the progress, up to ten times a second.
Callback = Callable[[Progress], None]


def progress_of(line: str) -> Progress | None:
    """Return the progress that a line of the program shows.

    Parameters
    ----------
    line : str
        A line such as
        "measuring   58/78  null@null  null.call   12 with no result so far   3 s left".

    Returns
    -------
    Progress or None
        The progress; None if the line does not show any.
    """
    found = LINE.match(line)
    if not found:
        return None
    what, done, total, label = found.group(1, 2, 3, 4)
    counts = [int(one.replace(",", "")) for one in (done, total)]
    return Progress(what, counts[0], counts[1], (label or "").strip(), line)


def is_watched() -> bool:
    """Return whether the output is a notebook or a terminal, not a file."""
    return "ipykernel" in sys.modules or sys.stdout.isatty()


def show(progress: Progress) -> None:
    """Print the progress over the previous one, but only in notebooks and terminals."""
    if is_watched():
        print(f"\r{progress.line[:100]:<100}", end="", flush=True)


def run(
    target: str | Sequence[str],
    *,
    functions: Sequence[str] = (),
    db: StrPath | None = None,
    outcomes_only: bool = False,
    options: Sequence[str] = (),
    progress: Callback | None = show,
    program: str | None = None,
) -> Database:
    """Measure targets, as ``portmeter run`` does.

    The frameworks of this interpreter are measured, unless another environment is registered for
    them. An interrupt (Ctrl-C, or the button of a notebook) stops the run. The database keeps the
    results so far.

    Parameters
    ----------
    target : str or sequence of str
        The targets, such as "pytorch@cuda".
    functions : sequence of str
        Patterns of the functions to measure, such as "torch.*"; all by default.
    db : str or os.PathLike, optional
        The database. By default ``$PORTMETER_DB``, or ``portmeter.db``.
    outcomes_only : bool
        Measure no latencies. The run then takes minutes instead of a quarter of an hour.
    options : sequence of str
        More options of ``portmeter run``, such as ["--kind=core", "--repetitions=5"].
    progress : callable, optional
        Called with a `Progress` up to ten times a second. By default `show`; None: not called.
    program : str, optional
        Path of the program, by default `find_program`.

    Returns
    -------
    Database
        The database with the results. It also has runs that did not pass their self-check: see
        `Run.valid`.

    Raises
    ------
    PortmeterError
        If the run could not be made.
    KeyboardInterrupt
        If a signal stopped the run.
    """
    targets = [target] if isinstance(target, str) else list(target)
    arguments = ["run", *(f"--target={one}" for one in targets)]
    arguments += [f"--function={one}" for one in functions]
    arguments += ["--outcomes-only"] if outcomes_only else []
    return _measure([*arguments, *options], Database(db, program), progress)


def study(
    *,
    frameworks: Sequence[str] = (),
    db: StrPath | None = None,
    quick: bool = False,
    options: Sequence[str] = (),
    progress: Callback | None = show,
    program: str | None = None,
) -> Database:
    """Measure the targets that this machine has, as ``portmeter study`` does. Downloads nothing.

    Parameters
    ----------
    frameworks : sequence of str
        The frameworks, such as ["pytorch"]; by default all installed frameworks.
    db : str or os.PathLike, optional
        The database. By default ``$PORTMETER_DB``, or ``portmeter.db``.
    quick : bool
        Measure only outcomes, of at most 3 core cases of each function: about two minutes.
    options : sequence of str
        More options of ``portmeter study``.
    progress : callable, optional
        Called with a `Progress` up to ten times a second. By default `show`; None: not called.
    program : str, optional
        Path of the program, by default `find_program`.

    Returns
    -------
    Database
        The database with the results.

    Raises
    ------
    PortmeterError
        If the study could not be made, for example because no framework was found.
    KeyboardInterrupt
        If a signal stopped the study.
    """
    arguments = ["study", *(f"--framework={one}" for one in frameworks)]
    arguments += ["--quick"] if quick else []
    return _measure([*arguments, *options], Database(db, program), progress)


def _measure(arguments: list[str], db: Database, progress: Callback | None) -> Database:
    """Run a command that measures. Raise its error message if it failed."""
    said: list[str] = []
    status = _watch([db.program or find_program(), *arguments, f"--db={db.path}"], said, progress)
    if status in ENDINGS:
        raise KeyboardInterrupt
    if status not in (0, INVALID):
        raise PortmeterError(message_of("\n".join(said)), status)
    return db


def _variables() -> dict[str, str]:
    """Return the variables for the program, which finds this interpreter first on PATH."""
    given = environment()
    folder = os.path.dirname(sys.executable or "")
    return {**given, "PATH": os.pathsep.join(filter(None, [folder, given.get("PATH")]))}


def _watch(command: list[str], said: list[str], progress: Callback | None) -> int:
    """Run a command with a terminal for its messages; return its exit status."""
    ours, theirs = pty.openpty()
    try:
        fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, COLUMNS, 0, 0))
        ended = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=theirs,
            env=_variables(),
            start_new_session=True,  # only the code below passes an interrupt on
        )
    except OSError as error:
        os.close(ours)
        raise PortmeterError(f"cannot start '{command[0]}': {error.strerror}") from None
    finally:
        os.close(theirs)
    try:
        _follow(ours, said, progress)
        return ended.wait()
    except BaseException:
        ended.send_signal(signal.SIGINT)
        with contextlib.suppress(KeyboardInterrupt):
            _follow(ours, said, None)
        ended.wait()
        raise
    finally:
        os.close(ours)


def _follow(terminal: int, said: list[str], progress: Callback | None) -> None:
    """Read lines until the program closes the terminal; pass progress on, keep other lines."""
    shown = False
    for line in _lines(terminal):
        now = progress_of(line)
        if not now:
            said.append(line)
        elif progress:
            progress(now)
            shown = True
    if shown and progress is show and is_watched():
        print()


def _lines(terminal: int) -> Iterator[str]:
    """Yield lines. A carriage return also ends a line, because the next text overwrites it."""
    rest = b""
    while True:
        try:
            read = os.read(terminal, 65536)
        except OSError:  # EIO: the last process of the terminal has closed it
            read = b""
        *whole, rest = re.split(rb"[\r\n]+", rest + read)
        if not read:
            whole.append(rest)
        for one in whole:
            text = re.sub(rb"\x1b\[[0-9;]*[A-Za-z]", b"", one).decode(errors="replace").rstrip()
            if text:
                yield text
        if not read:
            return
