"""PyTorch: where its public names are."""

from __future__ import annotations

import torch

from pmdriver.surface import Surface

#: Modules that return something for every name.
HIDDEN = ("torch.classes", "torch.ops")

#: Former paths of the modules in `torch.ao`.
LATER = (
    "torch.nn.intrinsic.", "torch.nn.qat.", "torch.nn.quantizable.", "torch.nn.quantized.",
    "torch.quantization.",
)  # fmt: skip

#: Modules with pages in the documentation that list names of other modules. The pages of modules
#: that are missing here, such as `torch.distributions`, `torch.sparse` and `torch.signal`, list
#: names by the module that defines them. So do sections of other pages for the first modules here.
HOMES = (
    "torch.cuda.green_contexts", "torch.distributed.tensor.placement_types",
    "torch.export.dynamic_shapes", "torch.ao.nn.quantized.dynamic.modules.conv",
    "torch.nn.functional", "torch", "torch.nn.utils", "torch.nn.init", "torch.nn.attention",
    "torch.nn.parallel", "torch.nn",
    "torch.ao.nn.intrinsic", "torch.ao.nn.intrinsic.qat", "torch.ao.nn.intrinsic.quantized",
    "torch.ao.nn.intrinsic.quantized.dynamic", "torch.ao.nn.qat", "torch.ao.nn.qat.dynamic",
    "torch.ao.nn.quantizable", "torch.ao.nn.quantized", "torch.ao.nn.quantized.dynamic",
    "torch.ao.quantization",
    "torch.linalg", "torch.fft", "torch.special",
    "torch.optim", "torch.utils.data", "torch.utils.benchmark", "torch.utils",
    "torch.autograd", "torch.func", "torch.futures", "torch.amp", "torch.cuda.amp",
    "torch.accelerator", "torch.cpu", "torch.cuda", "torch.mps", "torch.mtia", "torch.xpu",
    "torch.distributed", "torch.distributed.checkpoint", "torch.distributed.elastic",
    "torch.distributed.fsdp", "torch.distributed.optim", "torch.distributed.pipelining",
    "torch.distributed.rpc", "torch.distributed.tensor", "torch.distributed.tensor.parallel",
    "torch.compiler", "torch.export", "torch.fx", "torch.hub", "torch.jit", "torch.library",
    "torch.masked", "torch.monitor", "torch.multiprocessing",
    "torch.nested", "torch.onnx", "torch.package",
    "torch.profiler", "torch.testing",
)  # fmt: skip

KINDS = {
    "torch.Tensor": "array",
    "torch.nn.Module": "module",
    "torch.optim.Optimizer": "optimizer",
}

#: A loop over a DataLoader yields batches: arrays, or tuples and dicts of arrays.
LOOPS = {"torch.utils.data.DataLoader": "arrays"}

#: Stubs of the compiled modules, each with the public module that passes on its names.
STUBS = {
    "_C/__init__.pyi": "torch",
    "_C/_VariableFunctions.pyi": "torch",
    "_C/_nn.pyi": "torch.nn.functional",
    "nn/functional.pyi": "torch.nn.functional",
    "return_types.pyi": "torch.return_types",
}


class TorchSurface(Surface):
    """PyTorch's surface."""

    def makes(self, cls: type) -> str:
        """Return the path of the class whose instances a class makes: tensors, for FloatTensor."""
        return "torch.Tensor" if isinstance(cls, type(torch.FloatTensor)) else ""


SURFACE = TorchSurface(
    "torch",
    torch.__version__,
    hidden=HIDDEN,
    later=LATER,
    homes=HOMES,
    facades=True,
    holders=("torch.Tensor",),
    kinds=KINDS,
    loops=LOOPS,
    results=("torch.return_types",),
    stubs=STUBS,
)
