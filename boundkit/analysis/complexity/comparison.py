"""Comparison of algorithms by the order of their rounds to a target, one row for each setting."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from typing import Any

from sympy import Add, Expr, Max, Mul, Pow, S, log

from boundkit.algebra import BoundkitError, Theorem
from boundkit.algebra.errors import unknown
from boundkit.algebra.printing import Formula, plain
from boundkit.analysis.assumptions import SUBJECTS
from boundkit.analysis.complexity import complexity, target_expression
from boundkit.report import Cell, Report, Reported, Sentence, Sentences, Table, join_cells, sentence
from boundkit.report.formatting import join_names

COLUMNS = ("noise", "dissimilarity", "participation")
"""Subjects of assumptions that are columns; smoothness and convexity name the class of functions."""

_CLASSES = ("non-convex", "polyak-lojasiewicz", "convex", "strongly-convex")
_RELAXED = ("relaxed-smooth", "relaxed-smooth-mean")


@dataclass(frozen=True)
class AlgorithmComplexity:
    """The order of the rounds by one theorem; ``rounds`` are its summands, without constants."""

    theorem: Theorem
    rounds: tuple[Expr, ...]
    proof_status: str

    @property
    def function_class(self) -> str:
        """Relaxed smoothness, convexity, or non-convex."""
        relaxed = [name for name in _RELAXED if self.theorem.assumes(name)]
        convexity = [name for name in _CLASSES[1:] if self.theorem.assumes(name)]
        return ", ".join((*relaxed, *(convexity or _CLASSES[:1])))

    def assumed(self, subject: str) -> tuple[str, ...]:
        """Names of the theorem's assumptions on a subject."""
        return tuple(a.name for a in SUBJECTS[subject].assumptions if self.theorem.assumes(a.name))

    @property
    def sampling(self) -> tuple[str, ...]:
        """Of the assumptions on participation, those that exclude each other."""
        exclusive = {a.name for a in SUBJECTS["participation"].exclusive}
        return tuple(name for name in self.assumed("participation") if name in exclusive)

    def to_dict(self) -> dict[str, Any]:
        """The row as JSON values."""
        return {
            "algorithm": self.theorem.cost_row,
            "theorem": self.theorem.name,
            "target": plain(target_expression(self.theorem.claim)),
            "rounds": [plain(part) for part in self.rounds],
            "standing": self.proof_status,
            "class": self.function_class,
            **{subject: list(self.assumed(subject)) for subject in COLUMNS},
        }

    def cells(self) -> list[Cell]:
        """Algorithm, rounds, assumptions by subject, and the theorem with its proof status."""
        assumed: list[Cell] = [", ".join(self.assumed(subject)) or "-" for subject in COLUMNS]
        return [self.theorem.cost_row, self.sum, *assumed, f"{self.theorem.name} ({self.proof_status})"]

    @property
    def sum(self) -> Cell:
        """The order of the rounds as one formula."""
        return join_cells([Formula(part) for part in self.rounds], " + ")


@dataclass(frozen=True, repr=False, eq=False)
class AlgorithmComparison(Reported):
    """Rows by class of functions and by the quantity that is to reach the target."""

    rows: tuple[AlgorithmComplexity, ...]

    def to_dict(self) -> dict[str, Any]:
        """The rows as JSON values."""
        return {"rows": [row.to_dict() for row in self.rows], "up_to_constants": True}

    def report(self) -> Report:
        """Two lines a row: the rounds, and the assumptions with the theorem."""
        tables = []
        for caption, rows in groupby(self.rows, _caption):
            lines: list[list[Cell]] = []
            for row in rows:
                name, rounds, *assumed = row.cells()
                lines += [[name, rounds], ["", "; ".join(str(cell) for cell in assumed if cell != "-")]]
            tables.append(Table(["", ""], lines, left=2, caption=caption))
        return Report((*tables, Sentences(_NOTES, wrapped=True)))

    def wide_report(self) -> Report:
        """One line a row, with the assumptions as columns, as papers print it."""
        header = ["algorithm", "rounds", *COLUMNS, "theorem"]
        tables = (
            Table(header, [row.cells() for row in rows], left=len(header), caption=caption)
            for caption, rows in groupby(self.rows, _caption)
        )
        return Report((*tables, Sentences(_NOTES)))


_NOTES = (
    "Free step sizes are chosen for the target; tau stands for tau - 1, and m for m - 1.",
    "For each setting the theorem with constants and a machine-checked proof is preferred; "
    "boundkit rounds --formula THEOREM has the constants of each.",
)


def _caption(row: AlgorithmComplexity) -> Sentence:
    """The class of functions, and what the rounds reach; rows of one caption form a table."""
    claim = row.theorem.claim
    if claim.summary == "first":
        return sentence(f"{row.function_class}: {claim.name}")
    goal = Formula(target_expression(claim))
    return sentence(f"{row.function_class}: rounds until the {claim.name} is at most ", goal)


def comparison(
    theorems: Iterable[Theorem], algorithms: Sequence[str], status_of: Callable[[Theorem], str]
) -> AlgorithmComparison:
    """Return the comparison of ``algorithms``: for each setting of each, the surest of the theorems.

    An algorithm is named as by ``boundkit list`` or ``boundkit cost``. Theorems from which no number of
    rounds follows are left out. ``status_of`` says how sure a theorem is. Raises BoundkitError for an unknown
    algorithm, and where no theorem on the algorithms gives rounds.

    Examples
    --------
    >>> from boundkit.theorems import about
    >>> result = comparison(about("minibatch_sgd").values(), ["minibatch_sgd"], lambda t: t.constants)
    >>> [(row.function_class, row.rounds[-1]) for row in result.rows]
    [('non-convex', L*gap/target**2), ('strongly-convex', L*log(gap/eps)/mu)]
    """
    known = [t for t in theorems if t.kind != "lower"]
    names = {name for t in known for name in (t.cost_row, t.algorithm)}
    for name in algorithms:
        if name not in names:
            raise unknown("algorithm with an upper bound", name, names)
    candidates = [
        AlgorithmComplexity(t, (), status_of(t)) for t in known if {t.cost_row, t.algorithm} & set(algorithms)
    ]
    chosen: dict[tuple[object, ...], AlgorithmComplexity] = {}
    for row in sorted(candidates, key=_preference):
        setting = (row.theorem.cost_row, _caption(row), row.assumed("dissimilarity"), row.sampling)
        if setting not in chosen and (rounds := _rounds(row.theorem)):
            chosen[setting] = replace(row, rounds=rounds)
    if not chosen:
        raise BoundkitError(f"no theorem on {join_names(algorithms)} gives a number of rounds to a target.")
    return AlgorithmComparison(tuple(sorted(chosen.values(), key=lambda row: (
        _CLASSES.index(row.function_class) if row.function_class in _CLASSES else len(_CLASSES),
        row.theorem.order_level, str(_caption(row)), row.theorem.cost_row, row.theorem.name,
    ))))  # fmt: skip


def _rounds(theorem: Theorem) -> tuple[Expr, ...]:
    """The summands of the order of the rounds; none where no number of rounds follows."""
    try:
        parts = complexity(theorem).rounds.values()
    except BoundkitError:
        return ()  # a bound on time, or with an error that no number of rounds removes
    return tuple(dict.fromkeys(s for part in parts for s in Add.make_args(order_of(part)) if s != 0))


def _preference(row: AlgorithmComplexity) -> tuple[object, ...]:
    """Sort key: constants before orders, a checked proof, a free step, and few assumptions first."""
    theorem = row.theorem
    sure = _CERTAINTY.get(row.proof_status, 1)
    return theorem.order_level, sure, bool(theorem.rules), len(theorem.assumptions), theorem.name


_CERTAINTY = {"machine-checked": 0, "recalled": 2, "order": 3}


def order_of(expr: Expr) -> Expr:
    """Return the expression without numerical factors; tau - 1 becomes tau, and a maximum a sum.

    A summand that is a number stays only where it is the largest power, as in 1 + beta^2.

    Examples
    --------
    >>> from boundkit.algebra.notation import L, beta, gap, tau, target
    >>> order_of(8 * L * gap * (2 * beta**2 + 1) * (tau - 1) / (tau * target**2))
    L*gap*(beta**2 + 1)/target**2
    """
    if isinstance(expr, Max):
        return Add(*map(order_of, expr.args))
    if isinstance(expr, Add):
        return _order_of_sum(expr)
    if isinstance(expr, Mul):
        return Mul(*(order_of(f) for f in expr.args if not f.is_number))
    if isinstance(expr, Pow) and not expr.exp.free_symbols:
        return Pow(order_of(expr.base), expr.exp)
    if isinstance(expr, log):
        return log(order_of(expr.args[0]))
    return S.One if expr.is_number else expr


def _order_of_sum(expr: Add) -> Expr:
    _, primitive = expr.as_content_primitive()
    positive = [a for a in Add.make_args(primitive) if not a.could_extract_minus_sign()]
    negative = [a for a in Add.make_args(primitive) if a.could_extract_minus_sign()]
    if not positive or any(not a.is_number for a in negative):
        return primitive  # 1 - C: a difference has no order of its own
    return Add(*dict.fromkeys(map(order_of, positive)))
