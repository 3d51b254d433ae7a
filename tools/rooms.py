"""The law of src/: its wings, the rooms of each, and which wings each wing may use.

A wing is a folder of rooms and an include folder, so that an include says "room/file.h". The order
of wings and rooms is part of the law: a wing may use only wings above it, and a room may use the
rooms before it in its wing. A pure room uses only the foundation and, in its own wing, other pure
rooms. To add a room, add its name here, to meson.build's list and to ARCHITECTURE.md's table, all
in the same order; write its README.md; and add a line to the README of its wing.
"""

from __future__ import annotations

from pathlib import Path

from csource import sources

WINGS: dict[str, list[str]] = {
    "foundation": ["base", "process", "array", "stat", "text"],
    "storage": ["store", "merge"],
    "code": ["pylex", "inventory", "resolve", "types", "corpus"],
    "cases": ["sample", "suite", "census", "record"],
    "judging": ["judge", "assess"],
    "measuring": ["pool", "environment", "measure"],
    "results": [
        "report",
        "changes",
        "published",
        "forecast",
        "usage",
        "reading",
        "explain",
        "audit",
        "compare",
        "history",
        "paper",
        "tables",
    ],
    "commands": ["survey", "core", "submit", "cli"],
}
USES: dict[str, set[str]] = {
    "foundation": set(),
    "storage": {"foundation"},
    "code": {"foundation", "storage"},
    "cases": {"foundation", "storage", "code"},
    "judging": {"foundation", "storage", "cases"},
    "measuring": {"foundation", "storage", "cases", "judging"},
    "results": {"foundation", "storage", "code", "cases", "judging", "measuring"},
    "commands": set(WINGS) - {"commands"},
}
PURE = {"pylex", "suite", "judge", "pool", "environment", "report", "changes"}
WING = {room: wing for wing, rooms in WINGS.items() for room in rooms}


def may_use(room: str) -> set[str]:
    """Return the rooms that a room may use, without itself."""
    wing = WING[room]
    own = WINGS[wing][: WINGS[wing].index(room)]
    if room in PURE:
        return {*WINGS["foundation"]} | {other for other in own if other in PURE}
    return {*own, *(other for used in USES[wing] for other in WINGS[used])}


MAY_USE = {room: may_use(room) for room in WING}


def disorder() -> list[str]:
    """Return contradictions in the law: wings that may use a wing that is not above them."""
    wings = list(WINGS)
    return [
        f"{wing}: may use '{used}', which does not come before it"
        for at, wing in enumerate(wings)
        for used in sorted(USES[wing])
        if used not in wings[:at]
    ]


def by_room(src: Path) -> dict[str, Path]:
    """Return the path of each C source in src/ by room/file, the name in an include."""
    return {"/".join(path.relative_to(src).parts[-2:]): path for path in sources(src)}


def path_of(source: str) -> str:
    """Return the path, from the top of the tree, of a source that is written room/file."""
    return f"src/{WING.get(source.split('/')[0], '?')}/{source}"
