"""Runs the tests: commands, with their CPU time, and several tasks at once."""

from __future__ import annotations

import concurrent.futures
import contextlib
import dataclasses
import itertools
import math
import os
import signal
import subprocess
import tempfile
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
JOBS = 2
WAITING_JOBS = 5  # number of tests that run at once if they mostly wait
LIMIT_S = 570
TAIL_LINES = 40
MEMORY = "/dev/shm"
LEAST_MEMORY = 4 << 30  # bytes: a test of the size limits of columns stores a quarter of a GB
SLOWEST = 10  # how many tasks are named at the end with their times
MOST_AGAIN = 3  # the most tasks that are repeated alone; if more fail, something is broken
SANITIZER_FOUND = ("Sanitizer", "runtime error:")  # findings that no repetition can disprove

alive: set[int] = set()  # process groups of commands that have not ended


def end_all(number: int, frame: object) -> None:
    """Kill all running commands, and exit; the handler of SIGINT and SIGTERM."""
    for group in list(alive):
        kill_group(group)
    os._exit(128 + number)


@dataclasses.dataclass
class Result:
    """The result of a test: `status` is PASS, FAIL or SKIP; `log` is shown if it failed."""

    name: str
    status: str
    log: str = ""


@dataclasses.dataclass
class Spending:
    """The monotonic and CPU seconds of a task, which is named by its first test."""

    group: str
    first: str
    begin: float
    end: float
    user: float
    system: float

    def took(self) -> float:
        """Return the wall-clock seconds of the task."""
        return self.end - self.begin

    def processor(self) -> float:
        """Return the CPU seconds of the task."""
        return self.user + self.system


Future = concurrent.futures.Future[None]
Task = tuple[str, Callable[[], Iterable[Result]]]  # test group, and the function that runs it


@dataclasses.dataclass
class Ended:
    """How a command ended, and what it printed."""

    status: int
    output: str
    errors: str = ""


class Worker(threading.local):
    """A thread that runs tasks: its CPU, and the CPU seconds of its current task's commands."""

    cpu: int | None = None
    user = 0.0
    system = 0.0


worker = Worker()


@contextlib.contextmanager
def one_processor() -> Iterator[None]:
    """Bind this thread, and what it starts, to one CPU, which the thread's number determines.

    portmeter then uses one slot, and imports a framework once instead of once per slot.
    """
    allowed = os.sched_getaffinity(0)
    if worker.cpu is None:
        yield
        return
    os.sched_setaffinity(0, {sorted(allowed)[worker.cpu % len(allowed)]})
    try:
        yield
    finally:
        os.sched_setaffinity(0, allowed)


def in_memory() -> dict[str, str]:
    """Return TMPDIR as a folder in memory, unless TMPDIR is set.

    The folder must have enough room, and its file system must allow programs to run. On a disk,
    each commit of a database waits: a unit test of 1 s took up to 20 s.
    """
    try:
        folder = os.statvfs(MEMORY)
    except OSError:
        return {}
    has_room = folder.f_bavail * folder.f_frsize >= LEAST_MEMORY
    runs = not folder.f_flag & os.ST_NOEXEC and os.access(MEMORY, os.W_OK)
    return {"TMPDIR": MEMORY} if has_room and runs and "TMPDIR" not in os.environ else {}


def kill_group(group: int) -> None:
    """Kill a process group, if it still exists."""
    with contextlib.suppress(ProcessLookupError):
        os.killpg(group, signal.SIGKILL)


def run(
    command: Iterable[str | Path],
    env: dict[str, str] | None = None,
    cwd: Path = ROOT,
    limit: float = LIMIT_S,
    apart: bool = False,
) -> Ended:
    """Run a command to its end; kill its process group after `limit` seconds.

    `apart` separates stderr from stdout.
    """
    with tempfile.TemporaryFile() as output, tempfile.TemporaryFile() as errors:
        process = subprocess.Popen(
            [str(word) for word in command],
            env={**os.environ, **(env or {})},
            cwd=cwd,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=errors if apart else subprocess.STDOUT,
            start_new_session=True,
        )
        alive.add(process.pid)
        timer = threading.Timer(limit, kill_group, (process.pid,))
        timer.start()
        _, wait_status, usage = os.wait4(process.pid, 0)
        late = timer.finished.is_set()
        timer.cancel()
        alive.discard(process.pid)
        process.returncode = os.waitstatus_to_exitcode(wait_status)
        worker.user += usage.ru_utime
        worker.system += usage.ru_stime
        texts = []
        for file in (output, errors):
            file.seek(0)
            texts.append(file.read().decode(errors="replace"))
    if late:
        return Ended(124, f"{texts[0]}\nkilled after {limit:.0f} s", texts[1])
    return Ended(process.returncode, texts[0], texts[1])


def is_doubted(group: str, result: Result) -> bool:
    """Return whether a failure may be caused by tests that ran at the same time."""
    found = any(word in result.log for word in SANITIZER_FOUND)
    return result.status == "FAIL" and group not in ("build", "check") and not found


def selection(part: str) -> str:
    """Return the part of a test's name that --only selects; it may be the path of a test's file.

    ``tests/unit/test_stat.c`` and ``unit/test_stat`` are ``unit/stat``.
    """
    group, slash, name = part.removeprefix("tests/").rpartition("/")
    for extension in (".c", ".py", ".test"):
        name = name.removesuffix(extension)
    return group + slash + (name.removeprefix("test_") if slash else name)


def read_times(path: Path) -> dict[str, float]:
    """Return the seconds of each test that `Runner.keep_times` wrote; empty without the file."""
    found = {}
    with contextlib.suppress(OSError, ValueError):
        for line in path.read_text().splitlines()[1:]:
            _, _, _, took, name = line.split("\t", 4)
            found[name.split(" ")[0]] = float(took)
    return found


class Runner:
    """Runs tasks, prints their results as they arrive, and counts them."""

    def __init__(self, only: str, times: Path) -> None:
        self.only = selection(only)
        self.times = times  # the file with the times of tasks
        self.counts = {"PASS": 0, "FAIL": 0, "SKIP": 0}
        self.failed: list[str] = []
        self.flaky: list[str] = []  # failed at the same time as others, and passed alone
        self.doubted: list[tuple[Task, list[Result]]] = []  # failed at the same time as others
        self.broken = False  # whether a build failed, so that nothing can run
        self.tasks: list[Spending] = []
        self.lock = threading.Lock()
        self.before = read_times(times)

    def took_before(self, name: str) -> float:
        """Return the seconds that a test took in the previous run; infinity if it did not run."""
        return self.before.get(name, math.inf)

    def wants(self, name: str) -> bool:
        """Return whether --only may select a test with this name, or this beginning of a name."""
        return not self.only or self.only in name or self.only.startswith(name)

    def tell(self, group: str, result: Result) -> None:
        """Count and print one result."""
        name = f"{group}/{result.name}"
        if group == "build" and result.status == "FAIL":
            self.broken = True
        elif self.only and self.only not in name:
            return
        words = {"PASS": "ok  ", "FAIL": "FAIL", "SKIP": "skip"}
        with self.lock:
            self.counts[result.status] += 1
            print(f"{words[result.status]}  {name}", flush=True)
            if result.status == "FAIL":
                self.failed.append(name)
                self.show(result)

    def do(self, group: str, task: Callable[[], Iterable[Result]], beside: bool = False) -> None:
        """Run one task; an exception of the runner counts as a failed test.

        A test that fails `beside` other tasks may be repeated: see `do_again`.
        """
        begin, first = time.monotonic(), group
        worker.user = worker.system = 0.0
        doubted: list[Result] = []
        try:
            for number, result in enumerate(task()):
                first = first if number else f"{group}/{result.name}"
                if beside and is_doubted(group, result):
                    doubted.append(result)
                else:
                    self.tell(group, result)
        except Exception as error:
            self.tell(group, Result("runner", "FAIL", f"{type(error).__name__}: {error}"))
        with self.lock:
            end = time.monotonic()
            self.tasks.append(Spending(group, first, begin, end, worker.user, worker.system))
            if doubted:
                self.doubted.append(((group, task), doubted))

    def do_again(self) -> None:
        """Repeat, one by one, tasks that failed beside others, unless more than MOST_AGAIN did."""
        doubted, self.doubted = self.doubted, []
        for (group, task), before in doubted:
            again: dict[str, Result] = {}
            if len(doubted) <= MOST_AGAIN:
                with contextlib.suppress(Exception):  # if it fails, the first result counts
                    again = {result.name: result for result in task()}
            for result in before:
                alone = again.get(result.name, result)
                if alone.status == "PASS":
                    self.flaky.append(f"{group}/{result.name}")
                    print(f"again {group}/{result.name}: at first", flush=True)
                    self.show(result)
                self.tell(group, alone)

    def show(self, result: Result) -> None:
        """Print the end of the log of a result."""
        for line in result.log.splitlines()[-TAIL_LINES:]:
            print(f"      {line}", flush=True)

    def do_all(
        self,
        tasks: list[Task],
        waiting: Iterable[Task] = (),
        jobs: int = JOBS,
        waiting_jobs: int = WAITING_JOBS,
        more: Callable[[], tuple[list[Task], list[Task]]] | None = None,
    ) -> None:
        """Run `tasks`, `jobs` at once, and at the same time tasks that mostly wait.

        When the first task, a build, is done, `more` returns further tasks of both kinds.
        """
        numbers = itertools.count()
        beside = len(tasks) > 1 and jobs > 1 or bool(waiting)

        def take_processor() -> None:
            worker.cpu = next(numbers)

        def begin(pool: concurrent.futures.Executor, given: Iterable[Task]) -> list[Future]:
            return [pool.submit(self.do, group, task, beside) for group, task in given]

        def workers(count: int) -> concurrent.futures.Executor:
            return concurrent.futures.ThreadPoolExecutor(count, initializer=take_processor)

        with workers(jobs) as pool, workers(waiting_jobs) as waiters:
            futures = begin(pool, tasks) + begin(waiters, waiting)
            if more:
                futures[0].result()
                later, waiting_later = ([], []) if self.broken else more()
                futures += begin(pool, later) + begin(waiters, waiting_later)
            for future in futures:
                future.result()
        self.do_again()

    def close(self, begin: float) -> int:
        """Print the sums, write the times, and return the status: 2 if --only selects nothing."""
        for name in self.failed:
            print(f"failed: {name}")
        for name in self.flaky:
            print(f"flaky: {name} failed beside other tests and passed alone")
        for task in sorted(self.tasks, key=Spending.took, reverse=True)[:SLOWEST]:
            print(f"slow: {task.took():.0f} s, {task.processor():.0f} s CPU {task.first}")
        self.keep_times(begin)
        seconds: dict[str, float] = {}
        for task in self.tasks:
            seconds[task.group] = seconds.get(task.group, 0) + task.took()
        groups = ", ".join(f"{group} {took:.0f} s" for group, took in seconds.items())
        user, system = (
            sum(task.user for task in self.tasks),
            sum(task.system for task in self.tasks),
        )
        print(f"took {time.monotonic() - begin:.0f} s ({groups})")
        print(f"processors: {user:.0f} s user, {system:.0f} s system")
        skipped = f", {self.counts['SKIP']} skipped" if self.counts["SKIP"] else ""
        print(f"{self.counts['PASS']} passed, {self.counts['FAIL']} failed{skipped}")
        if self.only and not self.broken and not any(self.counts.values()):
            print(
                f"no test has '{self.only}' in its name: tests/README.md says how tests are named"
            )
            return 2
        return 1 if self.failed or not self.counts["PASS"] else 0

    def keep_times(self, begin: float) -> None:
        """Write the start, relative to `begin`, and the times of each task, most CPU time first."""
        if self.only:
            return  # only the times of whole runs order the next whole run
        lines = [
            f"{task.user:.2f}\t{task.system:.2f}\t{task.begin - begin:.2f}\t{task.took():.2f}"
            f"\t{task.first}\n"
            for task in sorted(self.tasks, key=Spending.processor, reverse=True)
        ]
        with contextlib.suppress(OSError):
            self.times.write_text("".join(["user\tsystem\tbegin\twall\ttask\n", *lines]))
