# shenweichen/DeepCTR
run_tests("tests", seconds=100)
