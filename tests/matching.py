"""How the output of a command-line test is compared with the files beside its script."""

from __future__ import annotations

import difflib
import re
from pathlib import Path


def line_matches(pattern: str, line: str) -> bool:
    """Tell whether a line is like a pattern, in which only ``*`` and ``?`` are special."""
    parts = [
        {"*": ".*", "?": "."}.get(part, re.escape(part)) for part in re.split(r"([*?])", pattern)
    ]
    return re.fullmatch("".join(parts), line) is not None


def lines_match(patterns: list[str], lines: list[str]) -> bool:
    """Match line by line; a pattern ``...`` stands for any number of lines, none included."""
    if not patterns:
        return not lines
    if patterns[0] == "...":
        return any(lines_match(patterns[1:], lines[n:]) for n in range(len(lines) + 1))
    return (
        bool(lines) and line_matches(patterns[0], lines[0]) and lines_match(patterns[1:], lines[1:])
    )


def difference(exact: Path, text: str) -> str:
    """Give the lines in which a text differs from that of a file."""
    lines = difflib.unified_diff(
        exact.read_text().splitlines(), text.splitlines(), exact.name, exact.name, lineterm="", n=1
    )
    return "".join(f"{line}\n" for line in lines)


def compare(script: Path, stream: str, text: str) -> str:
    """Say how a stream differs from the file beside the script; empty if it does not."""
    exact, glob = (script.with_suffix(f".{stream}{end}") for end in ("", ".glob"))
    if exact.exists() and exact.read_text() != text:
        return f"{stream} is not {exact.name}:\n{difference(exact, text)}"
    if glob.exists() and not lines_match(glob.read_text().splitlines(), text.splitlines()):
        return f"{stream} is not like {glob.name}\n"
    return ""


def accept(script: Path, stream: str, text: str) -> str:
    """Write a stream into the exact file beside the script; give the difference to what was there.

    A file of patterns is not written, because only its author knows what may vary: its difference
    is that of `compare`.
    """
    exact = script.with_suffix(f".{stream}")
    if not exact.exists():
        return ""
    shown = difference(exact, text)
    if exact.read_text() != text:
        exact.write_text(text)
    return shown
