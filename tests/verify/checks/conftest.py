"""Runs are shared by right theorems and wrong ones."""

from tests.verify.kept import each_run_once

__all__ = ["each_run_once"]
