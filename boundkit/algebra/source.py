"""Sources of theorems, with the notation of the paper."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass, field

from sympy import Expr

from boundkit.algebra.formula import Formula
from boundkit.report import Cell, Link, Report, Sentences, Table
from boundkit.report.formatting import join_names


@dataclass(frozen=True)
class Source:
    """Authors (family names), year, title, arXiv id, and the place in the paper.

    ``renamed`` maps the paper's symbols to expressions in our notation. ``note`` says what was read and what
    was proved here instead.
    """

    authors: tuple[str, ...]
    year: int
    title: str
    arxiv: str
    where: str
    venue: str = ""
    note: str = ""
    renamed: Mapping[str, Expr] = field(default_factory=dict, hash=False)

    @property
    def key(self) -> str:
        """A BibTeX key: first author, year, first long word of the title."""
        words = re.findall("[A-Za-z]+", _ascii(self.title))
        word = next((w for w in words if len(w) > 3), "".join(words[:1]))
        return f"{re.sub('[^A-Za-z]', '', _ascii(self.authors[0]))}{self.year}{word}".lower()

    def bibtex(self) -> str:
        """The BibTeX entry, ready to paste."""
        conference = re.fullmatch(r"[A-Z]\w+ \d{4}", self.venue)  # NeurIPS 2020
        kind, place = ("inproceedings", "booktitle") if conference else ("article", "journal")
        fields = {
            "title": "{" + self.title + "}",
            "author": " and ".join(self.authors),
            "year": str(self.year),
            place: self.venue or f"arXiv:{self.arxiv}",
        }
        if self.arxiv:
            fields |= {"eprint": self.arxiv, "archivePrefix": "arXiv"}
        lines = [f"  {name:<13} = {{{value}}}," for name, value in fields.items()]
        return "\n".join([f"@{kind}{{{self.key},", *lines, "}"])

    def _repr_html_(self) -> str:
        address = [Link(f"https://arxiv.org/abs/{self.arxiv}", f"arXiv:{self.arxiv}")] if self.arxiv else []
        letters: list[list[Cell]] = [[theirs, Formula(ours)] for theirs, ours in self.renamed.items()]
        citation = Sentences([f"{self}. {self.title}.", *filter(None, (self.venue, self.note))])
        return Report((citation, *address, Table(["symbol in the paper", "ours"], letters))).to_html()

    def __str__(self) -> str:
        number = f"arXiv:{self.arxiv}, " if self.arxiv else ""
        return f"{join_names(self.authors)} ({self.year}), {number}{self.where}"


def _ascii(text: str) -> str:
    return unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode()
