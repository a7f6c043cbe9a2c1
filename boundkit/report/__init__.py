"""Reports: the one form in which every result is shown, and its writers to text, HTML, LaTeX and Markdown."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass

from boundkit.report.blocks import (
    Block,
    Cell,
    Code,
    Display,
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
from boundkit.report.html import write_html
from boundkit.report.latex import write_latex
from boundkit.report.markdown import write_markdown
from boundkit.report.text import write_text

__all__ = [
    "Block",
    "Cell",
    "Code",
    "Display",
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


@dataclass(frozen=True)
class Report:
    """Blocks in the order of reading. Blocks without lines, items or rows are not written."""

    blocks: tuple[Block, ...]

    def __add__(self, other: Report) -> Report:
        return Report((*self.blocks, *other.blocks))

    def to_text(self) -> str:
        """Write for a terminal."""
        return write_text(self.blocks)

    def to_html(self) -> str:
        """Write for a notebook or a page: HTML that is well-formed XML."""
        return write_html(self.blocks)

    def to_markdown(self) -> str:
        """Write as Markdown, with formulas between dollars."""
        return write_markdown(self.blocks)

    def to_latex(self) -> str:
        """Write as LaTeX; tables need the package booktabs."""
        return write_latex(self.blocks)

    def __str__(self) -> str:
        return self.to_text()

    def _repr_html_(self) -> str:
        return self.to_html()


class Reported(ABC):
    """A result that is shown as its report, in a terminal and in a notebook."""

    @abstractmethod
    def report(self) -> Report:
        """The answer as a report."""

    def to_text(self) -> str:
        """The report for a terminal."""
        return self.report().to_text()

    def __repr__(self) -> str:
        return self.to_text()

    def _repr_html_(self) -> str:
        return self.report().to_html()
