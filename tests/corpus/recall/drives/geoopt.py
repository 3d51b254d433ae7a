# geoopt/geoopt
run_tests("tests", seconds=80)
