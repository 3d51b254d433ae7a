# yunjey/pytorch-tutorial
import os

fake_images(128)
for folder, _, files in sorted(os.walk("tutorials")):
    if "main.py" in files and "language_model" not in folder and "style" not in folder:
        script(os.path.join(folder, "main.py"), seconds=12)
