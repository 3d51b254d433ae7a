"""Print fields of a table's rows, one row per line: facts of a report, without its wording.

Usage: ``portmeter report --table TABLE --format json ... | python3 facts.py FIELD...``. The first
field is printed alone, every other field as NAME=VALUE. A field is the id of a column in JSON.
"""

import json
import sys


def main(fields: list[str]) -> None:
    """Print the rows of every table of the document on stdin."""
    for part in json.load(sys.stdin)["parts"]:
        for row in part.get("table", {}).get("rows", []):
            first, *others = fields
            print(row[first], *(f"{field}={json.dumps(row[field])}" for field in others))


main(sys.argv[1:])
