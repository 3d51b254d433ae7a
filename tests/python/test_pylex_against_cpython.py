#!/usr/bin/env python3
"""Tests that pylex and CPython's ``tokenize`` find the same names in installed packages.

Up to CPython 3.11 f-strings are opaque for both, from 3.12 on they are open. The test reads one
file in fifty. As a script (``PORTMETER=build/portmeter test_pylex_against_cpython.py [EVERY]``) it
reads one in EVERY, all by default, and prints each file that differs.
"""

from __future__ import annotations

import io
import os
import subprocess
import sys
import sysconfig
import tokenize
import unittest
import warnings
from collections.abc import Iterator
from pathlib import Path

EVERY_IN_TESTS = 50
LEAST_SHARE = 0.999
OPEN = sys.version_info >= (3, 12)


def python_files(every: int) -> list[Path]:
    """Return one in `every` Python files, in order of names, of this interpreter's folders."""
    folders = {sysconfig.get_paths()[name] for name in ("stdlib", "purelib", "platlib")}
    found = {path for folder in folders for path in Path(folder).rglob("*.py") if path.is_file()}
    return sorted(path for path in found if "\n" not in str(path))[::every]


def cpython_names(source: bytes) -> tuple[list[bytes], str] | None:
    """Return the names that ``tokenize`` finds, and why they may differ; None if it fails.

    Conversions in f-strings are skipped. Up to 3.11, ``tokenize`` ends a name at a character that
    is not ``\\w``, such as a combining mark. It does not know the long integers of Python 2.
    """
    names = []
    before, kind_before, why = "", "", ""
    inside = 0
    try:
        encoding, _ = tokenize.detect_encoding(io.BytesIO(source).readline)
        encoding = "utf-8" if encoding == "utf-8-sig" else encoding
        for token in tokenize.tokenize(io.BytesIO(source).readline):
            kind = tokenize.tok_name[token.type]
            inside += kind in ("FSTRING_START", "TSTRING_START")
            inside -= kind in ("FSTRING_END", "TSTRING_END")
            if kind == "NAME" and not (inside and before == "!"):
                names.append(token.string.encode(encoding))
            if kind == "ERRORTOKEN" and not token.string.isascii():
                why = "a character that is not of names"
            if kind_before == "NUMBER" and token.string in ("l", "L"):
                why = "a long integer of Python 2"
            before, kind_before = token.string, kind
    except (tokenize.TokenError, SyntaxError, ValueError, LookupError):
        return None
    return names, why


def pylex_names(paths: list[Path]) -> Iterator[list[bytes]]:
    """Yield the names that pylex finds in each file."""
    program = Path(os.environ["PORTMETER"]).resolve().parent / "tests" / "pylex" / "pylex_dump"
    mode = "open" if OPEN else "opaque"
    listed = "".join(f"{path}\n" for path in paths).encode()
    ended = subprocess.run(
        [program, "names", mode], input=listed, stdout=subprocess.PIPE, check=True
    )
    output = io.BytesIO(ended.stdout)
    for _ in paths:
        count = int(output.readline())
        yield [output.readline()[:-1] for _ in range(count)]


def first_difference(ours: list[bytes], theirs: list[bytes]) -> str:
    """Return a text of the first difference of two lists of names."""
    for at, (one, other) in enumerate(zip(ours, theirs)):
        if one != other:
            return f"name {at}: {one!r} for {other!r}"
    return f"{len(ours)} names for {len(theirs)}"


class Comparison:
    """The result of a comparison.

    Attributes
    ----------
    files, names
        How many files CPython accepts, and how many names these have.
    explained, differing
        A line for each file that differs, for a known reason or for an unknown one.
    """

    def __init__(self, every: int) -> None:
        self.files, self.names = 0, 0
        self.explained: list[str] = []
        self.differing: list[str] = []
        paths = python_files(every)
        for begin in range(0, len(paths), 200):
            some = paths[begin : begin + 200]
            for path, ours in zip(some, pylex_names(some)):
                self.compare(path, ours)

    def compare(self, path: Path, ours: list[bytes]) -> None:
        """Compare one file's names."""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            found = cpython_names(path.read_bytes())
        if found is None:
            return
        theirs, why = found
        self.files += 1
        self.names += len(theirs)
        if ours != theirs:
            line = f"{path}: {first_difference(ours, theirs)}"
            if why:
                self.explained.append(f"{line}: {why}")
            else:
                self.differing.append(line)


class Names(unittest.TestCase):
    """pylex and CPython see the same names."""

    def test_names_are_those_of_cpython(self) -> None:
        found = Comparison(EVERY_IN_TESTS)
        self.assertGreater(found.files, 50)
        self.assertGreater(found.names, 10000)
        self.assertEqual(found.differing, [])
        self.assertLess(len(found.explained), 0.01 * found.files)


def main() -> int:
    """Compare as a script."""
    found = Comparison(int(sys.argv[1]) if len(sys.argv) > 1 else 1)
    for line in found.explained + found.differing:
        print(line)
    same = 100 * (1 - len(found.explained + found.differing) / max(found.files, 1))
    print(
        f"{found.files} files, {found.names} names, {len(found.explained)} differ as explained, "
        f"{len(found.differing)} otherwise, {same:.3f} % are the same"
    )
    return 1 if found.differing or same < 100 * LEAST_SHARE else 0


if __name__ == "__main__":
    sys.exit(main())
