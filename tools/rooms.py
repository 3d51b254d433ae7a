"""The room law: which rooms of src/ there are, and which others each may use.

The order is part of the law: a room uses rooms above it only. To add a room: a row here, in
meson.build's list and in the table of ARCHITECTURE.md, all in the same order, and a README.md.
"""

from __future__ import annotations

from pathlib import Path

from csource import sources

WINGS: dict[str, list[str]] = {
    "foundation": ["base", "process", "array", "stat"],
    "storage": ["store", "merge"],
    "code": ["pylex", "inventory", "resolve", "types", "corpus"],
    "cases": ["sample", "suite", "names"],
    "judging": ["judge", "assess"],
    "measuring": ["pool", "environment", "measure"],
    "results": [
        "report",
        "changes",
        "published",
        "usage",
        "reading",
        "explain",
        "sides",
        "tables",
    ],
    "commands": ["survey", "core", "cli"],
}
WING = {room: wing for wing, rooms in WINGS.items() for room in rooms}

MAY_USE: dict[str, set[str]] = {
    "base": set(),
    "process": {"base"},
    "array": {"base"},
    "stat": {"base"},
    "pylex": {"base"},
    "inventory": {"base"},
    "resolve": {"base", "pylex", "inventory"},
    "types": {"base", "pylex", "inventory", "resolve"},
    "corpus": {"base", "pylex", "resolve", "types"},
    "sample": {"base", "stat"},
    "suite": {"base", "array"},
    "pool": {"base", "process"},
    "environment": {"base", "process"},
    "judge": {"base", "array", "stat"},
    "store": {"base"},
    "report": {"base", "process", "stat"},
    "changes": {"base", "report", "stat"},
    "published": {"base", "report", "store"},
    "merge": {"base", "store"},
    "names": {"base", "environment", "inventory", "sample", "store"},
    "measure": {
        "base",
        "array",
        "environment",
        "judge",
        "names",
        "pool",
        "report",
        "store",
        "suite",
    },
    "assess": {"base", "array", "judge", "names", "sample", "stat", "store"},
    "usage": {"base", "inventory", "names", "report", "sample", "store"},
    "reading": {"base", "inventory", "judge", "names", "sample", "stat", "store", "assess"},
    "explain": {"base", "array", "environment", "process", "reading", "report", "store"},
    "sides": {
        "base",
        "changes",
        "inventory",
        "judge",
        "names",
        "published",
        "reading",
        "report",
        "sample",
        "stat",
        "store",
    },
    "tables": {
        "base",
        "array",
        "changes",
        "inventory",
        "judge",
        "names",
        "published",
        "reading",
        "report",
        "sample",
        "sides",
        "stat",
        "store",
        "usage",
    },
    "survey": {
        "base",
        "corpus",
        "environment",
        "inventory",
        "names",
        "report",
        "resolve",
        "sample",
        "store",
        "suite",
        "tables",
        "usage",
        "types",
    },
}
MAY_USE["core"] = set(MAY_USE)
MAY_USE["cli"] = {
    "base",
    "published",
    "merge",
    "measure",
    "assess",
    "explain",
    "tables",
    "survey",
    "core",
}


def disorder() -> list[str]:
    """Rows that allow a room that is not above them: the law would allow a circle."""
    rooms = list(MAY_USE)
    return [
        f"{room}: may use '{used}', which does not come before it"
        for at, room in enumerate(rooms)
        for used in sorted(MAY_USE[room])
        if used not in rooms[:at]
    ]


def by_room(src: Path) -> dict[str, Path]:
    """Give the path of each C source below src/, by room/file, which is how an include names it."""
    return {"/".join(path.relative_to(src).parts[-2:]): path for path in sources(src)}


def path_of(source: str) -> str:
    """Path of a source that is written room/file, from the top of the tree."""
    return f"src/{WING.get(source.split('/')[0], '?')}/{source}"
