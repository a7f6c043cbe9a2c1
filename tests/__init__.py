"""Mirrors boundkit/: what tests boundkit/a/b.py is tests/a/test_b.py."""
