"""Tests of drivers/forecast.py, which predicts from TensorFlow's registry what XLA lacks."""

from __future__ import annotations

import importlib.util
import unittest

import test_forecast

HAS_TENSORFLOW = importlib.util.find_spec("tensorflow") is not None


@unittest.skipUnless(HAS_TENSORFLOW, "needs TensorFlow")
class TensorFlow(unittest.TestCase):
    """Forecasts of TensorFlow for XLA."""

    def test_an_output_on_the_host_fails_unless_the_case_expects_it(self) -> None:
        answer = test_forecast.predicted("tensorflow", "xla", "", "(tf.abs(x).numpy(), x.numpy())")
        self.assertEqual(answer["what"], "fails")
        self.assertEqual(answer["lacks"], [["devices", "out[0] is an array of the host"]])
        answer = test_forecast.predicted(
            "tensorflow", "xla", "", "(tf.abs(x).numpy(), tf.abs(x))", host_outputs=["out[0]"]
        )
        self.assertEqual(answer["what"], "works")


if __name__ == "__main__":
    unittest.main()
