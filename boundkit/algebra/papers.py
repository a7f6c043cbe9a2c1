"""Sources, and the papers whose theorems are stated here: ``PAPER.at("Theorem 1", N=m)`` is a source.

The data of a paper (authors by family name, year, title, venue, arXiv id, notation) are in this file only.
A theorem adds the place in the paper, a note on the parts that were read, and symbols that differ.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass, field

from sympy import Expr

from boundkit.algebra.notation import (
    C,
    G_inf,
    L,
    T,
    adaptivity,
    availability,
    availability_max,
    beta,
    clip,
    comp_keep,
    comp_noise,
    correction_error,
    distance,
    drift_star,
    eta,
    eta_a,
    eta_s,
    eta_s_mean,
    exchange,
    gap,
    groups,
    kappa,
    m,
    mixing,
    mu,
    mu_pl,
    mu_prox,
    offset,
    omega_i,
    privacy_noise,
    pull,
    q_i,
    sigma,
    sigma_between,
    sigma_g,
    sigma_within,
    tau,
)
from boundkit.algebra.printing import Formula
from boundkit.report import Cell, Link, Report, Sentences, Table
from boundkit.report.formatting import join_names


@dataclass(frozen=True)
class Source:
    """Authors (family names), year, title, arXiv id, and the place in the paper.

    ``renamed`` maps the paper's symbols to expressions in our notation. ``note``: the parts that were read,
    and those proved here instead.
    """

    authors: tuple[str, ...]
    year: int
    title: str
    arxiv: str
    where: str
    venue: str = ""
    note: str = ""
    renamed: Mapping[str, Expr] = field(default_factory=dict, hash=False)

    @property
    def key(self) -> str:
        """A BibTeX key: first author, year, first long word of the title."""
        words = re.findall("[A-Za-z]+", _ascii(self.title))
        word = next((w for w in words if len(w) > 3), "".join(words[:1]))
        return f"{re.sub('[^A-Za-z]', '', _ascii(self.authors[0]))}{self.year}{word}".lower()

    def bibtex(self) -> str:
        """The BibTeX entry, ready to paste."""
        conference = re.fullmatch(r"[A-Z]\w+ \d{4}", self.venue)  # NeurIPS 2020
        kind, place = ("inproceedings", "booktitle") if conference else ("article", "journal")
        fields = {
            "title": "{" + self.title + "}",
            "author": " and ".join(self.authors),
            "year": str(self.year),
            place: self.venue or f"arXiv:{self.arxiv}",
        }
        if self.arxiv:
            fields |= {"eprint": self.arxiv, "archivePrefix": "arXiv"}
        lines = [f"  {name:<13} = {{{value}}}," for name, value in fields.items()]
        return "\n".join([f"@{kind}{{{self.key},", *lines, "}"])

    def _repr_html_(self) -> str:
        address = [Link(f"https://arxiv.org/abs/{self.arxiv}", f"arXiv:{self.arxiv}")] if self.arxiv else []
        letters: list[list[Cell]] = [[theirs, Formula(ours)] for theirs, ours in self.renamed.items()]
        citation = Sentences([f"{self}. {self.title}.", *filter(None, (self.venue, self.note))])
        return Report((citation, *address, Table(["symbol in the paper", "ours"], letters))).to_html()

    def __str__(self) -> str:
        number = f"arXiv:{self.arxiv}, " if self.arxiv else ""
        return f"{join_names(self.authors)} ({self.year}), {number}{self.where}"


def _ascii(text: str) -> str:
    return unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode()


@dataclass(frozen=True)
class Paper:
    """A paper: authors (family names), year, title, venue, arXiv id, and its symbols in our notation."""

    authors: tuple[str, ...]
    year: int
    title: str
    venue: str = ""
    arxiv: str = ""
    letters: Mapping[str, Expr] = field(default_factory=dict, hash=False)

    def at(
        self, where: str, note: str = "", letters: Mapping[str, Expr] | None = None, **renamed: Expr
    ) -> Source:
        """The source of a statement at that place of the paper.

        ``renamed``, or ``letters`` for those that are no Python names, maps symbols of the paper to
        expressions in our notation; by default they are those of the paper.

        >>> from boundkit.algebra.notation import m
        >>> print(JHUNJHUNWALA_2022.at("Theorem 1", N=m))
        Jhunjhunwala, Sharma, Nagarkatti and Joshi (2022), arXiv:2207.14130, Theorem 1
        """
        return Source(
            authors=self.authors,
            year=self.year,
            title=self.title,
            arxiv=self.arxiv,
            where=where,
            venue=self.venue,
            note=note,
            renamed={**renamed, **(letters or {})} or dict(self.letters),
        )


ACAR_2021 = Paper(
    ("Acar", "Zhao", "Navarro", "Mattina", "Whatmough", "Saligrama"), 2021,
    "Federated Learning Based on Dynamic Regularization", "ICLR 2021", "2111.04263",
    letters={"alpha": mu_prox},
)  # fmt: skip
ALLOUAH_2023 = Paper(
    ("Allouah", "Farhadkhani", "Guerraoui", "Gupta", "Pinot", "Stephan"), 2023,
    "Fixing by Mixing: A Recipe for Optimal Byzantine ML under Heterogeneity", "AISTATS 2023", "2302.01772",
)  # fmt: skip
BOTTOU_2018 = Paper(
    ("Bottou", "Curtis", "Nocedal"), 2018,
    "Optimization Methods for Large-Scale Machine Learning", "SIAM Review 60(2)", "1606.04838",
)  # fmt: skip
CHO_2022 = Paper(
    ("Cho", "Wang", "Joshi"), 2022,
    "Towards Understanding Biased Client Selection in Federated Learning", "AISTATS 2022", "2010.01243",
    letters={"K": m, "m": C * m, "T": T * tau, "w_0 - w*": distance},
)  # fmt: skip
CHO_2023 = Paper(
    ("Cho", "Sharma", "Joshi", "Xu", "Kale", "Zhang"), 2023,
    "On the Convergence of Federated Averaging with Cyclic Client Participation", "ICML 2023", "2302.03109",
    letters={
        "M": m, "K_bar": groups, "N": C * m, "K": T / groups, "alpha": sigma_between, "gamma": sigma_within,
        "mu": mu_pl,
    },
)  # fmt: skip
CHENG_2024 = Paper(
    ("Cheng", "Huang", "Wu", "Yuan"), 2024,
    "Momentum Benefits Non-IID Federated Learning Simply and Provably", "ICLR 2024", "2306.16504",
)  # fmt: skip
CRAWSHAW_2023_EPISODE = Paper(
    ("Crawshaw", "Bao", "Liu"), 2023,
    "EPISODE: Episodic Gradient Clipping with Periodic Resampled Corrections for Federated Learning with "
    "Heterogeneous Data", "ICLR 2023", "2302.07155",
)  # fmt: skip
CRAWSHAW_2023_SUBSAMPLING = Paper(
    ("Crawshaw", "Bao", "Liu"), 2023,
    "Federated Learning with Client Subsampling, Data Heterogeneity, and Unbounded Smoothness: A New "
    "Algorithm and Lower Bounds", "NeurIPS 2023",
)  # fmt: skip
DUTTA_2018 = Paper(
    ("Dutta", "Joshi", "Ghosh", "Dube", "Nagpurkar"), 2018,
    "Slow and Stale Gradients Can Win the Race: Error-Runtime Trade-offs in Distributed SGD", "AISTATS 2018",
    "1803.01113",
)  # fmt: skip
GLASGOW_2022 = Paper(
    ("Glasgow", "Yuan", "Ma"), 2022,
    "Sharp Bounds for Federated Averaging (Local SGD) and Continuous Perspective", "AISTATS 2022",
    "2111.03741",
)  # fmt: skip
GU_2021 = Paper(
    ("Gu", "Huang", "Zhang", "Huang"), 2021,
    "Fast Federated Learning in the Presence of Arbitrary Device Unavailability", "NeurIPS 2021",
    "2106.04159",
)  # fmt: skip
HSU_2019 = Paper(
    ("Hsu", "Qi", "Brown"), 2019,
    "Measuring the Effects of Non-Identical Data Distribution for Federated Visual Classification", "",
    "1909.06335",
)  # fmt: skip
JHUNJHUNWALA_2022 = Paper(
    ("Jhunjhunwala", "Sharma", "Nagarkatti", "Joshi"), 2022,
    "FedVARP: Tackling the Variance Due to Partial Client Participation in Federated Learning", "UAI 2022",
    "2207.14130",
    letters={"N": m, "M": C * m, "eta_c": eta, "f(w_0) - f_inf": gap},
)  # fmt: skip
JHUNJHUNWALA_2023 = Paper(
    ("Jhunjhunwala", "Wang", "Joshi"), 2023,
    "FedExP: Speeding Up Federated Averaging via Extrapolation", "ICLR 2023", "2301.09604",
    letters={"eta_l": eta, "sum_t eta_g^(t)": T*eta_s_mean},
)  # fmt: skip
KARIMIREDDY_2020 = Paper(
    ("Karimireddy", "Kale", "Mohri", "Reddi", "Stich", "Suresh"), 2020,
    "SCAFFOLD: Stochastic Controlled Averaging for Federated Learning", "ICML 2020", "1910.06378",
    letters={"N": m, "S": C * m, "K": tau, "R": T, "eta_l": eta, "eta_g": eta_s, "beta": L},
)  # fmt: skip
KOLOSKOVA_2020 = Paper(
    ("Koloskova", "Loizou", "Boreiri", "Jaggi", "Stich"), 2020,
    "A Unified Theory of Decentralized SGD with Changing Topology and Local Updates", "ICML 2020",
    "2003.10422",
)  # fmt: skip
KOLOSKOVA_2022 = Paper(
    ("Koloskova", "Stich", "Jaggi"), 2022,
    "Sharper Convergence Guarantees for Asynchronous SGD for Distributed and Federated Learning",
    "NeurIPS 2022", "2206.08307",
)  # fmt: skip
KHALED_2025 = Paper(
    ("Khaled", "Mishchenko", "Jin"), 2025, "Understanding Outer Optimizers in Local SGD", "", "2509.10439",
)  # fmt: skip
LI_2020_FEDAVG = Paper(
    ("Li", "Huang", "Yang", "Wang", "Zhang"), 2020,
    "On the Convergence of FedAvg on Non-IID Data", "ICLR 2020", "1907.02189",
    letters={"E": tau, "T": T * tau, "kappa": L/mu, "gamma": offset, "||w_1 - w*||": distance},
)  # fmt: skip
LI_2020_FEDPROX = Paper(
    ("Li", "Sahu", "Zaheer", "Sanjabi", "Talwalkar", "Smith"), 2020,
    "Federated Optimization in Heterogeneous Networks", "MLSys 2020", "1812.06127",
)  # fmt: skip
LIAN_2015 = Paper(
    ("Lian", "Huang", "Li", "Liu"), 2015,
    "Asynchronous Parallel Stochastic Gradient for Nonconvex Optimization", "NeurIPS 2015", "1506.08272",
)  # fmt: skip
LIANG_2019 = Paper(
    ("Liang", "Shen", "Liu", "Pan", "Chen", "Cheng"), 2019,
    "Variance Reduced Local SGD with Lower Communication Complexity", "", "1912.12844",
    letters={"N": m, "k": tau, "gamma": eta, "Delta_i": correction_error},
)  # fmt: skip
LIU_2022 = Paper(
    ("Liu", "Zhuang", "Lei", "Liao"), 2022,
    "A Communication-Efficient Distributed Gradient Clipping Algorithm for Training Deep Neural Networks",
    "NeurIPS 2022", "2205.05040",
)  # fmt: skip
MCMAHAN_2018 = Paper(
    ("McMahan", "Ramage", "Talwar", "Zhang"), 2018,
    "Learning Differentially Private Recurrent Language Models", "ICLR 2018", "1710.06963",
    letters={"K": m, "S": clip, "z": privacy_noise},
)  # fmt: skip
MISHCHENKO_2022 = Paper(
    ("Mishchenko", "Malinovsky", "Stich", "Richtarik"), 2022,
    "ProxSkip: Yes! Local Gradient Steps Provably Lead to Communication Acceleration! Finally!", "ICML 2022",
    "2202.09357",
    letters={"n": m, "gamma": eta, "p": exchange},
)  # fmt: skip
MITRA_2021 = Paper(
    ("Mitra", "Jaafar", "Pappas", "Hassani"), 2021,
    "Linear Convergence in Federated Learning: Tackling Client Heterogeneity and Sparse Gradients",
    "NeurIPS 2021", "2102.07053",
    letters={"H": tau},
)  # fmt: skip
REDDI_2021 = Paper(
    ("Reddi", "Charles", "Zaheer", "Garrett", "Rush", "Konečný", "Kumar", "McMahan"), 2021,
    "Adaptive Federated Optimization", "ICLR 2021", "2003.00295",
    letters={"K": tau, "eta_l": eta, "eta": eta_a, "tau": adaptivity, "G": G_inf, "sigma_l": sigma},
)  # fmt: skip
REISIZADEH_2020 = Paper(
    ("Reisizadeh", "Mokhtari", "Hassani", "Jadbabaie", "Pedarsani"), 2020,
    "FedPAQ: A Communication-Efficient Federated Learning Method with Periodic Averaging and Quantization",
    "AISTATS 2020", "1909.13014",
    letters={"n": m, "r": C * m, "K": T, "q": comp_noise},
)  # fmt: skip
RICHTARIK_2021 = Paper(
    ("Richtarik", "Sokolov", "Fatkhullin"), 2021,
    "EF21: A New, Simpler, Theoretically Better, and Practically Faster Error Feedback", "NeurIPS 2021",
    "2106.05203",
    letters={"n": m, "gamma": eta, "alpha": comp_keep},
)  # fmt: skip
SHAMIR_2014 = Paper(
    ("Shamir", "Srebro", "Zhang"), 2014,
    "Communication-Efficient Distributed Optimization using an Approximate Newton-type Method", "ICML 2014",
    "1312.7853",
)  # fmt: skip
WANG_2018_ADACOMM = Paper(
    ("Wang", "Joshi"), 2018,
    "Adaptive Communication Strategies to Achieve the Best Error-Runtime Trade-off in Local-Update SGD",
    "SysML 2019", "1810.08313",
)  # fmt: skip
WANG_2018_COOPERATIVE = Paper(
    ("Wang", "Joshi"), 2018,
    "Cooperative SGD: A Unified Framework for the Design and Analysis of Communication-Efficient SGD "
    "Algorithms", "", "1808.07576",
)  # fmt: skip
WANG_2020_FEDNOVA = Paper(
    ("Wang", "Liu", "Liang", "Joshi", "Poor"), 2020,
    "Tackling the Objective Inconsistency Problem in Heterogeneous Federated Optimization", "NeurIPS 2020",
    "2007.07481",
    letters={"kappa": sigma_g, "tau_eff": tau, "F(x_0) - F_inf": gap},
)  # fmt: skip
WANG_2020_OVERLAP = Paper(
    ("Wang", "Liang", "Joshi"), 2020,
    "Overlap Local-SGD: An Algorithmic Approach to Hide Communication Delays in Distributed SGD",
    "ICASSP 2020", "2002.09539",
)  # fmt: skip
WANG_2021_ADAPTIVITY = Paper(
    ("Wang", "Xu", "Garrett", "Charles", "Liu", "Joshi"), 2021,
    "Local Adaptivity in Federated Learning: Convergence and Consistency", "", "2106.02305",
)  # fmt: skip
WANG_2021_FIELD_GUIDE = Paper(
    ("Wang", "Charles", "Xu", "Joshi", "McMahan"), 2021,
    "A Field Guide to Federated Optimization", "", "2107.06917",
    letters={"M": m, "zeta": sigma_g, "D": distance},
)  # fmt: skip
WANG_2022 = Paper(
    ("Wang", "Das", "Joshi", "Kale", "Xu", "Zhang"), 2022,
    "On the Unreasonable Effectiveness of Federated Averaging with Heterogeneous Data", "", "2206.04723",
    letters={"H": tau, "rho": drift_star},
)  # fmt: skip
WANG_2024 = Paper(
    ("Wang", "Ji"), 2024,
    "A Lightweight Method for Tackling Unknown Participation Statistics in Federated Averaging", "ICLR 2024",
    "2306.03401",
    letters={"N": m, "I": tau, "gamma": eta, "eta": eta_s, "p_n": q_i, "omega_n": omega_i, "P": m*pull},
)  # fmt: skip
XIANG_2024 = Paper(
    ("Xiang", "Ioannidis", "Yeh", "Joe-Wong", "Su"), 2024,
    "Efficient Federated Learning against Heterogeneous and Non-stationary Client Unavailability",
    "NeurIPS 2024", "2409.17446",
    letters={
        "s": tau, "eta_l": eta, "eta_g": eta_s, "delta": availability, "delta_max": availability_max,
        "rho": mixing, "beta^2 + 1": beta**2, "zeta": kappa,
    },
)  # fmt: skip
YU_2019 = Paper(
    ("Yu", "Jin", "Yang"), 2019,
    "On the Linear Speedup Analysis of Communication Efficient Momentum SGD for Distributed Non-Convex "
    "Optimization", "ICML 2019", "1905.03817",
)  # fmt: skip
ZHANG_2020 = Paper(
    ("Zhang", "He", "Sra", "Jadbabaie"), 2020,
    "Why Gradient Clipping Accelerates Training: A Theoretical Justification for Adaptivity", "ICLR 2020",
    "1905.11881",
    letters={"eta_c": eta, "gamma": clip, "f(x_0) - f*": gap},
)  # fmt: skip
