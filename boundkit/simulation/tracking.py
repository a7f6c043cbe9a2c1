"""Record of a training loop of one's own, as a log that ``boundkit forecast`` reads.

Nothing but norms, inner products and settings is written; no model leaves the machine.
"""

from __future__ import annotations

import csv
from collections.abc import Iterable, Mapping, Sequence
from io import StringIO
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import numpy as np

from boundkit.algebra import BoundkitError
from boundkit.algebra.errors import unknown
from boundkit.analysis.input_file import MOST_RECORD, read_text
from boundkit.simulation.arrays import Array
from boundkit.simulation.atomic_files import append_text, refuse_unwritable, write_text
from boundkit.simulation.training_log import ALGORITHM, ROUND, SETTINGS, check_settings

_UPDATES = ("clients", "update_norm_squared", "client_update_norm_squared", "cosine", "weight_sum",
            "largest_weight")  # fmt: skip
_STEPS = ("tau", "fewest_steps", "most_steps")
_GRADIENTS = ("gradient_norm_squared", "noise", "dissimilarity")
_ORDER = tuple(dict.fromkeys((ROUND, "loss", ALGORITHM, *SETTINGS, *_STEPS, *_UPDATES, *_GRADIENTS)))


def track(path: str | Path, *, algorithm: str = "", resume: bool = False, **settings: float) -> Tracker:
    """Record a training loop in a CSV.

    Parameters
    ----------
    path
        The file. Each round is appended as it is recorded; where a column is new or a round is replaced, the
        file is written anew, whole or not at all.
    algorithm
        The name of the algorithm.
    resume
        Continue an existing file: its rows from the first recorded round on are replaced.
    settings
        ``m``, ``C``, ``tau``, ``eta``, ``eta_s``, where they are known.

    Returns
    -------
    Tracker
        ``round`` records a round.

    Raises
    ------
    BoundkitError
        For an unknown setting, and for a file that exists and is not to be resumed.

    Examples
    --------
    >>> import boundkit as bk, tempfile
    >>> with bk.track(tempfile.mkdtemp() + "/run.csv", eta=0.1, tau=5) as log:
    ...     row = log.round(0, loss=2.3, before=[0.0, 0.0], after=[[1.0, 0.0], [0.0, 1.0]])
    >>> row["update_norm_squared"], row["client_update_norm_squared"]
    (0.5, 1.0)
    """
    return Tracker(Path(path), algorithm, check_settings(settings), resume)


class Tracker:
    """Recorder of a training loop; see ``track``."""

    def __init__(self, path: Path, algorithm: str, settings: dict[str, float], resume: bool) -> None:
        self.path, self.algorithm, self.settings = path, algorithm, settings
        self.rows: list[dict[str, Any]] = []
        self._columns: list[str] = []
        self._updates = _Updates()
        refuse_unwritable(path)
        if path.exists():
            if not resume:
                raise BoundkitError(f"{path} exists; resume=True continues it, or give another name.")
            self.rows = [dict(row) for row in csv.DictReader(StringIO(read_text(path, MOST_RECORD)))]
            if self.rows and None in self.rows[-1].values():
                self.rows.pop()  # the process ended while it was written
            if any(not (row.get(ROUND) or "").strip().isdigit() for row in self.rows):
                raise BoundkitError(f"{path} is no log of this recorder: a row has no {ROUND}.")

    def add(self, update: Any, weight: float = 1.0) -> None:
        """Add a client's update to the coming round, where clients come one at a time.

        Parameters
        ----------
        update
            The client's model minus the server's, in the forms of a model.
        weight
            Its aggregation weight.
        """
        self._updates.add(_flatten(update), float(weight))

    def round(
        self, number: int, *, loss: float | None = None, before: Any = None, after: Iterable[Any] = (),
        weights: Sequence[float] | None = None, steps: Sequence[int] | None = None,
        gradients: tuple[Sequence[Any], Sequence[Any]] | None = None,
        norms: Mapping[str, float] | None = None, **settings: float,
    ) -> dict[str, Any]:  # fmt: skip
        """Record a round.

        Parameters
        ----------
        number
            The round; it increases.
        loss
            The loss of the server's model before the round, where it was evaluated.
        before, after
            The server's model, and the participating clients' models; an iterable of them is read once, so
            that three models are in memory. A model is an array, a sequence of arrays, a state_dict or a
            torch module; what is no floating point is left out.
        weights
            Aggregation weights of these clients; equal ones by default.
        steps
            Local steps of these clients.
        gradients
            Two independent stochastic gradients of every client at ``before``, for unbiased estimates of the
            squared gradient, the noise sigma^2 of one of them, and the dissimilarity, sum p_i ||grad F_i -
            grad F||^2. The cost is two gradients a client; a few rounds are enough.
        norms
            Columns of the updates by name, where they were computed elsewhere.
        settings
            Those that change, such as ``eta``.

        Returns
        -------
        dict
            The row.
        """
        row: dict[str, Any] = {ROUND: int(number), "loss": None if loss is None else float(loss)}
        row |= {ALGORITHM: self.algorithm} if self.algorithm else {}
        row |= self.settings | check_settings(settings)
        if before is not None:
            row |= _describe_updates(before, after, weights)
        elif self._updates.count:
            row |= self._updates.describe()
        self._updates = _Updates()
        for name in norms or {}:
            if name not in _UPDATES:
                raise unknown("column of the updates", name, _UPDATES)
        row |= norms or {}
        if steps is not None and len(steps):
            counts = np.asarray(steps, dtype=np.float64)
            row |= dict(zip(_STEPS, (counts.mean(), counts.min(), counts.max()), strict=True))
        row |= _describe_gradients(*gradients, weights) if gradients is not None else {}
        if not self.rows or int(number) > int(self.rows[-1][ROUND]):
            self.rows.append(row)
            if {name for name in row if name in _ORDER} <= set(self._columns) and self.path.exists():
                append_text(self.path, self._lines([row]))
                return row
        else:
            self.rows = [*(each for each in self.rows if int(each[ROUND]) < int(number)), row]
        self.write()
        return row

    def write(self) -> None:
        """Write the file anew."""
        used = {name for row in self.rows for name in row}
        self._columns = [name for name in _ORDER if name in used]
        write_text(self.path, ",".join(self._columns) + "\n" + self._lines(self.rows))

    def _lines(self, rows: Iterable[Mapping[str, Any]]) -> str:
        text = StringIO()
        lines = csv.DictWriter(text, self._columns, lineterminator="\n", extrasaction="ignore")
        lines.writerows({name: _cell(value) for name, value in row.items()} for row in rows)
        return text.getvalue()

    def close(self) -> None:
        """Write a resumed file of which no round was recorded."""
        if self.rows and not self._columns:
            self.write()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def _cell(value: Any) -> Any:
    return repr(float(value)) if isinstance(value, (float, np.floating)) else value


def _flatten(model: Any) -> Array:
    """A model as one vector."""
    if hasattr(model, "state_dict"):
        model = model.state_dict()
    if isinstance(model, Mapping):
        model = list(model.values())
    several = isinstance(model, (list, tuple)) and not all(map(np.isscalar, model))
    arrays = [
        part.detach().cpu().numpy() if hasattr(part, "detach") else np.asarray(part)
        for part in (model if several else [model])
    ]
    used = [a for a in arrays if a.dtype.kind == "f" or (not several and a.dtype.kind == "i")]
    if not sum(a.size for a in used):
        raise BoundkitError("a model is an array, arrays, a state_dict or a torch module with parameters.")
    return np.concatenate([np.ravel(a).astype(np.float64) for a in used])


def _shares(weights: Sequence[float] | None, count: int) -> Array:
    given = np.ones(count) if weights is None else np.asarray(weights, dtype=np.float64)
    if given.shape != (count,) or not (given >= 0).all() or not given.sum() > 0:
        raise BoundkitError(f"weights must be one number at least 0 for each of the {count} clients.")
    return np.asarray(given / given.sum())


class _Updates:
    """Sums over the clients' updates of a round, which need not be in memory together."""

    def __init__(self) -> None:
        self.count, self.squares = 0, 0.0
        self.weights: list[float] = []
        self.total = self.directions = np.zeros(0)

    def add(self, update: Array, weight: float) -> None:
        """Add a client's update."""
        if self.count == 0:
            self.total, self.directions = np.zeros_like(update), np.zeros_like(update)
        if update.shape != self.total.shape:
            raise BoundkitError(
                f"client {self.count} has {update.size} parameters, but the clients before it have "
                f"{self.total.size}."
            )
        square = float(update @ update)
        self.total += weight * update
        if square > 0:
            self.directions += weight / np.sqrt(square) * update
        self.squares, self.count = self.squares + weight * square, self.count + 1
        self.weights.append(weight)

    def describe(self) -> dict[str, Any]:
        """Norms of the updates; the mean cosine is that of the clients' updates with their mean."""
        if self.count == 0:
            return {"clients": 0}
        shares, used = _shares(self.weights, self.count), sum(self.weights)
        mean = self.total / used
        norm = float(mean @ mean)
        cosine = float(self.directions @ mean / used / np.sqrt(norm)) if norm > 0 else float("nan")
        values = (self.count, norm, self.squares / used, cosine, used, float(shares.max()))
        return dict(zip(_UPDATES, values, strict=True))


def _describe_updates(before: Any, after: Iterable[Any], weights: Sequence[float] | None) -> dict[str, Any]:
    """The updates from a server's model to the clients' models."""
    start, updates = _flatten(before), _Updates()
    given = None if weights is None else [float(w) for w in weights]
    for number, model in enumerate(after):
        if given is not None and number >= len(given):
            raise BoundkitError(f"there are {len(given)} weights, but more clients.")
        update = _flatten(model)
        if update.shape != start.shape:
            raise BoundkitError(
                f"client {number} has {update.size} parameters, but the model before the round has "
                f"{start.size}."
            )
        updates.add(update - start, 1.0 if given is None else given[number])
    if given is not None and updates.count:
        _shares(given, updates.count)
    return updates.describe()


def _describe_gradients(
    first: Sequence[Any], second: Sequence[Any], weights: Sequence[float] | None
) -> dict[str, float]:
    """Estimates from two independent gradients of each client; inner products across the two are unbiased."""
    if len(first) != len(second) or len(first) == 0:
        raise BoundkitError("gradients are two sequences, with one gradient of every client in each.")
    one, other = (np.stack([_flatten(gradient) for gradient in each]) for each in (first, second))
    shares = _shares(weights, len(one))
    mean, other_mean = shares @ one, shares @ other
    noise = 0.5 * float(shares @ ((one - other) ** 2).sum(axis=1))
    dissimilarity = float(shares @ ((one - mean) * (other - other_mean)).sum(axis=1))
    return dict(zip(_GRADIENTS, (float(mean @ other_mean), noise, dissimilarity), strict=True))
