"""Tests of recording real TensorFlow: tensors, variables, layers, and compiled functions."""

from __future__ import annotations

import base64
import importlib.util
import json
import re
import struct
import unittest
import zlib

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


UNITS = """\
import keras
import numpy as np
import tensorflow as tf
private_weight = tf.Variable([[1.0], [2.0]], name="private_weight")
hidden = np.array([[1234.5, 2.5], [0.5, 5678.5]], "float32")
@tf.function
def private_inner(x):
    return tf.reshape(tf.matmul(x, x, transpose_a=True), [-1])
@tf.function
def private_step(x, times):
    for _ in tf.range(times):
        x = x + 1.0
    private_weight.assign_add(private_weight * 0.5)
    print("traced")
    return {"private": tf.reduce_sum(tf.matmul(x @ hidden, private_weight)), "in": private_inner(x)}
@tf.function
def calls_python(x):
    return tf.numpy_function(lambda a: a, [x], tf.float32)
for i in range(3):
    out = private_step(tf.ones([3, 2]), tf.constant(2))
calls_python(tf.ones([2]))
np.savez("out.npz", *[value.numpy() for value in tf.nest.flatten(out)], private_weight.numpy())
model = keras.Sequential([keras.layers.Dense(4, name="private_layer"), keras.layers.Dense(1)])
model.compile("adam", "mse")
model.fit(np.ones((10, 3), "float32"), np.ones((10, 1), "float32"), batch_size=5, verbose=0)
y = tf.ones([3, 2]) * 2.0
"""

#: Makes the call of a unit with the arrays of the program, and compares the results.
AGAIN = """\
import json
import numpy as np, tensorflow as tf
case = json.load(open("case.json"))
space = {"tf": tf, "np": np, "x0": tf.ones([3, 2]), "x1": tf.constant(2)}
space["x2"] = tf.constant([[1.0], [2.0]]) * 2.25
space["x3"] = tf.constant([[1234.5, 2.5], [0.5, 5678.5]])
if "variable" not in case["setup"].split("x2")[0].lower():
    space["x2"], space["x3"] = space["x3"], space["x2"]
exec(case["setup"], space)
saved = np.load("out.npz")
for _ in range(2):
    out = tf.nest.flatten(eval(case["call"], space))
    print(len(out), [np.array_equal(a, saved[name]) for a, name in zip(out, saved)])
"""


@unittest.skipIf(importlib.util.find_spec("tensorflow") is None, "no tensorflow")
class TestUnits(Recorded):
    """Compiled functions, each one unit."""

    names = {
        "framework": "tensorflow",
        "root": "tensorflow",
        "short": "tf",
        "functions": [
            {"name": f"tf.{name}", "aliases": []}
            for name in ("function", "keras.Model.fit", "keras.Sequential", "math.multiply")
        ],
    }

    def test_units(self) -> None:
        self.write("private_program.py", UNITS)
        self.assertEqual(self.run_it("private_program.py").count("traced"), 1)
        (document,) = self.documents()
        rows = {(row["line"], row["function"]): row for row in document["calls"]}
        step, fit = rows[20, "tf.function"], rows[25, "tf.function"]
        (counts,) = step["signatures"]
        self.assertEqual((step["count"], step["new"], counts["count"]), (3, 1, 3))
        self.assertEqual(counts["outer_ns"], step["outer_ns"] - step["new_ns"])
        self.assertEqual((fit["form"], fit["count"]), ("compiled", 2))
        self.assertEqual(rows[26, "tf.math.multiply"]["count"], 1)
        recording = self.recording()
        (file,) = (file for file in recording["files"] if file["function"] == "tf.function")
        first, second = json.loads(file["text"])["cases"]
        self._has_no_name_of_the_program(first["setup"])
        self._has_no_name_of_the_program(second["setup"])
        self.assertIn("$dtype[5,3] ", " ".join(second["inputs"].values()))  # the size of a batch
        self.assertEqual(recording["unknown"]["tf.function"]["compiles a function of Python"], 1)
        self._computes_what_the_program_computed(first)

    def _has_no_name_of_the_program(self, setup: str) -> None:
        (packed,) = re.findall("packed = '([^']*)'", setup)
        graph = zlib.decompress(base64.b85decode(packed))
        words = [b"private", struct.pack("f", 1234.5), struct.pack("f", 5678.5), b"dense"]
        for word in (*words, str(self.folder).encode()):
            self.assertNotIn(word, graph)
        self.assertNotIn(b"Placeholder", graph)  # no compiler for a device has it

    def _computes_what_the_program_computed(self, case: dict) -> None:
        self.write("again.py", AGAIN)
        (self.project / "case.json").write_text(json.dumps(case))
        del self.env["PORTMETER_RECORD"]
        printed = self.run_it("again.py").splitlines()[-2:]
        self.assertEqual(printed, ["3 [True, True, True]"] * 2)


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
