"""Draw real failures, one per function and target, without the reasons that portmeter gave.

Usage: draw.py SEED MOST DATABASE ...   (prints a JSON object a line)
"""

from __future__ import annotations

import json
import random
import sqlite3
import sys
from collections import defaultdict
from typing import Any

FAILURES = """
SELECT t.text, c.function, c.name, j.outcome, j.stage, j.detail, e.result, e.ending_text,
  c.definition
FROM judgement j JOIN execution e ON e.id = j.execution_id JOIN target t ON t.id = e.target_id
JOIN test_case c ON c.id = e.case_id
WHERE j.outcome NOT IN ('pass', 'not applicable', 'harness') AND j.counts = 1 AND t.role = 'subject'
AND e.repetition = 0 AND EXISTS (
  SELECT 1 FROM execution r JOIN judgement k ON k.execution_id = r.id
  JOIN target u ON u.id = r.target_id
  WHERE r.case_id = e.case_id AND r.run_id = e.run_id AND u.text = t.reference
  AND u.role = 'reference'
  AND k.counts = 1 AND k.outcome = 'pass')
ORDER BY t.text, c.function, c.name
"""


def failures(paths: list[str]) -> dict[tuple[str, str], list[Any]]:
    """Return failing cases by target and function, each from the first database that has any."""
    pairs: dict[tuple[str, str], list[Any]] = {}
    for path in paths:
        of: dict[tuple[str, str], list[Any]] = defaultdict(list)
        for row in sqlite3.connect(f"file:{path}?mode=ro", uri=True).execute(FAILURES):
            of[row[0], row[1]].append(row)
        pairs = {**of, **pairs}
    return pairs


def drawn(pairs: dict[tuple[str, str], list[Any]], seed: int, most: int) -> list[Any]:
    """Draw a case for each target and function, then a share of these cases of each target."""
    source = random.Random(seed)
    by_target: dict[str, list[Any]] = defaultdict(list)
    for key in sorted(pairs):
        by_target[key[0]].append(source.choice(pairs[key]))
    share = min(1.0, most / max(1, len(pairs)))
    return [
        row
        for target in sorted(by_target)
        for row in source.sample(by_target[target], round(share * len(by_target[target])))
    ]


def main() -> None:
    """Print the drawn failures in the order of the draw."""
    seed, most, paths = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3:]
    for target, function, case, outcome, stage, detail, result, ending, definition in drawn(
        failures(paths), seed, most
    ):
        raised = json.loads(result or "{}").get("raised") or {}
        line = {
            "target": target,
            "function": function,
            "case": case,
            "outcome": outcome,
            "stage": stage,
            "type": raised.get("type", ""),
            "message": raised.get("message", "") or ending or detail,
            "traceback": raised.get("traceback", ""),
            "definition": json.loads(definition),
        }
        print(json.dumps(line))


if __name__ == "__main__":
    main()
