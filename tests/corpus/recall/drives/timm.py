# huggingface/pytorch-image-models
import timm
import torch

for name in (
    "resnet18",
    "resnetv2_50",
    "efficientnet_b0",
    "mobilenetv3_small_100",
    "vit_tiny_patch16_224",
    "convnext_atto",
    "swin_tiny_patch4_window7_224",
    "mixer_s32_224",
    "densenet121",
    "regnetx_002",
    "dla34",
    "hrnet_w18_small",
    "inception_v3",
    "xception41",
    "vgg11",
    "levit_128s",
    "cait_xxs24_224",
    "twins_pcpvt_small",
    "poolformer_s12",
    "edgenext_xx_small",
    "mobilevit_xxs",
    "maxvit_rmlp_pico_rw_256",
    "coatnet_pico_rw_224",
    "beit_base_patch16_224",
    "deit_tiny_patch16_224",
    "gmlp_s16_224",
    "resmlp_12_224",
    "visformer_tiny",
    "ghostnet_100",
    "res2net50_26w_4s",
    "sknet",
    "dpn68",
    "selecsls42b",
    "nfnet_l0",
    "crossvit_tiny_240",
    "pit_ti_224",
    "tnt_s_patch16_224",
    "volo_d1_224",
    "xcit_nano_12_p16_224",
    "repvgg_a0",
    "fastvit_t8",
    "focalnet_tiny_srf",
    "davit_tiny",
    "gcvit_xxtiny",
    "inception_next_tiny",
    "metaformer",
):

    def go():
        model = timm.create_model(name, num_classes=10)
        size = model.default_cfg.get("input_size", (3, 224, 224))
        model(torch.randn(2, *size)).sum().backward()

    attempt(go)
run_tests(
    "tests/test_layers.py",
    "tests/test_optim.py",
    "tests/test_scheduler.py",
    "tests/test_utils.py",
    seconds=60,
)
