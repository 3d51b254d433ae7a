"""Makes large databases for benchmarks: copies of the rows of a small run with the null framework.

The rows are copies, so they always fit the current schema.
"""

from __future__ import annotations

import contextlib
import sqlite3
import subprocess
from pathlib import Path
from typing import NamedTuple

import measure

DTYPES = ("float16", "bfloat16", "float32", "float64", "int32")
SUITE = """function: null.f
cases:
  - {name: a, inputs: {x: "float32[8] normal"}, call: ok}
"""


class Size(NamedTuple):
    """How much a database contains."""

    functions: int
    subjects: int  # targets besides the reference
    cases: int  # of each function
    repetitions: int  # of each case on each target

    def results(self) -> int:
        """Return the number of results."""
        return self.functions * (self.subjects + 1) * self.cases * self.repetitions


def begin(folder: Path) -> Path:
    """Measure one case with the null framework; other databases get copies of its rows."""
    suite, database = folder / "suite", folder / "begun.db"
    suite.mkdir()
    (suite / "null.f.yaml").write_text(SUITE)
    command = [measure.program(), "run", "--target", "null@null", "--suite", str(suite)]
    command += ["--warm", "timings=3,least=2", "--repetitions", "5", "--db", str(database)]
    ended = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if ended.returncode != 0:
        measure.fail(f"'{' '.join(command)}' ended with status {ended.returncode}: {ended.stdout}")
    return database


class Rows:
    """Fills the tables of a database with changed copies of one measured row each."""

    def __init__(self, db: sqlite3.Connection) -> None:
        self.db = db

    def take(self, table: str, where: str = "1") -> None:
        """Store one row of a table as its model, and delete all rows of the table."""
        self.db.execute(
            f"CREATE TEMP TABLE model_{table} AS SELECT * FROM {table} WHERE {where} LIMIT 1"
        )
        if not self.db.execute(f"SELECT count(*) FROM model_{table}").fetchone()[0]:
            measure.fail(f"the measured run has no {table}")
        self.db.execute(f"DELETE FROM {table}")

    def fill(self, table: str, source: str, **columns: str) -> None:
        """Add a row for each row of `source`; `columns` are expressions on it and on the model `m`.

        All other columns are copied from the model.
        """
        names = [row[1] for row in self.db.execute(f"PRAGMA table_info({table})")]
        values = [columns.get(name, f"m.{name}") for name in names]
        self.db.execute(
            f"INSERT INTO {table} ({', '.join(names)}) SELECT {', '.join(values)}"
            f" FROM {source}, model_{table} m"
        )


def outcome_of(target: int, function: int, case: int) -> tuple[str, str, str, str, str]:
    """Return outcome, stage, message, reason and rule of a case: most cases pass, some fail."""
    dice = (function * 7919 + target * 104729) % 100
    if target == 0 or dice >= 18 or (dice >= 10 and case % 3):
        return "pass", "", "", "", ""
    if dice < 6:
        message = f"NotImplementedError: no kernel of f{function} for device {target}"
        return "fail", "run", message, "not implemented", "no-kernel"
    if dice < 14:
        message = f"out: {case + 1} of 64 elements differ, largest at [{case}]: 1.5 for 1.25"
        return "fail", "compare", message, "wrong result", "compared"
    return "crash", "run", "ended by SIGSEGV", "crash", "signal"


def plan_rows(size: Size) -> list[tuple]:
    """Return target, function, case and outcome of each case on each target."""
    return [
        (target, function, case, *outcome_of(target, function, case))
        for target in range(size.subjects + 1)
        for function in range(size.functions)
        for case in range(size.cases)
    ]


def make(begun: Path, database: Path, size: Size, number: int = 0) -> None:
    """Make a database of this size; `number` makes its run and functions unique."""
    database.write_bytes(begun.read_bytes())
    with contextlib.closing(sqlite3.connect(database)) as db:
        db.executescript("PRAGMA foreign_keys = OFF; PRAGMA synchronous = OFF")
        db.execute("CREATE TEMP TABLE plan (t, f, c, outcome, stage, detail, reason, rule)")
        db.executemany("INSERT INTO plan VALUES (?, ?, ?, ?, ?, ?, ?, ?)", plan_rows(size))
        db.execute("CREATE TEMP TABLE rep (r)")
        db.executemany("INSERT INTO rep VALUES (?)", [(r,) for r in range(size.repetitions)])
        fill(Rows(db), size, number)
        db.execute("UPDATE run SET uuid = ?", (f"{number:032x}",))
        db.commit()
        db.execute("VACUUM")


def fill(rows: Rows, size: Size, number: int) -> None:
    """Fill every table that a measured and judged run fills."""
    rows.db.execute("UPDATE target SET id = 1000 + (role = 'subject')")
    rows.take("target", "role = 'subject'")
    subject = "iif(t = 0, 'reference', 'subject')"
    text = "iif(t = 0, 'null@host', 'null@' || iif(t = 1, 'null', 'd' || t))"
    rows.fill(
        "target", "(SELECT DISTINCT t FROM plan) p", id="t + 1", role=subject,
        text=text, reference="iif(t = 0, '', 'null@host')",
    )  # fmt: skip
    for table in ("execution", "child", "test_case", "leaf", "timing"):
        rows.take(table)
    for table in ("judgement", "judged_case", "judged_run"):
        rows.take(table)
    rows.take("verdict", "verdict = 'works'")
    rows.take("statistic", "scope = 'case'")
    rows.db.execute("DELETE FROM planted_fault")
    function = f"printf('null.f%02d_%04d', {number}, f)"
    name = "'c' || c"
    dtypes = " ".join(f"WHEN {i} THEN '{dtype}'" for i, dtype in enumerate(DTYPES))
    case, of_target = f"f * {size.cases} + c + 1", "t + 1"
    rows.fill(
        "test_case", "(SELECT f, c FROM plan WHERE t = 0) p", id=case,
        digest=f"printf('%032x', {number} * 1000000000 + {case})", function=function, name=name,
        dtype=f"CASE c % {len(DTYPES)} {dtypes} END",
    )  # fmt: skip
    child = f"(t * {size.functions} + f) * {size.repetitions} + r + 1"
    rows.fill(
        "child", "(SELECT DISTINCT t, f FROM plan) p, rep", id=child, target_id=of_target,
        pid="1000 + r",
    )  # fmt: skip
    execution = f"((t * {size.functions} + f) * {size.cases} + c) * {size.repetitions} + r + 1"
    rows.fill(
        "execution", "plan p, rep", id=execution, target_id=of_target, case_id=case,
        child_id=child, repetition="r", retry="''", shared="c > 0",
    )  # fmt: skip
    rows.fill("leaf", "plan p, rep", execution_id=execution, kept="0")
    rows.fill(
        "timing", "plan p, rep", execution_id=execution,
        times="printf('[%d,%d,%d]', 900 + r * 7 + f % 300, 905 + r * 5, 910 + f % 300)",
    )  # fmt: skip
    rows.fill(
        "judgement", "plan p, rep", execution_id=execution, counts="1", case_counts="1",
        **{column: f"p.{column}" for column in ("outcome", "stage", "detail", "reason", "rule")},
    )  # fmt: skip
    judged_cases(rows, size.repetitions, case, of_target)
    passed = "sum(outcome = 'pass')"
    bad = f"iif({passed} = 0, 'fails', 'partly')"
    word = f"iif({passed} = {size.cases}, 'works', {bad})"
    first = ", ".join(f"max({column}) AS {column}" for column in ("detail", "reason", "rule"))
    rows.fill(
        "verdict",
        f"(SELECT t, f, {passed} AS good, {word} AS word, {first} FROM plan GROUP BY t, f) p",
        target_id=of_target, function=function, verdict="word", verdict_paper="word",
        counted=str(size.cases), passed="good", flaky="0", core=str(size.cases),
        core_passed="good",
        **{column: f"p.{column}" for column in ("detail", "reason", "rule")},
    )  # fmt: skip
    statistics(rows, size.repetitions, function, name)


def judged_cases(rows: Rows, repetitions: int, case: str, of_target: str) -> None:
    """Add the sums of the judgements of each case, as judging stores them."""
    passes = "p.outcome = 'pass'"
    rows.fill(
        "judged_case", "plan p", target_id=of_target, case_id=case, judged=str(repetitions),
        repetitions=str(repetitions), passed=f"iif({passes}, {repetitions}, 0)",
        failed=f"iif({passes}, 0, {repetitions})", blocked="0", counts="1", alike="1",
        error=f"iif({passes}, m.error, NULL)",
        **{column: f"p.{column}" for column in ("outcome", "stage", "detail", "reason", "rule")},
    )  # fmt: skip
    rows.fill(
        "judged_run", "(SELECT count(*) AS cases FROM plan) p", cases="p.cases",
        executions=f"p.cases * {repetitions}",
    )  # fmt: skip


def statistics(rows: Rows, repetitions: int, function: str, name: str) -> None:
    """Add latencies and ratios of cases that pass, and of functions with only such cases."""
    rows.db.execute("CREATE TEMP TABLE kind (item, factor)")
    kinds = [("latency", 1.0), ("reference latency", 0.5), ("ratio", 0.0)]
    rows.db.executemany("INSERT INTO kind VALUES (?, ?)", kinds)
    value = "iif(item = 'ratio', 1 + (f * 31 + t * 7) % 97 / 4.0, 1000.0 * factor * (1 + f % 50))"
    shared = {
        "id": "NULL", "target_id": "t + 1", "function": function, "what": "item", "value": value,
        "low": f"0.9 * ({value})", "high": f"1.1 * ({value})", "size": "'small'", "clock": "'warm'",
        "processes": str(repetitions), "reference_processes": str(repetitions), "unstable": "0",
    }  # fmt: skip
    compared = "JOIN kind ON item = 'latency' OR t > 0"
    source = f"(SELECT * FROM plan p {compared} WHERE outcome = 'pass') p"
    rows.fill("statistic", source, scope="'case'", name=name, **shared)
    working = "(SELECT t, f FROM plan GROUP BY t, f HAVING min(outcome = 'pass')) p"
    source = f"(SELECT * FROM {working} {compared}) p"
    rows.fill("statistic", source, scope="'function'", name="''", **shared)
