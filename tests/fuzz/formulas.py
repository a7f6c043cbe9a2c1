"""Formulas for the steps and for rates: valid ones, broken ones, and hostile ones."""

from __future__ import annotations

from random import Random

from tests.fuzz.values import changed_text, number_text

MARK = "PWNED"
"""The file that a hostile formula would write, were it executed."""
HOSTILE = (
    f"__import__('os').system('touch {MARK}')", f"open('{MARK}','w')", f"exec(\"open('{MARK}','w')\")",
    "eval('open(chr(80))')", "().__class__.__bases__[0].__subclasses__()", "L.__class__",
    "L.__init__.__globals__", "T.func", "tau.subs(tau,1)", "(lambda: L)()", "lambda: L", "[L for L in (1,)]",
    "(L := 1)", "L if L else T", "L and T", "L < T", "L[0]", "{L: 1}", "{L}", "f'{L}'", "'L' * 10**9", "b'L'",
    "...", "yield", "await L", "*L", "**L", "import os", "from os import system", "L; T", "L = T", "sqrt",
    "sqrt()", "sqrt(L, T)", "sqrt(*L)", "sqrt(x=L)", "sqrt(sqrt)", "sympy", "oo", "zoo", "pi", "E", "I", "S",
    "9**9**9**9", "9**9**9**9*L", "L**9**9**9", "(((9**9)**9)**9)**9", "1e308*1e308", "1e-308/1e308",
    "10**400", "1/10**400", "9" * 5000, "1." + "0" * 5000 + "1", "1e99999999", "1_0", "0x10", "1j", "L**1j",
    "L**L", "2**T", "L**-T", "(-1)**0.5", "sqrt(-1)", "sqrt(-L)", "0**0", "0**-1", "1/0", "1/(L-L)", "0*L",
    "L-L", "-L", "L//T", "L%T", "L@T", "L<<T", "L&T", "~L", "not L", "(" * 50 + "L" + ")" * 50,
    "(" * 500 + "L" + ")" * 500, "(" * 5000 + "L" + ")" * 5000, "(" * 50_000, "sqrt(" * 30 + "L" + ")" * 30,
    "sqrt(" * 300 + "L" + ")" * 300, "-" * 200 + "L", "-" * 5000 + "L", "L" + "*L" * 200, "L" + "+T" * 3000,
    "+".join(f"L**{k}" for k in range(1, 60)), "*".join(f"(L+{k}*T)" for k in range(1, 40)), "(L+T)**30",
    "((L+T+m+C+tau)**12)**12", "(1/L+1/T+1/m+1/tau)**20", "sqrt(L+sqrt(T+sqrt(m+sqrt(tau+sqrt(C)))))",
    "x" * 100_000, "L" * 100_000, "1+" * 50_000 + "1", "#" + "L" * 10, "L #", "\n", "L\n+T", "L\\\n+T",
    "\x00", "τ", "η", "Ｌ", "L²", "√L", "L·T", "1/L\u200b", "\ufeff1/L", "\udcff",
)  # fmt: skip
"""None of these may execute anything, write a file, or take long."""
_NAMES = (
    "L", "T", "m", "tau", "C", "sigma", "sigma_g", "gap", "eta", "eta_s", "mu", "kappa", "G", "distance",
    "zz",
)  # fmt: skip
VALID = (
    "1/(sqrt(T)*tau*L)", "sqrt(m/(tau*T))/L", "sqrt(tau*C*m)", "1/L", "0.5/(L*tau)", "1/(8*L*tau)", "0.1/L",
    "1/sqrt(m*T)", "1/T", "1/sqrt(C*m*tau*T) + sqrt(tau/(C*m*T)) + 1/T", "T^(-2/3)", "1/(L*T**0.25)", "1",
)  # fmt: skip


def formula(rng: Random) -> str:
    """A formula: valid, random in the grammar, with a few letters changed, or hostile."""
    draw = rng.random()
    if draw < 0.35:
        return rng.choice(VALID)
    if draw < 0.6:
        return expression(rng, rng.randint(1, 4))
    if draw < 0.8:
        return changed_text(rng, rng.choice(VALID))
    return rng.choice([each for each in HOSTILE if "\x00" not in each])


def expression(rng: Random, depth: int) -> str:
    """A random expression in quantities, numbers and the allowed operations."""
    draw = rng.random()
    if depth == 0 or draw < 0.15:
        return number_text(rng) if rng.random() < 0.25 else rng.choice(_NAMES)
    inner = expression(rng, depth - 1)
    if draw < 0.3:
        return f"sqrt({inner})"
    if draw < 0.4:
        return f"({inner})**{rng.choice(('2', '-1', '0.5', '(1/3)', '-1.5', '0', '7', '100', 'T', '1e300'))}"
    return f"({inner}{rng.choice('+-*/*/')}{expression(rng, depth - 1)})"
