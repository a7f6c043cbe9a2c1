"""``boundkit figure``, as a user types it."""

import json
from pathlib import Path

import pytest

from boundkit.cli import main
from boundkit.verification.record import read_record

RUN = {
    "problem": {"kind": "quadratic", "H": [1.0, 0.5, 0.25, 1.0], "e": [[1, 0], [0, 1], [-1, 2], [0, 0]]},
    "x0": [4.0, 0.0], "rounds": 20, "eta": 0.01, "local_steps": 3, "noise": 1.0,
    "participation": {"kind": "uniform", "C": 0.5},
}  # fmt: skip
NAME = "fedavg_nonconvex_partial"


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("run.json").write_text(json.dumps(RUN))


def boundkit(*words: str) -> int:
    with pytest.raises(SystemExit) as left:
        main(["figure", *words])
    assert isinstance(left.value.code, int)
    return left.value.code


def test_a_missing_record_is_made_kept_and_drawn_again_without_a_run_of_the_same_alone(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    words = ["bound_against_run", NAME, "--run", "run.json", "--record", f"out/{NAME}.nc", "--json"]
    assert boundkit(*words, "--out", "a.svg") == 0
    first = json.loads(capsys.readouterr().out)
    assert first == {
        "figure": "bound_against_run", "theorem": NAME, "preset": "presentation",
        "written": ["a.svg"], "record": f"out/{NAME}.nc",
    }  # fmt: skip
    assert read_record(f"out/{NAME}.nc").verdict["verdict"] == "holds"

    def refuse(*_: object, **__: object) -> None:
        raise AssertionError("the record is there, so nothing may run")

    monkeypatch.setattr("boundkit.verification.verifier.verify", refuse)
    assert boundkit(*words, "--out", "b.svg") == 0
    assert boundkit("bound_against_run", "--record", f"out/{NAME}.nc", "--out", "c.svg") == 0
    assert Path("a.svg").read_bytes() == Path("b.svg").read_bytes() == Path("c.svg").read_bytes()
    kept = f"out/{NAME}.nc"
    assert boundkit("bound_against_run", "fedavg_nonconvex", "--record", kept) == 2
    assert f"is a record of {NAME}, not of fedavg_nonconvex." in capsys.readouterr().err
    Path("other.json").write_text(json.dumps({**RUN, "rounds": 21}))
    assert boundkit("bound_against_run", NAME, "--run", "other.json", "--record", kept) == 2
    assert "is a record of another run than other.json" in capsys.readouterr().err


def test_a_record_that_is_computed_is_named_on_stderr(capsys: pytest.CaptureFixture[str]) -> None:
    words = ["client_drift", "--records", "recods", "--out", "a.csv"]
    assert boundkit(*words) == 0
    said = "note: client_drift was computed, and its record written to recods/client_drift.json\n"
    assert capsys.readouterr() == ("a.csv\n", said)
    assert boundkit(*words) == 0
    assert capsys.readouterr() == ("a.csv\n", "")


def test_no_folder_of_records_is_created_inside_the_package(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    package = tmp_path / "boundkit"
    (package / "examples" / "records").mkdir(parents=True)
    monkeypatch.setattr("boundkit.__file__", str(package / "__init__.py"))
    Path("examples").symlink_to(package / "examples")
    for command in (["client_drift"], ["bound_against_run", "sgd_nonconvex"], ["--all"]):
        assert boundkit(*command, "--records", "examples/recods", "--out", "drawn.csv") == 2
        assert capsys.readouterr().err == (
            "boundkit: examples/recods is no folder, and none is created inside the package boundkit; did "
            "you mean examples/records?\n"
        )
    assert [path.name for path in (package / "examples").iterdir()] == ["records"]
    assert not Path("drawn.csv").exists()


def test_default_instances_are_verified_once_where_no_run_is_given_and_again_by_another_version(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    from boundkit.verification import record, verifier

    honest = verifier.verify
    runs: list[object] = []

    def counted(*given: object, **settings: object) -> object:
        if len(runs) == 2:
            raise KeyboardInterrupt
        runs.append(given)
        return honest(*given, **settings)  # type: ignore[arg-type]

    monkeypatch.setattr(verifier, "verify", counted)
    words = ["bound_against_run", "sgd_nonconvex", "--kind", "stacked"]
    assert boundkit(*words, "--out", "d.svg", "--json") == 0
    assert json.loads(capsys.readouterr().out)["record"] == "out/records/bounds/sgd_nonconvex.nc"
    assert "share of the bound, %" in Path("d.svg").read_text()
    assert boundkit(*words, "--out", "e.svg", "--records", "out/records") == 0
    assert Path("d.svg").read_bytes() == Path("e.svg").read_bytes()
    assert len(runs) == 1
    kept = Path("out/records/bounds/sgd_nonconvex.nc")
    before = kept.read_bytes()
    monkeypatch.setattr(record, "versions", lambda: {"boundkit": "999"})
    assert boundkit(*words, "--out", "f.svg") == 0
    assert len(runs) == 2
    assert kept.read_bytes() != before
    after = kept.read_bytes()
    monkeypatch.setattr(record, "versions", lambda: {"boundkit": "1000"})
    assert boundkit(*words, "--out", "g.svg") == 130
    assert kept.read_bytes() == after, "a run that was stopped loses no record"


def test_a_bound_that_falls_short_is_drawn_and_told_by_the_exit_code(monkeypatch: pytest.MonkeyPatch) -> None:
    from dataclasses import replace

    from boundkit.verification import verifier

    honest = verifier.verify

    def violated(*given: object, **settings: object) -> object:
        return replace(honest(*given, **settings), answer="violated")  # type: ignore[arg-type]

    monkeypatch.setattr(verifier, "verify", violated)
    assert boundkit("bound_against_run", NAME, "--run", "run.json", "--out", "v.svg") == 1
    assert ": violated," in Path("v.svg").read_text()
