"""Seeded random command lines, RUN.json files and formulas, each of which must be answered or refused."""
