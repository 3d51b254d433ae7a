# danielegrattarola/spektral
run_tests("tests", seconds=100)
