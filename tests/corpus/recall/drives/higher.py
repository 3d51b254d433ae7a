# facebookresearch/higher
run_tests("tests", seconds=60)
