# kornia/kornia
run_tests("tests/color", seconds=40)
run_tests("tests/filters", seconds=40)
run_tests("tests/geometry", seconds=60)
run_tests("tests/enhance", seconds=30)
run_tests("tests/augmentation", seconds=40)
