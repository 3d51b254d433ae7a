"""Tests of importing modules that only some cases need."""

import importlib.util
import os
import sys
import tempfile
import unittest
from unittest import mock

import support
from pmdriver.process import server, wire
from pmdriver.process.late import LateImports

MODULE = "a_module_that_is_imported_late"


class Late(unittest.TestCase):
    """A child imports the module before its clocks run; the driver does so before its next fork."""

    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        with open(os.path.join(folder.name, f"{MODULE}.py"), "w") as file:
            file.write("import os\npid = os.getpid()\n")
        sys.path.insert(0, folder.name)
        self.addCleanup(sys.path.remove, folder.name)
        self.addCleanup(sys.modules.pop, MODULE, None)
        self.late = LateImports({MODULE: ("optim",), "no_such_module": ("optim",)})

    def child(self, call: str, execution: int = 1) -> bool:
        """Run a job in a child that then ends; return whether the child had the module."""
        self.late.import_marked()
        pid = os.fork()
        if pid == 0:
            job = {"execution": execution, "call": call, "setup": None}
            self.late.import_for(job)
            self.late.note()
            os._exit(MODULE in sys.modules)
        return bool(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))

    def test_only_where_it_is_needed(self) -> None:
        self.assertFalse(self.child("torch.add(x, y)"))
        self.assertFalse(self.child("torch.add(x, y)"))
        self.assertNotIn(MODULE, sys.modules)

    def test_what_the_call_imports_is_noted_after_it(self) -> None:
        pid = os.fork()
        if pid == 0:
            __import__(MODULE)
            self.late.note()
            os._exit(0)
        os.waitpid(pid, 0)
        self.assertTrue(self.child("torch.add(x, y)"))

    def test_the_driver_has_what_every_job_on_a_device_needs(self) -> None:
        self.late.expect(MODULE)
        self.assertTrue(self.child("torch.add(x, y)"))
        self.assertEqual(sys.modules[MODULE].pid, os.getpid())

    def test_only_a_new_import_changes_the_driver(self) -> None:
        self.assertFalse(self.late.import_marked())
        self.late.expect(MODULE)
        self.assertTrue(self.late.import_marked())
        self.assertFalse(self.late.import_marked())

    def test_what_cannot_be_imported_is_left_to_the_children(self) -> None:
        with open(importlib.util.find_spec(MODULE).origin, "w") as file:
            file.write("raise RuntimeError\n")
        self.late.expect(MODULE)
        self.assertTrue(self.late.import_marked())
        self.assertFalse(self.late.import_marked())

    def test_planted_faults_import_for_themselves_alone(self) -> None:
        self.assertTrue(self.child("torch.optim.Adamax([p])", execution=0))
        self.assertFalse(self.child("torch.add(x, y)"))
        self.assertNotIn(MODULE, sys.modules)

    def test_the_driver_has_it_for_the_next_child(self) -> None:
        self.assertTrue(self.child("torch.optim.Adamax([p])"))
        self.assertNotIn(MODULE, sys.modules)
        self.assertTrue(self.child("torch.add(x, y)"))
        self.assertEqual(sys.modules[MODULE].pid, os.getpid())

    def test_the_driver_settles_after_an_import_while_no_order_is_in_memory(self) -> None:
        framework, driver, done = support.Lists(), mock.Mock(), []
        order = {"scratch": "", "setting": {"device": "meta"}}
        frames = [(wire.FORK, order, b"")] * 4
        driver.connection.receive.side_effect = [*frames, (wire.BYE, {}, b"")]
        framework.before_fork = mock.Mock(side_effect=[False, False, True, False])
        settle = mock.patch.object(
            server.linux, "settle_memory", lambda: done.append(f"settle {order}")
        )
        fork = mock.patch.object(
            server, "_fork", lambda _, ordered, __: done.append(ordered["setting"]["device"])
        )
        with fork, settle:
            server._serve(framework, driver)
        self.assertEqual(done, ["meta", "meta", "settle {}", "meta", "meta"])


if __name__ == "__main__":
    unittest.main()
