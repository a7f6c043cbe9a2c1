"""Arguments as people have them: rules, tables of pandas and xarray, lists, and quantities by name."""

import numpy as np
import pytest

import boundkit as bk
from boundkit.algebra.notation import L, T, eta, m, tau

NAME = "fedavg_nonconvex"
RULE = "sqrt(m/(tau*T))/L"


def test_a_rule_is_the_step_that_it_gives() -> None:
    at = {"m": 9, "tau": 4, "T": 900, "L": 2}
    step = np.sqrt(9 / (4 * 900)) / 2
    number = bk.predict(NAME, eta=step, **at)
    for rule in (RULE, (m / (tau * T)) ** 0.5 / L):
        ruled = bk.predict(NAME, eta=rule, **at)
        assert ruled.total == pytest.approx(number.total, rel=1e-12)
        assert dict(ruled.terms) == pytest.approx(dict(number.terms), rel=1e-12)
        assert (ruled.holds, ruled.largest) == (number.holds, pytest.approx(number.largest, rel=1e-12))
        assert ruled.steps["eta"] == pytest.approx(step, rel=1e-12)
    assert "eta = sqrt(m)/(L*sqrt(T)*sqrt(tau)) = 0.025" in bk.predict(NAME, eta=RULE, **at).to_text()
    assert ruled.to_dict()["steps"] == {"eta": pytest.approx(step)}
    assert "rules" not in number.to_dict()


def test_a_rule_follows_the_axes_and_meets_the_conditions() -> None:
    rounds = [10, 100, 100_000]
    ruled = bk.predict(NAME, eta=RULE, T=rounds, tau=5)
    each = [bk.predict(NAME, eta=float(np.sqrt(100 / (5 * t))), T=t, tau=5) for t in rounds]
    assert ruled.total.values == pytest.approx([one.total for one in each], rel=1e-12)
    assert ruled.holds.values.tolist() == [one.holds for one in each] == [False, False, True]
    assert ruled.steps["eta"].attrs == {"long_name": "client step size", "units": "[x]^2/[F]"}


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"eta": "1/T"}, "has dimension"),
        ({"eta": "1/(L*"}, "could not be read as a formula"),
        ({"eta": "-1/L"}, "is not above 0"),
        ({"tau": "sqrt(T)"}, "must be a number"),
        ({"tau": tau}, "must be a number"),
    ],
)
def test_a_rule_that_is_none_is_refused(given: dict[str, object], words: str) -> None:
    with pytest.raises(bk.BoundkitError, match=words.replace("(", r"\(")):
        bk.predict(NAME, **given)


def test_tune_and_rounds_take_rules() -> None:
    first = bk.rounds_to("sgd_nonconvex", 0.1, m=10, eta="1/(L*sqrt(T))")
    assert (
        first.bound <= 0.1 < bk.predict("sgd_nonconvex", m=10, T=first.rounds - 1, eta="1/(L*sqrt(T))").total
    )
    assert first.steps["eta"] == pytest.approx(first.rounds**-0.5)
    with pytest.raises(bk.BoundkitError, match="eta is what is looked for here"):
        bk.tune("sgd_nonconvex", eta="1/L")


def test_lists_are_tuned_element_by_element() -> None:
    tuned = bk.tune(NAME, tau=[1, 2, 5], T=[100, 1000])
    assert tuned.axes == tuned.bound.dims == ("tau", "T")
    for place, steps in enumerate((1, 2, 5)):
        for column, rounds in enumerate((100, 1000)):
            one = bk.tune(NAME, tau=steps, T=rounds)
            assert tuned.values["eta"].values[place, column] == one.values["eta"]
            assert tuned.bound.sel(tau=steps, T=rounds).item() == one.bound
            assert tuned.outcome.sel(tau=steps, T=rounds).item() == one.outcome
            assert tuned.at(tau=steps, T=rounds).to_dict() == one.to_dict()
    dataset = tuned.to_dataset()
    assert np.asarray(sum(dataset[label] for label in tuned.terms)) == pytest.approx(tuned.bound.values)
    assert dataset["eta"].attrs["units"] == "[x]^2/[F]"
    assert dataset["tau"].attrs["units"] == "1"
    assert len(tuned.to_dict()["answers"]) == 6
    assert "at the limit" in tuned.to_text(rows=1)
    assert "... and 5 more points" in tuned.to_text(rows=1)
    assert tuned.to_dataframe().columns[:2].tolist() == ["tau", "T"]


def test_rounds_to_lists_of_targets_and_values() -> None:
    rounds = bk.rounds_to("sgd_nonconvex", [0.1, 1e-9], m=10, eta=[0.02, 0.1])
    assert rounds.rounds.dims == ("eps", "eta")
    for step, answer in zip((0.02, 0.1), rounds.rounds.values[0], strict=True):
        assert answer == bk.rounds_to("sgd_nonconvex", 0.1, m=10, eta=step).rounds
    assert np.isnan(rounds.rounds.values[1]).all()
    assert rounds.at(eps=1e-9, eta=0.1).rounds is None
    assert bk.rounds_to("sgd_nonconvex", 0.1, eta=[0.01, 3.0]).outside == 1
    tuned = bk.rounds_to("sgd_nonconvex", 0.1, m=[1, 100], tuned=True)
    assert (
        tuned.to_dataset()["eta"].sel(m=100)
        == bk.rounds_to("sgd_nonconvex", 0.1, m=100, tuned=True).steps["eta"]
    )


@pytest.mark.parametrize(
    ("question", "words"),
    [
        (lambda: bk.rounds_to("sgd_nonconvex", []), r"eps = \[\]"),
        (lambda: bk.rounds_to("sgd_nonconvex", [0.1, -1]), "eps = -1"),
        (lambda: bk.tune("sgd_nonconvex", m=[1, 0]), "m = 0 was given"),
        (lambda: bk.tune(NAME, tau=range(1, 5000)), "4999 points were given, but at most 4000"),
        (lambda: bk.tune(NAME, tau=[1, 2]).at(tau=3), "3 is not on the axis tau"),
        (lambda: bk.tune(NAME, tau=[1, 2]).at(), "one value is needed for each of tau"),
        (lambda: bk.tune(NAME, "eta_s", tau=[1, 2]), "has no eta_s"),
    ],
)  # fmt: skip
def test_lists_that_cannot_be_answered(question: object, words: str) -> None:
    assert callable(question)
    with pytest.raises(bk.BoundkitError, match=words):
        question()


def test_a_table_is_answered_row_by_row() -> None:
    pandas = pytest.importorskip("pandas")
    table = pandas.DataFrame({"tau": [1, 2, 5], "eta": [0.1, 0.05, 0.01]}, index=["a", "b", "c"])
    rows = bk.predict(NAME, table, T=[10, 100])
    assert rows.total.dims == ("row", "T")
    for name, row in table.iterrows():
        one = bk.predict(NAME, tau=int(row.tau), eta=row.eta, T=100)
        assert rows.total.sel(row=name, T=100).item() == one.total
    assert rows.total["tau"].dims == ("row",)
    assert rows.to_dataframe().columns[:4].tolist() == ["row", "T", "tau", "eta"]
    assert rows.to_text().splitlines()[2].split()[:4] == ["row", "T", "tau", "eta"]
    assert rows.to_dict()["parameters"]["tau"] == [1, 2, 5]
    tuned = bk.tune(NAME, table=table[["tau"]])
    assert tuned.bound.sel(row="b").item() == bk.tune(NAME, tau=2).bound
    named = table.set_index("tau")  # an index that is a quantity is that quantity
    assert bk.predict(NAME, named).total.values.tolist() == bk.predict(NAME, table).total.values.tolist()


def test_arrays_of_xarray_keep_their_axes() -> None:
    xarray = pytest.importorskip("xarray")
    steps = xarray.DataArray([0.1, 0.05], dims="tau", coords={"tau": [1, 2]})
    along = bk.predict(NAME, eta=steps, T=[10, 100])
    assert along.total.dims == ("tau", "T")
    assert along.total.values[1, 0] == bk.predict(NAME, tau=2, eta=0.05, T=10).total
    both = xarray.DataArray(
        [[0.1, 0.2], [0.3, 0.4], [0.5, 0.6]], dims=("case", "tau"), coords={"tau": [1, 2]}
    )
    grid = bk.predict(NAME, eta=both)
    assert grid.total.dims == ("case", "tau")
    assert grid.total.values[2, 1] == bk.predict(NAME, tau=2, eta=0.6).total
    turned = bk.predict(NAME, tau=[1, 2], eta=both)  # the order of axes is that in which they are given
    assert turned.total.dims == ("tau", "case")
    assert turned.total.values[1, 2] == grid.total.values[2, 1]
    dataset = xarray.Dataset({"eta": both})
    assert bk.predict(NAME, dataset).total.equals(grid.total)
    assert bk.predict(NAME, eta=xarray.DataArray(0.1), tau=2).total == bk.predict(NAME, eta=0.1, tau=2).total
    for given, words in (
        ({"eta": steps, "tau": 3}, "eta runs along tau, but tau does not"),
        ({"eta": steps, "tau": [1, 3]}, "share the axis tau, but its values differ"),
        ({"eta": xarray.DataArray([[1.0]], dims=("eta", "x"))}, "eta runs along eta and x, but"),
    ):
        with pytest.raises(bk.BoundkitError, match=words):
            bk.predict(NAME, **given)


def test_what_is_no_table_is_refused() -> None:
    pandas = pytest.importorskip("pandas")
    table = pandas.DataFrame({"tau": [1, 2]})
    for given, more, words in (
        (3, {}, "a int was given after the theorem"),
        (table, {"tau": 3}, "tau is a column of the table"),
        (table.assign(x=1), {}, "unknown parameter of fedavg_nonconvex 'x'"),
        (table.assign(eta=["a", "b"]), {}, "eta = 'a' was given"),
    ):
        with pytest.raises(bk.BoundkitError, match=words):
            bk.predict(NAME, given, **more)


def test_results_carry_units_and_names() -> None:
    grid = bk.predict(NAME, tau=[1, 2], eta=[0.01, 0.1])
    assert grid.total.attrs == {"long_name": "mean squared gradient", "units": "[F]^2/[x]^2"}
    assert grid.total["eta"].attrs == {"long_name": "client step size", "units": "[x]^2/[F]"}
    assert grid.largest.attrs["units"] == "[x]^2/[F]"
    dataset = grid.to_dataset()
    assert {*grid.terms, "total", "dominant", "holds", "largest_eta"} == set(dataset)
    assert dataset["total"].attrs == grid.total.attrs
    assert bk.predict(NAME).to_dataset()["total"] == bk.predict(NAME).total
    compared = bk.compare(NAME, "fedavg_nonconvex_partial", tau=[1, 2], C=0.5).to_dataset()
    assert set(compared) == {NAME, "fedavg_nonconvex_partial", "lowest", "ratio"}


def test_a_series_is_a_list_and_a_vector_of_clients() -> None:
    pandas = pytest.importorskip("pandas")
    listed = bk.predict(NAME, tau=[1, 2, 5])
    assert bk.predict(NAME, tau=pandas.Series([1, 2, 5])).total.equals(listed.total)
    ends = bk.compare(NAME, "fedavg_nonconvex_partial", tau=pandas.Series([5, 1]), C=0.5)
    assert ends.lowest.equals(bk.compare(NAME, "fedavg_nonconvex_partial", tau=[1, 5], C=0.5).lowest)
    clients = bk.predict("fednova_nonconvex_surrogate", tau_i=pandas.Series([2, 5]))
    assert clients.total == bk.predict("fednova_nonconvex_surrogate", tau_i=[2, 5]).total


def test_names_stand_for_quantities_in_sympy() -> None:
    statement = bk.theorem("sgd_nonconvex")
    total = statement.bound.total
    assert total.subs({"eta": 3, "sigma": 0}) == total.subs({eta: 3, statement["sigma"]: 0})
    assert eta not in total.subs("eta", 2).free_symbols
    assert statement.bound.subs(m=1, T=2).total == total.subs({m: 1, T: 2})
    assert statement.bound.subs({m: T, T: m}).total == total.subs({m: T, T: m}, simultaneous=True)
    assert bk.symbols.tau is bk.symbols["tau"] is bk.symbols("T, tau")[1] is tau
    assert "tau" in bk.symbols
    assert "tua" not in bk.symbols
    assert bk.symbols.get("tua") is None
    assert bk.theorem("fednova_nonconvex_surrogate")["tau_i"].name == "tau_i"
