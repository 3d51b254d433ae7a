"""Functions that the benchmarks share: run portmeter, read its database, print results.

A benchmark is an executable of this folder. It finds the program and the interpreter of the
``pytorch`` environment in ``PORTMETER`` and ``PORTMETER_PYTHON`` (``make bench`` sets both), and
how many rounds to make in ``BENCH_ROUNDS``.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple, NoReturn

HERE = Path(__file__).resolve().parent


def fail(message: str) -> NoReturn:
    """End the benchmark with a message on standard error and status 1."""
    sys.exit(f"bench: {message}")


def talk(message: str) -> None:
    """Print a progress message to standard error."""
    print(message, file=sys.stderr, flush=True)


def program() -> str:
    """Return the absolute path of portmeter."""
    path = os.environ.get("PORTMETER", "build/portmeter")
    if not os.access(path, os.X_OK):
        fail(f"no program at '{path}': set PORTMETER")
    return os.path.abspath(path)


def interpreter() -> str:
    """Return the interpreter of the pytorch environment."""
    path = os.environ.get("PORTMETER_PYTHON", "")
    if not shutil.which(path):
        fail(f"no interpreter at '{path}': set PORTMETER_PYTHON to the pytorch environment's")
    return path


def packages() -> str:
    """Return the folder of the pytorch environment's packages, which include PyTorch's sources."""
    ended = subprocess.run(
        [interpreter(), "-c", "import sysconfig; print(sysconfig.get_paths()['purelib'])"],
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    )
    return ended.stdout.strip()


def inventory_database(folder: Path) -> Path:
    """Make a database with the inventory of PyTorch; return its path."""
    database = folder / "inventory.db"
    subprocess.run(
        [program(), "inventory", "pytorch", "--db", str(database)],
        check=True,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    return database


def rounds(default: int) -> int:
    """Return how many rounds to make: BENCH_ROUNDS, or the default."""
    return int(os.environ.get("BENCH_ROUNDS", default))


@contextlib.contextmanager
def scratch() -> Iterator[Path]:
    """Yield a folder that is removed when the benchmark ends, even by SIGTERM."""
    signal.signal(signal.SIGTERM, lambda *_: fail("ended by SIGTERM"))
    folder = Path(tempfile.mkdtemp(prefix="portmeter-bench-"))
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


class Run(NamedTuple):
    """One `portmeter run`: what it cost and what it did."""

    seconds: float  # wall clock from start to end of the program
    cpu_seconds: float  # user and system time of the program, without its children
    executions: int
    children: int


def own_cpu_seconds(pid: int) -> float:
    """Return user and system time of a process in seconds, excluding its children.

    Call this when the process has ended but is not yet reaped, so that the time is complete: it is
    read from ``/proc/PID/stat`` (proc(5), fields 14 and 15).
    """
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def portmeter_run(
    suite: Path, database: Path, options: Sequence[str], must_pass: bool = True
) -> Run:
    """Measure pytorch@cpu on a suite into a new database.

    Parameters
    ----------
    suite
        Folder of case files.
    database
        File to create; an existing one is removed first.
    options
        Further options of ``portmeter run``.
    must_pass
        Fail unless every execution passes.
    """
    for name in (database.name, database.name + "-wal", database.name + "-shm"):
        database.with_name(name).unlink(missing_ok=True)
    command = [program(), "run", "--target", "pytorch@cpu", "--suite", str(suite)]
    command += ["--db", str(database), *options]
    log = database.with_suffix(".log")
    with log.open("w") as output:
        started = time.monotonic()
        process = subprocess.Popen(command, stdout=output, stderr=output)
        try:
            os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT)
            seconds = time.monotonic() - started
            cpu_seconds = own_cpu_seconds(process.pid)
        finally:
            process.terminate()  # has no effect if the process has ended
            process.wait()
    if process.returncode != 0:
        fail(f"'{' '.join(command)}' ended with status {process.returncode}:\n{log.read_text()}")
    executions, children = proof(database, must_pass)
    return Run(seconds, cpu_seconds, executions, children)


def proof(database: Path, must_pass: bool = True) -> tuple[int, int]:
    """Return the numbers of executions and children; if `must_pass`, fail unless all passed."""
    if not database.exists():
        fail(f"'{program()}' left no database")
    with contextlib.closing(sqlite3.connect(database)) as db:
        every = db.execute("SELECT count(*) FROM execution").fetchone()[0]
        passed = db.execute(
            "SELECT count(*) FROM execution e JOIN judgement j ON j.execution_id = e.id"
            " WHERE e.state = 'done' AND e.answered AND j.outcome = 'pass'"
        ).fetchone()[0]
        children = db.execute(
            "SELECT count(DISTINCT child_id) FROM execution WHERE child_id IS NOT NULL"
        ).fetchone()[0]
    if not every or (must_pass and passed != every):
        fail(f"{passed} of {every} executions passed in '{database}'")
    return every, children


def result(measure: str, values: Sequence[float], unit: str, middle: float | None = None) -> None:
    """Print the result line of a measure: median and range over the rounds.

    Parameters
    ----------
    measure
        The name of the measure.
    values
        One value per round.
    unit
        Unit of the values, one word.
    middle
        A value to print instead of the median, such as a rate over all rounds together.
    """
    median, least, most = statistics.median(values), min(values), max(values)
    shown = median if middle is None else middle
    print(f"result {measure} {shown:.4g} {unit} [{least:.4g}, {most:.4g}]", flush=True)
