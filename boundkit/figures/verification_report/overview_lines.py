"""All verdicts at a glance, as lines of the page: how much of its bound each theorem's worst run used.

Two columns where there is room, one on a telephone, each with its scale above and below. A large dot is the
worst instance, small ones are the others; what is right of 1 violates an upper bound.
"""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from math import ceil, floor, log10

from boundkit.figures.verdict_styles import LEAST
from boundkit.figures.verification_report.html_elements import broken, css_class
from boundkit.figures.verification_report.lines import Line
from boundkit.figures.verification_report.overview import others

_RAISED = str.maketrans("0123456789-", "⁰¹²³⁴⁵⁶⁷⁸⁹⁻")
_ONE_COLUMN = 12
"""So few theorems stand in one column."""


class _Scale:
    """Decades from left to right, in per cent of the width."""

    def __init__(self, lines: Sequence[Line]) -> None:
        seen = [
            max(r, LEAST) for line in lines for r in (*others(line), line.verdict["ratio"]) if r is not None
        ]
        self.low = floor(log10(min([*seen, 0.1])))
        self.left = self.low - 0.3
        self.high = max(ceil(log10(max([*seen, 1.0]))), 0) + 0.35

    def at(self, ratio: float) -> str:
        place = (log10(max(ratio, 10.0**self.low)) - self.left) / (self.high - self.left)
        return f"left:{100 * min(place, 1.0):.1f}%"

    def row(self) -> str:
        """The scale itself, with a number at each decade."""
        powers = range(self.low, floor(self.high) + 1)
        step = 1 if len(powers) <= 6 else 2
        marks = "".join(f"<s style='{self.at(10.0**k)}'>{_power(k)}</s>" for k in powers if k % step == 0)
        return f"<li class='scale'><span></span><span class='track'>{marks}</span><span></span></li>"


def glance(lines: Sequence[Line]) -> str:
    """The lines of all theorems that a run was held against; empty where there is none."""
    if not lines:
        return ""
    scale = _Scale(lines)
    middle = len(lines) if len(lines) <= _ONE_COLUMN else (len(lines) + 1) // 2
    columns = [part for part in (lines[:middle], lines[middle:]) if part]
    said = "".join(
        f"<ol>{scale.row()}{''.join(_row(line, scale) for line in part)}{scale.row()}</ol>"
        for part in columns
    )
    return f"<div class='glance'>{said}</div>"


def _row(line: Line, scale: _Scale) -> str:
    name = f"<a href='#{line.name}'>{broken(line.name)}</a>"
    share = line.verdict["ratio"]
    if share is None:
        letters = ", ".join(dict.fromkeys(s.letter for s in line.slopes))
        said = f"scaling in {escape(letters)}" if letters else escape(line.ratio)
        track = f"<em class='{css_class(line.answer)}'>{said}</em>"
        return f"<li><span>{name}</span><span class='track'>{track}</span><span>{_sign(line)}</span></li>"
    dots = "".join(f"<i style='{scale.at(r)}'></i>" for r in others(line))
    ends = line.verdict["interval"]
    if ends and ends[0] < ends[1]:
        low, high = scale.at(max(ends[0], LEAST)), scale.at(ends[1])
        right = 100 - float(high.removeprefix("left:").removesuffix("%"))
        dots += f"<u class='{css_class(line.answer)}' style='{low};right:{right:.1f}%'></u>"
    kind = f"{css_class(line.answer)}{' lower' if line.verdict['kind'] == 'lower' else ''}"
    dots += f"<b class='{kind}' style='{scale.at(share)}'></b>"
    bound = f"<q style='{scale.at(1.0)}'></q>"
    number = line.ratio.split(" in ")[0]
    return f"<li><span>{name}</span><span class='track'>{bound}{dots}</span><span>{number}</span></li>"


def _sign(line: Line) -> str:
    """The answer where there is no number, unless it is the usual one."""
    return "" if line.answer == "holds" else escape(line.answer)


def _power(k: int) -> str:
    return "1" if k == 0 else f"10{str(k).translate(_RAISED)}"
