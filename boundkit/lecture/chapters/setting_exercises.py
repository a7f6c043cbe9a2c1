"""Exercises on FedAvg's round and its bound, with drawn numbers."""

from math import ceil

import numpy as np

from boundkit.analysis.predict import predict
from boundkit.analysis.rounds import rounds_to
from boundkit.analysis.step_size import largest
from boundkit.lecture.chapters.worked_solutions import (
    Values,
    answer,
    condition,
    given,
    number,
    pick,
    put_in,
    term,
    value,
)
from boundkit.lecture.parts import Exercise, Worked
from boundkit.theorems import theorem

_BOUND = "fedavg_nonconvex"


def _local_steps(rng: np.random.Generator) -> Worked:
    samples = [int(rng.integers(4, 30)) * 25 for _ in range(3)]
    epochs, batch = int(pick(rng, 1, 2, 5)), int(pick(rng, 10, 20, 32, 50))
    steps = [ceil(epochs * n / batch) for n in samples]
    mean = sum(n * k for n, k in zip(samples, steps, strict=True)) / sum(samples)
    listed = ", ".join(map(str, samples))
    each = tuple(
        rf"$$\tau_{i} = \left\lceil {epochs} \cdot {n} / {batch} \right\rceil = {k}$$"
        for i, (n, k) in enumerate(zip(samples, steps, strict=True), 1)
    )
    return Worked(
        rf"Three clients hold $n_i = ({listed})$ samples. Each makes $E = {epochs}$ passes in batches of "
        rf"$B = {batch}$. How many local steps does each take, and how many is that in the mean "
        r"$\sum_i p_i \tau_i$, weighed by data?",
        (
            *each,
            "The weights are $p_i = n_i / \\sum_j n_j$, so large clients count more: they also take more "
            "steps.",
        ),
        answer(r"\sum_i p_i \tau_i", mean),
    )


def _a_term(rng: np.random.Generator) -> Worked:
    bound = theorem(_BOUND)
    values: Values = {
        "eta": pick(rng, 0.001, 0.002, 0.005), "tau": pick(rng, 5, 10, 20), "T": pick(rng, 500, 1000, 5000),
        "m": pick(rng, 10, 20, 50), "L": pick(rng, 1, 2), "sigma": pick(rng, 1, 2, 3),
        "sigma_g": pick(rng, 0.5, 1, 2), "gap": pick(rng, 1, 5, 10),
    }  # fmt: skip
    found = predict(bound, **values)
    return Worked(
        f"FedAvg with all clients, {given(values)}. Compute the four terms of `fedavg_nonconvex`. Which is "
        f"the "
        "largest, and what is the bound?",
        (*(term(bound, label, values) for label in found.terms), f"The largest is the {found.dominant}."),
        answer(r"\text{bound}", found.total),
    )


def _largest_step(rng: np.random.Generator) -> Worked:
    bound = theorem(_BOUND)
    values: Values = {"L": pick(rng, 0.5, 1, 2, 4, 10), "tau": pick(rng, 2, 3, 5, 10, 20, 50)}
    limit = largest(bound)
    return Worked(
        f"{given(values)}. What is the largest client step $\\eta$ that `fedavg_nonconvex` allows?",
        (
            "Two conditions bind the step.",
            *(condition(relation) for relation in bound.step_size),
            f"Both solved for $\\eta$, with the numbers:\n\n$${put_in(limit, values)}$$",
            "The second is the smaller one as soon as $3(\\tau - 1) > \\tau$: for every $\\tau \\ge 2$.",
        ),
        answer(r"\eta", value(limit, values)),
    )


def _rounds(rng: np.random.Generator) -> Worked:
    bound = theorem(_BOUND)
    values: Values = {
        "eta": pick(rng, 0.001, 0.002), "tau": pick(rng, 4, 5, 8), "m": pick(rng, 20, 50, 100),
        "L": 1, "sigma": 1, "sigma_g": pick(rng, 0.5, 1, 2), "gap": pick(rng, 1, 2, 5),
    }  # fmt: skip
    target = pick(rng, 0.02, 0.05, 0.1)
    found = rounds_to(bound, target, **values)
    floor = found.floor or 0
    head = value(bound.bound.terms["initial gap"].expr, {**values, "T": 1})
    return Worked(
        f"{given(values)}. How many rounds does the bound `fedavg_nonconvex` ask for until it is at most "
        f"$\\epsilon = {number(target)}$?",
        (
            f"Only the initial gap falls with $T$. The other terms are the floor, ${number(floor)}$ in sum.",
            f"So the initial gap may be at most ${number(target)} - {number(floor)} = "
            f"{number(target - floor)}$.",
            f"It is ${number(head)} / T$. Divide, and round up.",
        ),
        f"$T = {found.rounds}$",
    )


EXERCISES = (
    Exercise("Local steps of three clients", _local_steps),
    Exercise("The four terms", _a_term),
    Exercise("The largest step", _largest_step),
    Exercise("Rounds to a target", _rounds),
)
"""Four exercises."""
