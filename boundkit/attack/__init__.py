"""Tests that try to refute a theorem: search for worst instances, mutants, and exact worst cases."""
