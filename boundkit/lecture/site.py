"""The site: every file of the lecture, from chapters, theorems and figures, and its folder.

It opens from disk: scripts are classic ones in its folder, formulas are MathML, and a content security policy
forbids to load anything else.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from importlib.resources import files
from pathlib import Path
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from boundkit.algebra import BoundkitError, Theorem
from boundkit.algebra.errors import unknown
from boundkit.algebra.printing import SIGNS, conditions_latex, latex
from boundkit.algebra.term import CAUSES
from boundkit.analysis.export.javascript import script
from boundkit.analysis.input_file import MOST_RECORD, read_text
from boundkit.figures.number_format import number
from boundkit.figures.style import CAUSE_LOOKS
from boundkit.lecture import markdown
from boundkit.lecture.bibliography import references, unique
from boundkit.lecture.markdown import mathml
from boundkit.lecture.page_data import PRESETS, ExplorerData, explorer_data, fixed, stability_data
from boundkit.lecture.parts import (
    Chapter,
    Exercises,
    Explorer,
    Figure,
    Limitations,
    Part,
    Prose,
    Quiz,
    Simulation,
    Stability,
    Statement,
)
from boundkit.lecture.relations import neighbourhoods
from boundkit.lecture.worked_examples import draw_examples
from boundkit.report.markdown import inline as as_markdown
from boundkit.simulation.atomic_files import probe_place, temporary_folder
from boundkit.theorems.errata import errata_of

SCRIPTS = (
    "slides.js",
    "drawing.js",
    "address.js",
    *(f"explorer/{name}.js" for name in ("sliders", "limits", "controls", "curves", "chart", "figure")),
    *(f"simulation/{name}.js" for name in ("matrices", "checks", "participation", "model", "local", "round")),
    *(f"simulation/{name}.js" for name in ("trajectory", "limit", "surrogate", "sample")),
    *(f"simulation/{name}.js" for name in ("constants", "bound")),
    *(f"simulation_figure/{name}.js" for name in ("state", "sentences", "points", "frame", "plane", "line")),
    *(f"simulation_figure/{name}.js" for name in ("axes", "curve", "terms", "legend", "controls", "player")),
    "simulation_figure/figure.js",
    *(f"stability/{name}.js" for name in ("plane", "figure")),
    "page.js",
)
"""The scripts of a chapter in the order of their dependencies."""
STYLES = ("lecture.css",)
RELATIONS = "relations.js"
"""The script of the page of relations."""
FIRST_SCRIPT = "theme.js"
"""Runs before the page is painted."""


@dataclass(frozen=True)
class Drawing:
    """Paths of the files of a figure: for a light and a dark background, its numbers, and optionally for a
    narrow page. ``shape``: height over width."""

    light: str
    dark: str
    data: str | None
    narrow: str | None = None
    shape: float = 0.56


@dataclass
class Site:
    """Chapters, the theorems that they name, and the drawing of each figure.

    ``proofs``: checked proofs of theorems as Markdown, by name.
    """

    chapters: tuple[Chapter, ...]
    theorems: Mapping[str, Theorem]
    drawings: Mapping[Figure, Drawing]
    seed: int = 0
    proofs: Mapping[str, str] = field(default_factory=dict)
    scripts: dict[str, str] = field(default_factory=dict)

    def files(self) -> dict[str, str]:
        """The text of every file except the figures, by its path from the root.

        Raises BoundkitError where a chapter names an unknown theorem.
        """
        self.scripts.clear()
        pages = {f"{c.slug}.html": self._chapter(c) for c in self.chapters}
        pages["solutions.html"] = self._page("solutions.html", None, "Solutions")
        pages["index.html"] = self._page("index.html", None, "boundkit: the lecture")
        pages["relations.html"] = self._page(
            "relations.html", None, "Theorems and assumptions", names=neighbourhoods(self.theorems)
        )
        cited = unique(s for c in self.chapters for s in references(c, self.theorems))
        pages["references.html"] = self._page("references.html", None, "References", cited=cited)
        assets = {f"assets/{name}": _asset(name) for name in (FIRST_SCRIPT, *SCRIPTS, RELATIONS, *STYLES)}
        assets["assets/causes.css"] = causes_css()
        return pages | assets | {f"theorems/{name}.js": text for name, text in self.scripts.items()}

    def _chapter(self, chapter: Chapter) -> str:
        for name in chapter.theorems:
            if name not in self.theorems:
                raise unknown("theorem", name, self.theorems)
        ids = part_ids(chapter)
        parts = [self._part(f"{chapter.slug}_{k}", ids[k], part) for k, part in enumerate(chapter.parts)]
        named = dict.fromkeys(self._loads(parts))
        return self._page(
            "chapter.html", chapter, chapter.title,
            parts=parts, cited=references(chapter, self.theorems), loads=list(named),
        )  # fmt: skip

    def _loads(self, parts: Iterable[dict[str, Any]]) -> Iterable[str]:
        """The scripts of theorems that a page needs."""
        for shown in parts:
            if "explored" in shown:
                yield shown["explored"].key
            if shown["kind"] == "stability":
                yield shown["settings"]["forms"]
            beside = shown.get("settings", {}).get("theorem")
            if beside is not None:
                name = beside["name"]
                self.scripts[name] = script(self.theorems[name])
                yield name

    def _part(self, key: str, id: str, part: Part) -> dict[str, Any]:
        """A part with the values that its template needs; ``key`` names the script of an explorer."""
        kind = type(part).__name__.lower()
        shown: dict[str, Any] = {"part": part, "kind": kind, "id": id, "heading": _heading(part)}
        if isinstance(part, Explorer):
            explored = explorer_data(part, self.theorems[part.theorem], key)
            self.scripts[explored.key] = explored.script
            shown |= {"explored": explored, "table": _table(explored)}
        elif isinstance(part, Simulation):
            shown["settings"] = PRESETS[part.preset]
        elif isinstance(part, Stability):
            self.scripts[key], shown["settings"] = stability_data(key)
        elif isinstance(part, Figure):
            shown["drawing"] = self.drawings[part]
        return shown

    def _page(self, template: str, chapter: Chapter | None, title: str, **values: Any) -> str:
        text: str = (
            _templates(self)
            .get_template(template)
            .render(chapter=chapter, title=title, chapters=self.chapters, **values)
        )
        return text


def part_ids(chapter: Chapter) -> list[str]:
    """The ids of a chapter's parts, from what each shows: a link to one outlives an edit of others."""
    found: list[str] = []
    for part in chapter.parts:
        name = _slug_of(part)
        again = sum(one.partition("--")[0] == name for one in found)
        found.append(f"{name}--{again + 1}" if again else name)
    return found


def _slug_of(part: Part) -> str:
    if isinstance(part, Prose | Explorer):
        words = part.title or "text"
    elif isinstance(part, Simulation):
        words = part.preset
    elif isinstance(part, Figure):
        words = " ".join([part.figure, *(word for word in part.arguments if word.isidentifier())])
    elif isinstance(part, Statement):
        words = part.theorem
    else:
        words = type(part).__name__
    return "-".join(re.findall("[a-z0-9]+", words.lower()))


def _heading(part: Part) -> str:
    """The heading of a part in the contents, empty where it has none."""
    if isinstance(part, Prose):
        return part.title
    return type(part).__name__ if isinstance(part, Limitations | Quiz | Exercises) else ""


def causes_css() -> str:
    """The colours of causes as CSS variables, for light and dark backgrounds, and a class for each cause."""
    colours = "".join(
        f"--cause-{slug(name)}: light-dark({look.light}, {look.dark}); " for name, look in CAUSE_LOOKS.items()
    )
    of = "".join(
        f".cause-{slug(name)} {{ --of-cause: var(--cause-{slug(name)}); }}\n" for name in CAUSE_LOOKS
    )
    return f":root {{ {colours}}}\n{of}"


def cause_variables(side: str) -> str:
    """The colours of causes on a background, ``light`` or ``dark``, as CSS variables."""
    return "".join(f"--cause-{slug(name)}: {getattr(look, side)}; " for name, look in CAUSE_LOOKS.items())


def coloured_bound(theorem: Theorem) -> str:
    """The bound as HTML: the claim and its terms, each with its label in the colour of its cause.

    It stands on one line where that is wide enough, and breaks between terms elsewhere.
    """
    sign = mathml(SIGNS[theorem.kind][0])
    pieces = [f"<span>{mathml(theorem.claim.latex, display=True)}&nbsp;{sign}</span>"]
    for place, term in enumerate(theorem.terms):
        plus = "<span>+</span>" if place else ""
        pieces.append(
            f'{plus}<span class="caused" style="--colour: var(--cause-{slug(term.cause)})">'
            f"{mathml(latex(term.expr), display=True)}<small>{term.label}</small></span>"
        )
    return f'<div class="bound">{"".join(pieces)}</div>'


def slug(cause: str) -> str:
    """A cause as a CSS identifier.

    >>> slug("client drift")
    'client-drift'
    """
    return cause.replace(" ", "-")


def _table(explored: ExplorerData) -> list[dict[str, Any]]:
    """The terms at the initial values, for readers without scripts."""
    initial = explored.initial
    total = float(initial.total)
    return [
        {
            "label": t.label, "cause": t.cause, "formula": mathml(latex(t.expr)),
            "value": number(float(initial.terms[t.label]), 3),
            "share": f"{100 * float(initial.terms[t.label]) / total:.0f} %" if total else "",
        }
        for t in initial.theorem.terms
    ]  # fmt: skip


def _asset(name: str) -> str:
    return (files(__package__) / "assets" / name).read_text(encoding="utf-8")


def _templates(site: Site) -> Environment:
    made = Environment(
        loader=PackageLoader("boundkit.lecture"), autoescape=True, undefined=StrictUndefined,
        trim_blocks=True, lstrip_blocks=True,
    )  # fmt: skip
    filters: dict[str, Callable[..., Any]] = {
        "prose": lambda text: Markup(markdown.html(text)),
        "markdown": as_markdown,
        "inline": lambda text: Markup(markdown.inline(text)),
        "formula": lambda text: Markup(mathml(text)),
        "display": lambda text: Markup(mathml(text, display=True)),
        "json": lambda value: json.dumps(value, ensure_ascii=False, allow_nan=False),
        "slug": slug,
        "number": lambda value: number(value, 3),
        "examples": lambda exercise: draw_examples(exercise, site.seed),
        "bound": lambda t: Markup(coloured_bound(t)),
        "conditions": conditions_latex,
        "fixed": fixed,
    }
    made.filters |= filters
    made.globals |= {"theorems": site.theorems, "proofs": site.proofs, "causes": CAUSES, "scripts": SCRIPTS}
    made.globals["errata_of"] = errata_of
    return made


LIST = "lecture.json"
"""The list of the written files: a folder is a lecture where it holds these files and no others."""


def refuse_foreign(outdir: Path) -> None:
    """Raise BoundkitError where the folder holds something else, or cannot be written."""
    outdir = outdir.absolute()
    try:
        probe_place(outdir)
    except OSError as error:
        raise BoundkitError(f"{outdir} cannot be written: {error.strerror or error}.") from None
    if outdir.exists() and not outdir.is_dir():
        raise BoundkitError(f"{outdir} is a file, but a lecture needs a folder.")
    if outdir.is_dir():
        if Path.cwd().is_relative_to(outdir.resolve()):
            raise BoundkitError(f"{outdir} is where you are: name a new folder, such as lecture.")
        foreign = sorted(_present(outdir) - _listed(outdir))
        if foreign:
            raise BoundkitError(
                f"{outdir} holds other things than a lecture, such as {foreign[0]}; name a new folder."
            )


def replace_site(outdir: Path, files: Mapping[str, str | bytes]) -> None:
    """Write every file, by its path from the root; a previous lecture is replaced at the end.

    Raises BoundkitError where the folder cannot be written, or holds something else.
    """
    refuse_foreign(outdir)
    outdir = outdir.absolute()
    contents = {**files, LIST: json.dumps(sorted({*files, LIST}), indent=1) + "\n"}
    try:
        outdir.parent.mkdir(parents=True, exist_ok=True)
        with temporary_folder(outdir.parent) as beside:
            _exchange(outdir, contents, beside / "new", beside / "old")
    except OSError as error:
        raise BoundkitError(f"{outdir} cannot be written: {error.strerror or error}.") from None


def _exchange(outdir: Path, files: Mapping[str, str | bytes], new: Path, old: Path) -> None:
    """Write the files to ``new`` and exchange it with ``outdir``, which is unchanged where that fails."""
    try:
        for place, content in files.items():
            path = new / place
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content.encode() if isinstance(content, str) else content)
        if outdir.exists():
            outdir.replace(old)
        new.replace(outdir)
    except OSError:
        if old.exists() and not outdir.exists():
            old.replace(outdir)
        raise


def _present(outdir: Path) -> set[str]:
    return {path.relative_to(outdir).as_posix() for path in outdir.rglob("*") if not path.is_dir()}


def _listed(outdir: Path) -> set[str]:
    try:
        names = json.loads(read_text(outdir / LIST, MOST_RECORD))
    except (OSError, ValueError, RecursionError):
        return set()
    return {name for name in names if isinstance(name, str)} if isinstance(names, list) else set()
