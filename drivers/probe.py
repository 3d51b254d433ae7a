"""Tell which devices of a framework can be measured here: ``python drivers/probe.py FRAMEWORK``.

Prints one JSON object as its last line: ``framework``, ``framework_version``, ``python``,
``versions`` and ``devices``, a list of {``device``, ``mode``, ``name``, ``driver_version``,
``measurable``, ``why_not``}; or ``framework`` and ``error``, one line, where it cannot be imported.
"""

from __future__ import annotations

import importlib
import json
import platform
import sys
from typing import Any


def probe(name: str) -> dict[str, Any]:
    """Import a framework and ask it for its devices.

    Parameters
    ----------
    name
        Of a module of `pmdriver`.
    """
    try:
        framework = importlib.import_module("pmdriver." + name).framework()
        imported = framework.import_all()
        devices = framework.devices()
    except Exception as error:
        line = " ".join(f"{type(error).__name__}: {error}".split())
        return {"framework": name, "error": f"'{name}' cannot be imported: {line[:300]}"}
    return {
        "framework": name,
        "framework_version": imported["version"],
        "python": platform.python_version(),
        "versions": imported["versions"],
        "devices": devices,
    }


if __name__ == "__main__":
    if len(sys.argv) != 2 or not sys.argv[1].isidentifier():
        sys.exit("usage: probe.py FRAMEWORK")
    print(json.dumps(probe(sys.argv[1])))
