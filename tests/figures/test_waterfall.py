"""The waterfall of a ledger: a bar a step, each from where the last one ended, down to the bound."""

from dataclasses import replace
from pathlib import Path

import pytest
from matplotlib.colors import same_color
from matplotlib.patches import Rectangle

from boundkit.algebra import BoundkitError
from boundkit.cli import proof as proof_command
from boundkit.cli.gallery.arguments import parsed
from boundkit.cli.gallery.makers import make
from boundkit.figures.style import colour
from boundkit.figures.waterfall import bars_of, figure
from boundkit.proofs import Ledger, LedgerEntry, as_record
from boundkit.studies.demonstration_records import read_demonstration, write_demonstration
from boundkit.verification.tabular_result import TabularResult
from tests.cases import each
from tests.figures.pictures import names, outside, overlaps, part, words

EXAMPLE = "fedavg_nonconvex_partial"
GIVEN = {
    "direction dropped": (2.0, "initial gap"),
    "Young: three parts": (1.5, "partial participation"),
    "noise counted to the end": (0.001, "noise drift"),
    "Young: dissimilarity": (0.75, "client drift"),
    "telescoping": (0.002, "initial gap"),
}


def step(name: str, slack: float, cause: str, broken: int | None = None) -> LedgerEntry:
    return LedgerEntry(
        name, "inequality", cause, "for a reason", "a \\le b", "a <= b", "1", 1.0, 1.0 + slack, slack / 5.253,
        1.0, 0.5, broken,
    )  # fmt: skip


def ledger_of(steps: tuple[LedgerEntry, ...], measured: float = 1.0) -> Ledger:
    end = measured + sum(one.slack for one in steps)
    terms = {"initial gap": 3.0, "partial participation": 1.5, "client drift": end - 4.5}
    about = "the default instance 'small': 2 quadratic clients, tau = 3"
    return Ledger(EXAMPLE, "claim", steps, measured, end, end, terms, {}, 7, "exact expectations", {}, about)


@pytest.fixture(scope="module")
def record() -> TabularResult:
    return as_record(ledger_of(tuple(step(name, *given) for name, given in GIVEN.items())))


def ends(page_part: object) -> tuple[float, float]:
    assert isinstance(page_part, Rectangle)
    return page_part.get_x(), page_part.get_x() + page_part.get_width()


@each("preset", ["paper", "dark"])
def test_every_bar_begins_where_the_last_one_ended_and_no_words_touch(
    preset: str, record: TabularResult
) -> None:
    page = figure(record, preset)
    (axes,) = page.axes
    shown = [name for name in GIVEN if GIVEN[name][0] > 0.01]
    at = ends(part(axes, "measured"))[1]
    assert at == pytest.approx(100 / 5.253)
    for name in shown:
        bar = part(axes, f"step {name}")
        left, right = ends(bar)
        slack, cause = GIVEN[name]
        assert (left, right) == pytest.approx((at, at + slack / 0.05253))
        assert isinstance(bar, Rectangle)
        assert same_color(bar.get_facecolor(), colour(cause, dark=preset == "dark"))
        at = right
    assert ends(part(axes, "other steps")) == pytest.approx((at, at + 0.003 / 0.05253))
    assert {name for name in names(axes) if name.startswith("step ")} == {f"step {name}" for name in shown}
    assert not overlaps(page)
    assert not outside(page)


def test_the_last_bar_is_the_bound_by_cause(record: TabularResult) -> None:
    (axes,) = figure(record).axes
    causes = ("initial gap", "client drift", "partial participation")
    parts = [ends(part(axes, f"bound {cause}")) for cause in causes]
    assert parts[0][0] == 0
    assert [left for left, _ in parts[1:]] == pytest.approx([right for _, right in parts[:-1]])
    assert parts[-1][1] == pytest.approx(100)


def test_a_step_that_is_wrong_is_named_even_where_its_bar_is_tiny() -> None:
    steps = tuple(
        step(
            name,
            -slack if name.startswith("noise") else slack,
            cause,
            3 if name.startswith("noise") else None,
        )
        for name, (slack, cause) in GIVEN.items()
    )
    record = as_record(ledger_of(steps))
    assert [bar.name for bar in bars_of(record)[0] if bar.broken] == ["noise counted to the end"]
    said = words(figure(record))
    assert "breaks at the step “noise counted to the end”" in " ".join(said.split())
    assert "noise counted to the end: wrong here" in said


def test_the_command_draws_a_record_that_is_there_and_refuses_others(
    record: TabularResult, tmp_path: Path
) -> None:
    file = tmp_path / "kept.json"
    write_demonstration(record, file)
    made = make(parsed(["waterfall", "--record", str(file)]))
    assert made.theorem == EXAMPLE
    assert made.code == 0
    assert made.columns["name"] == [*GIVEN]
    write_demonstration(replace(record, name="other"), tmp_path / "other.json")
    for line, said in (
        (["--record", str(tmp_path / "other.json")], "is a record of other, not of a ledger"),
        (["fedavg_nonconvex", "--record", str(file)], f"is a record of {EXAMPLE}, not of fedavg_nonconvex"),
        (["--record", str(file), "--run", "run.json"], "is drawn as it is"),
        ([EXAMPLE, "tau=3"], "'tau=3' belongs into RUN.json"),
        ([], "needs a theorem whose proof can be run: .*fedavg_nonconvex_partial_sharp and others"),
        (["fedadam_nonconvex"], "is not machine-checked"),
    ):
        with pytest.raises(BoundkitError, match=said):
            make(parsed(["waterfall", *line]))


def test_boundkit_ledger_prints_keeps_and_draws(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    kept, picture = tmp_path / "kept.json", tmp_path / "steps.svg"
    assert proof_command.run("fedavg_nonconvex", verbose=True, record=kept, plot=picture) == 0
    said = capsys.readouterr().out
    assert "Every step holds, and measured + slacks = bound" in said
    assert "the default instance 'equal Hessians, noise'" in said
    assert "Jensen over clients: direction_error <= client_errors" in said
    assert read_demonstration(kept).values["theorem"] == "fedavg_nonconvex"
    assert "times what was measured" in picture.read_text(encoding="utf-8")
