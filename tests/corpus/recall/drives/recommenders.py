# tensorflow/recommenders
run_tests("tensorflow_recommenders", seconds=100)
