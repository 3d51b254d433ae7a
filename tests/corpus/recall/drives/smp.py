# segmentation_models_pytorch, from PyPI
import torch


def go():
    import segmentation_models_pytorch as smp

    for name in (
        "Unet",
        "FPN",
        "Linknet",
        "PSPNet",
        "UnetPlusPlus",
        "MAnet",
        "PAN",
        "DeepLabV3",
        "DeepLabV3Plus",
    ):
        attempt(
            lambda: getattr(smp, name)("resnet18", encoder_weights=None, classes=2)(
                torch.rand(2, 3, 64, 64)
            )
        )
    for name in (
        "DiceLoss",
        "JaccardLoss",
        "FocalLoss",
        "LovaszLoss",
        "TverskyLoss",
        "SoftBCEWithLogitsLoss",
    ):
        loss = attempt(
            lambda: getattr(smp.losses, name)(
                *(["binary"] if name not in ("SoftBCEWithLogitsLoss",) else [])
            )
        )
        attempt(lambda: loss(torch.rand(2, 1, 8, 8), torch.randint(0, 2, (2, 1, 8, 8)).float()))
    tp, fp, fn, tn = smp.metrics.get_stats(
        torch.randint(0, 2, (2, 1, 8, 8)), torch.randint(0, 2, (2, 1, 8, 8)), mode="binary"
    )
    smp.metrics.iou_score(tp, fp, fn, tn, reduction="micro")


attempt(go)
