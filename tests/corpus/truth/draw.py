"""Draw findings of the rules on device-bound code, so that a person can check them.

``python3 draw.py FOLDER AUDIT.json... [--each N]``: FOLDER is the folder in which the audits ran,
and AUDIT.json an output of ``portmeter audit ... --format json`` there. Prints up to N (10)
findings of each rule, drawn with the seed 1, with their lines of code.
"""

from __future__ import annotations

import argparse
import collections
import json
import random
from pathlib import Path
from typing import Any

OF_EVIDENCE = ("fails", "depends", "arguments", "unknown")


def line_of(folder: Path, finding: dict[str, Any]) -> str:
    """Return the line of code of a finding; for a notebook, the number of the cell."""
    if "cell" in finding:
        return f"(cell {finding['cell']})"
    text = (folder / finding["file"]).read_text(encoding="utf-8", errors="replace")
    return text.split("\n")[finding["line"] - 1].strip()


def main() -> None:
    """Print the drawn findings."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("audits", nargs="+", type=Path)
    parser.add_argument("--each", type=int, default=10)
    arguments = parser.parse_args()
    by_rule: dict[str, dict[Any, Any]] = collections.defaultdict(dict)
    for audit in arguments.audits:
        for finding in json.loads(audit.read_text(encoding="utf-8"))["findings"]:
            if finding["rule"] not in OF_EVIDENCE:
                place = (finding["file"], finding["line"], finding["column"])
                by_rule[finding["rule"]].setdefault(place, finding)
    generator = random.Random(1)
    for rule, findings in sorted(by_rule.items()):
        places = sorted(findings)
        drawn = sorted(generator.sample(places, min(arguments.each, len(places))))
        print(f"{rule}: {len(places)} findings")
        for place in drawn:
            finding = findings[place]
            guarded = " guarded" if finding["guarded"] else ""
            text = line_of(arguments.folder, finding)
            level = finding["level"] + guarded
            print(f"  {place[0]}:{place[1]} {level} {finding['function']} | {text}")


if __name__ == "__main__":
    main()
