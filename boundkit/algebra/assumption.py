"""What a theorem supposes."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Assumption:
    """A named supposition: a keyword, one sentence, and the formula where there is one."""

    name: str
    meaning: str
    latex: str = ""
