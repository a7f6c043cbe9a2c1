"""Records: round trip, atomic writes, and errors for damaged files."""

import json
import random
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from boundkit.algebra import BoundkitError
from boundkit.simulation.checksum import ANNOUNCED, LENGTH, append_checksum
from boundkit.simulation.problems import Quadratic
from boundkit.simulation.run import make_run
from boundkit.simulation.run_file import run_from_spec
from boundkit.theorems import theorem
from boundkit.verification import record as module
from boundkit.verification.default_instances import default_runs
from boundkit.verification.record import Record, as_record, read_record, write_record
from boundkit.verification.verdict import Verdict
from boundkit.verification.verifier import verify
from tests.verification.damage import flipped, zeroed
from tests.verification.testable_theorems import one_of_each_claim

FULL = theorem("fedavg_nonconvex")


@pytest.fixture(scope="module")
def verdict() -> Verdict:
    problem = Quadratic.random(3, 2, seed=1, dense=True, noise=0.2)
    return verify(FULL, make_run("fedavg", problem, rounds=20, eta=0.01, local_steps=4), slopes=False)


def test_a_record_is_read_as_it_was_written(tmp_path: Path) -> None:
    for name, statement in one_of_each_claim().items():
        _, run = next(default_runs(statement))
        recorded = write_record(verify(statement, run, slopes=False), tmp_path / "new" / "folder")
        assert recorded.record == str(tmp_path / "new" / "folder" / f"{name}.nc")
        read, expected = read_record(recorded.record), as_record(recorded)
        assert (read.theorem, read.claim, read.causes) == (name, statement.claim.latex, expected.causes)
        assert read.verdict == json.loads(json.dumps(expected.verdict))
        assert read.verdict["record"] == recorded.record
        assert read.versions == expected.versions
        assert {"python", "machine", "numpy", "torch"} <= set(read.versions)
        assert read.curves is not None
        assert expected.curves is not None
        for field in ("horizon", "measured", "low", "high"):
            np.testing.assert_array_equal(getattr(read.curves, field), getattr(expected.curves, field))
        assert list(read.curves.terms) == list(expected.curves.terms)
        for label, values in expected.curves.terms.items():
            np.testing.assert_array_equal(read.curves.terms[label], values)


def test_the_run_in_a_record_replays_the_verdict(verdict: Verdict, tmp_path: Path) -> None:
    read = read_record(str(write_record(verdict, tmp_path).record))
    again = verify(FULL, run_from_spec("fedavg", read.run), slopes=False)
    assert again.ratio == verdict.ratio


def test_an_interrupted_write_leaves_the_old_file(
    verdict: Verdict, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = Path(str(write_record(verdict, tmp_path).record))
    before = path.read_bytes()

    def half(temporary: Path) -> None:
        temporary.write_bytes(b"half a record")
        raise KeyboardInterrupt

    monkeypatch.setattr(module, "append_checksum", half)
    with pytest.raises(KeyboardInterrupt):
        write_record(replace(verdict, reason="another"), tmp_path)
    assert path.read_bytes() == before
    assert [p.name for p in tmp_path.iterdir()] == [path.name]


def test_files_that_are_no_records_are_refused(verdict: Verdict, tmp_path: Path) -> None:
    import xarray as xr

    path = Path(str(write_record(verdict, tmp_path).record))
    content = path.read_bytes()
    for wrong in (b"", b"not a record", b"\x89HDF\r\n\x1a\n" + b"\x00" * 100):
        path.write_bytes(wrong)
        with pytest.raises(BoundkitError, match=r"\.nc is not a record of boundkit verify"):
            read_record(path)
    for part in (len(content) // 4, len(content) // 2, len(content) - 10):
        path.write_bytes(content[:part])
        with pytest.raises(BoundkitError, match=r"is not a record of boundkit verify|is damaged"):
            read_record(path)
    xr.Dataset({"a": ("x", [1.0])}).to_netcdf(path, engine="h5netcdf")
    with pytest.raises(BoundkitError, match="is not a record of boundkit verify"):
        read_record(path)
    path.unlink()
    with pytest.raises(BoundkitError, match=r"there is no record .*; boundkit verify --out writes one"):
        read_record(path)


def unchecked(path: Path) -> None:
    """Make the record one as boundkit 0.6 wrote it, without a checksum."""
    announced = ANNOUNCED.encode()
    path.write_bytes(path.read_bytes()[:-LENGTH].replace(announced, b" " * len(announced)))


def test_a_record_without_a_checksum_is_still_read(verdict: Verdict, tmp_path: Path) -> None:
    path = Path(str(write_record(verdict, tmp_path).record))
    checked = read_record(path)
    unchecked(path)
    old = read_record(path)
    assert (old.theorem, old.verdict, old.run) == (checked.theorem, checked.verdict, checked.run)


def test_every_damage_is_detected(verdict: Verdict, tmp_path: Path) -> None:
    path = Path(str(write_record(verdict, tmp_path).record))
    whole, same, rng = path.read_bytes(), as_read(read_record(path)), random.Random(0)
    damages = [flipped(whole, rng.randrange(len(whole)), rng.randrange(8)) for _ in range(300)]
    damages += [zeroed(whole, place, size) for size in (512, 4096) for place in range(0, len(whole), size)]
    damages += [whole[:place] for place in (*range(len(whole) // 2, len(whole), 499), len(whole) - LENGTH)]
    damages += [flipped(whole, place, 0) for place in range(len(whole) - LENGTH, len(whole))]
    for content in damages:
        if content == whole:
            continue  # these were zeros before
        path.write_bytes(content)
        with pytest.raises(BoundkitError, match=r"\.nc is damaged: its content does not match its checksum"):
            read_record(path)
    path.write_bytes(whole)
    assert as_read(read_record(path)) == same


def as_read(record: Record) -> tuple[object, ...]:
    assert record.curves is not None
    return record.theorem, record.verdict, record.run, record.curves.measured.tobytes()


def test_a_record_in_the_hdf5_format_is_read(verdict: Verdict, tmp_path: Path) -> None:
    """As boundkit 0.6 wrote it, by xarray."""
    import xarray as xr

    path = Path(str(write_record(verdict, tmp_path).record))
    written = read_record(path)
    with xr.open_dataset(path) as data:
        data.load()
    data.drop_encoding().to_netcdf(path, engine="h5netcdf")
    append_checksum(path)
    assert path.read_bytes().startswith(b"\x89HDF")
    read = read_record(path)
    assert as_read(read) == as_read(written)
    assert read.curves is not None
    assert written.curves is not None
    assert list(read.curves.terms) == list(written.curves.terms)


def test_a_record_of_another_format_is_refused(
    verdict: Verdict, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "_FORMAT", module._FORMAT + 1)
    path = str(write_record(verdict, tmp_path).record)
    monkeypatch.undo()
    with pytest.raises(BoundkitError, match="format"):
        read_record(path)
