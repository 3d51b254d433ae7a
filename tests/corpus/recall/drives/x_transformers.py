# lucidrains/x-transformers
run_tests("tests/test_x_transformers.py", seconds=100)
