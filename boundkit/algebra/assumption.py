"""Assumptions of theorems."""

from dataclasses import dataclass

from boundkit.report import Cell, Report, Sentences, Tex, sentence


@dataclass(frozen=True)
class Assumption:
    """A named assumption: a keyword, one sentence, and the formula where there is one."""

    name: str
    meaning: str
    latex: str = ""

    def _repr_html_(self) -> str:
        formula: list[Cell] = [": ", Tex(self.latex, "")] if self.latex else []
        return Report((Sentences([sentence(f"{self.name}: {self.meaning}", *formula)]),)).to_html()
