# google-deepmind/jraph
run_tests("jraph", seconds=60)
