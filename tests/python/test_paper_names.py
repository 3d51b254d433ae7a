"""Tests that data/paper.csv agrees with the key `paper` of the case files."""

from __future__ import annotations

import csv
import re
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
# Names that the paper's tables shorten or write with brackets.
SHORT = {
    "jax._src.interpreters.partial_eval": "jax._src.interpreters.partial_eval.PartialVal",
    "jax.core.eval_context()": "",
}


def of_case_files() -> dict[str, dict[str, str]]:
    """Return the `paper:` mapping of each function that has one."""
    found = {}
    for path in (ROOT / "suites").glob("*/*.yaml"):
        line = re.search(r"^paper: \{(.*)\}$", path.read_text(), re.MULTILINE)
        if line:
            pairs = (pair.split(": ", 1) for pair in line[1].split(", "))
            found[path.stem] = {key.strip(): value.strip() for key, value in pairs}
    return found


def rows(*tables: str) -> list[dict[str, str]]:
    """Return the rows of these tables of data/paper.csv."""
    with (ROOT / "data/paper.csv").open(newline="") as file:
        return [row for row in csv.DictReader(file) if row["table"] in tables]


class PaperNames(unittest.TestCase):
    """Names and strata."""

    def test_strata(self) -> None:
        """Each function of the paper has its stratum, and no other function has one."""
        published = {row["subject"]: row["text"] for row in rows("stratum")}
        self.assertEqual(published, {name: key["stratum"] for name, key in of_case_files().items()})

    def test_every_printed_function_is_known(self) -> None:
        """A name of tables 5 to 7 is a function's present name, or is listed as a former one."""
        today = {row["subject"]: row["text"] for row in rows("name")}
        known = of_case_files()
        printed = {row["subject"]: row["table"] for row in rows("5", "6", "7")}
        self.assertGreater(len(printed), 150)
        for name, table in printed.items():
            with self.subTest(name):
                paper = known[today.get(name, name)]
                self.assertEqual(paper["table"], table)
                if name in today:
                    self.assertEqual(paper.get("name", ""), SHORT.get(name, name))
        self.assertLess(set(today), set(printed))


if __name__ == "__main__":
    unittest.main()
