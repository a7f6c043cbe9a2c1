"""Requests for figures, as typed after ``boundkit figure``, and results of their makers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from boundkit.figures.style import Layout


@dataclass(frozen=True)
class FigureRequest:
    """The name of a figure, the words after it, its preset, its options, and the layout of its page.

    ``names`` are the words before the first name=value, ``values`` all others. ``computed``: files of the
    records that were missing and are written for it, with what each holds.
    """

    name: str
    words: tuple[str, ...]
    preset: str
    options: dict[str, Any] = field(default_factory=dict)
    layout: Layout | None = None
    computed: dict[Path, str] = field(default_factory=dict)

    @property
    def names(self) -> tuple[str, ...]:
        """Theorems, or what else the figure takes by name."""
        first = next((i for i, word in enumerate(self.words) if "=" in word), len(self.words))
        return self.words[:first]

    @property
    def values(self) -> list[str]:
        """The name=value words, and whatever follows them."""
        return list(self.words[len(self.names) :])

    def theorem(self) -> str:
        """The one theorem that the figure is about.

        Raises BoundkitError where none is given, or more than one.
        """
        from boundkit.algebra import BoundkitError

        if not self.names:
            raise BoundkitError(
                f"{self.name} needs a theorem: boundkit figure {self.name} THEOREM name=value ..."
            )
        if len(self.names) > 1:
            raise BoundkitError(f"{self.names[1]!r} is not name=value.")
        return self.names[0]

    def no_words(self) -> None:
        """Refuse every word: the figure draws its record, which is about one thing.

        Raises BoundkitError where there is one.
        """
        from boundkit.algebra import BoundkitError

        if self.words:
            raise BoundkitError(f"{self.name} takes no words, so {self.words[0]!r} must not be given.")


@dataclass(frozen=True)
class FigureResult:
    """A figure of matplotlib, what it is about, how a check that ran for it ended, and its record.

    ``columns``: what is drawn, as numbers in full digits, for the CSV beside it; None is an empty cell.
    """

    page: Any
    theorem: str | list[str] | None = None
    code: int = 0
    record: Path | None = None
    columns: Mapping[str, Sequence[Any]] = field(default_factory=dict)


def parsed(line: Sequence[str]) -> FigureRequest:
    """The request of ``boundkit figure LINE``. Raises BoundkitError, or click's errors, for a wrong line."""
    from boundkit.cli.program import parsers

    context = parsers(["figure"])[1]["figure"].make_context("boundkit figure", list(line))
    options = dict(context.params)
    options["run"] = options.pop("run_file")
    for name in ("run", "record", "records", "measured"):
        options[name] = None if options[name] is None else Path(options[name])
    return make_request(options["name"], options["words"], options["preset"], options, typed_options(context))


def make_request(
    name: str, words: Sequence[str] | None, preset: str, options: Mapping[str, Any], typed: Sequence[str]
) -> FigureRequest:
    """The request of a figure, with the options that it reads.

    Raises BoundkitError for an unknown figure or preset, and for a typed option that it does not read.
    """
    from boundkit.figures.gallery import GALLERY, check_figure, check_options
    from boundkit.figures.style import Layout, check_preset, read_width

    name = check_figure(name.replace("-", "_"))
    check_preset(preset)
    check_options(name, typed)
    width = None if options["width"] is None else read_width(options["width"], preset)
    layout = Layout(width, options["title"], options["caption"])
    read = {option: options[option] for option in GALLERY[name].options}
    return FigureRequest(name, tuple(words or ()), preset, read, layout)


def typed_options(context: Any) -> list[str]:
    """The options that the user typed, by name; ``context`` is click's, or typer's copy of it."""
    sources = {name: context.get_parameter_source(name) for name in context.params}
    typed = [name for name, source in sources.items() if source is not None and source.name == "COMMANDLINE"]
    return [name.removesuffix("_file") for name in typed]
