"""Pictures and formulas inside the page, as outlines that all of them share.

A glyph is defined once, at the end of the page, and every picture and formula refers to it: no font
is needed, nothing is read from outside, and a page of a hundred theorems stays small.
"""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from html import escape
from typing import Any

import numpy as np
from matplotlib.font_manager import FontProperties
from matplotlib.path import Path
from matplotlib.textpath import text_to_path
from numpy.typing import NDArray

from boundkit.figures.number_format import formula
from boundkit.figures.style import style

_LINK = "{http://www.w3.org/1999/xlink}href"
_COMMANDS = {
    int(code): word
    for code, word in zip(
        (Path.MOVETO, Path.LINETO, Path.CURVE3, Path.CURVE4, Path.CLOSEPOLY), "MLQCZ", strict=True
    )
}
_GLYPH = 'transform="scale(0.015625)"'
"""Outlines of glyphs are in 64ths of the unit in which they are placed, as matplotlib writes them."""
_NUMBER = re.compile(r"-?\d+\.\d+(?:e-?\d+)?")
_AIR = 0.06
"""Around a formula, in heights of its type."""
_SIZE = 15.0
"""Pixels of a formula's type."""


class GlyphTable:
    """What the pictures and formulas of one page share, by content."""

    def __init__(self) -> None:
        self._ids: dict[str, str] = {}
        self._named: dict[str, str] = {}

    def markup(self) -> str:
        """The definitions; to be put into the page after the last picture."""
        definitions = "".join(content.replace("\0", name) for content, name in self._ids.items())
        hidden = "width='0' height='0' aria-hidden='true' style='position:absolute'"
        return f"<svg {hidden}><defs>{definitions}</defs></svg>" if definitions else ""

    def picture(self, svg: bytes, text: str) -> str:
        """A picture as matplotlib writes it, with its alternative text."""
        root = ET.fromstring(svg)
        shared = {d.get("id", ""): self._put(_marked(d)) for d in _definitions(root)}
        body = "".join(_compact(child, shared) for child in root)
        return (
            f"<svg class='picture' role='img' aria-label='{escape(text, quote=True)}' "
            f"viewBox='{root.get('viewBox')}'>{body}</svg>"
        )

    def formula(self, latex: str, plain: str) -> str:
        """A formula as matplotlib sets it, or else as plain text."""
        text = formula(latex) if latex else None
        if text is None:
            return f"<code>{escape(plain)}</code>"
        with style():
            font = FontProperties(family="DejaVu Sans", size=1)
            placed, outlines, bars = text_to_path.get_glyphs_mathtext(font, text)
            width, height, depth = text_to_path.get_text_width_height_descent(text, font, ismath=True)
        for name, (points, codes) in outlines.items():
            self._named[name] = self._put(_glyph(points, codes))
        unit = text_to_path.FONT_SCALE
        uses = "".join(
            f'<use href="#{self._named[name]}" transform="translate({x:.0f} {y:.0f}) scale({size:.3g})"/>'
            for name, x, y, size in placed
        )
        uses += "".join(f'<path d="{_drawn(np.asarray(p), c)}"/>' for p, c in bars)
        w, h = width + 2 * _AIR, height + 2 * _AIR
        box = f"{-_AIR * unit:.0f} {(depth - height - _AIR) * unit:.0f} {w * unit:.0f} {h * unit:.0f}"
        return (
            f"<svg class='formula' role='img' aria-label='{escape(plain, quote=True)}' viewBox='{box}' "
            f"style='width:{w * _SIZE:.1f}px;aspect-ratio:{w:.3f}/{h:.3f}'>"
            f'<g transform="scale(1 -1)">{uses}</g></svg>'
        )

    def _put(self, content: str) -> str:
        """The short name of a definition, whose own is left open as a null character."""
        return self._ids.setdefault(content, f"o{len(self._ids)}")


def _definitions(root: ET.Element) -> list[ET.Element]:
    return [d for defs in root.iter(_svg("defs")) for d in defs if d.get("id")]


def _svg(tag: str) -> str:
    return f"{{http://www.w3.org/2000/svg}}{tag}"


def _marked(definition: ET.Element) -> str:
    """A definition with its name left open."""
    inside = "".join(_compact(child, {}) for child in definition)
    tag = definition.tag.rpartition("}")[2]
    digits = 0 if definition.get("transform") else 2
    text = "".join(
        f' {n}="{_short(v, digits)}"' for n, v in definition.items() if n not in ("id", "transform")
    )
    scaled = f" {_GLYPH}" if definition.get("transform") else ""
    return f'<{tag} id="\0"{text}{scaled}>{inside}</{tag}>'


def _compact(element: ET.Element, shared: dict[str, str]) -> str:
    """An element of a picture without names, metadata, and invisible digits."""
    tag = element.tag.rpartition("}")[2]
    if tag in ("metadata", "defs"):
        return ""
    text = []
    for name, value in element.items():
        if name == _LINK:
            text.append(f'href="#{shared[value[1:]]}"')
        elif name == "clip-path":
            text.append(f'clip-path="url(#{shared[value[5:-1]]})"')
        elif name != "id":
            text.append(f'{name}="{_short(value, 3 if name == "transform" else 1)}"')
    inside = "".join(_compact(child, shared) for child in element)
    if tag == "g" and not inside:
        return ""
    if tag == "g" and not text:
        return inside
    words = " ".join([tag, *text])
    return f"<{words}>{inside}</{tag}>" if inside else f"<{words}/>"


def _short(text: str, digits: int) -> str:
    """The text in one line, its fractions rounded."""
    rounded = _NUMBER.sub(lambda n: f"{float(n[0]):.{digits}f}".rstrip("0").rstrip("."), text)
    return escape(re.sub(r"\s*([MLQCzZ;:])\s*", r"\1", " ".join(rounded.split())), quote=True)


def _glyph(points: NDArray[np.float64], codes: Any) -> str:
    return f'<path id="\0" d="{_short(_drawn(np.asarray(points) * 64, codes), 0)}" {_GLYPH}></path>'


def _drawn(points: NDArray[np.float64], codes: Any) -> str:
    """An outline in the words of SVG."""
    words = []
    for at, code in Path(points, codes).iter_segments(simplify=False, curves=True):
        pairs = " ".join(f"{v:.0f}" for v in np.asarray(at, dtype=float).ravel())
        words.append(_COMMANDS[int(code)] + ("" if code == Path.CLOSEPOLY else pairs))
    return "".join(words)
