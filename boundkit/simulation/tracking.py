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
from boundkit.algebra.errors import shorten, unknown
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
        Continue an existing file: its rows from the first recorded round on are replaced. After that, and
        without it, every round must come after the one before.
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
        self._last: int | None = None
        refuse_unwritable(path)
        if path.exists():
            if not resume:
                raise BoundkitError(f"{path} exists; resume=True continues it, or give another name.")
            self.rows = [dict(row) for row in csv.DictReader(StringIO(read_text(path, MOST_RECORD)))]
            if self.rows and None in self.rows[-1].values():
                self.rows.pop()  # the process ended while it was written
            if any(not (row.get(ROUND) or "").strip().isdigit() for row in self.rows):
                raise BoundkitError(f"{path} is no log of this recorder: a row has no {ROUND}.")

    def add(self, update: Any, weight: float | None = None) -> None:
        """Add a client's update to the coming round, where clients come one at a time.

        Parameters
        ----------
        update
            The client's model minus the server's, in the forms of a model.
        weight
            Its aggregation weight. Without weights, of all clients, the plain mean is recorded.
        """
        self._updates.add(_flatten(update), weight)

    def round(
        self, number: int, *, loss: float | None = None, before: Any = None,
        after: Iterable[Any] | None = None,
        weights: Sequence[float] | None = None, steps: Sequence[int] | None = None,
        gradients: tuple[Sequence[Any], Sequence[Any]] | None = None,
        norms: Mapping[str, float] | None = None, **settings: float,
    ) -> dict[str, Any]:  # fmt: skip
        """Record a round.

        Parameters
        ----------
        number
            The round, a whole number from 0 on, after the round before.
        loss
            The loss of the server's model before the round, where it was evaluated. Where it is nan, the run
            diverged: it is written, and ``forecast`` names the round.
        before, after
            The server's model, a copy of it where training changes it in place, and the participating
            clients' models; an iterable of them is read once, so that three models are in memory. A model is
            an array, a sequence of arrays, a state_dict or a torch module; what is no floating point is left
            out.
        weights
            Aggregation weights of these clients; ``weight_sum`` and ``largest_weight`` are their sum and the
            largest of them as they are given, by which the server multiplies or number of samples. By default
            those of the plain mean, one over the number of clients.
        steps
            Local steps of these clients; their mean is ``tau``.
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
        first, number = self._last is None, self._check_round(number)
        row: dict[str, Any] = {ROUND: number, "loss": None if loss is None else _number("loss", loss)}
        row |= {ALGORITHM: self.algorithm} if self.algorithm else {}
        row |= self.settings | check_settings(settings)
        if before is not None and self._updates.count:
            raise BoundkitError(f"round {number} has before and after, and updates were added; give one.")
        if before is None and after is not None:
            raise BoundkitError(
                f"round {number} has after, the clients' models, without before, the server's: give both."
            )
        if before is not None:
            row |= _describe_updates(before, after or (), weights)
        elif self._updates.count:
            if weights is not None:
                raise BoundkitError("weights of added updates are given with each, as add(update, weight).")
            row |= self._updates.describe()
        for name in norms or {}:
            if name not in _UPDATES:
                raise unknown("column of the updates", name, _UPDATES)
        row |= {n: v if isinstance(v, int) else _number(n, v) for n, v in (norms or {}).items()}
        row |= _describe_steps(steps, row) if steps is not None else {}
        row |= _describe_gradients(gradients, weights) if gradients is not None else {}
        self._updates, self._last = _Updates(), number
        earlier = [each for each in self.rows if int(each[ROUND]) < number] if first else self.rows
        appended, self.rows = len(earlier) == len(self.rows), [*earlier, row]
        if appended and {n for n in row if n in _ORDER} <= set(self._columns) and self.path.exists():
            append_text(self.path, self._lines([row]))
            return row
        self.write()
        return row

    def _check_round(self, number: Any) -> int:
        """The round as a whole number, after the one before."""
        value = _number("the round", number)
        if not 0 <= value < np.inf or value != int(value):
            raise BoundkitError(f"the round must be a whole number from 0 on, but {number!r} was given.")
        if self._last is not None and value <= self._last:
            raise BoundkitError(
                f"round {int(value)} does not come after round {self._last}, which {self.path} has: number "
                "the rounds of a run through, and record another run in another file; after a restart from "
                "a checkpoint call track again, with resume=True."
            )
        return int(value)

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


def _number(name: str, value: Any) -> float:
    """A number; also one in an array or a tensor of one element."""
    try:
        if not isinstance(value, str):
            return float(value.item() if hasattr(value, "item") else value)
    except (TypeError, ValueError, RuntimeError, OverflowError):
        pass
    raise BoundkitError(f"{name} must be a number, but {shorten(repr(value))} was given.")


def _parts(model: Any) -> tuple[list[Any], bool]:
    """The arrays or tensors of a model, and whether it is a sequence of them."""
    if hasattr(model, "state_dict"):
        model = model.state_dict()
    if isinstance(model, Mapping):
        model = list(model.values())
    several = isinstance(model, (list, tuple)) and not all(map(np.isscalar, model))
    return list(model) if several else [model], several


def _addresses(model: Any) -> set[int]:
    """Where the arrays and tensors of a model lie in memory."""
    parts = _parts(model)[0]
    tensors = {int(part.data_ptr()) for part in parts if hasattr(part, "data_ptr")}
    return (tensors | {int(part.ctypes.data) for part in parts if isinstance(part, np.ndarray)}) - {0}


def _array(part: Any) -> Array:
    if not hasattr(part, "detach"):
        return np.asarray(part)
    tensor = part.detach().cpu()
    return np.asarray((tensor.double() if tensor.is_floating_point() else tensor).numpy())


def _flatten(model: Any) -> Array:
    """A model as one vector."""
    parts, several = _parts(model)
    try:
        arrays = [_array(part) for part in parts]
    except ValueError:  # rows of unlike lengths
        arrays = []
    used = [a for a in arrays if a.dtype.kind == "f" or (not several and a.dtype.kind == "i")]
    if not sum(a.size for a in used):
        raise BoundkitError("a model is an array, arrays, a state_dict or a torch module with parameters.")
    return np.concatenate([np.ravel(a).astype(np.float64, copy=False) for a in used])


def _vector(name: str, values: Any, count: int) -> Array:
    """One finite number at least 0 for each client."""
    try:
        given = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError):
        given = np.zeros((0, 0))
    if given.shape != (count,) or not (np.isfinite(given) & (given >= 0)).all():
        raise BoundkitError(
            f"{name} must be one number at least 0 for each client, {count} in all, but "
            f"{shorten(repr(values))} was given."
        )
    return given


def _shares(weights: Sequence[float] | None, count: int) -> Array:
    given = np.ones(count) if weights is None else _vector("weights", weights, count)
    if not given.sum() > 0:
        raise BoundkitError("weights must have a sum above 0.")
    return np.asarray(given / given.sum())


def _describe_steps(steps: Sequence[float], row: Mapping[str, Any]) -> dict[str, float]:
    """The mean, least and most local steps; ``row`` has the number of clients and tau where known."""
    clients = row.get("clients", np.size(steps))
    counts = _vector("steps", steps, int(clients))
    if not counts.size:
        return {}
    if "tau" in row and not np.isclose(row["tau"], counts.mean()):
        raise BoundkitError(
            f"tau = {row['tau']:g} was given, but the steps of round {row[ROUND]} have the mean "
            f"{counts.mean():g}: leave tau out, and each round has that mean."
        )
    return dict(zip(_STEPS, (float(counts.mean()), counts.min(), counts.max()), strict=True))


class _Updates:
    """Sums over the clients' updates of a round, which need not be in memory together."""

    def __init__(self) -> None:
        self.count, self.squares = 0, 0.0
        self.weights: list[float] | None = None
        self.total = self.directions = np.zeros(0)

    def add(self, update: Array, weight: float | None) -> None:
        """Add a client's update."""
        if self.count == 0:
            self.total, self.directions = np.zeros_like(update), np.zeros_like(update)
            self.weights = None if weight is None else []
        if update.shape != self.total.shape:
            raise BoundkitError(
                f"client {self.count} has {update.size} parameters, but the clients before it have "
                f"{self.total.size}."
            )
        if (weight is None) != (self.weights is None):
            raise BoundkitError("weights are given to all clients of a round, or to none.")
        w = 1.0 if weight is None else float(_vector("weights", [weight], 1)[0])
        square = float(update @ update)
        self.total += w * update
        if square > 0:
            self.directions += w / np.sqrt(square) * update
        self.squares, self.count = self.squares + w * square, self.count + 1
        if self.weights is not None:
            self.weights.append(w)

    def describe(self) -> dict[str, Any]:
        """Norms of the updates; the mean cosine is that of the clients' updates with their mean."""
        if self.count == 0:
            return {"clients": 0}
        _shares(self.weights, self.count)
        used = float(self.count if self.weights is None else sum(self.weights))
        mean = self.total / used
        norm = float(mean @ mean)
        cosine = float(self.directions @ mean / used / np.sqrt(norm)) if norm > 0 else float("nan")
        weights = (1.0, 1 / self.count) if self.weights is None else (used, max(self.weights))
        values = (self.count, norm, self.squares / used, cosine, *weights)
        return dict(zip(_UPDATES, values, strict=True))


def _describe_updates(before: Any, after: Iterable[Any], weights: Sequence[float] | None) -> dict[str, Any]:
    """The updates from a server's model to the clients' models."""
    start, updates, places, shared = _flatten(before), _Updates(), _addresses(before), False
    given = None if weights is None else _vector("weights", weights, np.size(weights))
    if not isinstance(after, Iterable) or isinstance(after, Mapping) or hasattr(after, "state_dict"):
        raise BoundkitError("after must be the models of the participating clients, such as a list of them.")
    for number, model in enumerate(after):
        if given is not None and number >= len(given):
            raise BoundkitError(f"there are {len(given)} weights, but more clients.")
        update = _flatten(model)
        if update.shape != start.shape:
            raise BoundkitError(
                f"client {number} has {update.size} parameters, but the model before the round has "
                f"{start.size}."
            )
        updates.add(update - start, None if given is None else float(given[number]))
        shared = shared or not places.isdisjoint(_addresses(model))
    if given is not None and len(given) != updates.count:
        raise BoundkitError(f"there are {len(given)} weights, but {updates.count} clients.")
    if shared and updates.squares == 0:
        raise BoundkitError(
            "before and after are the same arrays, so every update is 0: give as before a copy from before "
            "training, such as copy.deepcopy(model.state_dict())."
        )
    return updates.describe()


def _describe_gradients(gradients: Any, weights: Sequence[float] | None) -> dict[str, float]:
    """Estimates from two independent gradients of each client; inner products across the two are unbiased."""
    pair = gradients if isinstance(gradients, (tuple, list)) else ()
    sizes = {len(each) if hasattr(each, "__len__") else 0 for each in pair}
    if len(pair) != 2 or len(sizes) > 1 or 0 in sizes:
        raise BoundkitError("gradients are two sequences, with one gradient of every client in each.")
    flat = [[_flatten(gradient) for gradient in each] for each in pair]
    if len({each.size for part in flat for each in part}) > 1:
        raise BoundkitError("gradients must have the same number of parameters for every client.")
    one, other = map(np.stack, flat)
    shares = _shares(weights, len(one))
    mean, other_mean = shares @ one, shares @ other
    noise = 0.5 * float(shares @ ((one - other) ** 2).sum(axis=1))
    dissimilarity = float(shares @ ((one - mean) * (other - other_mean)).sum(axis=1))
    return dict(zip(_GRADIENTS, (float(mean @ other_mean), noise, dissimilarity), strict=True))
