from pathlib import Path

import pytest

import boundkit.theorems as folder
from boundkit.algebra import BoundkitError, Theorem
from boundkit.theorems import about, catalogue, names, theorem
from tests.cases import each

FILES = {p.stem for p in Path(str(folder.__file__)).parent.glob("[!_]*.py")} - {"catalogue"}


def test_each_file_of_the_folder_is_one_theorem_and_bears_its_name() -> None:
    assert set(names()) == FILES
    assert list(names()) == sorted(names())
    assert list(catalogue()) == list(names())
    for name, statement in catalogue().items():
        assert isinstance(statement, Theorem)
        assert statement.name == name


def test_theorem_is_found_by_name_and_is_one_value() -> None:
    for name in names():
        assert theorem(name) is theorem(name), name
        assert theorem(name).name == name, name


@each("name", ["fedavg_noncnvex", "FEDAVG_NONCONVEX", "fedavg-nonconvex"])
def test_near_name_is_suggested(name: str) -> None:
    with pytest.raises(BoundkitError, match=r"did you mean .*'fedavg_nonconvex'"):
        theorem(name)


@each("name", ["", "catalogue", "__init__", "os", "../sgd_nonconvex", "qqqqqqq"])
def test_what_is_no_theorem_is_refused(name: str) -> None:
    with pytest.raises(BoundkitError, match="unknown theorem"):
        theorem(name)


def test_the_theorems_about_an_algorithm() -> None:
    for algorithm in sorted({t.algorithm for t in catalogue().values()}):
        theorems = {n: t for n, t in catalogue().items() if t.algorithm == algorithm}
        assert about(algorithm) == theorems, algorithm


def test_the_theorems_about_nothing_known_are_none() -> None:
    assert about("fedsomething") == {}
