"""The null framework, which computes nothing and fails on request."""
