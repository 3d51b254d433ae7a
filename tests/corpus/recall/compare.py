"""Compare the uses that a scan finds with the calls that really ran.

``compare.py TRACE PLACES ROOT [TRACE PLACES ROOT]...`` reads the file TRACE of trace.py and the
output PLACES of ``portmeter scan . --uses`` in the folder ROOT. Of the call sites that ran and
called the framework, it counts those that the scan names (recall), by how the scan found them. Of
the sites that the scan names and that ran, it counts those that called something else (wrong).
Several projects of a framework are also counted together, with an interval from a bootstrap over
the projects.
"""

from __future__ import annotations

import argparse
import ast
import json
import random
from collections import Counter
from collections.abc import Callable
from functools import lru_cache
from pathlib import Path
from typing import Any

HOW = ("import", "inferred", "instance call", "by name", "one of")
DRAWS = 10000  # number of draws of the bootstrap
DEEPEST = 6  # most assignments that are followed to find the kind of a miss
FRAMEWORKS = {"torch", "tensorflow", "keras", "jax"}
Function = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
Comprehension = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)


def read_places(path: str) -> dict[tuple[str, int, int], list[dict[str, Any]]]:
    """Return the calls that a scan found, by file, line and column."""
    found: dict[tuple[str, int, int], list[dict[str, Any]]] = {}
    for line in Path(path).read_text(encoding="utf-8").splitlines():
        use = json.loads(line)
        if use["form"] == "reference":
            continue
        file = use["input"].removeprefix("./")
        found.setdefault((file, use["line"], use["column"]), []).append(use)
    return found


def how_of(use: dict[str, Any]) -> str:
    """Return how a use was found; calls of instances have their own kind."""
    exact = use["how"] not in ("by name", "one of")
    return use["form"] if use["form"] == "instance call" and exact else use["how"]


class Source:
    """A file of a project, to find where the object of a method comes from."""

    def __init__(self, path: Path) -> None:
        self.text = path.read_text(encoding="utf-8", errors="replace")
        self.lines = self.text.splitlines()
        self.parent: dict[ast.AST, ast.AST] = {}
        self.calls: dict[tuple[int, int], list[ast.Call]] = {}
        self.tree = ast.parse(self.text)
        self.imports: dict[str, str] = {}
        for node in ast.walk(self.tree):
            if isinstance(node, (ast.Import, ast.ImportFrom)):
                for one in node.names:
                    path = getattr(node, "module", None) or one.name
                    self.imports[(one.asname or one.name).split(".")[0]] = path.split(".")[0]
            for child in ast.iter_child_nodes(node):
                self.parent[child] = node
            if isinstance(node, ast.Call):
                end = (node.func.end_lineno or 0, node.func.end_col_offset or 0)
                self.calls.setdefault(end, []).append(node)

    def made(self, node: ast.AST) -> str:
        """Return the statement that gives a variable its value; "" for other expressions."""
        while isinstance(node, (ast.Subscript, ast.Attribute)):
            node = node.value
        scope = self.inside(node, *Function, ast.Module)
        while isinstance(node, ast.Name) and scope is not None:
            found = self.binding(scope, node)
            if found is not None:
                line = getattr(found, "lineno", 0) or found.optional_vars.lineno  # type: ignore
                return f"{line}: {self.lines[line - 1].strip()}"
            if isinstance(scope, Function) and any(a.arg == node.id for a in parameters(scope)):
                return f"{scope.lineno}: {self.lines[scope.lineno - 1].strip()}"
            scope = self.inside(scope, *Function, ast.Module)
        return ""

    def call_of(self, site: dict[str, Any]) -> ast.Call | None:
        """Return the call of a site; None if it is not found."""
        line, column = site["places"][-1]
        starts = [(line, column - 1), (line, column - 1 + len(site["by"].encode()))]
        calls = [one for at in starts for one in self.calls.get(at, ())]
        if calls:
            return calls[0]
        found = [
            one
            for ones in self.calls.values()
            for one in ones
            if (one.func.lineno, one.func.col_offset + 1) == (line, column)
            or (one.func.end_lineno == line and (one.func.end_col_offset or 0) + 1 == column)
        ]
        return min(found, key=lambda one: one.end_col_offset or 0) if found else None

    def inside(self, node: ast.AST, *kinds: Any) -> ast.AST | None:
        """Return the nearest node of these kinds that contains `node`; None if there is none."""
        while node in self.parent:
            node = self.parent[node]
            if isinstance(node, kinds):
                return node
        return None

    def origin(self, node: ast.AST, depth: int = 0) -> str:
        """Return where a value comes from, in words."""
        if isinstance(node, ast.Name) and depth < DEEPEST:
            return self.bound(node, depth)
        if isinstance(node, ast.Subscript):
            return "element of " + self.origin(node.value, depth + 1).removeprefix("element of ")
        if isinstance(node, ast.Attribute):
            on = node.value
            own = isinstance(on, ast.Name) and on.id == "self"
            return "attribute of self" if own else "attribute of another object"
        if isinstance(node, ast.Call):
            if isinstance(node.func, ast.Attribute):
                return self.result(node.func)
            return "result of a function"
        words = {ast.BinOp: "arithmetic", ast.Compare: "comparison", ast.UnaryOp: "arithmetic"}
        words |= {ast.IfExp: "condition", ast.BoolOp: "condition", ast.Constant: "constant"}
        return words.get(type(node), "another expression")  # type: ignore[call-overload]

    def result(self, func: ast.Attribute) -> str:
        """Return the kind of the result of a method or dotted function, in words."""
        first: ast.AST = func
        while isinstance(first, ast.Attribute):
            first = first.value
        if isinstance(first, ast.Name) and first.id in self.imports:
            ours = self.imports[first.id] in FRAMEWORKS
            return "result of a function of the framework" if ours else "result of a function"
        if isinstance(first, ast.Name) and first.id == "self":
            return "result of a method of self"
        return "result of a method of another object"

    def bound(self, name: ast.Name, depth: int) -> str:
        """Return where the value of a variable comes from, by its last binding above its use."""
        scope = self.inside(name, *Function, *Comprehension, ast.Module)
        while scope is not None:
            if isinstance(scope, Comprehension):
                for part in scope.generators:
                    if name.id in names_of(part.target):
                        return "loop variable"
            found = self.binding(scope, name)
            if found is not None:
                return self.of_binding(found, depth)
            if isinstance(scope, Function):
                for one in parameters(scope):
                    if one.arg == name.id:
                        return self.parameter(scope, one)
            scope = self.inside(scope, *Function, *Comprehension, ast.Module)
        return "unknown name"

    def binding(self, scope: ast.AST, name: ast.Name) -> ast.AST | None:
        """Return the last statement in `scope` that binds the variable above its use."""
        found: ast.AST | None = None
        for node in ast.walk(scope):
            targets: list[ast.AST] = []
            if isinstance(node, ast.Assign):
                targets = list(node.targets)
            elif isinstance(node, (ast.AnnAssign, ast.AugAssign, ast.For, ast.NamedExpr)):
                targets = [node.target]
            elif isinstance(node, ast.withitem) and node.optional_vars:
                targets = [node.optional_vars]
            if not any(name.id in names_of(one) for one in targets):
                continue
            first = targets[0]
            until: ast.AST = node if isinstance(node, (ast.Assign, ast.AnnAssign)) else first
            above = (until.end_lineno, until.end_col_offset) < (name.lineno, name.col_offset)
            later = found is None or first.lineno >= getattr(found, "lineno", 0)
            own = self.inside(node, *Function, ast.Module) in (scope, None)
            if above and later and own:
                found = node
        return found

    def of_binding(self, node: ast.AST, depth: int) -> str:
        if isinstance(node, ast.For):
            return "loop variable"
        if isinstance(node, ast.withitem):
            return "variable of with"
        value = getattr(node, "value", None)
        if isinstance(node, ast.Assign) and any(isinstance(t, ast.Tuple) for t in node.targets):
            return "element of " + self.origin(value, depth + 1).removeprefix("element of ")
        return self.origin(value, depth + 1) if value is not None else "another expression"

    def parameter(self, function: ast.AST, one: ast.arg) -> str:
        """Return the kind of a parameter, in words."""
        name = getattr(function, "name", "")
        if isinstance(function, ast.Lambda):
            return "parameter of a lambda"
        if one.arg in ("self", "cls"):
            return "self"
        if name.startswith("test"):
            return "parameter of a test"
        return "parameter with an annotation" if one.annotation else "parameter"


def parameters(function: Any) -> list[ast.arg]:
    """Return the parameters of a function."""
    a = function.args
    given = [*a.posonlyargs, *a.args, *a.kwonlyargs]
    return given + [one for one in (a.vararg, a.kwarg) if one]


def names_of(target: ast.AST) -> set[str]:
    """Return the variables that a target binds."""
    return {
        node.id
        for node in ast.walk(target)
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
    }


@lru_cache(maxsize=64)
def source_of(path: Path) -> Source | None:
    """Return the parsed file, or None if it cannot be read or parsed."""
    try:
        return Source(path)
    except (OSError, SyntaxError, ValueError):
        return None


def kind_of_site(site: dict[str, Any], root: str) -> tuple[str, str, str]:
    """Return the kind of a site (its form and where its object comes from), its line, and the
    line that gives the object.
    """
    source = source_of(Path(root) / site["file"])
    call = source.call_of(site) if source else None
    if source is None or call is None:
        return "not found in the file", "", ""
    line = source.lines[call.lineno - 1 if call.lineno else 0].strip()
    form = form_of(site)
    marks = ""
    if source.inside(call, ast.JoinedStr):
        marks += ", in an f-string"
    if source.inside(call, ast.match_case):
        case = source.inside(call, ast.match_case)
        guard = getattr(case, "guard", None)
        marks += ", in a guard" if guard and call in list(ast.walk(guard)) else ""
    if isinstance(call.func, ast.Attribute) and form == "method":
        on = call.func.value
        return f"method on: {source.origin(on)}{marks}", line, source.made(on)
    return f"{form}: {source.origin(call.func)}{marks}", line, source.made(call.func)


def form_of(site: dict[str, Any]) -> str:
    """Return the form of the call that ran: function or class, method, or instance call."""
    name, _, form = next(
        one for one in site["names"] if one and not one.startswith(":")
    ).rpartition(":")
    if form == "instance call":
        return form
    last = name.split(".")[-2][:1] if name.count(".") > 1 else ""
    return "method" if last.isupper() else "function or class"


class Result:
    """The result of a comparison of one project."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.hits: Counter[str] = Counter()
        self.forms: Counter[tuple[str, bool]] = Counter()
        self.missed: list[tuple[dict[str, Any], str, str]] = []
        self.wrong: list[tuple[dict[str, Any], dict[str, Any]]] = []
        self.others: list[tuple[dict[str, Any], dict[str, Any]]] = []
        self.overridden: list[tuple[dict[str, Any], dict[str, Any]]] = []
        self.answered = 0

    @property
    def found(self) -> int:
        """The number of sites that the scan names."""
        return sum(self.hits.values())

    @property
    def total(self) -> int:
        """The number of sites that ran and called the framework."""
        return self.found + len(self.missed)

    def take(self, site: dict[str, Any], uses: list[dict[str, Any]]) -> None:
        """Judge one site, and count it."""
        ran = {name.rpartition(":")[0] for name in site["names"]}
        also = set(site.get("also", ()))
        self.answered += bool(uses)
        if uses and not any(use["name"] in ran | also for use in uses):
            certain = [use for use in uses if use["how"] != "one of"]
            replaced = {f"overridden:{name}" for name in ("*", *(use["name"] for use in uses))}
            overridden = bool(replaced & also)
            found = self.overridden if overridden else self.wrong
            (found if certain else self.others).append((site, uses[0]))
        ours = ran - {""}
        if not ours:
            return
        right = [use for use in uses if use["name"] in ours | also]
        self.forms[form_of(site), bool(right)] += 1
        if right:
            self.hits[how_of(right[0])] += 1
        else:
            claimed = ",".join(sorted({use["name"] for use in uses})) or "nothing"
            self.missed.append((site, ",".join(sorted(ours)), claimed))


def compare(trace: str, places: str) -> Result:
    """Compare one project; return the result."""
    found = read_places(places)
    result = Result(Path(trace).stem)
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


def interval(results: list[Result], value: Callable[[list[Result]], float]) -> tuple[float, float]:
    """Return the 95 % interval of a figure, by a bootstrap over the projects."""
    draw = random.Random(0)
    drawn = sorted(value(draw.choices(results, k=len(results))) for _ in range(DRAWS))
    return drawn[DRAWS * 25 // 1000], drawn[DRAWS * 975 // 1000]


def recall(results: list[Result]) -> float:
    """Return the share of sites that the scan names, in percent."""
    total = sum(one.total for one in results)
    return 100 * sum(one.found for one in results) / max(total, 1)


def wrongness(results: list[Result]) -> float:
    """Return the share of answers that are wrong, in percent."""
    return 100 * sum(len(one.wrong) for one in results) / max(sum(o.answered for o in results), 1)


def print_line(result: Result) -> None:
    """Print the figures of a project."""
    print(
        f"{result.name:24} {result.found:5} of {result.total:5} {recall([result]):6.2f} %"
        f"  wrong {len(result.wrong)} of {result.answered} ({wrongness([result]):.2f} %)"
        f" (besides, {len(result.overridden)} overridden, {len(result.others)} of none of several) "
        + ", ".join(f"{how} {result.hits[how]}" for how in HOW)
    )


def print_all(results: list[Result], roots: dict[str, str]) -> None:
    """Print the figures of several projects together."""
    low, high = interval(results, recall)
    worst = interval(results, wrongness)
    wrong, answered = sum(len(o.wrong) for o in results), sum(o.answered for o in results)
    print(
        f"{len(results)} projects: {sum(o.found for o in results)} of"
        f" {sum(o.total for o in results)} sites, recall {recall(results):.2f} %"
        f" ({low:.1f} to {high:.1f}), wrong {wrong} of {answered}, {wrongness(results):.2f} %"
        f" ({worst[0]:.2f} to {worst[1]:.2f}),"
        f" none of several {sum(len(o.others) for o in results)}"
    )
    hits = sum((one.hits for one in results), Counter())
    print("found: " + ", ".join(f"{how} {hits[how]}" for how in HOW))
    forms = sum((one.forms for one in results), Counter())
    for form in sorted({form for form, _ in forms}):
        good, bad = forms[form, True], forms[form, False]
        print(f"  {form}: {good} of {good + bad}, {100 * good / (good + bad):.1f} %")
    kinds: Counter[str] = Counter()
    for one in results:
        kinds.update(kind_of_site(site, roots[one.name])[0] for site, _, _ in one.missed)
    print("missed, by kind:")
    for kind, count in kinds.most_common():
        print(f"  {count:5} {kind}")


def print_list(result: Result, root: str) -> None:
    """Print each site that was missed, or for which the scan names something that did not run."""
    for site, names, claimed in result.missed:
        kind, text, made = kind_of_site(site, root)
        line = site["places"][-1][0]
        print(f"M {result.name} {site['file']}:{line}  {text[:100]}")
        print(f"    {site['text'][-60:]}(...)  ran {names}, claimed {claimed}; {kind}")
        if made:
            print(f"    from {made[:110]}")
    for word, found in (("W", result.wrong), ("N", result.others), ("O", result.overridden)):
        for site, use in found:
            source = source_of(Path(root) / site["file"])
            line = site["places"][-1][0]
            text = source.lines[line - 1].strip() if source else ""
            print(f"{word} {result.name} {site['file']}:{line}  {text[:100]}")
            print(f"    {site['text'][-60:]}(...)  claimed {use['name']} ({use['how']}),")
            print(f"    ran {', '.join(sorted(site['names'])) or 'nothing public'}")


def main() -> None:
    """Print a line for each project, then the figures of all, and with --list the sites."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("files", nargs="+", metavar="TRACE PLACES ROOT")
    parser.add_argument("--list", action="store_true", help="print what was missed and wrong")
    o = parser.parse_args()
    groups = list(zip(o.files[::3], o.files[1::3], o.files[2::3], strict=True))
    results = [compare(trace, places) for trace, places, _ in groups]
    roots = {Path(trace).stem: root for trace, _, root in groups}
    for result in results:
        print_line(result)
    print_all(results, roots)
    for result in results if o.list else ():
        print_list(result, roots[result.name])


if __name__ == "__main__":
    main()
