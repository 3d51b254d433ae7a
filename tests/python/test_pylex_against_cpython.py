#!/usr/bin/env python3
"""Names by pylex and by CPython's ``tokenize``, on the standard library and installed packages.

Up to CPython 3.11 f-strings are opaque, from 3.12 on open, for both. As a test it takes a file in
fifty; as a script (``PORTMETER=build/portmeter test_pylex_against_cpython.py [EVERY]``) one in
EVERY, all by default, and prints each file that differs.
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
    """One in `every` files that end in ``.py``, by name, of this interpreter's folders."""
    folders = {sysconfig.get_paths()[name] for name in ("stdlib", "purelib", "platlib")}
    found = {path for folder in folders for path in Path(folder).rglob("*.py") if path.is_file()}
    return sorted(path for path in found if "\n" not in str(path))[::every]


def cpython_names(source: bytes) -> list[bytes] | None:
    """Names that ``tokenize`` finds, without conversions; None where it does not accept the file."""
    names = []
    before = ""
    inside = 0
    try:
        encoding, _ = tokenize.detect_encoding(io.BytesIO(source).readline)
        for token in tokenize.tokenize(io.BytesIO(source).readline):
            kind = tokenize.tok_name[token.type]
            inside += kind in ("FSTRING_START", "TSTRING_START")
            inside -= kind in ("FSTRING_END", "TSTRING_END")
            if kind == "NAME" and not (inside and before == "!"):
                names.append(token.string.encode(encoding))
            before = token.string
    except (tokenize.TokenError, SyntaxError, ValueError, LookupError):
        return None
    return names


def pylex_names(paths: list[Path]) -> Iterator[list[bytes]]:
    """Names that pylex finds in each file."""
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
    """Where two lists of names part."""
    for at, (one, other) in enumerate(zip(ours, theirs)):
        if one != other:
            return f"name {at}: {one!r} for {other!r}"
    return f"{len(ours)} names for {len(theirs)}"


def compare(every: int) -> tuple[int, int, list[str]]:
    """Compare; give how many files CPython accepts, how many names these have, what differs."""
    accepted, names, differing = 0, 0, []
    paths = python_files(every)
    for begin in range(0, len(paths), 200):
        some = paths[begin : begin + 200]
        for path, ours in zip(some, pylex_names(some)):
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                theirs = cpython_names(path.read_bytes())
            if theirs is None:
                continue
            accepted += 1
            names += len(theirs)
            if ours != theirs:
                differing.append(f"{path}: {first_difference(ours, theirs)}")
    return accepted, names, differing


class Names(unittest.TestCase):
    """pylex and CPython see the same names."""

    def test_names_are_those_of_cpython(self) -> None:
        accepted, names, differing = compare(EVERY_IN_TESTS)
        self.assertGreater(accepted, 50)
        self.assertGreater(names, 10000)
        self.assertLessEqual(
            len(differing), (1 - LEAST_SHARE) * accepted, "\n".join(differing[:20])
        )


def main() -> int:
    """Compare as a script."""
    accepted, names, differing = compare(int(sys.argv[1]) if len(sys.argv) > 1 else 1)
    print("\n".join(differing), end="\n" if differing else "")
    same = 100 * (1 - len(differing) / max(accepted, 1))
    print(f"{accepted} files, {names} names, {len(differing)} files differ, {same:.3f} % are the same")
    return 1 if same < 100 * LEAST_SHARE else 0


if __name__ == "__main__" and "PORTMETER" in os.environ:
    sys.exit(main())
