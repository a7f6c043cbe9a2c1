"""What is shipped: the wheel and the sdist are built from the tracked files, and looked into."""

import os
import re
import shutil
import subprocess
import sys
import tarfile
import tomllib
import zipfile
from importlib.metadata import distribution
from pathlib import Path

import pytest

from tests.test_core_packages import ANSWERS, NEEDS_EXTRA

ROOT = Path(__file__).resolve().parents[1]
PYPROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
PROJECT = PYPROJECT["project"]
STEM = f"boundkit-{PROJECT['version']}"
LINKS = {"theorems", "verify", "figures", "examples"}


def tracked() -> list[str]:
    """The files git knows, as paths from the root; a link is one path, not what it leads to."""
    said = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=True)
    return [name for name in said.stdout.split("\0") if name and os.path.lexists(ROOT / name)]


def package() -> set[str]:
    return {name for name in tracked() if name.startswith("boundkit/")}


@pytest.fixture(scope="module")
def dist(tmp_path_factory: pytest.TempPathFactory) -> Path:
    if not (ROOT / ".git").exists():
        pytest.skip("not a git checkout, so which files are the project's cannot be asked")
    tree = tmp_path_factory.mktemp("tree")
    for name in tracked():
        (tree / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(ROOT / name, tree / name, follow_symlinks=False)
    assert all((tree / link).is_symlink() for link in LINKS)
    out = tmp_path_factory.mktemp("dist")
    # build makes the sdist first and the wheel out of it, so that both are complete or neither is.
    subprocess.run(
        [sys.executable, "-m", "build", "--no-isolation", "--outdir", str(out), str(tree)],
        cwd=out,
        check=True,
        timeout=300,
    )
    return out


@pytest.fixture(scope="module")
def wheel(dist: Path) -> list[str]:
    with zipfile.ZipFile(dist / f"{STEM}-py3-none-any.whl") as archive:
        return archive.namelist()


@pytest.fixture(scope="module")
def sdist(dist: Path) -> list[str]:
    with tarfile.open(dist / f"{STEM}.tar.gz") as archive:
        return [member.name for member in archive.getmembers() if not member.isdir()]


def test_the_wheel_puts_one_name_into_site_packages(wheel: list[str]) -> None:
    assert {name.split("/")[0] for name in wheel} == {"boundkit", f"{STEM}.dist-info"}


def test_the_wheel_holds_each_file_of_the_package_once(wheel: list[str]) -> None:
    inside = [name for name in wheel if name.startswith("boundkit/")]
    assert len(inside) == len(set(inside))
    assert set(inside) ^ package() == set(), "a folder without __init__.py, or package-data not named?"
    assert "boundkit/py.typed" in inside
    assert any(re.fullmatch(r"boundkit/figures/\w+\.mplstyle", name) for name in inside)


def test_the_wheel_alone_runs_the_examples(dist: Path, tmp_path: Path) -> None:
    """Without a clone: copy the examples, and run a command of README on them, in one process."""
    with zipfile.ZipFile(dist / f"{STEM}-py3-none-any.whl") as archive:
        archive.extractall(tmp_path / "site")
    code = (
        "from contextlib import suppress; from boundkit.cli import main\n"
        "for words in (['examples'], ['objective', 'fedavg', 'examples/two_clients.json']):\n"
        "    with suppress(SystemExit): main(words)"
    )
    ran = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, env={**os.environ, "PYTHONPATH": str(tmp_path / "site")},
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert re.match(r"\d+ files in examples\n", ran.stdout)
    assert "fixed point" in ran.stdout
    copied = {path.relative_to(tmp_path).as_posix() for path in (tmp_path / "examples").rglob("*.*")}
    assert {name.removeprefix("boundkit/") for name in package() if "/examples/" in name} == copied


@pytest.mark.slow
def test_the_wheel_runs_every_command_in_a_clean_environment(dist: Path, tmp_path: Path) -> None:
    """With the packages that it requires and no other: those of this environment, linked one by one."""
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", "clean"], cwd=tmp_path, check=True)
    python = tmp_path / "clean" / "bin" / "python"
    (site,) = (tmp_path / "clean").glob("lib/python*/site-packages")
    assert list(site.iterdir()) == []
    for name in required(PROJECT["dependencies"]):
        files = distribution(name).files or []
        for top in {file.parts[0] for file in files if file.suffix != ".pth"} - {"..", "__pycache__"}:
            (site / top).symlink_to(str(distribution(name).locate_file(top)))
    wheel = next(dist.glob("*.whl"))
    install = ["pip", "--python", str(python), "install", "--quiet", "--no-deps", "--no-index", str(wheel)]
    subprocess.run([sys.executable, "-m", *install], cwd=tmp_path, check=True, timeout=120)
    boundkit = python.with_name("boundkit")
    run_in = tmp_path / "folder"
    run_in.mkdir()
    for line in [*ANSWERS, *NEEDS_EXTRA]:
        ended = subprocess.run(
            [boundkit, *line.split()], cwd=run_in, env={"PATH": os.defpath}, capture_output=True, text=True,
            timeout=120, check=False,
        )  # fmt: skip
        if line in NEEDS_EXTRA:
            assert (ended.returncode, ended.stdout) == (2, ""), line
            assert f"pip install 'boundkit[{NEEDS_EXTRA[line]}]'" in ended.stderr
        else:
            assert ended.returncode in (0, 1), (line, ended.stderr)
            assert ended.stdout.strip(), line


def required(requirements: list[str]) -> set[str]:
    """The installed distributions that requirements name, and those that these require."""
    names: set[str] = set()
    while requirements:
        name = normal(re.split(r"[\[<>=!~;( ]", requirements.pop(0))[0])
        if name not in names:
            names.add(name)
            further = distribution(name).requires or []
            requirements = [*requirements, *(each for each in further if "; " not in each)]
    return names


def test_the_wheel_carries_licence_and_command(dist: Path, wheel: list[str]) -> None:
    assert f"{STEM}.dist-info/licenses/LICENSE" in wheel
    with zipfile.ZipFile(dist / f"{STEM}-py3-none-any.whl") as archive:
        entry_points = archive.read(f"{STEM}.dist-info/entry_points.txt").decode()
    assert "boundkit = boundkit.cli:main" in entry_points


def test_the_sdist_holds_the_package_once_and_no_link(sdist: list[str]) -> None:
    assert {name.split("/")[0] for name in sdist} == {STEM}
    inside = [name.removeprefix(f"{STEM}/") for name in sdist]
    assert len(inside) == len(set(inside))
    assert [name for name in inside if name.split("/")[0] in LINKS] == []
    assert [name for name in inside if name.split("/")[0] == "tests"] == []
    assert package() | {"pyproject.toml", "README.md", "LICENSE", "CITATION.cff"} <= set(inside)


def test_the_version_has_one_value() -> None:
    citation = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    assert re.findall(r"(?m)^version: (\S+)$", citation) == [PROJECT["version"]]


def test_the_constraints_fit_every_build_of_torch() -> None:
    lines = (ROOT / "constraints.txt").read_text(encoding="utf-8").splitlines()
    pins = [line for line in lines if line and not line.startswith("#")]
    assert [pin for pin in pins if not re.fullmatch(r"[A-Za-z0-9._-]+==[0-9][0-9a-z.]*", pin)] == []
    assert [pin for pin in pins if re.match(r"nvidia|cuda|triton", pin)] == []
    assert any(pin.startswith("torch==") for pin in pins)


def test_every_direct_dependency_is_pinned() -> None:
    lines = (ROOT / "constraints.txt").read_text(encoding="utf-8").splitlines()
    pinned = {normal(line.split("==")[0]) for line in lines if "==" in line}
    asked = [
        *PROJECT["dependencies"],
        *(name for extra in PROJECT["optional-dependencies"].values() for name in extra),
        *(
            name
            for group in PYPROJECT["dependency-groups"].values()
            for name in group
            if isinstance(name, str)
        ),
    ]
    names = {normal(re.split(r"[\[<>=!~ ]", name)[0]) for name in asked} - {"boundkit"}
    assert names - pinned == set()


def normal(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()
