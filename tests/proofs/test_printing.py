"""A certificate as a text: every step with its formula, lemma, weight, reason and verdict."""

import re

import pytest

from boundkit.algebra.printing import latex, plain
from boundkit.analysis.export.markdown import page
from boundkit.cli.show import run
from boundkit.lecture.markdown import mathml
from boundkit.proofs import printing
from boundkit.proofs.certificate import Certificate
from boundkit.proofs.certificate_store import certified, proof_named
from boundkit.proofs.checker import check
from boundkit.proofs.corollaries import Corollary
from boundkit.proofs.printing import LONGEST_LINE, checked_proof, stored_proof, theorem_page
from boundkit.theorems import theorem
from boundkit.theorems.errata import errata_of
from tests.cases import each, thinned
from tests.docs.site import site

SHARP = "fedavg_nonconvex_partial_sharp"


def stored(name: str) -> tuple[str, str]:
    """A proof as text and as Markdown."""
    report = stored_proof(theorem(name))
    assert report is not None
    return report.to_text(), report.to_markdown()


STEPWISE = [name for name in certified() if isinstance(proof_named(name), Certificate)]


@each("name", thinned(STEPWISE, len(STEPWISE) // 3))
def test_every_step_is_displayed_with_lemma_weight_and_verdict(name: str) -> None:
    text, markdown = stored(name)
    certificate = proof_named(name)
    assert isinstance(certificate, Certificate)
    steps = certificate.steps
    displays = re.findall(r"^\$\$\n(.*?)\n\$\$$", markdown, re.DOTALL | re.MULTILINE)
    assert len(displays) == len(steps)
    for formula in displays:
        assert mathml(formula, display=True).startswith("<math")
    for place, step in enumerate(steps, 1):
        assert f"**{place}. {step.name}: proved**" in markdown
        assert re.search(rf"^{place}\. {re.escape(step.name)}: proved$", text, re.MULTILINE)
    joined = " ".join(text.split())
    assert joined.count("Lemma: ") == joined.count("; weight: ") == joined.count("Because: ") == len(steps)
    assert "coefficient by coefficient: proved. Checked by machine: " in joined


@each("name", sorted(set(certified()) - set(STEPWISE)))
def test_a_corollary_names_its_base_and_what_is_put_in(name: str) -> None:
    corollary = proof_named(name)
    assert isinstance(corollary, Corollary)
    text, markdown = stored(name)
    base = corollary.base.theorem.name
    for place, step in enumerate(("statement", "conditions", "terms"), 1):
        assert f"{place}. {step} of {base}: proved" in text
    for quantity, value in corollary.substituted.items():
        assert f"{quantity} = {plain(value)}" in text
        assert f"{latex(quantity)} = {latex(value)}" in markdown
    if base in certified():
        assert f"({base}.md)" in site("theorem_pages").page(theorem(name))
    else:
        assert isinstance(corollary.base, Certificate)
        for own in corollary.base.steps:
            assert f"{own.name}: proved" in text


def test_a_page_has_the_steps_in_place_of_the_prose() -> None:
    text = theorem_page(theorem(SHARP))
    assert "<summary>Proof, machine-checked</summary>" in text
    assert text.index("error against gradient: proved") < text.index("## How to read it")
    lower = theorem("fedavg_convex_gap_lower")
    assert stored_proof(lower) is None
    assert theorem_page(lower) == page(lower, "", errata_of(lower.name))


def test_show_prints_the_same_steps(capsys: pytest.CaptureFixture[str]) -> None:
    run(SHARP, proof=True)
    assert stored(SHARP)[0] in capsys.readouterr().out
    run(SHARP)
    assert "Lemma: " not in capsys.readouterr().out


def test_a_result_that_is_out_of_date_is_no_verdict(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(printing, "current_record", lambda name: None)
    text, _ = stored(SHARP)
    assert "1. descent: not checked" in text
    assert "proved" not in text


def test_a_step_that_fails_says_so() -> None:
    certificate = proof_named("sgd_nonconvex")
    assert isinstance(certificate, Certificate)
    certificate = certificate.changed("descent", weight=-1)
    text = checked_proof(certificate, check(certificate)).to_text()
    assert "1. descent: refuted" in text
    assert "2. mean of the clients: proved" in text


def test_long_formulas_are_broken() -> None:
    _, markdown = stored(SHARP)
    participation = markdown.split("2. participation")[1].split("$$")[1]
    lines = participation.split(r"\\")
    assert len(lines) > 2
    widths = [printing.width(line.replace(r"\quad", "")) for line in lines[1:-1]]
    assert max(widths) <= LONGEST_LINE + 10  # a summand is never cut
    assert r"\left(1 - " in participation
    assert participation.count(r"\mathbb{E}\|v\|^2 =") == 1
