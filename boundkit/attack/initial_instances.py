"""Where every search begins: the default instances, and those of the theory that attain their bounds."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import zip_longest

import numpy as np

from boundkit.algebra import Theorem
from boundkit.attack.candidate_run import shorter
from boundkit.attack.problem_families import works
from boundkit.attack.run_cost import FAIR
from boundkit.attack.single_cause_runs import causes
from boundkit.simulation.algorithms import algorithm
from boundkit.simulation.problems import Quadratic
from boundkit.verification.default_instances import default_instances
from boundkit.verification.families import FAMILIES
from boundkit.verification.instance import Instance


def anchors(theorem: Theorem) -> Iterator[tuple[str, Instance]]:
    """Plans with the names of their families, in turn, so that a short search has seen some of both."""
    for some, other, single in zip_longest(default_instances(theorem), tight(theorem), causes(theorem)):
        if some is not None:
            yield "default", shorter(theorem, some, 3 * FAIR)
        if other is not None:
            yield "tight", shorter(theorem, other)
        if single is not None:
            yield "one cause", shorter(theorem, single)


def own(theorem: Theorem) -> list[Instance]:
    """The plans that the theorem's assumptions bring, in place of the usual ones; none for most."""
    return [] if FAMILIES.instances(theorem) is None else list(default_instances(theorem))


def tight(theorem: Theorem) -> Iterator[Instance]:
    """Alike clients at the largest step, noise alone, unlike clients, who comes alone; one step and many."""
    known = {q.name for q in theorem.quantities}
    most = 1000 if theorem.solvers else 10_000  # whose coefficients are counted step by step
    if theorem.assumes("decaying-step") or not algorithm(theorem.algorithm).memoryless:
        most = 200
    taus, present = (1, 16, most) if works(theorem) else (1,), 0.5 if "C" in known else 1.0
    one, many = np.ones(1), 300
    bowl = Quadratic([1.0, 1.0], np.zeros((2, 1)))
    noisy = Quadratic([1.0, 1.0], np.zeros((2, 1)), noise=1.0)
    line = Quadratic([1.0, 0.2], [[1.0], [-1.0]])
    opposite = Quadratic([1.0, 1.0], [[1.0], [-1.0]])
    yield Instance("alike clients, the largest step", bowl, rounds=1, x0=one)
    yield Instance("alike clients, many rounds", bowl, rounds=many, x0=one, step=0.5)
    for tau in taus:
        yield Instance(f"noise alone, tau = {tau}", noisy, tau, rounds=many, x0=0 * one)
        yield Instance(f"unlike clients, tau = {tau}", line, tau, rounds=many, x0=line.centre)
        if tau > 1:
            name = f"unlike clients, tau = {tau}, small steps"
            unlike = shorter(theorem, Instance(name, line, tau, rounds=many))
            yield replace(unlike, x0=line.centre, step=min(1.0, 8 / float(np.max(unlike.local_steps))))
        yield Instance(f"who comes alone, tau = {tau}", opposite, tau, present, rounds=many, x0=0 * one)
    if theorem.solvers:
        yield Instance("unequal work", opposite, [1, 2], rounds=many, x0=0 * one)
        yield Instance("unequal work, unlike clients", line, [1, 1000], rounds=many, x0=line.centre)
