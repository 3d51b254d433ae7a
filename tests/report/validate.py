"""Checks reports against docs/report.schema.json, and that no member of a version is missing.

``python validate.py SCHEMA GOLDEN REPORT...``: GOLDEN and each REPORT match the schema, and each
REPORT that is called ``full.json`` has every member, table and column that GOLDEN has. Supports
only the keywords that the schemas use: type, const, enum, required, properties,
additionalProperties, items, minItems, pattern, minimum, maximum, exclusiveMaximum, oneOf, $ref,
$defs.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

TYPES = {
    "object": dict,
    "array": list,
    "string": str,
    "integer": int,
    "number": (int, float),
    "boolean": bool,
    "null": type(None),
}
KNOWN = {"$schema", "$id", "title", "description", "$defs", "$ref", "type", "const", "enum"}
KNOWN |= {"required", "properties", "items", "oneOf", "additionalProperties", "minItems"}
KNOWN |= {"pattern", "minimum", "maximum", "exclusiveMaximum"}


def is_of(value: Any, name: str) -> bool:
    """Return whether a value has a type of JSON Schema: true and false are not numbers."""
    if isinstance(value, bool):
        return name == "boolean"
    return isinstance(value, TYPES[name])


def others(
    value: dict[str, Any], schema: dict[str, Any], root: dict[str, Any], at: str
) -> Iterator[str]:
    """Yield a line for each error of members that `properties` does not name."""
    rule = schema.get("additionalProperties", True)
    for name in value.keys() - schema.get("properties", {}).keys():
        if rule is False:
            yield f"{at}: unknown member {name!r}"
        elif rule is not True:
            yield from errors(value[name], rule, root, f"{at}.{name}")


def limits(value: Any, schema: dict[str, Any], at: str) -> Iterator[str]:
    """Yield a line for each limit or pattern that a value violates."""
    if isinstance(value, str) and not re.search(schema.get("pattern", ""), value):
        yield f"{at}: does not match {schema['pattern']}: {value!r:.60}"
    if isinstance(value, list) and len(value) < schema.get("minItems", 0):
        yield f"{at}: has fewer than {schema['minItems']} items"
    if is_of(value, "number") and not (
        schema.get("minimum", value) <= value <= schema.get("maximum", value)
        and value < schema.get("exclusiveMaximum", value + 1)
    ):
        yield f"{at}: {value} is out of range"


def errors(value: Any, schema: dict[str, Any], root: dict[str, Any], at: str) -> Iterator[str]:
    """Yield a line for each error of a value."""
    if unknown := set(schema) - KNOWN:
        yield f"{at}: the schema uses {sorted(unknown)}, which this cannot check"
    if "$ref" in schema:
        yield from errors(value, root["$defs"][schema["$ref"].rsplit("/", 1)[1]], root, at)
    names = schema.get("type", [])
    names = [names] if isinstance(names, str) else names
    if names and not any(is_of(value, name) for name in names):
        yield f"{at}: not of type {names}: {value!r:.60}"
        return
    if "const" in schema and value != schema["const"]:
        yield f"{at}: not {schema['const']!r}"
    if "enum" in schema and value not in schema["enum"]:
        yield f"{at}: not one of {schema['enum']}: {value!r:.60}"
    yield from limits(value, schema, at)
    if isinstance(value, dict):
        yield from others(value, schema, root, at)
        for name in schema.get("required", []):
            if name not in value:
                yield f"{at}: no member {name!r}"
        for name, member in schema.get("properties", {}).items():
            if name in value:
                yield from errors(value[name], member, root, f"{at}.{name}")
    if isinstance(value, list) and "items" in schema:
        for i, item in enumerate(value):
            yield from errors(item, schema["items"], root, f"{at}[{i}]")
    if "oneOf" in schema:
        found = [list(errors(value, one, root, at)) for one in schema["oneOf"]]
        if sum(not wrong for wrong in found) != 1:
            yield f"{at}: not one of the forms: {min(found, key=len)}"


def members(report: dict[str, Any]) -> set[str]:
    """Return the parts that programs may rely on: members, tables, columns with kinds and units."""
    found = set(report)
    for name in ("runs", "targets"):
        found |= {f"{name}.{key}" for item in report.get(name, []) for key in item}
    for name, items in report.get("headline", {}).items():
        found |= {f"headline.{name}.{key}" for item in items for key in item}
    for part in report["parts"]:
        for column in part.get("table", {}).get("columns", []):
            table = part["table"]["id"]
            found.add(f"{table}.{column['id']} {column['kind']} {column['unit']}")
    return found


def main() -> int:
    """Check the files and print a line for each error; return 1 if there is one."""
    schema, golden, *reports = (json.loads(Path(name).read_text()) for name in sys.argv[1:])
    wrong = [f"golden{e}" for e in errors(golden, schema, schema, "")]
    for name, report in zip(sys.argv[3:], reports, strict=True):
        wrong += [f"{name}{e}" for e in errors(report, schema, schema, "")]
        if Path(name).name == "full.json":
            lost = sorted(members(golden) - members(report))
            wrong += [f"{name}: {member} is gone: use a new version" for member in lost]
    print("\n".join(wrong) or f"{len(reports) + 1} valid")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
