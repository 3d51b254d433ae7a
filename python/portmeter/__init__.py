"""Read and measure the portability of machine-learning frameworks from Python.

>>> import portmeter
>>> db = portmeter.run("pytorch@cuda", outcomes_only=True)
>>> db.report().targets[0].headline.share
>>> db.to_pandas("failures")

The program ``portmeter``, which the wheel contains, does all the work. This package reads the JSON
that the program prints. It needs no other package, except that `Table.to_pandas` needs pandas.
"""

from ._program import PortmeterError, find_program
from .database import Database, open
from .measuring import Progress, run, show, study
from .results import (
    Case,
    Comparison,
    Explanation,
    Function,
    Headline,
    Report,
    Run,
    Target,
)
from .tables import Column, Interval, Table, number

__all__ = [
    "Case",
    "Column",
    "Comparison",
    "Database",
    "Explanation",
    "Function",
    "Headline",
    "Interval",
    "PortmeterError",
    "Progress",
    "Report",
    "Run",
    "Table",
    "Target",
    "find_program",
    "number",
    "open",
    "run",
    "show",
    "study",
]
