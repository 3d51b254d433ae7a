# snntorch, from PyPI
import snntorch as snn
import torch
from snntorch import functional as SF
from snntorch import spikegen, surrogate


def go():
    x = torch.rand(2, 5)
    for make in (snn.Leaky, snn.Lapicque, snn.Synaptic, snn.Alpha, snn.RLeaky):

        def one():
            settings = {"beta": 0.5}
            if make in (snn.Synaptic, snn.Alpha):
                settings = {"alpha": 0.9, "beta": 0.5}
            if make is snn.RLeaky:
                settings = {"beta": 0.5, "linear_features": 5}
            cell = make(spike_grad=surrogate.fast_sigmoid(), **settings)
            state = cell.init_leaky() if make is snn.Leaky else None
            cell(x, state) if state is not None else cell(x)

        attempt(one)
    attempt(lambda: spikegen.rate(torch.rand(3, 4), num_steps=3))
    attempt(lambda: spikegen.latency(torch.rand(3, 4), num_steps=3))
    attempt(lambda: spikegen.delta(torch.rand(3, 4)))
    out = torch.rand(4, 2, 3).requires_grad_()
    for name in ("ce_rate_loss", "ce_count_loss", "mse_count_loss", "ce_max_membrane_loss"):
        attempt(lambda: getattr(SF, name)()(out, torch.tensor([0, 1])))
    attempt(lambda: SF.accuracy_rate(out, torch.tensor([0, 1])))


attempt(go)
