"""Uses the Python package as a notebook does, for the test cli/from-python."""

from __future__ import annotations

import importlib.util
import sys

import portmeter
from portmeter.measuring import progress_of, show

OPTIONS = ["--timeout=2", "--suite=suite"]


def reads_progress() -> None:
    """Print the progress read from lines, some of which are not lines of progress."""
    for line in (
        "measuring   58/2,478  null@null  null.call   12 with no result so far   3 s left",
        "measuring   78/78   13 with no result   took 17 s",
        "judged      44 of 78 executions did not pass",
        "used        at most 40.5 MB of memory",
    ):
        found = progress_of(line)
        if found:
            show(found)  # prints nothing: the output is a file
        print(found and (found.what, found.done, found.total, found.label, round(found.share, 2)))


def measures() -> portmeter.Database:
    """Measure, print the calls with the progress, and return the database."""
    seen: list[portmeter.Progress] = []
    db = portmeter.run(
        "null@null", outcomes_only=True, db="a.db", options=OPTIONS, progress=seen.append
    )
    done = [one.done for one in seen]
    print("progress", done == sorted(done), len(done) > 5, seen[-1].done, seen[-1].total)
    print("labels", sorted({one.label.split(" ")[0] for one in seen} - {""}))
    return db


def reads(db: portmeter.Database) -> None:
    """Print facts of a report, a comparison and an explanation."""
    report = db.report()
    (run,) = report.runs
    print("run", run.id, run.state, run.valid, run.done == run.planned)
    for target in report.targets:
        shown = target.headline and (target.headline.partly, target.headline.counted)
        print("target", target.target, target.role, target.timed, shown)
    for one in db.functions("null@null"):
        print("function", one.function, one.verdict, one.works, one.ratio)
    cases = db.cases(target="null@null")
    print("cases", len(cases) > 20, {one.target for one in cases}, len(db.cases("null@cpu")))
    print("failures", {row["target"] for row in db.table("failures")})
    print("columns", [one.unit for one in report.table("functions").columns if one.id == "latency"])
    print("runs", [row["run"] for row in db.runs()], db)
    same = db.compare("run:1", "run:1")
    print("compare", same.regressions, same.exit_code, same.functions["same"])
    why = db.explain("null.call", "null@null", tried=False)
    print("explain", why.verdict, why.reason, bool(why.tables))


def frames(db: portmeter.Database) -> None:
    """Turn a table into a frame, if pandas is installed."""
    table = portmeter.Table.from_json(
        {
            "id": "ratios",
            "about": {"target": "t"},
            "title": "Ratios",
            "columns": [
                {"id": "function", "heading": "function", "kind": "name", "unit": None},
                {"id": "ratio", "heading": "ratio", "kind": "ratio", "unit": "ratio"},
            ],
            "rows": [
                {"function": "a", "ratio": {"value": 2.0, "low": 1.5, "high": None}},
                {"function": "b", "ratio": None},
            ],
            "notes": [],
        }
    )
    print("table", len(table), table[0]["ratio"], portmeter.number(table[0]["ratio"]))
    if importlib.util.find_spec("pandas"):
        frame = table.to_pandas()
        assert list(frame.columns) == ["function", "ratio", "ratio_low", "ratio_high"], frame
        assert frame["ratio"][0] == 2.0 and frame["ratio"].isna()[1], frame
        assert frame.attrs["units"] == {"ratio": "ratio"}, frame.attrs
        assert len(db.to_pandas()) == len(db.functions())


def errors() -> None:
    """Print the errors for objects that do not exist."""
    for wrong in (
        lambda: portmeter.open("missing.db").report(),
        lambda: portmeter.open("a.db").table("nosuch"),
        lambda: portmeter.run("null@nosuch", db="b.db"),
        lambda: portmeter.open("a.db", program="/nonexistent/portmeter").runs(),
    ):
        try:
            print("no error:", wrong())
        except portmeter.PortmeterError as error:
            print("error", error.status, str(error).splitlines()[0][:60])


def stops() -> None:
    """Interrupt a run as a notebook does; its measured results must be kept."""

    def interrupt(progress: portmeter.Progress) -> None:
        if progress.done > 3:
            raise KeyboardInterrupt

    try:
        portmeter.run("null@null", db="c.db", options=OPTIONS, progress=interrupt)
        print("not stopped")
    except KeyboardInterrupt:
        ((row),) = portmeter.open("c.db").runs()
        print("stopped", row["state"], row["done"] > 3)


def main() -> None:
    """Run all functions above."""
    reads_progress()
    db = measures()
    reads(db)
    frames(db)
    errors()
    stops()


if __name__ == "__main__":
    sys.exit(main())
