"""Reports: the one form in which every result is shown, and its writers to text, HTML and Markdown."""

from boundkit.report.blocks import Block, Code, Figure, Heading, Link, Listing, Sentences, Table
from boundkit.report.cells import Cell, Sentence, Tex, join_cells, sentence
from boundkit.report.report import Report, Reported

__all__ = [
    "Block",
    "Cell",
    "Code",
    "Figure",
    "Heading",
    "Link",
    "Listing",
    "Report",
    "Reported",
    "Sentence",
    "Sentences",
    "Table",
    "Tex",
    "join_cells",
    "sentence",
]
