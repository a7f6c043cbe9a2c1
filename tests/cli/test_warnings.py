import warnings

import pytest

from boundkit.cli.output import warnings_in_one_line


def test_what_the_library_warns_of_is_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    with warnings_in_one_line():
        warnings.simplefilter("always")
        warnings.warn("8 replicas at a time did not fit in memory;\nthey are run 4 at a time.", stacklevel=1)
    assert capsys.readouterr().err == (
        "warning: 8 replicas at a time did not fit in memory; they are run 4 at a time.\n"
    )


def test_other_warnings_go_where_they_went(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.warns(FutureWarning, match="of a library"), warnings_in_one_line():
        warnings.warn("of a library", FutureWarning, stacklevel=1)
    assert capsys.readouterr().err == ""
