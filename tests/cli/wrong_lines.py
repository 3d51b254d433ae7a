"""Tests that wrong command lines give one helpful line, the right status, and a similar name.

Reads lines ``STATUS<tab>TEXT<tab>ARGUMENTS`` from a file; the message must contain TEXT. Then tries
two slips of each name of a command or an option in the help: with a missing letter, and with two
exchanged letters. Prints each difference, and whether the number of lines is right.
"""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
from pathlib import Path

#: Slips that are equally similar to another name.
NEARER = {"rus", "caes"}


def wrong(status: str, text: str, arguments: str) -> str:
    """Run a line; return what is not as expected, or an empty string."""
    ended = subprocess.run(
        ["portmeter", *shlex.split(arguments)],
        capture_output=True,
        text=True,
        check=False,
        stdin=subprocess.DEVNULL,
    )
    said = ended.stderr.splitlines()
    if ended.returncode != int(status) or len(said) != 1 or ended.stdout:
        return f"status {ended.returncode}, {len(said)} lines: {ended.stderr or ended.stdout[:200]}"
    if not said[0].startswith("portmeter: ") or text not in said[0]:
        return f"does not say '{text}': {said[0]}"
    return ""


def helped(*command: str) -> str:
    """Return the help of a command, or that of portmeter."""
    ended = subprocess.run(
        ["portmeter", "help", *command], capture_output=True, text=True, check=True
    )
    return ended.stdout


def slips(name: str) -> list[str]:
    """Return two slips in the middle of a name."""
    at = len(name) // 2
    return [name[:at] + name[at + 1 :], name[: at - 1] + name[at] + name[at - 1] + name[at + 1 :]]


def misspelt() -> list[list[str]]:
    """Return a row for each slip of a name, except those that are another name."""
    commands = re.findall(r"^  ([a-z]+)  +\S", helped(), re.MULTILINE)
    rows = [
        ["2", f"did you mean '{name}'?", f"{before}{slip}"]
        for name in commands
        for slip in slips(name)
        if slip not in commands and slip not in NEARER
        for before in ("", "help ")
    ]
    for command in commands:
        options = re.findall(r"^ +(?:-\w, )?--([a-z-]+)", helped(command), re.MULTILINE)
        rows += [
            ["2", f"did you mean '--{name}'?", f"{command} --{slip}"]
            for name in options
            for slip in slips(name)
            if slip not in options and slip != name and slip not in NEARER
        ]
    return rows


def report(rows: list[list[str]], least: int, what: str) -> None:
    """Run the lines, and print each difference from the expected results."""
    found = [(row[2], problem) for row in rows if (problem := wrong(*row))]
    for line, problem in found:
        print(f"{line}\n    {problem}")
    enough = f"at least {least}" if len(rows) >= least else str(len(rows))
    print(f"{enough} {what}, {len(found)} not as expected")


def main() -> int:
    """Run all lines of the file, and the slips."""
    lines = Path(sys.argv[1]).read_text().splitlines()
    report([line.split("\t") for line in lines], 200, "wrong lines")
    report(misspelt(), 600, "slips of commands and options")
    return 0


if __name__ == "__main__":
    sys.exit(main())
