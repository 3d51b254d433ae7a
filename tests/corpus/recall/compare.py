"""Compare where a scan finds uses with what really ran.

``compare.py TRACE PLACES ROOT`` reads what trace.py wrote and what ``portmeter scan ROOT
--places`` wrote. Of the call sites that ran and called the framework it counts those that the scan
names (recall), by how it found them; of those that it names and that ran, the ones that called
something else (wrong).
"""

from __future__ import annotations

import argparse
import json
from collections import Counter
from pathlib import Path
from typing import Any

KINDS = ("import", "inferred", "instance call", "by name", "one of")


def read_places(path: str, root: str) -> dict[tuple[str, int, int], list[dict[str, Any]]]:
    """Return the calls that a scan found, by file, line and column."""
    found: dict[tuple[str, int, int], list[dict[str, Any]]] = {}
    base = str(Path(root))
    for line in Path(path).read_text(encoding="utf-8").splitlines():
        use = json.loads(line)
        if use["form"] == "reference":
            continue
        file = use["input"].removeprefix(base).lstrip("/")
        found.setdefault((file, use["line"], use["column"]), []).append(use)
    return found


def kind_of(use: dict[str, Any]) -> str:
    """Return how a use was found, with calls of instances apart."""
    exact = use["how"] not in ("by name", "one of")
    return use["form"] if use["form"] == "instance call" and exact else use["how"]


class Result:
    """What a comparison found."""

    def __init__(self) -> None:
        self.hits: Counter[str] = Counter()
        self.missed: list[tuple[dict[str, Any], str]] = []
        self.wrong: list[tuple[dict[str, Any], dict[str, Any]]] = []
        self.others: list[tuple[dict[str, Any], dict[str, Any]]] = []
        self.overridden: list[tuple[dict[str, Any], dict[str, Any]]] = []
        self.answered = 0

    @property
    def total(self) -> int:
        """Sites that ran and called the framework."""
        return sum(self.hits.values()) + len(self.missed)

    def take(self, site: dict[str, Any], uses: list[dict[str, Any]]) -> None:
        """Judge one site."""
        ran = {name.rpartition(":")[0] for name in site["names"]}
        also = set(site.get("also", ()))
        self.answered += bool(uses)
        if uses and not any(use["name"] in ran | also for use in uses):
            certain = [use for use in uses if use["how"] != "one of"]
            overridden = any(f"overridden:{use['name']}" in also for use in uses)
            found = self.overridden if overridden else self.wrong
            (found if certain else self.others).append((site, uses[0]))
        ours = ran - {""}
        right = [use for use in uses if use["name"] in ours]
        if right:
            self.hits[kind_of(right[0])] += 1
        elif ours:
            self.missed.append((site, ",".join(sorted(ours))))


def compare(trace: str, places: str, root: str) -> Result:
    """Compare one program."""
    found = read_places(places, root)
    result = Result()
    sites: dict[tuple, dict[str, Any]] = {}
    for site in json.loads(Path(trace).read_text(encoding="utf-8"))["sites"]:
        key = (site["file"], *map(tuple, site["places"]))
        if key in sites:  # the file ran more than once
            for name, count in site["names"].items():
                sites[key]["names"][name] = sites[key]["names"].get(name, 0) + count
            sites[key].get("also", []).extend(site.get("also", ()))
        else:
            sites[key] = site
    for key, site in sites.items():
        result.take(site, [use for at in key[1:] for use in found.get((key[0], *at), [])])
    return result


def main() -> None:
    """Print one line, and the sites with --list."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("trace")
    parser.add_argument("places")
    parser.add_argument("root")
    parser.add_argument("--list", action="store_true", help="print what was missed and wrong")
    o = parser.parse_args()
    result = compare(o.trace, o.places, o.root)
    hits = sum(result.hits.values())
    print(
        f"{Path(o.trace).stem:24} {hits:5} of {result.total:5}"
        f" {100 * hits / max(result.total, 1):6.1f} %"
        f"  wrong {len(result.wrong)} of {result.answered}"
        f" (besides, {len(result.overridden)} overridden, {len(result.others)} of none of several) "
        + ", ".join(f"{kind} {result.hits[kind]}" for kind in KINDS)
    )
    for site, names in result.missed if o.list else ():
        line, column = site["places"][-1]
        print(f"  missed {site['file']}:{line}:{column} {site['text']}  ->  {names}")
    for word, found in (("wrong", result.wrong), ("overridden", result.overridden)):
        for site, use in found if o.list else ():
            line, column = site["places"][-1]
            place = f"{site['file']}:{line}:{column} {site['text']}"
            print(f"  {word} {place}: {use['name']} ran {site['names']}")


if __name__ == "__main__":
    main()
