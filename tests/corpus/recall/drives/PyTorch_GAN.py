# eriklindernoren/PyTorch-GAN

fake_images(128)
for name in (
    "gan",
    "dcgan",
    "wgan",
    "wgan_gp",
    "lsgan",
    "acgan",
    "cgan",
    "infogan",
    "began",
    "bgan",
    "ebgan",
    "aae",
    "dragan",
    "cogan",
    "softmax_gan",
    "relativistic_gan",
    "sgan",
    "wgan_div",
    "cluster_gan",
):
    path = f"implementations/{name}/{'clustergan' if name == 'cluster_gan' else name}.py"
    script(path, "--n_epochs", "1", "--batch_size", "64", "--n_cpu", "0", seconds=15)
