"""Tests that a job is executed as the protocol says, with a framework of plain Python."""

import json
import os
import re
import sys
import tempfile
import types
import unittest
from pathlib import Path
from unittest import mock

import support
from pmdriver.job import execution, result, source
from support import Channel, Lists, job, parts, unpacked

PROTOCOL = Path(__file__).resolve().parent.parent.parent / "docs" / "internals" / "protocol.md"

DETECTED = "detected"

X = {"x": ("float32", (2,), [1.0, 2.0])}


def run(lists: Lists, call: str, inputs: object = None, **keys: object) -> tuple:
    """Run a job; return the header, the buffers and the channel."""
    channel = Channel(keys.pop("scratch", ""))
    changes = keys.pop("setting", {})
    lists.start(support.setting(**changes))
    header, buffers = execution.run(lists, *job(call, inputs, **keys), channel)
    return header, buffers, channel


class Whole(unittest.TestCase):
    """The results of a plain job."""

    def test_output_inputs_and_stages(self) -> None:
        header, buffers, channel = run(Lists(), "x + k", X, setup="k = 1")
        self.assertEqual(channel.stages, ["inputs", "setup", "run", "compare", "run"])
        self.assertIsNone(header["raised"] or header["harness"] or header["not_applicable"])
        self.assertEqual([leaf["path"] for leaf in header["outputs"]], ["out"])
        leaf = header["outputs"][0]
        self.assertEqual((leaf["dtype"], leaf["shape"], leaf["device"], leaf["on_device"]),
                         ("float32", [2], "device", True))  # fmt: skip
        data = b"".join(buffers)[leaf["offset"] : leaf["offset"] + leaf["bytes"]]
        self.assertEqual(unpacked("float32", data), [2.0, 3.0])
        self.assertEqual(header["inputs"][0]["name"], "x")
        self.assertEqual(header["second"], {"inputs_changed": [], "output_changed": []})
        self.assertEqual(header["timings"], {})
        self.assertEqual(header["execution"], 3)

    def test_offsets_of_several_leaves(self) -> None:
        header, buffers, _ = run(Lists(), "(x + 1, 'text', x + 2)", X)
        first, text, last = parts(header)
        self.assertEqual((first["offset"], last["offset"], text["value"]), (0, 8, "text"))
        self.assertEqual(sum(map(len, buffers)), 16)

    def test_output_expression_sees_inputs_setup_and_out(self) -> None:
        header, _, _ = run(Lists(), "y = 4", X, setup="k = 2", output="[k, y, x.shape[0], out]")
        self.assertEqual(header["outputs"][0]["value"], [2, 4, 2, None])

    def test_setup_may_rebind_an_input(self) -> None:
        header, buffers, _ = run(Lists(), "x + 1", X, setup="x = x + 10")
        self.assertEqual(unpacked("float32", buffers[0]), [12.0, 13.0])

    def test_counters_are_read_before_outputs_are_fetched(self) -> None:
        lists = Lists()
        run(lists, "x + 1", X, rehearse=True, purity=False)
        self.assertEqual(lists.log, ["make", "read", "seed", "seed", "clear", "counters", "read"])

    def test_fallback_and_host_reads(self) -> None:
        header, _, _ = run(Lists(), "ops.append('aten::sort') or setattr(lists, 'reads', 2)")
        self.assertEqual(header["fallback"], ["aten::sort"])
        self.assertEqual(header["host_reads"], 2)

    def test_scratch_folder_is_the_executions_own(self) -> None:
        with tempfile.TemporaryDirectory() as folder, mock.patch.dict(os.environ, TMPDIR="/"):
            header, _, _ = run(Lists(), "open('$tmp/a', 'w').close()", setup="", scratch=folder)
            self.assertEqual(os.listdir(os.path.join(folder, "execution-3")), ["a"])
        self.assertIsNone(header["raised"])

    def test_a_path_in_an_output_is_the_same_in_each_execution(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            call = "['$tmp/a', 1.5]"
            header, _, _ = run(Lists(), call, setup="", scratch=folder)
        written = json.dumps(header["outputs"])
        self.assertNotIn(folder, written)
        self.assertIn("$tmp/a", written)

    def test_literals_are_fresh_each_time(self) -> None:
        header, _, _ = run(Lists(), "v.append(1) or len(v)", {"v": [5]}, repeat="fresh",
                           setting={"clocks": True}, output="len(v)")  # fmt: skip
        self.assertIsNone(header["raised"])
        self.assertEqual(header["outputs"][0]["value"], 2)


class Header(unittest.TestCase):
    """The keys of a result."""

    def test_they_are_those_of_the_protocol(self) -> None:
        table = PROTOCOL.read_text().partition("## A result")[2].partition("## ")[0]
        rows = re.findall(r"^\| (`\w+`(?:, `\w+`)*) \|", table, re.MULTILINE)
        keys = [key for row in rows for key in re.findall(r"\w+", row)]
        self.assertEqual(sorted(keys), sorted(result.blank({})))
        for header in (run(Lists(), "x", X)[0], run(Lists(), "1 / 0")[0], run(Lists(), "")[0],
                       result.of_harness({"execution": 3}, "run", "no")):  # fmt: skip
            self.assertEqual(sorted(header), sorted(keys))
            self.assertEqual(header["execution"], 3)

    def test_a_bug_before_a_job_begins(self) -> None:
        lists = Lists()
        with mock.patch.object(lists, "begin_job", mock.Mock(side_effect=TypeError)):
            self.assertRaises(TypeError, run, lists, "1")
        self.assertEqual(run(lists, "1")[0]["harness"], None)


class Module(unittest.TestCase):
    """The names of a case are those of a module."""

    SETUP = """
from __future__ import annotations
import dataclasses, pickle, typing
@dataclasses.dataclass
class Point:
    x: typing.ClassVar[int]
    y: dataclasses.InitVar[int]
    z: int = 3
class Pair(typing.NamedTuple):
    point: Point
    next: Pair | None = None
"""

    def test_classes_find_their_module(self) -> None:
        header, _, _ = run(
            Lists(),
            "[Point(1).z, typing.get_type_hints(Pair)['point'] is Point, "
            "pickle.loads(pickle.dumps(Point(1))).z]",
            setup=self.SETUP,
        )
        self.assertIsNone(header["raised"])
        self.assertEqual(header["outputs"][0]["value"], [3, True, 3])

    def test_each_setup_has_a_module_of_its_own(self) -> None:
        header, _, _ = run(Lists(), "kept.setdefault('all', set()).add(here) or here is m",
                           setup="import sys; m = sys.modules[__name__]; here = m; n = len(kept)",
                           repeat="fresh", setting={"clocks": True},
                           output="[out, m.n, len(kept['all'])]")  # fmt: skip
        self.assertEqual(header["outputs"][0]["value"], [True, 0, 1])

    def test_nothing_is_left_of_it(self) -> None:
        run(Lists(), "1", setup="y = 1")
        self.assertNotIn(source.MODULE, sys.modules)


class Repeat(unittest.TestCase):
    """The ways to repeat a call: pure, fresh and once."""

    def calls(self, repeat: str, **keys: object) -> tuple:
        lists = Lists()
        header, _, _ = run(lists, "kept.setdefault('calls', []).append(n)", setup="n = len(kept)",
                           repeat=repeat, **keys)  # fmt: skip
        return len(lists.kept["calls"]), header

    def test_pure_is_called_twice(self) -> None:
        self.assertEqual(self.calls("pure")[0], 2)

    def test_once_and_fresh_have_no_second_call(self) -> None:
        for repeat in ("once", "fresh"):
            count, header = self.calls(repeat)
            self.assertEqual((count, header["second"]), (1, None))

    def test_rehearsal_has_no_clock(self) -> None:
        count, header = self.calls("pure", rehearse=True, setting={"clocks": True})
        self.assertEqual((count, bool(header["second"]), header["timings"]), (2, True, {}))

    def test_samples_by_repeat(self) -> None:
        for repeat, timings in (("pure", 7), ("fresh", 7), ("once", 0)):
            with self.subTest(repeat):
                count, header = self.calls(repeat, setting={"clocks": True})
                self.assertEqual(len(header["timings"].get("warm", [])), timings)
                # The warm-up and, if pure, a second call.
                again = {"pure": 2, "fresh": 1, "once": 0}[repeat]
                self.assertEqual(count, 1 + timings + again)
                self.assertEqual(len(header["timings"]["cold"]), 1)

    def test_changed_inputs_are_reported(self) -> None:
        header, _, _ = run(Lists(), "x.add_(1)", X)
        self.assertEqual(header["second"], {"inputs_changed": ["x"], "output_changed": ["out"]})

    def test_changed_output_is_reported(self) -> None:
        header, _, _ = run(Lists(), "x + next(n)", X, setup="n = iter(range(9))")
        self.assertEqual(header["second"], {"inputs_changed": [], "output_changed": ["out"]})

    def test_a_changed_value_is_reported(self) -> None:
        header, _, _ = run(Lists(), "(next(n), 1)", setup="n = iter(range(9))")
        self.assertEqual(header["second"]["output_changed"], ["out"])

    def test_output_is_that_of_the_first_call(self) -> None:
        _, buffers, _ = run(Lists(), "x.add_(1)", X)
        self.assertEqual(unpacked("float32", buffers[0]), [2.0, 3.0])

    def test_a_second_call_that_raises_is_the_cases_fault(self) -> None:
        header, _, _ = run(Lists(), "next(n)", setup="n = iter([1])")
        self.assertIn("second call", header["harness"])
        self.assertIsNone(header["raised"])

    def test_fresh_makes_the_setup_again(self) -> None:
        lists = Lists()
        run(lists, "next(n)", setup="n = iter([1])\nkept['n'] = kept.get('n', 0) + 1",
            repeat="fresh", setting={"clocks": True})  # fmt: skip
        self.assertEqual(lists.kept["n"], 2 + support.WARM["timings"])

    def test_fresh_makes_inputs_again(self) -> None:
        header, _, _ = run(Lists(), "kept.setdefault('seen', []).append(x.add_(1).values[0])", X,
                           repeat="fresh", setting={"clocks": True})  # fmt: skip
        lists = Lists()
        run(lists, "kept.setdefault('seen', []).append(x.add_(1).values[0])", X, repeat="fresh",
            setting={"clocks": True})  # fmt: skip
        self.assertEqual(set(lists.kept["seen"]), {2.0})
        self.assertIsNone(header["raised"])


class Faults(unittest.TestCase):
    """Errors of a case, and the stages in which they happen."""

    def test_an_exception_is_evidence(self) -> None:
        header, _, channel = run(Lists(), "(lambda: {}['k'])()", X)
        self.assertEqual(header["raised"]["type"], "KeyError")
        self.assertEqual(header["raised"]["types"], ["KeyError", "LookupError"])
        self.assertNotIn("execution.py", header["raised"]["traceback"])
        self.assertEqual((header["stage"], channel.stages[-1]), ("run", "run"))

    def test_the_setup_fails_at_its_stage(self) -> None:
        header, _, _ = run(Lists(), "1", setup="raise RuntimeError('no')")
        self.assertEqual((header["stage"], header["raised"]["message"]), ("setup", "no"))

    def test_exit_is_an_exception(self) -> None:
        header, _, _ = run(Lists(), "exit()", setup="from sys import exit")
        self.assertEqual(header["raised"]["type"], "SystemExit")

    def test_waiting_fails_at_its_stage(self) -> None:
        def wait() -> None:
            if lists.log[-1] == "clear":
                raise RuntimeError("lost")

        for clocks in (False, True):
            lists = Lists(wait=wait)
            header, _, _ = run(lists, "1", setting={"clocks": clocks})
            self.assertEqual((header["stage"], header["raised"]["message"]), ("sync", "lost"))

    def test_exhausted_memory(self) -> None:
        header, _, _ = run(Lists(), "bytearray(1 << 62)")
        self.assertEqual(header["raised"]["memory"], "host")

    def test_exhausted_memory_in_an_output_is_the_cases_own(self) -> None:
        header, _, _ = run(Lists(), "1", output="bytearray(1 << 62)")
        self.assertEqual((header["harness"], header["raised"]["memory"]), (None, "host"))

    def test_what_fails_behind_the_call_is_the_executions_own(self) -> None:
        for keys in ({"output": "nothing"}, {"check": "out.nothing"}, {"check": "(out, 1)"}):
            with self.subTest(**keys):
                header, _, _ = run(Lists(), "1", **keys)
                self.assertIsNone(header["harness"])
                self.assertEqual((header["stage"], bool(header["raised"])), ("compare", True))
                self.assertEqual([header["raised"]["text"]], list(keys))

    def test_what_the_call_raises_is_of_no_other_text(self) -> None:
        header, _, _ = run(Lists(), "nothing", output="out", check="out")
        self.assertIsNone(header["raised"]["text"])

    def test_what_cannot_be_read_is_of_no_other_text(self) -> None:
        class Unreadable(Lists):
            def read(self, array: object) -> object:
                raise OSError("lost")

        header, _, _ = run(Unreadable(), "x", X, output="out")
        self.assertEqual((header["raised"]["type"], header["raised"]["text"]), ("OSError", None))

    def test_faults_of_the_case_are_harness_lines(self) -> None:
        for keys in ({"call": "f("}, {"call": "1", "setup": "1 +"}):
            with self.subTest(**keys):
                header, _, _ = run(Lists(), keys.pop("call"), **keys)
                self.assertIsNone(header["raised"])
                self.assertNotIn("\n", header["harness"])

    def test_a_device_that_changes_values(self) -> None:
        header, _, _ = run(Lists(spoil=True), "x + 1", X)
        self.assertIn("'x'", header["destroyed"])
        self.assertEqual((header["harness"], header["raised"]), (None, None))

    def test_a_device_that_changes_the_dtype_is_a_failure(self) -> None:
        header, _, _ = run(Lists(as_dtype="float64"), "x + 1", X)
        self.assertEqual((header["raised"]["type"], header["harness"]), ("TypeError", None))

    def test_a_bug_of_the_driver_is_a_harness_line(self) -> None:
        lists = Lists()
        with mock.patch.object(lists, "read_counters", lambda: None):
            header, _, _ = run(lists, "1")
        self.assertRegex(header["harness"], r"^AttributeError: .* \(job/execution.py:\d+\)$")
        self.assertIsNone(header["raised"])

    def test_requirements(self) -> None:
        header, _, channel = run(Lists(), "1 / 0", requires=["gpu"])
        self.assertEqual((header["not_applicable"], channel.stages), ("requires gpu", []))

    def test_long_messages_are_bounded(self) -> None:
        header, _, _ = run(Lists(), "int('x' * 10**6)", setup="def int(t): raise ValueError(t)")
        self.assertLess(len(header["raised"]["message"]), 10_000)
        self.assertLess(len(header["raised"]["traceback"]), 20_000)


class Placement(unittest.TestCase):
    """The devices that leaves are on."""

    def test_a_leaf_on_the_host(self) -> None:
        header, _, _ = run(Lists(), "(x + 1, x.host())", X)
        self.assertEqual([leaf["on_device"] for leaf in parts(header)], [True, False])

    def test_documented_host_outputs(self) -> None:
        header, _, _ = run(Lists(), "(x + 1, x.host())", X, host_outputs=["out[1]"])
        self.assertEqual([leaf["on_device"] for leaf in parts(header)], [True, True])

    def test_documented_host_outputs_with_all_their_parts(self) -> None:
        call = "(x + 1, {'a': x.host(), 'b': [x.host()]})"
        for paths in (["out[1]"], ["out[1]['a']", "out[1]['b']"], ["out"]):
            header, _, _ = run(Lists(), call, X, host_outputs=paths)
            self.assertEqual([leaf["on_device"] for leaf in parts(header)], [True] * 3)
        header, _, _ = run(Lists(), call, X, host_outputs=["out[1]['a']"])
        self.assertEqual([leaf["on_device"] for leaf in parts(header)], [True, True, False])
        several = [{"x": ("float32", (n,), [1.0] * n)} for n in (1, 2)]
        header, _, _ = run(Lists(), "x.host()", series=several, host_outputs=["out"])
        self.assertEqual([leaf["on_device"] for leaf in header["outputs"]], [True, True])

    def test_documented_host_outputs_that_are_not_there(self) -> None:
        reference = {"reference": True}
        header, _, _ = run(Lists(), "(x, 1)", X, host_outputs=["out[3]"], setting=reference)
        self.assertEqual(
            header["harness"],
            "host_outputs: the call has no output 'out[3]': "
            "name one of its outputs (out[0], out[1])",
        )
        # On a device this is not a mistake of the case: outputs may differ from the reference's.
        header, _, _ = run(Lists(), "(x, 1)", X, host_outputs=["out[3]"])
        self.assertIsNone(header["harness"])

    def test_host_inputs_stay_on_the_host(self) -> None:
        header, _, _ = run(Lists(), "x.device", {"x": ("float32", (1,), [1.0], "host")})
        self.assertEqual(header["outputs"][0]["value"], "host")

    def test_host_only_is_verified(self) -> None:
        host_x = {"x": ("float32", (1,), [1.0], "host")}
        fine, _, _ = run(Lists(), "x + 1", host_x, host_only=True)
        self.assertIsNone(fine["harness"])
        given, _, _ = run(Lists(), "1", X, host_only=True)
        self.assertIn("'x'", given["harness"])
        returned, _, _ = run(Lists(), "lists.place(x)", host_x, host_only=True)
        self.assertIn("'out'", returned["harness"])
        hidden, _, _ = run(Lists(), "lists.place(x)", host_x, host_only=True, output="len([out])")
        self.assertIn("'out'", hidden["harness"])

    def test_a_case_without_arrays_is_marked(self) -> None:
        array = "lists.make('float32', (1,), memoryview(bytes(4)))"
        for call, inputs, keys, arrays in (
            ("1 + 1", {}, {}, False),
            ("[k, 'text']", {"v": [5]}, {"setup": "k = 3"}, False),
            ("1", X, {}, True),
            ("1", {}, {"setup": f"y = {array}"}, True),
            ("f()", {}, {"setup": f"f = [{array}].copy"}, True),
            (array, {}, {"output": "out.shape"}, True),
            ("1", {}, {"output": array}, True),  # made after the call, as by a graph
        ):
            header, _, _ = run(Lists(), call, inputs, **keys)
            self.assertIsNone(header["raised"] or header["harness"], call)
            self.assertIs(header["arrays"], arrays, call)
        raised, _, _ = run(Lists(), "1 / 0")
        self.assertIsNone(raised["arrays"])

    def test_host_only_sees_through_callables(self) -> None:
        host_x = {"x": ("float32", (1,), [1.0], "host")}
        imports = "import functools\n"
        for made, fault in (
            ("f = lists.place(x).host", True),
            ("f = functools.partial(lists.place(x).host)", True),
            ("f = functools.partial(len, [lists.place(x)])", True),
            ("f = x.host", False),
            ("f = functools.partial(len, [x]); k = []; k.append(k)", False),
        ):
            header, _, _ = run(Lists(), "f()", host_x, host_only=True, setup=imports + made,
                               output="len([out])")  # fmt: skip
            self.assertEqual(bool(header["harness"]), fault, made)
            self.assertIsNone(header["raised"], made)

    def test_host_only_is_verified_on_the_host_too(self) -> None:
        lists = Lists(is_host=True, where=lambda array: (array.device, array.device == "host"))
        given, _, _ = run(lists, "1", X, host_only=True)
        self.assertIn("'x'", given["harness"])
        host_x = {"x": ("float32", (1,), [1.0], "host")}
        made, _, _ = run(lists, "1", host_x, host_only=True, setup="y = lists.place(x)",
                         rehearse=True)  # fmt: skip
        self.assertIn("'y'", made["harness"])

    def test_check(self) -> None:
        for check, expected in (("out.values[0] == 2", True), ("len(out.values) == 9", False)):
            header, _, _ = run(Lists(), "x + 1", X, check=check)
            self.assertIs(header["check"], expected)


class CannotFail(unittest.TestCase):
    """Checks and outputs that cannot fail; a rehearsal finds them."""

    def fault(self, **keys: object) -> str:
        return run(Lists(), "x + n", X, setup="n = 1", rehearse=True, **keys)[0]["harness"] or ""

    def test_the_same_whatever_the_call_does(self) -> None:
        for text in ("1 + 1", "len('abc')", "[i for i in range(3)]", "(lambda k: k)(1)",
                     "x.shape", "[len(x.values), sum(v for v in x.values)]"):  # fmt: skip
            self.assertIn("'output' does not depend on the call", self.fault(output=text), text)
            self.assertIn(
                "'check' does not depend on the call", self.fault(check=f"bool({text})"), text
            )

    def test_what_may_differ(self) -> None:
        for text in ("out", "out.shape", "n", "lists.reads", "[out for _ in x.shape]"):
            self.assertEqual(self.fault(output=text), "", text)
            self.assertEqual(self.fault(check=f"[{text}] != 0"), "", text)
        self.assertEqual(self.fault(output="x.values", repeat="once"), "")

    def detections(self, check: str, call: str = "x + n", **keys: object) -> list:
        header, _, _ = run(Lists(), call, X, setup="n = 1", rehearse=True, check=check, **keys)
        self.assertIs(header["check"], True, header["harness"] or header["raised"])
        return header["check_detected"]

    def test_a_check_is_asked_about_mutated_values(self) -> None:
        self.assertFalse(any(row[DETECTED] for row in self.detections("len(out.values) >= 0")))
        rows = {row["mutation"]: row[DETECTED] for row in self.detections("max(out.values) < 9")}
        self.assertEqual(rows, {"zeros": False, "NaN": True, "high values": True,
                                "low values": False, "wrong shape": False})  # fmt: skip
        rows = {row["mutation"]: row[DETECTED] for row in self.detections("out.shape == (2,)")}
        self.assertEqual([name for name, detected in rows.items() if detected], ["wrong shape"])
        rows = self.detections("len(out[1]['k'][0].values) == 2 and out[0] == 5",
                         "(5, {'k': [x + n]}, 'text')")  # fmt: skip
        detected = [(row["path"], row["mutation"]) for row in rows if row[DETECTED]]
        self.assertEqual(detected, [
            ("out[0]", "another value"), ("out[0]", "high values"), ("out[0]", "low values"),
            ("out[1]['k']", "another key"), ("out[0]", "swapped"), ("out[1]", "swapped"),
        ])  # fmt: skip
        self.assertIn("out[1]['k'][0]", [row["path"] for row in rows])
        self.assertIn("out[2]", [row["path"] for row in rows])

    def test_a_check_of_another_name(self) -> None:
        rows = self.detections("n == 1", "setattr(lists, 'reads', n)")
        self.assertEqual([(row["path"], row[DETECTED]) for row in rows], [("n", True)] * 3)
        self.assertEqual(self.detections("lists.reads == 1", "setattr(lists, 'reads', n)"), [])

    def test_only_a_rehearsal_asks(self) -> None:
        header, _, _ = run(Lists(), "x + 1", X, check="len([1]) == 1")
        self.assertIsNone(header["check_detected"])
        self.assertIsNone(header["harness"])

    def test_the_names_are_as_before(self) -> None:
        header, _, _ = run(Lists(), "x + n", X, setup="n = 1", check="n == 1", rehearse=True)
        self.assertEqual(header["second"], {"inputs_changed": [], "output_changed": []})

    def test_the_frameworks_own_names_stay(self) -> None:
        self.assertEqual(self.detections("kept['k'] == 5", "kept.setdefault('k', 5)"), [])


class Series(unittest.TestCase):
    """Shapes one after another in one child."""

    SHAPES = [{"x": ("float32", (n,), [1.0] * n)} for n in (1, 2, 3)]

    def test_outputs_and_times(self) -> None:
        header, buffers, _ = run(Lists(), "x + 1", series=self.SHAPES, setting={"clocks": True})
        self.assertEqual([leaf["path"] for leaf in header["outputs"]],
                         ["out", "series[1].out", "series[2].out"])  # fmt: skip
        self.assertEqual([leaf["shape"] for leaf in header["outputs"]], [[1], [2], [3]])
        self.assertEqual(len(header["timings"]["series"]), 3)
        self.assertEqual([len(b) for b in buffers], [4, 8, 12])

    def test_the_inputs_of_every_shape_are_compared(self) -> None:
        header, _, _ = run(Lists(), "x.add_(x.shape[0] == 2)", series=self.SHAPES, purity=False)
        self.assertEqual(header["inputs_changed"], ["series[1].x"])
        header, _, _ = run(Lists(), "x.add_(1)", series=self.SHAPES, repeat="fresh")
        self.assertEqual(header["inputs_changed"], ["x"])
        for what, key, says in (("spoil", "destroyed", "read back"), ("as_dtype", "raised", "")):
            lists = Lists()
            call = f"(setattr(lists, '{what}', {'int64' if says == '' else '1'!r}), x + 1)[1]"
            header, _, _ = run(lists, call, series=self.SHAPES, purity=False)
            self.assertIn(says, str(header[key] or self.fail(what)))
        self.assertEqual([entry["name"] for entry in header["inputs"]], ["x"])

    def test_setup_runs_once_where_it_does_not_use_the_inputs(self) -> None:
        count = "kept['setups'] = kept.get('setups', 0) + 1"
        for setup, times in ((count, 1), (count + "\nx = x + 1", 3)):
            lists = Lists()
            run(lists, "x + 1", series=self.SHAPES, setup=setup)
            self.assertEqual(lists.kept["setups"], times)

    def test_a_new_setup_uses_what_was_compiled(self) -> None:
        class Compiler(Lists):
            """Counts what is bound."""

            compiles = reuses_compiled = True

            def bind(self, function: object) -> object:
                self.log.append("bind")
                return function

        for repeat, series in (("fresh", self.SHAPES), ("fresh", self.SHAPES[:1])):
            lists = Compiler()
            header, _, _ = run(lists, "kept['last'].append(len(seen)) or seen.append(1) or x + 1",
                               series=series, repeat=repeat, setting={"clocks": True},
                               setup="seen = []; kept.setdefault('last', [])")  # fmt: skip
            self.assertIsNone(header["raised"] or header["harness"])
            self.assertEqual(lists.log.count("bind"), 1)
            timed = len(header["timings"]["warm"])
            # a new list before each timing; other shapes keep the setup of the first call
            self.assertEqual(set(lists.kept["last"][: timed + 1]), {0})
            self.assertEqual(lists.kept["last"][timed + 2 :], [1, 2][: len(series) - 1])

    def test_compilations(self) -> None:
        compiled = {}

        def count() -> int:
            return len(compiled)

        lists = Lists(count=count)
        lists.kept["shapes"] = compiled
        header, _, _ = run(lists, "kept['shapes'].setdefault(x.shape, 1)", series=self.SHAPES,
                           setting={"clocks": True})  # fmt: skip
        self.assertEqual(header["compilations"]["series"], [1, 1, 1])
        self.assertEqual(header["compilations"]["cold"], [1])
        self.assertEqual(sum(header["compilations"]["warm"]), 0)


def import_one(lists: Lists, from_call: int = 1, to_call: int = sys.maxsize) -> None:
    """Import a module if this is a call from number `from_call` to number `to_call`."""
    lists.kept["calls"] = lists.kept.get("calls", 0) + 1
    if from_call <= lists.kept["calls"] <= to_call:
        name = f"made_up_{len(sys.modules)}"
        sys.modules[name] = types.ModuleType(name)


class ImportsToPlace(Lists):
    """A framework that imports a module during one transfer to the device, that of `number`."""

    number = 1

    def place(self, array: support.Array) -> support.Array:
        """Import a module if it is due, and copy the array."""
        import_one(self, self.number, self.number)
        return super().place(array)


class ImportsToRead(Lists):
    """A framework that imports a module during one transfer from the device, that of `number`."""

    number = 1

    def read(self, array: support.Array) -> object:
        """Import a module if it is due, and return the array's values."""
        import_one(self, self.number, self.number)
        return super().read(array)


class ImportsInGradients(support.Gradients):
    """A framework that imports a module when it differentiates."""

    def gradients(self, outputs: list, sources: list, cotangents: list) -> list:
        """Import a module, and return the cotangents as gradients."""
        import_one(self)
        return super().gradients(outputs, sources, cotangents)


class Clocks(unittest.TestCase):
    """The clocks that a device has."""

    def test_dispatch_only_where_there_is_something_to_wait_for(self) -> None:
        header, _, _ = run(Lists(), "1", setting={"clocks": True})
        self.assertNotIn("dispatch", header["timings"])
        header, _, _ = run(Lists(wait=lambda: None), "1", setting={"clocks": True})
        self.assertEqual(len(header["timings"]["dispatch"]), len(header["timings"]["warm"]))

    def test_transfers_only_where_there_is_a_device(self) -> None:
        header, _, _ = run(Lists(), "x + 1", X, setting={"clocks": True})
        self.assertTrue(header["timings"]["transfer_in"] and header["timings"]["transfer_out"])
        header, _, _ = run(Lists(is_host=True), "x + 1", X, setting={"clocks": True})
        self.assertEqual(set(header["timings"]), {"cold", "warm"})

    def test_imports_inside_a_clock_are_noted(self) -> None:
        cases = [
            ("cold", Lists(), {}),
            ("warm", Lists(), {"from_call": 3}),
            ("series", Lists(), {"series": Series.SHAPES, "from_call": 11}),
            # The first transfers give the case its input and the comparison its output, untimed.
            ("transfer_in", ImportsToPlace(number=2), {}),
            ("transfer_in", ImportsToPlace(number=3), {}),
            ("transfer_out", ImportsToRead(number=2), {}),
            ("transfer_out", ImportsToRead(number=3), {}),
            ("cold", Lists(wait=lambda: None), {}),
            ("backward_cold", ImportsInGradients(), {"backward": True}),
            ("backward", ImportsInGradients(), {"backward": True}),
        ]
        for clock, lists, keys in cases:
            with self.subTest(clock):
                header = self.importing(lists, **keys)
                self.assertIsNone(header["raised"])
                details = header["clocks"][clock]
                self.assertGreaterEqual(details["imports"], 1)
                self.assertRegex(details["imported"], "^made_up_")

    def importing(self, lists: Lists, from_call: int = 1, **keys: object) -> dict:
        """Run a case in which each call from `from_call` on imports a module; return the header."""
        before = set(sys.modules)
        self.addCleanup(lambda: [sys.modules.pop(n) for n in set(sys.modules) - before])
        lists.kept["import"] = lambda: import_one(lists, from_call)
        call = "x + 1" if hasattr(lists, "number") else "(kept['import'](), x + 1)[1]"
        return run(lists, call, keys.pop("inputs", X if "series" not in keys else None),
                   setting={"clocks": True}, **keys)[0]  # fmt: skip

    def test_a_call_without_a_clock_may_import(self) -> None:
        lists = Lists()
        lists.kept["import"] = lambda: import_one(lists, 2) if lists.kept["calls"] < 2 else None
        lists.kept["calls"] = 0
        before = set(sys.modules)
        header, _, _ = run(lists, "kept['import']()", setting={"clocks": True})
        (name,) = set(sys.modules) - before
        self.addCleanup(sys.modules.pop, name)
        self.assertEqual([d["imports"] for d in header["clocks"].values()], [0])

    def test_what_was_imported_before_is_not_noted(self) -> None:
        header, _, _ = run(Lists(), "x + 1", X, setup="import sys, types\n"
                           "sys.modules['made_up_0'] = types.ModuleType('made_up_0')",
                           setting={"clocks": True})  # fmt: skip
        self.addCleanup(sys.modules.pop, "made_up_0")
        self.assertEqual([d["imports"] for d in header["clocks"].values()], [0])

    def test_short_calls_are_repeated_unless_a_device_is_waited_for(self) -> None:
        warm = {**support.WARM, "timings": 10, "warmup_ns": 10**6, "work_ns": 10**7}
        for call in ("x + 1", "y = x + 1"):
            for paper, wait in ((False, None), (True, None), (False, lambda: None)):
                lists = Lists(wait=wait)
                setting = {"clocks": True, "warm": warm, "paper": paper}
                header, _, _ = run(lists, call, X, output="x", setting=setting)
                details = header["clocks"]["warm"]
                self.assertEqual(details["factor"] > 1, not paper and wait is None)
                self.assertGreater(details["warmup"], 1)

    def test_waiting_is_a_stage(self) -> None:
        _, _, channel = run(Lists(wait=lambda: None), "1", rehearse=True)
        call = ["run", "sync", "run"]
        self.assertEqual(channel.stages, ["inputs", *call, "compare", *call])
        _, _, channel = run(Lists(), "1", rehearse=True)
        self.assertEqual(channel.stages, ["inputs", "run", "compare", "run"])


if __name__ == "__main__":
    unittest.main()
