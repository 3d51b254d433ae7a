# google-deepmind/rlax
run_tests("rlax", seconds=80)
