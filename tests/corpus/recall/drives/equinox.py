# patrick-kidger/equinox
run_tests("tests", seconds=100)
