# karpathy/nanoGPT
import os

import numpy as np

os.makedirs("data/few", exist_ok=True)
for part in ("train", "val"):
    np.random.randint(0, 60, 4000).astype(np.uint16).tofile(f"data/few/{part}.bin")
small = [
    "--dataset=few",
    "--device=cpu",
    "--compile=False",
    "--n_layer=2",
    "--n_head=2",
    "--n_embd=32",
    "--block_size=16",
    "--batch_size=2",
]
script(
    "train.py",
    *small,
    "--eval_iters=2",
    "--max_iters=3",
    "--eval_interval=2",
    "--out_dir=few",
    "--gradient_accumulation_steps=2",
    seconds=60,
)
script("sample.py", "--out_dir=few", "--device=cpu", "--num_samples=1", "--max_new_tokens=3")
script(
    "bench.py",
    "--device=cpu",
    "--compile=False",
    "--real_data=False",
    "--batch_size=1",
    "--block_size=16",
    seconds=20,
)
