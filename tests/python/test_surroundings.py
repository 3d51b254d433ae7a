"""Tests that a case's changes of the whole process are undone before the next case."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
import unittest
from unittest import mock

import support
from pmdriver.process import child, wire
from pmdriver.process.surroundings import Surroundings


def umask() -> int:
    """Return the umask."""
    now = os.umask(0)
    os.umask(now)
    return now


class Connection:
    """A supervisor that sends these jobs and keeps the answers."""

    def __init__(self, jobs: list[tuple]) -> None:
        self.jobs, self.answers = jobs, []

    def receive(self) -> tuple:
        """Return the next job."""
        job, body = self.jobs.pop(0)
        return wire.RUN, {**job, "last": not self.jobs}, body

    def send(self, kind: int, header: dict, buffers: object = ()) -> None:
        """Keep an answer."""
        self.answers.append(header)


class Restored(unittest.TestCase):
    """Environment, folder and umask are as before after a job that changed them."""

    def setUp(self) -> None:
        before, mask = os.getcwd(), umask()
        self.addCleanup(os.umask, mask)
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.addCleanup(os.chdir, before)
        self.folder = os.path.realpath(folder.name)
        patched = mock.patch.dict(os.environ, PM_ONE="1", PM_TWO="2")
        patched.start()
        self.addCleanup(patched.stop)
        self.variables = dict(os.environ)
        self.surroundings = Surroundings(self.folder)

    def verify(self) -> None:
        """Restore the surroundings, and check that all are as before."""
        self.surroundings.restore()
        self.assertEqual(dict(os.environ), self.variables)
        self.assertEqual(os.getenv("PM_ONE"), "1")
        self.assertEqual(os.getcwd(), self.folder)

    def test_variables(self) -> None:
        os.environ["PM_ONE"] = "changed"
        os.environ["PM_THREE"] = "3"
        del os.environ["PM_TWO"]
        self.verify()
        os.environ.clear()
        self.verify()
        printed = subprocess.check_output("echo $PM_ONE", shell=True, text=True)
        self.assertEqual(printed, "1\n")

    def test_another_mapping(self) -> None:
        kept, os.environ = os.environ, {}
        self.addCleanup(setattr, os, "environ", kept)
        self.verify()
        self.assertIs(os.environ, kept)

    def test_folder(self) -> None:
        os.chdir("/")
        self.verify()
        shutil.rmtree(self.folder)
        self.verify()

    def test_the_next_job_of_a_child(self) -> None:
        setup = "import os"
        jobs = [
            support.job("os.environ.clear() or os.chdir('/')", setup=setup, repeat="once"),
            support.job("open('$tmp/a', 'w').close()", setup=setup, repeat="once",
                        output="[os.environ['PM_ONE'], os.getcwd()]"),
        ]  # fmt: skip
        framework, connection = support.Lists(), Connection(jobs)
        framework.start(support.setting())
        child.loop(framework, connection, bytearray(1), self.folder)
        first, second = connection.answers
        self.assertIsNone(first["raised"] or first["harness"])
        self.assertEqual(second["outputs"][0]["value"], ["1", self.folder])
        self.assertEqual(os.listdir(os.path.join(self.folder, "execution-3")), ["a"])

    def test_umask(self) -> None:
        before = umask()
        os.umask(0o777)
        self.verify()
        self.assertEqual(umask(), before)


if __name__ == "__main__":
    unittest.main()
