"""Many verdicts in few numbers: the worst instances, every ratio, every slope."""

from dataclasses import replace
from pathlib import Path

from boundkit.studies.demonstration_records import write_demonstration
from boundkit.studies.verdict_summary import NAME, summarize_verdicts
from boundkit.theorems import theorem
from boundkit.verification.record import as_record
from boundkit.verification.verdict import Verdict
from boundkit.verification.verifier import verify

UPPER, ORDER = theorem("sgd_nonconvex"), theorem("fedavg_strongly_convex_partial_rate")


def test_a_summary_says_the_worst_instance_and_every_slope_of_each_theorem(tmp_path: Path) -> None:
    upper = verify(UPPER, quick=True, slopes=True)
    order = verify(ORDER, quick=True)
    silent = Verdict(theorem("fedavg_nonconvex"), "not applicable", "nothing ran")
    records = [as_record(verdict) for verdict in (upper, order, silent)]
    found = summarize_verdicts(records, {r.theorem: "fedavg" for r in records}, quick=True)
    assert found.values == {"not_applicable": 1, "quick": True}
    columns = found.columns
    assert columns["theorems theorem"] == [UPPER.name, ORDER.name]
    assert columns["theorems ratio"][0] == upper.ratio
    worst = {case.name: case.ratio for case in upper.cases}
    assert worst[columns["theorems instance"][0]] == upper.ratio == max(worst.values(), key=lambda r: r or 0)
    assert dict(zip(columns["instances name"], columns["instances ratio"], strict=True)) == worst
    seen = list(
        zip(*(columns[f"slopes {n}"] for n in ("theorem", "term", "quantity", "measured")), strict=True)
    )
    fitted = [
        (verdict.theorem.name, c.numbers["term"], c.numbers["letter"], c.numbers["measured"])
        for verdict in (upper, order)
        for c in verdict.checks
        if "term" in c.numbers and c.outcome != "not tested"
    ]
    assert seen == fitted
    assert {theorem for theorem, *_ in seen} == {UPPER.name, ORDER.name}
    causes = dict(zip(columns["slopes term"], columns["slopes cause"], strict=True))
    assert causes["bound"] == ""
    assert causes["initial gap"] == "initial gap"
    sweeps = [c.numbers["largest_ratio"] for c in order.checks if "largest_ratio" in c.numbers]
    assert columns["theorems ratio"][1] == max(sweeps)
    assert columns["theorems instance"][1].startswith("sweep of ")
    assert write_demonstration(found, tmp_path / "verified.json").name == NAME


def test_the_worst_sweep_has_the_largest_ratio() -> None:
    verdict = as_record(Verdict(ORDER, "holds", "said"))
    checks = [
        {"largest_ratio": ratio, "letter": letter} for ratio, letter in ((0.2, "C"), (0.9, "T"), (0.5, "m"))
    ]
    record = replace(verdict, verdict={**verdict.verdict, "checks": checks})
    columns = summarize_verdicts([record], {ORDER.name: "fedavg"}).columns
    assert columns["theorems ratio"] == [0.9]
    assert columns["theorems instance"] == ["sweep of T"]
