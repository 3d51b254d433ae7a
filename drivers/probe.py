"""List the devices of a framework that can be measured here: ``python drivers/probe.py FRAMEWORK``.

Prints one JSON object as its last line: ``framework``, ``framework_version``, ``python``,
``versions`` and ``devices``, a list of {``device``, ``variant``, ``name``, ``driver_version``,
``measurable``, ``why_not``}. If the framework cannot be imported or its devices cannot be listed,
the members are ``framework`` and ``error`` (one line).
"""

from __future__ import annotations

import json
import platform
import sys
from typing import Any

from pmdriver import failure, frameworks

MOST_ERROR = 300  # characters


def probe(name: str) -> dict[str, Any]:
    """Import a framework and ask it for its devices.

    Parameters
    ----------
    name
        As in a target: ``"pytorch"``.

    Returns
    -------
    dict
        The object that the head of this file describes.
    """
    what = f"'{name}' cannot be imported"
    try:
        framework = frameworks.framework(name)
        imported = framework.import_all()
        what = f"the devices of '{name}' cannot be listed"
        devices = framework.devices()
    except Exception as error:
        return {"framework": name, "error": f"{what}: {failure.summary(error, MOST_ERROR)}"}
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
