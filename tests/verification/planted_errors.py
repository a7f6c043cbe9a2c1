"""Theorems with a mistake in one place, to see the checks catch it."""

from __future__ import annotations

from dataclasses import replace

from sympy import Expr

from boundkit.algebra import Theorem


def with_term(theorem: Theorem, label: str, expr: Expr) -> Theorem:
    """The theorem with another expression in one term, and nothing that was said about the old one."""
    assert label in theorem.bound.terms
    terms = tuple(replace(t, expr=expr) if t.label == label else t for t in theorem.terms)
    return replace(theorem, terms=terms, reductions=(), limits=())


def without(theorem: Theorem, *labels: str) -> Theorem:
    """The theorem less some terms."""
    assert set(labels) <= set(theorem.bound.terms)
    terms = tuple(t for t in theorem.terms if t.label not in labels)
    return replace(theorem, terms=terms, reductions=(), limits=())


def times(theorem: Theorem, label: str, factor: Expr | float) -> Theorem:
    """The theorem with one term multiplied."""
    return with_term(theorem, label, theorem.bound.terms[label].expr * factor)


def scaled(theorem: Theorem, factor: Expr | float) -> Theorem:
    """The theorem with all terms multiplied."""
    terms = tuple(replace(t, expr=t.expr * factor) for t in theorem.terms)
    return replace(theorem, terms=terms, reductions=(), limits=())
