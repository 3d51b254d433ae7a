# pytorch/examples
import os

fake_images(64)
here = os.getcwd()


def example(folder, script_name, *arguments, seconds=25):
    os.chdir(os.path.join(here, folder))
    script(script_name, *arguments, seconds=seconds)
    os.chdir(here)


example("mnist", "main.py", "--epochs", "1", "--dry-run")
example("mnist_rnn", "main.py", "--epochs", "1", "--dry-run")
example(
    "mnist_forward_forward",
    "main.py",
    "--epochs",
    "1",
    "--no_accel",
    "--train_size",
    "16",
    "--test_size",
    "16",
)
example("siamese_network", "main.py", "--epochs", "1", "--dry-run")
os.makedirs("vae/results", exist_ok=True)
example("vae", "main.py", "--epochs", "1")
example(
    "dcgan",
    "main.py",
    "--dataset",
    "fake",
    "--dry-run",
    "--workers",
    "0",
    "--batchSize",
    "2",
    "--ngf",
    "4",
    "--ndf",
    "4",
)
example("regression", "main.py", "--epochs", "1")
example(
    "imagenet",
    "main.py",
    "--dummy",
    "--epochs",
    "1",
    "-a",
    "resnet18",
    "-b",
    "2",
    "-j",
    "0",
    seconds=30,
)
os.makedirs("word_language_model/data/few", exist_ok=True)
for part in ("train", "valid", "test"):
    open(f"word_language_model/data/few/{part}.txt", "w").write("a b c d e f g h i j\n" * 200)
for model in ("LSTM", "GRU", "Transformer"):
    example(
        "word_language_model",
        "main.py",
        "--model",
        model,
        "--epochs",
        "1",
        "--dry-run",
        "--data",
        "./data/few",
        "--emsize",
        "8",
        "--nhid",
        "8",
        "--nhead",
        "2",
    )
    example("word_language_model", "generate.py", "--data", "./data/few", "--words", "5")
example("time_sequence_prediction", "generate_sine_wave.py")
example("time_sequence_prediction", "train.py", "--steps", "1")
example("reinforcement_learning", "reinforce.py")
example("reinforcement_learning", "actor_critic.py")
for name in (
    "invert",
    "module_tracer",
    "primitive_library",
    "profiling_tracer",
    "replace_op",
    "subgraph_rewriter_basic_use",
    "wrap_output_dynamically",
    "custom_tracer",
    "inline_function",
    "proxy_based_graph_creation",
):
    example("fx", name + ".py")
os.makedirs("gcn/cora", exist_ok=True)
