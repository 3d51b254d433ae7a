"""Remembers which checks and tests passed, so that they run again only after a change.

A folder of the build has a file for each check, with the digests of what passed. A digest covers
the check itself, all of tools/, the version of the program that it runs, and the names and contents
of the files that it reads. If the check needs only a list from other files, it covers this list.
Two more files are for unit tests and for command-line tests. Without the folder, everything runs.
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
    reads: tuple[str, ...] = ()  # pathspecs of git; if empty, the check is never remembered
    program: str = ""  # the program whose --version is part of the digest
    each: bool = False  # whether the check takes file names and checks each tracked file alone
    lists: tuple[str, ...] = ()  # a command; what it prints is all that the check reads elsewhere


@functools.cache
def content(name: str, mode: int, changed: int, size: int) -> bytes:
    """Return a digest of a file's name, mode and contents; `changed` is only for the cache."""
    begin = f"{name}\0{mode}\0{size}\0".encode()
    return hashlib.blake2b(begin + (ROOT / name).read_bytes(), digest_size=16).digest()


@functools.cache
def listed(tracked: bool, *pathspecs: str) -> list[str]:
    """Return the tracked files and, unless `tracked`, those that git would add."""
    others = [] if tracked else ["--others", "--exclude-standard"]
    command = ["git", "-C", ROOT, "ls-files", "-z", "--cached", *others, "--", *pathspecs]
    names = run(command).output.split("\0")
    return sorted(name for name in set(names) if name and (ROOT / name).is_file())


def together(begin: str, names: list[str]) -> str:
    """Return the digest of a text and of files."""
    digest = hashlib.blake2b(begin.encode(), digest_size=16)
    for name in names:
        now = (ROOT / name).stat()
        digest.update(content(name, now.st_mode, now.st_mtime_ns, now.st_size))
    return digest.hexdigest()


class Memory:
    """The files that have passed one check, and those that must be checked."""

    def __init__(self, folder: Path, name: str, check: Check) -> None:
        self.check = check
        self.file = folder / name.replace(" ", "-")
        self.digests = self.take_digests()
        kept = set(self.file.read_text().split()) if self.file.exists() else set()
        parts = [names for digest, names in self.digests.items() if digest not in kept]
        self.fresh = [name for part in parts for name in part]  # empty: everything has passed

    def take_digests(self) -> dict[str, list[str]]:
        """Return the digest of each set of files that is checked together, and their names."""
        program = self.check.program
        version = run([program, "--version"]).output if program else ""
        listing = run(self.check.lists).output if self.check.lists else ""
        own = together(f"{self.check.command}\0{version}\0{listing}", listed(False, "tools"))
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

    `machine` is a text that covers all other dependencies of the programs. `beside` are further
    files outside of git. Files that begin with the name of a script belong to the script.
    """

    def __init__(
        self, file: Path, reads: tuple[str, ...], machine: str, beside: tuple[Path, ...] = ()
    ) -> None:
        self.file, self.reads, self.machine, self.others = file, reads, machine, beside
        self.begin = self.beside()
        lines = file.read_text().splitlines() if file.exists() else []
        self.kept = {line.split()[0]: line for line in lines if line}
        self.passed: dict[Path, tuple[str, str]] = {}  # its digest before it ran, and its line

    def beside(self) -> str:
        """Return the digest of what all programs may read: files of the tree, and the machine."""
        return together(self.machine, [*listed(False, *self.reads), *map(str, self.others)])

    def digest(self, program: Path) -> str:
        """Return the digest of a program and of what it may read."""
        expected = program.parent.glob(f"{program.stem}.*") if program.suffix == ".test" else ()
        return together(self.begin, [str(program), *sorted(map(str, expected))])

    def tests(self, program: Path) -> int:
        """Return how many tests of an unchanged program passed; 0 if it must run."""
        digest = self.digest(program)
        line = self.kept.get(digest)
        if not line:
            return 0
        self.passed[program] = (digest, line)
        return int(line.split()[1])

    def add(self, program: Path, digest: str, tests: int) -> None:
        """Add a program whose tests all passed, with its digest from before it ran."""
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
