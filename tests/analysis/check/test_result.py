"""The result of the checks: counts, failures, and the mistakes that the checks cannot detect."""

import pytest

from boundkit.analysis.check import CheckResult, SingleCheck, check
from boundkit.theorems import catalogue

GOOD = SingleCheck("signs", "pass", "no term is negative.")
BAD = SingleCheck("limits", "fail", "at tau = 1 nothing vanishes.")
NONE = SingleCheck("reductions", "not applicable", "it states none.")


def test_a_report_is_true_where_nothing_fails() -> None:
    assert CheckResult("x", (GOOD, NONE))
    assert not CheckResult("x", (GOOD, BAD))
    assert CheckResult("x", (GOOD, BAD)).failures == (BAD,)
    assert CheckResult("x", (GOOD, BAD)).named("limits") is BAD
    with pytest.raises(KeyError):
        CheckResult("x", (GOOD,)).named("limits")


def test_a_report_lists_and_counts_the_checks() -> None:
    report = CheckResult("x", (GOOD, BAD, NONE))
    headline = "x: 1 checks passed, 1 failed, 1 not applicable\n\n"
    assert repr(report) == f"{headline}FAIL  limits  at tau = 1 nothing vanishes."
    assert report.report(verbose=True).to_text() == (
        f"{headline}"
        "pass  signs       no term is negative.\n"
        "FAIL  limits      at tau = 1 nothing vanishes.\n"
        "n/a   reductions  it states none."
    )
    assert report.to_dict()["passed"] is False
    assert [c["outcome"] for c in report.to_dict()["checks"]] == ["pass", "fail", "not applicable"]
    assert ">at tau = 1 nothing vanishes.</td>" in report._repr_html_()


def test_undetected_constants_are_named() -> None:
    """Without reductions every constant is free; fedavg's are tied to sgd's by a reduction at tau = 1."""
    theorems = catalogue()
    alone = check(theorems["sgd_nonconvex"], theorems)
    assert alone.undetected == tuple(term.label for term in theorems["sgd_nonconvex"].terms)
    assert (
        "a constant 10 times too small in the initial gap and stochastic noise terms would pass"
        in " ".join(alone.to_text().split())
    )
    tied = check(theorems["fedavg_nonconvex_partial"], theorems)
    assert tied.undetected == ("partial participation",)
    lower = check(theorems["clipped_minibatch_sgd_relaxed_smooth_lower"], theorems)
    assert "10 times too large" in lower.to_text()
    assert CheckResult("x", (GOOD, BAD), find_undetected=lambda: ("drift",)).undetected == ()
