"""Checks: a claim against a measurement."""
