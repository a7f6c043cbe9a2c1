"""References of a chapter: the sources of its theorems, and what else it cites, each once."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from boundkit.algebra import Source, Theorem
from boundkit.lecture.parts import Chapter, Objectives


def sources(chapter: Chapter, theorems: Mapping[str, Theorem]) -> list[Source]:
    """By author and year."""
    cited = [theorems[name].source for name in chapter.theorems]
    cited += [o.source for p in chapter.parts if isinstance(p, Objectives) for o in p.objectives if o.source]
    return once([*cited, *chapter.sources])


def once(cited: Iterable[Source]) -> list[Source]:
    """Each work once, by author and year; two places in one paper are one work."""
    works = {(s.arxiv or s.title, s.year): s for s in cited}
    return sorted(works.values(), key=lambda s: (s.authors, s.year, s.title))
