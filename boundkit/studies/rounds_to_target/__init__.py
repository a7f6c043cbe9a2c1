"""Rounds until a target is reached: the tables of McMahan et al. (arXiv 1602.05629), for any algorithm."""

from boundkit.studies.rounds_to_target.cells import Cell, Question, Target
from boundkit.studies.rounds_to_target.computation import filled, rounds_to_target
from boundkit.studies.rounds_to_target.output import write_table
from boundkit.studies.rounds_to_target.query import asked_cells, question
from boundkit.studies.rounds_to_target.table import Table, table_of

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
