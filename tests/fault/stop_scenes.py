"""The commands that `stops` stops, and their made-up surroundings: a home with planted faults that
need no deadline, an interpreter whose PyTorch is the null framework, and a slow package index.
"""

from __future__ import annotations

import base64
import contextlib
import dataclasses
import hashlib
import http.server
import itertools
import json
import os
import re
import shutil
import signal
import socket
import sqlite3
import subprocess
import sys
import tempfile
import threading
import time
import zipfile
from collections.abc import Callable
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
PATIENCE_S = 120
MARK = "PORTMETER_STOPS_TEST"  # a variable by which processes are found

# --------------------------------------------------------------------------------- made-up things


def write_program(path: Path, text: str) -> Path:
    """Write an executable shell script."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\n{text}")
    path.chmod(0o755)
    return path


def make_home(folder: Path) -> Path:
    """Make a home of portmeter: its drivers, and planted faults that need no deadline."""
    planted_faults = folder / "suites" / "planted-faults"
    planted_faults.mkdir(parents=True)
    for name in ("drivers", "data"):
        (folder / name).symlink_to(ROOT / name)
    for framework in ("null", "pytorch"):
        (planted_faults / f"{framework}.yaml").write_text(
            "function: portmeter.planted_fault\nplanted_faults: true\ncases:\n"
            '  - {name: crash, inputs: {x: "float32[8] normal"}, call: crash, expected: crash}\n'
        )
    return folder


def make_suite(folder: Path, prefix: str, functions: int, calls: list[str]) -> Path:
    """Make case files of the null framework: each function has one case for each command."""
    folder.mkdir(parents=True)
    for f in range(functions):
        lines = [f"function: {prefix}.f{f:02}", "cases:"]
        lines += [
            f'  - {{name: c{c}, inputs: {{x: "float32[8] normal"}}, call: "{call}"}}'
            for c, call in enumerate(calls)
        ]
        (folder / f"{prefix}.f{f:02}.yaml").write_text("\n".join(lines) + "\n")
    return folder


def make_interpreter(path: Path) -> Path:
    """Make an interpreter that appears to have PyTorch; its driver is the null one."""
    look = {
        "executable": str(path),
        "python": "3.11.2",
        "modules": {"torch": "2.13.0", "numpy": "2.4.6", "scipy": "1.17.1"},
        "folders": {},
    }
    cpu = {"device": "cpu", "variant": "", "name": "made up", "measurable": True}
    probe = {"framework": "pytorch", "framework_version": "2.13.0", "devices": [cpu]}
    return write_program(
        path,
        f"""case "$1" in
        *look.py) sleep 0.05; echo '{json.dumps(look)}' ;;
        *probe.py) sleep 0.2; echo '{json.dumps(probe)}' ;;
        *serve.py) exec {sys.executable} "$1" null ;;
        esac\n""",
    )


def make_maker(path: Path, template: Path) -> Path:
    """Make a `python3` that copies virtual environments from a template: ensurepip is slow."""
    subprocess.run([sys.executable, "-m", "venv", template], check=True)
    return write_program(
        path,
        f"""case "$*" in
        *'-m venv --clear '*)
            for folder; do :; done
            rm -rf "$folder" && exec cp -al {template} "$folder" ;; # links: pip replaces files
        esac
        exec {sys.executable} "$@"\n""",
    )


def wheel(name: str, version: str) -> bytes:
    """Return a wheel of an empty package."""
    info = f"{name}-{version}.dist-info"
    files = {
        f"{name}/__init__.py": b"",
        f"{info}/METADATA": f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n".encode(),
        f"{info}/WHEEL": b"Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
    }
    record = "".join(
        f"{path},sha256="
        + base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
        + f",{len(data)}\n"
        for path, data in files.items()
    )
    files[f"{info}/RECORD"] = f"{record}{info}/RECORD,,\n".encode()
    with tempfile.TemporaryFile() as file:
        with zipfile.ZipFile(file, "w") as archive:
            for path, data in files.items():
                archive.writestr(path, data)
        file.seek(0)
        return file.read()


class SlowIndex(http.server.BaseHTTPRequestHandler):
    """A package index that sends each answer slowly, piece by piece."""

    wheels: dict[str, bytes] = {}

    def do_GET(self) -> None:
        """Answer with a page of links, or a wheel."""
        name = self.path.rstrip("/").rsplit("/", 1)[-1]
        body = self.wheels.get(name)
        if self.path.startswith("/simple/"):
            links = [file for file in self.wheels if file.startswith(f"{name}-")]
            body = "".join(f'<a href="/files/{file}">{file}</a>\n' for file in links).encode()
        self.send_response(404 if body is None else 200)
        page = self.path.startswith("/simple/")
        self.send_header("Content-Type", "text/html" if page else "application/zip")
        self.send_header("Content-Length", str(len(body or b"")))
        self.end_headers()
        pieces = 10
        for i in range(pieces if body else 0):
            with contextlib.suppress(OSError):  # the client may have been stopped
                self.wfile.write(body[len(body) * i // pieces : len(body) * (i + 1) // pieces])
                self.wfile.flush()
            time.sleep(0.02)

    def log_message(self, *_: object) -> None:
        """Log nothing."""


def serve_packages() -> str:
    """Serve the packages that `env create numpy` asks for; return the index's address."""
    table = (ROOT / "src" / "measuring" / "environment" / "frameworks.c").read_text()
    for name, version in sorted(set(re.findall(r'"(numpy|scipy)==([\d.]+)"', table))):
        SlowIndex.wheels[f"{name}-{version}-py3-none-any.whl"] = wheel(name, version)
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), SlowIndex)
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return f"http://127.0.0.1:{server.server_address[1]}/simple"


# ---------------------------------------------------------------------------------------- scenes


@dataclasses.dataclass
class Scene:
    """A command, the folder that it starts with, and its expected result."""

    name: str
    arguments: list[str]
    template: Path  # a folder, copied for each trial
    result: Callable[[Path, str], object]  # gets the folder, and the stdout of the last command
    variables: dict[str, str] = dataclasses.field(default_factory=dict)
    resumes: bool = False  # whether `run --resume` continues it; otherwise the same command does
    feed: Callable[[subprocess.Popen], None] | None = None  # writes its stdin
    statuses: tuple[int, ...] = (0,)
    endless: bool = False  # it never ends by itself, and is stopped within its first 1.5 seconds
    whole: object = None  # the result of an undisturbed run of the command
    took_s: float = 1.5


class Stage:
    """The objects that all trials share: the program, the scratch folder, the results."""

    def __init__(self, program: str, scratch: Path) -> None:
        self.program = program
        self.sanitized = b"__asan_init" in Path(program).read_bytes()  # if so, it is slow
        self.scratch = scratch
        self.home = make_home(scratch / "home")
        self.numbers = itertools.count()
        self.kept: list[socket.socket] = []  # sockets that must stay open

    def variables(self, scene: Scene, folder: Path, mark: str) -> dict[str, str]:
        """Return the environment of a scene's commands; it has no variable of the user."""
        return {
            "PATH": f"{self.scratch}/none:/usr/bin:/bin",
            "HOME": str(folder),
            "TMPDIR": str(folder / "tmp"),
            "PORTMETER_HOME": str(self.home),
            "PORTMETER_DATA": str(folder / "data"),
            "LC_ALL": "C.UTF-8",
            MARK: mark,
            **{name: value for name, value in os.environ.items() if name.endswith("SAN_OPTIONS")},
            **scene.variables,
        }

    def folder(self, scene: Scene) -> tuple[Path, str]:
        """Copy the folder that a scene starts with; return the copy and a mark of its own."""
        mark = f"{os.getpid()}-{next(self.numbers)}"
        folder = self.scratch / mark
        shutil.copytree(scene.template, folder, symlinks=True)
        (folder / "tmp").mkdir()
        return folder, mark

    def start(
        self, scene: Scene, folder: Path, mark: str, arguments: list[str], **extra: object
    ) -> subprocess.Popen:
        """Start one command in a session of its own; its output goes to files."""
        with open(folder / "out", "wb") as out, open(folder / "said", "wb") as said:
            process = subprocess.Popen(
                [self.program, *arguments],
                cwd=folder,
                env=self.variables(scene, folder, mark),
                stdin=subprocess.PIPE if scene.feed else subprocess.DEVNULL,
                **{"stdout": out, "stderr": said, "start_new_session": True, **extra},
            )
        if scene.feed:
            threading.Thread(target=scene.feed, args=(process,), daemon=True).start()
        return process

    def finish(self, scene: Scene, folder: Path, mark: str, arguments: list[str]) -> int:
        """Run one command to its end; return its status."""
        process = self.start(scene, folder, mark, arguments)
        try:
            return process.wait(PATIENCE_S)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            return process.wait()

    def measure(self, scene: Scene) -> None:
        """Run a scene undisturbed; note its result and duration in the scene."""
        if scene.endless:
            return
        folder, mark = self.folder(scene)
        begin = time.monotonic()
        status = self.finish(scene, folder, mark, scene.arguments)
        scene.took_s = time.monotonic() - begin
        if status not in scene.statuses:
            raise SystemExit(f"{scene.name}: status {status}: {(folder / 'said').read_text()}")
        scene.whole = scene.result(folder, (folder / "out").read_text())
        shutil.rmtree(folder)


def outcomes(folder: Path, _: str) -> object:
    """Return the result of the newest run of a database: states, outcomes and verdicts."""
    database = next(folder.glob("*.db"))
    with contextlib.closing(sqlite3.connect(database)) as connection:
        return [
            connection.execute(query).fetchall()
            for query in (
                "SELECT state, validity FROM run ORDER BY id DESC LIMIT 1",
                "SELECT t.text, c.function, c.name, e.repetition, e.state, j.outcome"
                " FROM execution e JOIN target t ON t.id = e.target_id"
                " JOIN test_case c ON c.id = e.case_id"
                " LEFT JOIN judgement j ON j.execution_id = e.id"
                # A case that fails after others in a process runs again alone, and only that run
                # counts. After a stop, the case may be the first in a new process.
                " WHERE e.run_id = (SELECT max(id) FROM run) AND j.counts IS NOT 0"
                " ORDER BY 1, 2, 3, 4",
                "SELECT t.text, v.function, v.verdict FROM verdict v"
                " JOIN target t ON t.id = v.target_id"
                " WHERE v.run_id = (SELECT max(id) FROM run) ORDER BY 1, 2",
            )
        ]


def merged(folder: Path, _: str) -> object:
    """Return the judged executions of every run of the database that others were merged into."""
    with contextlib.closing(sqlite3.connect(folder / "all.db")) as connection:
        return connection.execute(
            "SELECT r.uuid, t.text, c.function, c.name, e.repetition, e.retry, j.outcome"
            " FROM run r JOIN execution e ON e.run_id = r.id JOIN target t ON t.id = e.target_id"
            " JOIN test_case c ON c.id = e.case_id JOIN judgement j ON j.execution_id = e.id"
            " ORDER BY 1, 2, 3, 4, 5, 6"
        ).fetchall()


def printed(_: Path, output: str) -> object:
    """Return the output without the line with the duration."""
    return [line for line in output.splitlines() if not line.startswith("took ")]


def imported(folder: Path, _: str) -> object:
    """Return the number of published figures, and of the runs that they belong to."""
    with contextlib.closing(sqlite3.connect(folder / "x.db")) as connection:
        return connection.execute(
            "SELECT count(*), count(DISTINCT run_id) FROM published"
        ).fetchall()


def counted(_: Path, output: str) -> object:
    """Return the rows of a scan's tables, without the scan's number and duration."""
    tables = [part["table"] for part in json.loads(output)["parts"] if "table" in part]
    return {
        " ".join([table["id"], *table["about"].values()]): [
            {name: cell for name, cell in row.items() if name != "took"} for row in table["rows"]
        ]
        for table in tables
    }


def environments(folder: Path, _: str) -> object:
    """Return the installed packages, the environments, and the half-made ones that are left."""
    parent = folder / "data" / "environments"
    return [
        sorted(path.name for path in parent.glob("*/lib/python*/site-packages/*.dist-info")),
        sorted(path.parent.name for path in parent.glob("*/environment.json")),
        [path.name for path in parent.glob(".*.tmp")],
    ]


def drawing(folder: Path, _: str) -> object:
    """Return the figure that was drawn."""
    return (folder / "f.png").read_bytes()


def dribble(process: subprocess.Popen) -> None:
    """Write Python code to a command's stdin for most of a second."""
    with contextlib.suppress(OSError):
        for i in range(30):
            process.stdin.write(b"import jax\njax.jit(%d)\njax.numpy.add(1, 2)\n" % i)
            process.stdin.flush()
            time.sleep(0.02)
        process.stdin.close()


def measuring_scenes(stage: Stage) -> list[Scene]:
    """Return the scenes that measure: `run`, `suite check` and `study`."""
    empty, study = stage.scratch / "empty", stage.scratch / "study"
    empty.mkdir()
    study.mkdir()
    suite = make_suite(stage.scratch / "suites" / "null", "null", 8, ["ok", "slow(30)", "nan"])
    plain = make_suite(stage.scratch / "suites" / "plain", "null", 6, ["ok", "slow(20)"])
    torch = make_suite(stage.scratch / "suites" / "torch", "torch", 3, ["ok", "slow(20)"])
    options = ["--outcomes-only", "--jobs", "2"]
    scenes = [
        Scene(
            "run",
            ["run", "--target", "null@null", "--suite", str(suite), *options, "--db", "run.db"],
            empty,
            outcomes,
            resumes=True,
        ),
        Scene(
            "suite check",
            ["suite", "check", "--framework", "null", "--suite", str(plain), "--jobs", "2"],
            empty,
            printed,
        ),
        Scene(
            "study",
            ["study", "--framework", "pytorch", "--suite", str(torch), "--repetitions", "1"]
            + ["--db", "study.db"],
            study,
            outcomes,
            statuses=(0, 4),  # 4: a busy machine spoiled its latencies
        ),
    ]
    python = make_interpreter(stage.scratch / "made-up" / "python3")
    for name in ("pytorch", "numpy"):
        arguments = ["env", "add", name, str(python)]
        folder, mark = stage.folder(scenes[2])
        if stage.finish(scenes[2], folder, mark, arguments):
            raise SystemExit((folder / "said").read_text())
        shutil.copytree(folder / "data", study / "data", dirs_exist_ok=True)
        shutil.rmtree(folder)
    return scenes


def reading_scenes(stage: Stage) -> list[Scene]:
    """Return the scenes on a stored run: `judge`, `report`, `compare`, `explain`, `import`."""
    stored = stage.scratch / "stored"
    stored.mkdir()
    calls = ["nan", *["ok"] * (4 if stage.sanitized else 29)]  # a failing case runs again, alone
    suite = make_suite(stage.scratch / "suites" / "many", "null", 40, calls)
    arguments = ["run", "--target", "null@null", "--suite", str(suite), "--outcomes-only"]
    made = Scene("made", [*arguments, "--db", "x.db"], stored, outcomes)
    folder, mark = stage.folder(made)
    if stage.finish(made, folder, mark, made.arguments) != 0:
        raise SystemExit((folder / "said").read_text())
    shutil.move(folder / "x.db", stored / "x.db")
    return [
        Scene("judge", ["judge", "--db", "x.db"], stored, outcomes),
        Scene("report", ["report", "--full", "--db", "x.db"], stored, printed),
        Scene("compare", ["compare", "null@host", "null@null", "--db", "x.db"], stored, printed),
        Scene(
            "explain",
            ["explain", "null.f00", "--target", "null@null", "--no-try", "--db", "x.db"],
            stored,
            printed,
        ),
        # 2: the first command had stored all of it when it was stopped.
        Scene("import", ["import", "paper", "--db", "x.db"], stored, imported, statuses=(0, 2)),
        merging_scene(stage, stored / "x.db"),
    ]


def merging_scene(stage: Stage, database: Path) -> Scene:
    """Return the scene of `merge`, on copies of a database, each with a run of its own."""
    several = stage.scratch / "several"
    several.mkdir()
    names = [f"{i}.db" for i in range(1 if stage.sanitized else 6)]
    for i, name in enumerate(names):
        shutil.copy(database, several / name)
        with contextlib.closing(sqlite3.connect(several / name)) as copy:
            copy.execute("UPDATE run SET uuid = ?", (f"{i:032x}",))
            copy.commit()
    return Scene("merge", ["merge", *names, "--into", "all.db"], several, merged)


def scanning_scenes(stage: Stage) -> list[Scene]:
    """Return the scenes of `scan` on a framework, a folder and a pipe, and of a scan's figure."""
    template = stage.scratch / "scan"
    source = template / "source"
    source.mkdir(parents=True)
    for i in range(300):
        (source / f"m{i}.py").write_text("import jax\njax.jit(f)\njax.numpy.add(1, 2)\n" * 200)
    script = f'. {ROOT}/tests/cli/made-up-jax; mv data "$1/data"; mv site "$1/site"'
    with tempfile.TemporaryDirectory(dir=stage.scratch) as folder:
        subprocess.run(
            ["/bin/sh", "-c", script, "sh", template],
            cwd=folder,
            env={
                "PATH": f"{Path(stage.program).parent}:/usr/bin:/bin",
                "PORTMETER_HOME": str(stage.home),
                "HOME": folder,
            },
            check=True,
        )
    scan = Scene(
        "scan",
        ["scan", "source", "-", "--framework", "jax", "--db", "scan.db", "--format", "json"],
        template,
        counted,
        variables={"PYTHONPATH": str(template / "site")},
        feed=dribble,
    )
    drawn = stage.scratch / "drawn"
    drawn.mkdir()
    folder, mark = stage.folder(scan)
    if stage.finish(scan, folder, mark, scan.arguments):
        raise SystemExit((folder / "said").read_text())
    shutil.move(folder / "scan.db", drawn / "scan.db")
    figure = ["report", "--db", "scan.db", "--figure", "frequency", "--output", "f.png"]
    return [scan, Scene("report as a figure", figure, drawn, drawing)]


def making_scenes(stage: Stage) -> list[Scene]:
    """Return the scenes of `env create` from a slow index, and of a study with environments."""
    empty = stage.scratch / "nothing"
    empty.mkdir()
    maker = make_maker(stage.scratch / "bin" / "python3", stage.scratch / "template")
    pip = {
        "PATH": f"{maker.parent}:/usr/bin:/bin",
        "PIP_INDEX_URL": serve_packages(),
        "PIP_CONFIG_FILE": os.devnull,
        "PIP_NO_CACHE_DIR": "1",
        "NO_PROXY": "127.0.0.1",
    }
    silent = socket.create_server(("127.0.0.1", 0))  # it accepts requests and never answers
    stage.kept.append(silent)
    stuck = {**pip, "PIP_INDEX_URL": f"http://127.0.0.1:{silent.getsockname()[1]}/simple"}
    return [
        Scene("env create", ["env", "create", "numpy"], empty, environments, variables=pip),
        Scene(
            "study that makes environments",
            ["study", "--yes", "--db", "study.db"],
            empty,
            environments,
            variables=stuck,
            endless=True,
        ),
    ]


MAKERS = (measuring_scenes, reading_scenes, scanning_scenes, making_scenes)
