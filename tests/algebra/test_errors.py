from boundkit.algebra.errors import BoundkitError, DimensionError, unknown


def test_unknown_names_what_is_near() -> None:
    message = str(unknown("theorem", "fedavg_noncnvex", ["fedavg_nonconvex", "sgd_nonconvex"]))
    assert message.startswith("unknown theorem 'fedavg_noncnvex'; did you mean 'fedavg_nonconvex'")


def test_unknown_sees_past_upper_and_lower_case() -> None:
    assert str(unknown("parameter", "Sigma_G", ["sigma", "sigma_g"])).endswith("did you mean 'sigma_g'?")
    assert str(unknown("parameter", "c", ["C", "T"])).endswith("did you mean 'C'?")


def test_unknown_lists_all_where_nothing_is_near() -> None:
    assert str(unknown("parameter", "qqq", ["b", "a", "b"])) == "unknown parameter 'qqq'; known are a, b."
    assert str(unknown("parameter", "qqq", [])) == "unknown parameter 'qqq'; there are none."
    assert str(unknown("parameter", "", ["m"])) == "unknown parameter ''; known are m."


def test_errors_are_bad_values_for_whoever_catches_those() -> None:
    assert issubclass(DimensionError, BoundkitError)
    assert issubclass(BoundkitError, ValueError)
