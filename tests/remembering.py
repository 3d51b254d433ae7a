"""Checks of the tree and unit tests that passed: what has not changed since does not run again.

A folder of the build has a file for each check: the digests of what passed. A digest covers the
check itself, all of tools/, the version of the program that it runs, and the names and contents of
the files that it reads. Two more files are for the programs of unit tests and for the scripts of
command lines. Without the folder, everything runs.
"""

from __future__ import annotations

import dataclasses
import functools
import hashlib
from pathlib import Path

from running import ROOT, run


@dataclasses.dataclass(frozen=True)
class Check:
    """A check of the tree: its command, the files that it reads, and the program that it runs."""

    command: tuple[str, ...]
    reads: tuple[str, ...] = ()  # pathspecs of git; none: it is never remembered
    program: str = ""  # its --version is part of the digest
    each: bool = False  # it reads tracked files, each alone, and takes their names


@functools.cache
def content(name: str, mode: int, changed: int, size: int) -> bytes:
    """Digest of a file of the tree, by its name and contents."""
    begin = f"{name}\0{mode}\0{size}\0".encode()
    return hashlib.blake2b(begin + (ROOT / name).read_bytes(), digest_size=16).digest()


@functools.cache
def listed(tracked: bool, *pathspecs: str) -> list[str]:
    """Files that git has, and unless only `tracked` ones count, those that it would add."""
    others = [] if tracked else ["--others", "--exclude-standard"]
    command = ["git", "-C", ROOT, "ls-files", "-z", "--cached", *others, "--", *pathspecs]
    names = run(command).output.split("\0")
    return sorted(name for name in set(names) if name and (ROOT / name).is_file())


def together(begin: str, names: list[str]) -> str:
    """Digest of a text and of files."""
    digest = hashlib.blake2b(begin.encode(), digest_size=16)
    for name in names:
        now = (ROOT / name).stat()
        digest.update(content(name, now.st_mode, now.st_mtime_ns, now.st_size))
    return digest.hexdigest()


class Memory:
    """What passed one check, and what is to be checked."""

    def __init__(self, folder: Path, name: str, check: Check) -> None:
        self.check = check
        self.file = folder / name.replace(" ", "-")
        self.digests = self.take_digests()
        kept = set(self.file.read_text().split()) if self.file.exists() else set()
        parts = [names for digest, names in self.digests.items() if digest not in kept]
        self.fresh = [name for part in parts for name in part]  # empty: everything has passed

    def take_digests(self) -> dict[str, list[str]]:
        """Digests of what is checked together, with the names of the files."""
        program = self.check.program
        version = run([program, "--version"]).output if program else ""
        own = together(f"{self.check.command}\0{version}", listed(False, "tools"))
        names = listed(self.check.each, *self.check.reads)
        return {
            together(own, part): part
            for part in ([[n] for n in names] if self.check.each else [names])
        }

    def keep(self) -> None:
        """Remember that everything passed, if no file changed in the meantime."""
        if self.take_digests() == self.digests:
            self.file.parent.mkdir(exist_ok=True)
            self.file.write_text("\n".join(self.digests) + "\n")


class Programs:
    """The test programs that passed, each by a digest of itself and of all that it may read.

    `machine` is text that differs where something else differs that they depend on. `beside` are
    further files, outside of git. The files beside a script that begin with its name belong to it.
    """

    def __init__(
        self, file: Path, reads: tuple[str, ...], machine: str, beside: tuple[Path, ...] = ()
    ) -> None:
        self.file, self.reads, self.machine, self.others = file, reads, machine, beside
        self.begin = self.beside()
        lines = file.read_text().splitlines() if file.exists() else []
        self.kept = {line.split()[0]: line for line in lines if line}
        self.passed: dict[Path, tuple[str, str]] = {}  # digest when it began, and its line

    def beside(self) -> str:
        """Digest of what every program may read: files of the tree, and the machine."""
        return together(self.machine, [*listed(False, *self.reads), *map(str, self.others)])

    def digest(self, program: Path) -> str:
        """Digest of a program and of what it may read."""
        expected = program.parent.glob(f"{program.stem}.*") if program.suffix == ".test" else ()
        return together(self.begin, [str(program), *sorted(map(str, expected))])

    def tests(self, program: Path) -> int:
        """Count the tests of a program that passed as it is now; 0 if it must run."""
        digest = self.digest(program)
        line = self.kept.get(digest)
        if not line:
            return 0
        self.passed[program] = (digest, line)
        return int(line.split()[1])

    def add(self, program: Path, digest: str, tests: int) -> None:
        """Take a program all of whose tests passed, with its digest from before it ran."""
        self.passed[program] = (digest, f"{digest} {tests} {program.name}")

    def keep(self) -> None:
        """Remember what passed, unless a file has changed in the meantime."""
        listed.cache_clear()
        if self.beside() != self.begin:
            return
        lines = [
            line
            for program, (digest, line) in list(self.passed.items())
            if program.exists() and self.digest(program) == digest
        ]
        self.file.parent.mkdir(exist_ok=True)
        self.file.write_text("".join(f"{line}\n" for line in sorted(lines)))
