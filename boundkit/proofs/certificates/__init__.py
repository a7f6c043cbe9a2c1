"""Proofs of theorems as certificates: the file of a theorem's name has its ``PROOF``."""
