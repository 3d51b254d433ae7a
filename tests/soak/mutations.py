"""Seeded mutations of a database: bytes, cells and rows, as damage or an attacker could make them.

`mutate` chooses a mutation and changes the file in place. Cells are written through SQLite while
the schema's constraints are removed, and these are put back afterwards, so that the file contains
values that the schema forbids.
"""

from __future__ import annotations

import json
import random
import sqlite3
import struct
from pathlib import Path
from typing import Any

#: Extreme values of each type of SQLite, against which every column must be checked.
WHOLE = [
    *(0, 1, -1, -5, 2, 7, 255, 10**6, 10**6 + 1, 2_000_000_000),
    *(2**31 - 1, 2**31, -(2**31), 2**53 + 1, 2**63 - 1, -(2**63)),
]
REAL = [0.5, -0.5, 1e300, -1e300, 1e-320, float("inf"), float("-inf"), 9.3e18, -0.0]
TEXT = [
    *("", "x", "0", "-1", "1e300", "nan", "a\nb", "\x1b[2J", "\u202egnp", "\u2028", "%s%n", "'"),
    *("../../etc", "done", "todo", "pass", "subject", "float32", "null@null", "long " * 20000),
]
JSON_TEXT = [
    *("[", "{}", "[]", "null", "7", "[1e300]", "[-1]", '["x"]', "[" * 3000, "{" * 3000),
    *(
        "[9223372036854775808]",
        "[[[]]]",
        '{"a":1,"a":2}',
        '"\\ud800"',
        "[1,]",
        "[0" + ",0" * 9999 + "]",
    ),
    *("[-9223372036854775808]", "[4611686018427387904,4]", "[0,9223372036854775807]", '{"x":NaN}'),
]
JSON_VALUES = [None, True, [], {}, "", "x", *WHOLE, 1e300, -1e300, 0.5, [[]], ["x"], {"x": 1}]


def zstd_bomb(mebibytes: int) -> bytes:
    """Return a Zstandard frame of few bytes that unpacks to zeros.

    Parameters
    ----------
    mebibytes
        Number of MiB of zeros.
    """
    window, block = 0x50, 128 << 10  # a window of 1 MiB; the most bytes of a block
    count = mebibytes * 8
    frame = struct.pack("<IBBQ", 0xFD2FB528, 0xC0, window, count * block)
    for i in range(count):
        last, run_length = i == count - 1, 1
        frame += (block << 3 | run_length << 1 | last).to_bytes(3, "little") + b"\0"
    return frame


def wild_blob(rng: random.Random) -> bytes:
    """Return bytes for a column that holds a packed value."""
    choice = rng.randrange(4)
    if choice == 0:
        return b""
    if choice == 1:
        return zstd_bomb(rng.choice([1, 64, 4096]))
    return rng.randbytes(rng.choice([1, 4, 100, 70000]))


def wild_value(rng: random.Random) -> Any:
    """Return a value of any type."""
    kind = rng.randrange(6)
    if kind == 0:
        return None
    if kind == 1:
        return rng.choice(REAL)
    if kind == 2:
        return wild_blob(rng)
    if kind == 3:
        return rng.choice(TEXT)
    return rng.choice(JSON_TEXT if kind == 4 else WHOLE)


def change_json(rng: random.Random, value: Any) -> Any:
    """Return a JSON value in which one node is replaced, removed or repeated."""
    if isinstance(value, dict) and value and rng.random() < 0.9:
        key = rng.choice(sorted(value))
        copy = dict(value)
        if rng.random() < 0.1:
            del copy[key]
        else:
            copy[key] = change_json(rng, value[key])
        return copy
    if isinstance(value, list) and value and rng.random() < 0.9:
        at = rng.randrange(len(value))
        if rng.random() < 0.1:
            return value[:at] + value[at + 1 :]
        if rng.random() < 0.1:
            return value + value
        return [*value[:at], change_json(rng, value[at]), *value[at + 1 :]]
    return rng.choice(JSON_VALUES)


def near_value(rng: random.Random, old: Any, others: list[Any]) -> Any:
    """Return a value like the old one: changed a little, or from a different row."""
    if isinstance(old, str) and old[:1] in ("{", "["):
        try:
            return json.dumps(change_json(rng, json.loads(old)))
        except ValueError:
            return rng.choice(JSON_TEXT)
    if rng.random() < 0.3:
        return rng.choice(others)
    if isinstance(old, int):
        return old + rng.choice([1, -1, 2, -old - 1, 10**9])
    if isinstance(old, float):
        return rng.choice([-old, old * 1e300, 0.0])
    if isinstance(old, str):
        at = rng.randrange(len(old) + 1)
        return old[:at] + rng.choice(["", "\x07", "\u202e", "Z", "]", '"', "\\"]) + old[at + 1 :]
    return wild_value(rng)


def quoted(name: str) -> str:
    """Return the quoted name of a table or a column."""
    return '"' + name.replace('"', '""') + '"'


class Cells:
    """A database whose constraints are switched off while it is open.

    STRICT and NOT NULL are part of a table's text: they are removed from it, and `close` restores
    the text byte for byte.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.texts = self._rewrite(
            lambda text: text.replace(" NOT NULL", "").replace(") STRICT", ")")
        )
        self.db = self._open()
        self.tables = {
            name: [row[1] for row in self.db.execute(f"PRAGMA table_info({quoted(name)})")]
            for (name,) in self.db.execute("SELECT name FROM sqlite_schema WHERE type = 'table'")
            if not name.startswith("sqlite_")
        }

    def _open(self) -> sqlite3.Connection:
        db = sqlite3.connect(self.path, isolation_level=None)
        db.executescript(
            "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA foreign_keys = OFF;"
            "PRAGMA ignore_check_constraints = ON; PRAGMA writable_schema = ON"
        )
        return db

    def _rewrite(self, change: Any) -> dict[str, str]:
        """Change the texts of the tables; return them as they were."""
        db = self._open()
        texts = dict(db.execute("SELECT name, sql FROM sqlite_schema WHERE type = 'table'"))
        for name, text in texts.items():
            if text:
                db.execute("UPDATE sqlite_schema SET sql = ? WHERE name = ?", (change(text), name))
        db.close()
        return texts

    def close(self) -> None:
        """Put the constraints back."""
        self.db.close()
        db = self._open()
        for name, text in self.texts.items():
            db.execute("UPDATE sqlite_schema SET sql = ? WHERE name = ?", (text, name))
        db.close()

    def filled(self, rng: random.Random) -> str:
        """Return a random table that has rows."""
        names = [
            name
            for name in sorted(self.tables)
            if self.db.execute(f"SELECT 1 FROM {quoted(name)} LIMIT 1").fetchone()
        ]
        return rng.choice(names)

    def overwrite(self, rng: random.Random) -> str:
        """Overwrite one cell, or a column; return a description of the change."""
        table = self.filled(rng)
        column = rng.choice(self.tables[table])
        t, c = quoted(table), quoted(column)
        values = [value for (value,) in self.db.execute(f"SELECT {c} FROM {t}")]
        at = rng.randrange(len(values))
        value = near_value(rng, values[at], values) if rng.random() < 0.6 else wild_value(rng)
        keys = [quoted(name) for name in self.tables[table]]
        row = self.db.execute(f"SELECT {', '.join(keys)} FROM {t} LIMIT 1 OFFSET {at}").fetchone()
        where = " AND ".join(f"{key} IS ?" for key in keys)
        everywhere = rng.random() < 0.1
        try:
            if everywhere:
                self.db.execute(f"UPDATE {t} SET {c} = ?", (value,))
            else:
                self.db.execute(f"UPDATE {t} SET {c} = ? WHERE {where}", (value, *row))
        except (sqlite3.Error, OverflowError) as error:
            return f"{table}.{column}: {error}"
        return f"{table}.{column} = {str(value)[:60]!r}{' everywhere' if everywhere else ''}"

    def change_rows(self, rng: random.Random) -> str:
        """Remove rows, or repeat one under a new key; return a description of the change."""
        table = self.filled(rng)
        t = quoted(table)
        count = self.db.execute(f"SELECT count(*) FROM {t}").fetchone()[0]
        at = rng.randrange(count)
        choice = rng.randrange(3)
        if choice == 0:
            self.db.execute(f"DELETE FROM {t}")
            return f"{table}: no rows"
        row = list(self.db.execute(f"SELECT * FROM {t} LIMIT 1 OFFSET {at}").fetchone())
        where = " AND ".join(f"{quoted(name)} IS ?" for name in self.tables[table])
        if choice == 1:
            self.db.execute(f"DELETE FROM {t} WHERE {where}", row)
            return f"{table}: without row {at}"
        for i, value in enumerate(row):
            if isinstance(value, int) and rng.random() < 0.5:
                row[i] = value + rng.choice([1, 1000, -1])
        marks = ", ".join("?" * len(row))
        try:
            self.db.execute(f"INSERT INTO {t} VALUES ({marks})", row)
        except (sqlite3.Error, OverflowError) as error:
            return f"{table}: {error}"
        return f"{table}: row {at} again as {str(row)[:60]}"


def mutate_cells(path: Path, rng: random.Random) -> str:
    """Overwrite cells and change rows, one to three times; return a description of the changes."""
    cells = Cells(path)
    try:
        done = [
            cells.overwrite(rng) if rng.random() < 0.85 else cells.change_rows(rng)
            for _ in range(rng.choice([1, 1, 2, 3]))
        ]
    finally:
        cells.close()
    return "; ".join(done)


def mutate_version(path: Path, rng: random.Random) -> str:
    """Change the file's schema version or application id; return a description of the change."""
    data = bytearray(path.read_bytes())
    at = rng.choice([60, 68])
    value = rng.choice([0, 1, 2, 3, 4, 99, 2**31, 2**32 - 1])
    data[at : at + 4] = struct.pack(">I", value)
    path.write_bytes(data)
    return f"{'user_version' if at == 60 else 'application_id'} = {value}"


def mutate_bytes(path: Path, rng: random.Random) -> str:
    """Flip bits, overwrite a range or exchange pages; return a description of the change."""
    data = bytearray(path.read_bytes())
    choice = rng.randrange(4)
    if choice == 3:
        size = 4096
        one, two = (size * rng.randrange(len(data) // size) for _ in range(2))
        data[one : one + size], data[two : two + size] = (
            data[two : two + size],
            data[one : one + size],
        )
        done = f"pages at {one} and {two} exchanged"
    elif choice == 2:
        at, length = rng.randrange(len(data)), rng.choice([1, 16, 512, 4096])
        length = min(length, len(data) - at)
        data[at : at + length] = rng.choice(
            [bytes(length), b"\xff" * length, rng.randbytes(length)]
        )
        done = f"{length} bytes at {at} overwritten"
    else:
        places = [
            rng.randrange(100 if choice else len(data)) for _ in range(rng.choice([1, 3, 20]))
        ]
        for at in places:
            data[at] ^= 1 << rng.randrange(8)
        done = f"bits flipped at {places}"
    path.write_bytes(data)
    return done


def mutate_length(path: Path, rng: random.Random) -> tuple[str, bool]:
    """Cut the file, or append to it; return a description, and whether the file is whole."""
    data = path.read_bytes()
    choice = rng.randrange(4)
    if choice == 0:
        data += rng.randbytes(rng.choice([1, 511, 512, 4096]))
    elif choice == 1:
        data = data[: -rng.randint(1, 100)]
    elif choice == 2:
        data = data[: rng.randrange(len(data))]
    else:
        data = data[: 4096 * rng.randrange(len(data) // 4096)]
    path.write_bytes(data)
    return f"length {len(data)}", choice == 0


def mutate(path: Path, rng: random.Random) -> tuple[str, bool]:
    """Mutate the database at `path`.

    Returns
    -------
    done
        A description of the change.
    whole
        False if the file is shorter than its header says, so that it must be refused.
    """
    kind = rng.random()
    if kind < 0.12:
        return mutate_length(path, rng)
    if kind < 0.16:
        return mutate_version(path, rng), True
    if kind < 0.36:
        return mutate_bytes(path, rng), True
    return mutate_cells(path, rng), True
