"""The gallery: every figure has its maker, and reads no option that the command does not have."""

import json
from inspect import signature
from pathlib import Path

import pytest

from boundkit.algebra import BoundkitError
from boundkit.attack.atlas import FILE
from boundkit.cli import figure
from boundkit.cli.gallery.arguments import parsed
from boundkit.cli.gallery.bound_against_run import USUAL, StoredRecord
from boundkit.cli.gallery.makers import MAKERS, make
from boundkit.figures.gallery import GALLERY, RECORDED, RUN, check_figure, check_options
from boundkit.simulation.checksum import FIELD
from boundkit.verification.record import Record
from tests.cases import each

RECORDS = Path(__file__).resolve().parents[2] / "examples" / "records"


def test_every_figure_has_a_maker_whose_options_the_command_has_and_examples_that_are_read() -> None:
    available = {parameter.removesuffix("_file") for parameter in signature(figure.run).parameters}
    assert {name: signature(figure.run).parameters[name].default for name in RUN} == USUAL
    for name, entry in GALLERY.items():
        assert len(signature(MAKERS[name]).parameters) == 1, name
        assert set(entry.options) <= available, name
        assert check_figure(name) == name
        for file, words in entry.examples(name).items():
            assert file.isidentifier()
            assert parsed([name, *words]).words == tuple(w for w in words if not w.startswith("--"))


def test_an_option_that_is_not_read_is_refused_by_name_and_one_that_is_read_is_not() -> None:
    check_options("bound_against_run", ["run", "seed", "out", "preset"])
    with pytest.raises(BoundkitError, match=r"^--seed was given, but terms takes no --run, .*no --seed"):
        check_options("terms", ["out", "seed"])


@each("name", GALLERY)
def test_every_figure_hands_its_numbers_over_with_its_picture(
    name: str, record: Record, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of the records that the documentation keeps, so that nothing has to run, and nothing is drawn."""

    def nothing(*_: object, **__: object) -> None:
        raise AssertionError(f"examples/records has no record for {name}")

    monkeypatch.setattr("boundkit.studies.demonstration_records.is_current", Path.is_file)
    monkeypatch.setattr("boundkit.studies.demonstrations.demonstrate", nothing)
    monkeypatch.setattr("boundkit.verification.verdict_sweep.verify_all", nothing)
    monkeypatch.setattr(
        "boundkit.cli.gallery.bound_against_run._read_or_compute",
        lambda *_: StoredRecord(record, None, False),
    )
    monkeypatch.setattr(f"boundkit.figures.{name}.figure", lambda *_: None)
    told = ["--records", str(RECORDS)] if "records" in GALLERY[name].options else []
    columns = make(parsed([name, *GALLERY[name].example, *told])).columns
    assert all(columns), "a column has no head"
    assert max(map(len, columns.values())) >= 3
    assert all(len(column) > 0 for column in columns.values())


SHOWN = {"availability": "client_availability", "cyclic": "cyclic_groups",
         "partial_participation": "error_floors",
         "power_of_choice": "number_of_candidates", "rates": "verified", "tightness": "verified"}  # fmt: skip
"""The demonstrations of figures that have another name."""


@each("how", ["words", "empty"])
@each("name", [name for name, entry in GALLERY.items() if entry.options == RECORDED])
def test_a_record_of_another_shape_is_refused_in_one_sentence(name: str, how: str, tmp_path: Path) -> None:
    """Words where numbers belong, and columns without rows: broken so that only the figure can tell."""
    demonstration = SHOWN.get(name, name)
    kept = FILE if name == "atlas" else RECORDS / f"{demonstration}.json"
    told = json.loads(kept.read_text())
    rows = {column: len(values) for column, values in told["columns"].items()}
    told["columns"] = {column: ["word"] * n if how == "words" else [] for column, n in rows.items()}
    told["values"] = {}
    told.pop(FIELD, None)
    file = tmp_path / f"{demonstration}.json"
    file.write_text(json.dumps(told))
    with pytest.raises(
        BoundkitError, match=rf"{file.name} is not a record|^unknown column of|there is nothing to draw"
    ):
        make(parsed([name, "--record", str(file)]))
