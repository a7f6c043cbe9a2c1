"""The proofs that can be run, step by step, and the letters that they are made of."""

from __future__ import annotations

from boundkit.algebra.printing import latex
from boundkit.proofs import Proof, proof_of, proved
from boundkit.proofs.expectations import QUANTITIES
from boundkit.theorems import theorem

from .markdown import formula, plain, table, to_theorem


def text() -> str:
    """A section a theorem whose proof is no certificate, and the table of letters."""
    parts: list[str] = []
    told: list[Proof] = []
    for name in proved():
        proof = proof_of(theorem(name))
        if not isinstance(proof, Proof):
            continue  # the steps of a certificate stand on the theorem's page
        parts += [f"## {name}", _section(proof, told)]
        told.append(proof)
    rows = [[formula(letter.latex), f"`{letter.name}`", plain(letter.meaning)] for letter in QUANTITIES]
    return "\n\n".join([*parts, "## Letters", table(("letter", "keyword", "meaning"), rows)])


def _section(proof: Proof, told: list[Proof]) -> str:
    """Its steps; where all steps of an earlier proof are among them, only the others."""
    same = next((one for one in told if set(one.steps) <= set(proof.steps)), None)
    known = set() if same is None else set(same.steps)
    first = f"The bound: {to_theorem(proof.theorem.name)}. It starts from {formula(latex(proof.start))}."
    lines = [
        f"{place}. **{plain(step.name)}**: {formula(step.latex(line))}; {plain(step.because)}. *{step.cause}*"
        for place, (step, line) in enumerate(zip(proof.steps, proof.lines, strict=False), 1)
        if step not in known
    ]
    last = [] if same is None else [_others(proof, same)]
    return "\n\n".join([first, *(["\n".join(lines)] if lines else []), *last])


def _others(proof: Proof, same: Proof) -> str:
    said = (
        f"{'The other' if len(proof.steps) > len(same.steps) else 'All'} {len(same.steps)} steps are those of"
    )
    put_in = ", ".join(formula(f"{latex(letter)} = {latex(value)}") for letter, value in proof.put_in.items())
    return f"{said} {same.theorem.name}{f', at {put_in}' if put_in else ''}."
