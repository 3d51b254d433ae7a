"""Compare labels of real failures with the reasons that portmeter gives to the same executions.

Usage: compare.py LABELS DATABASE ... [--write REASONS.tsv]
       compare.py LABELS REASONS.tsv

The first database that has the labelled execution decides. A line of REASONS.tsv is target,
function, case, reason and rule; --write stores what the databases say in this form.
"""

from __future__ import annotations

import math
import re
import sqlite3
import sys
from collections import Counter
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[3]
#: The fewest letters by which a message counts as known.
SHORTEST = 15
#: Outcomes that are not a failure of a function.
PASSING = ("pass", "not applicable", "harness")
MESSAGES = ROOT / "tests" / "reasons"
RULES = ROOT / "rules" / "reasons.yaml"
EXAMPLE = re.compile(r"""message: (?:'((?:[^']|'')*)'|"((?:[^"\\]|\\.)*)")}""")
REASON = """
SELECT j.reason, j.rule, j.outcome FROM judgement j JOIN execution e ON e.id = j.execution_id
JOIN target t ON t.id = e.target_id JOIN test_case c ON c.id = e.case_id
WHERE t.text = ? AND c.function = ? AND c.name = ? AND t.role = 'subject' AND j.counts = 1
AND e.repetition = 0 AND EXISTS (
  SELECT 1 FROM execution r JOIN judgement k ON k.execution_id = r.id
  JOIN target u ON u.id = r.target_id
  WHERE r.case_id = e.case_id AND r.run_id = e.run_id AND u.text = t.reference
  AND u.role = 'reference' AND k.counts = 1 AND k.outcome = 'pass')
"""


class Failure(NamedTuple):
    """One line of labels."""

    target: str
    function: str
    case: str
    type: str
    message: str
    label: str
    sure: str
    why: str


class Judged(NamedTuple):
    """A failure with the reason of portmeter; '': unclassified."""

    failure: Failure
    reason: str
    rule: str

    @property
    def result(self) -> str:
        """Return ``right``, ``wrong`` or ``unclassified``."""
        if self.reason in ("", "unclassified"):
            return "unclassified"
        return "right" if self.reason == self.failure.label else "wrong"


def begins(text: str) -> str:
    """Return the first 40 letters of a message, by which a known message is recognized."""
    return re.sub(r"[^a-z]", "", text.lower())[:40]


def known() -> set[str]:
    """Return the beginnings of all messages of the sets, and of all examples of the rules."""
    lines = [line for path in MESSAGES.glob("*.tsv") for line in path.read_text().splitlines()]
    cells = [cell for line in lines if not line.startswith("#") for cell in line.split("\t")]
    cells += [one or other for one, other in EXAMPLE.findall(RULES.read_text())]
    return {begins(cell) for cell in cells if len(begins(cell)) >= SHORTEST}


def is_known(message: str, texts: set[str]) -> bool:
    """Return whether a message begins like a known one; an example may be shortened."""
    begin = begins(message)
    return any(begin.startswith(text) or text.startswith(begin) for text in texts)


def wilson(count: int, total: int) -> str:
    """Return a count, its share in percent, and the 95 % interval of the share, as text."""
    z, share = 1.96, count / total
    middle = (share + z * z / (2 * total)) / (1 + z * z / total)
    half = z / (1 + z * z / total) * math.sqrt(share * (1 - share) / total + (z / total / 2) ** 2)
    low, high = max(0.0, middle - half), min(1.0, middle + half)
    return f"{count}: {100 * share:.0f} % ({100 * low:.0f} to {100 * high:.0f})"


def judged(failure: Failure, paths: list[str]) -> Judged | None:
    """Return a labelled failure with its reason; None if it is missing or no longer a failure."""
    for path in paths:
        if path.endswith(".tsv"):
            lines = [line.split("\t") for line in Path(path).read_text().splitlines()]
            rows = [line[3:] for line in lines if tuple(line[:3]) == failure[:3]]
            return Judged(failure, *rows[0]) if rows else None
        store = sqlite3.connect(f"file:{path}?mode=ro", uri=True)
        rows = store.execute(REASON, failure[:3]).fetchall()
        if rows and rows[0][2] not in PASSING:
            return Judged(failure, *rows[0][:2])
        if rows:
            return None
    return None


def main() -> None:
    """Print the shares, the pairs of reasons, and the failures without the right reason."""
    arguments = sys.argv[1:]
    kept = Path(arguments[-1]) if "--write" in arguments else None
    paths = arguments[1 : arguments.index("--write") if kept else None]
    lines = Path(arguments[0]).read_text().splitlines()
    failures = [Failure(*line.split("\t")) for line in lines if not line.startswith("#")]
    found = {failure: judged(failure, paths) for failure in failures}
    all_of = [j for j in found.values() if j]
    for failure in (f for f, j in found.items() if not j):
        print(f"no failure: {failure.target} {failure.function} ({failure.label})")
    if kept:
        rows = ["\t".join((*j.failure[:3], j.reason, j.rule)) + "\n" for j in all_of]
        kept.write_text("".join(rows))
    texts = known()
    groups = {
        "all": all_of,
        "the reader was sure": [j for j in all_of if j.failure.sure == "sure"],
        "no set and no example of a rule has the message": [
            j for j in all_of if not is_known(j.failure.message, texts)
        ],
        "without *not possible by design*": [
            j for j in all_of if j.failure.label != "not possible by design"
        ],
    }
    for target in sorted({j.failure.target for j in all_of}):
        groups[target] = [j for j in all_of if j.failure.target == target]
    for name, group in groups.items():
        results = Counter(j.result for j in group)
        kinds = ("right", "wrong", "unclassified")
        cells = [wilson(results[kind], len(group)) for kind in kinds] if group else []
        families = len({begins(j.failure.message) for j in group})
        print("| " + " | ".join([name, str(len(group)), str(families), *cells]) + " |")
    print()
    pairs = Counter((j.failure.label, j.reason or "unclassified") for j in all_of)
    for (label, reason), count in sorted(pairs.items(), key=lambda p: (p[0][0], -p[1])):
        print(f"| {label} | {reason} | {count} |")
    print()
    for j in all_of:
        if j.result != "right":
            f = j.failure
            print(
                f"| {f.target} | {f.function} | {f.label} | {j.reason or 'unclassified'} |", end=""
            )
            print(f" {j.rule} | {f.sure} | {f.message[:70]} |")


if __name__ == "__main__":
    main()
