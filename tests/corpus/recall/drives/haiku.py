# google-deepmind/dm-haiku
run_tests("haiku", "--ignore=haiku/_src/integration", seconds=120)
