"""Tests of a census of TensorFlow: what devices may do differently, and the tests of Keras."""

import ast
import importlib
import tempfile
import unittest
from typing import Any

import support
from pmdriver.census import express, improve, items, judge, search
from pmdriver.census.calls import Case

F3 = "float32[3] uniform(0.1,0.9)"


class OtherDevices(unittest.TestCase):
    """What TensorFlow does not promise for another device is not compared."""

    def test_random_numbers_of_tensorflow(self) -> None:
        kit = support.kit_of("tensorflow")
        drawn = importlib.import_module("pmdriver.census.tensorflow").DRAWN
        image = "tf.ones([2, 2, 3])"
        for call in (
            "tf.random.stateless_uniform([3], seed=[1, 2])",
            "tf.random.stateless_binomial([2], [1, 2], [9.0, 8.0], [0.5])",
            f"tf.image.stateless_random_contrast({image}, 0.2, 0.5, (1, 2))",
            "tf.function(lambda: tf.random.stateless_normal([3], seed=[1, 2]))()",
            "tf.random.Generator.from_seed(1).normal([3])",
        ):
            verdict = kit.judge(Case({}, (), (), call))
            self.assertEqual((verdict.what, verdict.reason), (judge.NO_VALUES, drawn), call)
            self.assertEqual(verdict.case.compare, "shape")
        weights = Case(
            {"x": "float32[3,4] normal"}, ("m = tf.keras.layers.Dense(2)",), ("m",), "m(x)"
        )
        self.assertEqual(kit.judge(weights).what, judge.VALUES)
        for call in (f"tf.image.adjust_contrast({image}, 0.2)", "tf.range(3)"):
            self.assertEqual(kit.judge(Case({}, (), (), call)).what, judge.VALUES, call)

    def test_data_sets_and_files_of_tensorflow_are_outside_the_device(self) -> None:
        kit = support.kit_of("tensorflow")
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        kit.folder = folder.name
        setup = ("d = tf.data.Dataset.from_tensor_slices(x)",)
        for call in ("d.batch(2)", "next(iter(d))", "d.save('$tmp/s')", "tf.data.Dataset.range(3)"):
            inputs = {"x": "float32[6,2] normal"} if "d." in call or "(d)" in call else {}
            verdict = kit.judge(Case(inputs, setup if inputs else (), (), call))
            self.assertEqual(verdict.what, judge.HOST_ONLY, call)
            found = verdict.case.document()
            self.assertEqual(found["context"], "tf.device(None)")
            if inputs:
                self.assertEqual(found["inputs"], {"x": "float32[6,2] normal on host"})
        for call in (
            "tf.io.write_file('$tmp/a', 'b')",
            "tf.saved_model.save(tf.Module(), '$tmp/m')",
        ):
            self.assertEqual(kit.judge(Case({}, (), (), call)).what, judge.HOST_ONLY, call)
        self.assertEqual(kit.judge(Case({"x": F3}, (), (), "tf.sin(x)")).case.context, "")

    def test_shapes_that_the_definition_of_an_operation_excludes(self) -> None:
        """The kernel of the host does not verify them; another device's kernel does."""
        kit = support.kit_of("tensorflow")
        matrix = "float32[3,4] uniform(0.1,0.9)"
        given = {"x": matrix, "indices": "int64[3] integers(0,3)", "updates": matrix}
        case = Case(given, ("v = tf.Variable(x)",), (), "v.scatter_nd_sub(indices, updates)")
        with self.assertRaisesRegex(judge.Refused, "ResourceScatterNdSub excludes these shapes"):
            kit.judge(case)
        right = case._replace(inputs={**given, "indices": "int64[3,1] integers(0,3)"})
        self.assertEqual(kit.judge(right).what, judge.VALUES)
        caught = (
            "def f(x):",
            "    if tf.executing_eagerly():",
            "        return x + 1",
            "    return tf.matmul(x, x)",
        )
        other = Case({"x": matrix}, ("\n".join(caught),), (), "f(x)")  # only a graph has the other
        self.assertEqual(kit.judge(other).what, judge.VALUES)

    def test_texts_with_devices_of_tensorflow(self) -> None:
        kit = support.kit_of("tensorflow")
        verdict = kit.judge(Case({}, (), (), "tf.config.get_visible_devices()"))
        self.assertEqual((verdict.what, verdict.case.output), (judge.HOST_ONLY, judge.TYPE))
        verdict = kit.judge(Case({"x": F3}, (), (), "x.device"))
        self.assertEqual((verdict.what, verdict.reason), (judge.NO_VALUES, judge.SHOWN))


#: A test file like those of Keras.
KERAS_TEST = """
import numpy as np
from keras.src import layers, metrics, testing
from keras.src.backend.common import global_state


class ThingTest(testing.TestCase):
    def setUp(self):
        self.size = 3

    @parameterized.named_parameters(("small", 5, "relu"), ("large", 9, None))
    def test_layer(self, units, activation):
        options = {"units": units, "activation": activation}
        self.run_layer_test(layers.Dense, init_kwargs=options, input_shape=(2, self.size))

    def test_steps(self):
        mean = metrics.Mean()
        values = np.array([[1.0, 2.0], [3.0, 4.5]])
        mean.update_state(values)
        mean.update_state(values, sample_weight=[1, 0])
        mean.get_config()
        with self.assertRaises(ValueError):
            layers.Dense(-1)
        layers.Dense(global_state.size())
"""


class KerasTests(unittest.TestCase):
    """The calls in the tests that Keras ships."""

    def setUp(self) -> None:
        self.kit = support.kit_of("tensorflow")
        self.tests = importlib.import_module("pmdriver.census.keras_tests")
        tf = importlib.import_module("tensorflow")
        self.reader = self.tests.Reader(self.tests.public_names(tf.keras, "tf.keras"))
        self.reader.read(ast.parse(KERAS_TEST))

    def judged(self, name: str, kind: str, holder: Any = None) -> list[judge.Verdict]:
        """Return the verdicts of the cases from the calls of a name."""
        value, _ = items.resolve("tf", "tensorflow", name)
        item = support.item_of(name, kind, value)._replace(holder=holder)
        calls = list(self.tests._maker(self.reader.records[name])(self.kit, item))
        return [self.kit.judge(express.cases(self.kit, item, call)[1][0]) for call in calls]

    def test_a_layer_and_its_input(self) -> None:
        (verdict,) = self.judged("tf.keras.layers.Dense", "class")
        found = verdict.case
        self.assertEqual((verdict.what, found.call), (judge.VALUES, "m(x)"))
        self.assertEqual(found.inputs, {"x": "float32[2,3] uniform(0.1,0.9)"})
        self.assertEqual(found.setup, ("m = tf.keras.layers.Dense(units=5, activation='relu')",))

    def test_a_method_after_other_calls_of_the_object(self) -> None:
        metric, _ = items.resolve("tf", "tensorflow", "tf.keras.metrics.Mean")
        first, second = self.judged("tf.keras.metrics.Mean.update_state", "method", metric)
        self.assertEqual(first.case.inputs, {"values": "float32[2,2] uniform(1,4.5)"})
        self.assertEqual(first.case.call, "x.update_state(values)")
        self.assertEqual(second.case.setup[1:], ("x.update_state(x0)",))
        self.assertIn("sample_weight=[1, 0]", second.case.call)

    def test_a_method_that_a_class_inherits(self) -> None:
        def resolve(name: str) -> Any:
            return items.resolve("tf", "tensorflow", name)[0]

        (found,) = self.tests._records_of("tf.keras.Metric.get_config", self.reader, {}, resolve)
        self.assertEqual(ast.unparse(found.own), "tf.keras.metrics.Mean()")
        self.assertEqual(len(found.before), 2)
        self.assertEqual(self.tests.makers({"tf.sin"}, resolve), {})
        self.assertEqual(self.kit.metadata_absence(), "")

    def test_a_setting_that_breaks_keras_is_seen(self) -> None:
        tf = importlib.import_module("tensorflow")
        self.assertTrue(self.kit.is_sound())
        self.addCleanup(tf.keras.distribution.set_distribution, None)
        tf.keras.distribution.set_distribution(lambda x: x)
        self.assertFalse(self.kit.is_sound())

    def test_the_variables_that_a_metric_changes(self) -> None:
        case = Case(
            {"values": "float32[3,4] normal"},
            ("m = tf.keras.metrics.Mean()",),
            (),
            "m.update_state(values)",
        )
        found = search.Found(10)
        found.take(lambda: self.kit.judge(case))
        self.assertEqual(found.best.what, judge.NO_VALUES)
        improve.improve(self.kit, [found])
        self.assertEqual(found.best.what, judge.VALUES)
        self.assertEqual(found.best.case.output, "[each.value for each in m.variables]")


if __name__ == "__main__":
    unittest.main()
