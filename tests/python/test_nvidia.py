"""Tests of pmdriver.nvidia with made-up output of the driver: no GPU is needed."""

import os
import stat
import tempfile
import unittest
from unittest import mock

import support  # noqa: F401  (puts the drivers on the path)
from pmdriver import nvidia

GPUS = "GPU-1a, 2048, 97\nGPU-2b, [N/A], [Not Supported]\n"
PROCESSES = "GPU-1a, 77\nGPU-1a, 78\n"


class Nvidia(unittest.TestCase):
    """What is read, and what happens where nothing can be read."""

    def test_each_kernel_module_has_a_version(self) -> None:
        for text, version in (
            (
                "NVRM version: NVIDIA UNIX x86_64 Kernel Module  535.54.03  Tue Jun  6\n",
                "535.54.03",
            ),
            (
                "NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  580.159.04  x\n",
                "580.159.04",
            ),
            ("", ""),
        ):
            self.assertEqual(nvidia.driver_version(text), version)

    def test_a_gpu_has_memory_load_and_processes(self) -> None:
        self.assertEqual(
            nvidia.parse(GPUS, PROCESSES),
            [nvidia.Gpu("GPU-1a", 2048, 97, 2), nvidia.Gpu("GPU-2b", None, None, 0)],
        )

    def test_what_is_not_known_is_not_described(self) -> None:
        unknown = nvidia.parse(GPUS, "")[1]
        self.assertEqual(unknown.described(), {"gpu_processes": 0})

    def test_messages_are_no_gpus(self) -> None:
        text = "NVIDIA-SMI has failed: it cannot communicate with the driver.\nNo devices\n"
        self.assertEqual(nvidia.parse(text, text), [])

    def test_a_gpu_is_found_with_and_without_prefix(self) -> None:
        gpus = nvidia.parse(GPUS, PROCESSES)
        for uuid in ("GPU-2b", "2b"):
            self.assertEqual(nvidia.of_uuid(gpus, uuid), gpus[1])
        self.assertIsNone(nvidia.of_uuid(gpus, "3c"))

    def test_without_a_uuid_only_a_single_gpu_is_known(self) -> None:
        gpus = nvidia.parse(GPUS, PROCESSES)
        self.assertIsNone(nvidia.of_uuid(gpus, ""))
        self.assertEqual(nvidia.of_uuid(gpus[:1], ""), gpus[0])

    def test_the_program_is_asked_where_there_is_one(self) -> None:
        script = (
            f"#!/bin/sh\ncase $1 in *gpu=*) printf '{GPUS}' ;; *) printf '{PROCESSES}' ;; esac\n"
        )
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "nvidia-smi")
            with open(path, "w") as file:
                file.write(script)
            os.chmod(path, stat.S_IRWXU)
            with mock.patch.dict(os.environ, {"PATH": f"{folder}:/bin:/usr/bin"}):
                self.assertEqual(nvidia.look(), nvidia.parse(GPUS, PROCESSES))

    def test_a_program_that_fails_gives_no_gpus(self) -> None:
        with mock.patch.object(nvidia.shutil, "which", lambda name: "/bin/false"):
            self.assertEqual(nvidia.look(), [])
        with mock.patch.object(nvidia.shutil, "which", lambda name: None):
            self.assertEqual(nvidia.look(), [])


if __name__ == "__main__":
    unittest.main()
