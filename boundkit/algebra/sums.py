r"""Sums over clients, rounds, and the gradients of one local run, as formulas.

Inside a sum over clients a quantity with an index i, such as tau_i, is the value of one client. It
evaluates with arrays whose last axis runs over clients (and the one before it over rounds).

A sum over a local run avoids cancellation. With W_j = (a^j - b^j)/(a - b), the j-th last gradient of the run
has weight W_j: a is the factor of the iterate from one step to the next (1 for plain SGD, less with a
proximal term), b the momentum. Sums of W_j and of W_j^2 over j = 1, ..., n have closed forms, such as
(1 - a^n)/(1 - a) at b = 0. Those divide by 0 at a = 1 and lose digits near it, as for a small step times a
small proximal weight. A sum therefore stays a sum, and is evaluated by doubling, from parts that are all
positive.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from sympy import Dummy, Expr, Function, Pow, S, Symbol


class _Over(Function):  # type: ignore[misc]  # sympy carries no types
    """A reduction of one expression over an index."""

    nargs = 1
    word: ClassVar[str]
    sign: ClassVar[str]

    @staticmethod
    def alike(inside: Expr, m: Expr) -> Expr:
        """Its value for homogeneous clients, or identical rounds."""
        return inside

    def _eval_is_extended_nonnegative(self) -> bool | None:
        return True if self.args[0].is_extended_nonnegative else None

    def _eval_is_extended_positive(self) -> bool | None:
        return True if self.args[0].is_extended_positive else None

    def _eval_is_finite(self) -> bool | None:
        return True if self.args[0].is_finite else None

    def _latex(self, printer: Any, exp: str | None = None) -> str:
        inside = printer._print(self.args[0])
        if self.args[0].is_Add:
            inside = rf"\left({inside}\right)"
        text = f"{self.sign} {inside}"
        return text if exp is None else rf"\left({text}\right)^{{{exp}}}"

    def _sympystr(self, printer: Any) -> str:
        return f"{self.word}({printer._print(self.args[0])})"


class ClientSum(_Over):
    r"""The sum over clients, :math:`\sum_{i=1}^m`.

    >>> from boundkit.algebra.notation import p_i, tau_i
    >>> ClientSum(p_i * tau_i)
    sum_i(p_i*tau_i)
    """

    word = "sum_i"
    sign = r"\sum_{i=1}^{m}"

    @staticmethod
    def alike(inside: Expr, m: Expr) -> Expr:
        """Its value for homogeneous clients."""
        return m * inside


class ClientMax(_Over):
    r"""The maximum over clients, :math:`\max_i`."""

    word = "max_i"
    sign = r"\max_i"


class RoundMean(_Over):
    r"""The mean over rounds, :math:`\frac1T\sum_t`, of an expression that may differ between rounds."""

    word = "mean_t"
    sign = r"\frac{1}{T} \sum_{t<T}"


class RoundMax(_Over):
    r"""The maximum over rounds, :math:`\max_t`."""

    word = "max_t"
    sign = r"\max_t"


class ActiveShare(_Over):
    r"""Expected weight of client i in the average over participants: :math:`\mathbb{E}[1\{i \in S\}/|S|]`.

    Its argument is the probability that client i participates, independently of the others. It is not the
    probability divided by the sum of probabilities: fewer participants give each of them more weight.

    >>> from boundkit.algebra.notation import q_i
    >>> ActiveShare(q_i)
    share_i(q_i)
    """

    word = "share_i"
    sign = r"\operatorname{share}_i"

    def _latex(self, printer: Any, exp: str | None = None) -> str:
        raised = "" if exp is None else f"^{{{exp}}}"
        return rf"{self.sign}{raised}\left({printer._print(self.args[0])}\right)"

    @staticmethod
    def alike(inside: Expr, m: Expr) -> Expr:
        """Its value for homogeneous clients: the participants share 1, given that there is one."""
        return (1 - (1 - inside) ** m) / m


LONGEST_EXACT = 1000
"""Up to how many steps a sum of numbers is added up as soon as it is written."""


@dataclass(frozen=True)
class LocalRun:
    """n steps of a local run: W_n, a^n, b^n, and the sums over j <= n of W_j, W_j^2, a^j W_j, a^j, a^(2j)."""

    last: Any
    a: Any
    b: Any
    weights: Any
    squares: Any
    crossed: Any
    powers: Any
    even_powers: Any

    def then(self, other: LocalRun) -> LocalRun:
        """These steps, and then the other ones: W_{n+j} = W_n a^j + b^n W_j."""
        w, b = self.last, self.b
        return LocalRun(
            last=w * other.a + b * other.last,
            a=self.a * other.a,
            b=b * other.b,
            weights=self.weights + w * other.powers + b * other.weights,
            squares=self.squares
            + w * w * other.even_powers
            + 2 * w * b * other.crossed
            + b * b * other.squares,
            crossed=self.crossed + self.a * (w * other.even_powers + b * other.crossed),
            powers=self.powers + self.a * other.powers,
            even_powers=self.even_powers + self.a * self.a * other.even_powers,
        )


def no_step(one: Any) -> LocalRun:
    """No step at all; ``one`` is the 1 of the numbers or arrays that are added."""
    zero = one - one
    return LocalRun(zero, one, one, zero, zero, zero, zero, zero)


def one_step(a: Any, b: Any, one: Any) -> LocalRun:
    """A single step, of weight 1."""
    return LocalRun(one, a, b, one, one, a, a, a * a)


def run_of(a: Any, b: Any, n: int) -> LocalRun:
    """n steps, in whatever numbers a and b are: a step for each binary digit of n.

    >>> from sympy import Rational
    >>> run_of(Rational(1, 2), Rational(0), 3).weights
    7/4
    """
    one = S.One
    total, single = no_step(one), one_step(a, b, one)
    for digit in f"{n:b}":
        total = total.then(total)
        if digit == "1":
            total = total.then(single)
    return total


class LocalSum(Function):  # type: ignore[misc]  # sympy carries no types
    """A sum over j <= n of a power of W_j(a, b)."""

    nargs = 3
    power: ClassVar[int]
    field: ClassVar[str]

    @classmethod
    def eval(cls, a: Expr, b: Expr, n: Expr) -> Expr | None:
        """What needs no sum: no step, one step, plain SGD, and numbers."""
        if n.is_zero:
            return S.Zero
        if n == 1:
            return S.One
        if a == 1 and b == 0:
            return n
        if n.is_Integer and 0 < n <= LONGEST_EXACT and a.is_Number and b.is_Number:
            return getattr(run_of(a, b, int(n)), cls.field)
        return None

    def summand(self, j: Expr) -> Expr:
        """What is added for the j-th last gradient."""
        a, b, _ = self.args
        if b == 0:
            return Pow(a, self.power * (j - 1))
        return Pow((Pow(a, j) - Pow(b, j)) / (a - b), self.power)

    def closed_form(self) -> Expr:
        """The sum in powers; it has no value where a, b or a b is 1, or a = b."""
        a, b, n = self.args
        if self.power == 1:
            return (_geometric(a, n) - _geometric(b, n)) / (a - b)
        parts = _geometric(a**2, n) - 2 * _geometric(a * b, n) + _geometric(b**2, n)
        return parts / (a - b) ** 2

    def fdiff(self, argindex: int = 1) -> Expr:
        """The derivative of the closed form."""
        symbols = [Dummy(positive=True) for _ in self.args]
        slope = self.func(*symbols).closed_form().diff(symbols[argindex - 1])
        return slope.xreplace(dict(zip(symbols, self.args, strict=True)))

    def _eval_evalf(self, prec: int) -> Expr:
        a, b, n = (x._evalf(prec) for x in self.args)
        whole = self.args[2]
        if whole.is_Number and whole >= 0 and float(whole).is_integer() and a.is_Number and b.is_Number:
            return getattr(run_of(a, b, int(whole)), self.field)
        return self.func(a, b, n)

    def _eval_is_extended_nonnegative(self) -> bool | None:
        return True if all(x.is_extended_nonnegative for x in self.args) else None

    def _latex(self, printer: Any, exp: str | None = None) -> str:
        text = rf"\sum_{{j=1}}^{{{printer._print(self.args[2])}}} {printer._print(self.summand(Symbol('j')))}"
        return text if exp is None else rf"\left({text}\right)^{{{exp}}}"

    def _sympystr(self, printer: Any) -> str:
        return f"sum_{{j<={printer._print(self.args[2])}}}({printer._print(self.summand(Symbol('j')))})"


class WeightSum(LocalSum):
    r"""The sum of the weights, :math:`\sum_{j=1}^n W_j(a, b)`.

    >>> from boundkit.algebra.notation import rho_momentum, tau_i
    >>> WeightSum(1 - rho_momentum, 0, tau_i)
    sum_{j<=tau_i}((1 - rho_momentum)**(j - 1))
    >>> WeightSum(1, 0, tau_i)
    tau_i
    """

    power = 1
    field = "weights"


class WeightSquares(LocalSum):
    r"""The sum of their squares, :math:`\sum_{j=1}^n W_j(a, b)^2`."""

    power = 2
    field = "squares"


def _geometric(r: Expr, n: Expr) -> Expr:
    """r + r^2 + ... + r^n."""
    return S.Zero if r == 0 else n if r == 1 else r * (1 - r**n) / (1 - r)
