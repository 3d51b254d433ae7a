# performer_pytorch, from PyPI
import torch


def go():
    from performer_pytorch import PerformerLM

    PerformerLM(num_tokens=20, max_seq_len=16, dim=16, depth=2, heads=2, dim_head=8)(
        torch.randint(0, 20, (1, 16))
    ).sum().backward()
    PerformerLM(
        num_tokens=20,
        max_seq_len=16,
        dim=16,
        depth=2,
        heads=2,
        dim_head=8,
        causal=True,
        generalized_attention=True,
    )(torch.randint(0, 20, (1, 16)))


attempt(go)
