r"""The lemma on local steps by induction: variance, bias and displacement of y -> y - eta g_i(y).

In units of eta = 1 and with a = eta L: V_k is the variance of y^k given x, w_k = ||E y^k - x||, B = ||g_i||,
r_k^2 = E||y^k - x||^2 = w_k^2 + V_k. A step is (1 + a)-Lipschitz, adds a variance of at most sigma^2, and
E grad F_i(y^k) differs from grad F_i(E y^k) by at most L sqrt(V_k) (in units of eta: a sqrt(V_k)):

    V_{k+1} <= (1 + a)^2 V_k + sigma^2,   w_{k+1} <= (1 + a) w_k + B + a sqrt(V_k).

For convex losses and a <= 2 a step is 1-Lipschitz, and both factors 1 + a are 1. The claims

    V_k <= k (1 + beta a (k - 1)) sigma^2
    w_k <= k (1 + gamma a (k - 1)) B + theta a k^{3/2} (1 + d1 a k + d2 a^2 k^2) sigma

hold at k = 0, and pass from k to k + 1 <= tau if the obligations below hold for all x = a k <= h, where
h >= a (tau - 1); k >= 1 makes a = x t with t in [0, 1] (at k = 0 all terms but the fresh ones vanish). Roots
leave by (k+1)^p >= k^p + p k^{p-1} for p = 3/2, 5/2, 7/2.

A gradient that varies with y^k is not all bias. With b_k = ||grad F_i(x) - E grad F_i(y^k)|| and a^2 S_k =
Var grad F_i(y^k), smoothness gives b_k^2 <= a^2 (r_k^2 - S_k), and only S_k makes the variance grow: for any
u > 0

    V_{k+1} <= (sqrt(V_k) + a sqrt(S_k))^2 + sigma^2 <= (1 + a u) V_k + (a/u + a^2) S_k + sigma^2.

So sum_k (V_k - S_k)/k over 1 <= k <= N = tau - 1 is at most its value at S = 0, where V_k <= k (1 + beta' a
(k - 1)) sigma^2 with beta' = u/(2 - u h), if for all j <= N

    (a/u + a^2) sum_{j < k <= N} (1 + a u)^{k-1-j}/k <= 1/j.

The powers are at most exp(u h) <= 1/(1 - u h), and j sum_{j < k <= N} 1/k <= j log(N/j) <= N/e < 3 N/8. There
is a k only for N >= 2, where a <= h/2. So (3/8) h (1/u + h/2) <= 1 - u h is enough: 11 h^2 <= 4 at u = h/2.
"""

from __future__ import annotations

from functools import lru_cache
from math import isqrt
from typing import Any

from sympy import Expr, Poly, Rational, Symbol, factorial, sympify
from sympy.functions.combinatorial.numbers import bernoulli

from boundkit.algebra import BoundkitError
from boundkit.algebra.notation import L, eta, tau
from boundkit.proofs.domain import Inequality
from boundkit.proofs.scalar_inequalities import Interval

_x, _t, _b, _n, _k = (Symbol(name) for name in ("x", "t", "b", "n", "k"))
_HALF = Rational(1, 2)


def variance(h: Any, convex: bool = False, *, beta: Any = None) -> tuple[Expr, tuple[Inequality, ...]]:
    """Return the growth 1 + beta eta L (tau - 1) of the variance, and what it rests on."""
    h = _number(h, "h")
    if convex:
        return sympify(1), (Inequality(2 - eta * L, "eta L <= 2"),)
    beta = _beta(h, beta)
    return 1 + beta * eta * L * (tau - 1), (*_small(h), _variance_step(h, beta))


def variance_factor(h: Any) -> tuple[Expr, tuple[Inequality, ...]]:
    """Return the growth 1 + beta h for eta L (tau - 1) <= h, and what it rests on beside that."""
    h = _number(h, "h")
    beta = _beta(h, None)
    return 1 + beta * h, (_below_one(h), _variance_step(h, beta))


def bias_factors(h: Any, y: Any, p: Any, q: Any, **constants: Any) -> tuple[Inequality, ...]:
    """Return what the ``bias`` for eta L (tau - 1) <= h rests on beside that."""
    condition = _condition(_number(h, "h"))
    return tuple(each for each in bias(h, y, p, q, **constants) if each != condition)


def bias(
    h: Any,
    y: Any,
    p: Any,
    q: Any,
    convex: bool = False,
    whole: bool = False,
    shared: bool = False,
    **constants: Any,
) -> tuple[Inequality, ...]:
    """Return what ||e_i||^2 <= (eta L (tau - 1))^2 (p ||g_i||^2 + q sigma^2/tau) rests on.

    ||e_i|| <= (L/tau) sum_k r_k, and (sum_k r_k)^2 <= (sum_k k) (sum_k r_k^2/k) over 1 <= k < tau, where
    r_k^2 <= (1 + y) (part of B)^2 + (1 + 1/y) (part of sigma)^2 + V_k. At tau = 1 both sides are 0.
    ``whole``: whether h bounds eta L tau, so that few steps are shorter together. ``shared``: whether the
    variance of the gradients is taken off their squares, so that the V_k grow by beta' for beta; the noise
    does not move E y^1 then, and the root of its variance rises with k.
    """
    h, y, p, q = _number(h, "h"), _number(y, "y"), _number(p, "p"), _number(q, "q")
    claim = _Claims(h, convex, whole, rising=shared, **constants)
    growth = h / (4 - h**2) if shared and not convex else claim.beta
    mean, noise = claim.squares(y, growth)
    tau_ = 2 + _n
    first = 2 * p * tau_ * (tau_ - 1) - _sum_to(mean / _k, tau_ - 1)
    second = 2 * q * (tau_ - 1) - _sum_to(noise / _k, tau_ - 1)
    if not shared:
        return (*claim.obligations, *_sums(h, y, p, q, first, second, whole))
    second += noise.subs(_k, 1) - 1  # V_1 is sigma^2
    return (*claim.obligations, *_shared(h, growth), *_sums(h, y, p, q, first, second, whole))


def bias_of_gradients(h: Any) -> tuple[Rational, tuple[Inequality, ...]]:
    """Return p of ||e_i||^2 <= (eta L (tau - 1))^2 p ||g_i||^2 without noise, and what it rests on.

    Then r_k = w_k, and ||e_i|| <= (L/tau) sum_k r_k <= eta L (tau - 1) (1/2 + gamma a (tau - 2)/3) ||g_i||.
    """
    h = _number(h, "h")
    gamma = 1 / (2 - h)
    return (_HALF + gamma * h / 3) ** 2, (*_small(h), _mean_step(h, gamma))


def displacement(
    h: Any, y: Any, p: Any, q: Any, convex: bool = False, whole: bool = False, **constants: Any
) -> tuple[Inequality, ...]:
    """Return what (1/tau) sum_k r_k^2 <= eta^2 (tau - 1) (p tau ||g_i||^2 + q sigma^2) rests on.

    ``whole``: whether h bounds eta L tau.
    """
    h, y, p, q = _number(h, "h"), _number(y, "y"), _number(p, "p"), _number(q, "q")
    claim = _Claims(h, convex, whole, **constants)
    mean, noise = claim.squares(y, claim.beta)
    tau_ = 2 + _n
    first = p * tau_**2 * (tau_ - 1) - _sum_to(mean, tau_ - 1)
    second = q * tau_ * (tau_ - 1) - _sum_to(noise, tau_ - 1)
    return (*claim.obligations, *_sums(h, y, p, q, first, second, whole))


class _Claims:
    """The claims of the induction, with constants, and the obligations of its step.

    By default ``order`` 1 has d2 = 0 and d1 = 1/(5/2 - h), ``order`` 2 has d1 = 2/5, d2 = d1/(7/2 - h), and
    ``root`` is a rational number just above sqrt(1 + beta h), theta = 2 root/3. ``rising``: with 1 + beta x/2
    for the root, theta = 2/3, and d1 and d2 that are 1 + 3 beta/4 times as large.
    """

    def __init__(
        self,
        h: Rational,
        convex: bool,
        whole: bool = False,
        *,
        beta: Any = None,
        gamma: Any = None,
        root: Any = None,
        order: int = 1,
        d1: Any = None,
        d2: Any = None,
        rising: bool = False,
    ) -> None:
        if convex:
            self.beta = self.gamma = self.d1 = self.d2 = Rational(0)
            self.theta = Rational(2, 3)
            self.obligations: tuple[Inequality, ...] = (
                Inequality(2 - eta * L, "eta L <= 2"),
                _condition(h, whole),
            )
            return
        self.beta = _beta(h, beta)
        self.gamma = 1 / (2 - h) if gamma is None else _number(gamma, "gamma")
        root = _root_above(1 + self.beta * h) if root is None else _number(root, "root")
        root, slope = (Rational(1), self.beta / 2) if rising else (root, Rational(0))
        self.theta = Rational(2, 3) * root
        least = Rational(2, 5) * (1 + 3 * slope / 2)
        defaults = (least / (1 - Rational(2, 5) * h), Rational(0))
        if order == 2:
            defaults = (least, least / (Rational(7, 2) - h))
        self.d1 = defaults[0] if d1 is None else _number(d1, "d1")
        self.d2 = defaults[1] if d2 is None else _number(d2, "d2")
        box = {_x: Interval.of(0, h)}
        series = 1 + self.d1 * _x + self.d2 * _x**2
        growth = 3 * _HALF + 5 * _HALF * self.d1 * _x + 7 * _HALF * self.d2 * _x**2
        noise = self.theta * (growth - _x * series) - root - slope * _x
        self.obligations = (
            _condition(h, whole),
            _below_one(h),
            _variance_step(h, self.beta),
            _mean_step(h, self.gamma),
            Inequality((root + slope * h) ** 2 - 1 - self.beta * h, f"root {root}: root^2 >= 1 + beta h"),
            Inequality(noise, "induction for the mean displacement by noise", box=box),
        )

    def squares(self, y: Rational, growth: Rational) -> tuple[Expr, Expr]:
        """Return the parts of r_k^2 with B^2 and with sigma^2, as polynomials of k and a = b/(1 + n).

        ``growth``: beta, or beta' where the variance of the gradients is taken off.
        """
        a = _b / (1 + _n)
        by_gradients = _k * (1 + self.gamma * a * (_k - 1))
        by_noise_squared = (
            self.theta**2 * a**2 * _k**3 * (1 + self.d1 * a * _k + self.d2 * (a * _k) ** 2) ** 2
        )
        variances = _k * (1 + growth * a * (_k - 1))
        return (1 + y) * by_gradients**2, (1 + 1 / y) * by_noise_squared + variances


def _small(h: Rational) -> tuple[Inequality, ...]:
    return (_condition(h), _below_one(h))


def _condition(h: Rational, whole: bool = False) -> Inequality:
    if whole:
        return Inequality(h - eta * L * tau, f"eta L tau <= h = {h}")
    return Inequality(h - eta * L * (tau - 1), f"eta L (tau - 1) <= h = {h}")


def _below_one(h: Rational) -> Inequality:
    return Inequality(1 - h, f"h = {h} < 1", strict=True)


def _variance_step(h: Rational, beta: Rational) -> Inequality:
    step = 2 * beta - (2 + _x * _t) * (1 + beta * _x * (1 - _t))
    return Inequality(step, "induction for the variance", box=_square_box(h))


def _shared(h: Rational, growth: Rational) -> tuple[Inequality, ...]:
    """Return what the growth of V_k by beta' rests on, at u = h/2."""
    u = h / 2
    step = 2 * growth - u - u * growth * _x * (1 - _t)
    return (
        Inequality(4 - 11 * h**2, "h: (3/8) h (1/u + h/2) <= 1 - u h at u = h/2"),
        Inequality(step, "induction for the variance without that of the gradients", box=_square_box(h)),
    )


def _mean_step(h: Rational, gamma: Rational) -> Inequality:
    step = 2 * gamma - 1 - gamma * _x * (1 - _t)
    return Inequality(step, "induction for the mean displacement by gradients", box=_square_box(h))


def _square_box(h: Rational) -> dict[Symbol, Interval]:
    return {_x: Interval.of(0, h), _t: Interval.of(0, 1)}


def _sums(
    h: Rational, y: Rational, p: Rational, q: Rational, first: Expr, second: Expr, whole: bool
) -> tuple[Inequality, ...]:
    if whole:  # b = eta L tau (1 + n)/(2 + n), of which b is a name from here on
        first, second = (each.subs(_b, _b * (1 + _n) / (2 + _n)) for each in (first, second))
    box = {_b: Interval.of(0, h), _n: Interval.of(0)}
    return (
        Inequality(y, f"y = {y} > 0", strict=True),
        Inequality(first, f"sum over the steps, part of the gradients, p = {p}", box=box),
        Inequality(second, f"sum over the steps, part of the noise, q = {q}", box=box),
    )


def _beta(h: Rational, beta: Any) -> Rational:
    if not 0 <= h < 1:
        raise BoundkitError(f"h = {h}; a bound on eta L (tau - 1) must be at least 0 and below 1.")
    return 1 / (1 - h) if beta is None else _number(beta, "beta")


def _root_above(value: Rational) -> Rational:
    """Return a rational number with three digits whose square is at least the value."""
    least = isqrt(int(value * 10**6)) + 1
    return Rational(least, 1000)


@lru_cache(maxsize=200)
def _sum_to(expr: Expr, last: Expr) -> Expr:
    """Return the sum over k = 1, ..., last of a polynomial in k."""
    total = sympify(0)
    for (power,), value in Poly(expr.expand(), _k).terms():
        total += value * _power_sum(power).subs(_k, last)
    return total


@lru_cache(maxsize=20)
def _power_sum(power: int) -> Expr:
    """Return 1^p + ... + k^p as a polynomial of k, by Faulhaber's formula.

    >>> _power_sum(1)
    k**2/2 + k/2
    """
    total = sympify(0)
    for j in range(power + 1):
        choose = factorial(power + 1) / (factorial(j) * factorial(power + 1 - j))
        sign = -1 if j == 1 and bernoulli(1) < 0 else 1  # B_1 = +1/2 in this formula
        total += sign * choose * bernoulli(j) * _k ** (power + 1 - j)
    return (total / (power + 1)).expand()


def _number(value: Any, name: str) -> Rational:
    number = sympify(value)
    if not number.is_Rational:
        raise BoundkitError(f"{name} = {value} must be a rational number.")
    return number
