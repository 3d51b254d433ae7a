"""The devices of PyTorch with a made-up torch.cuda: indices, memory, numeric modes, other users."""

import importlib.util
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
    """A made-up kind of device of which there are several, as torch.cuda is."""

    def __init__(self) -> None:
        self.calls: list[tuple[str, int]] = []
        self.current = 0

    def set_device(self, index: int) -> None:
        """Make a device the current one."""
        self.current = index

    def synchronize(self, index: int = -1) -> None:
        """Note it."""
        self.calls.append(("synchronize", index))

    def device_count(self) -> int:
        """Count two."""
        return 2

    def reset_peak_memory_stats(self, index: int = -1) -> None:
        """Note it."""
        self.calls.append(("reset_peak_memory_stats", index))

    def memory_allocated(self, index: int = -1) -> int:
        """Hold the inputs of a call, and what others left."""
        return 70 + index

    def max_memory_allocated(self, index: int = -1) -> int:
        """Depend on the device."""
        return 100 + 2 * index

    def get_device_name(self, index: int = -1) -> str:
        """Depend on the device."""
        return f"card {index}"


@unittest.skipUnless(importlib.util.find_spec("torch"), "needs torch")
class Devices(unittest.TestCase):
    """No GPU is needed."""

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

    def test_an_index_that_no_device_has(self) -> None:
        module = Several()
        with mock.patch.object(devices.Device, "module", lambda device: module):
            self.assertEqual(devices.device_of("cuda:1").why_no_index(), "")
            reason = devices.device_of("cuda:2").why_no_index()
        self.assertEqual(reason, "there is no cuda:2: the number of cuda devices is 2")

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


if __name__ == "__main__":
    unittest.main()
