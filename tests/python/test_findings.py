"""Runs the scripts of docs/findings.md, which show faults of frameworks, and compares their output.

A failure means that the installed framework behaves differently from what the page says: read the
section again, and remove it if the framework was mended.
"""

from __future__ import annotations

import importlib.util
import re
import subprocess
import sys
import unittest
from pathlib import Path
from typing import NamedTuple

PAGE = Path(__file__).resolve().parents[2] / "docs" / "findings.md"
#: A heading, or a script and the output that the page shows below it.
PARTS = re.compile(r"^## ([^\n]+)$|^```python\n(.*?)^```\n\n```text\n(.*?)^```$", re.M | re.S)
MODULES = {"torch": "PyTorch", "tensorflow": "TensorFlow"}


class Finding(NamedTuple):
    """A section of the page with a script.

    Attributes
    ----------
    module
        The framework that its script imports.
    shown
        What the page says that the script prints.
    """

    title: str
    module: str
    script: str
    shown: str


def findings(page: str) -> list[Finding]:
    """Return the sections of a page that have a script."""
    found, title = [], ""
    for heading, script, shown in PARTS.findall(page):
        if heading:
            title = heading
            continue
        module = next(name for name in MODULES if re.search(rf"^import {name}\b", script, re.M))
        found.append(Finding(title, module, script, shown))
    return found


def printed(script: str) -> str:
    """Return what a script prints in an interpreter of its own."""
    command = [sys.executable, "-W", "ignore", "-c", script]
    return subprocess.run(command, text=True, capture_output=True, check=True).stdout


class Page(unittest.TestCase):
    """The page itself."""

    def test_each_script_has_its_output(self) -> None:
        page = PAGE.read_text(encoding="utf-8")
        self.assertEqual(len(findings(page)), len(re.findall(r"^```python$", page, re.M)))
        self.assertEqual(
            [one.title for one in findings(page)],
            re.findall(r"^## (?!How )(.+)$", page, re.M),
        )


class Scripts(unittest.TestCase):
    """The scripts that need PyTorch."""

    module = "torch"

    def test_the_scripts_print_what_the_page_shows(self) -> None:
        if importlib.util.find_spec(self.module) is None:
            self.skipTest(f"needs {MODULES[self.module]}")
        mine = [f for f in findings(PAGE.read_text(encoding="utf-8")) if f.module == self.module]
        self.assertTrue(mine)
        for finding in mine:
            with self.subTest(finding.title):
                self.assertEqual(printed(finding.script), finding.shown)


if __name__ == "__main__":
    unittest.main()
