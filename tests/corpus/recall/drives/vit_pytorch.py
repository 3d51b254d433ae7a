# lucidrains/vit-pytorch
import importlib

import torch

img = torch.randn(1, 3, 64, 64)
common = {
    "image_size": 64,
    "patch_size": 16,
    "num_classes": 10,
    "dim": 32,
    "depth": 2,
    "heads": 2,
    "mlp_dim": 64,
}


def go(module, name, data=img, *more, **settings):
    model = getattr(importlib.import_module("vit_pytorch." + module), name)(**settings)
    out = model(data, *more)
    return model


for module, name in (
    ("vit", "ViT"),
    ("simple_vit", "SimpleViT"),
    ("deepvit", "DeepViT"),
    ("simple_vit_with_register_tokens", "SimpleViT"),
    ("parallel_vit", "ViT"),
    ("learnable_memory_vit", "ViT"),
    ("vit_for_small_dataset", "ViT"),
    ("simple_flash_attn_vit", "SimpleViT"),
    ("simple_vit_with_qk_norm", "SimpleViT"),
    ("simple_vit_with_patch_dropout", "SimpleViT"),
    ("simple_vit_with_fft", "SimpleViT"),
    ("sep_vit", "SepViT"),
    ("simple_uvit", "SimpleUViT"),
    ("simple_vit_with_value_residual", "SimpleViT"),
    ("normalized_vit", "nViT"),
):
    attempt(go, module, name, img, **common)
attempt(go, "cait", "CaiT", **{**common, "cls_depth": 1})
attempt(go, "t2t", "T2TViT", dim=32, image_size=64, depth=2, heads=2, mlp_dim=32, num_classes=10)
attempt(
    go,
    "cct",
    "CCT",
    img_size=(64, 64),
    embedding_dim=32,
    n_conv_layers=2,
    kernel_size=7,
    stride=2,
    padding=3,
    pooling_kernel_size=3,
    pooling_stride=2,
    pooling_padding=1,
    num_layers=2,
    num_heads=2,
    mlp_ratio=2.0,
    num_classes=10,
    positional_embedding="learnable",
)
attempt(
    go,
    "cross_vit",
    "CrossViT",
    image_size=64,
    num_classes=10,
    depth=1,
    sm_dim=32,
    sm_patch_size=16,
    lg_dim=32,
    lg_patch_size=32,
)
attempt(
    go,
    "pit",
    "PiT",
    image_size=64,
    patch_size=8,
    dim=32,
    num_classes=10,
    depth=(1, 1, 1),
    heads=2,
    mlp_dim=32,
)
attempt(
    go,
    "levit",
    "LeViT",
    torch.randn(1, 3, 224, 224),
    image_size=224,
    num_classes=10,
    stages=3,
    dim=(32, 32, 32),
    depth=1,
    heads=(2, 2, 2),
    mlp_mult=2,
)
attempt(go, "cvt", "CvT", num_classes=10)
attempt(go, "twins_svt", "TwinsSVT", torch.randn(1, 3, 224, 224), num_classes=10)
attempt(
    go,
    "crossformer",
    "CrossFormer",
    torch.randn(1, 3, 224, 224),
    num_classes=10,
    dim=(32, 32, 32, 32),
    depth=(1, 1, 1, 1),
    global_window_size=(8, 4, 2, 1),
    local_window_size=7,
)
attempt(
    go,
    "regionvit",
    "RegionViT",
    torch.randn(1, 3, 224, 224),
    dim=(32, 32, 32, 32),
    depth=(1, 1, 1, 1),
    window_size=7,
    num_classes=10,
)
attempt(
    go,
    "scalable_vit",
    "ScalableViT",
    torch.randn(1, 3, 256, 256),
    num_classes=10,
    dim=32,
    heads=(2, 2, 2, 2),
    depth=(1, 1, 1, 1),
    ssa_dim_key=(8, 8, 8, 8),
    reduction_factor=(8, 4, 2, 1),
    window_size=(64, 32, None, None),
)
attempt(
    go,
    "nest",
    "NesT",
    image_size=64,
    patch_size=4,
    dim=32,
    heads=2,
    num_hierarchies=3,
    block_repeats=(1, 1, 1),
    num_classes=10,
)
attempt(
    go,
    "mobile_vit",
    "MobileViT",
    torch.randn(1, 3, 256, 256),
    image_size=(256, 256),
    dims=[32, 32, 32],
    channels=[16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 32],
    num_classes=10,
)
attempt(
    go,
    "xcit",
    "XCiT",
    image_size=64,
    patch_size=16,
    num_classes=10,
    dim=32,
    depth=2,
    cls_depth=1,
    heads=2,
    mlp_dim=32,
    local_patch_kernel_size=3,
)
attempt(
    go,
    "max_vit",
    "MaxViT",
    torch.randn(1, 3, 224, 224),
    num_classes=10,
    dim_conv_stem=32,
    dim=32,
    dim_head=16,
    depth=(1, 1, 1, 1),
    window_size=7,
)
attempt(go, "ats_vit", "ViT", img, max_tokens_per_depth=(16, 8), **common)
attempt(
    go,
    "vivit",
    "ViT",
    torch.randn(1, 3, 4, 64, 64),
    frames=4,
    image_size=64,
    image_patch_size=16,
    frame_patch_size=2,
    num_classes=10,
    dim=32,
    spatial_depth=1,
    temporal_depth=1,
    heads=2,
    mlp_dim=32,
)
attempt(
    go,
    "vit_3d",
    "ViT",
    torch.randn(1, 3, 4, 64, 64),
    frames=4,
    image_size=64,
    image_patch_size=16,
    frame_patch_size=2,
    num_classes=10,
    dim=32,
    depth=1,
    heads=2,
    mlp_dim=32,
)
attempt(
    go,
    "vit_1d",
    "ViT",
    torch.randn(1, 3, 64),
    seq_len=64,
    patch_size=16,
    num_classes=10,
    dim=32,
    depth=1,
    heads=2,
    mlp_dim=32,
)
attempt(
    go,
    "na_vit",
    "NaViT",
    [[torch.randn(3, 32, 32), torch.randn(3, 64, 32)]],
    image_size=64,
    patch_size=16,
    num_classes=10,
    dim=32,
    depth=1,
    heads=2,
    mlp_dim=32,
)


def wrapped():
    from vit_pytorch import MAE, ViT
    from vit_pytorch.dino import Dino
    from vit_pytorch.extractor import Extractor
    from vit_pytorch.mpp import MPP
    from vit_pytorch.recorder import Recorder
    from vit_pytorch.simmim import SimMIM

    attempt(
        lambda: MAE(encoder=ViT(**common), masking_ratio=0.5, decoder_dim=32, decoder_depth=1)(
            img
        ).backward()
    )
    attempt(lambda: SimMIM(encoder=ViT(**common))(img).backward())
    attempt(
        lambda: MPP(
            transformer=ViT(**common),
            patch_size=16,
            dim=32,
            mask_prob=0.15,
            random_patch_prob=0.3,
            replace_prob=0.5,
        )(img).backward()
    )
    attempt(
        lambda: Dino(ViT(**common), image_size=64, hidden_layer="to_latent", num_classes_K=64)(
            torch.randn(2, 3, 64, 64)
        ).backward()
    )
    attempt(lambda: Recorder(ViT(**common))(img))
    attempt(lambda: Extractor(ViT(**common))(img))


attempt(wrapped)
attempt(run_tests, "tests", seconds=30)
