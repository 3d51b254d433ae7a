"""Runs code in a separate interpreter, for tests in which no other code may have run before.

Starting an interpreter and importing a framework takes over a second. The variable PORTMETER_FRESH,
set by `forked.py`, names the socket of a process that has only imported the framework. A fork of
that process is then used instead.
"""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import tempfile
import traceback
from collections.abc import Callable
from typing import IO, NoReturn

VARIABLE = "PORTMETER_FRESH"
HERE = os.path.dirname(os.path.abspath(__file__))


def python(code: str, *arguments: str, **variables: str) -> tuple[int, str]:
    """Run code in this folder, as ``python -c`` does.

    Parameters
    ----------
    code
        Python code; its output is returned.
    arguments
        ``sys.argv[1:]``.
    variables
        Environment variables, in addition to those of this process.

    Returns
    -------
    tuple
        The exit status, and all that was printed: stdout, and stderr if the status is not 0.
    """
    path = os.environ.get(VARIABLE)
    if not path:
        command = [sys.executable, "-W", "ignore", "-c", code, *arguments]
        done = subprocess.run(
            command, cwd=HERE, env={**os.environ, **variables}, text=True, capture_output=True
        )
        return done.returncode, done.stdout + (done.stderr if done.returncode else "")
    with socket.socket(socket.AF_UNIX) as channel:
        channel.connect(path)
        with channel.makefile("rw") as stream:
            print(json.dumps([code, arguments, {**os.environ, **variables}]), file=stream)
            stream.flush()
            return tuple(json.loads(stream.readline()))


def serve(listener: socket.socket) -> None:
    """Answer the calls of `python` in forks of this process, until this process is ended."""
    while True:
        channel = listener.accept()[0]
        with channel, channel.makefile("rw") as stream:
            print(json.dumps(_answer(*json.loads(stream.readline()))), file=stream, flush=True)


def _answer(code: str, arguments: list[str], environment: dict[str, str]) -> tuple[int, str]:
    with tempfile.TemporaryFile("w+") as output, tempfile.TemporaryFile("w+") as errors:
        pid = os.fork()
        if pid == 0:
            in_child(lambda: _execute(code, arguments, environment), output, errors)
        status = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
        texts = []
        for file in (output, errors):
            file.seek(0)
            texts.append(file.read())
    return status, texts[0] + (texts[1] if status else "")


def _execute(code: str, arguments: list[str], environment: dict[str, str]) -> int:
    os.environ.clear()
    os.environ.update(environment)
    os.chdir(HERE)
    sys.path.insert(0, "")
    sys.argv = ["-c", *arguments]
    exec(compile(code, "<fresh>", "exec"), {"__name__": "__main__"})
    return 0


def in_child(task: Callable[[], int], output: IO[str], errors: IO[str]) -> NoReturn:
    """Run a task in a forked child, with its output in two files; end with the task's status."""
    status = 1
    try:
        os.dup2(output.fileno(), 1)
        os.dup2(errors.fileno(), 2)
        status = task()
    except SystemExit as end:
        status = end.code if isinstance(end.code, int) else 1
    except BaseException:
        traceback.print_exc()
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(status)
