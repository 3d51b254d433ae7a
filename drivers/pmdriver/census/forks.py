"""Works on items in forked children, with limits on time, memory and the sizes of files."""

from __future__ import annotations

import json
import os
import resource
import select
import shutil
import signal
import sys
import time
from collections.abc import Sequence
from typing import Any, Callable

from pmdriver import failure
from pmdriver.framework import MOST_REASON

#: Limits of a child's data and of a file that it writes, in bytes.
MOST_MEMORY, MOST_FILE = 6 << 30, 64 << 20
MOST_LINE = 1 << 20
#: How much longer than its processor time a child may take, because the machine may be busy.
PATIENCE = 4


#: A key of an answer after which a new child works on the other items.
LAST = "last"


class _Late(BaseException):
    """An item has exceeded its time limit."""


def _on_alarm(*_: Any) -> None:
    raise _Late


def _limit() -> None:
    resource.setrlimit(resource.RLIMIT_DATA, (MOST_MEMORY, MOST_MEMORY))
    resource.setrlimit(resource.RLIMIT_FSIZE, (MOST_FILE, MOST_FILE))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def _child(
    items: Sequence[Any],
    begin: Callable[[], None],
    work: Callable[[Any], dict[str, Any]],
    seconds: float,
    pipe: int,
    scratch: str,
) -> None:
    """Work on the items, write a line of JSON to `pipe` for each, and end the process."""
    os.setsid()
    _limit()
    null = os.open(os.devnull, os.O_RDWR)
    for stream in range(3):
        os.dup2(null, stream)
    shutil.rmtree(scratch, ignore_errors=True)
    os.makedirs(scratch)
    os.chdir(scratch)
    signal.signal(signal.SIGPROF, _on_alarm)
    begin()
    for item in items:
        signal.setitimer(signal.ITIMER_PROF, seconds + 2)
        try:
            answer = work(item)
        except _Late:
            answer = {"died": f"no answer within {seconds:g} s of processor time"}
        except BaseException as error:
            answer = {"died": failure.summary(error, MOST_REASON)}
        signal.setitimer(signal.ITIMER_PROF, 0)
        os.write(pipe, (json.dumps(answer) + "\n").encode())
        if LAST in answer:
            break
    os._exit(0)


def _start(items: Sequence[Any], child: Callable[[int], None]) -> tuple[int, int]:
    """Fork a child; return its PID and the descriptor from which its lines are read."""
    sys.stdout.flush()
    ours, theirs = os.pipe()
    pid = os.fork()
    if pid == 0:
        try:
            os.close(ours)
            child(theirs)
        finally:
            os._exit(1)
    os.close(theirs)
    return pid, ours


def _lines(pipe: int, seconds: float, most: int, take: Callable[[bytes], None]) -> str:
    """Pass at most `most` lines to `take`; return ``late`` if one took too long, else ``end``."""
    text = b""
    deadline = time.monotonic() + seconds
    while most:
        ready, _, _ = select.select([pipe], [], [], max(0.0, deadline - time.monotonic()))
        if not ready:
            return "late"
        part = os.read(pipe, 1 << 16)
        if not part or len(text) > MOST_LINE:
            return "end"
        text += part
        while b"\n" in text:
            line, _, text = text.partition(b"\n")
            take(line)
            most -= 1
            deadline = time.monotonic() + seconds
    return "end"


def run(
    items: Sequence[Any],
    begin: Callable[[], None],
    work: Callable[[Any], dict[str, Any]],
    done: Callable[[Any, dict[str, Any]], None],
    *,
    batch: int,
    seconds: float,
    scratch: str,
) -> None:
    """Work on all items; if a child dies, another one continues with the next item.

    Parameters
    ----------
    items
        What to work on, in this order.
    begin, work
        Called in the child: once, and for each item. A child never returns to the caller.
    done
        Called in this process with each item and its answer, which is ``{"died": why}`` if `work`
        raised an exception or did not return. The key `LAST` is removed.
    batch
        The most items that a child works on.
    seconds
        The limit of processor time for one item.
    scratch
        A folder that is emptied for each child and is its current directory.
    """
    at = 0
    while at < len(items):
        mine = items[at : at + batch]
        finished: list[dict[str, Any]] = []
        is_last: list[bool] = []

        def take(
            line: bytes, mine: Any = mine, finished: Any = finished, is_last: Any = is_last
        ) -> None:
            answer = json.loads(line)
            is_last.append(answer.pop(LAST, False))
            done(mine[len(finished)], answer)
            finished.append(answer)

        pid, pipe = _start(
            mine, lambda fd, mine=mine: _child(mine, begin, work, seconds, fd, scratch)
        )
        limit = PATIENCE * seconds + 20
        why = _lines(pipe, limit, len(mine), take)
        os.close(pipe)
        for number in (pid, -pid):
            try:
                os.kill(number, signal.SIGKILL)
            except ProcessLookupError:
                pass
        _, status = os.waitpid(pid, 0)
        if len(finished) < len(mine) and not any(is_last):
            died = (
                f"signal {os.WTERMSIG(status)}" if why == "end" else f"no answer within {limit:g} s"
            )
            if why == "end" and not os.WIFSIGNALED(status):
                died = "the process ended"
            done(mine[len(finished)], {"died": died})
            finished.append({})
        at += len(finished)
