# google-deepmind/sonnet
run_tests("sonnet", "--ignore=sonnet/src/conformance", seconds=100)
