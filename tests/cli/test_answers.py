"""Good input: the schemas that scripts rely on."""

from __future__ import annotations

from typing import Any

import pytest

from boundkit.algebra.printing import plain
from boundkit.algebra.prose import paragraphs, plain_prose, split_proof
from boundkit.cli.parameter_values import MOST_ROWS, read_values
from boundkit.theorems import catalogue, names, theorem
from tests.cases import each
from tests.representatives import representatives

EXAMPLE = [
    "m=100",
    "C=0.1",
    "tau=10",
    "T=1000",
    "eta=0.001",
    "eta_s=1",
    "L=1",
    "sigma=1",
    "sigma_g=1",
    "gap=1",
]


def test_predict_at_one_point(boundkit: Any) -> None:
    answer = boundkit("predict", "fedavg_nonconvex_partial", *EXAMPLE, "--json")
    assert (answer.code, answer.err) == (0, "")
    found = answer.json
    assert found["theorem"] == "fedavg_nonconvex_partial"
    assert found["quantity"] == "mean squared gradient"
    assert found["terms"] == pytest.approx(
        {
            "initial gap": 0.4,
            "stochastic noise": 0.0004,
            "noise drift": 7.2e-05,
            "partial participation": 0.010909090909090909,
            "client drift": 0.00288,
        },
        rel=1e-12,
    )
    assert found["total"] == pytest.approx(0.414261090909, rel=1e-11)
    assert (found["dominant"], found["assumed"], found["axes"]) == ("initial gap", [], [])
    assert found["up_to_constants"] is False
    assert found["step_size"]["holds"] is True
    assert found["step_size"]["largest"] == pytest.approx(1 / 240)
    assert found["step_size"]["largest_product"] == pytest.approx(1 / 240)


def test_predict_over_a_grid(boundkit: Any) -> None:
    found = boundkit("predict", "fedavg_nonconvex_partial", "C=1,0.5", "tau=1:4:3", "eta=1e-4", "--json").json
    assert found["axes"] == ["C", "tau"]
    assert found["parameters"]["C"] == [1, 0.5]
    assert found["parameters"]["tau"] == [1, 2, 4]
    for part in (*found["terms"].values(), found["total"], found["dominant"], *found["step_size"].values()):
        assert [len(row) for row in part] == [3, 3]


def test_outside_the_condition_is_a_warning(boundkit: Any) -> None:
    answer = boundkit("predict", "sgd_nonconvex", "eta=2", "--json")
    assert answer.code == 0
    assert answer.json["step_size"]["holds"] is False
    assert answer.err.startswith("warning: ")
    assert answer.err.count("\n") == 1


def test_predict_prints_a_table(boundkit: Any) -> None:
    text = boundkit("predict", "fedavg_nonconvex_partial", *EXAMPLE).out
    assert "initial gap                  0.4  96.6 %  dominant" in text
    assert boundkit("predict", "sgd_nonconvex", "T=1:100:100", "eta=1e-3").out.count("yes") == 100


def test_a_long_table_ends_with_what_it_leaves_out(boundkit: Any) -> None:
    """The named points of a long range, against the formula 2 gap/(eta T) + L eta sigma^2/m."""
    points = 12_000
    answer = boundkit("predict", "sgd_nonconvex", f"eta=1e-4:1e-2:{points}", "m=10", "T=100")
    lines = answer.out.splitlines()
    rows = [line.split() for line in lines if line.endswith("yes")]
    assert len(rows) == MOST_ROWS
    assert f"... and {points - MOST_ROWS} more points" in lines
    assert f"inside the condition at {points} of {points} points" in answer.out
    last = 1e-4 + (1e-2 - 1e-4) * (MOST_ROWS - 1) / (points - 1)
    assert float(rows[-1][0]) == pytest.approx(last, rel=1e-5)
    assert float(rows[-1][3]) == pytest.approx(2 / (last * 100) + last / 10, rel=1e-5)
    both = boundkit("compare", "sgd_nonconvex", "fedavg_nonconvex", f"eta=1e-4:1e-2:{points}")
    assert f"... and {points - MOST_ROWS} more points" in both.out


@pytest.mark.parametrize(
    ("words", "what"),
    [
        (("predict",), "a grid of 1,000,000 points for 5 terms needs about 129.7 MiB of memory"),
        (("predict", "--json"), "the JSON of a grid of 100,000 points needs about 104.9 MiB of memory"),
    ],
)
def test_a_grid_that_would_not_fit_is_refused_with_the_numbers(
    boundkit: Any, monkeypatch: pytest.MonkeyPatch, words: tuple[str, ...], what: str
) -> None:
    monkeypatch.setattr("boundkit.analysis.memory.free_bytes", lambda: 2**26)
    points = 10**5 if "--json" in words else 10**6
    answer = boundkit(*words, "fedavg_nonconvex_partial", f"eta=0.0001:0.001:{points}")
    assert (answer.code, answer.out) == (2, "")
    assert answer.err == (
        f"boundkit: {what}, and 32.0 MiB of the 64.0 MiB that is free may be taken; ask for fewer points.\n"
    )


def test_list(boundkit: Any) -> None:
    rows = boundkit("list", "--json").json
    assert [row["name"] for row in rows] == list(names())
    for row in rows:
        assert set(row) == {
            "name",
            "title",
            "algorithm",
            "claim",
            "kind",
            "constants",
            "assumptions",
            "source",
            "standing",
        }
        assert set(row["source"]) == {"authors", "year", "arxiv", "where"}
    assert all(name in boundkit("list").out for name in names())


def test_list_filters(boundkit: Any) -> None:
    partial = boundkit("list", "--assume", "smooth,partial-participation", "--json").json
    assert {r["name"] for r in partial} == {
        n for n, t in catalogue().items() if t.assumes("smooth", "partial-participation")
    }
    assert {r["algorithm"] for r in boundkit("list", "--algorithm", "fedavg", "--json").json} == {"fedavg"}


@each("name", representatives())
def test_show(boundkit: Any, name: str) -> None:
    value = theorem(name)
    found = boundkit("show", name, "--json").json
    assert [t["label"] for t in found["terms"]] == [t.label for t in value.terms]
    assert all(t["because"] and t["provenance"] for t in found["terms"])
    assert found["prose"] == plain_prose(value.prose)
    assert boundkit("show", name, "--bibtex").out.startswith(("@article{", "@inproceedings{"))
    latex = boundkit("show", name, "--latex").out
    assert latex.startswith("\\[\n\\begin{aligned}")
    assert latex.count(r"\underbrace") == len(value.terms)
    short, whole = (" ".join(boundkit("show", name, *proof).out.split()) for proof in ((), ("--proof",)))
    statement = [*(plain(c) for c in (*value.step_size, *value.requires)), *value.errata, value.source.title]
    statement += [f"{a.name}: {a.meaning}" for a in value.assumptions]
    statement += [f"{q.name}: {q.meaning}" for q in value.quantities]
    for part in statement:
        assert " ".join(part.split()) in short
    prose = [part for text in split_proof(plain_prose(value.prose)) for part in paragraphs(text)]
    for part in (*statement, *prose, *value.remarks, *(t.because for t in value.terms)):
        assert " ".join(part.split()) in whole
    assert "Proof." not in short


def test_tune(boundkit: Any) -> None:
    found = boundkit("tune", "sgd_nonconvex", "m=8", "T=100", "--json").json
    assert found["values"]["eta"] == pytest.approx(0.4)
    assert found["formula"] == "sqrt(2)*sqrt(gap)*sqrt(m)/(sqrt(L)*sqrt(T)*sigma)"
    pair = boundkit("tune", "fedavg_nonconvex_partial", "--over", "eta,eta_s", "--json").json
    assert pair["infimum"] < pair["bound"] <= 1.01 * pair["infimum"] * (1 + 1e-9)
    assert "no pair is best" in boundkit("tune", "fedavg_nonconvex_partial", "--over", "eta,eta_s").out
    assert [found["outcome"], pair["outcome"]] == ["minimum", "near the infimum"]


def test_tune_where_no_step_is_best(boundkit: Any) -> None:
    argv = ("tune", "scaffold_strongly_convex_partial", "T=400")
    found = boundkit(*argv, "--json").json
    assert (found["outcome"], found["values"], found["infimum"]) == ("only grows", {"eta": 0.0}, 1.0)
    answer = boundkit(*argv)
    assert (answer.code, answer.err) == (0, "")
    assert "no best eta" in answer.out
    assert "towards 0" in answer.out


def test_rounds(boundkit: Any) -> None:
    argv = ("rounds", "sgd_nonconvex", "--eps", "0.1", "m=10", "eta=0.1")
    assert boundkit(*argv, "--json").json["rounds"] == 223
    assert "223" in boundkit(*argv).out
    never = boundkit("rounds", "sgd_nonconvex", "--eps", "0.001", "m=10", "eta=0.1", "--json")
    assert (never.code, never.json["rounds"], never.json["floor_dominant"]) == (0, None, "stochastic noise")
    assert never.err == ""
    for eps in ("1", "0.001"):  # in some rounds, and never
        outside = boundkit("rounds", "sgd_nonconvex", "--eps", eps, "eta=2")
        assert outside.err.startswith("warning: "), eps
    assert boundkit("rounds", "sgd_nonconvex", "--eps", "0.1", "--tuned", "--json").json["steps"]["eta"] > 0


def test_rate(boundkit: Any) -> None:
    found = boundkit("rate", "fedavg_nonconvex", "--eta", "sqrt(m/(tau*T))/L", "--json").json
    assert [c["allowed"] for c in found["conditions"]] == ["T >= 4*m*tau", "T >= 12*m*(tau - 1)"]
    assert found["terms"]["initial gap"]["powers"] == {"T": "-1/2", "tau": "-1/2", "m": "-1/2"}
    both = ("--eta", "1/(sqrt(T)*tau*L)", "--eta_s", "sqrt(tau*C*m)")
    assert "T >= 576*C*m*tau" in boundkit("rate", "fedavg_nonconvex_partial", *both).out


def test_values() -> None:
    value = theorem("fedavg_nonconvex_partial")
    assert read_values(["tau=3", "C=0.1", "L=1e3"], value) == {"tau": 3, "C": 0.1, "L": 1000.0}
    assert read_values(["tau=5,1,5"], value) == {"tau": [5, 1, 5]}
    assert read_values(["eta=0:1:5"], value) == {"eta": [0, 0.25, 0.5, 0.75, 1]}
    assert read_values(["eta=1e-4:1:5:log"], value) == {"eta": pytest.approx([1e-4, 1e-3, 1e-2, 0.1, 1])}
    assert read_values(["tau=1:3:9"], value) == {"tau": [1, 2, 3]}
    assert read_values(["T=1:1000:4:log"], value) == {"T": [1, 10, 100, 1000]}
    assert read_values(["tau=3:1:3"], value) == {"tau": [3, 2, 1]}


def test_a_rule_and_lists_on_the_command_line(boundkit: Any) -> None:
    rule = "1/(L*sqrt(T))"
    answer = boundkit("predict", "sgd_nonconvex", f"eta={rule}", "T=100", "m=10", "--json").json
    assert answer["rules"] == {"eta": "1/(L*sqrt(T))"}
    assert answer["steps"] == {"eta": 0.1}
    number = boundkit("predict", "sgd_nonconvex", "eta=0.1", "T=100", "m=10", "--json").json
    assert answer["total"] == pytest.approx(number["total"], rel=1e-12)
    tuned = boundkit("tune", "sgd_nonconvex", "T=100,400", "m=10", "--json").json
    assert tuned["axes"] == {"T": [100, 400]}
    assert [one["theorem"] for one in tuned["answers"]] == ["sgd_nonconvex"] * 2
    rounds = boundkit("rounds", "sgd_nonconvex", "eta=0.02,0.1", "m=10", "--eps", "0.1", "--json").json
    assert [one["rounds"] for one in rounds["answers"]] == [1021, 223]


def test_a_sharper_theorem_is_named_in_the_last_line_of_the_text(boundkit: Any) -> None:
    line = "sharper, under conditions of its own: fedavg_nonconvex_sharp"
    for words in (("predict", "fedavg_nonconvex"), ("tune", "fedavg_nonconvex")):
        assert boundkit(*words).out.splitlines()[-1].startswith(line)
        assert "sharper" not in boundkit(*words, "--json").out
    assert "sharper" not in boundkit("predict", "sgd_nonconvex").out
