# google-deepmind/optax
run_tests("optax", seconds=120)
