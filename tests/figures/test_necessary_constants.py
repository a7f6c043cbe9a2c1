"""The picture of bounds from both sides: two marks a term, at the constants."""

import pytest

from boundkit.algebra import BoundkitError
from boundkit.analysis.necessary_constants import necessary_constants
from boundkit.cli.known_constants import known_constants
from boundkit.figures.necessary_constants import THEOREMS, figure
from boundkit.theorems import theorem
from boundkit.theorems.catalogue import lower_bounds


def test_a_term_has_marks_at_both_constants_and_the_factor_beside() -> None:
    answers = [necessary_constants(theorem(name), lower_bounds("fedavg")) for name in THEOREMS]
    axes = figure(answers, "paper").axes[0]
    marks = [line for line in axes.get_lines() if str(line.get_gid()).startswith(("necessary", "constant"))]
    terms = [term for answer in answers for term in answer.terms]
    drawn = [float(line.get_xdata()[0]) for line in marks]  # type: ignore[index,arg-type]
    assert drawn == pytest.approx([v for t in terms for v in (t.necessary, float(t.constant))])
    rows = [float(line.get_ydata()[0]) for line in marks[::2]]  # type: ignore[index,arg-type]
    assert rows == sorted(set(rows))
    texts = [text.get_text() for text in axes.texts]
    assert any("13/10" in text and "1.3" in text for text in texts)
    assert {answer.theorem.title for answer in answers} <= set(texts)


def test_the_sharpened_theorem_and_the_search_have_marks_where_they_are_known() -> None:
    answers = [known_constants(theorem("fedavg_nonconvex_partial_sharp"))]
    axes = figure(answers, "paper").axes[0]
    drawn = {str(line.get_gid()): float(line.get_xdata()[0]) for line in axes.get_lines()}  # type: ignore[index,arg-type]
    published = {"initial gap": 4, "stochastic noise": 4, "partial participation": 12, "client drift": 32}
    assert {name: drawn[f"before {name}"] for name in published} == published
    assert 0.2 < drawn["found client drift"] < drawn["constant client drift"]


def test_a_theorem_without_lower_bounds_is_refused() -> None:
    with pytest.raises(BoundkitError, match="no lower bound of a term of scaffold_nonconvex is known"):
        figure([necessary_constants(theorem("scaffold_nonconvex"), [])])
