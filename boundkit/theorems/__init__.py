"""The catalogue: one statement, one file. A file builds one frozen theorem and does nothing else."""

from boundkit.theorems.catalogue import about, catalogue, names, theorem

__all__ = ["about", "catalogue", "names", "theorem"]
