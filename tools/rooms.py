"""The law of src/: its wings, the rooms of each, and which wings each wing may use.

A wing is a folder of rooms and an include folder, so that an include says "room/file.h". Wings and
rooms are listed in an order that is part of the law: a wing uses wings above it only, and a room
may use the rooms before it in its wing. Pure rooms use nothing of other wings but the foundation,
and of their own wing only pure rooms. To add a room: its name here, in meson.build's list and in
ARCHITECTURE.md's table, all in the same order, and a README.md; one line in the README of its wing.
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
    """Rooms that a room may use, without itself."""
    wing = WING[room]
    own = WINGS[wing][: WINGS[wing].index(room)]
    if room in PURE:
        return {*WINGS["foundation"]} | {other for other in own if other in PURE}
    return {*own, *(other for used in USES[wing] for other in WINGS[used])}


MAY_USE = {room: may_use(room) for room in WING}


def disorder() -> list[str]:
    """Rows that allow a wing that is not above them: the law would allow a circle."""
    wings = list(WINGS)
    return [
        f"{wing}: may use '{used}', which does not come before it"
        for at, wing in enumerate(wings)
        for used in sorted(USES[wing])
        if used not in wings[:at]
    ]


def by_room(src: Path) -> dict[str, Path]:
    """Give the path of each C source below src/, by room/file, which is how an include names it."""
    return {"/".join(path.relative_to(src).parts[-2:]): path for path in sources(src)}


def path_of(source: str) -> str:
    """Path of a source that is written room/file, from the top of the tree."""
    return f"src/{WING.get(source.split('/')[0], '?')}/{source}"
