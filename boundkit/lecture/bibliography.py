"""The works that the lecture cites, and the references of a chapter: each work once."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from boundkit.algebra import Source, Theorem, papers
from boundkit.algebra.errors import unknown
from boundkit.algebra.papers import Paper
from boundkit.lecture.parts import Chapter, Objectives

PAPERS: dict[str, Paper] = {
    **{name: paper for name, paper in vars(papers).items() if isinstance(paper, Paper)},
    "CHO_2022_ENSEMBLE": Paper(
        ("Cho", "Manoel", "Joshi", "Sim", "Dimitriadis"), 2022,
        "Heterogeneous Ensemble Knowledge Transfer for Training Large Models in Federated Learning",
        "IJCAI 2022", "2204.12703",
    ),
    "CHO_2022_INCENTIVES": Paper(
        ("Cho", "Jhunjhunwala", "Li", "Smith", "Joshi"), 2022,
        "To Federate or Not To Federate: Incentivizing Client Participation in Federated Learning", "",
        "2205.14840",
    ),
    "JOTHIMURUGESAN_2023": Paper(
        ("Jothimurugesan", "Hsieh", "Wang", "Joshi", "Gibbons"), 2023,
        "Federated Learning under Distributed Concept Drift", "AISTATS 2023", "2206.00799",
    ),
    "KAIROUZ_2021": Paper(
        ("Kairouz", "McMahan", "et al."), 2021, "Advances and Open Problems in Federated Learning", "",
        "1912.04977",
    ),
    "LI_2020_FAIR": Paper(
        ("Li", "Sanjabi", "Beirami", "Smith"), 2020, "Fair Resource Allocation in Federated Learning",
        "ICLR 2020", "1905.10497",
    ),
    "LI_2021_DITTO": Paper(
        ("Li", "Hu", "Beirami", "Smith"), 2021,
        "Ditto: Fair and Robust Federated Learning Through Personalization", "ICML 2021", "2012.04221",
    ),
    "LIN_2020": Paper(
        ("Lin", "Kong", "Stich", "Jaggi"), 2020,
        "Ensemble Distillation for Robust Model Fusion in Federated Learning", "NeurIPS 2020", "2006.07242",
    ),
    "MCMAHAN_2017": Paper(
        ("McMahan", "Moore", "Ramage", "Hampson", "Agüera y Arcas"), 2017,
        "Communication-Efficient Learning of Deep Networks from Decentralized Data", "AISTATS 2017",
        "1602.05629",
    ),
    "MOHRI_2019": Paper(
        ("Mohri", "Sivek", "Suresh"), 2019, "Agnostic Federated Learning", "ICML 2019", "1902.00146"
    ),
    "PIERRA_1984": Paper(
        ("Pierra",), 1984, "Decomposition through formalization in a product space",
        "Mathematical Programming 28",
    ),
    "RIBERO_2022": Paper(
        ("Ribero", "Vikalo", "de Veciana"), 2022,
        "Federated Learning Under Intermittent Client Availability and Time-Varying Communication "
        "Constraints", "", "2205.06730",
    ),
    "ZHANG_2020_IMPROVED": Paper(
        ("Zhang", "Jin", "Fang", "Wang"), 2020,
        "Improved Analysis of Clipping Algorithms for Non-convex Optimization", "NeurIPS 2020", "2010.02519",
    ),
}  # fmt: skip
"""Papers by key: those of the theorems, and those that only the lecture cites."""


def cite(text: str) -> Source:
    """Read a citation, ``KEY: the place in the paper``.

    >>> print(cite("BOTTOU_2018: Section 4"))
    Bottou, Curtis and Nocedal (2018), arXiv:1606.04838, Section 4
    """
    key, _, place = text.partition(":")
    if key not in PAPERS:
        raise unknown("paper", key, PAPERS)
    return PAPERS[key].at(" ".join(place.split()))


def references(chapter: Chapter, theorems: Mapping[str, Theorem]) -> list[Source]:
    """The works that a chapter cites, by author and year."""
    cited = [theorems[name].source for name in chapter.theorems]
    cited += [o.source for p in chapter.parts if isinstance(p, Objectives) for o in p.objectives]
    return unique([*cited, *chapter.sources])


def unique(cited: Iterable[Source]) -> list[Source]:
    """Each work once, by author and year; two places in one paper are one work."""
    works = {(s.arxiv or s.title, s.year): s for s in cited}
    return sorted(works.values(), key=lambda s: (s.authors, s.year, s.title))
