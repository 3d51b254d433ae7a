"""Tests of the guards of PyTorch's driver around a call (docs/internals/guards.md)."""

from __future__ import annotations

import contextlib
import importlib.util
import sys
import types
import unittest
from collections.abc import Iterator
from unittest import mock

import fresh
import support

HAS_TORCH = importlib.util.find_spec("torch") is not None
if HAS_TORCH:
    import torch
    from pmdriver.pytorch import devices, modules
    from pmdriver.pytorch.framework import PyTorch
    from test_pytorch import started


@contextlib.contextmanager
def made_up_xla(log: list[str]) -> Iterator[dict[str, int]]:
    """Replace torch_xla by a module that notes each wait; yield its counters."""
    counters: dict[str, int] = {}
    names = ["torch_xla", "core", "core.xla_model", "debug", "debug.metrics"]
    names = [name if name == "torch_xla" else f"torch_xla.{name}" for name in names]
    made = {name: types.ModuleType(name) for name in names}
    for name in names[1:]:
        parent, _, last = name.rpartition(".")
        setattr(made[parent], last, made[name])
    made["torch_xla"].sync = lambda: log.append("sync")
    made["torch_xla.core.xla_model"].wait_device_ops = lambda: log.append("wait_device_ops")
    metrics = made["torch_xla.debug.metrics"]
    metrics.clear_counters = counters.clear
    metrics.counter_names = lambda: list(counters)
    metrics.counter_value = counters.get
    with mock.patch.dict(sys.modules, made):
        yield counters


@unittest.skipUnless(HAS_TORCH, "no torch")
class Guards(unittest.TestCase):
    """The actions of the driver around a call of PyTorch."""

    def test_a_module_on_a_device_gets_weights_and_buffers(self) -> None:
        target, source = torch.nn.BatchNorm1d(2), torch.nn.BatchNorm1d(2)
        source.running_mean.fill_(5)
        modules.place_modules(
            [("m", target)], torch.device("cpu"), lambda: [source],
            lambda wanted: [torch.full(w.shape, 3.0) for w in wanted], True, False,
        )  # fmt: skip
        self.assertEqual(target.running_mean.tolist(), [5.0, 5.0])
        self.assertEqual(target.weight.tolist(), [3.0, 3.0])

    def test_the_number_of_threads_is_set_and_reported(self) -> None:
        before = torch.get_num_threads()
        self.addCleanup(torch.set_num_threads, before)
        for count in (before + 1, before):
            framework = PyTorch()
            framework.import_all()
            self.assertEqual(framework.start(support.setting(threads=count))["threads"], count)
            self.assertEqual(torch.get_num_threads(), count)

    def test_no_device_is_asked_for_before_the_first_fork(self) -> None:
        # In a separate process, because imported modules are not imported again.
        script = (
            "import importlib, support, torch, types\n"
            "def ask(*arguments): raise AssertionError('CUDA was asked for')\n"
            "torch.cuda.is_available = torch.cuda._lazy_init = torch.cuda.device_count = ask\n"
            "torch.backends.cudnn.is_available = lambda: True\n"
            "torch.backends.cudnn.version = ask\n"
            "torch._C._cudnn = types.SimpleNamespace(getRuntimeVersion=lambda: (9, 1, 0))\n"
            "from pmdriver.pytorch.framework import LATE_MODULES, PyTorch\n"
            "framework = PyTorch()\n"
            "print(framework.import_all()['versions']['cudnn'])\n"
            "framework.practise()\n"
            "for name in filter(importlib.util.find_spec, LATE_MODULES):\n"
            "    importlib.import_module(name)\n"
        )
        self.assertEqual(fresh.python(script), (0, "9.1.0\n"))

    def test_a_trivial_operation_starts_every_thread(self) -> None:
        with mock.patch.object(torch, "zeros") as zeros:
            started(clocks=True)
        (count,) = zeros.call_args[0]
        self.assertGreater(count, 32768 * torch.get_num_threads())

    def test_a_trivial_result_is_kept_while_the_device_computes(self) -> None:
        alive: list[int] = []
        seen = []

        class Result:
            def __init__(self, *arguments: object, **keywords: object) -> None:
                alive.append(1)

            def __del__(self) -> None:
                alive.pop()

        framework = started()
        framework.wait = lambda: seen.append(len(alive))
        with mock.patch.object(torch, "zeros", Result):
            framework._trivial(timed=False)
        self.assertEqual(seen, [1])

    def test_the_generator_of_a_device_is_seeded(self) -> None:
        framework = started()
        framework.device = mock.Mock()
        framework.seed(5)
        framework.device.seed.assert_called_once_with(5)

    def test_xla_waits_by_two_calls(self) -> None:
        log: list[str] = []
        with made_up_xla(log):
            devices.device_of("xla").wait()()
        self.assertEqual(log, ["sync", "wait_device_ops"])

    def test_xla_counts_fallbacks_since_they_were_cleared(self) -> None:
        with made_up_xla([]) as counters:
            device = devices.device_of("xla")
            counters["aten::sort"] = 1
            device.clear_counters()
            counters.update({"aten::median": 2, "aten::item": 1, "xla::add": 5})
            self.assertEqual(device.read_counters()[:2], (["aten::median"], 1))


if __name__ == "__main__":
    unittest.main()
