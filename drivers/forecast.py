"""Foretell what fails on devices that are not here: ``python forecast.py FRAMEWORK REQUEST``.

``src/measuring/environment/census.c`` runs this. The file REQUEST is a JSON object: ``cases``
(definitions of cases, each with ``function``, ``name``, ``inputs``, ``setup``, ``modules``,
``call`` and ``output``), ``devices`` (as in targets: ``["mps", "cuda"]``), ``seconds`` (for one
case) and ``scratch`` (a folder). One JSON object a line is printed: first ``{"version": ...,
"unknown": {device: why}}``, then for each case ``function``, ``case`` and ``foretold``, by device
``{"what", "lacks", "reason"}``, or ``died``. Each lack is ``[cause, operation]``.
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
from pmdriver.census import forks
from pmdriver.forecast import work

MOST_ERROR = 300  # characters


def _print(document: dict[str, Any]) -> None:
    sys.stdout.write(json.dumps(document) + "\n")
    sys.stdout.flush()


def forecast(framework: str, request: dict[str, Any]) -> None:
    """Answer a request; print the lines that the head of this file describes.

    Parameters
    ----------
    framework
        The name of one that has a module `forecast`.
    request
        What the head of this file describes.
    """
    surface = frameworks.surface(framework)
    measured = frameworks.framework(framework)
    measured.import_all()
    kit = importlib.import_module(f"pmdriver.census.{framework}").KIT(measured)
    oracle = frameworks.oracle(framework)(measured)
    why = {device: oracle.unknown(device) for device in request["devices"]}
    unknown = {device: reason for device, reason in why.items() if reason}
    _print({"version": surface.version, "unknown": unknown})
    foreteller = work.Foreteller(kit, oracle, [each for each in why if each not in unknown])

    def done(item: dict[str, Any], answer: dict[str, Any]) -> None:
        _print({"function": item["function"], "case": item["name"], **answer})

    forks.run(
        request["cases"] if len(unknown) < len(why) else [],
        foreteller.begin,
        foreteller.work,
        done,
        batch=kit.batch,
        seconds=request["seconds"],
        scratch=request["scratch"],
    )


def main(framework: str, path: str) -> None:
    """Answer the request in a file; print one line, with status 1, on failure."""
    warnings.simplefilter("ignore")
    os.environ["CUDA_VISIBLE_DEVICES"] = ""  # cases are executed on the host
    os.environ.setdefault("TF_XLA_FLAGS", "--tf_xla_enable_xla_devices")
    try:
        forecast(framework, json.loads(Path(path).read_text(encoding="utf-8")))
    except Exception as error:
        line = failure.summary(error, MOST_ERROR)
        sys.exit(f"cannot foretell for '{framework}': {line}")


if __name__ == "__main__":
    if len(sys.argv) != 3 or not sys.argv[1].isidentifier():
        sys.exit("usage: forecast.py FRAMEWORK REQUEST")
    main(*sys.argv[1:])
