"""Where cases come from: metadata, examples in docstrings, and a search by signature."""

from __future__ import annotations

import contextlib
import io
import os
import warnings
from collections.abc import Sequence
from typing import Any

from pmdriver import failure
from pmdriver.census import examples, express, forks, improve, items, search

METADATA, EXAMPLE, SEARCHED = "metadata", "example", "searched"
#: The most operators and modules of the metadata that are tried for one function.
MOST_CALLS = 12


#: Objects of classes are made first: their methods are called on them.
_ORDER = ("class", "function", "method")


def in_order(functions: Sequence[dict[str, str]]) -> list[dict[str, str]]:
    """Return the functions in the order in which cases are made for them.

    The classes of the methods are added, marked as `only_made`, if they were not requested.
    """
    wanted = {each["name"] for each in functions}
    methods = [each["name"] for each in functions if each["kind"] == "method"]
    owners = dict.fromkeys(name.rpartition(".")[0] for name in methods)
    more = [
        {"name": owner, "kind": "class", "only_made": "yes"}
        for owner in owners
        if owner not in wanted
    ]
    return sorted([*functions, *more], key=lambda each: _ORDER.index(each["kind"]))


def _made(made: Any) -> dict[str, Any]:
    case = made.case
    return {
        "inputs": case.inputs, "setup": case.setup, "modules": case.modules, "call": case.call,
        "is_module": made.is_module,
    }  # fmt: skip


class Maker:
    """Makes cases for one name at a time.

    Parameters
    ----------
    kit
        The framework's `pmdriver.census.kit.Kit`.
    surface
        Where the framework's public names are.
    wanted
        The sources to use.
    seconds
        The time limit for one function and one source.
    """

    def __init__(self, kit: Any, surface: Any, wanted: Sequence[str], seconds: float) -> None:
        self._kit = kit
        self._surface = surface
        self._wanted = list(wanted)
        self._seconds = seconds
        self._metadata: dict[str, list[Any]] = {}

    def prepare(self, names: set[str]) -> dict[str, str]:
        """Read the metadata; return by source why it is missing."""
        if METADATA not in self._wanted:
            return {}
        reason = self._kit.metadata_absence()
        if not reason:
            self._metadata = self._kit.metadata(names)
        return {METADATA: reason} if reason else {}

    def begin(self) -> None:
        """Start the framework, in a child."""
        warnings.simplefilter("ignore")
        self._kit.folder = os.getcwd()
        self._kit.start()

    def work(self, request: dict[str, str]) -> dict[str, Any]:
        """Return what was found for a name, by source.

        A call may have changed a setting of the framework so that others fail. If so, this answer
        is the last of the process.
        """
        answer = self._work(request)
        return answer if self._kit.is_sound() else {**answer, forks.LAST: True}

    def _work(self, request: dict[str, str]) -> dict[str, Any]:
        try:
            item = items.item(
                self._kit, self._surface.short, self._surface.root, request["name"], request["kind"]
            )
        except items.Unusable as error:
            return {"reason": str(error)}
        found: dict[str, Any] = {}
        answer: dict[str, Any] = {}
        reasons = []
        results: dict[str, search.Found] = {}
        silent = io.StringIO()
        with contextlib.redirect_stdout(silent), contextlib.redirect_stderr(silent):
            for source in self._wanted:
                results[source] = result = search.Found(self._seconds)
                try:
                    self._from(source, item, result)
                except Exception as error:
                    result.reason = failure.summary(error, search.MOST_REASON)
                if result.made is not None and "made" not in answer:
                    answer["made"] = _made(result.made)
            improve.improve(self._kit, list(results.values()))
            for source, result in results.items():
                if result.best is not None:
                    best = result.best
                    found[source] = {
                        "what": best.what, "reason": best.reason, "case": best.case.document(),
                        "tries": result.tries,
                    }  # fmt: skip
                elif result.reason:
                    reasons.append(result.reason)
        if found:
            return {**answer, "found": found}
        return {**answer, "reason": (reasons or ["nothing was tried"])[-1]}

    def learn(self, name: str, answer: dict[str, Any]) -> dict[str, Any]:
        """Pass to the kit how an object of a class is made; return the rest of the answer."""
        made = answer.pop("made", None)
        if made is not None:
            self._kit.learn(name, made)
        return answer

    def _from(self, source: str, item: items.Item, found: search.Found) -> None:
        """Look for a case in one source."""
        if source == METADATA:
            for make in self._metadata.get(item.name, [])[:MOST_CALLS]:
                for call in make(self._kit, item):
                    if found.is_over:
                        return
                    express.try_call(self._kit, item, call, found)
        elif source == EXAMPLE:
            for call in examples.calls_of(self._kit, item):
                if found.is_over:
                    return
                express.try_call(self._kit, item, call, found)
        elif item.kind == "method":
            search.method(self._kit, item, found)
        elif item.kind == "class" and isinstance(item.value, type):
            search.made(self._kit, item, found)
        else:
            search.function(self._kit, item, found)
