"""Optional packages: what needs each of them, and the extra of boundkit that installs it."""

from __future__ import annotations

from importlib import import_module

from boundkit.algebra.errors import BoundkitError

OPTIONAL = {
    "torch": ("boundkit[torch]", "a run on a device or with a module of torch"),
    "matplotlib": ("boundkit[figures]", "a figure"),
    "networkx": ("boundkit[figures]", "the drawing of a graph"),
    "numba": ("boundkit[fast]", "the compiled engine"),
    "xarray": ("boundkit[records]", "a result with labelled axes"),
    "pandas": ("boundkit[records]", "a result as a data frame"),
    "h5netcdf": ("boundkit[records]", "a record in the HDF5 format"),
    "sklearn": ("boundkit[data]", "the data set 'digits'"),
    "distributed": ("boundkit[cluster]", "the backend dask"),
    "ray": ("ray", "the backend ray"),
    "PEPit": ("boundkit[pep]", "an exact worst case"),
    "cvxpy": ("boundkit[pep]", "an exact worst case"),
    "z3": ("boundkit[prove]", "a machine-checked proof"),
    "jinja2": ("boundkit[lecture]", "the lecture"),
    "markdown_it": ("boundkit[lecture]", "the lecture"),
    "mdit_py_plugins": ("boundkit[lecture]", "the lecture"),
    "latex2mathml": ("boundkit[lecture]", "the lecture"),
    "pfl": ("pfl", "a recording postprocessor"),
}
"""What installs each package, by the name that is imported, and what needs the package."""


def require(package: str, purpose: str = "") -> None:
    """Import an optional package.

    Parameters
    ----------
    package : str
        The name that is imported.
    purpose : str
        What needs the package, the subject of the message; by default that of ``OPTIONAL``.

    Raises
    ------
    BoundkitError
        Where the package is not installed, with the command that installs it.
    """
    try:
        import_module(package)
    except ModuleNotFoundError as error:
        raise missing_package(error, purpose) or error from None


def is_installed(package: str) -> bool:
    """Whether a package can be imported."""
    try:
        import_module(package)
    except ModuleNotFoundError:
        return False
    return True


def missing_package(error: ModuleNotFoundError, purpose: str = "") -> BoundkitError | None:
    """The error for an optional package that is not installed; None where the missing module is no such one.

    >>> str(missing_package(ModuleNotFoundError(name="matplotlib.figure")))
    "a figure needs matplotlib, which is not installed: pip install 'boundkit[figures]'."
    """
    package = (error.name or "").partition(".")[0]
    if package not in OPTIONAL:
        return None
    source, usual = OPTIONAL[package]
    return BoundkitError(
        f"{purpose or usual} needs {package}, which is not installed: pip install '{source}'."
    )
