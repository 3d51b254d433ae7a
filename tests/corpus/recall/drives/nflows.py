# bayesiains/nflows
run_tests("tests", seconds=80)
