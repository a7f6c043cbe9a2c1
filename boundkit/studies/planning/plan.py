"""A plan of training with local steps: time to a target against tau, and the outer optimiser."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from boundkit.algebra import BoundkitError
from boundkit.analysis.outer_optimisers import METHODS, OuterOptimiser, best_outer_optimiser, decay
from boundkit.analysis.runtime.schedule import SynchronisationSchedule
from boundkit.report import Report, Reported
from boundkit.simulation.arrays import Array
from boundkit.simulation.confidence_interval import Estimate
from boundkit.studies.planning.report import ADVISED, MARGIN, report_of, to_dict
from boundkit.studies.planning.rounds import Range, RoundsModel

CURVATURES: Range = (1e-4, 0.1)
"""eta lambda, from the least to the largest, where nothing else is given."""
PARTS = ("communication", "drift", "noise", "descent")
"""What the time to a target is spent on: waiting for exchanges; local steps that make less progress than
those of data-parallel training; steps that noise and sampling cost; and the steps that remain."""
RULE_OF_THUMB = OuterOptimiser(0.7, 0.9, 1.0)
"""Nesterov's method with the numbers that public code of DiLoCo has."""
MOST_TAU = 100_000
_POINTS = 49
_SHARES = np.arange(1, 25) / 25


@dataclass(frozen=True, eq=False)
class OuterChoice:
    """An outer optimiser, for q between two values: contraction of a round and amplified noise.

    ``amplification``: stationary variance as a multiple of that of FedAvg with eta_s = 1, along the slowest
    direction. ``largest``: the eta_s below which it is stable.
    """

    name: str
    optimiser: OuterOptimiser
    contraction: float
    amplification: float
    largest: float

    @property
    def rounds_to_a_tenth(self) -> float:
        """Rounds to a tenth of the error along the slowest direction."""
        if self.contraction >= 1:
            return float("inf")
        return float(np.log(10) / -np.log(self.contraction)) if self.contraction > 0 else 1.0


@dataclass(frozen=True, repr=False, eq=False)
class Plan(Reported):
    """Time and cost to a target against tau, and an outer optimiser; ``make_plan`` makes it.

    ``model``: rounds to the target, None where nothing but the clock is known. ``taus``: the local steps that
    are compared; ``left_out``: why others are not. ``price``: of an hour of a replica. ``curvatures``: the
    least and the largest eta lambda of local steps, on which the outer optimiser depends.
    """

    schedule: SynchronisationSchedule
    model: RoundsModel | None
    taus: Array
    left_out: str
    price: float | None
    curvatures: Range
    assumed: tuple[str, ...] = ()

    @cached_property
    def _members(self) -> Array:
        """Rounds to the target, (members, taus)."""
        assert self.model is not None
        return self.model.rounds(self.taus)

    @cached_property
    def _clock(self) -> tuple[Array, Array]:
        return self.schedule.rounds(self.taus)

    @cached_property
    def round_seconds(self) -> Array:
        """The time of a round, at each tau."""
        return np.asarray(sum(self._clock))

    def _seconds(self) -> Array:
        return self._members * self.round_seconds

    @cached_property
    def rounds(self) -> list[Estimate]:
        """Rounds to the target at each tau."""
        return self._estimates(self._members)

    @cached_property
    def seconds(self) -> list[Estimate]:
        """Time to the target at each tau."""
        return self._estimates(self._seconds())

    def _estimates(self, values: Array) -> list[Estimate]:
        assert self.model is not None
        return [self.model.estimate(column) for column in values.T]

    @property
    def is_timed(self) -> bool:
        """Whether a tau reaches the target; else the plan is about the clock alone."""
        return self.best is not None

    @cached_property
    def best(self) -> int | None:
        """The place of the best tau; None where no target is known or reached."""
        if self.model is None:
            return None
        middle = np.array([each.value for each in self.seconds])
        return int(middle.argmin()) if np.isfinite(middle).any() else None

    @property
    def tau(self) -> int:
        """The best tau; without a target the least at which replicas wait for 5 % of the time."""
        return int(self.taus[self._place])

    @property
    def _place(self) -> int:
        if self.best is not None:
            return self.best
        computation, waiting = self._clock
        enough = np.flatnonzero(waiting <= 0.05 * (waiting + computation))
        return int(enough[0]) if enough.size else len(self.taus) - 1

    @cached_property
    def best_taus(self) -> Range | None:
        """The range of the best tau over the members, or its interval."""
        if self.best is None or self.model is None:
            return None
        seconds = self._seconds()
        finite = np.isfinite(seconds).any(axis=1)
        estimate = self.model.estimate(self.taus[seconds[finite].argmin(axis=1)])
        return estimate.low, min(estimate.high, float(self.taus[-1]))

    @cached_property
    def parallel(self) -> Estimate | None:
        """The time of data-parallel training to the target, an exchange each step."""
        if self.model is None:
            return None
        return self.model.estimate(self._parallel_steps * sum(self.schedule.parallel_step))

    @cached_property
    def _parallel_steps(self) -> Array:
        assert self.model is not None
        return self.model.parallel_steps()

    @property
    def parallel_is_known(self) -> bool:
        """Whether the model covers tau = 1; else the time of data-parallel training is that of its shape."""
        return self.model is not None and not self.model.admits(1)

    @cached_property
    def accumulated(self) -> tuple[int, Estimate] | None:
        """The best number of accumulated gradients of data-parallel training, and its time; by a theorem."""
        if self.model is None or self.model.kind != "theorem":
            return None
        counts = np.unique(np.round(np.geomspace(1, max(self.taus[-1], 1), 25))).astype(int)
        times = np.array(
            [self.model.parallel_steps(int(k)) * self.schedule.accumulated(int(k)) for k in counts]
        )
        place = int(times[:, 0].argmin())
        return int(counts[place]), self.model.estimate(times[place])

    @cached_property
    def speedups(self) -> list[Estimate]:
        """Time of data-parallel training over the time with local steps, at each tau; nan if not reached.

        Where no tau reaches a target: the speed-up if no step is lost to local steps.
        """
        if not self.is_timed:
            values = self.schedule.most_speedup(self.taus)
            return [Estimate(v, v, v) for v in values.tolist()]
        parallel = self._parallel_steps * sum(self.schedule.parallel_step)
        with np.errstate(invalid="ignore"):
            ratio = parallel[:, None] / self._seconds()
        ratios = self._estimates(np.nan_to_num(ratio, nan=1.0, posinf=np.inf))
        nan, reached = float("nan"), [np.isfinite(each.value) for each in self.seconds]
        return [
            each if known else Estimate(nan, nan, nan) for each, known in zip(ratios, reached, strict=True)
        ]

    @cached_property
    def shares(self) -> dict[str, Array]:
        """What the time is spent on at each tau, as shares of it: ``PARTS``."""
        computation, waiting = self._clock
        if self.model is None or not self.is_timed:
            total = self.round_seconds
            return {"communication": waiting / total, "computation": computation / total}
        steps, noiseless = self._parallel_steps[:, None], self.model.noiseless_steps()[:, None]
        one = self.schedule.computation(1)
        with np.errstate(invalid="ignore"):
            seconds = self._seconds()
            noise = np.maximum(steps - noiseless, 0) * one
            descent = np.broadcast_to(np.minimum(noiseless, steps) * one, seconds.shape)
            communication = self._members * waiting
            drift = np.maximum(seconds - communication - noise - descent, 0)
            parts = np.array([communication, drift, np.broadcast_to(noise, seconds.shape), descent])
            parts = parts / parts.sum(axis=0)
        parts = parts[:, self.model.representative]
        counted = np.isfinite(parts).all(axis=0)
        means = np.where(counted, parts, 0).sum(axis=1) / np.maximum(counted.sum(axis=0), 1)
        return dict(zip(PARTS, np.where(counted.any(axis=0), means, np.nan), strict=True))

    @property
    def limits(self) -> list[str]:
        """The largest part at each tau; empty where the target is not reached."""
        stacked = np.array(list(self.shares.values()))
        names = list(self.shares)
        return [names[int(np.argmax(column))] if np.isfinite(column).all() else "" for column in stacked.T]

    def cost(self, seconds: Estimate) -> Estimate | None:
        """The price of so much time of all replicas."""
        if self.price is None:
            return None
        rate = self.price * self.schedule.participants / 3600
        return Estimate(*(rate * value for value in (seconds.value, seconds.low, seconds.high)))

    @property
    def decays(self) -> Range:
        """The least and the largest q = 1 - (1 - eta lambda)^tau at the best tau."""
        low, high = decay(1.0, np.array(self.curvatures), self.tau)
        return float(low), float(high)

    @property
    def is_late(self) -> bool:
        """Whether outer steps come late by a whole round, which has its own edge of stability."""
        return self.schedule.late >= self.tau

    @cached_property
    def outer(self) -> tuple[OuterChoice, ...]:
        """For quadratics: the advised one, the best plain, heavy ball and Nesterov, and the rule of thumb."""
        q = np.geomspace(*self.decays, 65)
        named = [(ADVISED, fastest_optimiser(q, "nesterov", self.is_late, MARGIN))]
        for method in METHODS:
            best = (
                fastest_optimiser(q, method, True)
                if self.is_late
                else best_outer_optimiser(*self.decays, method)[0]
            )
            named.append((f"{method.replace('_', ' ')}, best", best))
        named += [("FedAvg", OuterOptimiser()), ("nesterov, 0.7 and 0.9", RULE_OF_THUMB)]
        return tuple(self._choice(name, each, q) for name, each in named)

    def _choice(self, name: str, each: OuterOptimiser, q: Array) -> OuterChoice:
        edge = (each.largest_late if self.is_late else each.largest) / float(q[-1])
        factor = (each.contraction_late(q) if self.is_late else each.contraction(q)).max()
        return OuterChoice(name, each, float(factor), float(each.amplification(q[0])), edge)

    def to_dict(self) -> dict[str, Any]:
        """The whole result for JSON."""
        return to_dict(self)

    def report(self) -> Report:
        """The answer, the clock, time against tau, data-parallel training, and the outer optimiser."""
        return report_of(self)


def fastest_optimiser(q: Array, method: str, late: bool, share: float = 0.96) -> OuterOptimiser:
    """The fastest outer optimiser for these q up to a share of the largest stable step, by search.

    ``late``: each outer step is late by a round.
    """
    nesterov = float(method == "nesterov")
    betas = np.zeros(1) if method == "plain" else 1 - np.geomspace(1, 0.01, 49)
    best, least = OuterOptimiser(0.25 / float(q[-1])), np.inf
    for beta in betas:
        unit = OuterOptimiser(1.0, float(beta), nesterov)
        edge = (unit.largest_late if late else unit.largest) / float(q[-1])
        for part in _SHARES[share >= _SHARES]:
            each = OuterOptimiser(float(part * edge), float(beta), nesterov)
            factor = float((each.contraction_late(q) if late else each.contraction(q)).max())
            if factor < least:
                best, least = each, factor
    return best


def make_plan(
    schedule: SynchronisationSchedule,
    model: RoundsModel | None = None,
    *,
    taus: Sequence[int] | None = None,
    price: float | None = None,
    curvatures: Range | None = None,
    assumed: Sequence[str] = (),
) -> Plan:
    """Compare numbers of local steps; see ``Plan``.

    ``taus``: those that are compared; by default from 1 to where replicas wait for less than 1 % of the
    time, as far as the model admits. ``curvatures``: by default from a thousandth of eta L to eta L where the
    model knows it at the best tau, else ``CURVATURES``.

    Raises BoundkitError where no tau is admitted, and for one that is no whole number from 1 on.
    """
    refine = taus is None and model is not None
    if taus is None:
        longest = schedule.outer.seconds(schedule.fragments) * schedule.fragments
        top = int(np.clip(100 * longest / schedule.step_time, 100, MOST_TAU))
        taus = np.unique(np.round(np.geomspace(1, top, _POINTS))).astype(int).tolist()
    for tau in taus:
        if isinstance(tau, bool) or not 1 <= tau < 2**53 or tau != int(tau):
            raise BoundkitError(f"tau counts local steps: whole numbers from 1 on, but {tau!r} was given.")
    if not len(taus):
        raise BoundkitError("a plan needs a tau, but the sequence of local steps is empty.")
    taus = sorted({int(tau) for tau in taus})
    refusals = {tau: "" if model is None else model.admits(tau) for tau in taus}
    admitted = [tau for tau, refusal in refusals.items() if not refusal]
    if not admitted:
        raise BoundkitError(f"no tau can be planned: {next(iter(refusals.values()))}.")
    low, high = curvatures or CURVATURES
    if not 0 < low <= high < 2:
        raise BoundkitError(
            f"the curvature eta lambda of local steps goes from above 0 to below 2, but {low:g} to {high:g} "
            "was given."
        )
    if refine and model is not None:
        admitted = _finer(schedule, model, admitted)
    plan = Plan(schedule, model, np.array(admitted), _left_out(refusals), price, (low, high), tuple(assumed))
    if curvatures is not None:
        return plan
    most = None if model is None else model.largest_curvature(plan.tau)
    if most is None:
        words = "eta lambda from {:g} to {:g}, for the outer optimiser".format(*CURVATURES)
    else:
        plan = replace(plan, curvatures=(most * CURVATURES[0] / CURVATURES[1], most))
        words = "eta lambda from {:.3g} to {:.3g} = eta L, for the outer optimiser".format(*plan.curvatures)
    return replace(plan, assumed=(*plan.assumed, words))


def _left_out(refusals: Mapping[int, str]) -> str:
    """Why some tau are not planned: the last refusal that names its tau, and the others with theirs."""
    last, others = "", dict[str, list[int]]()
    for tau, refusal in refusals.items():
        if f"tau = {tau} " in refusal:
            last = refusal
        elif refusal:
            others.setdefault(refusal, []).append(tau)
    named = [f"tau = {', '.join(map(str, taus))}: {refusal}" for refusal, taus in others.items()]
    return "; ".join([*named, *([last] if last else [])])


def _finer(schedule: SynchronisationSchedule, model: RoundsModel, taus: list[int]) -> list[int]:
    """The same, with more near the best."""
    plan = Plan(schedule, model, np.array(taus), "", None, CURVATURES)
    if plan.best is None or len(taus) < 3:
        return taus
    low, high = taus[max(plan.best - 1, 0)], taus[min(plan.best + 1, len(taus) - 1)]
    more = np.unique(np.round(np.linspace(low, high, 9))).astype(int).tolist()
    return sorted({*taus, *(tau for tau in more if not model.admits(tau))})
