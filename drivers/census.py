"""Make cases for public functions: ``python census.py FRAMEWORK REQUEST``.

``src/measuring/environment/census.c`` runs this. The file REQUEST is a JSON object: ``functions``
(each with ``name`` and ``kind``), ``sources`` (of ``metadata``, ``example``, ``searched``),
``seconds`` (for one function and source) and ``scratch`` (a folder). One JSON object a line is
printed: first ``{"version": ..., "absent": {source: why}}``, then for each function ``name`` and
``found``, by source ``{"what", "reason", "case"}``, or ``reason`` if no case can be made.
"""

from __future__ import annotations

import importlib
import json
import os
import sys
import warnings
from pathlib import Path
from typing import Any

from pmdriver import failure, frameworks
from pmdriver.census import forks, items, sources

MOST_ERROR = 300  # characters


def _print(document: dict[str, Any]) -> None:
    sys.stdout.write(json.dumps(document) + "\n")
    sys.stdout.flush()


def census(framework: str, request: dict[str, Any]) -> None:
    """Answer a request; print the lines that the head of this file describes.

    Parameters
    ----------
    framework
        The name of one that has a module in `pmdriver.census`.
    request
        What the head of this file describes.
    """
    surface = frameworks.surface(framework)
    items.remember_modules()
    measured = frameworks.framework(framework)
    measured.import_all()
    kit = importlib.import_module(f"pmdriver.census.{framework}").KIT(measured)
    wanted = {each["name"] for each in request["functions"]}
    maker = sources.Maker(kit, surface, request["sources"], request["seconds"])
    absent = maker.prepare(wanted)
    _print({"version": surface.version, "absent": absent})

    def done(item: dict[str, str], answer: dict[str, Any]) -> None:
        rest = maker.learn(item["name"], answer)
        if "only_made" not in item:
            _print({"name": item["name"], **rest})

    forks.run(
        sources.in_order(request["functions"]),
        maker.begin,
        maker.work,
        done,
        batch=kit.batch,
        seconds=request["seconds"] * len(request["sources"]),
        scratch=request["scratch"],
    )


def main(framework: str, path: str) -> None:
    """Answer the request in a file; print one line, with status 1, on failure."""
    warnings.simplefilter("ignore")
    os.environ["CUDA_VISIBLE_DEVICES"] = ""  # calls are tried on the host
    try:
        census(framework, json.loads(Path(path).read_text(encoding="utf-8")))
    except Exception as error:
        line = failure.summary(error, MOST_ERROR)
        sys.exit(f"cannot make cases for '{framework}': {line}")


if __name__ == "__main__":
    if len(sys.argv) != 3 or not sys.argv[1].isidentifier():
        sys.exit("usage: census.py FRAMEWORK REQUEST")
    main(*sys.argv[1:])
