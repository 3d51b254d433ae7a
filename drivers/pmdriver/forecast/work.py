"""Executes cases on the host, and predicts what a device lacks for them."""

from __future__ import annotations

import contextlib
import io
import os
from typing import Any

from pmdriver.census import judge
from pmdriver.census.calls import Case
from pmdriver.census.kit import Kit
from pmdriver.failure import summary
from pmdriver.forecast.registry import CALL, DEVICES, DOUBT, SETUP, Lack, Registry
from pmdriver.framework import MOST_REASON
from pmdriver.job import declared, leaves

#: What is predicted for a case.
WORKS, FAILS, UNKNOWN = "works", "fails", "unknown"

#: Keys of a case that a forecast cannot follow, and why.
_UNSUPPORTED = {
    "context": "the case opens a context",
    "process": "the case needs a process of its own",
    "backward": "the case differentiates",
    "shapes": "the case has a series of shapes",
}
NOTHING = "the call executes no operation"


def case_of(definition: dict[str, Any]) -> Case:
    """Return the case that a definition describes, with keys as in docs/cases.md."""
    setup = definition.get("setup") or ""
    return Case(
        inputs=definition.get("inputs") or {},
        setup=(setup,) if setup else (),
        modules=tuple(definition.get("modules") or ()),
        call=definition["call"],
        output=definition.get("output") or "out",
    )


class Predictor:
    """Predicts the outcomes of cases, in a child.

    Parameters
    ----------
    kit
        The framework's `pmdriver.census.kit.Kit`.
    registry
        Records the operations, and looks them up for each device.
    devices
        The devices for which something can be predicted.
    """

    def __init__(self, kit: Kit, registry: Registry, devices: list[str]) -> None:
        self._kit, self._registry, self._devices = kit, registry, devices
        self._strays: list[Lack] = []  # what the output of the case shows

    def begin(self) -> None:
        """Start the framework on the host; the current directory has the folders of cases."""
        self._kit.folder = os.getcwd()
        self._kit.start()
        framework: Any = self._kit.framework
        place, place_modules = framework.place, framework.place_modules

        def placed(array: Any) -> Any:
            return self._registry.place(place(array))

        def placed_modules(*arguments: Any) -> list[Any]:
            modules: list[Any] = place_modules(*arguments)
            for module in modules:
                for _, array in framework.state(module):
                    self._registry.place(array)
            return modules

        framework.place, framework.place_modules = placed, placed_modules
        self._registry.start()

    def work(self, definition: dict[str, Any]) -> dict[str, Any]:
        """Return ``{"predicted": ...}`` for a case: by device ``{"what", "lacks", "reason"}``."""
        unsupported = next((why for key, why in _UNSUPPORTED.items() if definition.get(key)), "")
        if unsupported:
            return {"predicted": {each: _unknown(unsupported) for each in self._devices}}
        found: dict[str, Any] = {}
        for devices in self._registry.passes(self._devices):
            found.update(self._pass(definition, devices))
        return {"predicted": found}

    def _pass(self, definition: dict[str, Any], devices: list[str]) -> dict[str, Any]:
        case = self._kit._ready(case_of(definition))  # with an empty folder in each pass
        self._registry.begin(devices)
        self._strays.clear()
        try:
            with _silent():
                self._note_strays(definition, self._execute(case))
        except Exception as error:
            return {each: self._after(error, each) for each in devices}
        return {each: self._verdict(each) for each in devices}

    def _execute(self, case: Case) -> list[leaves.Leaf]:
        """Execute a case; return the leaves of its output."""
        framework = self._kit.framework
        with self._registry.record(SETUP):
            scene = judge.scene_of(framework, case)
        framework.seed(judge.FIRST)
        with self._registry.record(CALL):
            out = eval(case.call, scene.names)
            if case.output != "out":
                out = eval(case.output, {**scene.names, "out": out})
        return leaves.walk(out, framework)

    def _note_strays(self, definition: dict[str, Any], walked: list[leaves.Leaf]) -> None:
        """Note the first array of an output that is on the host but not declared to be there."""
        if definition.get("host_only"):
            return
        expected = declared.host_outputs(definition.get("host_outputs") or (), walked, "out", False)
        strays = (
            leaf.path
            for leaf in walked
            if leaf.kind == leaves.ARRAY and leaf.path not in expected
            if self._registry.is_of_host(leaf.value)
        )
        self._strays += [Lack(DEVICES, f"{path} is an array of the host") for path in strays][:1]

    def _after(self, error: Exception, device: str) -> dict[str, Any]:
        """Return the answer after an exception: what the device lacks, or that the host fails."""
        lack = self._registry.refusal(error, device)
        if lack is not None:
            return _answer(FAILS, [lack])
        return _unknown(f"fails on the host: {summary(error, MOST_REASON)}")

    def _verdict(self, device: str) -> dict[str, Any]:
        in_call = [*self._registry.lacks(CALL, device), *self._strays]
        in_setup = self._registry.lacks(SETUP, device)
        doubts = [lack for lack in in_setup if lack.cause == DOUBT]
        if doubts:
            return _unknown(f"in the setup, {doubts[0].what}")
        if in_setup:
            # A run would execute the setup on the host and move its results, which may fail.
            return _unknown(f"the setup lacks {in_setup[0].what}")
        sure = [lack for lack in in_call if lack.cause != DOUBT]
        if sure:
            return _answer(FAILS, sure)
        if in_call:
            return _unknown(in_call[0].what)
        return _answer(WORKS, []) if self._registry.operations(CALL) else _unknown(NOTHING)


def _answer(what: str, lacks: list[Lack]) -> dict[str, Any]:
    return {"what": what, "lacks": [list(each) for each in lacks], "reason": ""}


def _unknown(reason: str) -> dict[str, Any]:
    return {"what": UNKNOWN, "lacks": [], "reason": reason}


@contextlib.contextmanager
def _silent() -> Any:
    text = io.StringIO()
    with contextlib.redirect_stdout(text), contextlib.redirect_stderr(text):
        yield
