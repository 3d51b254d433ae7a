"""Join what the processes of a program recorded: ``python recorded.py FOLDER``.

FOLDER has the files that `pmdriver.record.begin` wrote. This script writes ``recording.json``
there: the calls, and a case file for each function. `src/cases/record/document.h` describes its
members.
"""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path
from typing import Any

from pmdriver.record import cases, shapes

MOST_CASES = 40
"""The most cases of a function: those that the program calls most often."""

_SUMS = ("count", "raised", "traced", "ns", "outer", "outer_ns", "described", "new", "new_ns")
_PLACE = ("path", "line", "column", "first")
_ARRAYS = ("array", "host", "parameter", "variable", "sparse")


def _key(call: Any, *, floats: bool = True) -> str:
    """Return the key of a call's case: the call without ranges of values and without gradients.

    Unless `floats`, the key is also the same for calls that differ only in floats.
    """

    def strip(value: Any) -> Any:
        if isinstance(value, float) and not floats:
            return 0.5
        if isinstance(value, list):
            return [strip(item) for item in value]
        if not isinstance(value, dict):
            return value
        if "kwargs" in value:  # a call: its arguments may be named like keys of a description
            words = {word: strip(item) for word, item in value["kwargs"].items()}
            parts = {key: value[key] for key in value if key not in ("kwargs", "flows")}
            return {"kwargs": words, **{key: strip(item) for key, item in parts.items()}}
        return {
            key: item[:2] if key in _ARRAYS else strip(item)
            for key, item in value.items()
            if key != "gradient"
        }

    return json.dumps(strip(call), sort_keys=True)


class _Signature:
    """A signature of the program, with the sums over its sites."""

    def __init__(self, call: Any) -> None:
        self.call = call
        self.calls = self.outer = 0.0
        self.ns = self.outer_ns = 0.0
        self.places: list[Any] = []

    def join(self, other: _Signature) -> None:
        """Add the calls of another signature."""
        self.calls += other.calls
        self.ns += other.ns
        self.outer += other.outer
        self.outer_ns += other.outer_ns
        places = {tuple(place[key] for key in _PLACE): place for place in self.places}
        for place in other.places:
            known = places.setdefault(tuple(place[key] for key in _PLACE), place)
            if known is place:
                self.places.append(place)
                continue
            for key in ("calls", "outer", "first_outer"):
                known[key] += place[key]

    def add(self, site: Any, counts: Any, described: dict[str, int], first: bool) -> None:
        """Add the calls of a site; a described call represents others that are not.

        `described` has the sums of the times of the site's signatures. Together, these times become
        at most the time of the site: its first calls are all described, and often take longer.
        `first`: the site made the first outer call of the signature in its process.
        """
        share = (site["count"] - site["traced"]) / max(1, site["described"])
        share = max(1.0, share)
        self.calls += counts["count"] * share
        self.outer += counts["outer"] * share
        self.ns += counts["ns"] * min(share, site["ns"] / max(1, described["ns"]))
        whole = site["outer_ns"] / max(1, described["outer_ns"])
        self.outer_ns += counts["outer_ns"] * min(share, whole)
        place = {key: site[key] for key in _PLACE}
        numbers = {"calls": round(counts["count"] * share), "outer": round(counts["outer"] * share)}
        self.places.append({**place, **numbers, "first_outer": int(first)})


def _merge_calls(calls: dict[Any, Any], signatures: dict[str, _Signature], document: Any) -> None:
    keys = [_key(call) for call in document["signatures"]]
    for call, key in zip(document["signatures"], keys):
        known = signatures.setdefault(key, _Signature(call))
        if call.get("flows") and not known.call.get("flows"):
            known.call = call  # with the arrays through which the gradient flows
    firsts: dict[str, int] = {}  # the number of the first outer call by key
    for site in document["calls"]:
        for count in site["signatures"]:
            if count["order"]:
                key = keys[count["signature"]]
                firsts[key] = min(count["order"], firsts.get(key, count["order"]))
    for site in document["calls"]:
        counts = site.pop("signatures")
        described = {key: sum(count[key] for count in counts) for key in ("ns", "outer_ns")}
        for count in counts:
            key = keys[count["signature"]]
            signatures[key].add(site, count, described, count["order"] == firsts.get(key))
        entry = calls.setdefault((*(site[key] for key in _PLACE), site["function"]), site)
        if entry is not site:
            for name in _SUMS:
                entry[name] += site[name]
            entry["shapes"] += site["shapes"]


def _merge(folder: Path) -> tuple[dict[str, Any], list[_Signature]]:
    merged: dict[str, Any] = {"processes": 0, "took": 0, "versions": {}, "unknown": {}}
    calls: dict[Any, Any] = {}
    signatures: dict[str, _Signature] = {}
    for path in sorted(folder.glob("calls-*.json")):
        document = json.loads(path.read_text(encoding="utf-8"))
        merged["processes"] += 1
        merged["took"] = max(merged["took"], document["took"])
        merged["versions"].update(document["versions"])
        _merge_calls(calls, signatures, document)
        for name, reasons in document["unknown"].items():
            counts = merged["unknown"].setdefault(name, {})
            for why, count in reasons.items():
                counts[why] = counts.get(why, 0) + count
    for call in calls.values():
        call["shapes"] = shapes.summary(call["shapes"])
    merged["calls"] = list(calls.values())
    return merged, list(signatures.values())


def _row(case: Any, of: _Signature) -> dict[str, Any]:
    sums = {key: round(getattr(of, key)) for key in ("calls", "ns", "outer", "outer_ns")}
    return {"case": case["name"], **sums, **shapes.bytes_of(of.call), "places": of.places}


def _joined(items: list[_Signature]) -> list[_Signature]:
    """Join signatures that differ only in floats if there are more than `MOST_CASES`."""
    if len(items) <= MOST_CASES:
        return items
    by_key: dict[str, _Signature] = {}
    for item in items:
        known = by_key.setdefault(_key(item.call, floats=False), item)
        if known is not item:
            known.join(item)
    return sorted(by_key.values(), key=lambda item: -item.calls)


def _files(merged: dict[str, Any], signatures: list[_Signature]) -> list[dict[str, Any]]:
    """Make the case files, each with the signatures that became its cases."""
    by_function: dict[tuple[str, str], list[_Signature]] = {}
    merged["signatures"] = 0
    for signature in sorted(signatures, key=lambda item: -item.calls):
        call = signature.call
        if call["form"] == "constructor" and ".nn." in call["name"]:
            continue  # the cases of the module's calls construct the module
        by_function.setdefault((call["framework"], call["name"]), []).append(signature)
    files = []
    for (framework, name), items in sorted(by_function.items()):
        made: list[dict[str, Any]] = []
        rows = []
        items = _joined(items)
        merged["signatures"] += len(items)
        for signature in items:
            try:
                if len(made) == MOST_CASES:
                    raise cases.NoCase(f"more than {MOST_CASES} signatures of a function")
                case = cases.case_of(signature.call, len(made) + 1)
            except cases.NoCase as why:
                reasons = merged["unknown"].setdefault(name, {})
                reasons[str(why)] = reasons.get(str(why), 0) + round(signature.calls)
                continue
            made.append(case)
            rows.append(_row(case, signature))
        if made and re.fullmatch(r"[A-Za-z0-9_.]+", name):
            text = cases.file_of(name, made)
            files.append(
                {"framework": framework, "function": name, "text": text, "signatures": rows}
            )
    return files


def main(folder: Path) -> None:
    """Write `recording.json` to a folder with recorded calls."""
    merged, signatures = _merge(folder)
    merged["files"] = _files(merged, signatures)
    (folder / "recording.json").write_text(json.dumps(merged), encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
