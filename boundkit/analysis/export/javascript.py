"""A theorem as JavaScript, printed from its expressions, for interactive pages.

The script is no module, so that a page opened from disk may load it. It defines one object
``boundkit[name]``. Every function takes one object q of values by keyword:
``boundkit.sgd_nonconvex.terms[0].value({gap: 1, eta: 0.1, T: 100})``.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from sympy import Expr, S
from sympy.core.relational import Relational
from sympy.printing.jscode import JavascriptCodePrinter

from boundkit.algebra import BoundkitError, Quantity, Theorem
from boundkit.algebra.domain import sides
from boundkit.algebra.notation import eta
from boundkit.algebra.printing import bound_latex, latex
from boundkit.algebra.quantity import Vector
from boundkit.analysis.evaluate import complement_power
from boundkit.analysis.step_size import largest


class _Printer(JavascriptCodePrinter):  # type: ignore[misc]  # sympy carries no types
    """Quantities are fields of q, indexed ones its arrays; the helper functions are those of the prelude."""

    def _print_Symbol(self, expr: Quantity) -> str:
        return f"at(q.{expr.name}, i, t)" if isinstance(expr, Vector) else f"q.{expr.name}"

    _print_Quantity = _print_Vector = _print_Symbol

    def _print_Pow(self, expr: Any) -> str:
        if expr.exp.is_number or not (expr.base.is_Add and S.One in expr.base.args):
            return str(super()._print_Pow(expr))
        return f"openPower({self._print(expr.base - 1)}, {self._print(expr.exp)})"

    def _print_Add(self, expr: Any, order: str | None = None) -> str:
        kept = complement_power(expr)
        if kept is None:
            return str(super()._print_Add(expr, order))
        return f"oneMinusPower({self._print(kept.base - 1)}, {self._print(kept.exp)})"

    def _print_binomial(self, expr: Any) -> str:
        return f"binomial({', '.join(map(self._print, expr.args))})"

    def _print_ClientSum(self, expr: Any) -> str:
        return f"sum(q.m, i => {self._print(expr.args[0])})"

    def _print_ClientMax(self, expr: Any) -> str:
        return f"max(q.m, i => {self._print(expr.args[0])})"

    def _print_ActiveShare(self, expr: Any) -> str:
        return f"activeShare(q.m, i, i => {self._print(expr.args[0])})"

    def _print_RoundMean(self, expr: Any) -> str:
        return f"sum(rounds(q), t => {self._print(expr.args[0])}) / rounds(q)"

    def _print_RoundMax(self, expr: Any) -> str:
        return f"max(rounds(q), t => {self._print(expr.args[0])})"

    def _print_WeightSum(self, expr: Any) -> str:
        return f"weightSum({', '.join(map(self._print, expr.args))}, 1)"

    def _print_WeightSquares(self, expr: Any) -> str:
        return f"weightSum({', '.join(map(self._print, expr.args))}, 2)"

    def _print_Function(self, expr: Any) -> str:
        name = type(expr).__name__
        if name not in self.known_functions:
            raise BoundkitError(f"{name} has no form in JavaScript.")
        return str(super()._print_Function(expr))


def code(expr: Expr | Relational) -> str:
    """An expression as JavaScript in q.

    >>> from boundkit.algebra.notation import eta, tau
    >>> code(eta**2 * (tau - 1))
    'Math.pow(q.eta, 2)*(q.tau - 1)'
    """
    return " ".join(str(_Printer().doprint(expr)).split())


def script(theorem: Theorem) -> str:
    """The theorem as one script: quantities, terms, conditions, the largest eta, and derived quantities."""
    fields = {
        "name": _quoted(theorem.name),
        "title": _quoted(theorem.title),
        "kind": _quoted(theorem.kind),
        "claim": _object({"latex": theorem.claim.latex, "plain": theorem.claim.plain}),
        "latex": _quoted(bound_latex(theorem.claim, theorem.bound.terms, kind=theorem.kind)),
        "quantities": _list(map(_quantity, theorem.quantities)),
        "terms": _list(
            _fields(
                label=_quoted(t.label),
                cause=_quoted(t.cause),
                provenance=_quoted(t.provenance),
                latex=_quoted(latex(t.expr)),
                value=f"q => {code(t.expr)}",
            )
            for t in theorem.terms
        ),
        "conditions": _list(_condition(c) for c in theorem.step_size),
        "requires": _list(_condition(c) for c in theorem.requires),
        "largestEta": _largest(theorem),
        "derived": _derived(theorem),
    }
    body = ",\n".join(f"    {name}: {value}" for name, value in fields.items())
    body += ",\n    total(q) { return this.terms.reduce((sum, term) => sum + term.value(q), 0); }"
    first = next(iter(theorem.solvers), "usual")
    clients = (
        f"// Give the derived quantities, or: const q = boundkit.{theorem.name}.derived.{first}"
        "({tau_i: [...], ...})\n"
        if theorem.definitions or theorem.solvers
        else ""
    )
    return (
        f"// {theorem.name}: {theorem.source}\n{clients}(function (root) {{\n{PRELUDE}"
        f"  root.boundkit = root.boundkit || {{}};\n  root.boundkit.{theorem.name} = {{\n{body}\n  }};\n"
        "})(globalThis);\n"
    )


def functions(name: str, expressions: Mapping[str, Expr]) -> str:
    """Expressions as one script: an object ``boundkit[name]`` with a function of q for each."""
    body = ",\n".join(f"    {key}: q => {code(expr)}" for key, expr in expressions.items())
    return f"(function (root) {{\n{PRELUDE}  root.boundkit = root.boundkit || {{}};\n" + (
        f"  root.boundkit.{name} = {{\n{body}\n  }};\n}})(globalThis);\n"
    )


def _quantity(q: Quantity) -> str:
    upper = None if q.domain.upper == float("inf") else q.domain.upper
    return _object(
        {
            "name": q.name, "latex": q.latex, "meaning": q.meaning, "typical": q.typical,
            "lower": q.domain.lower, "upper": upper, "whole": q.domain.whole,
        }
    )  # fmt: skip


def _condition(relation: Relational) -> str:
    small, large = sides(relation)
    return _fields(latex=_quoted(latex(relation)), holds=f"q => atMost({code(small)}, {code(large)})")


def _largest(theorem: Theorem) -> str:
    """The largest eta as a function; null without a limit."""
    limit = largest(theorem) if eta in theorem.quantities else S.Infinity
    return "null" if limit is S.Infinity else f"q => {code(limit)}"


def _derived(theorem: Theorem) -> str:
    """The quantities that the bound derives from its clients, by solver, in an order of computation."""
    if not theorem.definitions and not theorem.solvers:
        return "{}"
    functions = {
        name: f"q => derive(q, {_steps({**theorem.definitions, **part})})"
        for name, part in (theorem.solvers or {"usual": {}}).items()
    }
    return "{ " + ", ".join(f"{_quoted(name)}: {function}" for name, function in functions.items()) + " }"


def _steps(definitions: Mapping[Quantity, Expr]) -> str:
    vectors = {q: e for q, e in definitions.items() if isinstance(q, Vector)}
    scalars = {q: _without(e, vectors) for q, e in definitions.items() if q not in vectors}
    ordered: dict[Quantity, Expr] = {}
    while len(ordered) < len(scalars):
        ordered |= {
            q: e for q, e in scalars.items() if not e.free_symbols & (scalars.keys() - ordered.keys())
        }
    vectors_used = sorted(
        {s for e in ordered.values() for s in e.free_symbols if isinstance(s, Vector)}, key=str
    )
    filled = [f"[{_quoted(v.name)}, q => {code(v.alike)}]" for v in vectors_used]
    made = [f"[{_quoted(q.name)}, (q, i, t) => {code(e)}]" for q, e in ordered.items()]
    return f"[{', '.join(filled)}], [{', '.join(made)}]"


def _without(expr: Expr, vectors: Mapping[Quantity, Expr]) -> Expr:
    while expr.free_symbols & vectors.keys():
        expr = expr.xreplace(dict(vectors))
    return expr


def _quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)


def _object(values: Mapping[str, object]) -> str:
    return json.dumps(values, ensure_ascii=False, allow_nan=False)


def _fields(**code: str) -> str:
    return "{ " + ", ".join(f"{name}: {value}" for name, value in code.items()) + " }"


def _list(items: Any) -> str:
    lines = "".join(f"\n      {item}," for item in items)
    return f"[{lines}\n    ]" if lines else "[]"


PRELUDE = """\
  const sum = (n, f) => { let s = 0; for (let k = 0; k < n; k++) s += f(k); return s; };
  const max = (n, f) => { let s = -Infinity; for (let k = 0; k < n; k++) s = Math.max(s, f(k)); return s; };
  // E[1{i participates}/number of participants], from the distribution of the number of the others
  const activeShare = (m, i, q) => {
    let e = [1];
    for (let j = 0; j < m; j++) if (j !== i) {
      const p = q(j), f = k => (k < e.length ? e[k] * (1 - p) : 0) + (k ? e[k - 1] * p : 0);
      e = Array.from({ length: e.length + 1 }, (_, k) => f(k));
    }
    return q(i) * sum(e.length, k => e[k] / (k + 1));
  };
  const rows = v => Array.isArray(v) && Array.isArray(v[0]);
  const at = (v, i, t) => !Array.isArray(v) ? v : rows(v) ? v[(t || 0) % v.length][i] : v[i];
  const rounds = q => Math.max(1, ...Object.values(q).filter(rows).map(v => v.length));
  // (1 + away)**exponent, exact to rounding where away is tiny and the exponent huge
  const openPower = (away, exponent) =>
    Math.abs(away) < 0.5 ? Math.exp(exponent * Math.log1p(away)) : Math.pow(1 + away, exponent);
  const oneMinusPower = (away, exponent) =>
    Math.abs(away) < 0.5 ? -Math.expm1(exponent * Math.log1p(away)) : 1 - Math.pow(1 + away, exponent);
  // as in Python, so that a limit computed in floating point satisfies itself
  const atMost = (a, b) => a <= b + 1e-12 * Math.max(Math.abs(a), Math.abs(b));
  const binomial = (n, k) => { let b = 1; for (let j = 1; j <= k; j++) b *= (n - k + j) / j; return b; };
  // the sum over j <= n of ((a^j - b^j)/(a - b))^power, from parts that are all positive
  const weightSum = (a, b, n, power) => {
    let weight = 0, kept = 1, s = 0;
    for (let j = 1; j <= n; j++) { weight = a * weight + kept; kept *= b; s += Math.pow(weight, power); }
    return s;
  };
  // given values stay; a missing vector is equal for all clients; then each derived quantity in turn
  const derive = (given, homogeneous, steps) => {
    const q = { ...given };
    const vector = Object.values(q).find(Array.isArray);
    if (vector && q.m === undefined) q.m = rows(vector) ? vector[0].length : vector.length;
    for (const [name, value] of homogeneous) if (q[name] === undefined) q[name] = value(q);
    for (const [name, value] of steps) if (given[name] === undefined) q[name] = value(q);
    return q;
  };
"""
