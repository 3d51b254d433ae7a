"""Predict failures on devices that this machine lacks: ``python forecast.py FRAMEWORK REQUEST``.

``src/measuring/environment/trial.c`` runs this. The file REQUEST is a JSON object: ``cases``
(definitions of cases, each with ``function``, ``name``, ``inputs``, ``setup``, ``modules``,
``call`` and ``output``), ``devices`` (as in targets: ``["mps", "cuda"]``), ``seconds`` (the limit
for one case) and ``scratch`` (a folder). Each line of the output is a JSON object: first
``{"version": ..., "unknown": {device: why}}``, then for each case ``function``, ``case`` and
either ``predicted``, by device ``{"what", "lacks", "reason"}``, or ``died``, the reason. Each item
of ``lacks`` is ``[cause, operation]``.
"""

from __future__ import annotations

import importlib
import os
from typing import Any

from pmdriver import frameworks, trial
from pmdriver.census import forks
from pmdriver.forecast import work


def forecast(framework: str, request: dict[str, Any]) -> None:
    """Answer a request; print the lines that the head of this file describes.

    Parameters
    ----------
    framework
        The name of a framework that has a module `forecast`.
    request
        The object REQUEST, as the head of this file describes it.
    """
    os.environ.setdefault("TF_XLA_FLAGS", "--tf_xla_enable_xla_devices")
    surface = frameworks.surface(framework)
    measured = frameworks.framework(framework)
    measured.import_all()
    kit = importlib.import_module(f"pmdriver.census.{framework}").KIT(measured)
    registry = frameworks.registry(framework)(measured)
    why = {device: registry.unknown(device) for device in request["devices"]}
    unknown = {device: reason for device, reason in why.items() if reason}
    trial.answer({"version": surface.version, "unknown": unknown})
    predictor = work.Predictor(kit, registry, [each for each in why if each not in unknown])

    def done(item: dict[str, Any], answer: dict[str, Any]) -> None:
        trial.answer({"function": item["function"], "case": item["name"], **answer})

    forks.run(
        request["cases"] if len(unknown) < len(why) else [],
        predictor.begin,
        predictor.work,
        done,
        batch=kit.batch,
        seconds=request["seconds"],
        scratch=request["scratch"],
    )


if __name__ == "__main__":
    trial.main("predict", forecast)
