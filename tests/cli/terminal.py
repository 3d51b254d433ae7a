r"""Run a program in a terminal, and type.

Usage: ``terminal.py 'WAIT=KEYS' ... -- PROGRAM ARGUMENT...``. Each KEYS is typed when WAIT has been
shown after the previous KEYS; ``^C`` and ``^\`` are keys, ``\n`` ends a line. With ``@TRACE EVENT``
as WAIT, the keys wait until the process of the last such event of a trace blocks the signal of
``^\``. Prints the text that the terminal showed, and the exit status.
"""

from __future__ import annotations

import json
import os
import pty
import select
import signal
import sys
from pathlib import Path

LOOK_S = 0.05
KEYS = {"^C": "\x03", "^\\": "\x1c", "\\n": "\n"}


def blocks_quit(trace: str, event: str) -> bool:
    """Return whether the process of a trace's last event of this name blocks SIGQUIT."""
    try:
        events = [json.loads(line) for line in Path(trace).read_text().splitlines()]
        pid = [each["pid"] for each in events if each["event"] == event][-1]
        status = Path(f"/proc/{pid}/status").read_text()
    except (OSError, IndexError):
        return False
    blocked = next(line.split()[1] for line in status.splitlines() if line.startswith("SigBlk:"))
    return bool(int(blocked, 16) >> (signal.SIGQUIT - 1) & 1)


def step(terminal: int, shown: str, seen: int, wanted: str) -> int:
    """Type the keys of a step if its WAIT was shown; return the end of WAIT in `shown`, or -1."""
    wait, _, keys = wanted.partition("=")
    if wait.startswith("@"):
        if not blocks_quit(*wait[1:].split(" ", 1)):
            return -1
    else:
        at = shown.find(wait, seen)
        if at < 0:
            return -1
        seen = at + len(wait)
    for name, key in KEYS.items():
        keys = keys.replace(name, key)
    os.write(terminal, keys.encode())
    return seen


def main() -> None:
    """Run the program, and type the keys that the arguments name."""
    end = sys.argv.index("--")
    steps, program = sys.argv[1:end], sys.argv[end + 1 :]
    pid, terminal = pty.fork()
    if pid == 0:
        os.execvp(program[0], program)
    shown, seen = "", 0
    while True:
        if select.select([terminal], [], [], LOOK_S)[0]:
            try:
                read = os.read(terminal, 1 << 16)
            except OSError:  # the last process of the terminal has ended
                break
            shown += read.decode(errors="replace")
        while steps and (now := step(terminal, shown, seen, steps[0])) >= 0:
            seen = now
            steps.pop(0)
    print(shown.replace("\r\n", "\n"), end="")
    print("status", os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))


main()
