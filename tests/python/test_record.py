"""Tests of recording: the hooks see the calls, and the program does not notice the hooks."""

from __future__ import annotations

import importlib.util
import json
import os
import subprocess
import sys
import tempfile
import textwrap
import unittest
from pathlib import Path
from unittest import mock

import support  # noqa: F401 (puts drivers/ on the path)
from pmdriver.record import cases, describe, rewrite, shapes
from pmdriver.record.names import Names

ROOT = Path(__file__).resolve().parent.parent.parent
DRIVERS = ROOT / "drivers"

MADE_UP = """
class Array:
    def twice(self, by=2):
        return self

class Layer:
    def __init__(self, size):
        self.size = size
    def __call__(self, x):
        return add(x, x)

def add(x, y, *, mode="same", sparse=False, array=None, gradient=None):
    return x

plus = add


def fail():
    raise ValueError("no")
"""
NAMES = {
    "framework": "made_up",
    "root": "made_up",
    "short": "made_up",
    "functions": [
        {"name": "made_up.add", "aliases": ["made_up.plus"]},
        {"name": "made_up.fail", "aliases": []},
        {"name": "made_up.Array", "aliases": []},
        {"name": "made_up.Array.twice", "aliases": []},
        {"name": "made_up.Layer", "aliases": []},
    ],
}

#: The first lines of a program whose recorder reads a clock that only the program moves.
CLOCK = """
import time, types
import made_up
from pmdriver.record import describe, sites
clock = types.SimpleNamespace(now=time.perf_counter_ns())
sites.time = types.SimpleNamespace(perf_counter_ns=lambda: clock.now)
"""


class Recorded(unittest.TestCase):
    """Programs in a folder of their own."""

    names: dict = NAMES

    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.project = self.folder / "project"
        self.out = self.folder / "out"
        site = self.folder / "site"
        for path in (self.project, self.out, site):
            path.mkdir()
        (site / "made_up.py").write_text(MADE_UP)
        (self.out / "names.json").write_text(json.dumps(self.names))
        config = {
            "root": str(self.project),
            "names": [str(self.out / "names.json")],
            "keep_values": False,
        }
        (self.out / "config.json").write_text(json.dumps(config))
        start = DRIVERS / "pmdriver" / "record" / "start"
        self.env = {
            **os.environ,
            "PYTHONPATH": os.pathsep.join([str(start), str(site)]),
            "PORTMETER_RECORD": str(self.out),
        }

    def write(self, name: str, text: str) -> None:
        path = self.project / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(textwrap.dedent(text))

    def run_it(self, *args: str, status: int = 0) -> str:
        done = subprocess.run(
            [sys.executable, *args],
            cwd=self.project,
            env=self.env,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        self.assertEqual(done.returncode, status, done.stdout)
        return done.stdout

    def documents(self) -> list:
        return [json.loads(path.read_text()) for path in sorted(self.out.glob("calls-*.json"))]

    def recording(self) -> dict:
        """Return the joined recordings of all processes."""
        subprocess.run([sys.executable, DRIVERS / "recorded.py", self.out], check=True)
        return json.loads((self.out / "recording.json").read_text())

    def cases(self) -> dict:
        """Return the cases of each function."""
        files = self.recording()["files"]
        return {file["function"]: json.loads(file["text"])["cases"] for file in files}

    def calls(self) -> list:
        """Return the recorded calls: file, line, column, name, count."""
        (document,) = self.documents()
        return [
            [row["path"], row["line"], row["column"], row["function"], row["count"]]
            for row in document["calls"]
        ]


class TestPrograms(Recorded):
    def test_script(self) -> None:
        self.write("helper.py", "import made_up\n\ndef twice(a):\n    return a.twice(by=3)\n")
        self.write(
            "train.py",
            '''\
            """A program."""
            from __future__ import annotations
            import made_up as m
            from helper import twice
            layer = m.Layer(4)
            a = m.Array()
            for i in range(3):
                layer(twice(a))
            print(__name__, __spec__, __package__, __file__[-8:], m.plus(1, 2))
            ''',
        )
        self.assertEqual(self.run_it("train.py", "x"), "__main__ None None train.py 1\n")
        self.assertEqual(
            self.calls(),
            [
                ["train.py", 5, 11, "made_up.Layer", 1],
                ["train.py", 6, 7, "made_up.Array", 1],
                ["helper.py", 4, 14, "made_up.Array.twice", 3],
                ["train.py", 8, 5, "made_up.Layer", 3],
                ["train.py", 9, 57, "made_up.add", 1],
            ],
        )

    def test_same_output_as_without(self) -> None:
        self.write(
            "p.py",
            """\
            import inspect, sys, made_up, traceback
            class A:
                def __init__(self):
                    super().__init__()
                    self.__x = self.__f()
                def __f(self):
                    return sorted(locals())
            try:
                made_up.fail()
            except ValueError:
                print(traceback.format_exc().splitlines()[1:3])
            print(A()._A__x, inspect.getsource(A)[:8], sys.argv, sys.path[0])
            print(f"{made_up.add(1, y=2)}", [made_up.add(i, i) for i in range(2)])
            """,
        )
        recorded = self.run_it("p.py", "-v", "1")
        self.env.pop("PORTMETER_RECORD")
        self.assertEqual(self.run_it("p.py", "-v", "1"), recorded)

    def test_module_and_package(self) -> None:
        self.write("pack/__init__.py", "")
        self.write("pack/run.py", "import made_up\nprint(__name__, made_up.add(1, 2))\n")
        self.assertEqual(self.run_it("-m", "pack.run"), "__main__ 1\n")
        self.assertEqual(self.calls(), [["pack/run.py", 2, 25, "made_up.add", 1]])

    def test_own_sitecustomize_runs(self) -> None:
        own = self.folder / "own"
        own.mkdir()
        (own / "sitecustomize.py").write_text("print('own', __name__)\n")
        self.env["PYTHONPATH"] += os.pathsep + str(own)
        self.write("p.py", "import sys, made_up\nmade_up.add(1, 2)\n")
        self.assertEqual(self.run_it("p.py"), "own sitecustomize\n")
        self.assertEqual(len(self.calls()), 1)

    def test_files_that_the_program_runs_itself(self) -> None:
        self.write("other.py", "import made_up\nmade_up.add(1, 2)\nprint('ran')\n")
        self.write("p.py", "import made_up, runpy\nmade_up.add(1, 1)\nrunpy.run_path('other.py')\n")
        self.assertIn("ran", self.run_it("p.py"))
        self.assertEqual(len(self.calls()), 1)

    def test_forked_processes_write_their_own(self) -> None:
        self.write(
            "p.py",
            """\
            import made_up, multiprocessing
            def work(i):
                made_up.add(i, 1)
            if __name__ == "__main__":
                made_up.add(0, 0)
                for kind in ("fork", "spawn"):
                    process = multiprocessing.get_context(kind).Process(target=work, args=(1,))
                    process.start()
                    process.join()
            """,
        )
        self.run_it("p.py")
        counts = [[row["count"] for row in document["calls"]] for document in self.documents()]
        self.assertEqual(counts, [[1], [1], [1]])

    def test_exit_status_and_exceptions_stay(self) -> None:
        self.write("p.py", "import made_up\nmade_up.fail()\n")
        self.assertIn("ValueError: no", self.run_it("p.py", status=1))
        (document,) = self.documents()
        self.assertEqual(document["calls"][0]["raised"], 1)

    def test_no_values_are_kept(self) -> None:
        secret = "a secret that is long enough"
        self.write("p.py", f"import made_up\nmade_up.add({secret!r}, 1, mode='same')\n")
        self.run_it("p.py")
        (path,) = self.out.glob("calls-*.json")
        self.assertNotIn("secret", path.read_text())
        self.assertEqual(self.documents()[0]["unknown"], {"made_up.add": {"a long text": 1}})

    def test_files_outside_are_left_alone(self) -> None:
        self.write("p.py", "import made_up\nprint(made_up.Layer(1)(2))\n")
        self.run_it("p.py")
        self.assertEqual([row[3] for row in self.calls()], ["made_up.Layer"])

    def add_functions_that_call(self) -> None:
        """Add `apply(f)`, which cannot be described, and `fire(x)`, which calls `made_up.hook`."""
        with (self.folder / "site" / "made_up.py").open("a") as file:
            file.write("\ndef apply(f):\n    return f(1, 2)\ndef fire(x):\n    return hook()\n")
        names = json.loads((self.out / "names.json").read_text())
        names["functions"] += [{"name": f"made_up.{f}", "aliases": []} for f in ("apply", "fire")]
        (self.out / "names.json").write_text(json.dumps(names))

    def test_outermost_calls_count_no_time_twice(self) -> None:
        self.add_functions_that_call()
        self.write(
            "p.py",
            """\
            import made_up
            made_up.hook = lambda: made_up.add(3, 4)
            made_up.fire(1)
            made_up.apply(lambda x, y: made_up.add(x, y))
            """,
        )
        self.run_it("p.py")
        (document,) = self.documents()
        outer = {(row["line"], row["function"]): row["outer"] for row in document["calls"]}
        self.assertEqual(outer[3, "made_up.fire"], 1)
        self.assertEqual(outer[2, "made_up.add"], 0)
        self.assertEqual(outer[4, "made_up.add"], 1)  # apply() cannot be described

    def test_no_time_includes_the_recording(self) -> None:
        self.add_functions_that_call()
        self.write(
            "p.py",
            CLOCK
            + """
def slow(self, value):
    clock.now += 10**12
    return describe_value(self, value)
def work():
    clock.now += 7
    made_up.add(3, 4)
describe_value = describe.Describer.describe
describe.Describer.describe = slow
made_up.hook = work
made_up.fire(1)
""",
        )
        self.run_it("p.py")
        (document,) = self.documents()
        times = {row["function"]: (row["ns"], row["outer_ns"]) for row in document["calls"]}
        self.assertEqual(times, {"made_up.fire": (7, 7), "made_up.add": (0, 0)})
        self.assertLess(document["took"], 10**12)

    def test_cases_have_at_most_the_time_of_their_sites(self) -> None:
        self.add_functions_that_call()
        self.write(
            "p.py",
            CLOCK
            + """
def work():
    clock.now += 1_000_000 if i == 0 else 1
made_up.hook = work
for i in range(400):
    made_up.fire(1)
""",
        )
        self.run_it("p.py")
        (file,) = self.recording()["files"]
        (row,) = file["signatures"]
        self.assertEqual((row["calls"], row["ns"], row["outer_ns"]), (400, 1_000_399, 1_000_399))

    def test_later_calls_of_a_site_are_described_by_a_sample(self) -> None:
        self.write("p.py", "import made_up\nfor i in range(400):\n    made_up.add(i % 2, i % 2)\n")
        self.run_it("p.py")
        (row,) = self.documents()[0]["calls"]
        self.assertEqual((row["count"], row["described"], row["new"]), (400, 123, 1))
        (file,) = self.recording()["files"]
        self.assertEqual(sum(row["calls"] for row in file["signatures"]), 400)
        self.assertEqual(sum(row["outer"] for row in file["signatures"]), 400)

    def test_the_first_call_of_a_signature_counts_where_it_is_made(self) -> None:
        self.write(
            "p.py",
            """\
            import made_up
            def at():
                return made_up.add(size, 1)
            size = 1; at()
            size = 2; made_up.add(2, 1); at()
            """,
        )
        self.run_it("p.py")
        (file,) = self.recording()["files"]
        firsts = {
            (number, place["line"]): (place["outer"], place["first_outer"])
            for number, row in enumerate(file["signatures"])
            for place in row["places"]
        }
        self.assertEqual(firsts, {(0, 3): (1, 0), (0, 5): (1, 1), (1, 3): (1, 1)})

    def test_shapes_are_summarised_without_values(self) -> None:
        def count(calls: int, *arrays: object) -> dict[str, object]:
            return {"calls": calls, "arrays": [list(array) for array in arrays]}

        once = shapes.summary([count(3, ("float32", [2, 4])), count(1, ("float32", [2, 4]))])
        expected = {"count": 1, "variable": 1, "examples": ["float32[2,4]"], "varies": ""}
        self.assertEqual(once, expected)
        many = shapes.summary(
            [count(1, ("int64", [n, 4]), ("float32", [n] * (1 + n % 2))) for n in (3, 6, 7)]
        )
        self.assertEqual((many["count"], many["variable"]), (3, 3))
        sizes = shapes.summary([count(1, ("int64", [n, 4 * n])) for n in (3, 6, 7)])
        self.assertEqual((sizes["count"], sizes["variable"]), (3, 2))
        self.assertEqual(many["examples"][0], "int64[3,4], float32[3,3]")
        self.assertEqual(
            many["varies"],
            "dimension 0 of array 1 (3 to 7); the number of dimensions of array 2 (1 to 2)",
        )

    def test_bytes_that_a_call_copies(self) -> None:
        call = {
            "name": "made_up.add",
            "args": [{"array": ["float32", [2, 3], None], "gradient": False}, 1],
            "kwargs": {"y": {"list": [{"host": ["uint8", [5], [0, 1]]}]}},
        }
        expected = {"host_bytes": 5, "device_bytes": 24, "moves": 0}
        self.assertEqual(shapes.bytes_of(call), expected)
        to = {**call, "name": "torch.Tensor.to", "args": ["torch.float64"], "kwargs": {}}
        self.assertEqual(shapes.bytes_of({**to, "args": ["cpu"]})["moves"], 1)
        self.assertEqual(shapes.bytes_of({**to, "args": [{"code": "torch.half"}]})["moves"], 0)

    def test_signatures_that_differ_in_floats_are_joined_if_they_are_too_many(self) -> None:
        self.write("p.py", "import made_up\nfor i in range(50):\n    made_up.add(i / 64, 1)\n")
        self.run_it("p.py")
        recording = self.recording()
        (row,) = recording["files"][0]["signatures"]
        self.assertEqual((row["calls"], recording["signatures"]), (50, 1))
        self.assertEqual([place["calls"] for place in row["places"]], [50])

    def test_an_argument_may_have_the_name_of_a_description(self) -> None:
        self.write(
            "p.py",
            """\
            import made_up
            made_up.add(made_up.Layer(1), 2, sparse=False, array=3, gradient=1)
            made_up.add(made_up.Layer(1), 2, sparse=False, array=3, gradient=2)
            """,
        )
        self.run_it("p.py")
        self.assertEqual(
            [case["call"] for case in self.cases()["made_up.add"]],
            [f"made_up.add(v0, 2, sparse=False, array=3, gradient={i})" for i in (1, 2)],
        )

    def test_freed_objects_are_forgotten_when_there_are_too_many(self) -> None:
        class Made:
            pass

        describer = describe.Describer(Names(NAMES))
        kept = [Made() for _ in range(3)]
        with mock.patch.object(describe, "MOST_MADE", 8):
            for value in [*kept, *(Made() for _ in range(20)), kept[0]]:
                describer.remember(value, {"name": "made_up.Layer"})
            self.assertLessEqual(len(describer.made), 8)
            self.assertEqual(describer.describe(kept[0]), {"made": {"name": "made_up.Layer"}})
            later = [Made() for _ in range(20)]
            for value in later:
                describer.remember(value, {"name": "made_up.Layer"})
            self.assertLessEqual(len(describer.made), 8)
            self.assertIn(id(later[-1]), describer.made)

    def test_pytest(self) -> None:
        if importlib.util.find_spec("pytest") is None:
            self.skipTest("no pytest")
        test = "def test():\n    assert made_up.add(1, 2) == 1\n"
        self.write("test_a.py", f"import made_up\n\n{test}")
        self.run_it("-m", "pytest", "-q")
        self.run_it("-m", "pytest", "-q")
        self.assertEqual([len(document["calls"]) for document in self.documents()], [1, 1])
        self.assertFalse(list(self.project.rglob("*.pyc")))


class TestCases(unittest.TestCase):
    @staticmethod
    def case(**call: object) -> dict:
        whole = {"framework": "pytorch", "form": "function", "args": [], "kwargs": {}, **call}
        return cases.case_of(whole, 1)

    def test_arrays_become_inputs(self) -> None:
        case = self.case(
            name="torch.f",
            args=[{"array": ["float32", [2, 3], "unit"]}, {"array": ["int64", [3], [0, 7]]}],
            kwargs={"dim": 1, "mode": "same", "size": {"tuple": [1]}},
        )
        self.assertEqual(case["call"], "torch.f(x0, x1, dim=1, mode='same', size=(1,))")
        self.assertEqual(
            case["inputs"], {"x0": "$dtype[2,3] uniform(0,1)", "x1": "int64[3] integers(0,8)"}
        )
        self.assertEqual(case["dtypes"], ["float32"])

    def test_methods_that_change_their_array_are_repeated_afresh(self) -> None:
        case = self.case(
            name="torch.Tensor.add_",
            form="method",
            self={"array": ["float32", [2], None]},
            args=[1],
        )
        self.assertEqual((case["call"], case["repeat"]), ("x0.add_(1)", "fresh"))

    def test_calls_that_change_their_array_are_repeated_afresh_without_a_gradient(self) -> None:
        array = {"array": ["float32", [2], None], "gradient": True}
        for name, words in (
            ("torch.nn.functional.relu", {"inplace": True}),
            ("torch.add", {"out": array}),
            ("torch.Tensor.__iadd__", {}),
        ):
            case = self.case(name=name, args=[array], kwargs=words, flows=True)
            self.assertEqual((case.get("repeat"), case.get("backward")), ("fresh", None), name)
        made = {"name": "torch.nn.ReLU", "form": "constructor", "args": [True], "kwargs": {}}
        for in_place in (True, False):
            owner = {"made": {**made, "args": [in_place]}}
            case = self.case(
                name="torch.nn.ReLU", form="instance", self=owner, args=[array], flows=True
            )
            self.assertEqual(case.get("backward", False), not in_place)

    def test_what_is_undefined_is_made_afresh_and_not_compared(self) -> None:
        array = {"array": ["float32", [2], None]}
        for name in ("torch.empty", "torch.empty_like", "torch.Tensor.new_empty"):
            case = self.case(name=name, args=[array])
            self.assertEqual((case["repeat"], case["compare"]), ("fresh", "shape"), name)

    def test_tensors_are_made_on_the_device(self) -> None:
        case = self.case(name="torch.zeros", args=[2])
        self.assertEqual(case["call"], "torch.zeros(2, device=device)")
        case = self.case(name="torch.normal", args=[0.0, 1.0], kwargs={"size": [2]})
        self.assertEqual(case["call"], "torch.normal(0.0, 1.0, size=[2], device=device)")
        array = {"array": ["float32", [2], None]}
        for words in ({}, {"std": 1.0}):  # the array has a device already
            case = self.case(name="torch.normal", args=[array], kwargs=words)
            self.assertNotIn("device", case["call"])

    def test_modules_are_made_as_the_program_made_them(self) -> None:
        made = {
            "name": "torch.nn.Linear",
            "form": "constructor",
            "args": [2, 3],
            "kwargs": {"bias": False},
        }
        case = self.case(
            name="torch.nn.Linear",
            form="instance",
            self={"made": made},
            args=[{"array": ["float32", [4, 2], "any"]}],
        )
        self.assertEqual(case["setup"], "v0 = torch.nn.Linear(2, 3, bias=False)\n")
        self.assertEqual((case["call"], case["modules"]), ("v0(x0)", ["v0"]))

    def test_modules_that_no_call_changes_are_made_once(self) -> None:
        array = {"array": ["float32", [2, 4], "any"]}

        def repeat(name: str, *args: object, **words: object) -> str:
            made = {"name": name, "form": "constructor", "args": list(args), "kwargs": words}
            case = self.case(name=name, form="instance", self={"made": made}, args=[array])
            return case.get("repeat", "pure")

        kept = [("torch.nn.Linear", 4, 2), ("torch.nn.LSTMCell", 4, 3), ("torch.nn.LayerNorm", 4),
                ("torch.nn.Conv2d", 1, 1, 2), ("torch.nn.MSELoss",)]  # fmt: skip
        for name, *args in kept:
            self.assertEqual(repeat(name, *args), "pure", name)
        for name in ("torch.nn.BatchNorm1d", "torch.nn.LazyLinear", "torch.nn.RReLU"):
            self.assertEqual(repeat(name, 4), "fresh", name)
        self.assertEqual(repeat("torch.nn.LSTM", 4, 3, dropout=0.5), "fresh")
        self.assertEqual(repeat("torch.nn.LSTM", 4, 3, dropout=0.0), "pure")
        self.assertEqual(repeat("torch.nn.Embedding", 4, 3, max_norm=1.0), "fresh")
        self.assertEqual(repeat("torch.nn.Embedding", 4, 3, None, 1.0), "fresh")
        self.assertEqual(repeat("torch.nn.LSTM", 4, 3, 2, True, False, 0.5), "fresh")
        for activation in ("ReLU", "LeakyReLU", "ELU", "Hardswish"):
            inner = {"name": f"torch.nn.{activation}", "form": "constructor"}
            for args, words in (([True], {}), ([0.1, True], {}), ([], {"inplace": True})):
                layer = {"made": {**inner, "args": args, "kwargs": words}}
                self.assertEqual(repeat("torch.nn.Sequential", layer), "fresh", activation)
            layer = {"made": {**inner, "args": [], "kwargs": {"inplace": False}}}
            kept = "pure" if activation != "Hardswish" else "fresh"
            self.assertEqual(repeat("torch.nn.Sequential", layer), kept, activation)
        parameter = {"parameter": ["float32", [2], None]}
        self.assertNotIn("repeat", self.case(name="torch.add", args=[array, parameter]))

    def test_a_module_that_evaluates_does_so_in_its_case(self) -> None:
        made = {"name": "torch.nn.Dropout", "form": "constructor", "args": [0.5], "kwargs": {}}
        array = {"array": ["float32", [2], "any"]}
        owner = {"made": made, "evaluates": True}
        case = self.case(name="torch.nn.Dropout", form="instance", self=owner, args=[array])
        self.assertEqual(case["setup"], "v0 = torch.nn.Dropout(0.5)\nv0.eval()\n")

    def test_a_module_has_the_dtype_that_the_program_gave_it(self) -> None:
        made = {"name": "torch.nn.Linear", "form": "constructor", "args": [2, 2], "kwargs": {}}
        case = self.case(
            name="torch.nn.Linear",
            form="instance",
            self={"made": made, "dtype": "torch.float64"},
            args=[{"array": ["float64", [2], None]}],
        )
        self.assertEqual(case["setup"], "v0 = torch.nn.Linear(2, 2)\nv0.to(torch.float64)\n")

    def test_gradients_are_computed_where_the_program_does(self) -> None:
        def case(name: str, flows: bool, *gradients: bool) -> bool:
            args = [{"array": ["float32", [2], None], "gradient": it} for it in gradients]
            return self.case(name=name, args=args, flows=flows).get("backward", False)

        self.assertTrue(case("torch.exp", True, True))
        self.assertFalse(case("torch.exp", False, True))
        self.assertFalse(case("torch.where", True, True, False))  # a mean has no gradient
        self.assertFalse(case("torch.detach", True, True))
        call = {"name": "torch.f", "args": [], "flows": True, "kwargs": {"array": 1}}
        self.assertTrue(self.case(**call)["backward"])

    def test_keys_dicts_partials_and_sparse_matrices(self) -> None:
        part = {"name": "functools.partial", "form": "function", "args": [{"name": "jax.f"}]}
        case = self.case(
            framework="jax",
            name="jax.vmap",
            args=[{"made": {**part, "kwargs": {"axis": 0}}}, {"key": [3, 2]}, {"key": []}],
            kwargs={"d": {"dict": [["w", {"array": ["float32", [2], None]}], [1, None]]}},
        )
        self.assertEqual(
            case["call"],
            "jax.vmap(__import__('functools').partial(jax.f, axis=0), v0, x1, "
            "d={'w': x2, 1: None})",
        )
        self.assertEqual(case["setup"], "v0 = jax.random.split(x0, (3, 2))\n")
        sparse = {"sparse": ["float32", [10, 10], None], "layout": "csr", "count": 5}
        case = self.case(name="torch.f", args=[sparse])
        self.assertEqual(case["setup"], "v0 = (x0 * x1).to_sparse_csr()\n")
        self.assertEqual(case["inputs"]["x1"], "bool[10,10] bernoulli(0.05)")

    def test_a_dict_of_jax_has_the_order_that_jit_gives_it(self) -> None:
        items = {"dict": [["w", 1], ["b", 2]]}
        case = self.case(framework="jax", name="jax.jit", args=[items])
        self.assertEqual(case["call"], "jax.jit({'b': 2, 'w': 1})")
        case = self.case(framework="tensorflow", name="tf.nest.flatten", args=[items])
        self.assertEqual(case["call"], "tf.nest.flatten({'w': 1, 'b': 2})")

    def test_the_device_of_the_program_becomes_that_of_the_case(self) -> None:
        array = {"array": ["float32", [2], None]}
        for device in ("cpu", "cuda:1", {"device": "cpu"}):
            case = self.case(name="torch.Tensor.to", form="method", self=array, args=[device])
            self.assertEqual(case["call"], "x0.to(device)")
        case = self.case(name="torch.from_numpy", args=[{"host": ["float32", [2], None]}])
        self.assertEqual(case["host_outputs"], ["out"])

    def test_what_becomes_no_case(self) -> None:
        for call in (
            {"name": "torch.testing.assert_close"},
            {"name": "torch.Tensor.backward"},
            {"name": "torch.load", "args": ["data.pt"]},
            {"name": "torch.f", "args": [{"array": ["quint8", [2], None]}]},
            {"name": "torch.f", "args": [{"array": ["float32", [1 << 25], None]}]},
        ):
            with self.assertRaises(cases.NoCase):
                self.case(**call)


class TestRewriting(unittest.TestCase):
    def test_columns_are_those_of_names(self) -> None:
        import ast

        sites = rewrite.Sites()
        rewrite.rewrite(ast.parse("x = a.b(c(1)).d(2)\nsuper().f(len(x))\n"), "p", sites)
        self.assertEqual(
            sorted(sites.items),
            [("p", 1, 7, 5), ("p", 1, 9, 9), ("p", 1, 15, 5), ("p", 2, 9, 1)],
        )


if __name__ == "__main__":
    unittest.main()
