# jettify/pytorch-optimizer
run_tests("tests", seconds=60)
