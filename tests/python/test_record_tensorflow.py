"""Tests of recording real TensorFlow: tensors, variables, layers, and compiled functions."""

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

KERAS = """\
import keras
import tensorflow as tf
inputs = keras.Input(shape=(2,))
first = keras.layers.Dense(2)
model = keras.Model(inputs, first(inputs))
loss_of = keras.losses.MeanSquaredError()
optimizer = keras.optimizers.SGD(0.5)
dense = keras.layers.Dense(2)
x = tf.ones([3, 2])
with tf.GradientTape() as tape:
    y = dense(x)
    loss = loss_of(x, y)
    model(x)
grads = tape.gradient(loss, dense.trainable_weights)
optimizer.apply(grads, dense.trainable_weights)
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


@unittest.skipIf(importlib.util.find_spec("tensorflow") is None, "no tensorflow")
class TestKeras(Recorded):
    names = {
        "framework": "tensorflow",
        "root": "tensorflow",
        "short": "tf",
        "functions": [
            {"name": f"tf.{name}", "aliases": []}
            for name in (
                "GradientTape", "GradientTape.gradient", "keras.Input", "keras.Model",
                "keras.layers.Dense", "keras.losses.MeanSquaredError", "keras.optimizers.SGD",
                "keras.optimizers.SGD.apply", "ones",
            )
        ],
    }  # fmt: skip

    def test_a_program_that_imports_keras_alone(self) -> None:
        self.write("p.py", KERAS)
        self.run_it("p.py")
        (document,) = self.documents()
        rows = {(row["line"], row["function"]): row["traced"] for row in document["calls"]}
        self.assertEqual(rows[5, "tf.keras.layers.Dense"], 1)  # it only adds to a model
        self.assertEqual(rows[11, "tf.keras.layers.Dense"], 0)
        self.assertIn((13, "tf.keras.Model"), rows)  # its own class is not public
        by_name = self.cases()
        (apply,) = by_name["tf.keras.optimizers.SGD.apply"]
        self.assertIn("= tf.keras.Variable(x", apply["setup"])
        self.assertIn("tf.keras.losses.MeanSquaredError", by_name)
        self.assertNotIn("tf.GradientTape.gradient", by_name)
        unknown = self.recording()["unknown"]
        self.assertEqual(unknown["tf.GradientTape.gradient"], {"a gradient": 1})


if __name__ == "__main__":
    unittest.main()
