"""Properties of every figure of a demonstration."""

from __future__ import annotations

from boundkit.cli.gallery.makers import DEMONSTRATIONS
from boundkit.figures.gallery import GALLERY, RECORDED
from tests.cases import each
from tests.figures.pictures import LAYOUTS, outside, overlaps
from tests.figures.recorded import page_of


@each("figure", DEMONSTRATIONS)
def test_texts_are_on_the_page_and_not_on_each_other(figure: str) -> None:
    assert GALLERY[figure].options == RECORDED
    for preset in LAYOUTS:
        page = page_of(figure, preset)
        assert outside(page) == [], preset
        assert overlaps(page) == [], preset
