"""Rounds until a target is reached: the tables of McMahan et al. (arXiv 1602.05629), for any algorithm."""

from boundkit.verify.rounds_to_target.asking import asked_cells, question
from boundkit.verify.rounds_to_target.cells import Cell, Question, Target
from boundkit.verify.rounds_to_target.filling import filled, rounds_to_target
from boundkit.verify.rounds_to_target.table import Table, table_of
from boundkit.verify.rounds_to_target.written import write_table

__all__ = [
    "Cell",
    "Question",
    "Table",
    "Target",
    "asked_cells",
    "filled",
    "question",
    "rounds_to_target",
    "table_of",
    "write_table",
]
