"""Write the public functions of a framework to a file: ``python inventory.py FRAMEWORK FILE``.

``src/measuring/environment/inventory.c`` runs this, and ``src/code/inventory`` reads the file. The
file is one JSON object, which docs/internals/protocol.md describes ("The document of an
inventory").
"""

from __future__ import annotations

import json
import platform
import sys
from pathlib import Path
from typing import Any

from pmdriver import failure, frameworks, inventory

MOST_ERROR = 300  # characters


VERSION = 2


def _row(item: inventory.Entry | inventory.Attribute) -> dict[str, Any]:
    """Return an entry or attribute as a row of the document, without empty optional keys."""
    row = item._asdict()
    value = row.pop("value")
    for key, text in (
        ("returns", value.kind),
        ("class", value.given),
        ("calls", row.pop("calls", "")),
        ("items", row.pop("items", "")),
        ("elsewhere", row.pop("elsewhere", ())),
    ):
        if text:
            row[key] = text
    return row


def document(framework: str) -> dict[str, Any]:
    """Import a framework and walk through its public modules.

    Parameters
    ----------
    framework
        The name of a framework that has a `pmdriver.surface.Surface`.

    Returns
    -------
    dict
        The object that the head of this file describes.

    Raises
    ------
    ImportError
        The framework is not installed.
    LookupError
        The framework is unknown, or its driver does not say where the public names are.
    """
    surface = frameworks.surface(framework)
    found = inventory.walk(surface)
    return {
        "schema": "portmeter-inventory",
        "version": VERSION,
        "framework": framework,
        "framework_version": surface.version,
        "python": platform.python_version(),
        "root": surface.root,
        "short": surface.short,
        "functions": [_row(entry) for entry in found.entries],
        "attributes": [_row(attribute) for attribute in found.attributes],
        "private": found.private,
        "foreign": found.foreign,
        "unread": [{"module": module, "error": error} for module, error in found.unread],
    }


def main(framework: str, path: str) -> None:
    """Write the document of one framework to `path`; on failure, exit with a line and status 1."""
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
