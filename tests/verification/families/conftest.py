"""Runs are shared by the theorems of a family, and by the families."""

from tests.verification.cached_runs import each_run_once

__all__ = ["each_run_once"]
