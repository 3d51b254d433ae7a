"""Modules that only some cases need."""

import os
import sys
import tempfile
import unittest

import support  # noqa: F401
from pmdriver.process.late import LateImports

MODULE = "a_module_that_is_imported_late"


class Late(unittest.TestCase):
    """A child imports before its clocks, the driver before its next fork."""

    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        with open(os.path.join(folder.name, f"{MODULE}.py"), "w") as file:
            file.write("import os\npid = os.getpid()\n")
        sys.path.insert(0, folder.name)
        self.addCleanup(sys.path.remove, folder.name)
        self.addCleanup(sys.modules.pop, MODULE, None)
        self.late = LateImports({MODULE: ("optim", "on meta"), "no_such_module": ("optim",)})

    def child(self, call: str, where: str = "", execution: int = 1) -> bool:
        """Run a job in a child, which it ends; tell whether the child had the module."""
        pid = os.fork()
        if pid == 0:
            job = {"execution": execution, "call": call, "setup": None}
            self.late.import_for(job, where)
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

    def test_where_a_device_needs_it(self) -> None:
        self.assertTrue(self.child("torch.add(x, y)", "on meta"))

    def test_canaries_import_for_themselves_alone(self) -> None:
        self.assertTrue(self.child("torch.optim.Adamax([p])", execution=0))
        self.assertFalse(self.child("torch.add(x, y)"))
        self.assertNotIn(MODULE, sys.modules)

    def test_what_a_device_needs_stays_after_a_canary(self) -> None:
        self.assertTrue(self.child("torch.add(x, y)", "on meta", execution=0))
        self.assertTrue(self.child("torch.add(x, y)"))

    def test_the_driver_has_it_for_the_next_child(self) -> None:
        self.assertTrue(self.child("torch.optim.Adamax([p])"))
        self.assertNotIn(MODULE, sys.modules)
        self.assertTrue(self.child("torch.add(x, y)"))
        self.assertEqual(sys.modules[MODULE].pid, os.getpid())


if __name__ == "__main__":
    unittest.main()
