"""Compares an inventory with the documented names: ``python check.py FRAMEWORK REPORT``.

``REPORT`` is what ``portmeter inventory FRAMEWORK --format json`` prints. Prints one line. On
stderr it prints the numbers of each draw, and each name that is not known or that has another
canonical name. `README.md` says which shares are enough.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

LEAST_KNOWN, LEAST_CANONICAL = 0.99, 0.98


def rows_of(report: dict[str, Any], table: str) -> list[dict[str, Any]]:
    """Return the rows of one table of a report."""
    found = next(p["table"] for p in report["parts"] if p.get("table", {}).get("id") == table)
    return found["rows"]


class Names:
    """The names of an inventory, looked up as `pm_inventory_find` and similar functions do."""

    def __init__(self, report: dict[str, Any]) -> None:
        entries = rows_of(report, "entries")
        self._rows: dict[str, dict[str, Any]] = {}
        for row in [*entries, *rows_of(report, "attributes")]:
            for name in (row["name"], *(row["aliases"] or "").split()):
                self._rows[name] = row
        for row in entries:
            if row["defined"]:
                self._rows.setdefault(row["defined"], row)

    def canonical(self, name: str) -> str | None:
        """Return the canonical name of the object that a path means; None if it is unknown."""
        if name in self._rows:
            return self._rows[name]["name"]
        owner, _, member = name.rpartition(".")
        cls = self._rows.get(owner, {})
        for base in (cls.get("name"), *(cls.get("bases") or "").split()):
            if f"{base}.{member}" in self._rows:
                return self._rows[f"{base}.{member}"]["name"]
        return None


def are_good(framework: str, names: Names, rows: list[dict[str, Any]]) -> bool:
    """Print the wrong names of one draw, and its numbers; return whether enough are right."""
    known = canonical = 0
    for row in rows:
        want, found = row.get("canonical", row["name"]), names.canonical(row["name"])
        known += found is not None
        canonical += found == want
        if found != want:
            print(f"{row['name']} is {found or 'unknown'}, not {want}", file=sys.stderr)
    print(f"{framework}: {known} known, {canonical} canonical of {len(rows)}", file=sys.stderr)
    return known >= LEAST_KNOWN * len(rows) and canonical >= LEAST_CANONICAL * known


def main(framework: str, path: str) -> None:
    """Print how many documented names are known and canonical, and whether these are enough."""
    names = Names(json.loads(Path(path).read_text(encoding="utf-8")))
    drawn = json.loads(Path(__file__).with_name(f"{framework}.json").read_text(encoding="utf-8"))
    good = [are_good(framework, names, draw["names"]) for draw in (drawn, drawn["second"])]
    print(f"{framework}: {'passed' if all(good) else 'FAILED'}")


if __name__ == "__main__":
    main(*sys.argv[1:])
