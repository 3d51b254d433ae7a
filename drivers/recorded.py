"""Join what the processes of a program recorded: ``python recorded.py FOLDER``.

FOLDER has the files that `pmdriver.record.begin` wrote. Writes ``recording.json`` there: the calls,
and a case file for each function.
"""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path
from typing import Any

from pmdriver.record import cases

MOST_CASES = 40
"""Cases of a function: those that the program calls most often."""


def _key(call: Any) -> str:
    """Return what makes two calls the same case: everything but ranges of values."""

    def strip(value: Any) -> Any:
        if isinstance(value, dict):
            arrays = ("array", "host", "parameter", "variable")
            return {
                key: item[:2] if key in arrays else strip(item)
                for key, item in value.items()
                if key != "gradient"
            }
        return [strip(item) for item in value] if isinstance(value, list) else value

    return json.dumps(strip(call), sort_keys=True)


def _merge(folder: Path) -> dict[str, Any]:
    merged: dict[str, Any] = {"processes": 0, "took": 0, "versions": {}, "unknown": {}}
    calls: dict[tuple[Any, ...], list[int]] = {}
    signatures: dict[str, list[Any]] = {}
    for path in sorted(folder.glob("calls-*.json")):
        document = json.loads(path.read_text(encoding="utf-8"))
        merged["processes"] += 1
        merged["took"] = max(merged["took"], document["took"])
        merged["versions"].update(document["versions"])
        for *place, name, count, own, raised in document["calls"]:
            entry = calls.setdefault((*place, name), [0, 0, 0])
            for at, value in enumerate((count, own, raised)):
                entry[at] += value
        for call, count, own, places in document["signatures"]:
            known = signatures.setdefault(_key(call), [call, 0, 0, []])
            known[1] += count
            known[2] += own
            known[3] += [place for place in places if place not in known[3]][:4]
        for name, reasons in document["unknown"].items():
            counts = merged["unknown"].setdefault(name, {})
            for why, count in reasons.items():
                counts[why] = counts.get(why, 0) + count
    merged["calls"] = [[*key, *value] for key, value in calls.items()]
    merged["signatures"] = list(signatures.values())
    return merged


def _files(merged: dict[str, Any]) -> list[dict[str, Any]]:
    """Make the case files, and say of each signature which case it became."""
    by_function: dict[tuple[str, str], list[Any]] = {}
    merged["constructed"] = 0
    for signature in sorted(merged["signatures"], key=lambda item: -item[1]):
        call = signature[0]
        if call["form"] == "constructor" and ".nn." in call["name"]:
            merged["constructed"] += 1  # the cases of its calls construct it
            continue
        by_function.setdefault((call["framework"], call["name"]), []).append(signature)
    files = []
    for (framework, name), signatures in sorted(by_function.items()):
        made: list[dict[str, Any]] = []
        rows = []
        for call, count, own, places in signatures:
            try:
                if len(made) == MOST_CASES:
                    raise cases.NoCase(f"more than {MOST_CASES} signatures of a function")
                case = cases.case_of(call, len(made) + 1)
            except cases.NoCase as why:
                reasons = merged["unknown"].setdefault(name, {})
                reasons[str(why)] = reasons.get(str(why), 0) + count
                continue
            made.append(case)
            rows.append({"case": case["name"], "calls": count, "ns": own, "places": places})
        if made and re.fullmatch(r"[A-Za-z0-9_.]+", name):
            text = cases.file_of(name, made)
            files.append(
                {"framework": framework, "function": name, "text": text, "signatures": rows}
            )
    return files


def main(folder: Path) -> None:
    """Write `recording.json` of a folder."""
    merged = _merge(folder)
    merged["files"] = _files(merged)
    merged["signatures"] = len(merged["signatures"]) - merged.pop("constructed")
    (folder / "recording.json").write_text(json.dumps(merged), encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
