"""Wait, for at most 90 s, until a query of a database gives at least COUNT.

Usage: ``python3 wait_for_rows.py DATABASE COUNT QUERY [PID]``. It also ends when the process PID
has ended. One process repeats the query, because starting one for each query takes longer.
"""

import pathlib
import sqlite3
import sys
import time


def counted(database: str, query: str) -> int:
    """Return the number that the query gives; 0 while the database is not ready."""
    try:
        connection = sqlite3.connect(f"file:{database}?mode=ro", uri=True, timeout=30)
        try:
            return int(connection.execute(query).fetchone()[0])
        finally:
            connection.close()
    except sqlite3.Error:
        return 0


def has_ended(pid: str) -> bool:
    """Return whether a process has ended, even if its parent has not waited for it."""
    try:
        return ") Z " in pathlib.Path("/proc", pid, "stat").read_text()
    except OSError:
        return True


def main(database: str, count: str, query: str, pid: str = "self") -> None:
    """Query the database every tenth of a second, until COUNT is reached or PID has ended."""
    for _ in range(900):
        if counted(database, query) >= int(count) or has_ended(pid):
            return
        time.sleep(0.1)


main(*sys.argv[1:])
