"""``boundkit predict``: the bound at given values, term by term."""

from __future__ import annotations

from boundkit.cli.options import AsJson, TheoremName, Values
from boundkit.cli.output import emit, print_json, print_sharper, warn_outside


def run(theorem: TheoremName, values: Values = None, as_json: AsJson = False) -> None:
    """Predict the bound, term by term.

    Lists and ranges span a grid; a quantity without a value gets a default, which is named.
    """
    from boundkit.analysis.predict import predict
    from boundkit.cli.parameter_values import MOST_ROWS, read_values, warn_of_merged_points
    from boundkit.theorems import theorem as named

    statement = named(theorem)
    parameters = read_values(values or [], statement)
    prediction = predict(statement, **parameters)
    warn_of_merged_points(values or [], parameters)
    answer = prediction.to_dict() if as_json else None
    warn_outside(prediction)
    if answer is not None:
        print_json(answer)
    else:
        emit(prediction.to_text(rows=MOST_ROWS))
        print_sharper(statement)
