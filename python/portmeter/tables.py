"""Tables of the program as plain values, and as data frames if pandas is installed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import (
    TYPE_CHECKING,
    Any,
    TypeVar,
    Union,
)

if TYPE_CHECKING:
    import pandas

T = TypeVar("T")


@dataclass(frozen=True)
class Interval:
    """A number with its 95 % confidence interval.

    Attributes
    ----------
    value : float or None
        The estimate, in the unit of its column. None: not known.
    low, high : float or None
        The bounds, in the same unit. None: too few processes measured the value for an interval.
    """

    value: float | None
    low: float | None
    high: float | None

    def __float__(self) -> float:
        """Return the estimate; NaN if it is not known."""
        return float("nan") if self.value is None else float(self.value)


#: A cell of a table. None: the cell is empty, because its value is not known or does not apply.
Cell = Union[str, int, float, Interval, None]


def cell(value: Any) -> Any:
    """Return a value of the JSON as a cell: an object with an estimate becomes an `Interval`."""
    if isinstance(value, dict) and set(value) == {"value", "low", "high"}:
        return Interval(value["value"], value["low"], value["high"])
    return value


def number(value: int | float | Interval | None) -> float | None:
    """Return the estimate of a cell with or without an interval.

    Parameters
    ----------
    value : int, float, Interval or None
        A cell of a column that has a unit.

    Returns
    -------
    float or None
        The estimate, in the unit of the column. None: not known.
    """
    if isinstance(value, Interval):
        return value.value
    return None if value is None else float(value)


def build(kind: type[T], members: Mapping[str, Any], **more: Any) -> T:
    """Make an object of a data class from a JSON object; ignore members that the class lacks."""
    names = {one.name for one in fields(kind)}  # type: ignore[arg-type]
    given = {name: cell(value) for name, value in members.items() if name in names}
    return kind(**{**given, **more})


@dataclass(frozen=True)
class Column:
    """A column of a table.

    Attributes
    ----------
    id : str
        The key of its cells in `Table.rows`.
    heading : str
        The heading that a report prints above the column.
    kind : str
        text, name, word, count, share, time, ratio, number or mark.
    unit : str or None
        "ns" (times), "fraction" (shares, 0 to 1), "ratio", or None.
    """

    id: str
    heading: str
    kind: str
    unit: str | None


@dataclass(frozen=True)
class Table(Sequence[dict[str, Cell]]):
    """A table of a report: a sequence of rows, each a dict with the ids of the columns as keys.

    Attributes
    ----------
    id : str
        The name of the table, as in ``portmeter report --table``.
    about : dict
        Distinguishes tables with the same id, for example by target.
    title : str
        The title of the table.
    columns : list of Column
        In the order in which a report prints them.
    rows : list of dict
        The cells by the ids of the columns.
    notes : list of str
        The notes that a report prints below the table.
    """

    id: str
    about: dict[str, str]
    title: str
    columns: list[Column]
    rows: list[dict[str, Cell]]
    notes: list[str] = field(default_factory=list)

    @classmethod
    def from_json(cls, members: Mapping[str, Any]) -> Table:
        """Make a table from its JSON object."""
        columns = [build(Column, one) for one in members["columns"]]
        rows = [{key: cell(value) for key, value in row.items()} for row in members["rows"]]
        return build(cls, members, columns=columns, rows=rows)

    def __len__(self) -> int:
        """Return the number of rows."""
        return len(self.rows)

    def __getitem__(self, index: Any) -> Any:
        """Return a row, or a list of rows for a slice."""
        return self.rows[index]

    def __iter__(self) -> Iterator[dict[str, Cell]]:
        """Iterate over the rows."""
        return iter(self.rows)

    def to_pandas(self) -> pandas.DataFrame:
        """Return the table as a pandas data frame.

        A column of intervals becomes three columns, such as ``ratio``, ``ratio_low`` and
        ``ratio_high``. The attribute ``attrs`` of the frame has `id`, `title` and `about` of the
        table, and the units of its columns.

        Returns
        -------
        pandas.DataFrame
            One row per row of the table.

        Raises
        ------
        ImportError
            If pandas is not installed.
        """
        import pandas

        frame = pandas.DataFrame(
            [flat(row) for row in self.rows],
            columns=[name for one in self.columns for name in self._flat_names(one.id)],
        )
        units = {one.id: one.unit for one in self.columns if one.unit}
        frame.attrs.update(id=self.id, title=self.title, units=units, about=self.about)
        return frame

    def _flat_names(self, name: str) -> list[str]:
        """Return the names that a column has in a data frame."""
        has_interval = any(isinstance(row.get(name), Interval) for row in self.rows)
        return [name, f"{name}_low", f"{name}_high"] if has_interval else [name]


def flat(row: Mapping[str, Any]) -> dict[str, Any]:
    """Return a row with three numbers instead of each interval."""
    cells: dict[str, Any] = {}
    for name, value in row.items():
        if isinstance(value, Interval):
            cells[name] = value.value
            cells[f"{name}_low"], cells[f"{name}_high"] = value.low, value.high
        else:
            cells[name] = value
    return cells
