# kmkurn/pytorch-crf
run_tests("tests", seconds=40)
