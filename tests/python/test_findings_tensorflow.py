"""Runs the scripts of docs/findings.md that need TensorFlow."""

from __future__ import annotations

import unittest

import test_findings


class Scripts(test_findings.Scripts):
    """The scripts that need TensorFlow."""

    module = "tensorflow"


if __name__ == "__main__":
    unittest.main()
