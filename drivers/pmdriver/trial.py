"""Functions for trials: scripts that execute calls on the host and print what they found.

``src/measuring/environment/trial.c`` starts such a script with the name of a framework and the path
of a request, which is a JSON object. The script prints its answer, one JSON object per line.
"""

from __future__ import annotations

import json
import os
import sys
import tempfile
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

from pmdriver import failure

MOST_ERROR = 300  # characters


def answer(document: dict[str, Any]) -> None:
    """Print a JSON object as one line of the answer."""
    sys.stdout.write(json.dumps(document) + "\n")
    sys.stdout.flush()


def _hide_folders(scratch: str) -> None:
    """Write `$tmp` instead of folders that are gone when somebody reads the answer.

    Parameters
    ----------
    scratch
        The scratch folder of the request, in which each case has the folder ``case``; or empty.
    """
    within = [os.path.join(scratch, "case"), scratch] if scratch else []
    for folder in (*within, tempfile.gettempdir()):
        failure.hide(folder, "$tmp")


def main(purpose: str, respond: Callable[[str, dict[str, Any]], None]) -> None:
    """Answer the request that the command line names.

    On failure, print one line to standard error and exit with status 1.

    Parameters
    ----------
    purpose
        What the script does, for messages: ``"make cases"``.
    respond
        Called with the name of the framework and the request.
    """
    if len(sys.argv) != 3 or not sys.argv[1].isidentifier():
        sys.exit(f"usage: {Path(sys.argv[0]).name} FRAMEWORK REQUEST")
    framework, path = sys.argv[1:]
    warnings.simplefilter("ignore")
    os.environ["CUDA_VISIBLE_DEVICES"] = ""  # calls are executed on the host
    try:
        request = json.loads(Path(path).read_text(encoding="utf-8"))
        _hide_folders(request.get("scratch") or "")
        respond(framework, request)
    except Exception as error:
        line = failure.summary(error, MOST_ERROR)
        sys.exit(f"cannot {purpose} for '{framework}': {line}")
