"""Export of a theorem as LaTeX, BibTeX, JSON, Markdown or JavaScript."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence

from boundkit.algebra import Theorem
from boundkit.algebra.erratum import Erratum
from boundkit.algebra.errors import unknown
from boundkit.analysis.export.javascript import script
from boundkit.analysis.export.markdown import page
from boundkit.analysis.statement import statement, statement_latex


def _json(theorem: Theorem, errata: Sequence[Erratum] = ()) -> str:
    return json.dumps(statement(theorem, errata), indent=2, ensure_ascii=False, allow_nan=False)


FORMATS: dict[str, tuple[str, Callable[[Theorem], str]]] = {
    "latex": (".tex", statement_latex),
    "bibtex": (".bib", lambda theorem: theorem.source.bibtex()),
    "json": (".json", _json),
    "markdown": (".md", page),
    "javascript": (".js", script),
}
"""The file suffix and the writer of each format."""


def export(theorem: Theorem, form: str, errata: Sequence[Erratum] = ()) -> str:
    r"""The theorem in a format: "latex", "bibtex", "json", "markdown" or "javascript".

    ``errata``: those that concern it, for JSON. Raises BoundkitError for another format, with near names.

    >>> from boundkit.theorems import theorem
    >>> print(export(theorem("sgd_nonconvex"), "latex").splitlines()[0])
    \[
    """
    if form not in FORMATS:
        raise unknown("format", form, FORMATS)
    return _json(theorem, errata) if form == "json" else FORMATS[form][1](theorem)
