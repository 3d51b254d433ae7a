# kuangliu/pytorch-cifar
import importlib

import torch

fake_images(16)
models = importlib.import_module("models")
x = torch.randn(1, 3, 32, 32)
for make in (
    "ResNet18",
    "ResNet50",
    "PreActResNet18",
    "GoogLeNet",
    "DenseNet121",
    "ResNeXt29_2x64d",
    "MobileNet",
    "MobileNetV2",
    "DPN92",
    "ShuffleNetG2",
    "SENet18",
    "EfficientNetB0",
    "RegNetX_200MF",
    "SimpleDLA",
    "LeNet",
    "DLA",
    "PNASNetA",
):
    attempt(lambda: getattr(models, make)()(x))
attempt(lambda: models.VGG("VGG11")(x))
attempt(lambda: models.ShuffleNetV2(1)(x))
script("main.py", seconds=30)
