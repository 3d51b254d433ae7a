"""Runs wrong command lines: each gives one helpful line, its status, and a name that is near.

Reads ``STATUS<tab>TEXT<tab>ARGUMENTS`` from a file; TEXT is what the line must contain. Prints what
is not so, or the number of lines.
"""

from __future__ import annotations

import shlex
import subprocess
import sys
from pathlib import Path


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


def main() -> int:
    """Run all lines of the file."""
    rows = [line.split("\t") for line in Path(sys.argv[1]).read_text().splitlines()]
    found = [(row[2], problem) for row in rows if (problem := wrong(*row))]
    for line, problem in found:
        print(f"{line}\n    {problem}")
    least = 200
    enough = f"at least {least}" if len(rows) >= least else str(len(rows))
    print(f"{enough} wrong lines, {len(found)} not as expected")
    return 0


if __name__ == "__main__":
    sys.exit(main())
