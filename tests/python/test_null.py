"""Tests of the null framework, whose jobs misbehave as their commands say."""

import os
import struct
import unittest
from unittest import mock

import support
from pmdriver import frameworks
from pmdriver.job import execution
from pmdriver.null import commands
from pmdriver.process import wire
from support import Channel, job

X = {"x": ("float32", (2,), [1.0, 2.0])}
DATA = struct.pack("<2f", 1.0, 2.0)


class Connection:
    """A connection that keeps what is sent."""

    def __init__(self) -> None:
        self.sent: list = []

    def send(self, kind: int, header: dict, buffers: object = ()) -> None:
        self.sent.append((kind, header))


def run(call: str, inputs: object = None, reference: bool = False, **keys: object) -> tuple:
    """Run a job; return the header, the buffers and the channel."""
    null = frameworks.framework("null")
    null.import_all()
    device = "host" if reference else "null"
    changes = {"device": device, "reference": reference, **keys.pop("setting", {})}
    null.start(support.setting(**changes))
    channel = Channel()
    channel.connection = Connection()
    header, buffers = execution.run(null, *job(call, inputs or X, **keys), channel)
    return header, buffers, channel


class Rounding(unittest.TestCase):
    """A device that rounds in a fast numeric mode if PORTMETER_NULL is ``fast``."""

    def _fast(self, device: str, exact: bool = False) -> tuple:
        with mock.patch.dict(os.environ, {"PORTMETER_NULL": "fast"}):
            null = frameworks.framework("null")
            null.import_all()
        setting = support.setting(device=device)
        if exact:
            null.make_exact(setting)
        null.start(setting)
        third = {"x": ("float32", (1,), [1 / 3])}
        _, buffers = execution.run(null, *job("rounded", third), Channel())
        return null.fast_modes(), struct.unpack("<f", buffers[0])[0]

    def test_the_device_rounds_and_the_host_does_not(self) -> None:
        self.assertEqual(self._fast("null"), (["rounding"], 0.333251953125))
        self.assertEqual(self._fast("host"), ([], 0.3333333432674408))

    def test_exact_mode_rounds_nothing(self) -> None:
        self.assertEqual(self._fast("null", exact=True), ([], 0.3333333432674408))


class Behaving(unittest.TestCase):
    """Commands that return their inputs as outputs."""

    def test_one_input(self) -> None:
        header, buffers, channel = run("ok")
        leaf = header["outputs"][0]
        self.assertEqual((leaf["path"], leaf["device"], leaf["on_device"]), ("out", "null", True))
        self.assertEqual(buffers, [DATA])
        self.assertEqual(channel.stages, ["inputs", "run", "compare"])
        self.assertIsNone(header["second"])

    def test_more_outputs(self) -> None:
        header, _, channel = run("ok(5)", {**X, "n": 3})
        self.assertEqual(
            [leaf["path"] for leaf in header["outputs"]], ["out", "out[0]", "out[1]", "out[2]"]
        )
        self.assertEqual((header["outputs"][2]["value"], header["outputs"][3]["shape"]), (3, [5]))
        header, _, channel = run("ask(4)")
        self.assertEqual(channel.asked[0]["shape"], [4])
        self.assertEqual(header["outputs"][2]["bytes"], 16)

    def test_clocks(self) -> None:
        header, _, _ = run("slow(1)", setting={"clocks": True})
        self.assertEqual(set(header["timings"]), {"cold", "warm"})
        self.assertGreaterEqual(min(header["timings"]["warm"]), 10**6)

    def test_compiling(self) -> None:
        header, _, _ = run("compile(tracing 2, compiling 1)", setting={"clocks": True})
        self.assertGreaterEqual(header["first_call"]["tracing"], 2 * 10**6)
        self.assertGreaterEqual(header["first_call"]["compiling"], 10**6)
        self.assertNotIn("lowering", header["first_call"])
        self.assertEqual(header["compilations"]["cold"], [1])
        self.assertEqual(set(header["compilations"]["warm"]), {0})
        header, _, _ = run("recompile", setting={"clocks": True})
        self.assertEqual(set(header["compilations"]["warm"]), {1})


class Values(unittest.TestCase):
    """Commands that make values wrong, but not on the reference."""

    def test_wrong_values(self) -> None:
        for call, dtype, data in (
            ("nan", "float32", b"\xff" * 8),
            ("wrongvalue", "float32", bytes(byte ^ 0xFF for byte in DATA)),
            ("nearvalue", "float32", bytes([DATA[0] ^ 1]) + DATA[1:]),
            ("wrongdtype", "uint8", DATA),
        ):
            header, buffers, _ = run(call)
            self.assertEqual((header["outputs"][0]["dtype"], buffers), (dtype, [data]), call)
            header, buffers, _ = run(call, reference=True)
            self.assertEqual((header["outputs"][0]["dtype"], buffers), ("float32", [DATA]), call)

    def test_a_mark_that_one_job_leaves_to_the_next(self) -> None:
        self.addCleanup(commands._marks.clear)
        wrong = [bytes(byte ^ 0xFF for byte in DATA)]
        self.assertEqual((run("unmarked")[1], run("marked")[1]), ([DATA], wrong))
        run("mark")
        self.assertEqual((run("unmarked")[1], run("marked")[1]), (wrong, [DATA]))
        self.assertEqual(run("unmarked", reference=True)[1], [DATA])

    def test_values_destroyed_when_they_are_placed(self) -> None:
        header, buffers, channel = run("destroy")
        self.assertIn("input 'x' was read back from the device with", header["destroyed"])
        self.assertEqual((header["harness"], buffers, channel.stages), (None, [], ["inputs"]))
        header, buffers, _ = run("destroy", reference=True)
        self.assertEqual((header["destroyed"], buffers), (None, [DATA]))

    def test_off_the_device(self) -> None:
        for reference in (False, True):
            header, _, _ = run("wrongdevice", reference=reference)
            self.assertEqual(header["outputs"][0]["on_device"], reference)
            self.assertEqual(header["outputs"][0]["device"], "host")
            header, _, _ = run("fallback", reference=reference)
            self.assertEqual(header["fallback"], [] if reference else ["null::op"])
            header, _, _ = run("constants", reference=reference)
            self.assertEqual(header["fallback"], [])
            self.assertEqual(header["host_operations"], ["null::shape"])


class Exceptions(unittest.TestCase):
    """Exceptions that commands raise, and whether they are the case's fault."""

    def test_raised_by_the_case(self) -> None:
        for call, kind, message in (
            ("raise(TypeError, not, this)", "TypeError", "not, this"),
            ("raise(KeyError, k)", "KeyError", "'k'"),  # not a bug of the driver
            ("raise(OfItsOwn, x)", "OfItsOwn", "x"),
            ("raise", "RuntimeError", ""),
        ):
            header, _, _ = run(call)
            self.assertEqual(
                (header["raised"]["type"], header["raised"]["message"]), (kind, message)
            )
            self.assertEqual((header["stage"], header["harness"]), ("run", None))
            header, _, _ = run("ok", setup=call)
            self.assertEqual((header["stage"], header["raised"]["type"]), ("setup", kind))

    def test_of_the_device(self) -> None:
        header, _, _ = run("devicememory")
        self.assertEqual((header["raised"]["memory"], header["poisoned"]), ("device", False))
        header, _, _ = run("poison")
        self.assertEqual((header["raised"]["memory"], header["poisoned"]), (None, True))
        header, _, _ = run("inapplicable(not here)")
        self.assertEqual(header["not_applicable"], "not here")

    def test_of_the_driver(self) -> None:
        header, _, _ = run("harness")
        self.assertRegex(header["harness"], r"^Bug: .*asked for it \(null/commands\.py:\d+\)$")
        for call in ("nosuchcommand", "_send(x)", "outputs", "raiser", "ok("):
            header, _, _ = run(call)
            self.assertIn(f"Bug: the null framework has no command '{call}'", header["harness"])
            self.assertIsNone(header["raised"])

    def test_at_the_start(self) -> None:
        with self.assertRaisesRegex(RuntimeError, "no device"):
            run("ok", setting={"start": "raise(RuntimeError, no device)"})


class Answers(unittest.TestCase):
    """A result that the null framework changes before it is sent."""

    def test_a_wrong_digest(self) -> None:
        header, _, channel = run("wrongdigest")
        self.assertNotEqual(header["inputs"][0]["digest"], "0" * 32)
        for _ in range(2):  # only the first answer is changed
            channel.connection.send(wire.RESULT, {"inputs": [{"digest": "1"}]})
        digests = [sent["inputs"][0]["digest"] for _, sent in channel.connection.sent]
        self.assertEqual(digests, ["0" * 32, "1"])


if __name__ == "__main__":
    unittest.main()
