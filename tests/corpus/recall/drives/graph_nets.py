# google-deepmind/graph_nets
run_tests("graph_nets/tests_tf2", seconds=100)
