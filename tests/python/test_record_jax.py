"""Tests of recording real JAX: arrays, keys, compiled functions, and calls during tracing."""

from __future__ import annotations

import importlib.util
import json
import sys
import unittest

from test_record import Recorded

PROGRAM = """\
import jax, jax.numpy as jnp
def loss(w, x):
    return jnp.sum(jnp.dot(x, w))
step = jax.jit(loss)
w, x = jnp.ones((3,)), jax.random.normal(jax.random.key(1), (4, 3))
for i in range(5):
    step(w, x)
    loss(w, x)
jax.grad(loss)(w, x)
"""


UNITS = """\
import functools
import jax, jax.numpy as jnp
import numpy as np
hidden = jnp.array([[1234.5, 2.5, 0.5]] * 4)
inner = jax.jit(lambda x: x * hidden.sum(0) + np.array([5678.5, 0.5, 7.5]))
@functools.partial(jax.jit, static_argnums=2, donate_argnums=1)
def private_step(params, x, twice, key):
    print("traced", file=__import__("sys").stdout)
    def scaled(total, row):
        return total + row @ params["private_weight"] @ hidden, row
    total, _ = jax.lax.scan(scaled, jnp.zeros(3), x)
    total = jax.lax.cond(total[0] > 1, lambda a: a + 1.0, lambda a: a * 2.0, total)
    total = jax.lax.while_loop(lambda c: c[0] < 3, lambda c: (c[0] + 1, c[1] * 1.5), (0, total))[1]
    grads = jax.grad(lambda p: jnp.sum(jax.nn.softmax(x @ p["private_weight"])[0]))(params)
    noise = jax.random.normal(key, (3,))
    return inner(total).at[jnp.array([0, 1])].add(2.0) + noise, grads, jnp.sort(x * twice)
@jax.jit
def calls_python(x):
    return jax.pure_callback(lambda a: a, jax.ShapeDtypeStruct((), "float32"), x)
for i in range(3):
    params = {"private_weight": jnp.linspace(-1.0, 1.0, 8).reshape(2, 4)}
    out = private_step(params, jnp.ones((5, 2)), 2, jax.random.key(7))
calls_python(1.0)
np.savez("out.npz", *map(np.asarray, jax.tree_util.tree_leaves(out)))
"""

#: Makes the call of a unit with the arrays of the program, and compares the results.
AGAIN = """\
import json, sys
import jax, jax.numpy as jnp, numpy as np
case = json.load(open(sys.argv[1]))
space = {"jax": jax, "jnp": jnp, "np": np}
space["x0"], space["x1"] = jnp.array([[1234.5, 2.5, 0.5]] * 4), jnp.array([0, 1])
space["x2"] = jnp.array([5678.5, 0.5, 7.5])
space["x3"] = jnp.linspace(-1.0, 1.0, 8).reshape(2, 4)
space["x4"], space["x5"] = jnp.ones((5, 2)), jax.random.key(7)
exec(case["setup"], space)
out = jax.tree_util.tree_leaves(eval(case["call"], space))
saved = np.load("out.npz")
print(len(out), [np.array_equal(a, saved[name]) for a, name in zip(out, saved)])
"""

OPERATORS = """\
import jax, jax.numpy as jnp
import library
x, w = jnp.ones((4, 3)), jnp.ones((3, 2))
y = 2.0 - x + x
z = (y @ w)[1:, 0] ** 2
big = -z > 0
jax.jit(lambda a: a * a)(x)
jax.grad(lambda a: (a * a)[0, 0])(x)
print(library.plus(x).shape, y.shape, big.shape, hash(3), x.sum() == 12, [1] == [1])
"""


@unittest.skipIf(importlib.util.find_spec("jax") is None, "no jax")
class TestUnits(Recorded):
    """Compiled functions, each one unit."""

    names = {
        "framework": "jax",
        "root": "jax",
        "short": "jax",
        "functions": [{"name": name, "aliases": []} for name in ("jax.jit", "jax.random.key")],
    }

    def setUp(self) -> None:
        super().setUp()
        self.write("private_program.py", UNITS)
        self.printed = self.run_it("private_program.py")

    def test_units(self) -> None:
        self._has_no_value_of_an_array_and_no_name_of_the_program()
        self._time_is_without_that_of_compiling()
        self._computes_what_the_program_computed()

    def _has_no_value_of_an_array_and_no_name_of_the_program(self) -> None:
        recording = self.recording()
        (file,) = (file for file in recording["files"] if file["function"] == "jax.jit")
        (case,) = json.loads(file["text"])["cases"]
        for word in ("1234.5", "5678.5", "private", "hidden", "scaled", str(self.folder)):
            self.assertNotIn(word, file["text"])
        specs = [spec.rpartition(" ")[0] for spec in case["inputs"].values()]
        arrays = ["$dtype[4,3]", "int32[2]", "$dtype[3]", "$dtype[2,4]", "$dtype[5,2]", ""]
        self.assertEqual((specs, case["inputs"]["x5"]), (arrays, "key(7)"))
        self.assertNotIn("repeat", case)  # a fresh setup would compile again
        self.assertEqual(recording["unknown"]["jax.jit"]["compiles a callback"], 1)

    def _computes_what_the_program_computed(self) -> None:
        self.assertEqual(self.printed.count("traced"), 1)
        (case,) = self.cases()["jax.jit"]
        self.write("again.py", AGAIN)
        (self.project / "case.json").write_text(json.dumps(case))
        del self.env["PORTMETER_RECORD"]
        self.assertEqual(self.run_it("again.py", "case.json"), "3 [True, True, True]\n")

    def _time_is_without_that_of_compiling(self) -> None:
        (document,) = self.documents()
        rows = [row for row in document["calls"] if row["form"] == "compiled"]
        row = next(row for row in rows if row["signatures"])
        (counts,) = row["signatures"]
        self.assertEqual((row["form"], row["new"], counts["count"]), ("compiled", 1, 3))
        self.assertEqual(counts["outer_ns"], row["outer_ns"] - row["new_ns"])


@unittest.skipIf(importlib.util.find_spec("jax") is None, "no jax")
class TestOperators(Recorded):
    names = {
        "framework": "jax",
        "root": "jax",
        "short": "jax",
        "functions": [
            {"name": f"jax.{name}", "aliases": []}
            for name in (
                "Array.__getitem__", "numpy.add", "numpy.subtract", "numpy.matmul", "numpy.power",
                "numpy.negative", "numpy.greater", "numpy.multiply", "numpy.equal",
            )
        ],
    }  # fmt: skip

    def setUp(self) -> None:
        super().setUp()
        self.write("p.py", OPERATORS)
        (self.folder / "site" / "library.py").write_text("def plus(x):\n    return x + 1\n")
        self.run_it("p.py")

    def test_operators_of_the_program_are_calls(self) -> None:
        (document,) = self.documents()
        rows = {(row["line"], row["function"]): row for row in document["calls"]}
        found = {
            (line, name.rpartition(".")[2]): (row["count"], row["traced"])
            for (line, name), row in rows.items()
        }
        expected = {
            (4, "subtract"): (1, 0), (4, "add"): (1, 0), (5, "matmul"): (1, 0),
            (5, "__getitem__"): (1, 0), (5, "power"): (1, 0), (6, "negative"): (1, 0),
            (6, "greater"): (1, 0), (7, "multiply"): (1, 1), (8, "multiply"): (1, 0),
            (8, "__getitem__"): (1, 0), (9, "equal"): (1, 0),
        }  # fmt: skip
        self.assertEqual(found, expected)
        if sys.version_info >= (3, 11):
            self.assertEqual(rows[5, "jax.numpy.power"]["column"], 5)

    def test_the_cases_of_operators(self) -> None:
        by_name = self.cases()
        (subtract,) = by_name["jax.numpy.subtract"]
        self.assertEqual(subtract["call"], "jax.numpy.subtract(2.0, x0)")
        calls = [case["call"] for case in by_name["jax.Array.__getitem__"]]
        self.assertIn("x0.__getitem__((slice(1, None, None), 0))", calls)


@unittest.skipIf(importlib.util.find_spec("jax") is None, "no jax")
class TestJax(Recorded):
    names = {
        "framework": "jax",
        "root": "jax",
        "short": "jax",
        "functions": [
            {"name": f"jax.{name}", "aliases": []}
            for name in (
                "jit", "grad", "numpy.dot", "numpy.ones", "numpy.sum", "random.key",
                "random.normal",
            )
        ],
    }  # fmt: skip

    def setUp(self) -> None:
        super().setUp()
        self.write("p.py", PROGRAM)
        self.run_it("p.py")

    def test_what_jit_traces_is_apart_and_what_grad_traces_is_not(self) -> None:
        (document,) = self.documents()
        rows = {(row["line"], row["function"]): row for row in document["calls"]}
        dot = rows[3, "jax.numpy.dot"]
        self.assertEqual((dot["count"], dot["traced"], dot["outer"]), (7, 1, 6))
        step = rows[7, "jax.jit"]
        self.assertEqual((step["form"], step["count"], step["new"]), ("compiled", 5, 1))

    def test_arrays_and_keys_become_inputs(self) -> None:
        by_name = self.cases()
        (dot,) = by_name["jax.numpy.dot"]
        self.assertEqual(dot["call"], "jax.numpy.dot(x0, x1)")
        inputs = [spec.split()[0] for spec in dot["inputs"].values()]
        self.assertEqual((inputs, dot["dtypes"]), (["$dtype[4,3]", "$dtype[3]"], ["float32"]))
        (normal,) = by_name["jax.random.normal"]
        self.assertEqual(normal["inputs"], {"x0": "key(7)"})


if __name__ == "__main__":
    unittest.main()
