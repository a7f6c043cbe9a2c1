"""A run: all inputs of a simulation, validated once."""

from __future__ import annotations

import reprlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from boundkit.algebra import BoundkitError
from boundkit.algebra.domain import LARGEST_EXACT, POSITIVE, is_whole
from boundkit.algebra.errors import unknown
from boundkit.analysis.memory import refuse_larger
from boundkit.report.formatting import format_number
from boundkit.simulation.algorithms import Algorithm, algorithm
from boundkit.simulation.algorithms.round import is_constant
from boundkit.simulation.arrays import Array
from boundkit.simulation.json_fields import checked_fields
from boundkit.simulation.participation import Full, Participation, Schedule
from boundkit.simulation.participation import participation as make_participation
from boundkit.simulation.problems import Problem
from boundkit.simulation.validation import checked_array, refuse_extreme

SYMBOLS = {"tau": "local_steps", "T": "rounds", "sigma": "noise"}
"""The symbols of theorems that name settings of runs."""

MOST, MOST_ROUNDS = 10**9, 10**7
"""The most local steps of a round, and the most rounds of a run, whose iterates are all stored."""


@dataclass(frozen=True)
class Run:
    """Problem, algorithm and participation, with the steps and the rounds.

    ``local_steps`` is (cycle, m): the steps of each client in each round, repeated cyclically.
    ``eta`` is the step size of the first local step, and of all where there is no ``offset``. ``objectives``:
    others of the same clients to observe, by the prefix of the observables. ``virtual``:
    whether the mean of the local models is observed at every local step, as some algorithms require.
    ``local_spread``: whether the deviation of the clients' gradients at their local models from the
    mean gradient there is recorded. ``iterate_ratio``: s_t/s_{t+1} for an observed mean of x_0, ..., x_{t-1}
    with weights s_t, as ``weighted_iterate_loss_gap`` and so on. ``target``: the target of a first-passage
    time, if there is one. ``every``: the observed rounds are its multiples, and the last.
    ``until``: an observable and a level; a chunk of replicas ends when all have reached it, an accuracy from
    below, anything else from above.
    """

    problem: Problem
    algorithm: Algorithm
    participation: Participation
    x0: Array
    rounds: int
    eta: float
    eta_s: float
    local_steps: NDArray[np.intp]
    seed: int = 0
    offset: float | None = None
    objectives: Mapping[str, Problem] = field(default_factory=dict, compare=False)
    virtual: bool = False
    local_spread: bool = False
    iterate_ratio: float | None = None
    target: float | None = field(default=None, compare=False)
    every: int = 1
    until: tuple[str, float] | None = field(default=None, compare=False)

    def rates(self, t: int) -> Array:
        """eta of each local step of round t: eta, or eta offset/(offset + k) at the k-th local step of all.

        A round counts as many local steps as the client with the most. The algorithm may let the rates
        decrease within a round.
        """
        most = int(self.steps(t).max())
        if self.offset is None:
            return self.algorithm.rates(np.broadcast_to(self.eta, most))
        refuse_larger(40 * most, f"the list of {most:,} step sizes", "use fewer local steps, or a fixed eta")
        iterations = self._steps_before(t) + np.arange(most, dtype=np.float64)
        return self.algorithm.rates(self.eta * self.offset / (self.offset + iterations))

    def steps_key(self, t: int) -> bytes:
        """The local steps and the step sizes of round t, as a key."""
        rates = self.rates(t)
        sizes = str((rates[0], len(rates))).encode() if is_constant(rates) else rates.tobytes()
        return self.steps(t).tobytes() + sizes

    def _steps_before(self, t: int) -> int:
        longest = self.local_steps.max(axis=1)
        cycles, rest = divmod(t, len(longest))
        return int(cycles * longest.sum() + longest[:rest].sum())

    def observes(self, t: int) -> bool:
        """Whether x_t is observed."""
        return t % self.every == 0 or t == self.rounds

    @property
    def observed_rounds(self) -> range | list[int]:
        """The rounds that are observed, with the first and the last."""
        rounds = range(0, self.rounds + 1, self.every)
        return rounds if rounds[-1] == self.rounds else [*rounds, self.rounds]

    @property
    def random(self) -> bool:
        """Whether two replicas may differ."""
        return self.problem.stochastic or self.participation.random or self.algorithm.random

    @property
    def observes_local_steps(self) -> bool:
        """Whether the mean of the local models is observed at every local step."""
        return self.virtual or self.algorithm.virtual

    def steps(self, t: int) -> NDArray[np.intp]:
        """The local steps of every client in round t, (m,)."""
        steps: NDArray[np.intp] = self.local_steps[t % len(self.local_steps)]
        return steps

    @cached_property
    def tau(self) -> int | None:
        """The local steps, where they are the same for all clients and rounds."""
        return int(self.local_steps.flat[0]) if np.ptp(self.local_steps) == 0 else None

    @cached_property
    def period(self) -> int:
        """Period of the distribution of a round, in rounds; the whole run for decreasing step sizes."""
        if self.offset is not None:
            return self.rounds
        return int(np.lcm(self.participation.period, len(self.local_steps)))

    def to_json(self) -> dict[str, Any]:
        """The RUN.json that replays this run (its algorithm is named on the command line)."""
        participation = self.participation
        schedule = participation.rounds if isinstance(participation, Schedule) else None
        return {
            "problem": self.problem.to_json(),
            "x0": self.problem.initial_point_json(self.x0),
            "rounds": self.rounds,
            "eta": self.eta if self.offset is None else {"first": self.eta, "offset": self.offset},
            "eta_s": self.eta_s,
            "local_steps": self.tau if self.tau is not None else self.local_steps.tolist(),
            **({} if schedule is None else {"schedule": [list(round) for round in schedule]}),
            "participation": {"kind": "full"} if schedule is not None else participation.to_json(),
            "noise": self.problem.noise_json,
            "seed": self.seed,
            **({} if self.every == 1 else {"every": self.every}),
            "options": {k: v for k, v in self.algorithm.settings.items() if v != self.algorithm.options[k]},
        }


def settings_of_symbols(given: Mapping[str, Any]) -> dict[str, Any]:
    """The settings by their own names, where symbols of theorems are given: T for rounds.

    Raises BoundkitError for a setting that is given by both names.

    >>> settings_of_symbols({"T": 10, "eta": 0.1, "tau": 5})
    {'rounds': 10, 'eta': 0.1, 'local_steps': 5}
    """
    for symbol, name in SYMBOLS.items():
        if symbol in given and name in given:
            raise BoundkitError(f"{symbol} and {name} are two names of one setting; give one of them.")
    return {SYMBOLS.get(name, name): value for name, value in given.items()}


def make_run(
    algorithm_name: str,
    problem: Problem,
    *,
    rounds: Any,
    eta: Any,
    local_steps: Any = 1,
    eta_s: Any = 1.0,
    x0: Any = None,
    participation: Any = None,
    schedule: Any = None,
    options: Any = None,
    seed: Any = 0,
    every: Any = 1,
) -> Run:
    """A validated run. ``x0`` is the origin by default; a schedule overrides the participation.

    ``eta`` is a number, or ``{"first": eta_0, "offset": a}`` for eta_0 a/(a + k) at the k-th local step.

    Raises BoundkitError with one sentence for anything that cannot be run.
    """
    instance = algorithm(algorithm_name, options)
    start = problem.initial_point(x0)
    steps = _local_steps(_in_epochs(local_steps, problem), problem.m)
    instance.check_run(steps, problem.m)
    first, offset = _rate(eta)
    clients: Participation = Full(problem.m)
    if participation is not None:
        clients = (
            participation
            if isinstance(participation, Participation)
            else make_participation(participation, problem.m, problem.p)
        )
    if schedule is not None:
        clients = Schedule(problem.m, schedule)
    return Run(
        problem=problem,
        algorithm=instance,
        participation=clients,
        x0=start,
        rounds=_count("rounds", rounds, most=MOST_ROUNDS),
        eta=_step("eta", first, "client step size"),
        offset=offset,
        eta_s=_step("eta_s", eta_s, "server step size"),
        local_steps=instance.most_steps(steps),
        seed=_count("seed", seed, least=0, most=None),
        every=_count("every", every),
    )


def _count(name: str, value: Any, least: int = 1, most: int | None = MOST) -> int:
    number = isinstance(value, (int, float, np.integer)) and not isinstance(value, bool)
    whole = number and (isinstance(value, (int, np.integer)) or is_whole(value))
    if not whole or value < least:
        raise BoundkitError(
            f"{name} must be a whole number, at least {least}, but it is {reprlib.repr(value)}."
        )
    if most is not None and value > most:
        raise BoundkitError(f"{name} must be at most {most:,}, but it is {reprlib.repr(value)}.")
    if isinstance(value, float) and value >= LARGEST_EXACT:
        raise BoundkitError(f"{name} = {value!r} may have been rounded; write it in digits, without a point.")
    return int(value) if isinstance(value, (int, np.integer)) else round(value)


def _rate(eta: Any) -> tuple[Any, float | None]:
    """The first step size, and the offset of decreasing ones."""
    if not isinstance(eta, Mapping):
        return eta, None
    for name in eta:
        if name not in ("first", "offset"):
            raise unknown("field of eta", str(name), ("first", "offset"))
    if set(eta) != {"first", "offset"}:
        raise BoundkitError(
            'eta must be a number, or {"first": ..., "offset": ...} for decreasing step sizes.'
        )
    offset = float(checked_array("eta offset", eta["offset"], ()))
    if offset <= 0:
        raise BoundkitError(f"the offset of eta must be above 0, but it is {offset:g}.")
    refuse_extreme("the offset of eta", offset)
    return eta["first"], offset


def _step(name: str, value: Any, meaning: str) -> float:
    if isinstance(value, bool) or not isinstance(value, (int, float, np.floating, np.integer)):
        raise BoundkitError(f"{name} must be a number above 0, but it is {reprlib.repr(value)}.")
    complaint = POSITIVE.complaint(value)
    if complaint:
        raise BoundkitError(f"{name} = {format_number(value)} was given, but {complaint} ({meaning}).")
    refuse_extreme(name, float(value))
    return float(value)


def _in_epochs(given: Any, problem: Problem) -> Any:
    """Steps from {"epochs": E}, or {"epochs": [low, high], "rounds": n, "seed": s}: E_i drawn each round."""
    if not isinstance(given, Mapping):
        return given
    fields = checked_fields("local_steps", given, ("epochs",), ("rounds", "seed"))
    if not isinstance(fields["epochs"], (list, tuple)):
        passes = float(checked_array("epochs", fields["epochs"], ()))
        if passes <= 0:
            raise BoundkitError(f"epochs must be above 0, but they are {passes:g}.")
        return [problem.epochs([passes] * problem.m)]
    low, high = (_count("epochs", v) for v in checked_array("epochs", fields["epochs"], (2,)).tolist())
    if low > high:
        raise BoundkitError(f"epochs must be [low, high], but they are [{low}, {high}].")
    generator = np.random.default_rng(_count("seed", fields.get("seed", 0), least=0, most=None))
    drawn = generator.integers(low, high + 1, size=(_count("rounds", fields.get("rounds", 100)), problem.m))
    return [problem.epochs(row) for row in drawn]


def _local_steps(given: Any, m: int) -> NDArray[np.intp]:
    """(cycle, m) whole numbers, from one number, one a client, or a list of such lists."""
    given = given.tolist() if isinstance(given, np.ndarray) else given
    if not isinstance(given, (list, tuple)):
        return np.full((1, m), _count("local_steps", given), dtype=np.intp)
    rows: list[Any] = list(given) if any(isinstance(row, (list, tuple)) for row in given) else [given]
    if not rows or not all(isinstance(row, (list, tuple)) and len(row) == m for row in rows):
        raise BoundkitError(
            f"local_steps must be one number, {m} numbers (one a client), or a list of such lists."
        )
    return np.array([[*map(_step_count, row)] for row in rows], dtype=np.intp)


def _step_count(given: Any) -> int:
    """A number of local steps."""
    return given if type(given) is int and 1 <= given <= MOST else _count("local_steps", given)


KINDS = {"logcosh": "log-cosh", "smooth_nonconvex": "smooth non-convex", "clipping_instance": "exponential"}
"""Problem kinds whose names in words are not those of a RUN.json."""
LISTED = 4
"""Largest number of clients whose local step counts are listed one by one."""
_ABSENT = {"no noise": ("sigma",), "from the optimum": ("gap", "distance")}


def describe_run(run: Run, values: Mapping[str, float]) -> str:
    """Describe a run on one line; ``values``: the quantities of the bound at this run, by keyword."""
    steps = [f"{name} = {values[name]:.3g}" for name in ("eta", "eta_s") if values.get(name, 1.0) != 1.0]
    return ", ".join([*describe_clients(run, values), *steps, *describe_absent_errors(values)])


def describe_clients(run: Run, values: Mapping[str, float]) -> list[str]:
    """Describe number and kind of clients, dimension, local steps, participation and rounds."""
    problem = run.problem
    losses = KINDS.get(problem.kind, problem.kind.replace("_", " "))
    clients = "client" if problem.m == 1 else "clients"
    return [
        f"{problem.m} {'equal ' if problem.homogeneous and problem.m > 1 else ''}{losses} {clients}",
        f"d = {problem.d}",
        _describe_steps(run),
        *_describe_participation(run, values),
        *([f"T = {format_number(values['T'])}"] if "T" in values else []),
    ]


def describe_absent_errors(values: Mapping[str, float]) -> list[str]:
    """Name the sources of error that are 0: gradient noise, and the distance from the optimum."""
    return [words for words, absent in _ABSENT.items() if any(values.get(name) == 0.0 for name in absent)]


def _describe_steps(run: Run) -> str:
    if run.tau is not None:
        return f"tau = {run.tau}"
    first = run.local_steps[0]
    if len(run.local_steps) == 1 and len(first) <= LISTED:
        return f"tau_i = {', '.join(map(str, first))}"
    return f"tau_i from {run.local_steps.min()} to {run.local_steps.max()}"


def _describe_participation(run: Run, values: Mapping[str, float]) -> list[str]:
    kind = run.participation.kind
    if kind == "full" or values.get("C") == 1.0:
        return []
    if kind in ("uniform", "with_replacement"):
        how = "" if kind == "uniform" else " with replacement"
        return [f"C = {values['C']:.3g}{how}"] if "C" in values else [f"{kind.replace('_', ' ')} sampling"]
    return [f"{kind.replace('_', ' ')} participation"]
