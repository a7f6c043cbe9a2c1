"""Which source of heterogeneity hurts a run most: by the terms of a bound, and by runs without it."""

from boundkit.verify.diagnose.diagnosing import RIVALS, diagnose_run, fitting_theorem
from boundkit.verify.diagnose.diagnosis import Diagnosis

__all__ = ["RIVALS", "Diagnosis", "diagnose_run", "fitting_theorem"]
