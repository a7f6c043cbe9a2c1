"""Comparisons drawn: bars at a point, curves along one axis, a map over two."""

import numpy as np
import pytest
from matplotlib.patches import Rectangle
from matplotlib.text import Annotation

from boundkit.algebra import BoundkitError
from boundkit.analysis.compare import Comparison, compare
from boundkit.figures.compare import DARK, LIGHT, dashes, figure, shade
from boundkit.figures.labels import CELLS
from boundkit.theorems import theorem
from tests.cases import each
from tests.figures.pictures import line, names, outside, overlaps, same, words
from tests.representatives import aside

THREE = tuple(map(theorem, ("fedavg_nonconvex", "fedavg_nonconvex_partial", "sgd_nonconvex")))
SPREAD = np.geomspace(0.01, 10, 21)
ASKED = {
    "bars": {"eta": 0.004, "tau": 20, "sigma": 3},
    "curves": {"tau": range(1, 101), "eta": 0.01},
    "map": {"tau": [1, 2, 5, 10, 30, 100], "sigma_g": SPREAD, "eta": 0.003},
    "tuned map": {"T": [10, 100, 1000], "sigma": [0.01, 0.1, 1], "tuned": True},
}


@pytest.fixture(scope="module", params=ASKED)
def found(request: pytest.FixtureRequest) -> Comparison:
    return compare(*THREE, **ASKED[request.param])  # type: ignore[arg-type]


@pytest.mark.parametrize("preset", aside(["hall", "paper"], "hall"))
def test_words_are_on_the_page_and_not_on_each_other(found: Comparison, preset: str) -> None:
    page = figure(found, preset)
    assert outside(page) == []
    assert overlaps(page) == []
    titles = [c.theorem.title for c in found.contenders]
    shown = titles if len(found.axes) < 2 else [n for n, share in found.shares.items() if share > 0.05]
    for name in shown:
        assert name in words(page).replace("_ ", "_")


def test_bars_add_up_to_the_totals() -> None:
    found = compare(*THREE, **ASKED["bars"])  # type: ignore[arg-type]
    page = figure(found)
    patches = [p for p in page.axes[0].patches if isinstance(p, Rectangle)]
    parts = [p for p in patches if str(p.get_gid()).startswith("part")]
    for c in found.contenders:
        (name,) = [text for text in page.axes[0].texts if text.get_gid() == f"name {c.name}"]
        assert isinstance(name, Annotation)
        mine = [p for p in parts if p.get_y() == pytest.approx(name.xy[1] - 0.5)]
        assert sum(p.get_width() for p in mine) == pytest.approx(float(c.total), rel=1e-12)
    assert words(page).count("not proved") == sum(not c.holds.all() for c in found.contenders) == 1


def test_curves_are_the_totals_and_heavy_only_where_they_are_proved() -> None:
    found = compare(*THREE, **ASKED["curves"])  # type: ignore[arg-type]
    axes = figure(found).axes[0]
    for c in found.contenders:
        assert same(line(axes, f"whole {c.name}").get_ydata(), c.total)
        assert same(line(axes, f"bound {c.name}").get_ydata(), np.where(c.holds, c.total, np.nan))
    changes = [one for one in axes.lines if one.get_gid() == "change"]
    assert [float(np.asarray(one.get_xdata())[0]) for one in changes] == [c.at for c in found.changes]
    assert len(changes) == 2


@each("asked", ["map", "tuned map"])
def test_the_map_is_who_is_lowest(asked: str) -> None:
    found = compare(*THREE, **ASKED[asked])  # type: ignore[arg-type]
    x, y, lowest, _ = found.between(CELLS)
    assert {f"border {name}" for name in set(lowest.ravel()) if len(set(lowest.ravel())) > 1} <= names(
        figure(found).axes[0]
    )
    xs, ys = found.axes.values()
    for i, first in enumerate(xs):
        for k, second in enumerate(ys):
            at = int(np.argmin(np.abs(np.log(x / first)))), int(np.argmin(np.abs(np.log(y / second))))
            total = np.sort(found.totals[:, i, k])
            if total[1] > 1.05 * total[0]:  # the nearest cell of the raster is not the very point
                assert lowest[at] == found.lowest.values[i, k]


def test_theorems_look_unlike_each_other() -> None:
    for dark, palette in ((False, LIGHT), (True, DARK)):
        looks = [(shade(place, dark), str(dashes(place))) for place in range(30)]
        assert len(set(looks)) == 30
        assert len(set(palette)) == len(palette)


def test_a_picture_of_bounds_up_to_constants_names_no_winner() -> None:
    pair = theorem("fedavg_nonconvex"), theorem("fedavg_nonconvex_partial_rate")
    said = words(figure(compare(*pair, T=[10, 100, 1000])))
    assert "no common scale with the others" in said
    assert "lowest" not in said
    with pytest.raises(BoundkitError, match="a map shows whose bound is lowest"):
        figure(compare(*pair, T=[10, 100], sigma=[0.1, 1]))
