"""What a report, a comparison and an explanation contain, as plain objects.

Times are nanoseconds, shares are between 0 and 1, and a ratio is the latency on a target divided by
the latency on its reference: 2.0 is twice as slow. None: not known, or not measured.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Union

from .tables import Interval, Table, build

Number = Union[int, float, Interval, None]


@dataclass(frozen=True)
class Run:
    """A run whose results a report shows.

    Attributes
    ----------
    id : int
        Its number in the database.
    started : str
        UTC, ISO 8601.
    state : str
        running, stopped or done.
    validity, latency_validity : str
        "valid", "invalid", or "" if it is not known yet.
    validity_reason, latency_validity_reason : str
        Why not; "" if it is valid.
    planned, done : int
        Numbers of executions.
    options : dict
        What it measured, and how.
    attempts : list of dict
        Its parts, from a start to the next end, each with its machine and load.
    """

    id: int
    started: str
    state: str
    validity: str
    validity_reason: str
    latency_validity: str
    latency_validity_reason: str
    planned: int
    done: int
    options: dict[str, Any] = field(default_factory=dict)
    attempts: list[dict[str, Any]] = field(default_factory=list)

    @property
    def valid(self) -> bool:
        """Whether the run passed its self-check: only then its outcomes count."""
        return self.validity == "valid"


@dataclass(frozen=True)
class Target:
    """A target of a report, and the headline of a target that is not only a reference.

    Attributes
    ----------
    target : str
        ``[ENVIRONMENT:]framework@device[:index][+variant]``.
    run : int
        The run that measured it.
    role : str
        subject, reference, oracle or noise.
    reference : str
        The target that it is compared with; "" if there is none.
    framework, version, environment, device, driver, python : str
        What was measured, and by which Python.
    evidence : str
        executed, lowered or "shape only".
    timed : bool
        Whether its latencies were measured.
    headline : Headline or None
        None for a target that is only a reference.
    """

    target: str
    run: int
    role: str
    reference: str
    framework: str
    version: str
    environment: str
    device: str
    driver: str
    python: str
    evidence: str
    timed: bool
    numeric: dict[str, Any] = field(default_factory=dict)
    headline: Headline | None = None


@dataclass(frozen=True)
class Headline:
    """What works on a target, in numbers.

    Attributes
    ----------
    functions, counted : int
        Measured functions; those of them that work, work partly or fail.
    working : int
        Functions whose core cases all pass: `works` + `limits`.
    works, limits, partly, fails, blocked : int
        Functions by verdict. Blocked functions are not counted.
    share : float or None
        `working` divided by `counted`.
    mean_case_share : float or None
        Mean over the counted functions of the share of their cases that pass.
    timed : int
        Functions with a ratio.
    median_ratio : float or None
        Median of the ratios of all functions.
    over_10x_slower, over_10x_faster, intolerable : int
        Functions by their ratio; `intolerable_over` is the factor of the last.
    crashes : list of dict
        Functions that end the process, each with the number of cases.
    """

    target: str
    evidence: str
    functions: int
    counted: int
    working: int
    works: int
    limits: int
    partly: int
    fails: int
    blocked: int
    share: float | None
    mean_case_share: float | None
    timed: int
    over_10x_slower: int
    over_10x_faster: int
    median_ratio: float | None
    not_possible: int = 0
    possible_share: float | None = None
    inconclusive: bool = False
    intolerable: int = 0
    intolerable_over: float = 10.0
    calls: float | None = None
    surviving_calls: float | None = None
    crashes: list[dict[str, Any]] = field(default_factory=list)


@dataclass(frozen=True)
class Function:
    """The result of a function on a target.

    Attributes
    ----------
    target, function : str
        Which.
    verdict : str
        works, "works with limits", partly, fails, or why it is not counted.
    cases, passing_cases, core_cases, passing_core_cases : int or None
        Numbers of cases.
    limits, reason, rule, message : str
        What does not work, and why; "" if all cases pass.
    latency, reference_latency : int, float, Interval or None
        Nanoseconds, with small inputs.
    ratio : int, float, Interval or None
        Latency divided by that of the reference.
    processes : int or None
        Number of processes that measured it.
    calls : int or None
        Calls in scanned code.
    """

    target: str
    function: str
    verdict: str
    cases: int | None = None
    passing_cases: int | None = None
    core_cases: int | None = None
    passing_core_cases: int | None = None
    limits: str = ""
    reason: str = ""
    rule: str = ""
    message: str = ""
    latency: Number = None
    reference_latency: Number = None
    ratio: Number = None
    processes: int | None = None
    calls: int | None = None

    @property
    def works(self) -> bool:
        """Whether all core cases pass, with or without limits."""
        return self.verdict.startswith("works")


@dataclass(frozen=True)
class Case:
    """The result of a case on a target.

    Attributes
    ----------
    target, function, case : str
        Which; the dtype is in brackets at the end of `case`.
    dtype : str or None
        The dtype of its inputs.
    kind : str
        core, dtype or edge.
    outcome : str
        pass, fail, crash, timeout and so on.
    counted : str
        "yes", or why it does not count.
    latency, ratio : int, float, Interval or None
        Nanoseconds; latency divided by that of the reference.
    stage, reason, message : str
        Where and why it did not pass; "" if it passed.
    """

    target: str
    function: str
    case: str
    dtype: str | None
    kind: str
    outcome: str
    counted: str
    latency: Number = None
    ratio: Number = None
    stage: str = ""
    reason: str = ""
    message: str = ""


@dataclass(frozen=True)
class Report:
    """The results of the newest valid run of each target, or of one run.

    Attributes
    ----------
    title : str
        Its title.
    runs : list of Run
        The runs that it shows.
    targets : list of Target
        What they measured.
    tables : list of Table
        All tables, in the order of the text of a report.
    """

    title: str
    runs: list[Run]
    targets: list[Target]
    tables: list[Table]

    @classmethod
    def from_json(cls, document: Mapping[str, Any]) -> Report:
        """Make a report of the document that ``portmeter report`` prints."""
        lines = document.get("headline", {}).get("targets", [])
        headlines = {line["target"]: build(Headline, line) for line in lines}
        return cls(
            title=document["title"],
            runs=[build(Run, one) for one in document.get("runs", [])],
            targets=[
                build(Target, one, headline=headlines.get(one["target"]))
                for one in document.get("targets", [])
            ],
            tables=tables_of(document),
        )

    def table(self, name: str, **about: str) -> Table:
        """Return a table by its id.

        Parameters
        ----------
        name : str
            Such as "functions", "failures" or "cases".
        **about : str
            Which of several tables with this id, such as ``target="pytorch@cuda"``.

        Returns
        -------
        Table
            The first that matches.

        Raises
        ------
        KeyError
            If the report does not have it.
        """
        for table in self.tables:
            if table.id == name and about.items() <= table.about.items():
                return table
        raise KeyError(f"{name}: the report has {', '.join(sorted({t.id for t in self.tables}))}")

    @property
    def functions(self) -> list[Function]:
        """All functions, the worst first."""
        return [build(Function, row) for row in self._rows("functions")]

    @property
    def cases(self) -> list[Case]:
        """All cases."""
        return [build(Case, row) for row in self._rows("cases")]

    def _rows(self, name: str) -> list[dict[str, Any]]:
        """Return the rows of a table; none if the report does not have it."""
        return next((list(one.rows) for one in self.tables if one.id == name), [])


@dataclass(frozen=True)
class Comparison:
    """What differs between two sides, A and B.

    Attributes
    ----------
    a, b : dict
        The sides: target, run, versions, machine.
    functions : dict of str to int
        How many functions by change, such as regressed, slower, fixed or same.
    regressions : int
        Functions that are worse on B.
    exit_code : int
        0: B is not worse; 1: it is; 4: nobody can tell.
    tables : list of Table
        ``changes`` has a row per function, and ``cases`` a row per case that changed.
    """

    a: dict[str, Any]
    b: dict[str, Any]
    functions: dict[str, int]
    regressions: int
    exit_code: int
    tables: list[Table]


@dataclass(frozen=True)
class Explanation:
    """Why a function fails on a target.

    Attributes
    ----------
    function, target, verdict, reason, rule, message : str
        What fails, and why.
    run : int
        The run that measured it.
    script : str or None
        A script that reproduces the failure; None if no case fails, or none could be written.
    shows_the_failure : bool
        Whether the script was run and failed in the same way.
    tables : list of Table
        ``cases`` and ``latencies``.
    """

    function: str
    target: str
    verdict: str
    reason: str
    rule: str
    message: str
    run: int
    script: str | None
    shows_the_failure: bool
    tables: list[Table]


def tables_of(document: Mapping[str, Any]) -> list[Table]:
    """Return the tables of a document."""
    return [Table.from_json(part["table"]) for part in document["parts"] if "table" in part]


def comparison_of(document: Mapping[str, Any]) -> Comparison:
    """Make a comparison of the document that ``portmeter compare`` prints."""
    return build(Comparison, document["comparison"], tables=tables_of(document))


def explanation_of(document: Mapping[str, Any]) -> Explanation:
    """Make an explanation of the document that ``portmeter explain`` prints."""
    explained = document["explanation"]
    script = explained.get("reproducer", {})
    return build(
        Explanation,
        explained,
        script=script.get("script"),
        shows_the_failure=bool(script.get("shows_the_failure")),
        tables=tables_of(document),
    )
