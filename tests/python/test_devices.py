"""Tests of PyTorch's devices with a made-up torch.cuda, and of the output of NVIDIA's driver."""

import importlib.util
import os
import stat
import tempfile
import types
import unittest
from unittest import mock

import fresh
import support  # noqa: F401  (puts the drivers on the path)
from pmdriver import nvidia

if importlib.util.find_spec("torch") is not None:
    import torch
    from pmdriver.pytorch import devices
    from pmdriver.pytorch.framework import PyTorch


class Several:
    """A made-up module like torch.cuda, for a kind of device with two devices."""

    def __init__(self) -> None:
        self.calls: list[tuple[str, int]] = []
        self.current = 0

    def set_device(self, index: int) -> None:
        """Make a device the current one."""
        self.current = index

    def synchronize(self, index: int = -1) -> None:
        """Note the call."""
        self.calls.append(("synchronize", index))

    def device_count(self) -> int:
        """Return two."""
        return 2

    def reset_peak_memory_stats(self, index: int = -1) -> None:
        """Note the call."""
        self.calls.append(("reset_peak_memory_stats", index))

    def memory_allocated(self, index: int = -1) -> int:
        """Return the memory of a call's inputs and of what earlier calls left."""
        return 70 + index

    def max_memory_allocated(self, index: int = -1) -> int:
        """Return a value that depends on the device."""
        return 100 + 2 * index

    def get_device_name(self, index: int = -1) -> str:
        """Return a value that depends on the device."""
        return f"card {index}"


@unittest.skipUnless(importlib.util.find_spec("torch"), "needs torch")
class Devices(unittest.TestCase):
    """PyTorch's devices, tested without a GPU."""

    def test_an_index_is_one_device(self) -> None:
        module = Several()
        with mock.patch.object(devices.Device, "module", lambda device: module):
            device = devices.device_of("cuda:1")
            self.assertEqual((device.name, device.index), ("cuda", 1))
            self.assertEqual(str(device.handle()), "cuda:1")
            device.wait()()
            device.clear_counters()
            self.assertEqual(device.device_name(), "card 1")
            self.assertEqual(device.peak_memory(), 102 - 71)  # of the call, not of its inputs
        self.assertEqual(module.calls, [("synchronize", 1), ("reset_peak_memory_stats", 1)])

    def test_each_of_several_devices_is_listed(self) -> None:
        module = Several()
        with (
            mock.patch.object(devices.Device, "module", lambda device: module),
            mock.patch.object(devices.PlugIn, "why_not", lambda device: ""),
        ):
            found = devices.others_of(devices.PlugIn("npu"))
            rows = [devices.describe(device) for device in found]
        self.assertEqual([(row["device"], row["name"]) for row in rows], [("npu:1", "card 1")])
        self.assertEqual(devices.others_of(devices.Cpu()), [])

    def test_a_back_end_that_is_missing_names_the_option_that_loads_it(self) -> None:
        with mock.patch.object(devices, "plug_in_name", lambda: "other"):
            self.assertIn("portmeter env add --import", devices.PlugIn("mine").why_not())

    def test_an_index_that_no_device_has(self) -> None:
        module = Several()
        with mock.patch.object(devices.Device, "module", lambda device: module):
            self.assertEqual(devices.device_of("cuda:1").why_no_index(), "")
            reason = devices.device_of("cuda:2").why_no_index()
        self.assertEqual(
            reason, "device cuda:2 does not exist (number of cuda devices: 2): use a lower index"
        )

    def test_another_index_is_not_the_device(self) -> None:
        framework = PyTorch()
        framework.device = devices.device_of("cuda")
        found = {}
        for name in ("cuda:0", "cuda:1", "cpu"):
            array = types.SimpleNamespace(device=torch.device(name))
            found[name] = framework.where(array)[1]
        self.assertEqual(found, {"cuda:0": True, "cuda:1": False, "cpu": False})

    def test_a_current_device_does_not_outlive_its_case(self) -> None:
        module, framework = Several(), PyTorch()
        with mock.patch.object(devices.Device, "module", lambda device: module):
            framework.device = devices.device_of("cuda")
            module.current = 1
            framework.begin_job({}, None)
        self.assertEqual(module.current, 0)

    def test_exact_mode_turns_off_what_is_fast(self) -> None:
        code = (
            "import support, torch\n"
            "from pmdriver.pytorch import devices, modes\n"
            "card, host = devices.device_of('cuda'), devices.device_of('cpu')\n"
            "assert 'tf32_cudnn' in card.fast_modes() and not host.fast_modes()\n"
            "torch.set_float32_matmul_precision('high')\n"
            "assert 'tf32_matmul' in card.fast_modes()\n"
            "assert host.fast_modes() == ['float32_matmul_precision']\n"
            "card.make_exact()\n"
            "print(card.fast_modes(), host.fast_modes(), torch.backends.cudnn.allow_tf32)"
        )
        self.assertEqual(fresh.python(code), (0, "[] [] False\n"))

    def test_other_users_of_a_gpu_are_recorded(self) -> None:
        gpus = nvidia.parse("GPU-1a, 2048, 97\nGPU-2b, 4, 0\n", "GPU-1a, 77\nGPU-1a, 78\n")
        card = types.SimpleNamespace(uuid="1a")
        with mock.patch.object(torch.cuda, "get_device_properties", lambda index: card):
            found = devices.device_of("cuda").others(gpus)
        self.assertEqual(
            found, {"gpu_processes": 2, "gpu_memory_used_mib": 2048, "gpu_busy_percent": 97}
        )


GPUS = "GPU-1a, 2048, 97\nGPU-2b, [N/A], [Not Supported]\n"
PROCESSES = "GPU-1a, 77\nGPU-1a, 78\n"


class Nvidia(unittest.TestCase):
    """The values read from the output, and the results if nothing can be read."""

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
