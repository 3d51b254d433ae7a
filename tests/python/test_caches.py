"""Tests that no cache outlives a child."""

import contextlib
import os
import tempfile
import unittest
from unittest import mock

import support
from pmdriver.process import caches, child, server, wire

USER = "/home/somebody/cache"


class Caches(unittest.TestCase):
    """A user's cache folders are never used instead of the empty folder of a child."""

    def setUp(self) -> None:
        saved = dict(os.environ)
        self.addCleanup(os.environ.update, saved)
        self.addCleanup(os.environ.clear)
        self.addCleanup(setattr, tempfile, "tempdir", tempfile.gettempdir())

    def test_the_driver_forgets_them_before_it_imports(self) -> None:
        os.environ.update({
            "TORCHINDUCTOR_CACHE_DIR": USER,
            "CUDA_CACHE_PATH": USER,
            "JAX_COMPILATION_CACHE_DIR": USER,
            "TORCHINDUCTOR_FX_GRAPH_REMOTE_CACHE": "1",
            "TF_XLA_FLAGS": f"--tf_xla_persistent_cache_directory={USER} --tf_xla_auto_jit=2",
            "XLA_FLAGS": f"--xla_gpu_per_fusion_autotune_cache_dir={USER}",
        })  # fmt: skip
        with contextlib.ExitStack() as kept:  # nothing else of this process changes
            for name in ("linux", "hooks", "resource", "faulthandler", "sys"):
                kept.enter_context(mock.patch.object(server, name))
            server._prepare()
        self.assertEqual([name for name, value in os.environ.items() if USER in value], [])
        self.assertNotIn("TORCHINDUCTOR_FX_GRAPH_REMOTE_CACHE", os.environ)
        self.assertEqual(os.environ["TF_XLA_FLAGS"], "--tf_xla_auto_jit=2")

    def test_a_child_has_empty_folders_of_its_own(self) -> None:
        os.environ["TORCHINDUCTOR_CACHE_DIR"] = os.environ["CUDA_CACHE_PATH"] = USER
        with tempfile.TemporaryDirectory() as first, tempfile.TemporaryDirectory() as second:
            for scratch, found in zip((first, first, second), self.children(first, first, second)):
                for name in caches.FOLDERS:
                    self.assertTrue(found[name].startswith(f"{scratch}/"), name)
                self.assertEqual(found["TMPDIR"], scratch)
                folders = {found[name] for name in caches.FOLDERS}
                self.assertEqual(len(folders), len(caches.FOLDERS))
                self.assertEqual(os.listdir(scratch), [])

    def test_a_folder_that_tempfile_remembers_is_no_child_s(self) -> None:
        os.environ.pop("TMPDIR", None)
        with tempfile.TemporaryDirectory() as scratch:  # an import may call gettempdir()
            caches.use(scratch)
            self.assertEqual(tempfile.gettempdir(), scratch)

    def test_what_a_case_sets_for_its_process_wins(self) -> None:
        before = os.getcwd()
        self.addCleanup(os.chdir, before)
        with tempfile.TemporaryDirectory() as scratch:
            caches.use(scratch)
            setting = {"environment": {"CUDA_CACHE_PATH": "of the case"}}
            child._settle({"scratch": scratch, "memory": 0, "setting": setting})
            os.chdir(before)
        self.assertEqual(os.environ["CUDA_CACHE_PATH"], "of the case")

    def children(self, *folders: str) -> list[dict[str, str]]:
        """Serve a child in each folder; return the environment of each child when it is forked."""
        frames = [(wire.FORK, {"scratch": folder, "setting": {}}, b"") for folder in folders]
        driver, found = mock.Mock(), []
        driver.connection.receive.side_effect = [*frames, (wire.BYE, {}, b"")]
        with mock.patch.object(server, "_fork", lambda *_: found.append(dict(os.environ))):
            server._serve(support.Lists(), driver)
        return found


if __name__ == "__main__":
    unittest.main()
