import re
from dataclasses import replace

from boundkit.algebra.source import Source

SOURCE = Source(
    authors=("Wang", "Liu", "Joshi"),
    year=2020,
    title="On the Tackling of Objective Inconsistency",
    arxiv="2007.07481",
    where="Theorem 1",
    venue="NeurIPS 2020",
)


def test_source_reads_as_a_citation() -> None:
    assert str(SOURCE) == "Wang, Liu and Joshi (2020), arXiv:2007.07481, Theorem 1"
    assert str(replace(SOURCE, authors=("Stich",))) == "Stich (2020), arXiv:2007.07481, Theorem 1"
    assert str(replace(SOURCE, authors=("A", "B"))).startswith("A and B (2020)")


def test_key_is_author_year_and_first_long_word() -> None:
    assert SOURCE.key == "wang2020tackling"


def test_key_is_plain_ascii_and_needs_no_long_word() -> None:
    assert replace(SOURCE, authors=("Konečný",), title="Ünlike").key == "konecny2020unlike"
    assert replace(SOURCE, authors=("van der Berg",), title="SGD").key == "vanderberg2020sgd"
    assert replace(SOURCE, title="1 + 1").key == "wang2020"


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


def test_bibtex_without_a_venue_names_arxiv() -> None:
    assert "journal       = {arXiv:2007.07481}" in replace(SOURCE, venue="").bibtex()
