"""Properties of every figure of a demonstration."""

from __future__ import annotations

from boundkit.cli.gallery.makers import DEMONSTRATIONS
from boundkit.figures.gallery import GALLERY, RECORDED
from tests.cases import each, thinned
from tests.figures.pictures import LAYOUTS, outside, overlaps
from tests.figures.recorded import page_of


@each("figure", DEMONSTRATIONS)
@each("preset", thinned(LAYOUTS, 1))
def test_texts_are_on_the_page_and_not_on_each_other(figure: str, preset: str) -> None:
    assert GALLERY[figure].options == RECORDED
    page = page_of(figure, preset)
    assert outside(page) == [], preset
    assert overlaps(page) == [], preset
