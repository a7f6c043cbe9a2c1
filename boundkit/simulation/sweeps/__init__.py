"""Sweeps of many runs: parallel execution, with each result stored when it is complete, and resumable."""
