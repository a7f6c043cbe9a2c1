"""Commands that answer questions: they print what the functions of the package answer, and write its JSON."""

from __future__ import annotations

import io
import json
import re
import sys
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import boundkit as bk
from boundkit.algebra.printing import plain
from boundkit.algebra.prose import paragraphs, plain_prose, split_proof
from boundkit.algebra.vocabulary import ASSUMPTIONS
from boundkit.analysis.export import export
from boundkit.analysis.quiz import FULL, PARTIAL, QUIZ, quiz
from boundkit.cli.output import warnings_in_one_line
from boundkit.cli.parameter_values import MOST_ROWS, read_values
from boundkit.cli.program import run
from boundkit.proofs.printing import theorem_page
from boundkit.theorems import catalogue, names, theorem
from boundkit.theorems.errata import errata_of
from tests.cases import each, thinned
from tests.cli.conftest import Command
from tests.representatives import REPRESENTATIVES

AVG, PART, NOVA = "fedavg_nonconvex", "fedavg_nonconvex_partial", "fednova_nonconvex"
EXAMPLES = Path(__file__).parents[2] / "examples"
POINT = "m=100 C=0.1 tau=10 T=1000 eta=0.001 eta_s=1 L=1 sigma=1 sigma_g=1 gap=1"
VALUES = {n: float(v) for n, v in (word.split("=") for word in POINT.split())}
RULE, BOTH = "sqrt(m/(tau*T))/L", {"eta": "1/(sqrt(T)*tau*L)", "eta_s": "sqrt(tau*C*m)"}
MOMENTUM: dict[str, Any] = {"tau_i": [2, 5, 9], "p_i": [0.2, 0.3, 0.5], "solver": "momentum"}

ANSWERS: list[tuple[str, Callable[[], Any]]] = [
    (f"predict {PART} {POINT}", lambda: bk.predict(PART, **VALUES)),
    (f"predict {PART} C=1,0.5 tau=1:4:3 eta=1e-4",
     lambda: bk.predict(PART, C=[1, 0.5], tau=[1, 2, 4], eta=1e-4)),
    ("predict sgd_nonconvex eta=1/(L*sqrt(T)) T=100", lambda: bk.predict("sgd_nonconvex", eta=0.1, T=100)),
    (f"predict {NOVA} tau_i=2,5,9 p_i=0.2,0.3,0.5 solver=momentum rho_momentum=0.9",
     lambda: bk.predict(NOVA, **MOMENTUM, rho_momentum=0.9)),
    (f"predict {NOVA} tau_i=2,9 eta=0.001,0.002 solver=decay decay=0.5,1",
     lambda: bk.predict(NOVA, tau_i=[2, 9], eta=[0.001, 0.002], solver="decay", decay=[0.5, 1])),
    (f"predict {NOVA} a_i=1,0.5,0.25;1,0.5 p_i=0.4,0.6",
     lambda: bk.predict(NOVA, a_i=[[1, 0.5, 0.25], [1, 0.5]], p_i=[0.4, 0.6])),
    ("predict fednova_nonconvex_varying tau_i=2,4;3,3;1,1 T=300",
     lambda: bk.predict("fednova_nonconvex_varying", tau_i=[[2, 4], [3, 3], [1, 1]], T=300)),
    ("tune sgd_nonconvex m=8 T=100", lambda: bk.tune("sgd_nonconvex", m=8, T=100)),
    ("tune sgd_nonconvex T=100,400 m=10", lambda: bk.tune("sgd_nonconvex", T=[100, 400], m=10)),
    (f"tune {PART} --over eta,eta_s", lambda: bk.tune(PART, "eta,eta_s")),
    ("tune scaffold_strongly_convex_partial T=400",
     lambda: bk.tune("scaffold_strongly_convex_partial", T=400)),
    ("rounds sgd_nonconvex --eps 0.1 m=10 eta=0.1",
     lambda: bk.rounds_to("sgd_nonconvex", 0.1, m=10, eta=0.1)),
    ("rounds sgd_nonconvex --eps 0.001 m=10 eta=0.1",
     lambda: bk.rounds_to("sgd_nonconvex", 0.001, m=10, eta=0.1)),
    ("rounds sgd_nonconvex --eps 0.1 m=10 eta=0.02,0.1",
     lambda: bk.rounds_to("sgd_nonconvex", 0.1, m=10, eta=[0.02, 0.1])),
    ("rounds sgd_nonconvex --eps 0.1 --tuned", lambda: bk.rounds_to("sgd_nonconvex", 0.1, tuned=True)),
    (f"rounds --formula {AVG}", lambda: bk.complexity(AVG)),
    (f"rounds --formula {AVG} --eta {RULE}", lambda: bk.complexity(AVG, eta=RULE)),
    ("rounds --formula", bk.complexity),
    (f"rate {AVG} --eta {RULE}", lambda: bk.rate(AVG, eta=RULE)),
    (f"rate {PART} --eta {BOTH['eta']} --eta_s {BOTH['eta_s']}", lambda: bk.rate(PART, **BOTH)),
    (f"rate {PART} --reach 1/sqrt(C*m*tau*T)+1/T --one-step",
     lambda: bk.reach(PART, "1/sqrt(C*m*tau*T)+1/T", one_step=True)),
    (f"regimes {AVG} T tau m=10 --eta {RULE}", lambda: bk.regimes(AVG, "T", "tau", m=10, eta=RULE)),
    (f"compare {AVG} sgd_nonconvex tau=5 eta=0.01",
     lambda: bk.compare(AVG, "sgd_nonconvex", tau=5, eta=0.01)),
    (f"compare {AVG} sgd_nonconvex tau=1,2,5 sigma_g=0.1,1,10",
     lambda: bk.compare(AVG, "sgd_nonconvex", tau=[1, 2, 5], sigma_g=[0.1, 1, 10])),
    (f"compare {AVG} sgd_nonconvex --tuned tau=1,5",
     lambda: bk.compare(AVG, "sgd_nonconvex", tuned=True, tau=[1, 5])),
    ("sensitivity sgd_nonconvex --of m,T --eta 1/(L*sqrt(T))",
     lambda: bk.sensitivity("sgd_nonconvex", "m,T", eta="1/(L*sqrt(T))")),
    ("sensitivity fednova_nonconvex_surrogate --alike --no-tuned",
     lambda: bk.sensitivity("fednova_nonconvex_surrogate", alike=True, tuned=False)),
    ("cost --time synchronous m=1,2,4 step_time=12 delay=1",
     lambda: bk.round_time("synchronous", m=[1, 2, 4], step_time=12, delay=1)),
    ("cost --time federated n_i=600,300 C=1 --law constant",
     lambda: bk.round_time("federated", n_i=[600, 300], C=1, law="constant")),
    ("cost --time asynchronous m=2 step_time=3 delay=1 --delay-added",
     lambda: bk.round_time("asynchronous", m=2, step_time=3, delay=1, delay_hidden=False)),
]  # fmt: skip
"""Command lines, and the call of the package that has the same answer."""


@each(("line", "call"), ANSWERS)
def test_a_command_prints_the_answer_of_the_function(
    boundkit: Command, line: str, call: Callable[[], Any]
) -> None:
    answer, words = call(), line.split()
    written = boundkit(*words, "--json")
    assert written.code == 0, written.err
    expected = json.loads(json.dumps(answer.to_dict(), allow_nan=False))
    if "eta=1/" in line:
        assert written.json["rules"] == {"eta": "1/(L*sqrt(T))"}
        assert written.json["total"] == pytest.approx(expected["total"], rel=1e-12)
        return
    assert written.json == expected
    assert boundkit(*words).out.startswith(answer.to_text().rstrip())


def test_numbers_that_scripts_rely_on(boundkit: Command) -> None:
    found = boundkit("predict", PART, *POINT.split(), "--json").json
    terms = {"initial gap": 0.4, "stochastic noise": 0.0004, "noise drift": 7.2e-05,
             "partial participation": 0.010909090909090909, "client drift": 0.00288}  # fmt: skip
    assert found["terms"] == pytest.approx(terms, rel=1e-12)
    assert found["step_size"] == {
        "holds": True, "largest": pytest.approx(1 / 240), "largest_product": pytest.approx(1 / 240)
    }  # fmt: skip
    assert (
        "initial gap                  0.4  96.6 %  dominant" in boundkit("predict", PART, *POINT.split()).out
    )


def test_outside_the_condition_is_a_warning(boundkit: Command) -> None:
    for words in (("predict", "sgd_nonconvex", "eta=2"), ("rounds", "sgd_nonconvex", "--eps", "1", "eta=2"),
                  ("rounds", "sgd_nonconvex", "--eps", "0.001", "eta=2"),
                  ("compare", AVG, "sgd_nonconvex", "eta=0.5")):  # fmt: skip
        answer = boundkit(*words, "--json")
        assert answer.code == 0
        assert answer.err.startswith("warning: "), words
        assert answer.err.count("\n") == 1


def test_a_long_table_ends_with_what_it_leaves_out(boundkit: Command) -> None:
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


@pytest.mark.parametrize(
    ("words", "what"),
    [
        (("predict",), "a grid of 1,000,000 points for 5 terms needs about 129.7 MiB of memory"),
        (("predict", "--json"), "the JSON of a grid of 100,000 points needs about 104.9 MiB of memory"),
    ],
)
def test_a_grid_that_would_not_fit_is_refused_with_the_numbers(
    boundkit: Command, monkeypatch: pytest.MonkeyPatch, words: tuple[str, ...], what: str
) -> None:
    monkeypatch.setattr("boundkit.analysis.memory.free_bytes", lambda: 2**26)
    points = 10**5 if "--json" in words else 10**6
    answer = boundkit(*words, PART, f"eta=0.0001:0.001:{points}")
    assert (answer.code, answer.out) == (2, "")
    assert answer.err == (
        f"boundkit: {what}, and 32.0 MiB of the 64.0 MiB that is free may be taken; ask for fewer points.\n"
    )


def test_list(boundkit: Command) -> None:
    rows = boundkit("list", "--json").json
    order_last = sorted(names(), key=lambda name: theorem(name).kind == "order")
    assert [row["name"] for row in rows] == order_last
    keys = {"name", "title", "algorithm", "claim", "kind", "constants", "assumptions", "source", "standing"}
    assert {frozenset(row) for row in rows} == {frozenset(keys)}
    assert {frozenset(row["source"]) for row in rows} == {frozenset({"authors", "year", "arxiv", "where"})}
    printed = boundkit("list").out
    assert all(name in printed for name in names())
    partial = boundkit("list", "--assume", "smooth,partial-participation", "--json").json
    both = {n for n, t in catalogue().items() if t.assumes("smooth", "partial-participation")}
    assert {r["name"] for r in partial} == both
    assert {r["algorithm"] for r in boundkit("list", "--algorithm", "fedavg", "--json").json} == {"fedavg"}


@pytest.mark.parametrize("columns", [80, 100])
@pytest.mark.parametrize("command", [["list"], ["proof", "--all"]], ids=" ".join)
def test_a_terminal_has_every_name_in_full_and_no_line_beyond_its_width(
    columns: int, command: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    terminal = io.StringIO()
    monkeypatch.setattr(terminal, "isatty", lambda: True, raising=False)
    monkeypatch.setenv("COLUMNS", str(columns))
    monkeypatch.setattr(sys, "stdout", terminal)
    assert run(command) == 0
    printed = re.sub(r"\x1b\[[0-9;]*m", "", terminal.getvalue())
    assert set(names()) <= set(printed.split())
    assert max(len(line) for line in printed.split("\n") if not re.match(r"\d+ recalled", line)) <= columns


@each("name", thinned(REPRESENTATIVES, 8))
def test_show(boundkit: Command, name: str) -> None:
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
    statement = [
        *(plain(c) for c in (*value.step_size, *value.requires)),
        *map(str, errata_of(name)),
        value.source.title,
    ]
    statement += [f"{a.name}: {a.meaning}" for a in value.assumptions]
    statement += [f"{q.name}: {q.meaning}" for q in value.quantities]
    for part in statement:
        assert " ".join(part.split()) in short
    prose = [part for text in split_proof(plain_prose(value.prose)) for part in paragraphs(text)]
    for part in (*statement, *prose, *value.remarks, *(t.because for t in value.terms)):
        assert " ".join(part.split()) in whole
    assert "Proof." not in short


def test_words_are_values_lists_ranges_and_logarithmic_ranges() -> None:
    for words, values in (
        (["tau=3", "C=0.1", "L=1e3"], {"tau": 3, "C": 0.1, "L": 1000.0}),
        (["tau=5,1,5"], {"tau": [5, 1, 5]}),
        (["eta=0:1:5"], {"eta": [0, 0.25, 0.5, 0.75, 1]}),
        (["eta=1e-4:1:5:log"], {"eta": pytest.approx([1e-4, 1e-3, 1e-2, 0.1, 1])}),
        (["tau=1:3:9"], {"tau": [1, 2, 3]}),
        (["T=1:1000:4:log"], {"T": [1, 10, 100, 1000]}),
        (["tau=3:1:3"], {"tau": [3, 2, 1]}),
    ):
        assert read_values(words, theorem(PART)) == values


def test_points_that_rounding_makes_equal_are_counted_in_one_sentence(boundkit: Command) -> None:
    answer = boundkit("predict", PART, "tau=1:100:21:log", "T=10:1000:21", "eta=1e-6", "--json")
    assert len(answer.json["parameters"]["tau"]) == 18
    assert answer.err == (
        "warning: 'tau=1:100:21:log' asks for 21 points, but rounded to whole numbers only 18 differ.\n"
    )
    assert boundkit("predict", PART, "tau=1:5:3", "eta=1e-6", "--json").err == ""


def test_footers_and_counts_are_worded_for_the_command_line(boundkit: Command) -> None:
    assert "tuned=True" not in boundkit("rounds", "sgd_nonconvex", "--eps", "0.1").out
    assert boundkit("find").out.startswith("Theorems: hold with one assumption: ")
    assert "Others: " in boundkit("find", "--have", "smooth").out
    one = boundkit("simulate", "fedavg", str(EXAMPLES / "hundred_clients.json")).out
    assert " by the step engine, 1 replica\n" in one


def test_find_and_costs_are_those_of_the_package(boundkit: Command) -> None:
    words = ("--have", "smooth,partial-participation", "--without", "bounded-dissimilarity")
    found = bk.find("smooth,partial-participation", "bounded-dissimilarity")
    assert boundkit("find", *words, "--json").json == found.to_dict()
    short, whole = boundkit("find", *words).out, boundkit("find", *words, "--why").out
    assert f"do not hold: {len(found.of('not'))}." in short
    assert f"{PART}: it needs bounded-dissimilarity" in whole
    assert PART not in short
    numbers = ("m=100", "C=0.1", "tau=10", "d=1000", "T=50", "batch=1", "--json")
    (row,) = boundkit("cost", "fedvarp", *numbers).json["costs"]
    assert (row["server"]["value"], row["total"]["up"]["value"]) == (100_000, 50 * 10 * 1000)
    assert "the server stores the last update of every client" in boundkit("cost", "fedvarp").out
    assert len(boundkit("cost", "--json").json["costs"]) == len(bk.costs().rows)
    assert boundkit("cost", PART, "--json").json == boundkit("cost", "fedavg", "--json").json


def test_the_whole_graph_of_reductions_and_its_chains(boundkit: Command) -> None:
    found = boundkit("graph", "--json").json
    assert set(found["nodes"]) <= set(catalogue())
    assert len(found["edges"]) == sum(len(t.reductions) for t in catalogue().values())
    (edge,) = (e for e in found["edges"] if (e["from"], e["to"], e["holds"]) == (PART, AVG, True))
    assert edge["when"] == {"C": "1", "eta_s": "1"}
    assert edge["factors"] == {"noise drift": "4/3", "client drift": "8/3"}
    chain = f"{PART} -> {AVG} -> sgd_nonconvex at C = 1, eta_s = 1, tau = 1"
    assert f"{chain}; initial gap x 2, stochastic noise x 4" in " ".join(boundkit("graph", AVG).out.split())


def test_assumptions_all_one_and_two_against_each_other(boundkit: Command) -> None:
    graph = ("graph", "--assumptions")
    every = boundkit(*graph, "--json").json
    assert {a["name"] for a in every["assumptions"]} >= set(ASSUMPTIONS)
    assert all(r["proof"] for r in every["implications"])
    assert all(r["example"] and r["because"] for r in every["refutations"])
    assert {"strongly-convex", "bounded-gradients"} in [set(c["assumptions"]) for c in every["conflicts"]]
    for name in ASSUMPTIONS:
        page = boundkit(*graph, name, "--json").json
        assert (page["name"], bool(page["meaning"])) == (name, True)
        assert {d["to"] for d in page["follows"]} == set(page["implies"])
        assert page["theorems"] == [t.name for t in catalogue().values() if t.assumes(name)]
        text = boundkit(*graph, name).out
        assert text.startswith(f"{name}\n")
        assert "\N{NBSP}" not in text
    pair = boundkit(*graph, "bounded-dissimilarity", "clientwise-dissimilarity", "--json").json
    assert pair["answer"] == "does not imply"
    assert "sqrt(m - 1)" in pair["because"]
    text = boundkit(*graph, "strongly-convex", "bounded-gradients").out
    assert text.startswith("strongly-convex and bounded-gradients cannot hold together on all of space: ")
    assert "is not known here" in boundkit(*graph, "smooth", "bounded-noise").out


def test_the_plot_is_the_figure(boundkit: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    words = ("compare", AVG, "sgd_nonconvex", "tau=1,2", "--tuned")
    assert boundkit(*words, "--plot", "plot.svg", "--preset", "paper").code == 0
    answer = boundkit("figure", *words, "--preset", "paper", "--out", "figure.svg", "--json")
    assert (answer.code, answer.json["written"]) == (0, ["figure.svg"])
    assert Path("figure.svg").read_bytes() == Path("plot.svg").read_bytes()


def test_quiz(boundkit: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    """One of its lines: tests/analysis asks them all."""
    some = quiz(theorem(FULL), theorem(PARTIAL), QUIZ[3:4])
    monkeypatch.setattr(bk, "quiz", lambda: some)
    assert boundkit("sensitivity", "--quiz", "--json").json == json.loads(json.dumps(some.to_dict()))
    assert boundkit("sensitivity", "--quiz").out.strip() == some.to_text().strip()


def test_export_prints_one_theorem_and_writes_one_file_or_all(
    boundkit: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    one = theorem("sgd_nonconvex")
    for form in ("latex", "bibtex", "javascript"):
        assert boundkit("export", one.name, "--format", form).out.strip() == export(one, form).strip()
    assert boundkit("export", one.name, "--format", "markdown").out.strip() == theorem_page(one).strip()
    told = boundkit("export", one.name, "--format", "bibtex", "--json").json
    assert told["text"] == one.source.bibtex()
    path = tmp_path / "one.tex"
    assert boundkit("export", one.name, "--out", str(path)).out.strip() == str(path)
    assert path.read_text(encoding="utf-8").strip() == export(one, "latex").strip()
    few = {name: theorem(name) for name in ("sgd_nonconvex", PART, "mifa_nonconvex")}
    monkeypatch.setattr("boundkit.theorems.catalogue", lambda: few)
    answer = boundkit("export", "--all", "--format", "markdown", "--out", str(tmp_path / "pages"), "--json")
    written = {Path(path).name for path in answer.json["written"]}
    assert written == {f"{name}.md" for name in few} | {"README.md"}
    assert {path.name for path in (tmp_path / "pages").iterdir()} == written
    index = (tmp_path / "pages" / "README.md").read_text(encoding="utf-8")
    assert all(f"[{name}]({name}.md)" in index for name in few)


def test_what_the_library_warns_of_is_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    with warnings_in_one_line():
        warnings.simplefilter("always")
        warnings.warn("8 replicas at a time did not fit in memory;\nthey are run 4 at a time.", stacklevel=1)
    assert capsys.readouterr().err == (
        "warning: 8 replicas at a time did not fit in memory; they are run 4 at a time.\n"
    )
    with pytest.warns(FutureWarning, match="of a library"), warnings_in_one_line():
        warnings.warn("of a library", FutureWarning, stacklevel=1)
    assert capsys.readouterr().err == ""
