"""Reports: the one form in which every result is shown, and its writers to text, HTML and Markdown."""

from boundkit.report.blocks import (
    Block,
    Cell,
    Code,
    Heading,
    Link,
    Listing,
    Sentence,
    Sentences,
    Table,
    Tex,
    join_cells,
    sentence,
)
from boundkit.report.report import Report, Reported

__all__ = [
    "Block",
    "Cell",
    "Code",
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
