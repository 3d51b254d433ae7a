"""Write the public functions of a framework to a file: ``python inventory.py FRAMEWORK FILE``.

Run by ``src/environment/inventory.c``; ``src/inventory`` reads what it writes, one JSON object:

``schema`` and ``version``
    ``"portmeter-inventory"`` and 1.
``framework``, ``framework_version``, ``python``
    What was looked at.
``root`` and ``short``
    The module that is imported, and how names begin: ``"tensorflow"`` and ``"tf"``.
``functions``
    A list of {``name``, ``kind``, ``aliases``, ``defined``, ``bases``, ``deprecated``,
    ``examples``}, sorted by name; `pmdriver.inventory.Entry` explains each.
``private`` and ``foreign``
    Bare names that the framework defines and that are public nowhere; those of other packages'
    functions and methods that it uses.
``unread``
    A list of {``module``, ``why``}: public modules that could not be imported.
"""

from __future__ import annotations

import importlib
import json
import platform
import sys
from pathlib import Path
from typing import Any

from pmdriver import inventory


def document(framework: str) -> dict[str, Any]:
    """Import a framework and walk through its public modules.

    Parameters
    ----------
    framework
        Name of a module of `pmdriver` that has a function ``surface()``.

    Returns
    -------
    dict
        As this file's head has it.

    Raises
    ------
    ImportError
        The framework is not there.
    LookupError
        Its driver does not say where its public names are.
    """
    driver = importlib.import_module("pmdriver." + framework)
    if not hasattr(driver, "surface"):
        raise LookupError("its driver names no public modules")
    surface = driver.surface()
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
    """Write the document of one framework to `path`; one line and status 1 where that fails."""
    try:
        found = document(framework)
    except Exception as error:
        line = " ".join(f"{type(error).__name__}: {error}".split())
        sys.exit(f"'{framework}' cannot be walked: {line[:300]}")
    Path(path).write_text(json.dumps(found), encoding="utf-8")


if __name__ == "__main__":
    if len(sys.argv) != 3 or not sys.argv[1].isidentifier():
        sys.exit("usage: inventory.py FRAMEWORK FILE")
    main(*sys.argv[1:])
