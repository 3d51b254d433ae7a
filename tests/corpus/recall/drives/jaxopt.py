# google/jaxopt
run_tests("tests", seconds=120)
