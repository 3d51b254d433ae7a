# deep-spin/entmax
run_tests("entmax", seconds=50)
