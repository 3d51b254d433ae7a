# karpathy/minGPT
script("projects/adder/adder.py", "--trainer.max_iters=3", "--trainer.num_workers=0", seconds=60)
open("input.txt", "w").write("all work and no play " * 500)
script(
    "projects/chargpt/chargpt.py",
    "--trainer.max_iters=3",
    "--trainer.num_workers=0",
    "--model.model_type=gpt-nano",
    seconds=60,
)
