"""Assumptions of theorems."""

from dataclasses import dataclass

from boundkit.report import Cell, Tex, sentence
from boundkit.report.html import notes


@dataclass(frozen=True)
class Assumption:
    """A named assumption: a keyword, one sentence, and the formula where there is one."""

    name: str
    meaning: str
    latex: str = ""

    def _repr_html_(self) -> str:
        formula: list[Cell] = [": ", Tex(self.latex, "")] if self.latex else []
        return notes([sentence(f"{self.name}: {self.meaning}", *formula)])
