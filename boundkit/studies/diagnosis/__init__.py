"""Which source of heterogeneity hurts a run most: by the terms of a bound, and by runs without it."""

from boundkit.studies.diagnosis.diagnosis import Diagnosis
from boundkit.studies.diagnosis.study import RIVALS, diagnose_run, fitting_theorem

__all__ = ["RIVALS", "Diagnosis", "diagnose_run", "fitting_theorem"]
