r"""Prose with formulas: the text of a theorem, whose formulas are typed between dollars.

A terminal prints ``$E||x_i - x||^2 <= 2 eta^2 tau sigma^2$`` without its dollars, and a page sets it as
mathematics. Names are those of the notation (``eta_s``, ``rho_bar``), so that a proof looks like the bound.
"""

from __future__ import annotations

import re
from functools import cache
from typing import NamedTuple

from boundkit.algebra.errors import BoundkitError
from boundkit.algebra.notation import ALPHABET, VECTORS

FORMULA = re.compile(r"\$([^$]+)\$")
PROOF = re.compile(r"(?:\A|\n\n)(?=Proof\b)")

_TOKEN = re.compile(
    r"""(?P<space>\s+)
    | (?P<number>\d+(?:\.\d+)?)
    | (?P<name>[A-Za-z]+(?:_(?:\{[^{}]*\}|[A-Za-z0-9]+))*)(?P<mark>'+|[+*](?=[\s)\],;:/^|>.}]|$))?
    | (?P<relation><=|>=|!=|<~|->|=|<(?=\s)|(?<=[A-DF-Za-z0-9])<(?=\w)|>(?=\s))
    | (?P<norm>\|\|)
    | (?P<sign>\.\.\.|[-+*/^_,;:.()\[\]{}|<>])""",
    re.VERBOSE,
)
_RELATIONS = {"<=": r"\le", ">=": r"\ge", "!=": r"\ne", "<~": r"\lesssim", "->": r"\to"}
_OPERATORS = {
    "grad": r"\nabla",
    "E": r"\mathbb{E}",
    "Var": r"\operatorname{Var}",
    "mean": r"\operatorname{mean}",
    "in": r"\in",
    **{name: rf"\{name}" for name in ("max", "min", "log", "exp", "cosh", "sinh", "sum", "prod")},
    "asinh": r"\operatorname{asinh}",
    "oo": r"\infty",
}
_GREEK = {"alpha", "beta", "chi", "gamma", "delta", "epsilon", "eta", "kappa", "mu", "omega", "rho", "sigma"}
_GREEK |= {"tau", "xi", "zeta", "Gamma", "Delta", "Phi"}
_TILDE = {"Ft": r"\tilde{F}", "xt": r"\tilde{x}", "mu_PL": r"\mu_{PL}"}
_CLOSING = {"(": ")", "[": "]", "{": "}"}


class ProseParts(NamedTuple):
    """The two parts of a theorem's prose."""

    reading: str
    proof: str


def split_proof(prose: str | None) -> ProseParts:
    """Split prose into how to read the bound, and the proof, which begins with that word."""
    reading, *proof = PROOF.split((prose or "").strip(), maxsplit=1)
    return ProseParts(reading.strip(), proof[0].strip() if proof else "")


def paragraphs(text: str) -> list[str]:
    """The paragraphs of a text, each on one line; a step (i), (ii), ... of a proof is a paragraph."""
    parts = re.split(r"\n\n|\n(?=\([ivx]+\) )", text.strip())
    return [" ".join(part.split()) for part in parts if part.strip()]


def plain_prose(text: str | None) -> str:
    """Prose for a terminal: formulas as they were typed.

    >>> plain_prose("The drift is $eta^2 tau (tau - 1)$.")
    'The drift is eta^2 tau (tau - 1).'
    """
    return FORMULA.sub(r"\1", text or "")


_SPLIT = re.compile(
    r"""(\s(?:<=|>=|=|\+|-|<|>)(?=\s)     # a relation or a sign between spaces
    |\|\||[()\[\]{}]                     # what opens and closes
    |(?<![A-DF-Za-z0-9])<(?![=\s])|(?<=\S)>(?!=))""",
    re.VERBOSE,
)


def break_formula(formula: str, longest: int = 40) -> list[str]:
    """A typed formula in pieces, between which a line may break: before top-level relations and signs.

    >>> break_formula("E F(x+) - F(x) <= -(a + b) + c", longest=16)
    ['E F(x+) - F(x)', '<= -(a + b) + c']
    """
    pieces, depth, norm = [""], 0, False
    for part in _SPLIT.split(" ".join(formula.split())):
        if part == "||":
            norm = not norm
        depth += (part in ("(", "[", "{", "<")) - (part in (")", "]", "}", ">"))
        if re.fullmatch(r" (<=|>=|[-=+<>])", part) and depth == 0 and not norm:
            pieces.append(part[1:])
        else:
            pieces[-1] += part
    lines = pieces[:1]
    for piece in pieces[1:]:
        if len(lines[-1]) + len(piece) < longest:
            lines[-1] += f" {piece}"
        else:
            lines.append(piece)
    return lines


def formula_latex(formula: str) -> str:
    r"""A typed formula as LaTeX.

    Raises BoundkitError for a word that is no quantity, and for brackets that do not match.

    >>> print(formula_latex("E||grad F_i - h_i||^2 <= 1/2 L^2 X_i"))
    \mathbb{E}\, \|\nabla F_i - h_i\|^{2} \le \tfrac{1}{2} L^{2} X_i
    """
    return _Formula(formula).latex()


@cache
def _symbols() -> dict[str, str]:
    return {name: q.latex for name, q in {**ALPHABET, **VECTORS}.items()} | _TILDE


def _name(name: str) -> str:
    """A name with its index as LaTeX."""
    if name in _symbols():
        return _symbols()[name]
    base, _, index = name.partition("_")
    if len(base) == 1 and (index or base != "E"):
        symbol = base
    elif base in _GREEK:
        symbol = rf"\{base}"
    elif base in _OPERATORS:
        symbol = _OPERATORS[base]
    else:
        raise BoundkitError(f"{name!r} is no quantity of the notation, no single letter and no operator.")
    if not index:
        return symbol
    if index.startswith("{"):
        return f"{symbol}_{{{formula_latex(index[1:-1])}}}"
    if index in _GREEK:
        return rf"{symbol}_\{index}"
    return f"{symbol}_{index}" if len(index) == 1 else rf"{symbol}_{{\mathrm{{{index}}}}}"


class _Formula:
    """The tokens of a typed formula, read from left to right."""

    def __init__(self, formula: str) -> None:
        self.formula = " ".join(formula.split())
        self.tokens: list[re.Match[str]] = []
        place = 0
        while place < len(self.formula):
            token = _TOKEN.match(self.formula, place)
            if token is None:
                raise BoundkitError(f"{self.formula!r} has {self.formula[place]!r}, which no formula has.")
            self.tokens.append(token)
            place = token.end()
        self.place = 0

    def latex(self) -> str:
        """The whole formula."""
        written = self._until("")
        return re.sub(r"\s+", " ", written).strip()

    def _next(self, skip: bool = True) -> re.Match[str] | None:
        while skip and self.place < len(self.tokens) and self.tokens[self.place]["space"]:
            self.place += 1
        if self.place == len(self.tokens):
            return None
        return self.tokens[self.place]

    def _take(self) -> re.Match[str]:
        token = self._next()
        if token is None:
            raise BoundkitError(f"{self.formula!r} ends too early.")
        self.place += 1
        return token

    def _until(self, closing: str) -> str:
        """All pieces up to a closing bracket, which is taken too."""
        pieces: list[str] = []
        while token := self._next():
            if closing and token[0] == closing:
                self.place += 1
                return " ".join(pieces)
            if pieces and token["number"] and pieces[-1][-1].isdigit():
                pieces.append(r"\cdot")
            pieces.append(self._piece(closing))
        if closing:
            raise BoundkitError(f"{self.formula!r} lacks {closing!r}.")
        return " ".join(pieces)

    def _piece(self, closing: str = "") -> str:
        """One symbol, number, relation or bracketed part, with its exponents and indices."""
        token = self._take()
        text = token[0]
        if token["relation"]:
            return _RELATIONS.get(text, text)
        if token["number"]:
            return self._scripts(self._number(text))
        if token["name"]:
            if token["name"] == "sqrt":
                return self._scripts(rf"\sqrt{{{self._argument()}}}")
            space = r"\," if token["name"] in ("E", "Var") else ""
            return self._scripts(_name(token["name"]), token["mark"] or "") + space
        if token["norm"]:
            return self._scripts(rf"\|{self._until('||')}\|")
        if text == "|":
            return self._scripts(f"|{self._until('|')}|")
        if text == "<":
            return rf"\langle {self._until('>')}\rangle"
        if text in _CLOSING:
            inside = self._until(_CLOSING[text])
            return self._scripts(rf"\{{{inside}\}}" if text == "{" else f"{text}{inside}{_CLOSING[text]}")
        if text in "*+-/,;:." or text == "...":
            return {"*": r"\,", ".": r"\cdot", "...": r"\dots"}.get(text, text)
        raise BoundkitError(f"{self.formula!r} has {text!r} where it cannot stand.")

    def _number(self, text: str) -> str:
        """A number, or a fraction of two whole numbers typed without spaces."""
        slash = self.tokens[self.place : self.place + 2]
        first = self.place < 2 or self.tokens[self.place - 2][0] not in ("/", "^")
        if len(slash) == 2 and slash[0][0] == "/" and slash[1]["number"] and first:
            after = self.tokens[self.place + 2] if self.place + 2 < len(self.tokens) else None
            if after is None or not (after["name"] or after[0] == "^"):
                self.place += 2
                return rf"\tfrac{{{text}}}{{{slash[1][0]}}}"
        return text

    def _argument(self) -> str:
        """What a root covers: a bracketed part without its brackets, or one piece."""
        token = self._next()
        if token is not None and token[0] in ("(", "{"):
            self.place += 1
            return self._until(_CLOSING[token[0]])
        return self._piece()

    def _scripts(self, symbol: str, mark: str = "") -> str:
        """A symbol with its prime, star or plus, and with the exponents and indices that follow."""
        if mark:
            symbol += mark if mark[0] == "'" else f"^{{{mark}}}"
        while (token := self._next(skip=False)) is not None and token[0] in ("^", "_"):
            self.place += 1
            if token[0] == "^" and mark and mark[0] != "'":
                symbol = f"({symbol})"
            script = re.sub(r"\\tfrac\{(\d+)\}\{(\d+)\}", r"\1/\2", self._argument())
            symbol += f"{token[0]}{{{script}}}"
        return symbol
