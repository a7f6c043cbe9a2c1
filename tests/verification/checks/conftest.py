"""Runs are shared by right theorems and wrong ones."""

from tests.verification.cached_runs import each_run_once

__all__ = ["each_run_once"]
