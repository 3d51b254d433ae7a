"""PyTorch: where its public names are."""

from __future__ import annotations

import torch

from pmdriver.inventory import Surface

#: Modules that make up any name that they are asked for.
HIDDEN = ("torch.classes", "torch.ops")

SURFACE = Surface("torch", torch.__version__, hidden=HIDDEN, holders=("torch.Tensor",))
