"""A Slurm of made-up nodes on loopback, for tests that submit shards to it.

Its daemons are children of the test and run as its user. The module also has the functions by which
these tests ask Slurm for its jobs, and read databases.
"""

from __future__ import annotations

import getpass
import json
import os
import shutil
import signal
import socket
import sqlite3
import subprocess
import time
from pathlib import Path

NEEDED = ("munged", "slurmctld", "slurmd", "sbatch", "squeue", "scontrol", "scancel")
NODES = 4
PATIENCE_S = 150
QUEUED_S = 3


def find(name: str) -> str | None:
    """Return the path of a program, also from folders of daemons, which may not be on PATH."""
    return shutil.which(name, path=os.environ["PATH"] + ":/usr/sbin:/usr/local/sbin")


def free_ports(count: int) -> list[int]:
    """Return `count` ports of loopback that no process uses now."""
    sockets = [socket.socket() for _ in range(count)]
    for one in sockets:
        one.bind(("127.0.0.1", 0))
    ports = [one.getsockname()[1] for one in sockets]
    for one in sockets:
        one.close()
    return ports


class Cluster:
    """A Slurm in a folder, whose daemons are children of this process."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.daemons: list[subprocess.Popen[bytes]] = []

    def start(self) -> None:
        """Start munged, the controller and the nodes."""
        host, user = socket.gethostname().split(".")[0], getpass.getuser()
        control, *nodes = free_ports(NODES + 1)
        (self.folder / "state").mkdir()
        lines = [
            "ClusterName=test",
            f"SlurmctldHost={host}(127.0.0.1)",
            f"SlurmUser={user}\nSlurmdUser={user}",
            f"AuthType=auth/munge\nAuthInfo=socket={self.folder}/munge.socket\nCredType=cred/munge",
            "MpiDefault=none\nProctrackType=proctrack/linuxproc\nTaskPlugin=task/none",
            "JobAcctGatherType=jobacct_gather/none\nSelectType=select/cons_tres",
            "SelectTypeParameters=CR_Core\nSchedulerParameters=sched_interval=1,bf_interval=1",
            f"StateSaveLocation={self.folder}/state\nSlurmdSpoolDir={self.folder}/spool.%n",
            f"SlurmctldPidFile={self.folder}/control.pid\nSlurmdPidFile={self.folder}/%n.pid",
            f"SlurmctldLogFile={self.folder}/control.log\nSlurmdLogFile={self.folder}/%n.log",
            f"SlurmctldPort={control}\nReturnToService=2\nKillWait=2",
            "SlurmdParameters=config_overrides\nAccountingStorageType=accounting_storage/none",
        ]
        lines += [
            f"NodeName=n{i} NodeHostname={host} NodeAddr=127.0.0.1 Port={port} CPUs=1"
            for i, port in enumerate(nodes, 1)
        ]
        lines += ["PartitionName=main Nodes=ALL Default=YES MaxTime=INFINITE State=UP"]
        (self.folder / "slurm.conf").write_text("\n".join(lines) + "\n")
        key = self.folder / "key"
        key.write_bytes(os.urandom(1024))
        key.chmod(0o600)
        os.environ["SLURM_CONF"] = str(self.folder / "slurm.conf")
        self.run_daemon(
            "munged", "--foreground", "--force", f"--key-file={key}",
            *(f"--{what}-file={self.folder}/munge.{what}" for what in ("pid", "log", "seed")),
            f"--socket={self.folder}/munge.socket",
        )  # fmt: skip
        wait_for("munged", lambda: (self.folder / "munge.socket").exists())
        self.run_daemon("slurmctld", "-D")
        for i in range(1, NODES + 1):
            (self.folder / f"spool.n{i}").mkdir()
            self.run_daemon("slurmd", "-D", "-N", f"n{i}")
        wait_for("nodes", lambda: output("sinfo", "-h", "-N", "-o", "%T").count("idle") == NODES)

    def run_daemon(self, name: str, *arguments: str) -> None:
        """Start a daemon in the foreground."""
        log = (self.folder / "daemons.log").open("ab")
        command = [find(name) or name, *arguments]
        self.daemons.append(subprocess.Popen(command, stdout=log, stderr=log))

    def stop(self) -> None:
        """End the jobs, then the daemons, the last one first."""
        output("scancel", "--user", getpass.getuser())
        time.sleep(1)
        for daemon in reversed(self.daemons):
            daemon.send_signal(signal.SIGTERM)
        for daemon in self.daemons:
            try:
                daemon.wait(10)
            except subprocess.TimeoutExpired:
                daemon.kill()


def output(*command: str) -> str:
    """Run a command of Slurm; return its output."""
    ended = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)
    return ended.stdout


def wait_for(what: str, condition: object) -> None:
    """Wait until a condition holds; raise TimeoutError after PATIENCE_S."""
    end = time.monotonic() + PATIENCE_S
    while not condition():  # type: ignore[operator]
        if time.monotonic() > end:
            raise TimeoutError(f"waited {PATIENCE_S} s for {what}")
        time.sleep(0.1)


def facts(program: str, db: Path) -> object:
    """Return a run's state and counts, the tables of its report, and its judged executions."""
    command = [program, "report", "--db", str(db), "--format", "json"]
    document = json.loads(subprocess.run(command, capture_output=True, check=True).stdout)
    tables = {p["table"]["id"]: p["table"]["rows"] for p in document["parts"] if "table" in p}
    (run,) = document["runs"]
    rows = sqlite3.connect(db).execute(
        "SELECT t.text, c.function, c.name, e.repetition, e.retry, j.outcome, j.detail, j.reason"
        " FROM execution e JOIN target t ON t.id = e.target_id JOIN test_case c ON c.id = e.case_id"
        " JOIN judgement j ON j.execution_id = e.id ORDER BY 1, 2, 3, 4, 5"
    )
    return [run["state"], run["validity"], run["planned"], run["done"], tables, rows.fetchall()]


def measuring(job: str) -> list[int]:
    """Return the numbers of the shards whose jobs are running."""
    lines = output("squeue", "-h", "-r", "-j", job, "-t", "RUNNING", "-o", "%i").split()
    return sorted(int(line.partition("_")[2]) for line in lines)


def kill_shard(folder: Path, number: int) -> None:
    """Kill the portmeter that measures a shard with SIGKILL."""
    for entry in Path("/proc").glob("[0-9]*"):
        try:
            words = (entry / "cmdline").read_bytes().split(b"\0")
        except OSError:
            continue
        if f"{folder}/shard-{number}.db".encode() in words and b"run" in words:
            os.kill(int(entry.name), signal.SIGKILL)


def drain(job: str, number: int) -> None:
    """Drain the node of a shard, so that the shard continues on another node."""
    node = output("squeue", "-h", "-r", "-j", f"{job}_{number}", "-o", "%N").strip()
    if node:
        output("scontrol", "update", f"NodeName={node}", "State=DRAIN", "Reason=test")
        output("scontrol", "requeue", f"{job}_{number}")


class Restarts:
    """Lets requeued jobs start soon: Slurm would wait for two minutes.

    They do not start in the second in which they were queued: the node would mistake the new job
    for the old one, whose credential was revoked, and the controller would end the new job.
    """

    def __init__(self, job: str) -> None:
        self.job = job
        self.since: dict[str, float] = {}

    def hasten(self) -> None:
        """Start the jobs that have waited for a while."""
        waiting = output("squeue", "-h", "-r", "-j", self.job, "-t", "PENDING", "-o", "%i").split()
        now = time.monotonic()
        self.since = {name: self.since.get(name, now) for name in waiting}
        for name, since in self.since.items():
            if now - since > QUEUED_S:
                output("scontrol", "update", f"JobId={name}", "StartTime=now")
