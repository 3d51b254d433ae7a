"""Make cases for public functions: ``python census.py FRAMEWORK REQUEST``.

``src/measuring/environment/trial.c`` runs this. The file REQUEST is a JSON object: ``functions``
(each with ``name`` and ``kind``), ``sources`` (some of ``metadata``, ``example``, ``searched``),
``seconds`` (the limit for one function and source) and ``scratch`` (a folder). Each line of the
output is a JSON object: first ``{"version": ..., "absent": {source: why}}``, then one for each
function. It has ``name`` and one of these: ``found``, by source ``{"what", "reason", "case",
"tries"}``; ``reason`` if no case can be made; ``died``, the reason, if the child failed.
"""

from __future__ import annotations

import importlib
from typing import Any

from pmdriver import frameworks, trial
from pmdriver.census import forks, improve, items, sources


def census(framework: str, request: dict[str, Any]) -> None:
    """Answer a request; print the lines that the head of this file describes.

    Parameters
    ----------
    framework
        The name of a framework that has a module in `pmdriver.census`.
    request
        The object REQUEST, as the head of this file describes it.
    """
    surface = frameworks.surface(framework)
    items.remember_modules()
    measured = frameworks.framework(framework)
    measured.import_all()
    kit = importlib.import_module(f"pmdriver.census.{framework}").KIT(measured)
    rounds = sources.in_rounds(request["functions"], kit)
    maker = sources.Maker(kit, surface, request["sources"], request["seconds"])
    absent = maker.prepare({each["name"] for names in rounds for each in names})
    trial.answer({"version": surface.version, "absent": absent})

    def done(item: dict[str, str], answer: dict[str, Any]) -> None:
        rest = maker.learn(item["name"], answer)
        if "only_made" not in item:
            trial.answer({"name": item["name"], **rest})

    for names in rounds:
        forks.run(
            names,
            maker.begin,
            maker.work,
            done,
            batch=kit.batch,
            seconds=(request["seconds"] + improve.EXTRA_SECONDS) * len(request["sources"]),
            scratch=request["scratch"],
        )


if __name__ == "__main__":
    trial.main("make cases", census)
