# tensorlayer/TensorLayer
run_tests("tests/layers", "tests/test_activations.py", "tests/test_initializers.py", seconds=120)
