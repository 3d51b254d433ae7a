"""Write the public functions of a framework to a file: ``python inventory.py FRAMEWORK FILE``.

``src/environment/inventory.c`` runs this, ``src/inventory`` reads the file, one JSON object:

``schema`` and ``version``
    ``"portmeter-inventory"`` and 1.
``framework``, ``framework_version``, ``python``
    The framework's name and its version, and the version of Python.
``root`` and ``short``
    The module that is imported, and what names begin with: ``"tensorflow"`` and ``"tf"``.
``functions``
    A list of {``name``, ``kind``, ``aliases``, ``defined``, ``bases``, ``deprecated``,
    ``examples``}, sorted by name; `pmdriver.inventory.Entry` explains each.
``private`` and ``foreign``
    Bare names that the framework defines and that are public nowhere; bare names of other packages'
    functions and methods that it uses.
``unread``
    A list of {``module``, ``why``}: public modules that could not be imported.
"""

from __future__ import annotations

import json
import platform
import sys
from pathlib import Path
from typing import Any

from pmdriver import failure, frameworks, inventory

MOST_ERROR = 300  # characters


def document(framework: str) -> dict[str, Any]:
    """Import a framework and walk through its public modules.

    Parameters
    ----------
    framework
        The name of one that has a `pmdriver.inventory.Surface`.

    Returns
    -------
    dict
        What the head of this file describes.

    Raises
    ------
    ImportError
        The framework is not installed.
    LookupError
        Its driver does not say where its public names are.
    """
    surface = frameworks.surface(framework)
    found = inventory.walk(surface)
    return {
        "schema": "portmeter-inventory",
        "version": 1,
        "framework": framework,
        "framework_version": surface.version,
        "python": platform.python_version(),
        "root": surface.root,
        "short": surface.short,
        "functions": [entry._asdict() for entry in found.entries],
        "private": found.private,
        "foreign": found.foreign,
        "unread": [{"module": module, "why": why} for module, why in found.unread],
    }


def main(framework: str, path: str) -> None:
    """Write the document of one framework to `path`; print one line, with status 1, on failure."""
    try:
        found = document(framework)
    except Exception as error:
        line = failure.summary(error, MOST_ERROR)
        sys.exit(f"cannot read the modules of '{framework}': {line}")
    Path(path).write_text(json.dumps(found), encoding="utf-8")


if __name__ == "__main__":
    if len(sys.argv) != 3 or not sys.argv[1].isidentifier():
        sys.exit("usage: inventory.py FRAMEWORK FILE")
    main(*sys.argv[1:])
