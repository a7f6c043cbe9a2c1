"""Studies made of many runs: demonstrations, diagnosis, rounds to a target, summaries of verdicts."""
