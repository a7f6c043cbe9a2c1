"""``boundkit lecture OUTDIR``: the lecture as a site that opens from disk."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from boundkit.cli.output import emit, print_json
from boundkit.cli.simulation import AsJson

if TYPE_CHECKING:
    from boundkit.cli.gallery.asked import Made
    from boundkit.figures.lecture.parts import Chapter, Picture
    from boundkit.figures.lecture.site import Drawing

PRESETS = {"light": "hall", "dark": "dark"}


def run(
    outdir: Annotated[
        Path, typer.Argument(metavar="OUTDIR", help="a new folder, or one with a lecture in it")
    ],
    records: Annotated[
        Path | None, typer.Option(metavar="DIR", help="where records are kept; out/records by default")
    ] = None,
    chapter: Annotated[
        list[str] | None, typer.Option(help="only this chapter, by its slug; may be repeated")
    ] = None,
    seed: Annotated[int, typer.Option(min=0, help="draws the numbers of the exercises")] = 0,
    as_json: AsJson = False,
) -> None:
    """Write the lecture: theorems, live figures, simulations, quiz and exercises, without a network.

    Open OUTDIR/index.html. Pictures are drawn from records; one that is missing is made first.
    """
    from boundkit.cli.progress import progress
    from boundkit.figures.lecture.chapters import chapters
    from boundkit.figures.lecture.folder import refuse_foreign, replace_site
    from boundkit.figures.lecture.parts import Picture
    from boundkit.figures.lecture.site import Site
    from boundkit.theorems import catalogue

    refuse_foreign(outdir)
    told = _chosen(chapters(), chapter or [])
    wanted = list(dict.fromkeys(p for c in told for p in c.parts if isinstance(p, Picture)))
    files: dict[str, str | bytes] = {}
    drawings = {}
    with progress("pictures") as tell:
        for done, picture in enumerate(wanted):
            tell(done, len(wanted))
            drawings[picture], written = _drawn(picture, records)
            files |= written
    files |= Site(told, catalogue(), drawings, seed).files()
    replace_site(outdir, files)
    if as_json:
        print_json({"lecture": str(outdir), "open": str(outdir / "index.html"), "files": sorted(files)})
    else:
        emit(f"{len(told)} chapters; open {outdir / 'index.html'}")


def _chosen(every: tuple[Chapter, ...], slugs: list[str]) -> tuple[Chapter, ...]:
    from boundkit.algebra.errors import unknown

    known = {c.slug: c for c in every}
    for slug in slugs:
        if slug not in known:
            raise unknown("chapter", slug, known)
    return tuple(c for c in every if not slugs or c.slug in slugs)


def _drawn(picture: Picture, records: Path | None) -> tuple[Drawing, dict[str, bytes]]:
    """The picture on light and on dark ground, and its numbers, as files of the site."""
    import tempfile

    from boundkit.figures.lecture.site import Drawing
    from boundkit.figures.save import save

    name = "_".join([picture.figure, *(w for w in picture.words if w.isidentifier())])
    places: dict[str, str] = {}
    files: dict[str, bytes] = {}
    with tempfile.TemporaryDirectory() as folder:
        for side, preset in PRESETS.items():
            made = _made(picture, preset, records)
            (svg,) = save(made.page, Path(folder) / f"{name}_{side}.svg")
            places[side] = f"pictures/{svg.name}"
            files[places[side]] = svg.read_bytes()
        data = Path(folder) / f"{name}.csv"
        save(made.page, data, made.columns)
        files[f"pictures/{data.name}"] = data.read_bytes()
    return Drawing(places["light"], places["dark"], f"pictures/{data.name}"), files


def _made(picture: Picture, preset: str, records: Path | None) -> Made:
    from importlib import import_module

    from boundkit.cli.gallery.asked import Asked
    from boundkit.figures.gallery import GALLERY, known

    entry = GALLERY[known(picture.figure)]
    usual: dict[str, Any] = {"kind": "lines", "engine": "auto", "replicas": 100, "device": "cpu",
                             "dtype": "float64", "tuned": False}  # fmt: skip
    options = {option: usual.get(option) for option in entry.options}
    if "records" in options:
        options["records"] = records
    maker: Any = import_module(f"boundkit.cli.gallery.{picture.figure}")
    made: Made = maker.make(Asked(picture.figure, picture.words or entry.example, preset, options))
    return made
