"""Rounds until a target is reached: the tables of McMahan et al. (arXiv 1602.05629), for any algorithm."""

from boundkit.studies.rounds_to_target.computation import compute_cells, rounds_to_target
from boundkit.studies.rounds_to_target.query import GridCell, RoundsQuery, Target, make_cells, make_query
from boundkit.studies.rounds_to_target.table import RoundsTable, make_table, write_table

__all__ = [
    "GridCell",
    "RoundsQuery",
    "RoundsTable",
    "Target",
    "compute_cells",
    "make_cells",
    "make_query",
    "make_table",
    "rounds_to_target",
    "write_table",
]
