"""Compare the results on a second device (run.py) with an audit of the same code.

``python3 compare.py PROJECT=TRUTH.json[+TRUTH.json]=AUDIT.json... [--list]``; AUDIT.json
is what ``portmeter audit . --unknown --format json`` prints in the folder of the project. A site of
several truths fails if it fails in one.

The denominator is the number of sites (file, line, column, function) at which a call took or gave
an array and was judged. A site *fails* if one of its calls raised on the second device only. A pair
is a function with a reason of the second device. Intervals: bootstrap over projects, 95 %.
"""

from __future__ import annotations

import collections
import json
import random
import sys
from typing import Any

Row = dict[str, Any]


def merged(truths: str) -> list[Row]:
    """Return the sites of truths whose names are separated by '+'."""
    found: dict[tuple[Any, ...], Row] = {}
    for truth in truths.split("+"):
        with open(truth, encoding="utf-8") as file:
            rows = json.load(file)["calls"]
        for row in rows:
            key = tuple(row[part] for part in ("path", "line", "column", "function"))
            other = found.setdefault(key, row)
            if other is not row:
                for part in ("calls", "arrays", "judged", "failed"):
                    other[part] += row[part]
                other["why"] |= row["why"]
    return list(found.values())


def sites(project: str, truths: str, audit: str) -> list[Row]:
    """Return the judged sites of a project, with the audit's findings."""
    with open(audit, encoding="utf-8") as file:
        findings = json.load(file)["findings"]
    said: dict[tuple[str, int, int, str], Row] = {}
    for finding in findings:
        if finding.get("evidence") or finding["rule"] in ("arguments", "unknown"):
            name = finding["function"].rpartition(".")[2]
            said[finding["file"], finding["line"], finding["column"], name] = finding
    found = []
    for row in merged(truths):
        if row["arrays"]:
            at, name = (row["path"], row["line"]), row["function"].rpartition(".")[2]
            # A scan places a call where its chain of names begins, or at its last name. Aliases of
            # a function have the same last name.
            finding = said.get((*at, row["first"], name)) or said.get((*at, row["column"], name))
            finding = finding or {}
            row["project"] = project
            row["says"] = finding.get("rule", "works or not found")
            row["level"] = finding.get("level", "")
            found.append(row)
    return found


def share(part: int, whole: int) -> str:
    return f"{100 * part / whole:.1f} % ({part}/{whole})" if whole else "none"


def rates(rows: list[Row], rules: tuple[str, ...], errors: bool = False) -> list[tuple[int, int]]:
    """Return precision and recall by site, and recall by pair, as counts."""
    flagged = [r for r in rows if r["says"] in rules and (not errors or r["level"] == "error")]
    failing = [r for r in rows if r["failed"]]
    hit = [r for r in flagged if r["failed"]]
    pairs = {(r["function"], why) for r in failing for why in r["why"]}
    hits = {(r["function"], why) for r in hit for why in r["why"]}
    return [(len(hit), len(flagged)), (len(hit), len(failing)), (len(hits), len(pairs))]


def interval(
    by_project: dict[str, list[Row]], rules: tuple[str, ...], which: int, errors: bool = False
) -> str:
    """Return the 95 % interval of a rate, from projects drawn with repetition."""
    generator, names, values = random.Random(1), sorted(by_project), []
    for _ in range(1000):
        drawn = [row for _ in names for row in by_project[generator.choice(names)]]
        part, whole = rates(drawn, rules, errors)[which]
        if whole:
            values.append(100 * part / whole)
    values.sort()
    last = len(values) - 1
    return f"[{values[last // 40]:.0f}, {values[last - last // 40]:.0f}]" if values else ""


def main() -> int:
    """Print the figures, and with --list the sites that were missed or wrongly named."""
    by_project: dict[str, list[Row]] = {}
    every: list[Row] = []
    for word in sys.argv[1:]:
        if not word.startswith("--"):
            project, truth, audit = word.split("=")
            every += sites(project, truth, audit)
    rows = [row for row in every if row["judged"]]
    for row in rows:
        by_project.setdefault(row["project"], []).append(row)
    print(f"sites that take or give an array: {len(every)}, judged: {len(rows)}")
    for project, of in sorted(by_project.items()):
        says = collections.Counter(row["says"] for row in of)
        failing = sum(1 for row in of if row["failed"])
        hit = sum(1 for row in of if row["failed"] and row["says"] == "fails")
        print(f"{project}: {len(of)} judged, {failing} fail, {hit} found;", sorted(says.items()))
    known = sum(row["says"] not in ("unknown", "arguments") for row in rows)
    print("with evidence, or not found by the scan:", share(known, len(rows)))
    for label, rules in (("fails", ("fails",)), ("fails or depends", ("fails", "depends"))):
        names = ("precision by site", "recall by site", "recall by pair")
        for which, (name, (part, whole)) in enumerate(zip(names, rates(rows, rules))):
            print(f"{label}: {name} {share(part, whole)} {interval(by_project, rules, which)}")
    part, whole = rates(rows, ("fails",), errors=True)[0]
    errors = interval(by_project, ("fails",), 0, errors=True)
    print(f"errors only: precision by site {share(part, whole)} {errors}")
    if "--list" in sys.argv:
        for row in rows:
            if bool(row["failed"]) != (row["says"] == "fails"):
                where = f"{row['project']}/{row['path']}:{row['line']}:{row['column']}"
                why = next(iter(row["why"]), "passes")
                print(where, row["function"], row["says"], row["level"], "|", why)
    return 0


if __name__ == "__main__":
    sys.exit(main())
