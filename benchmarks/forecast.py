"""Forecasts of held-out training runs, against extrapolation by a power law and by an exponential.

A group is a problem, an algorithm and a partition at five settings of eta, tau and C, one replica each. The
first 30 % of the rounds of three settings are the log. Held out are the rest of these three runs and two
other settings from round 0. Targets are levels of the held-out loss, medians of 10 % of its rounds around
given rounds; the truth is the first round at which the loss is at most the target. Levels above 90 % of the
initial loss, and of the three runs those that the log reaches, are no targets.

The curves c + a (t + 1)^-b and c + a exp(-b t), c at least 0, are fitted to the last two thirds of each log
by least squares of relative errors. At other settings the curve of the second logged run is taken, its
rounds scaled by eta tau, as the theorems would. A target that a method never reaches counts as an infinite
error. Of ``forecast`` the medians and the coverage are over the targets that it answers.

Problems: quadratics in dimension 20 (condition number 100, noise 1), multinomial logistic regression, a
64-32-10 network and a convolutional network on digits, and a recurrent network that predicts their next
pixel, over 20 clients. FedNova has unequal local steps. The weights and curves of the fit were chosen on 48
groups with other seeds, problems and steps.

    python benchmarks/forecast.py [--only PROBLEM] [--out FILE.json]
"""

from __future__ import annotations

import argparse
import json
import os
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Any

os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("MKL_NUM_THREADS", "1")
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import numpy as np
from scipy.optimize import least_squares

import boundkit as bk
from boundkit.simulation.arrays import Array
from boundkit.simulation.data import load_dataset, partition
from boundkit.simulation.problems import Problem
from boundkit.simulation.training_log import LoggedRun
from boundkit.studies.forecast import default_theorem, make_forecast
from boundkit.studies.forecast.fit import first_passage, round_grid
from boundkit.theorems import theorem

CLIENTS, LOGGED = 20, 0.3
ALGORITHMS: dict[str, dict[str, Any]] = {"fedavg": {}, "fedprox": {"mu": 0.1}, "scaffold": {}, "fednova": {}}
PARTITIONS = ("iid", "dirichlet", "one class")
SETTINGS = ((1.0, 1, 1), (0.5, 1, 2), (1.0, 3, 1), (0.5, 3, 1), (1.0, 2, 2))
"""Multiples of eta, tau and C; the first three are logged."""
PLACES = ((0.5, 0.75, 1.0), (0.25, 0.5, 0.75, 1.0))
"""Rounds of the targets, as parts of the run: of a logged run, and at another setting."""


@dataclass(frozen=True)
class Kind:
    """A kind of problem, its base settings, and the algorithms and partitions that are run."""

    make: Callable[[str], Problem]
    eta: float
    tau: int
    rounds: int
    algorithms: tuple[str, ...] = tuple(ALGORITHMS)
    partitions: tuple[str, ...] = PARTITIONS


@dataclass(frozen=True)
class Row:
    """One target of one held-out run: the true round, and what each method says."""

    problem: str
    algorithm: str
    partition: str
    logged: bool
    run: int
    truth: float
    value: float | None
    low: float
    high: float
    power: float
    exponential: float


def quadratic(kind: str) -> Problem:
    """Unlike curvatures and minimisers of the clients, for all but ``iid``."""
    random, spread = np.random.default_rng(11), {"iid": 0.0, "dirichlet": 1.0, "one class": 3.0}[kind]
    base = np.logspace(-2, 0, 20)
    hessians = [np.diag(base * np.exp(0.2 * spread * random.normal(size=20))) for _ in range(CLIENTS)]
    centers = [2 + 0.5 * spread * random.normal(size=20) for _ in range(CLIENTS)]
    return bk.Quadratic(hessians=hessians, centers=centers, noise=1.0)


def digit_parts(kind: str) -> tuple[Any, list[Array]]:
    """The digits, and the indices of each client's."""
    fields: dict[str, Any] = {
        "iid": {"kind": "iid"},
        "dirichlet": {"kind": "dirichlet", "alpha": 0.3, "min_partition_size": 5},
        "one class": {"kind": "pathological", "num_classes_per_partition": 1},
    }[kind]
    digits = load_dataset("digits")
    return digits, partition({**fields, "num_partitions": CLIENTS, "seed": 5}, digits.y)


def next_pixel(kind: str) -> Problem:
    """A GRU with 16 units that reads two rows of a digit and predicts each next pixel, of 17 levels.

    At most 40 digits a client, since evaluation of the loss takes most of the time.
    """
    digits, parts = digit_parts(kind)
    pixels = np.rint(16 * digits.X).reshape(len(digits.X), -1)[:, 24:41].astype(int)
    clients = [(pixels[own[:40], :-1], pixels[own[:40], 1:]) for own in parts]
    model = {"kind": "recurrent", "embedding": 8, "hidden": 16, "cell": "gru"}
    return bk.Network(clients, model, batch=10).leaner()


def network(model: dict[str, Any]) -> Callable[[str], Problem]:
    """A network on digits, by partition."""

    def make(kind: str) -> Problem:
        digits, parts = digit_parts(kind)
        points = digits.X if model["kind"] == "cnn" else digits.X.reshape(len(digits.X), -1)
        return bk.Network([(points[own], digits.y[own]) for own in parts], model, batch=10).leaner()

    return make


KINDS = {
    "quadratic": Kind(quadratic, 0.08, 2, 200),
    "logistic": Kind(network({"kind": "softmax"}), 0.12, 2, 200),
    "mlp": Kind(network({"kind": "mlp", "hidden": [32]}), 0.12, 2, 200),
    "cnn": Kind(network({"kind": "cnn", "channels": [4, 8], "kernel": 3, "hidden": 16}), 0.2, 4, 100,
                ("fedavg", "scaffold"), ("iid", "dirichlet")),
    "recurrent": Kind(next_pixel, 0.5, 2, 60, ("fedavg", "scaffold"), ("iid", "dirichlet")),
}  # fmt: skip


def simulate(
    kind: Kind, problem: Problem, algorithm: str, multiples: tuple[float, int, int], seed: int
) -> LoggedRun:
    """One run, as its log would have it."""
    eta, tau, C = kind.eta * multiples[0], kind.tau * multiples[1], 0.25 * multiples[2]
    unequal = algorithm == "fednova"
    steps = [max(1, tau // 2) if i % 2 else tau + tau // 2 for i in range(CLIENTS)] if unequal else tau
    start = {} if isinstance(problem, bk.Quadratic) else {"x0": {"seed": 1}}
    trajectory = bk.simulate(
        algorithm, problem, rounds=kind.rounds, eta=eta, local_steps=steps, seed=seed,
        participation={"kind": "uniform", "C": C}, options=ALGORITHMS[algorithm], **start,
    )  # fmt: skip
    settings = {"m": float(CLIENTS), "C": C, "tau": float(np.mean(steps)), "eta": eta}
    loss = trajectory.observed["loss"][0]
    return LoggedRun(f"{eta:g}, {tau}, {C:g}", np.arange(len(loss)) + 0.0, loss, settings, algorithm)


def targets(run: LoggedRun, places: tuple[float, ...], after: float) -> Iterator[tuple[float, float]]:
    """Levels of a run, and the round at which it reaches each."""
    last, half = len(run.rounds) - 1, max(1, len(run.rounds) // 20)
    for place in places:
        k = int(place * (last - half))
        level = float(np.median(run.values[max(0, k - half) : k + half + 1]))
        true = first_passage(run.rounds, run.values, level)
        if max(after, 1) < true < np.inf and level <= 0.9 * run.values[0]:
            yield level, true


def extrapolate(run: LoggedRun, kind: str) -> Callable[[Array], Array]:
    """The best curve of a kind through the last two thirds of a log."""
    rounds, values = (x[len(x) // 3 :] for x in (run.rounds, run.values))

    def curve(parameters: Array, t: Array) -> Array:
        floor, scale, rate = parameters
        return np.asarray(
            floor + np.exp(scale) * ((t + 1) ** -rate if kind == "power" else np.exp(-rate * t))
        )

    least = float(values.min())
    fits = [
        least_squares(lambda p: (curve(p, rounds) - values) / values, [part * least, np.log(values[0]), rate],
                      bounds=([0, -30, 0], [least, 30, 20]), max_nfev=400)
        for part in (0.1, 0.9)
        for rate in ((0.3, 1.0) if kind == "power" else (1 / rounds[-1], 5 / rounds[-1]))
    ]  # fmt: skip
    best = min(fits, key=lambda fit: fit.cost).x
    return lambda t: curve(best, t)


def rows_of(name: str, algorithm: str, kind: str, seed: int) -> list[Row]:
    """All targets of a group."""
    problem = KINDS[name].make(kind)
    runs = [
        simulate(KINDS[name], problem, algorithm, each, 1000 + 10 * seed + k)
        for k, each in enumerate(SETTINGS)
    ]
    logs = [run.until(LOGGED * run.rounds[-1]) for run in runs[:3]]
    grid = round_grid(float(logs[0].rounds[-1]))
    curves = {k: [extrapolate(log, k) for log in logs] for k in ("power", "exponential")}
    try:
        forecast = make_forecast(logs, theorem(default_theorem(logs)))
    except bk.BoundkitError:
        forecast = None
    rows = []
    for k, run in enumerate(runs):
        log = logs[k] if k < 3 else logs[1]
        scale = log.settings["eta"] * log.settings["tau"] / (run.settings["eta"] * run.settings["tau"])
        for level, true in targets(run, PLACES[k > 2], log.rounds[-1] if k < 3 else 0.0):
            answer = None if forecast is None else replace_target(forecast, level).at(run.settings).rounds
            guesses = [
                first_passage(grid * scale, curves[c][min(k, 1 if k > 2 else k)](grid), level) for c in curves
            ]
            ends = (np.nan, np.nan) if answer is None else (answer.low, answer.high)
            rows.append(Row(name, algorithm, kind, k < 3, k, true, None if answer is None else answer.value,
                            *ends, *guesses))  # fmt: skip
    return rows


def replace_target(forecast: Any, level: float) -> Any:
    """The forecast with another target."""
    from dataclasses import replace

    return replace(forecast, target=level)


HEADER = ("", "targets", "answered", "error", "coverage", "no upper end", "width", "power law", "exponential")


def line(label: str, rows: list[Row]) -> tuple[str, ...]:
    """Medians over some targets."""
    answered = [row for row in rows if row.value is not None]

    def error(values: list[tuple[float, float]]) -> str:
        errors = [abs(value / true - 1) if np.isfinite(value) else np.inf for value, true in values]
        median = float(np.median(errors)) if errors else np.nan
        return f"{100 * median:.0f} %" if np.isfinite(median) else "never"

    inside = [row.low <= row.truth <= row.high for row in answered]
    width = float(np.median([row.high / max(row.low, 1) for row in answered])) if answered else np.nan
    return (
        label, str(len(rows)), f"{100 * len(answered) / max(len(rows), 1):.0f} %",
        error([(row.value or 0.0, row.truth) for row in answered]),
        f"{100 * float(np.mean(inside)) if inside else np.nan:.0f} %",
        f"{100 * float(np.mean([not np.isfinite(row.high) for row in answered])) if answered else 0:.0f} %",
        f"{width:.2g}",
        error([(row.power, row.truth) for row in rows]),
        error([(row.exponential, row.truth) for row in rows]),
    )  # fmt: skip


def table(rows: list[Row]) -> str:
    """The results, whole and by problem, partition, algorithm and kind of held-out run."""
    parts = {"all": rows}
    parts |= {
        "rest of logged runs": [r for r in rows if r.logged],
        "other settings": [r for r in rows if not r.logged],
    }
    parts |= {"largest steps, rest": [r for r in rows if r.run == 2]}
    for field in ("problem", "partition", "algorithm"):
        for value in dict.fromkeys(getattr(row, field) for row in rows):
            parts[value] = [row for row in rows if getattr(row, field) == value]
    lines = [HEADER, ("---",) * len(HEADER), *(line(label, part) for label, part in parts.items())]
    return "\n".join("| " + " | ".join(cells) + " |" for cells in lines)


def main() -> None:
    """Run all groups and print the table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--only", choices=KINDS, help="one kind of problem")
    parser.add_argument("--out", type=Path, help="write every target to this JSON")
    options = parser.parse_args()
    start, rows, runs, seed = time.process_time(), [], 0, 0
    for name, kind in KINDS.items():
        for algorithm, divided in product(kind.algorithms, kind.partitions):
            seed += 1
            if options.only not in (None, name):
                continue
            found = rows_of(name, algorithm, divided, seed)
            rows += found
            runs += len({row.run for row in found})
            print(f"{name}, {algorithm}, {divided}: {len(found)} targets", flush=True)
    print(f"\n{runs} held-out runs, {time.process_time() - start:.0f} s of processor time\n\n{table(rows)}")
    if options.out is not None:
        options.out.write_text(json.dumps([vars(row) for row in rows]))


if __name__ == "__main__":
    main()
