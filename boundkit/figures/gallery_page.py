"""The page of a whole gallery: each picture with its sentence, the command that draws it, and its files.

One HTML file without scripts beside the pictures; it follows the light or dark of the reader's screen.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path
from struct import unpack

from boundkit.algebra.notation import ALPHABET
from boundkit.figures.algorithm_styles import LOOKS

SUFFIXES = (".pdf", ".svg", ".png", ".csv")
"""The files of a figure, in the order in which a reader sees them."""


@dataclass(frozen=True)
class Drawn:
    """A figure of the gallery: its name, what it shows, the command that draws it, and its files.

    ``fell_short``: whether a check that ran for it did.
    """

    name: str
    shows: str
    command: str
    paths: tuple[Path, ...]
    fell_short: bool = False

    def path(self, suffix: str) -> Path:
        """The file of one format, such as ".png"."""
        return next(path for path in self.paths if path.suffix == suffix)

    @property
    def title(self) -> str:
        """The name in words, those of algorithms as papers write them."""
        name, _, along = self.name.rpartition("_against_")
        if along not in ALPHABET:  # a part of the name, as in bound_against_run
            name, along = self.name, ""
        words = [LOOKS[word].title if word in LOOKS else word for word in name.split("_")]
        title = " ".join([*words, *(["against", along] if along else [])])
        return title[0].upper() + title[1:]


def page(figures: Sequence[Drawn], theorems: Sequence[Drawn], more: str, preset: str) -> str:
    """The whole page; ``theorems`` are bound against run of each, ``more`` is the command that adds them."""
    shown = "\n".join(_card(one) for one in figures)
    body = [f"<main class='figures'>\n{shown}\n</main>"]
    if theorems:
        cards = "\n".join(_card(one) for one in theorems)
        body.append(f"<h2 id='theorems'>Bound against run, theorem by theorem</h2>\n{_LEAD}")
        body.append(f"<div class='figures small'>\n{cards}\n</div>")
    else:
        body.append(
            "<h2>Bound against run, theorem by theorem</h2>\n"
            f"<p>One picture for each theorem that was tested on a run: <code>{escape(more)}</code></p>"
        )
    names = "".join(f"<a href='#{one.name}'>{escape(one.title)}</a>" for one in figures)
    return (
        f"<!DOCTYPE html>\n<html lang='en'>\n<head>\n<meta charset='utf-8'>\n"
        "<meta name='viewport' content='width=device-width, initial-scale=1'>\n"
        f"<title>boundkit: gallery</title>\n<style>{CSS}</style>\n</head>\n<body>\n"
        f"<header><h1>Gallery</h1><p>{len(figures)} figures, colour by cause of error, the same in each. "
        "Every number that is drawn is in the CSV beside the picture. A picture opens as SVG.</p>"
        f"<nav>{names}</nav></header>\n" + "\n".join(body) + "\n"
        f"<footer>Preset {escape(preset)}; <code>--preset paper</code> is one column at 8 pt, "
        "<code>--preset dark</code> is for dark rooms.</footer>\n</body>\n</html>\n"
    )


_LEAD = "<p>The worst of the instances on which each theorem was tested: its bound by cause, and the run.</p>"


def _card(one: Drawn) -> str:
    picture, wide, high = one.path(".png"), *_size(one.path(".png"))
    links = " ".join(
        f"<a href='{path.name}'>{path.suffix[1:].upper()}</a>" for path in sorted(one.paths, key=_order)
    )
    shows = escape(one.shows[0].upper() + one.shows[1:])
    return (
        f"<article id='{one.name}'><h3>{escape(one.title)}</h3>\n"
        f"<a class='picture' href='{one.path('.svg').name}'><img src='{picture.name}' width='{wide}' "
        f"height='{high}' loading='lazy' alt='{escape(one.shows, quote=True)}'></a>\n"
        f"<p>{shows}.</p>\n<pre><code>{escape(one.command)}</code></pre>\n"
        f"<p class='files'>{links}</p></article>"
    )


def _order(path: Path) -> int:
    return SUFFIXES.index(path.suffix)


def _size(path: Path) -> tuple[int, int]:
    """Width and height of a PNG, which stand at its beginning."""
    with path.open("rb") as file:
        wide, high = unpack(">II", file.read(24)[16:])
    return wide, high


CSS = """
:root { color-scheme: light dark; --ink: #1b1f24; --faint: #5b6470; --line: #dfe3e8; --ground: #f5f6f8;
  --card: #fff; --blue: #0a58cc; --code: #eef1f5; }
@media (prefers-color-scheme: dark) { :root { --ink: #f3f4f6; --faint: #a3abb8; --line: #2c323b;
  --ground: #0e1116; --card: #171b21; --blue: #6cb8f0; --code: #222831; } }
* { box-sizing: border-box; }
body { margin: 0 auto; padding: 2.5rem clamp(1rem, 4vw, 3rem) 4rem; max-width: 100rem; color: var(--ink);
  background: var(--ground); font: 17px/1.5 system-ui, "Segoe UI", "DejaVu Sans", Verdana, sans-serif; }
h1 { font-size: 2.4rem; line-height: 1.15; margin: 0 0 .5rem; letter-spacing: -.01em; }
h2 { font-size: 1.6rem; margin: 3.5rem 0 .6rem; } h3 { font-size: 1.2rem; margin: 0 0 .8rem; }
header p { max-width: 44rem; color: var(--faint); margin: 0 0 1rem; }
nav { display: flex; flex-wrap: wrap; gap: .4rem .5rem; margin-bottom: 2rem; }
nav a { border: 1px solid var(--line); border-radius: 1rem; padding: .1rem .8rem; font-size: .9rem;
  background: var(--card); }
a { color: var(--blue); text-decoration: none; } a:hover, a:focus-visible { text-decoration: underline; }
.figures { display: grid; gap: 1.5rem; align-items: start;
  grid-template-columns: repeat(auto-fill, minmax(min(100%, 38rem), 1fr)); }
.figures.small { grid-template-columns: repeat(auto-fill, minmax(min(100%, 26rem), 1fr)); }
article { background: var(--card); border: 1px solid var(--line); border-radius: .8rem;
  padding: 1.2rem 1.3rem .9rem; min-width: 0; scroll-margin-top: 1rem; }
.picture { display: block; border-radius: .4rem; overflow: hidden; border: 1px solid var(--line); }
img { display: block; width: 100%; height: auto; max-height: 30rem; object-fit: contain; background: #fff; }
article p { margin: .8rem 0 .6rem; }
pre { margin: 0; padding: .6rem .8rem; white-space: pre-wrap; overflow-wrap: anywhere;
  background: var(--code); border-radius: .4rem; font-size: .85rem; }
code { font-family: ui-monospace, "DejaVu Sans Mono", Menlo, monospace; }
.small h3 { font-size: 1rem; overflow-wrap: anywhere; }
.files { display: flex; gap: 1rem; font-size: .9rem; }
footer { margin-top: 3rem; padding-top: 1rem; border-top: 1px solid var(--line); color: var(--faint);
  font-size: .9rem; }
@media print { body { background: #fff; } article { break-inside: avoid; } nav { display: none; } }
"""
