r"""Everything that a theorem file needs, for ``from boundkit.algebra.authoring import *``.

The alphabet of ``notation``, the assumptions and claims of ``vocabulary``, the papers, what formulas are made
of (``Rational``, ``sqrt``, ``ClientSum``, ...), and constructors:

- of terms, by the provenance of the constant: ``stated``, ``appendix``, ``derived``, ``order``, ``recalled``;
- of conditions: ``at_most``, ``at_least``, ``more_than``, ``less_than``;
- of relations: ``to`` and ``not_to`` another theorem, ``removes`` and ``keeps`` terms in a limit;
- of theorems: ``upper``, ``lower``, ``order_level``, and from another theorem ``variant`` and ``tuned``.

Only theorem files import it with a star; a file of another kind imports the names from their own modules.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from math import lcm
from typing import Any

from sympy import Expr, Gt, Integer, Lt, Mul, factor_terms
from sympy import Max as Max
from sympy import Min as Min
from sympy import Rational as Rational
from sympy import asinh as asinh
from sympy import binomial as binomial
from sympy import exp as exp
from sympy import log as log
from sympy import oo as oo
from sympy import sqrt as sqrt
from sympy.core.relational import Relational

from boundkit.algebra.claim import Claim
from boundkit.algebra.domain import at_least as at_least
from boundkit.algebra.domain import at_most as at_most
from boundkit.algebra.errors import BoundkitError, unknown
from boundkit.algebra.notation import *
from boundkit.algebra.notation import T
from boundkit.algebra.papers import *
from boundkit.algebra.papers import Source as Source
from boundkit.algebra.printing import plain
from boundkit.algebra.quantity import Quantity as Quantity
from boundkit.algebra.reduction import Limit, Reduction
from boundkit.algebra.solvers import solvers_for as solvers_for
from boundkit.algebra.sums import ActiveShare as ActiveShare
from boundkit.algebra.sums import ClientMax as ClientMax
from boundkit.algebra.sums import ClientSum as ClientSum
from boundkit.algebra.sums import RoundMax as RoundMax
from boundkit.algebra.sums import RoundMean as RoundMean
from boundkit.algebra.term import Term
from boundkit.algebra.theorem import Kind, Theorem
from boundkit.algebra.vocabulary import *
from boundkit.report.formatting import join_names

Values = Mapping[Quantity, Expr | int]

# Terms, by the provenance of the constant


def stated(cause: str, expr: Expr, because: str, label: str = "") -> Term:
    """A term whose constant is in the main text of the source."""
    return Term(cause, expr, "stated", because, label)


def appendix(cause: str, expr: Expr, because: str, label: str = "") -> Term:
    """A term whose constant is in the appendix or supplement of the source."""
    return Term(cause, expr, "appendix", because, label)


def derived(cause: str, expr: Expr, because: str, label: str = "") -> Term:
    """A term whose constant is proved in the docstring."""
    return Term(cause, expr, "derived", because, label)


def order(cause: str, expr: Expr, because: str, label: str = "") -> Term:
    """A term that the source gives as O(.); its constant is one of c_1, c_2, ..."""
    return Term(cause, expr, "order", because, label)


def recalled(cause: str, expr: Expr, because: str, label: str = "") -> Term:
    """A term quoted from memory or from a partial text, neither proved nor checked against the source."""
    return Term(cause, expr, "recalled", because, label)


# Conditions beside at_most and at_least; undecided, as those are


def more_than(left: Expr, right: Expr | int) -> Relational:
    """left > right, left undecided."""
    return Gt(left, right, evaluate=False)


def less_than(left: Expr, right: Expr | int) -> Relational:
    """left < right, left undecided."""
    return Lt(left, right, evaluate=False)


# Relations to other theorems, and limits


def to(
    theorem: str,
    when: Values | None = None,
    *,
    factors: Mapping[str, Expr | int] | None = None,
    leaves: tuple[str, ...] = (),
    because: str = "",
) -> Reduction:
    """Under ``when`` the theorem becomes another, up to ``factors``, and leaves the terms ``leaves``."""
    return Reduction(theorem, when or {}, factors or {}, leaves, True, because)


def not_to(
    theorem: str,
    when: Values | None = None,
    *,
    factors: Mapping[str, Expr | int] | None = None,
    leaves: tuple[str, ...] = (),
    because: str,
) -> Reduction:
    """Under ``when`` the theorem does not become the other, though one might think so."""
    return Reduction(theorem, when or {}, factors or {}, leaves, False, because)


def removes(when: Values, *labels: str, because: str = "") -> Limit:
    """Exactly these terms vanish. Needed for several quantities at once; a single one is computed."""
    return Limit(when, labels, True, because)


def keeps(when: Values, *labels: str, because: str) -> Limit:
    """Not exactly these terms vanish, though one might think so."""
    return Limit(when, labels, False, because)


# Theorems


def upper(name: str, **fields: Any) -> Theorem:
    """An upper bound; see ``theorem_of`` for the fields."""
    _refuse_missing("upper", name, fields)
    return theorem_of(name, "upper", **fields)


def lower(name: str, **fields: Any) -> Theorem:
    """A lower bound; see ``theorem_of`` for the fields."""
    _refuse_missing("lower", name, fields)
    return theorem_of(name, "lower", **fields)


def order_level(name: str, **fields: Any) -> Theorem:
    """An upper bound whose constants are not known; see ``theorem_of`` for the fields."""
    _refuse_missing("order_level", name, fields)
    return theorem_of(name, "order", **fields)


_NEEDED = ("title", "algorithm", "bounds", "terms", "source")


def _refuse_missing(constructor: str, name: str, given: Mapping[str, Any]) -> None:
    """Raise BoundkitError where a field that every theorem needs is not among the arguments."""
    if missing := [field for field in _NEEDED if field not in given]:
        raise BoundkitError(
            f"{constructor}({name!r}, ...) lacks {join_names(missing)}; it needs {join_names(_NEEDED)}."
        )


def theorem_of(
    name: str,
    kind: Kind,
    *,
    title: str,
    algorithm: str,
    bounds: Claim,
    terms: tuple[Term, ...],
    source: Source,
    **others: Any,
) -> Theorem:
    """A theorem of that kind, by the field names of an author.

    Parameters
    ----------
    title : str
        The name of the theorem for people, such as "FedAvg, partial participation".
    bounds : Claim
        The quantity that is bounded.
    assumes : tuple of Assumption
        All assumptions of the proof.
    steps, requires : tuple of Relational
        Conditions under which the proof works, and under which the formula has a meaning.
    becomes : tuple of Reduction
        Relations to other theorems.
    limits : tuple of Limit
        Limits that are not computed: of several quantities at once, and surprising negatives.

    The other fields are those of ``Theorem``: ``definitions``, ``solvers``, ``remarks``,
    ``costs`` and ``prose``, the docstring of the file.
    """
    return Theorem(
        name=name, title=title, algorithm=algorithm, claim=bounds, kind=kind, terms=terms, source=source,
        **{"assumptions": (), **_fields(others)},
    )  # fmt: skip


def variant(base: Theorem, name: str, *, title: str, **changes: Any) -> Theorem:
    """A theorem that is another with some fields changed, by the fields of ``theorem_of``."""
    return replace(base, name=name, title=title, **_fields(changes))


def tuned(
    base: Theorem,
    rules: Values,
    name: str,
    *,
    title: str,
    because: Mapping[str, str] | None = None,
    instead: Mapping[str, Expr] | None = None,
    **changes: Any,
) -> Theorem:
    """A theorem with formulas substituted for some of its quantities; terms and conditions are computed.

    Step sizes that are put in become the ``rules`` of the result. A condition that holds T is solved for T
    where T enters as a power. ``because`` gives reasons for single terms in place of the computed one, and
    ``instead`` a larger expression for a term. Limits and relations of the base are dropped.

    >>> from boundkit.algebra.notation import L, T, eta, m
    >>> from boundkit.theorems import theorem
    >>> sgd = tuned(theorem("sgd_nonconvex"), {eta: sqrt(m / T) / L}, "sgd_tuned", title="Tuned SGD")
    >>> sgd.bound.terms["initial gap"].expr, sgd.step_size
    (2*L*gap/(sqrt(T)*sqrt(m)), (T >= m,))
    """
    reasons_given, larger = because or {}, instead or {}
    terms = tuple(
        Term(
            term.cause,
            larger.get(term.label, substitute(term.expr, rules)),
            "derived",
            reasons_given.get(term.label, f"{plain(term.expr)} of {base.name}, with the rule substituted"),
            term.label,
        )
        for term in base.terms
    )
    steps = tuple(substitute_condition(condition, rules) for condition in base.step_size)
    requires = tuple(substitute_condition(condition, rules) for condition in base.requires)
    kept: dict[str, Any] = {"step_size": steps, "requires": requires, "reductions": (), "limits": ()}
    kept |= {"remarks": ()}
    kept["rules"] = {q: e for q, e in rules.items() if q in _STEP_SIZES}
    return replace(base, name=name, title=title, **{**kept, "terms": terms, **_fields(changes)})


_STEP_SIZES = (eta, eta_s)
_NAMES = {"bounds": "claim", "assumes": "assumptions", "steps": "step_size", "becomes": "reductions"}


def _fields(given: Mapping[str, Any]) -> dict[str, Any]:
    """The fields of ``Theorem``, by the field names of an author. Raises BoundkitError for an unknown one."""
    own = set(Theorem.__dataclass_fields__)
    for word in given:
        if word not in own | set(_NAMES):
            raise unknown("field of a theorem", word, own - set(_NAMES.values()) | set(_NAMES))
    return {_NAMES.get(word, word): value for word, value in given.items()}


def substitute(expr: Expr, values: Values) -> Expr:
    """Substitute the values and factor out common terms."""
    return factor_terms(expr.subs(dict(values), simultaneous=True))


def substitute_condition(condition: Relational, values: Values) -> Relational:
    """Substitute the values into a condition, and solve it for T where it is a power of T.

    Raises BoundkitError where a condition falls as T grows, so that no T is large enough.

    >>> from boundkit.algebra.notation import C, L, T, eta, m, tau
    >>> substitute_condition(at_most(eta, 1 / (8 * L * tau)), {eta: 1 / (sqrt(T) * tau * L)})
    T >= 64
    >>> substitute_condition(at_least(C * m, 1), {eta: 1 / L})
    C*m >= 1
    """
    if not condition.free_symbols & set(values):
        return condition
    ratio = substitute(condition.lts / condition.gts, values)
    powers = Mul.make_args(ratio)
    power = -sum((f.as_base_exp()[1] for f in powers if f.as_base_exp()[0] == T), Integer(0))
    rest = ratio * T**power
    if T in rest.free_symbols:
        return condition.func(*(substitute(side, values) for side in condition.args), evaluate=False)
    if power > 0:
        return at_least(T, rest ** (1 / power))
    if power < 0:
        raise BoundkitError(f"{condition} fails for large T where {dict(values)} is put in.")
    root = lcm(*(int(f.as_base_exp()[1].q) for f in powers if f.as_base_exp()[1].is_Rational))
    over, under = (ratio**root).as_numer_denom()
    return at_least(under, over)
