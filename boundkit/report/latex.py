r"""Reports as LaTeX: tables with the rules of booktabs, formulas between dollars."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

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
)

_SPECIAL = str.maketrans({
    "\\": r"\textbackslash{}", "{": r"\{", "}": r"\}", "$": r"\$", "&": r"\&", "#": r"\#", "%": r"\%",
    "_": r"\_", "^": r"\textasciicircum{}", "~": r"\textasciitilde{}", "<": r"$<$", ">": r"$>$",
})  # fmt: skip


def write_latex(blocks: Iterable[Block]) -> str:
    """Write the blocks, with an empty line between two. The tables need the package booktabs."""
    return "\n\n".join(filter(None, map(_block, blocks))) + "\n"


def _block(block: Block) -> str:
    match block:
        case Heading(title):
            return rf"\paragraph{{{inline(title)}}}"
        case Sentences(lines):
            return "\n".join(map(inline, lines))
        case Listing(title, items):
            entries = "\n".join(rf"  \item {inline(item)}" for item in items)
            return f"{inline(title)}\n\\begin{{itemize}}\n{entries}\n\\end{{itemize}}" if items else ""
        case Code(title, lines):
            code = "\n".join(lines)
            return f"{inline(title)}\n\\begin{{verbatim}}\n{code}\n\\end{{verbatim}}" if lines else ""
        case Display(title, formula, notes):
            shown = f"{inline(title)}\n\\[\n{formula.latex}\n\\]"
            return "\n".join([shown, *map(inline, notes)])
        case Table(header, rows, left, caption):
            return latex_table(header, rows, left, caption) if rows else ""
        case Link(address, text):
            return rf"\href{{{escape(address)}}}{{{escape(text)}}}"


def inline(cell: Cell) -> str:
    """Write a cell as LaTeX."""
    if isinstance(cell, Sentence):
        return "".join(map(inline, cell.pieces))
    return escape(cell) if isinstance(cell, str) else f"${cell.latex}$"


def escape(text: str) -> str:
    r"""Write text as it stands.

    >>> print(escape("50 % of a_b"))
    50 \% of a\_b
    """
    return text.translate(_SPECIAL)


def latex_table(
    header: Sequence[str], rows: Sequence[Sequence[Cell]], left: int = 1, caption: Cell = ""
) -> str:
    r"""Write a table; its first ``left`` columns are aligned to the left, the others to the right.

    >>> print(latex_table(["term", "value"], [["gap", "0.4"]]))
    \begin{table}
    \begin{tabular}{lr}
    \toprule
    term & value \\
    \midrule
    gap & 0.4 \\
    \bottomrule
    \end{tabular}
    \end{table}
    """
    lines = [" & ".join(map(inline, row)) + r" \\" for row in rows]
    titles = [" & ".join(map(escape, header)) + r" \\", r"\midrule"] if any(header) else []
    columns = "l" * min(left, len(header)) + "r" * (len(header) - left)
    return "\n".join([
        r"\begin{table}",
        *([rf"\caption{{{inline(caption)}}}"] if caption else []),
        rf"\begin{{tabular}}{{{columns}}}", r"\toprule", *titles, *lines, r"\bottomrule", r"\end{tabular}",
        r"\end{table}",
    ])  # fmt: skip
