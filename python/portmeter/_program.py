"""Finds and runs the program from which this package gets all data."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sysconfig
from collections.abc import Sequence
from pathlib import Path
from typing import Any

SCHEMA = 2  # version of docs/report.schema.json, within which members are only added


class PortmeterError(Exception):
    """The program could not do what was requested.

    Attributes
    ----------
    status : int
        The exit status of the program, such as 2 if something does not exist and 3 if a file
        cannot be read. -1 if the program could not be started.
    """

    def __init__(self, message: str, status: int = -1) -> None:
        super().__init__(message)
        self.status = status


def _candidates() -> list[Path]:
    """Return the paths at which the program of this package may be, the most likely path first."""
    schemes = [None, *(name for name in sysconfig.get_scheme_names() if name.endswith("_user"))]
    folders = [
        sysconfig.get_path("scripts", scheme) if scheme else sysconfig.get_path("scripts")
        for scheme in schemes
    ]
    here = Path(__file__).resolve()
    if here.parents[1].name == "python":  # <prefix>/lib/portmeter/python/portmeter/_program.py
        folders.insert(0, str(here.parents[4] / "bin") if len(here.parents) > 4 else "")
    return [Path(folder, "portmeter") for folder in folders if folder]


def find_program() -> str:
    """Return the path of the program.

    A program that was installed together with this package comes first, then the one on ``PATH``.

    Returns
    -------
    str
        The path of an executable file.

    Raises
    ------
    PortmeterError
        If the program is not found.
    """
    for candidate in _candidates():
        if candidate.is_file() and os.access(candidate, os.X_OK):
            return str(candidate)
    found = shutil.which("portmeter")
    if not found:
        raise PortmeterError(
            "cannot find the program 'portmeter': install the wheel, or add the program to PATH"
        )
    return found


def message_of(said: str) -> str:
    """Return the program's error message: the lines after its name, or else all that it printed."""
    lines = [
        line.partition(": ")[2] for line in said.splitlines() if line.startswith("portmeter: ")
    ]
    return "\n".join(lines) or said.strip() or "the program ended without a message"


def environment() -> dict[str, str]:
    """Return the environment variables for the program, without those that colour its output."""
    given = {key: value for key, value in os.environ.items() if key != "CLICOLOR_FORCE"}
    return {**given, "NO_COLOR": "1"}


def ask(program: str | None, arguments: Sequence[str]) -> dict[str, Any]:
    """Run a command with ``--format json`` and return the document that it prints.

    Parameters
    ----------
    program : str or None
        Path of the program; None: the result of `find_program`.
    arguments : sequence of str
        The command and its options.

    Returns
    -------
    dict
        The document, which docs/report.schema.json describes.

    Raises
    ------
    PortmeterError
        If the program cannot be started, ends with an error, or prints another version of the
        schema.
    """
    command = [program or find_program(), *arguments, "--format", "json"]
    try:
        ended = subprocess.run(
            command, stdin=subprocess.DEVNULL, capture_output=True, env=environment(), check=False
        )
    except OSError as error:
        raise PortmeterError(f"cannot start '{command[0]}': {error.strerror}") from None
    said = ended.stderr.decode(errors="replace")
    if ended.returncode:
        raise PortmeterError(message_of(said), ended.returncode)
    document: dict[str, Any] = json.loads(ended.stdout)
    if document.get("schema") != SCHEMA:
        raise PortmeterError(
            f"the program '{command[0]}' prints version {document.get('schema')} of its JSON, and "
            f"this package reads version {SCHEMA}: install both from the same wheel"
        )
    return document
