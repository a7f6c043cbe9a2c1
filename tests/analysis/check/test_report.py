import pytest

from boundkit.analysis.check import Finding, Report

GOOD = Finding("signs", "pass", "no term is negative.")
BAD = Finding("limits", "fail", "at tau = 1 nothing vanishes.")
NONE = Finding("reductions", "not applicable", "it states none.")


def test_a_report_is_true_where_nothing_fails() -> None:
    assert Report("x", (GOOD, NONE))
    assert not Report("x", (GOOD, BAD))
    assert Report("x", (GOOD, BAD)).failures == (BAD,)
    assert Report("x", (GOOD, BAD)).finding("limits") is BAD
    with pytest.raises(KeyError):
        Report("x", (GOOD,)).finding("limits")


def test_a_report_says_each_check_and_counts_them() -> None:
    report = Report("x", (GOOD, BAD, NONE))
    assert repr(report) == (
        "x: 1 checks passed, 1 failed, 1 not applicable\n"
        "  pass  signs       no term is negative.\n"
        "  FAIL  limits      at tau = 1 nothing vanishes.\n"
        "  n/a   reductions  it states none."
    )
    assert report.to_dict()["passed"] is False
    assert [c["outcome"] for c in report.to_dict()["checks"]] == ["pass", "fail", "not applicable"]
    assert ">at tau = 1 nothing vanishes.</td>" in report._repr_html_()
