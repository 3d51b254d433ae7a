"""The null framework: it computes nothing and misbehaves on request."""
