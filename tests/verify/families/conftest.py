"""Runs are shared by the theorems of a family, and by the families."""

from tests.verify.kept import each_run_once

__all__ = ["each_run_once"]
