"""A certificate as a text: one displayed line a step, with its lemma, weight, reason and verdict.

Nothing is proved here: the verdicts are those of a check, or of the stored result of the catalogue.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from boundkit.algebra import Theorem
from boundkit.algebra.printing import latex, plain
from boundkit.algebra.prose import FORMULA, formula_latex
from boundkit.analysis.export.markdown import page
from boundkit.proofs.certificate import Certificate, CertificateStep
from boundkit.proofs.certificate_store import certified, current_record, proof_named
from boundkit.proofs.checker import conclusion_of, first_line, relation, round_quantity, sides
from boundkit.proofs.corollaries import Corollary
from boundkit.proofs.linear_form import LinearForm
from boundkit.proofs.proof_check import END, ProofCheck
from boundkit.proofs.rounds import (
    ABSENT,
    CLIPPED,
    COMPRESSED,
    CYCLE,
    EXCHANGE,
    LIMIT,
    LINEARISED,
    LOCAL_MOMENTUM,
    MOMENTUM,
    NETWORK,
    PRIVATE,
    QUANTISED,
    ROBUST,
    ROUND,
    SOLVER,
    STEP,
    STORED,
    kind_of,
    round_of,
)
from boundkit.report import Block, Display, Heading, Listing, Report, Sentence, Sentences, Tex, sentence
from boundkit.theorems.errata import errata_of

LONGEST_LINE = 28
"""Signs of a displayed line, about, before it is broken."""
_LETTERS = {
    r"\bg(_i)?\b": "$g_i = grad F_i(x)$, with mean $g = grad F(x)$",
    r"\be(_i)?\b": "$e_i$: $g_i$ less the mean of $d_i$ given $x$, with mean $e$",
    r"\bd_i\b|\be(_i)?\b": "$d_i$: mean of the stochastic gradients of client $i$ in the round",
    r"\bu(_i)?\b": "$u_i$: stored update of client $i$, once it has sent, less its gradient at $x$",
    r"\bn_i\b": "$n_i$: distance from the optimum after the gradient step of client $i$, without controls",
    r"\br\b": "$r$: error of the server's aggregate",
    r"\bv\b": "$v$: direction of the server in the round",
    r"\bX\b": "$X = x - x*$",
    r"\bG_i\b": "$G_i$: mean gradient at $x$ of the clients in the cluster of client $i$",
    r"\by(_i)?\b(?!_\{)": "$y_i$: update that the server stores for client $i$, with mean $y$",
    r"\bh_i\b": "$h_i$: the same mean of its exact gradients",
    r"\bP\b": "$P$: gradient of the objective at $x$; $g$ is that of the surrogate",
    r"\bQ\b": "$Q$: gradient of the mean loss at the virtual average, in the mean over the local steps",
    r"\bV(_i)?\b": "$V_i$: $Q$ less the gradient of client $i$ at its own model, with mean $V$",
    r"\bD\b": "$D$: sum over the steps of a cycle of the change of the gradients since its start",
    r"\bw\b": "$w$: mean of the models $w_k$ of the participants, before a local step and after it",
    r"\bF_k\*": "$F_k*$: infimum of the loss of client $k$",
    r"w_0": "$w_0$: model from which the round starts",
    r"y_\{i,k\}": "$y_{i,k}$: model of client $i$ before its local step $k$",
}
"""What a letter means, by the pattern that finds it in a plain statement."""
_OTHER_LETTERS = {
    ABSENT: {
        r"\bg(_i)?\b": "$g_i = grad F_i(x)$ at the mean $x$ of all stored models, with mean $g = grad F(x)$",
        r"\bA\b": "$A$: gradient of the mean loss at the mean $z$ of the auxiliary models $z_i$",
        r"\bB\b": "$B$: the same, where the $z_i$ have the gradients at the stored models in place of $a_i$",
        r"\bc(_i)?\b": "$c_i$: $g_i$ less the gradient of client $i$ at its stored model $x_i$",
        r"\bb(_i)?\b": "$b_i$: that gradient less $a_i$, the mean of the client's direction, so that $a_i = "
        "g_i - c_i - b_i$",
        r"\bv(_i)?\b": "$v_i = x_i - z$, with mean $v$",
    },
    LOCAL_MOMENTUM: _LETTERS
    | {
        r"\bG\b": "$G$: average of earlier directions, of which a local step has the share $1 - f$",
        r"\bG_0\b": "$G_0^2$: mean of the clients' squared gradients at the initial point",
    },
}
"""The same where the letters are others."""
_MOVES = {
    ABSENT: "The mean of auxiliary models $z_i$ moves by $-s a$ and by noise, whichever clients participate, "
    "with $s$ = ",
    ROUND: "A round is $x+ = x - s v$ with $s$ = ",
    LIMIT: "The steps are about the limit of the mean model, for many rounds and then small steps.",
    CLIPPED: "A round is $x+ = x - e g$ with $e$ = min(eta, clip/||g||).",
    CYCLE: "A cycle of all groups is $x+ = x$ - eta $(b + E)$, with $b$ the sum of its gradients and $E$ a "
    "sum of martingale differences; eta times its number of steps is ",
    STEP: "A local step of size eta moves $x = w$, the mean of the participants' models, to $x+$.",
    ROBUST: "A round is $x+ = x - s (d + r)$, $r$ the error of the aggregate, with $s$ = ",
    COMPRESSED: "A round is $x+ = x - s v$ along the mean $v$ of the stored updates, with $s$ = ",
    LINEARISED: "A round is $x+ = x - s a$, along the corrected steps, with $s$ = ",
    EXCHANGE: "A step of all clients is followed by an exchange or none; its size is ",
    SOLVER: "A round takes $x$ to the solution $x+$ of one client.",
    MOMENTUM: "A sequence $z$ takes the plain steps $z+ = z - s v$, with $s$ = ",
    LOCAL_MOMENTUM: "A round is $x+ = x - s G+$ with $G+ = (1 - f) G + f v$, $f$ = fresh and $s$ = ",
    PRIVATE: "A round is $x+ = x - s (a + r)$ and noise, $r$ what clipping takes off, with $s$ = ",
    QUANTISED: "A round is $x+ = x - s v$, $v$ the mean of the compressed $d_i$ of the participants, with "
    "$s$ = ",
    NETWORK: "A round of local steps and an exchange with neighbours moves the mean model by $s$ = ",
    STORED: "A round is $x+ = x - s y$, with $y$ the mean of the stored updates and $s$ = ",
}
"""How the model moves in what the steps of a proof are about."""


def stored_proof(theorem: Theorem) -> Report | None:
    """Return the proof of a theorem of the catalogue with its stored verdicts.

    None where it has no certificate. A certificate without a result that is up to date is printed as not
    checked.
    """
    if theorem.name not in certified():
        return None
    record = current_record(theorem.name)
    if record is None:
        return print_proof(proof_named(theorem.name))
    verdicts = dict.fromkeys(record["failed"], "not proved")
    methods = ", ".join(f"{count} {method}" for method, count in record["methods"].items())
    summary = f"Checked by machine: {record['obligations']} obligations, {methods}."
    return print_proof(proof_named(theorem.name), verdicts, "proved", summary)


def theorem_page(theorem: Theorem) -> str:
    """Return the Markdown page of a theorem of the catalogue, with the steps of its certificate."""
    proof = stored_proof(theorem)
    return page(theorem, "" if proof is None else proof.to_markdown(), errata_of(theorem.name))


def checked_proof(certificate: Certificate | Corollary, result: ProofCheck) -> Report:
    """Return a proof with the verdicts of its check."""
    return print_proof(certificate, {each.name: each.status for each in result.failed}, "proved")


def print_proof(
    certificate: Certificate | Corollary,
    verdicts: Mapping[str, str] = {},
    verdict: str = "not checked",
    summary: str = "",
) -> Report:
    """Return a proof as a report, with the verdict of each step; ``verdict`` that of all others."""
    if isinstance(certificate, Corollary):
        return _print_corollary(certificate, verdicts, verdict, summary)
    this = round_of(certificate.theorem)
    start = first_line(certificate)
    blocks: list[Block] = []
    statements = [str(start)]
    for place, step in enumerate(certificate.steps, 1):
        conclusion = conclusion_of(this, step)
        left, right = sides(conclusion, step.removes)
        sign_latex, sign = relation(conclusion)
        lines = break_lines(left, sign_latex, right)
        statements.append(f"{left} {sign} {right}")
        blocks.append(
            Display(
                f"{place}. {step.name}: {verdicts.get(step.name, verdict)}",
                Tex(_aligned(lines), statements[-1]),
                [_lemma_and_weight(step), _reason(step)],
            )
        )
    meanings = _OTHER_LETTERS.get(kind_of(certificate.theorem), _LETTERS)
    letters = [text for found, text in meanings.items() if re.search(found, " ".join(statements))]
    end = f"The last line is at most the bound, coefficient by coefficient: {verdicts.get(END, verdict)}."
    return Report(
        (
            Sentences([_introduction(certificate, start)], wrapped=True),
            Listing("Letters", [_prose(text) for text in letters]),
            *blocks,
            Sentences([f"{end} {summary}".rstrip()], wrapped=True),
        )
    )


def _print_corollary(corollary: Corollary, verdicts: Mapping[str, str], verdict: str, summary: str) -> Report:
    """Return the steps from another theorem, whose own steps are here where it has no page."""
    base = corollary.base.theorem.name
    parts = {
        f"statement of {base}": "Algorithm, claim and assumptions are those of this theorem.",
        f"conditions of {base}": "They follow from the conditions of this theorem.",
        f"terms of {base}": "Each is at most the term of its label in this theorem.",
    }
    titles = [f"{place}. {name}: {verdicts.get(name, verdict)}" for place, name in enumerate(parts, 1)]
    values = corollary.substituted.items()
    own_page = base in certified()
    where = "whose steps are on its own page" if own_page else "which the steps at the end prove"
    blocks: list[Block] = [Sentences([f"It follows from {base}, {where}."], wrapped=True)]
    if values:
        formulas = Tex(
            _aligned([f"{latex(q)} = {latex(value)}" for q, value in values]),
            ", ".join(f"{q} = {plain(value)}" for q, value in values),
        )
        blocks.append(Display(f"In {base} put", formulas))
    for title, text in zip(titles, parts.values(), strict=True):
        blocks += [Heading(title), Sentences([text])]
    if not own_page:
        blocks += [Heading(f"Steps of {base}"), *print_proof(corollary.base, verdicts, verdict).blocks]
    return Report((*blocks, Sentences([summary] if summary else [])))


def _introduction(certificate: Certificate, start: LinearForm) -> Sentence:
    """What line 0 is and what a step adds."""
    length, kind = round_of(certificate.theorem).length, kind_of(certificate.theorem)
    moves = sentence(_prose(_MOVES[kind]))
    if kind not in (LIMIT, CLIPPED, STEP, SOLVER):
        moves = sentence(moves, Tex(latex(length), plain(length)), ".")
    result = sentence(
        moves, " Line 0 is ", Tex(start.latex(), str(start)),
        ". A step adds its weight times right side less left side, so that every line is at least the one "
        "before.",
    )  # fmt: skip
    times, rho = round_quantity(certificate.theorem).times, certificate.contraction
    if times != 1:
        result = sentence(result, " The claim is at most ", Tex(latex(times), plain(times)), " times that.")
    if rho is None:
        return result
    return sentence(
        result, _prose(f" A {kind} contracts by $1 - rho$ with $rho$ = "), Tex(latex(rho), plain(rho)), "."
    )


def _lemma_and_weight(step: CertificateStep) -> Sentence:
    lemma = f"Lemma: {step.lemma.name}; weight: "
    if step.removes is not None:
        removes = Tex(step.removes.latex, str(step.removes))
        if step.leaving == 0:
            return sentence(lemma, "what removes ", removes, ".")
        left = Tex(latex(step.leaving), plain(step.leaving))
        return sentence(lemma, "what leaves ", left, " of ", removes, ".")
    return sentence(lemma, Tex(latex(step.weight), plain(step.weight)), ".")


def _reason(step: CertificateStep) -> Sentence:
    reasons = [each for each in (step.because, step.lemma.proof) if each]
    return _prose(f"Because: {'; '.join(reasons)}.")


def _prose(text: str) -> Sentence:
    """Prose with its typed formulas as mathematics."""
    parts = enumerate(FORMULA.split(text))
    return sentence(*(Tex(formula_latex(part), part) if k % 2 else part for k, part in parts if part))


def break_lines(left: LinearForm, sign: str, right: LinearForm) -> list[str]:
    """Return an inequality as lines of LaTeX, broken before the sign and between summands."""
    pieces = _summands(left)
    first, *others = _summands(right)
    pieces += [f"{sign} {first}", *others]
    lines = pieces[:1]
    for piece in pieces[1:]:
        if width(f"{lines[-1]} {piece}") <= LONGEST_LINE:
            lines[-1] += f" {piece}"
        else:
            lines.append(piece)
    return lines


def _summands(form: LinearForm) -> list[str]:
    """Return the summands of a form as LaTeX, each but the first with its sign in front."""
    result: list[str] = []
    for atom, value in form.coefficients.items():
        text = LinearForm({atom: value}).latex()
        result.append(text if not result or text.startswith("-") else f"+ {text}")
    return result or ["0"]


def width(source: str) -> int:
    """Return about how many signs a formula is wide."""
    source = re.sub(r"\\frac\{(\d+)\}\{(\d+)\}", r"\1", source)
    source = re.sub(r"\\(frac|tfrac|left|right|textstyle|mathbb|mathrm|,)|[{}^_]|\s", "", source)
    return len(re.sub(r"\\[A-Za-z]+|\\.", "x", source))


def _aligned(lines: list[str]) -> str:
    if len(lines) == 1:
        return lines[0]
    body = " \\\\\n".join([f"& {lines[0]}", *(rf"& \quad {line}" for line in lines[1:])])
    return f"\\begin{{aligned}}\n{body}\n\\end{{aligned}}"
