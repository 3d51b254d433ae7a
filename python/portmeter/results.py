"""The contents of reports, comparisons and explanations, as plain objects.

Times are in nanoseconds, and shares are between 0 and 1. A ratio is the latency on a target divided
by the latency on its reference: 2.0 means twice as slow. None: not known, or not measured.
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
        Start of the run, in UTC by ISO 8601.
    state : str
        running, stopped or done.
    validity, latency_validity : str
        "valid", "invalid", or "" if it is not known yet.
    validity_reason, latency_validity_reason : str
        Why the results are not valid; "" if they are.
    planned, done : int
        Numbers of executions.
    options : dict
        The options of the run: what it measured, and how.
    attempts : list of dict
        One part per start of the run, each with its machine and load.
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
        """Whether the run passed its self-check. Otherwise its outcomes do not count."""
        return self.validity == "valid"


@dataclass(frozen=True)
class Target:
    """A target of a report, with its headline unless it is only a reference.

    Attributes
    ----------
    target : str
        ``[ENVIRONMENT:]framework@device[:index][+variant]``.
    run : int
        The number of the run that measured it.
    role : str
        subject, reference, oracle or noise.
    reference : str
        The target with which it is compared; "" if there is none.
    framework, version, environment, device, driver, python : str
        The framework and its version, the environment, the device and its driver, and the version
        of Python.
    evidence : str
        executed, lowered or "shape only".
    timed : bool
        Whether its latencies were measured.
    numeric : dict
        The modes and settings that change results or times.
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
    """The numbers that summarise a target.

    Attributes
    ----------
    target : str
        The target.
    evidence : str
        As in `Target`.
    functions, counted : int
        The measured functions, and those among them that work, work partly or fail.
    working : int
        Functions whose core cases all pass: `works` + `limits`.
    works, limits, partly, fails, blocked : int
        Functions by verdict. `counted` excludes blocked functions.
    share : float or None
        `working` divided by `counted`.
    not_possible : int
        Functions, partly working or failing, with most core cases not possible by design.
    possible_share : float or None
        `working` divided by `counted` - `not_possible`.
    inconclusive : bool
        Whether more than 10 % of the counted and blocked functions are blocked.
    mean_case_share : float or None
        Mean over the counted functions of the share of their cases that pass.
    timed : int
        Functions with a ratio.
    median_ratio : float or None
        Median of the ratios of all functions.
    over_10x_slower, over_10x_faster, intolerable : int
        Functions by their ratio. A function is intolerable if its ratio is over `intolerable_over`.
    intolerable_over : float
        The ratio above which a function is intolerable.
    calls, surviving_calls : float or None
        Numbers of calls in scanned code: of counted functions, and of working functions.
    crashes : list of dict
        Functions that crash the process, each with the number of its crashing cases.
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
        The target and the name of the function.
    verdict : str
        works, "works with limits", partly, fails, or why it is not counted.
    cases, passing_cases, core_cases, passing_core_cases : int or None
        Numbers of cases: all, those that pass, core cases, and core cases that pass.
    limits, reason, rule, message : str
        What does not work, and why; "" if all cases pass.
    latency, reference_latency : int, float, Interval or None
        Latencies with small inputs, in nanoseconds.
    ratio : int, float, Interval or None
        The latency divided by the latency of the reference.
    processes : int or None
        Number of processes that measured its latency.
    calls : int or None
        Number of calls in scanned code.
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
        The target, the function, and the case, with its dtype in brackets at the end.
    dtype : str or None
        The dtype of its inputs.
    kind : str
        core, dtype or edge.
    outcome : str
        pass, fail, crash, timeout and so on.
    counted : str
        "yes", or why it does not count.
    latency, ratio : int, float, Interval or None
        The latency in nanoseconds, and this latency divided by the latency of the reference.
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
        The title of the report.
    runs : list of Run
        The runs that the report shows.
    targets : list of Target
        The targets that these runs measured.
    tables : list of Table
        All tables, in the order of the text of a report.
    """

    title: str
    runs: list[Run]
    targets: list[Target]
    tables: list[Table]

    @classmethod
    def from_json(cls, document: Mapping[str, Any]) -> Report:
        """Make a report from the document that ``portmeter report`` prints."""
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
            The id, such as "functions", "failures" or "cases".
        **about : str
            Members of `Table.about` that select one of several tables with this id, such as
            ``target="pytorch@cuda"``.

        Returns
        -------
        Table
            The first table that matches.

        Raises
        ------
        KeyError
            If no table of the report matches.
        """
        for table in self.tables:
            if table.id == name and about.items() <= table.about.items():
                return table
        raise KeyError(
            f"no table '{name}' matches: the report has "
            f"{', '.join(sorted({t.id for t in self.tables}))}"
        )

    @property
    def functions(self) -> list[Function]:
        """All functions, the worst first."""
        return [build(Function, row) for row in self._rows("functions")]

    @property
    def cases(self) -> list[Case]:
        """All cases."""
        return [build(Case, row) for row in self._rows("cases")]

    def _rows(self, name: str) -> list[dict[str, Any]]:
        """Return the rows of a table; an empty list if the report does not have the table."""
        return next((list(one.rows) for one in self.tables if one.id == name), [])


@dataclass(frozen=True)
class Comparison:
    """The differences between two sides, A and B.

    Attributes
    ----------
    a, b : dict
        The sides: target, run, versions, machine.
    functions : dict of str to int
        The number of functions by change, such as regressed, slower, fixed or same.
    regressions : int
        Functions that are worse on B.
    exit_code : int
        0: B is not worse; 1: B is worse; 4: the results do not decide.
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
        The number of the run that measured it.
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
    """Make a comparison from the document that ``portmeter compare`` prints."""
    return build(Comparison, document["comparison"], tables=tables_of(document))


def explanation_of(document: Mapping[str, Any]) -> Explanation:
    """Make an explanation from the document that ``portmeter explain`` prints."""
    explained = document["explanation"]
    script = explained.get("reproducer", {})
    return build(
        Explanation,
        explained,
        script=script.get("script"),
        shows_the_failure=bool(script.get("shows_the_failure")),
        tables=tables_of(document),
    )
