"""Try to break a theorem: its worst instance, its mutants, exact worst cases, its proof step by step."""
