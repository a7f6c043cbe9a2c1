"""One report, its text, HTML, LaTeX and Markdown."""

import importlib
import pkgutil

import pytest

import boundkit
from boundkit.algebra.notation import L, eta
from boundkit.algebra.printing import Formula
from boundkit.report import (
    Code,
    Heading,
    Link,
    Listing,
    Report,
    Reported,
    Sentences,
    Table,
    Tex,
    sentence,
)
from boundkit.report.text import fit_columns

REPORT = Report(
    (
        Heading(sentence("A bound: ", Tex("a < b", "a < b"))),
        Table(["term", "value"], [["gap & noise", "12"], ["drift", "3"]]),
        Table(["", ""], [["largest", Formula(1 / L, "eta")]], left=2, caption="Steps"),
        Table(["empty"], []),
        Sentences(["  first a < b", Formula(eta < 1)]),
        Sentences([]),
        Sentences(["word " * 30], wrapped=True),
        Listing("Steps", [Formula(eta < 1), "a < b"]),
        Listing("none", []),
        Code("Replay", ["boundkit verify x < y"]),
        Link("https://arxiv.org/abs/1", "the paper"),
    )
)


def test_text_aligns_tables_and_leaves_out_what_is_empty() -> None:
    words = [" ".join(["word"] * 20), " ".join(["word"] * 10)]
    assert REPORT.to_text().split("\n\n") == [
        "A bound: a < b",
        "term         value\ngap & noise     12\ndrift            3",
        "Steps\n  largest  eta = 1/L",
        "  first a < b\neta < 1",
        "\n".join(words),
        "Steps\n  eta < 1\n  a < b",
        "Replay\n    boundkit verify x < y",
        "the paper: https://arxiv.org/abs/1",
    ]


def test_columns_of_a_terminal_never_cut_the_first_and_wrap_the_others_at_words() -> None:
    name = "a_name_of_a_theorem_that_is_nearly_as_long_as_a_line"
    header, row = ["theorem", "steps", "methods"], [name, "67", "25 identity, 36 exact, 6 z3"]
    beside = fit_columns(header, [row], 79).split("\n")
    assert beside[2:] == [f"{name}     67  25 identity, 36", "exact, 6 z3".rjust(76)]
    below = fit_columns(header, [row], 60).split("\n")
    assert below[3:] == [name, "     67  25 identity, 36 exact, 6 z3"]
    for width in range(1, 120):
        lines = fit_columns(header, [row], width).split("\n")
        assert any(line.startswith(name) for line in lines)
        assert max(map(len, lines)) <= max(width, len(name), 6)
        words = "".join("".join(lines).replace("─", "").split())
        assert sorted(words) == sorted("".join([*header, *row]).replace(" ", ""))


def test_html_escapes_text_marks_formulas_and_aligns_numbers_to_the_right() -> None:
    html = REPORT.to_html()
    assert html.startswith(r"<p><b>A bound: \(a &lt; b\)</b></p><table><thead>")
    assert '<td style="text-align:left">gap &amp; noise</td><td style="text-align:right">12</td>' in html
    assert r"\(\displaystyle \eta = \frac{1}{L}\)" in html
    assert html.count("<table>") == 2
    assert "<p>\N{EM SPACE}first a &lt; b<br/>" in html
    assert r"<p>Steps</p><ul><li>\(\eta &lt; 1\)</li><li>a &lt; b</li></ul>" in html
    assert "<p>Replay</p><pre>boundkit verify x &lt; y</pre>" in html
    assert html.endswith('<p><a href="https://arxiv.org/abs/1">the paper</a></p>')


def test_markdown_sets_formulas_between_dollars() -> None:
    markdown = REPORT.to_markdown()
    assert markdown.startswith(
        "**A bound: $a < b$**\n\n| term | value |\n| --- | ---: |\n| gap & noise | 12 |"
    )
    assert "Steps\n\n|  |  |\n| --- | --- |\n| largest | $\\eta = \\frac{1}{L}$ |" in markdown
    assert "first a \\< b\\\n$\\eta < 1$" in markdown
    assert "Steps\n\n- $\\eta < 1$\n- a \\< b" in markdown
    assert "Replay\n\n```text\nboundkit verify x < y\n```" in markdown
    assert markdown.endswith("[the paper](https://arxiv.org/abs/1)\n")


def test_latex_escapes_text_and_sets_tables_with_rules() -> None:
    latex = REPORT.to_latex()
    assert latex.startswith(r"\paragraph{A bound: $a < b$}")
    assert "\\begin{tabular}{lr}\n\\toprule\nterm & value \\\\\n\\midrule\ngap \\& noise & 12 \\\\" in latex
    assert "\\caption{Steps}\n\\begin{tabular}{ll}\n\\toprule\nlargest & $\\eta = \\frac{1}{L}$ \\\\" in latex
    assert "\\begin{itemize}\n  \\item $\\eta < 1$\n  \\item a $<$ b\n\\end{itemize}" in latex
    assert latex.endswith("\\href{https://arxiv.org/abs/1}{the paper}\n")


def test_reports_are_joined_in_the_order_of_reading() -> None:
    first, second = Report((Heading("one"),)), Report((Heading("two"),))
    assert str(first + second) == "one\n\ntwo"


def test_results_are_shown_as_their_report_and_in_no_other_way() -> None:
    for module in pkgutil.walk_packages(boundkit.__path__, "boundkit."):
        if "analysis" in module.name or "attack" in module.name or "proofs" in module.name:
            importlib.import_module(module.name)
    results = Reported.__subclasses__()
    assert len(results) >= 18
    for result in results:
        assert result.__repr__ is Reported.__repr__, f"{result.__name__}: @dataclass(repr=False) is needed"
        assert "_repr_html_" not in vars(result), result.__name__
        assert "report" in vars(result), result.__name__


def test_a_terminal_narrows_paragraphs_and_tables(monkeypatch: pytest.MonkeyPatch) -> None:
    long = "on the rest of the log it is wrong by 17 % and " * 5
    table = Table(["setting", "rounds"], [["tau = 2", "one two three four five six seven eight nine ten"]])
    whole = Report((Sentences([long], wrapped=True), table, Listing("Those", [long])))
    wide = whole.to_text()
    assert max(map(len, wide.splitlines())) <= 100
    monkeypatch.setattr("sys.stdout.isatty", lambda: True)
    monkeypatch.setenv("COLUMNS", "48")
    narrow = whole.to_text()
    assert max(map(len, narrow.splitlines())) <= 48
    assert "\n% " not in narrow
    assert narrow.replace("─", "").split() == wide.split()
