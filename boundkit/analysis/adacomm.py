r"""AdaComm: local steps between two exchanges, chosen again as the loss falls.

The rule, recalled from Wang and Joshi (1810.08313) and at order level, rests on the best tau against the
clock, sqrt(2 gap delay/(eta^3 L^2 sigma^2 W)), with what is left of the loss for gap. The ratio of two such
taus needs none of the constants:

    tau_l = ceil(sqrt((F_l - F_inf)/(F_0 - F_inf)) tau_0),

times (eta_0/eta_l)^(p/2) where the step size decays. The formula gives p = 3; the paper takes p = 1
(recalled). Where this is not smaller than tau_{l-1}, the paper takes gamma tau_{l-1} instead (recalled).

Erratum: the paper writes F_l/F_0, which supposes F_inf = 0. That ratio changes when a constant is added to
the loss, and stays near 1 where the infimum is far from 0; the excess over the infimum does neither.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import isfinite
from typing import TYPE_CHECKING

import numpy as np

from boundkit.algebra import BoundkitError
from boundkit.algebra.domain import WHOLE_TOLERANCE, is_whole
from boundkit.report import Cell, Heading, Report, Table, Tex

if TYPE_CHECKING:
    from boundkit.analysis.evaluate import Array  # whose module loads sympy, which no run needs

AS_PRINTED, AS_DERIVED = 1, 3
"""The power of eta_0/eta_l under the root: in the paper, and in the best tau against the clock."""
_ROUNDING = 1e-15


def adacomm_steps(
    loss: float,
    first_loss: float,
    tau_0: int,
    *,
    infimum: float = 0.0,
    previous: int | None = None,
    shrink: float = 0.5,
    step_ratio: float = 1.0,
    power: int = AS_PRINTED,
) -> int:
    """Compute the local steps of AdaComm's next interval.

    Parameters
    ----------
    loss, first_loss : float
        F_l and F_0, the losses now and at the initial point.
    tau_0 : int
        The local steps of the first interval.
    infimum : float
        F_inf, the infimum of the loss.
    previous : int, optional
        The local steps of the interval before; the result then shrinks by ``shrink`` wherever the rule alone
        would not make it smaller, down to 1.
    shrink : float
        That factor, between 0 and 1.
    step_ratio : float
        eta_0/eta_l.
    power : int
        The power of ``step_ratio`` under the root.

    Returns
    -------
    int
        The local steps, at least 1.

    Raises
    ------
    BoundkitError
        For losses below the infimum, a first loss at it, and values outside their ranges.

    Examples
    --------
    >>> adacomm_steps(0.25, 1.0, 20), adacomm_steps(1.25, 2.0, 20, infimum=1.0)
    (10, 10)
    >>> adacomm_steps(1.0, 1.0, 20, previous=20)
    10
    >>> adacomm_steps(0.25, 1.0, 20, step_ratio=10, power=AS_DERIVED)
    317
    """
    _check(loss, first_loss, tau_0, infimum, previous, shrink, step_ratio, power)
    ratio = np.array((loss - infimum) / (first_loss - infimum) * step_ratio**power)
    if previous is None:
        return int(rule_steps(ratio, tau_0))
    return int(decreasing_steps(ratio, tau_0, np.array(previous), shrink))


def rule_steps(ratio: Array, tau_0: int) -> Array:
    """ceil(sqrt(ratio) tau_0), at least 1, for each of an array of ratios of losses."""
    exact = np.sqrt(ratio) * tau_0
    # Rounding must not turn a whole number into the next one.
    near = np.round(exact)
    whole = np.abs(exact - near) <= np.maximum(WHOLE_TOLERANCE, _ROUNDING * exact)
    return np.asarray(np.maximum(np.where(whole, near, np.ceil(exact)), 1.0))


def decreasing_steps(ratio: Array, tau_0: int, previous: Array, shrink: float) -> Array:
    """The wanted steps where they are fewer than the previous ones; elsewhere shrink previous, rounded up."""
    wanted = rule_steps(ratio, tau_0)
    return np.asarray(np.where(wanted < previous, wanted, np.maximum(np.ceil(shrink * previous), 1.0)))


def _check(
    loss: float,
    first_loss: float,
    tau_0: int,
    infimum: float,
    previous: int | None,
    shrink: float,
    step_ratio: float,
    power: int,
) -> None:
    if not all(map(isfinite, (loss, first_loss, infimum))) or loss < infimum or first_loss <= infimum:
        raise BoundkitError(
            f"loss = {loss:g}, first_loss = {first_loss:g} and infimum = {infimum:g} were given, but no loss "
            "is below the infimum, and the first one must be above it."
        )
    for name, count in (("tau_0", tau_0), ("previous", previous)):
        if count is not None and (not is_whole(count) or count < 1):
            raise BoundkitError(f"{name} = {count!r} was given, but it must be a whole number, at least 1.")
    if not 0 < shrink < 1:
        raise BoundkitError(f"shrink = {shrink:g} was given, but it must be above 0 and below 1.")
    if not (isfinite(step_ratio) and step_ratio > 0):
        raise BoundkitError(f"step_ratio = {step_ratio:g} was given, but eta_0/eta_l is above 0 and finite.")
    if power not in (AS_PRINTED, AS_DERIVED):
        raise BoundkitError(
            f"power = {power!r} was given, but it is {AS_PRINTED} (as printed) or {AS_DERIVED} (as derived)."
        )


@dataclass(frozen=True)
class Convergence:
    """Which of the three conditions on a schedule hold; together they send the weighted mean to 0."""

    start_forgotten: bool
    noise_summable: bool
    drift_summable: bool

    def _repr_html_(self) -> str:
        conditions = {
            "the start is forgotten": (r"\sum_r \eta_r \tau_r = \infty", self.start_forgotten),
            "the noise is summable": (r"\sum_r \eta_r^2 \tau_r < \infty", self.noise_summable),
            "the drift is summable": (r"\sum_r \eta_r^3 \tau_r^2 < \infty", self.drift_summable),
        }
        rows: list[list[Cell]] = [
            [what, Tex(sum_, ""), str(holds)] for what, (sum_, holds) in conditions.items()
        ]
        answer = "converges" if self else "is not shown to converge"
        title = Heading(f"The schedule {answer}")
        return Report((title, Table(["condition", "", "holds"], rows))).to_html()

    def __bool__(self) -> bool:
        return self.start_forgotten and self.noise_summable and self.drift_summable


def power_law_converges(step_power: float, steps_power: float = 0.0) -> Convergence:
    """Test the conditions of convergence for eta_r = eta_0 r^(-a), tau_r = ceil(tau_0 r^g), r = 1, 2, ...

    They are sum eta_r tau_r = inf, sum eta_r^2 tau_r < inf and sum eta_r^3 tau_r^2 < inf. Steps are whole
    numbers, at least 1, so a power g < 0 counts as 0 in the limit.

    Parameters
    ----------
    step_power : float
        The power a of the step size.
    steps_power : float
        The power g of the local steps.

    Returns
    -------
    Convergence
        Each condition; true where all hold.

    Raises
    ------
    BoundkitError
        For powers that are not finite.

    Examples
    --------
    >>> power_law_converges(0.75), bool(power_law_converges(0.75))
    (Convergence(start_forgotten=True, noise_summable=True, drift_summable=True), True)
    >>> power_law_converges(0.75, steps_power=1).noise_summable
    False
    """
    if not all(map(isfinite, (step_power, steps_power))):
        raise BoundkitError(f"the powers {step_power:g} and {steps_power:g} were given; both must be finite.")
    growth = max(steps_power, 0.0)
    return Convergence(
        start_forgotten=not _summable(step_power, growth),
        noise_summable=_summable(2 * step_power, growth),
        drift_summable=_summable(3 * step_power, 2 * growth),
    )


def _summable(falling: float, growing: float) -> bool:
    """Whether sum r^(growing - falling) is finite; 3*0.4 - 2*0.1 is 1 here, though rounding puts it above."""
    return falling - growing > 1 + 1e-12 * max(1.0, falling, growing)
