"""Records of verdicts on disk, from which figures are drawn without a run.

One netCDF file a verdict. Dimensions: ``horizon`` (1, ..., T) and ``term`` (labels). Variables: ``bound``
(term, horizon), ``measured``, ``low`` and ``high`` (horizon). Attributes: ``verdict`` (the JSON of
``boundkit verify --json``), ``run`` (the RUN.json that replays it), ``claim`` and ``versions``. A line with
the SHA-256 of all bytes before it follows the data, where netCDF readers ignore it. The format is the
classic one of netCDF (64-bit offsets), which scipy writes and reads; a record in the HDF5 format, as boundkit
0.6 wrote it, is read by h5netcdf.
"""

from __future__ import annotations

import json
import platform
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from boundkit.algebra import BoundkitError
from boundkit.algebra.extras import require
from boundkit.analysis.input_file import MOST_RECORD, check_input_file
from boundkit.simulation.atomic_files import replacing
from boundkit.simulation.checksum import ANNOUNCED, append_checksum, refuse_changed_file
from boundkit.verification.verdict import Curves, Verdict

_PACKAGES = ("boundkit", "numpy", "scipy", "sympy", "torch", "xarray")


@cache
def versions() -> dict[str, str]:
    """The versions of Python and the packages; cached, since reading them takes longer than a record."""
    packages = {name: version for name in _PACKAGES if (version := installed_version(name)) is not None}
    return {"python": platform.python_version(), "machine": platform.machine(), **packages}


@cache
def installed_version(name: str) -> str | None:
    """The version of a package; None where it is not installed."""
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version(name)
    except PackageNotFoundError:
        return None


_FORMAT = 1
_DATA = ("verdict", "run", "causes", "versions")
"""The attributes that are JSON."""
_SERIES = ("measured", "low", "high")


@dataclass(frozen=True)
class Record:
    """A verdict as data, with the run that replays it."""

    theorem: str
    claim: str
    verdict: dict[str, Any] = field(hash=False)
    run: dict[str, Any] = field(hash=False)
    causes: dict[str, str] = field(hash=False)
    curves: Curves | None = field(hash=False)
    versions: dict[str, str] = field(hash=False)


def as_record(verdict: Verdict) -> Record:
    """The record of a verdict, in memory."""
    return Record(
        theorem=verdict.theorem.name,
        claim=verdict.theorem.claim.latex,
        verdict=verdict.to_dict(),
        run=verdict.run,
        causes={label: t.cause for label, t in verdict.theorem.bound.terms.items()},
        curves=verdict.curves,
        versions=dict(versions()),
    )


def write_record(verdict: Verdict, folder: str | Path) -> Verdict:
    """Write ``folder/<theorem>.nc`` atomically; return the verdict with its path.

    Raises BoundkitError where the folder cannot be written.
    """
    path = Path(folder) / f"{verdict.theorem.name}.nc"
    recorded = replace(verdict, record=str(path))
    with replacing(path) as temporary:
        _write(as_record(recorded), temporary)
        append_checksum(temporary)
    return recorded


def _write(record: Record, path: Path) -> None:
    """Write the record as netCDF, in the classic format, which scipy and every reader of netCDF can read."""
    from scipy.io import netcdf_file

    with netcdf_file(str(path), "w", version=2) as file:
        attributes: dict[str, Any] = {"format": np.int32(_FORMAT)}
        texts = {"checksum": ANNOUNCED, "theorem": record.theorem, "claim": record.claim}
        texts |= {name: json.dumps(getattr(record, name)) for name in _DATA}
        attributes |= {name: text.encode() for name, text in texts.items()}
        for name, value in attributes.items():
            setattr(file, name, value)
        if record.curves is None:
            return
        labels = np.array([label.encode() for label in record.curves.terms])
        file.createDimension("horizon", len(record.curves.horizon))
        file.createDimension("term", len(labels))
        file.createDimension("string", labels.itemsize)
        term: Any = file.createVariable("term", "S1", ("term", "string"))
        term[:] = labels.view("S1").reshape(len(labels), -1)
        term._Encoding = b"utf-8"
        file.createVariable("horizon", "f8", ("horizon",))[:] = record.curves.horizon
        file.createVariable("bound", "f8", ("term", "horizon"))[:] = record.curves.bound()
        for name in _SERIES:
            file.createVariable(name, "f8", ("horizon",))[:] = getattr(record.curves, name)


def read_record(path: str | Path) -> Record:
    """Read the record in a file.

    Raises BoundkitError where the file is missing, is not a record, or does not match its checksum.
    """
    if not Path(path).exists():
        raise BoundkitError(f"there is no record {path}; boundkit verify --out writes one.")
    check_input_file(path, MOST_RECORD)
    try:
        refuse_changed_file(Path(path))
        with Path(path).open("rb") as file:
            hdf5 = file.read(4) == b"\x89HDF"
        attributes, arrays = _read_hdf5(path) if hdf5 else _read_classic(path)
        file_format = int(attributes["format"])
        parsed = {name: json.loads(attributes[name]) for name in _DATA}
        curves = None
        if "measured" in arrays:
            terms = dict(zip(arrays["term"], arrays["bound"], strict=True))
            curves = Curves(arrays["horizon"], terms, *(arrays[name] for name in _SERIES))
        record = Record(theorem=attributes["theorem"], claim=attributes["claim"], curves=curves, **parsed)
    except BoundkitError:
        raise
    except Exception as error:  # readers of netCDF may raise anything for a damaged record without a checksum
        raise BoundkitError(f"{path} is not a record of boundkit verify ({type(error).__name__}).") from None
    if file_format != _FORMAT:
        raise BoundkitError(
            f"{path} is a record of format {file_format}, and this boundkit reads format {_FORMAT}."
        )
    return record


def _read_classic(path: str | Path) -> tuple[dict[str, Any], dict[str, Any]]:
    """The attributes and the variables of a record in the classic format."""
    from scipy.io import netcdf_file

    with netcdf_file(str(path), "r", mmap=False) as file:
        attributes = {
            name: value.decode() if isinstance(value, bytes) else value
            for name, value in vars(file)["_attributes"].items()
        }
        arrays: dict[str, Any] = {
            name: variable[:].astype(variable.data.dtype.newbyteorder("="))
            for name, variable in file.variables.items()
        }
    if "term" in arrays:
        arrays["term"] = [b"".join(row).rstrip(b"\0").decode() for row in arrays["term"]]
    return attributes, arrays


def _read_hdf5(path: str | Path) -> tuple[dict[str, Any], dict[str, Any]]:
    """The attributes and the variables of a record in the HDF5 format, as boundkit 0.6 wrote it."""
    require("h5netcdf")
    from h5netcdf import File

    with File(path, "r") as file:
        attributes = dict(file.attrs)
        arrays: dict[str, Any] = {name: data[...] for name, data in file.variables.items()}
    if "term" in arrays:
        arrays["term"] = [label.decode() for label in arrays["term"]]
    return attributes, arrays
