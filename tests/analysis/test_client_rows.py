"""Values of vectors, one number a client or one row of them a round."""

import numpy as np
import pytest

from boundkit.algebra import BoundkitError
from boundkit.algebra.notation import VECTORS
from boundkit.analysis.client_values import client_rows


def test_one_row_is_one_round() -> None:
    rows = client_rows(VECTORS, {"tau_i": [2, 5], "p_i": np.array([0.25, 0.75])})
    assert {name: r.shape for name, r in rows.items()} == {"tau_i": (1, 2), "p_i": (1, 2)}
    assert rows["tau_i"].tolist() == [[2.0, 5.0]]


def test_several_rows_are_several_rounds_beside_one() -> None:
    rows = client_rows(VECTORS, {"tau_i": [[2, 5], [1, 1], [3, 3]], "p_i": (0.25, 0.75)})
    assert rows["tau_i"].shape == (3, 2)
    assert rows["p_i"].shape == (1, 2)


def test_weights_sum_to_one_up_to_rounding() -> None:
    third = [1 / 3] * 3
    assert client_rows(VECTORS, {"p_i": third})["p_i"].sum() == pytest.approx(1)
    with pytest.raises(BoundkitError, match=r"p_i sums to 0\.99999, but weights sum to 1"):
        client_rows(VECTORS, {"p_i": [0.5, 0.49999]})
    with pytest.raises(BoundkitError, match="w_i sums to"):
        client_rows(VECTORS, {"w_i": [[0.5, 0.5], [0.5, 0.6]]})
    client_rows(VECTORS, {"q_i": [0.5, 0.9]})


@pytest.mark.parametrize(
    "given", ["2,5", 3, None, [], [[]], [[1, 2], [3]], {1: 2}, {1}, True, [[[1]]], ["x"]]
)
def test_what_is_no_list_of_numbers_is_refused(given: object) -> None:
    with pytest.raises(BoundkitError, match=r"tau_i = .* one number a client"):
        client_rows(VECTORS, {"tau_i": given})


@pytest.mark.parametrize(
    ("name", "given", "sentence"),
    [
        ("tau_i", [1, 0], "tau_i holds 0, but it must be a whole number, at least 1"),
        ("tau_i", [1, 2.5], "holds 2.5"),
        ("q_i", [0.5, 1.5], "at most 1"),
        ("q_i", [0.5, 0], "above 0"),
        ("p_i", [1.5, -0.5], "at least 0"),
        ("tau_i", [1, float("inf")], "must be finite"),
    ],
)
def test_values_outside_their_domain_are_refused(name: str, given: list[float], sentence: str) -> None:
    with pytest.raises(BoundkitError, match=sentence):
        client_rows(VECTORS, {name: given})


def test_unlike_lengths_are_refused() -> None:
    with pytest.raises(BoundkitError, match="tau_i holds the values of 2 clients, but p_i of 3"):
        client_rows(VECTORS, {"tau_i": [1, 2], "p_i": [0.2, 0.3, 0.5]})
    with pytest.raises(BoundkitError, match=r"have \[2, 3\] rows"):
        client_rows(VECTORS, {"tau_i": [[1, 2]] * 2, "p_i": [[0.5, 0.5]] * 3})
