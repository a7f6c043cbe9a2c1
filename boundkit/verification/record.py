"""Records of verdicts on disk, from which figures are drawn without a run.

One netCDF file a verdict. Dimensions: ``horizon`` (1, ..., T) and ``term`` (labels). Variables: ``bound``
(term, horizon), ``measured``, ``low`` and ``high`` (horizon). Attributes: ``verdict`` (the JSON of
``boundkit verify --json``), ``run`` (the RUN.json that replays it), ``claim`` and ``versions``. A line with
the SHA-256 of all bytes before it follows the data, where netCDF readers ignore it.
"""

from __future__ import annotations

import json
import platform
from dataclasses import dataclass, field, replace
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from boundkit.algebra import BoundkitError
from boundkit.analysis.input_file import MOST_RECORD, check_input_file
from boundkit.simulation.atomic_files import replacing
from boundkit.simulation.checksum import ANNOUNCED, append_checksum, refuse_changed_file
from boundkit.verification.verdict import Curves, Verdict

_FORMAT = 1
_PACKAGES = ("boundkit", "numpy", "scipy", "sympy", "torch", "xarray")


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
    import xarray as xr

    path = Path(folder) / f"{verdict.theorem.name}.nc"
    recorded = replace(verdict, record=str(path))
    record = as_record(recorded)
    data = xr.Dataset(attrs={
        "format": _FORMAT, "checksum": ANNOUNCED, "theorem": record.theorem, "claim": record.claim,
        **{name: json.dumps(getattr(record, name)) for name in ("verdict", "run", "causes", "versions")},
    })  # fmt: skip
    if record.curves is not None:
        data = record.curves.to_dataset().assign_attrs(data.attrs)
    with replacing(path) as temporary:
        data.to_netcdf(temporary, engine="h5netcdf")
        append_checksum(temporary)
    return recorded


def read_record(path: str | Path) -> Record:
    """Read the record in a file.

    Raises BoundkitError where the file is missing, is not a record, or does not match its checksum.
    """
    import xarray as xr

    if not Path(path).exists():
        raise BoundkitError(f"there is no record {path}; boundkit verify --out writes one.")
    check_input_file(path, MOST_RECORD)
    try:
        refuse_changed_file(Path(path))
        with xr.open_dataset(path, engine="h5netcdf") as data:
            data.load()
        file_format = int(data.attrs["format"])
        parsed = {name: json.loads(data.attrs[name]) for name in ("verdict", "run", "causes", "versions")}
        curves = None
        if "measured" in data:
            terms = {
                str(label): data["bound"].sel(term=label).to_numpy() for label in data["term"].to_numpy()
            }
            series = (data[name].to_numpy() for name in ("measured", "low", "high"))
            curves = Curves(data["horizon"].to_numpy(), terms, *series)
        record = Record(theorem=data.attrs["theorem"], claim=data.attrs["claim"], curves=curves, **parsed)
    except BoundkitError:
        raise
    except Exception as error:  # h5netcdf may raise anything for a damaged record without a checksum
        raise BoundkitError(f"{path} is not a record of boundkit verify ({type(error).__name__}).") from None
    if file_format != _FORMAT:
        raise BoundkitError(
            f"{path} is a record of format {file_format}, and this boundkit reads format {_FORMAT}."
        )
    return record


@cache
def versions() -> dict[str, str]:
    """The versions of Python and the packages; cached, since reading them takes longer than a record."""
    result = {"python": platform.python_version(), "machine": platform.machine()}
    for name in _PACKAGES:
        try:
            result[name] = version(name)
        except PackageNotFoundError:
            continue
    return result
