"""Tests of setups that the device cannot run: whose fault this is, and running them on the host."""

from __future__ import annotations

import unittest
from typing import Any

import support
from pmdriver.framework import NOT_PLAIN
from support import Array, Lists, unpacked
from test_execution import X, run


class Device(Lists):
    """A device on which setups that call `refuse` fail, and the host on which they do not."""

    def __init__(self, **attributes: Any) -> None:
        super().__init__(**attributes)
        self.tried: list[str] = []

    def names(self) -> dict[str, Any]:
        """Return `refuse`, which fails on the device; the function of the case; and a class."""
        return {**super().names(), "refuse": self.refuse, "own": self.own, "Hidden": Hidden}

    def host_names(self) -> dict[str, Any]:
        """Return the same names, with the host as `device`."""
        return {**self.names(), "device": "host"}

    def route(self, function: str) -> list[Any]:
        """Find only the function `own`."""
        return [self, self.own] if function == "own" else []

    def refuse(self, device: str) -> int:
        """Work on the host only."""
        self.tried.append(device)
        if device == "device":
            raise NotImplementedError("not on this device")
        return 10

    def own(self, device: str) -> int:
        """Fail like `refuse`, as the function that the case is about."""
        return self.refuse(device)

    def move(self, value: Any) -> Any:
        """Return a copy of an array on the device, and NOT_PLAIN for any other value."""
        return self.place(value) if self.is_array(value) else NOT_PLAIN


class Hidden:
    """An object with an array that portmeter cannot find."""

    def __init__(self, array: Array) -> None:
        self.array = array


def outcome(header: dict[str, Any]) -> tuple[str, bool, bool]:
    """Return what was raised, whether by the function itself, and whether the host ran setup."""
    raised = header["raised"] or {"type": "", "own": False}
    return raised["type"], raised["own"], header["setup_on_host"]


class OnTheHost(unittest.TestCase):
    """Objects that a setup makes on the host are moved to the device."""

    def test_arrays_in_containers_are_moved(self) -> None:
        lists = Device()
        setup = "k = refuse(device)\ny = [x + k, {'z': x + 1}]\nplace = device"
        header, buffers, _ = run(
            lists, "(y[0] + 1, y[1]['z'] + 1)", X, setup=setup, output="[*out, device]"
        )
        self.assertEqual(outcome(header), ("", False, True))
        leaves = [leaf for leaf in support.parts(header) if "dtype" in leaf]
        self.assertEqual([leaf["on_device"] for leaf in leaves], [True, True])
        self.assertEqual(header["outputs"][-1]["value"], "device")
        self.assertEqual(unpacked("float32", buffers[0]), [12.0, 13.0])
        self.assertEqual(header["inputs"][0]["name"], "x")

    def test_inputs_stay_on_the_device_unless_they_are_changed(self) -> None:
        changes = {"refuse(device)": [2.0, 3.0], "refuse(device); x.add_(5)": [7.0, 8.0]}
        for setup, values in changes.items():
            with self.subTest(setup):
                header, buffers, _ = run(Device(), "x + 1", X, setup=setup, repeat="fresh")
                self.assertEqual(outcome(header), ("", False, True))
                self.assertTrue(support.parts(header)[0]["on_device"])
                self.assertEqual(unpacked("float32", buffers[0]), values)

    def test_later_scenes_do_not_try_the_device_again(self) -> None:
        lists = Device()
        run(lists, "x + k", X, setup="k = refuse(device)", repeat="fresh", setting={"clocks": True})
        self.assertEqual(lists.tried[:2], ["device", "host"])
        self.assertEqual(set(lists.tried[2:]), {"host"})

    def test_a_wait_after_the_setup_belongs_to_it(self) -> None:
        waits: list[str] = []

        def wait() -> None:
            waits.append("")
            if len(waits) == 1:
                raise NotImplementedError("deferred")

        header, _, _ = run(Device(wait=wait), "x + 1", X, setup="k = 1")
        self.assertEqual(outcome(header), ("", False, True))


class NotOnTheHost(unittest.TestCase):
    """Setups that do not run on the host, so that the device's exception counts."""

    def check(self, lists: Lists, setup: str, raised: str, own: bool = False, **keys: Any) -> None:
        """Run a job that fails in its setup."""
        header, _, _ = run(lists, "x + 1", X, setup=setup, **keys)
        self.assertEqual(outcome(header), (raised, own, False))
        self.assertEqual(header["stage"], "setup")

    def test_the_function_itself(self) -> None:
        for setup in ("own(device)", "k = [own(device)]", "own(device=str(refuse(device)))"):
            with self.subTest(setup):
                lists = Device()
                self.check(lists, setup, "NotImplementedError", own=True, function="own")
                self.assertEqual(lists.tried, ["device"])

    def test_another_line_than_that_of_the_function(self) -> None:
        setup = "own('host')\nrefuse(device)"
        header, _, _ = run(Device(), "x + 1", X, setup=setup, function="own")
        self.assertEqual(outcome(header), ("", False, True))

    def test_hidden_arrays(self) -> None:
        for made in ("Hidden(x)", "[Hidden(x)]", "lambda y=x: y", "(lambda y: lambda: y)(x)"):
            with self.subTest(made):
                self.check(Device(), f"refuse(device); y = {made}", "NotImplementedError")

    def test_what_fails_on_the_host_too(self) -> None:
        self.check(Device(), "refuse(device); missing", "NotImplementedError")

    def test_memory_contexts_and_hosts(self) -> None:
        self.check(Device(memory_kind=lambda _: "device"), "refuse(device)", "NotImplementedError")
        self.check(Device(), "refuse(device)", "NotImplementedError",
                   context="__import__('contextlib').nullcontext()")  # fmt: skip
        self.check(Device(is_host=True), "refuse(device)", "NotImplementedError")


class Late(unittest.TestCase):
    """Errors that a device reports late are assigned to the right step."""

    def stage(self, number: int, **keys: Any) -> tuple[str, str]:
        """Let every wait from this number on fail; return the exception's stage and type."""
        waits: list[str] = []

        def wait() -> None:
            waits.append("")
            if len(waits) >= number:
                raise RuntimeError("deferred")

        header, _, _ = run(Lists(wait=wait, host_names=self.fail), "x + 1", X, **keys)
        return header["stage"], (header["raised"] or {"type": ""})["type"]

    def test_the_setup(self) -> None:
        self.assertEqual(self.stage(1, setup="k = 1"), ("setup", "RuntimeError"))

    def test_the_call(self) -> None:
        self.assertEqual(self.stage(3, setup="k = 1"), ("sync", "RuntimeError"))
        self.assertEqual(self.stage(2), ("sync", "RuntimeError"))


if __name__ == "__main__":
    unittest.main()
