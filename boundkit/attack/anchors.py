"""Where every search begins: the default instances, and those of the theory that attain their bounds."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from boundkit.algebra import Theorem
from boundkit.attack.families import works
from boundkit.attack.trying import shorter
from boundkit.verify.assumed import PLANS, RULES, Plan
from boundkit.verify.instances import plans
from boundkit.verify.problems import Quadratic


def anchors(theorem: Theorem) -> Iterator[tuple[str, Plan]]:
    """Plans with the names of their families, the default instances last: some of those take long."""
    yield from (("tight", plan) for plan in tight(theorem))
    yield from (("default", shorter(plan, theorem)) for plan in plans(theorem))


def own(theorem: Theorem) -> list[Plan]:
    """The plans that the theorem's assumptions bring, in place of the usual ones; none for most."""
    designs = next((r.designs for a in theorem.assumptions if (r := RULES.get(a.name)) and r.designs), None)
    return list(plans(theorem)) if theorem.name in PLANS or designs is not None else []


def tight(theorem: Theorem) -> Iterator[Plan]:
    """Alike clients at the largest step, noise alone, two extreme clients, one step, all clients or some."""
    if own(theorem):
        return
    known = {q.name for q in theorem.quantities}
    tau, present = 16 if works(theorem) else 1, 0.5 if "C" in known else 1.0
    one, many = np.ones(1), 300
    bowl = Quadratic([1.0, 1.0], np.zeros((2, 1)))
    noisy = Quadratic([1.0, 1.0], np.zeros((2, 1)), noise=1.0)
    line = Quadratic([1.0, 0.2], [[1.0], [-1.0]])
    opposite = Quadratic([1.0, 1.0], [[1.0], [-1.0]])
    yield Plan("alike clients, the largest step", bowl, 1, 1.0, rounds=1, x0=one)
    yield Plan("alike clients, many rounds", bowl, 1, 1.0, rounds=many, x0=one, step=0.5)
    yield Plan("noise alone, one step", noisy, 1, 1.0, rounds=many, x0=0 * one)
    yield Plan("noise alone", noisy, tau, 1.0, rounds=many, x0=0 * one)
    yield Plan("two unlike clients", line, tau, 1.0, rounds=many, x0=line.centre)
    yield Plan(
        "two unlike clients, many steps", line, 1000 if tau > 1 else 1, 1.0, rounds=many, x0=line.centre
    )
    yield Plan("who comes alone", opposite, tau, present, rounds=many, x0=0 * one)
    yield Plan("who comes alone, one step", opposite, 1, present, rounds=many, x0=0 * one)
