"""A database of results, read through the program."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Union

from ._program import ask
from .results import (
    Case,
    Comparison,
    Explanation,
    Function,
    Report,
    comparison_of,
    explanation_of,
    tables_of,
)
from .tables import Table

if TYPE_CHECKING:
    import pandas

StrPath = Union[str, "os.PathLike[str]"]


class Database:
    """The results in a database file.

    The object reads nothing in advance and keeps nothing. Each call starts the program, which takes
    some hundredths of a second, and returns what the file then contains.

    Parameters
    ----------
    path : str or os.PathLike, optional
        The file. By default ``$PORTMETER_DB``, or ``portmeter.db``.
    program : str, optional
        Path of the program, by default `find_program`.

    Examples
    --------
    >>> db = Database("portmeter.db")
    >>> [one.function for one in db.functions() if one.verdict == "fails"]
    """

    def __init__(self, path: StrPath | None = None, program: str | None = None) -> None:
        self.path = Path(path or os.environ.get("PORTMETER_DB") or "portmeter.db")
        self.program = program

    def __repr__(self) -> str:
        """Return the expression that makes this object."""
        return f"Database({str(self.path)!r})"

    def _options(self, **options: object) -> list[str]:
        """Return options of the command line, without those that are None."""
        given = [f"--{name}={value}" for name, value in options.items() if value is not None]
        return [*given, f"--db={self.path}"]

    def report(self, run: int | None = None, against: str | None = None) -> Report:
        """Return the results.

        Parameters
        ----------
        run : int, optional
            The run; by default the newest valid run of each target.
        against : str, optional
            Compare latencies with this target instead of the reference.

        Returns
        -------
        Report
            Runs, targets with their headlines, and all tables.

        Raises
        ------
        PortmeterError
            If the file cannot be read or has no results.
        """
        return Report.from_json(
            ask(self.program, ["report", *self._options(run=run, against=against)])
        )

    def functions(self, target: str | None = None) -> list[Function]:
        """Return the result of each function, the worst first.

        Parameters
        ----------
        target : str, optional
            Return only the results of this target.

        Returns
        -------
        list of Function
            One object per target and function.
        """
        return [one for one in self.report().functions if target in (None, one.target)]

    def cases(self, target: str | None = None) -> list[Case]:
        """Return the result of each case.

        Parameters
        ----------
        target : str, optional
            Return only the results of this target.

        Returns
        -------
        list of Case
            One object per target and case.
        """
        return [one for one in self.report().cases if target in (None, one.target)]

    def table(self, name: str, run: int | None = None) -> Table:
        """Return one table.

        Parameters
        ----------
        name : str
            The name as in ``portmeter report --table``, such as "ratios", "clocks" or "frequency".
        run : int, optional
            The run; by default the newest valid run of each target.

        Returns
        -------
        Table
            The first table with this id. `tables` returns all tables, which `Table.about`
            distinguishes.
        """
        return self.tables(name, run)[0]

    def tables(self, name: str, run: int | None = None) -> list[Table]:
        """Return all tables that ``portmeter report --table`` prints for a name.

        Parameters
        ----------
        name : str
            The name as in ``portmeter report --table``.
        run : int, optional
            The run; by default the newest valid run of each target.

        Returns
        -------
        list of Table
            The tables, at least one.
        """
        return tables_of(ask(self.program, ["report", *self._options(table=name, run=run)]))

    def runs(self) -> Table:
        """Return a table of the runs, the oldest first."""
        (table,) = tables_of(ask(self.program, ["runs", *self._options()]))
        return table

    def to_pandas(self, name: str = "functions") -> pandas.DataFrame:
        """Return a table as a pandas data frame.

        Parameters
        ----------
        name : str
            The name as in ``portmeter report --table``.

        Returns
        -------
        pandas.DataFrame
            One row per row of the table; `Table.to_pandas` describes the columns.
        """
        return self.table(name).to_pandas()

    def compare(self, a: str, b: str, allow: Sequence[str] = ()) -> Comparison:
        """Return what differs between two sides.

        Parameters
        ----------
        a, b : str
            ``[FILE#][run:N#][TARGET]``, such as "run:3" or "baseline.db".
        allow : sequence of str
            Functions that may be missing on B.

        Returns
        -------
        Comparison
            Functions by change, and tables of what changed.
        """
        allowed = [f"--allow={name}" for name in allow]
        return comparison_of(ask(self.program, ["compare", a, b, *allowed, *self._options()]))

    def explain(
        self, function: str, target: str, run: int | None = None, tried: bool = True
    ) -> Explanation:
        """Return why a function fails, and a script that reproduces the failure.

        Parameters
        ----------
        function, target : str
            The names as a report prints them.
        run : int, optional
            The run; by default the run that a report shows.
        tried : bool
            Whether to run the script, which takes some seconds. The script contains code from the
            database: use False if you do not trust the database.

        Returns
        -------
        Explanation
            The reason, the message and the script.
        """
        untried = [] if tried else ["--no-try"]
        options = self._options(target=target, run=run)
        return explanation_of(ask(self.program, ["explain", function, *untried, *options]))


def open(path: StrPath | None = None, program: str | None = None) -> Database:
    """Open a database of results.

    Parameters
    ----------
    path : str or os.PathLike, optional
        The file. By default ``$PORTMETER_DB``, or ``portmeter.db``.
    program : str, optional
        Path of the program, by default `find_program`.

    Returns
    -------
    Database
        The database, which is not read yet.
    """
    return Database(path, program)
