"""Verification of theorems on runs: assumptions, constants, claims, checks, verdicts, records."""
