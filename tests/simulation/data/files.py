"""Small files in the forms that packages of data have, written by the tests."""

import gzip
import json
import struct
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from boundkit.simulation.data.image_sets import FILES

Grey = NDArray[np.uint8]


def grey(seed: int, count: int, side: int = 28) -> Grey:
    return np.random.default_rng(seed).integers(0, 256, (count, side, side)).astype(np.uint8)


def idx(array: Grey) -> bytes:
    return struct.pack(f">HBB{array.ndim}I", 0, 8, array.ndim, *array.shape) + array.tobytes()


def write_idx_set(folder: Path, train: int = 6, test: int = 4, zipped: bool = True) -> tuple[Grey, Grey]:
    """The four files, with labels 0, 1, ... modulo ten; the images of both parts."""
    folder.mkdir(parents=True, exist_ok=True)
    X, test_X = grey(1, train), grey(2, test)
    labels = [(np.arange(n) % 10).astype(np.uint8) for n in (train, test)]
    for name, array in zip(FILES, (X, labels[0], test_X, labels[1]), strict=True):
        raw = idx(array)
        (folder / (name + ".gz" * zipped)).write_bytes(gzip.compress(raw) if zipped else raw)
    return X, test_X


def write_npm(folder: Path, each: int = 3) -> Grey:
    """The digits 0.json, ..., 9.json as npm's package has them: shares of white, rounded to three places."""
    folder.mkdir(parents=True)
    X = grey(3, 10 * each)
    for digit in range(10):
        shares = (X[digit * each : (digit + 1) * each] / 255).round(3).reshape(-1)
        (folder / f"{digit}.json").write_text(json.dumps({"data": shares.tolist()}))
    return X


def write_csv(path: Path, X: Grey, labels: NDArray[np.int64]) -> None:
    rows = np.hstack([X.reshape(len(X), -1), labels[:, None]])
    text = "\n".join(",".join(map(str, row)) for row in rows)
    path.write_bytes(gzip.compress(text.encode()))


def write_plays(folder: Path) -> None:
    """Two plays: in one KING and First Lord have enough to say, FOOL has not; in the other KING again."""
    folder.mkdir(parents=True)
    king = (
        "**KING**  \nBring me the light!  \n_Enter a Servant,\nwith a light_  \nAway; \\-\\- 'tis dark.\n\n"
    )
    lord = "**First Lord**  \n__\\[Aside]_  \nHe jests, he jests, my lords: we go.\n\n"
    fool = "**FOOL**  \nHa!\n\n"
    first = ["# A Play\n\n## ACT I\n\n### SCENE I. A hall.\n\n"] + [king + lord] * 70 + [fool]
    (folder / "a-play.md").write_text("".join(first))
    (folder / "b-play.md").write_text("# B Play\n\n" + king * 60)
    (folder / "README.md").write_text("# Plays\n\nNobody says this.\n")
