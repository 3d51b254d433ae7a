# google-research/torchsde
run_tests("tests", seconds=80)
