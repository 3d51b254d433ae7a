"""Compares the output of a command-line test with the files beside its script."""

from __future__ import annotations

import difflib
import re
from pathlib import Path


def line_matches(pattern: str, line: str) -> bool:
    """Return whether a line matches a pattern, in which only ``*`` and ``?`` are special."""
    parts = [
        {"*": ".*", "?": "."}.get(part, re.escape(part)) for part in re.split(r"([*?])", pattern)
    ]
    return re.fullmatch("".join(parts), line) is not None


def lines_match(patterns: list[str], lines: list[str]) -> bool:
    """Match line by line; a pattern ``...`` matches any number of lines, including none."""
    if not patterns:
        return not lines
    if patterns[0] == "...":
        return any(lines_match(patterns[1:], lines[n:]) for n in range(len(lines) + 1))
    return (
        bool(lines) and line_matches(patterns[0], lines[0]) and lines_match(patterns[1:], lines[1:])
    )


def difference(exact: Path, text: str) -> str:
    """Return a unified diff from a file to a text."""
    lines = difflib.unified_diff(
        exact.read_text().splitlines(), text.splitlines(), exact.name, exact.name, lineterm="", n=1
    )
    return "".join(f"{line}\n" for line in lines)


def compare(script: Path, stream: str, text: str) -> str:
    """Return how a stream differs from the file beside the script; empty if it does not."""
    exact, glob = (script.with_suffix(f".{stream}{end}") for end in ("", ".glob"))
    if exact.exists() and exact.read_text() != text:
        return f"{stream} is not {exact.name}:\n{difference(exact, text)}"
    if glob.exists() and not lines_match(glob.read_text().splitlines(), text.splitlines()):
        return f"{stream} is not like {glob.name}\n"
    return ""


def accept(script: Path, stream: str, text: str) -> str:
    """Write a stream to the exact file beside the script; return the diff from its old content.

    A file of patterns is not written, because only its author knows what may vary; `compare`
    reports its difference.
    """
    exact = script.with_suffix(f".{stream}")
    if not exact.exists():
        return ""
    shown = difference(exact, text)
    if exact.read_text() != text:
        exact.write_text(text)
    return shown
