"""Tests of recording real JAX: arrays, keys, compiled functions, and calls during tracing."""

from __future__ import annotations

import importlib.util
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
