# denoising-diffusion-pytorch, from PyPI
import torch


def go():
    from denoising_diffusion_pytorch import GaussianDiffusion, GaussianDiffusion1D, Unet, Unet1D

    d = GaussianDiffusion(
        Unet(dim=16, dim_mults=(1, 2), flash_attn=False),
        image_size=16,
        timesteps=10,
        sampling_timesteps=2,
    )
    d(torch.rand(1, 3, 16, 16)).backward()
    d.sample(batch_size=1)
    e = GaussianDiffusion(Unet(dim=16, dim_mults=(1, 2)), image_size=16, timesteps=5)
    e.sample(batch_size=1)
    f = GaussianDiffusion1D(
        Unet1D(dim=16, dim_mults=(1, 2), channels=4), seq_length=16, timesteps=5
    )
    f(torch.rand(1, 4, 16)).backward()
    f.sample(batch_size=1)


attempt(go)
