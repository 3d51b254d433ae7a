# rtqichen/torchdiffeq
run_tests("tests/odeint_tests.py", seconds=12)
run_tests("tests/api_tests.py", "tests/event_tests.py", "tests/norm_tests.py", seconds=12)

fake_images(16)
script(
    "examples/ode_demo.py",
    "--niters",
    "2",
    "--test_freq",
    "1",
    "--data_size",
    "50",
    "--batch_time",
    "3",
)
script("examples/bouncing_ball.py", "--adjoint")

script("examples/odenet_mnist.py", "--nepochs", "1", "--batch_size", "4", seconds=30)
