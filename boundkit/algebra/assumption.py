"""What a theorem supposes."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Assumption:
    """A named supposition: a keyword, one sentence, and the formula where there is one."""

    name: str
    meaning: str
    latex: str = ""

    def _repr_html_(self) -> str:
        from boundkit.algebra.notebook import Cell, Tex, line, notes

        formula: list[Cell] = [": ", Tex(self.latex, "")] if self.latex else []
        return notes([line(f"{self.name}: {self.meaning}", *formula)])
