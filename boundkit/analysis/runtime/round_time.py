"""``bk.round_time``: duration of a round and of an iteration, over axes, and effects of quantities on it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sympy import Eq, Expr, Gt, Mul, factor

from boundkit.algebra import BoundkitError, Quantity
from boundkit.algebra.domain import WHOLE_TOLERANCE
from boundkit.algebra.errors import unknown
from boundkit.algebra.printing import Formula, plain
from boundkit.analysis.evaluate import Array
from boundkit.analysis.parameters import Parameters, check_number, check_value
from boundkit.analysis.runtime.distributions import (
    AT_LEAST_ONE_STEP,
    QUANTITIES,
    SlowestOf,
    StepTime,
    n_i,
    step_time_distribution,
)
from boundkit.analysis.runtime.schemes import SCHEMES, Duration, Scheme, duration, formula
from boundkit.analysis.sensitivity.change import EFFECT_OF_DIRECTION, direction
from boundkit.analysis.sensitivity.context import SensitivityContext
from boundkit.analysis.sensitivity.result import Effect, Region, Word
from boundkit.report import Cell, Heading, Report, Reported, Sentences, Table, sentence
from boundkit.report.formatting import format_number, json_values

MOST_POINTS = 100_000
"""Largest number of grid points; each may need a quadrature."""


@dataclass(frozen=True, repr=False, eq=False)
class RoundTime(Reported):
    """Durations of a scheme; without axes ``per_round`` and ``per_iteration`` are floats, else xarray.

    ``formula`` is the duration of a round in symbols, None without a closed form; ``accuracy`` is the
    relative error of a discretised distribution, 0 for those in closed form, whose quadrature is accurate
    to 1e-9 and better.
    """

    scheme: Scheme
    distribution: StepTime
    values: Mapping[str, float | Array]
    axes: tuple[str, ...]
    assumed: tuple[str, ...]
    sizes: tuple[float, ...] | None
    durations: NDArray[Any]
    formula: Expr | None

    @property
    def per_round(self) -> Any:
        """Seconds per round."""
        return self._over_axes(self._of("round"), "time of a round")

    @property
    def per_iteration(self) -> Any:
        """Seconds per step of all clients; in the asynchronous scheme, per step of any client."""
        return self._over_axes(self._of("iteration"), "time of a step of all clients")

    @property
    def staleness(self) -> Any:
        """Mean number of steps of other clients during a step of one; 0 in synchronous schemes."""
        return self._over_axes(self._of("staleness"), "steps of other clients during a step", "1")

    @property
    def accuracy(self) -> float:
        """The largest relative error of the discretisation."""
        return float(self._of("accuracy").max())

    def _of(self, name: str) -> Array:
        flat = [getattr(one, name) for one in self.durations.ravel()]
        return np.array(flat, dtype=np.float64).reshape(self.durations.shape)

    def _over_axes(self, values: Array, long_name: str, units: str = "s") -> Any:
        if not self.axes:
            return values.item()
        return Parameters(self.values, self.axes).to_xarray(values, long_name, units)

    def to_dict(self) -> dict[str, Any]:
        """The result as JSON values."""
        return {
            "scheme": self.scheme.name,
            "law": self.distribution.name,
            "unit": "seconds",
            "parameters": {n: self._clean(n) for n in self.values}
            | ({"n_i": list(self.sizes)} if self.sizes is not None else {}),
            "assumed": list(self.assumed),
            "axes": list(self.axes),
            "per_round": json_values(self._of("round")),
            "per_iteration": json_values(self._of("iteration")),
            "staleness": json_values(self._of("staleness")) if self.scheme.name == "asynchronous" else None,
            "formula": None if self.formula is None else plain(self.formula),
            "accuracy": self.accuracy,
        }

    def _clean(self, name: str) -> Any:
        whole = any(q.name == name and q.domain.whole for q in self.scheme.quantities)
        value = np.asarray(self.values[name])
        return json_values(value.astype(np.int64) if whole else value)

    def report(self, rows: int | None = 20) -> Report:
        """The durations at ``rows`` points at most; at all points for None."""
        header, lines = self._columns(rows)
        return Report(
            (
                Heading(self._heading()),
                Table(header, lines, left=0),
                Sentences(self._more(lines)),
                Sentences(self._footer()),
            )
        )

    def to_text(self, rows: int | None = 20) -> str:
        """The report for a terminal, with at most ``rows`` points."""
        return self.report(rows).to_text()

    def _more(self, lines: list[list[str]]) -> list[str]:
        left_out = self.durations.size - len(lines)
        return [f"... and {left_out} more points"] if left_out else []

    def _heading(self) -> str:
        return f"{self.scheme.name}: {self.scheme.description}; step times: {self.distribution.name}"

    def _columns(self, rows: int | None) -> tuple[list[str], list[list[str]]]:
        header = [*self.axes, "seconds a round", "seconds an iteration"]
        grid = np.meshgrid(*(np.asarray(self.values[n]) for n in self.axes), indexing="ij")
        columns = [*(g.ravel() for g in grid), self._of("round").ravel(), self._of("iteration").ravel()]
        count = self.durations.size if rows is None else min(rows, self.durations.size)
        return header, [[format_number(c[i]) for c in columns] for i in range(count)]

    def _footer(self) -> list[Cell]:
        lines: list[Cell] = [f"a round is {self.scheme.round_description}"]
        if self.formula is not None:
            lines.append(sentence("a round takes ", Formula(self.formula)))
            lines += [SlowestOf.description] if self.formula.has(SlowestOf) else []
        if self.scheme.name == "asynchronous":
            lines.append("a gradient is m - 1 steps old on average")
        given = [n for n in self.values if n not in self.axes and n not in self.assumed]
        for word, names in (("given", given), ("assumed", self.assumed)):
            if names:
                lines.append(f"{word}: " + ", ".join(f"{n} = {format_number(self.values[n])}" for n in names))
        return lines


def round_time(
    scheme: str,
    /,
    *,
    law: object = None,
    spread: float | None = None,
    shift: float | None = None,
    delay_hidden: bool = True,
    n_i: object = None,
    **parameters: object,
) -> RoundTime:
    """Compute the duration of a round: synchronous, local, overlap, asynchronous or federated.

    Parameters
    ----------
    scheme : str
        The name of the scheme.
    law : str or frozen scipy distribution, optional
        The distribution of the time of a step: "exponential" (the default), "constant" (the default of
        federated), "uniform", "shifted", or a scipy distribution, whose own mean is used where step_time is
        not given.
    spread, shift : float, optional
        Parameters of the uniform and the shifted distribution, in seconds.
    delay_hidden : bool
        Of the asynchronous scheme: whether clients compute during an exchange.
    n_i : sequence of int, optional
        The data points of each client; C is then 1 unless given.
    **parameters
        m, tau, step_time and delay (seconds), C and others of the scheme; lists become axes.

    Returns
    -------
    RoundTime
        ``per_round`` and ``per_iteration`` in seconds; floats, or xarray objects over the axes.

    Raises
    ------
    BoundkitError
        For an unknown scheme, parameter or distribution, a value outside its domain, C m that is no whole
        number, and batches that do not divide the data where times are random.

    Examples
    --------
    >>> print(f"{round_time('synchronous', m=3, step_time=6, delay=1).per_round:.6f}")
    12.000000
    """
    if scheme not in SCHEMES:
        raise unknown("scheme", str(scheme), SCHEMES)
    definition = SCHEMES[scheme]
    default = "constant" if scheme == "federated" else "exponential"
    steps = step_time_distribution(default if law is None else law, spread, shift)
    sizes = read_sizes(definition, n_i, parameters)
    given = dict(parameters)
    if sizes is not None:
        given.setdefault("m", len(sizes))
    if steps.distribution is not None and scheme != "federated":
        given.setdefault("step_time", float(steps.distribution.mean()))
    values, axes, assumed = read_values(definition, given, sizes)
    points = np.empty([np.size(values[n]) for n in axes], dtype=object)
    if points.size > MOST_POINTS:
        raise BoundkitError(f"{points.size} points were given, but at most {MOST_POINTS} are allowed.")
    computed: dict[tuple[float, ...], Duration] = {}
    places = product(*(np.ravel(values[n]) for n in axes))
    for index, place in zip(np.ndindex(points.shape), places, strict=True):
        at = {n: float(np.asarray(v)) for n, v in values.items() if n not in axes}
        at |= dict(zip(axes, map(float, place), strict=True))
        check_point(definition, at)
        key = tuple(at.values())
        if key not in computed:
            computed[key] = duration(scheme, steps, at, sizes, delay_hidden)
        points[index] = computed[key]
    symbols = None if sizes is not None else formula(scheme, steps.name, delay_hidden)
    return RoundTime(definition, steps, values, axes, assumed, sizes, points, symbols)


MOST_CLIENTS, MOST_STEPS = 10**9, 10**6


def read_sizes(scheme: Scheme, given: object, parameters: Mapping[str, object]) -> tuple[float, ...] | None:
    """The data points of each client, where they are given.

    Raises BoundkitError for a scheme that does not read them, and beside a common number of them.
    """
    if given is None:
        return None
    if scheme.name != "federated":
        raise BoundkitError(f"n_i holds the data points of every client; {scheme.name} does not read it.")
    if "samples" in parameters:
        raise BoundkitError("n_i holds the data points of every client; samples must not be given as well.")
    items = list(given) if isinstance(given, (list, tuple, np.ndarray)) else [given]
    if not items:
        raise BoundkitError("n_i = [] was given, but it needs the data points of at least one client.")
    return tuple(check_number(n_i, item) for item in items)


def read_values(
    scheme: Scheme, given: Mapping[str, object], sizes: object
) -> tuple[dict[str, float | Array], tuple[str, ...], tuple[str, ...]]:
    """Every value by keyword, the names of the axes, and the names of the assumed quantities.

    Raises BoundkitError for an unknown name and a value outside its domain.
    """
    known = {q.name: q for q in scheme.quantities if not (sizes is not None and q.name == "samples")}
    for name in given:
        if name not in known:
            raise unknown(f"parameter of {scheme.name}", str(name), [*known, "law"])
    values: dict[str, float | Array] = {}
    for name, quantity in known.items():
        # data sizes of all clients imply full participation
        default = 1 if name == "C" and sizes is not None else quantity.typical
        values[name] = check_value(quantity, given.get(name, default))
    axes = tuple(name for name in given if isinstance(values[name], np.ndarray))
    return values, axes, tuple(name for name in known if name not in given)


def check_point(scheme: Scheme, at: Mapping[str, float]) -> None:
    """Raise BoundkitError for a point that is too large, or at which C m is no whole number."""
    clients = at["m"]
    if clients > MOST_CLIENTS or at.get("tau", 1) > MOST_STEPS:
        raise BoundkitError(
            f"m = {format_number(clients)}, tau = {format_number(at.get('tau', 1))} were given, but m is "
            f"at most {MOST_CLIENTS} and tau at most {MOST_STEPS} here."
        )
    if scheme.name != "federated":
        return
    count = at["C"] * clients
    if abs(count - round(count)) > WHOLE_TOLERANCE * max(1.0, count) or round(count) < 1:
        raise BoundkitError(
            f"C = {format_number(at['C'])} and m = {format_number(clients)} make {format_number(count)} "
            "clients a round; C*m must be a whole number, at least 1."
        )


BATCHES = (5, 10, 20, 30, 50, 60, 100, 120, 150, 200, 300, 600)
OVERHEADS = (0.0, 0.001, 0.01, 0.1)
CLIENTS = (1, 10, 100)
SPREADS = (0.1, 0.5, 0.9)
"""Grid for the effect of the batch: 600 data points, 1 ms each, these overheads in seconds."""


def time_effect(name: str, distribution: str) -> Effect:
    """The effect of a quantity on the duration of a round, for constant or exponential times of a step.

    A quantity of the error only, such as sigma_g, has none. Raises BoundkitError for a distribution without
    a formula.

    >>> time_effect("epochs", "constant").word, time_effect("sigma_g", "exponential").word
    ('worse', 'no effect')
    """
    seconds = formula("federated", distribution)
    if seconds is None:
        raise unknown("distribution with a formula", distribution, ["constant", "exponential"])
    quantity = QUANTITIES.get(name)
    if quantity is None or quantity not in seconds.free_symbols:
        return Effect("no effect", f"it does not enter {seconds}")
    context = SensitivityContext({"a round": seconds}, (), AT_LEAST_ONE_STEP)
    monotone = direction(seconds, quantity, context.admissible)
    if monotone is None:
        return _numerical_effect_of_batch(distribution)
    regions = _strictly(seconds, quantity, EFFECT_OF_DIRECTION[monotone])
    return Effect(
        "depends" if regions else EFFECT_OF_DIRECTION[monotone],
        "every part of a round is monotone in the same direction",
        True,
        regions,
    )


def effect_of_unequal_data(distribution: str) -> Effect:
    """The effect of unequal data sizes, at the same mean, on the duration of a round of all clients.

    >>> effect_of_unequal_data("constant").word
    'worse'
    """
    clients, mean = 20, 600
    for spread in SPREADS:
        sizes = np.linspace(mean * (1 - spread), mean * (1 + spread), clients).round(-1)
        unequal = round_time("federated", law=distribution, n_i=list(sizes), C=1, batch=10, delay=0)
        equal = round_time("federated", law=distribution, samples=mean, m=clients, C=1, batch=10, delay=0)
        if not unequal.per_round > equal.per_round:
            return Effect("depends", f"numerically: no longer at a spread of {spread:g}", False)
    if distribution == "constant":
        return Effect("worse", "a round takes as long as the largest n_i needs, which is at least the mean")
    spreads = f"{SPREADS[0]:g} to {SPREADS[-1]:g}"
    return Effect("worse", f"numerically, at {clients} clients and relative spreads of {spreads}", False)


def _strictly(seconds: Expr, quantity: Quantity, word: Word) -> tuple[Region, ...]:
    """Regions with and without an effect, where a factor of the derivative may vanish; else none."""
    if seconds.atoms(SlowestOf):
        return ()
    zeros = [f for f in Mul.make_args(factor(seconds.diff(quantity))) if f.is_Symbol and not f.is_positive]
    if len(zeros) != 1:
        return ()
    (zero,) = zeros
    vanishing = (Eq(zero, 0, evaluate=False),)
    return (Region(word, (Gt(zero, 0, evaluate=False),)), Region("no effect", vanishing))


def _numerical_effect_of_batch(distribution: str) -> Effect:
    """The effect of the batch, from durations on a grid."""
    at: dict[str, Any] = {
        "batch": list(BATCHES),
        "C": [n / 100 for n in CLIENTS],
        "m": 100,
        "samples": 600,
        "epochs": 1,
    }
    durations = [
        round_time("federated", law=distribution, overhead=overhead, per_sample=0.001, delay=0, **at)
        for overhead in OVERHEADS
    ]
    changes = np.concatenate([np.diff(np.asarray(one.per_round), axis=0).ravel() for one in durations])
    longer, shorter = bool((changes > 0).any()), bool((changes < 0).any())
    word: Word = "depends" if longer and shorter else "worse" if longer else "better"
    because = (
        f"numerically, over batches {BATCHES[0]} to {BATCHES[-1]} of 600 data points at 1 ms, overheads 0 to "
        f"{OVERHEADS[-1]} s and {CLIENTS[0]} to {CLIENTS[-1]} clients: longer at "
        f"{100 * float((changes > 0).mean()):.0f} % of the steps between them"
    )
    return Effect(word, because, False)
