"""Where cases come from: metadata, examples in docstrings, and a search by signature."""

from __future__ import annotations

import contextlib
import io
import os
import warnings
from collections.abc import Sequence
from typing import Any

from pmdriver import failure
from pmdriver.census import calls, examples, express, forks, improve, items, search

METADATA, EXAMPLE, SEARCHED = "metadata", "example", "searched"
#: The most operators and modules of the metadata that are tried for one function.
MOST_CALLS = 12


#: Objects of classes are made first: their methods are called on them.
_ORDER = ("class", "function", "method")


def in_rounds(functions: Sequence[dict[str, str]], kit: Any) -> list[list[dict[str, str]]]:
    """Return the functions in the order in which cases are made for them: first all classes.

    A child that works on methods is started after this process knows how objects are made. The
    classes of the methods are added, marked as `only_made`, if they were not requested and the kit
    has no objects of them.
    """
    wanted = {each["name"] for each in functions}
    methods = [each["name"] for each in functions if each["kind"] == "method"]
    owners = dict.fromkeys(name.rpartition(".")[0] for name in methods)
    more = [
        {"name": owner, "kind": "class", "only_made": "yes"}
        for owner in owners
        if owner not in wanted and not kit.owners(owner)
    ]
    found = sorted([*functions, *more], key=lambda each: _ORDER.index(each["kind"]))
    classes = [each for each in found if each["kind"] == "class"]
    return [each for each in (classes, found[len(classes) :]) if each]


def _made(made: calls.Made) -> dict[str, Any]:
    """Return a value for JSON, from which `_read_made` reads how an object is made."""
    found = {"case": made.case._asdict(), "is_module": made.is_module}
    return {**found, "used": made.used._asdict()} if made.used else found


def _read_made(found: dict[str, Any]) -> calls.Made:
    def case(given: dict[str, Any]) -> calls.Case:
        lists = {key: tuple(value) for key, value in given.items() if isinstance(value, list)}
        return calls.Case(**{**given, **lists})

    used = case(found["used"]) if "used" in found else None
    return calls.Made(case(found["case"]), found["is_module"], used)


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
        The limit of processor time for one function and one source.
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
        except items.Abstract as error:
            return {"reason": str(error), **self._from_factories(error.item)}
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
                if result.made is not None and "used" not in answer.get("made", {}):
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
        if "made" not in answer and isinstance(item.value, type):
            answer.update(self._from_factories(item))
        if found:
            return {**answer, "found": found}
        return {**answer, "reason": (reasons or ["nothing was tried"])[-1]}

    def learn(self, name: str, answer: dict[str, Any]) -> dict[str, Any]:
        """Pass to the kit how an object of a class is made; return the rest of the answer."""
        made = answer.pop("made", None)
        if made is not None:
            value, _ = items.resolve(self._surface.short, self._surface.root, name)
            self._kit.learn(name, value, _read_made(made))
        return answer

    def _from_factories(self, item: items.Item) -> dict[str, Any]:
        """Return how methods of a class make an object of it; empty if none does."""
        result = search.Found(self._seconds / 2)
        silent = io.StringIO()
        with contextlib.redirect_stdout(silent), contextlib.redirect_stderr(silent):
            search.factories(self._kit, item, result)
        return {"made": _made(result.made)} if result.made is not None else {}

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
