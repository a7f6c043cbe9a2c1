"""The papers: each stands once, is used, and gives the source of a statement."""

from boundkit.algebra import papers
from boundkit.algebra.notation import gap, m
from boundkit.algebra.papers import Paper
from boundkit.theorems import catalogue

PAPERS = {name: value for name, value in vars(papers).items() if isinstance(value, Paper)}


def test_each_paper_stands_once_under_the_name_of_its_first_author_and_year() -> None:
    assert len({(p.title, p.authors) for p in PAPERS.values()}) == len(PAPERS)
    ids = [p.arxiv for p in PAPERS.values() if p.arxiv]
    assert len(set(ids)) == len(ids)
    for name, paper in PAPERS.items():
        assert name.startswith(f"{paper.authors[0].upper()}_{paper.year}")


def test_the_source_of_every_theorem_is_one_of_them_and_each_has_a_theorem() -> None:
    used = {(t.source.authors, t.source.title) for t in catalogue().values()}
    assert used == {(p.authors, p.title) for p in PAPERS.values()}


def test_a_place_in_a_paper_is_a_source() -> None:
    source = papers.JHUNJHUNWALA_2022.at("Theorem 1", "a note", {"f(w_0)": gap}, N=m)
    assert (source.where, source.note, source.year) == ("Theorem 1", "a note", 2022)
    assert list(source.renamed.items()) == [("N", m), ("f(w_0)", gap)]
