"""Recording real TensorFlow: tensors, variables, layers, and compiled functions."""

from __future__ import annotations

import importlib.util
import unittest

from test_record import Recorded

PROGRAM = """\
import tensorflow as tf
v = tf.Variable([[1.0], [2.0]])
dense = tf.keras.layers.Dense(2)
def model(x):
    return tf.matmul(x, v)
fast = tf.function(model)
x = tf.ones([3, 2])
for i in range(4):
    fast(x)
    model(x)
dense(x)
"""


@unittest.skipIf(importlib.util.find_spec("tensorflow") is None, "no tensorflow")
class TestTensorFlow(Recorded):
    names = {
        "framework": "tensorflow",
        "root": "tensorflow",
        "short": "tf",
        "functions": [
            {"name": f"tf.{name}", "aliases": []}
            for name in ("Variable", "function", "keras.layers.Dense", "matmul", "ones")
        ],
    }

    def setUp(self) -> None:
        super().setUp()
        self.write("p.py", PROGRAM)
        self.run_it("p.py")

    def test_compiled_functions_are_a_unit(self) -> None:
        (document,) = self.documents()
        rows = {(row["line"], row["function"]): row for row in document["calls"]}
        fast = rows[9, "tf.function"]
        self.assertEqual((fast["form"], fast["count"], fast["new"]), ("compiled", 4, 1))
        matmul = rows[5, "tf.matmul"]
        self.assertEqual(matmul["count"] - matmul["traced"], 4)

    def test_tensors_and_variables_become_inputs(self) -> None:
        by_name = self.cases()
        (matmul,) = by_name["tf.matmul"]
        self.assertEqual(matmul["call"], "tf.matmul(x0, v0)")
        self.assertEqual(matmul["setup"], "v0 = tf.Variable(x1)\n")
        self.assertEqual(matmul["inputs"]["x0"].split()[0], "$dtype[3,2]")
        self.assertIn("tf.ones", by_name)


if __name__ == "__main__":
    unittest.main()
