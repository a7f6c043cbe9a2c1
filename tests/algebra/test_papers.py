"""The papers: each stands once, is used, and gives the source of a statement."""

import re

from boundkit.algebra import papers
from boundkit.algebra.papers import Paper, Source
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


SOURCE = Source(
    authors=("Wang", "Liu", "Joshi"),
    year=2020,
    title="On the Tackling of Objective Inconsistency",
    arxiv="2007.07481",
    where="Theorem 1",
    venue="NeurIPS 2020",
)


def test_key_is_author_year_and_first_long_word() -> None:
    assert SOURCE.key == "wang2020tackling"


def test_bibtex_entry_is_balanced_and_complete() -> None:
    entry = SOURCE.bibtex()
    assert entry.startswith("@inproceedings{wang2020tackling,\n")
    assert entry.endswith("\n}")
    assert entry.count("{") == entry.count("}")
    fields = dict(re.findall(r"^  (\w+)\s+= \{(.*)\},$", entry, flags=re.MULTILINE))
    assert fields == {
        "title": "{On the Tackling of Objective Inconsistency}",
        "author": "Wang and Liu and Joshi",
        "year": "2020",
        "booktitle": "NeurIPS 2020",
        "eprint": "2007.07481",
        "archivePrefix": "arXiv",
    }
