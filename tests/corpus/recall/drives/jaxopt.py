# google/jaxopt
run_tests("tests", seconds=100)
