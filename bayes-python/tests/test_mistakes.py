"""Mistakes of users, each with the message that says what to do."""

from __future__ import annotations

import copy
import os
import pickle
import re
import subprocess
import sys

import numpy as np
import pandas
import polars
import pytest
from conftest import FEW

import bayes

FRAME = {"y": [1.0, 2.0, 4.0, 3.0], "x": [1.0, 2.0, 3.0, 5.0], "site": ["a", "a", "b", "b"], "n": [0, 1, 2, 3]}
DATES = pandas.DataFrame({**FRAME, "when": pandas.date_range("2024-01-01", periods=4)})

ZONED = pandas.date_range("2024-01-01", periods=4, tz="Europe/Paris").to_series(index=range(4))
DAYS = pandas.period_range("2024-01-01", periods=4, freq="D")

READ = "numbers, truth values, texts and categories are read"

INPUT = [
    ({"formula": "y ~ z"}, "the table has no column `z`; the table has y, x, site, n"),
    ({"formula": "Y ~ 1"}, "the table has no column `Y`; did you mean `y`?"),
    ({"formula": "Y ~ 1", "frame": pandas.DataFrame(FRAME)}, "the table has no column `Y`; did you mean `y`?"),
    ({"formula": "Y ~ 1", "frame": polars.DataFrame(FRAME)}, "the table has no column `Y`; did you mean `y`?"),
    (
        {"frame": pandas.DataFrame([[1, 2, 3]] * 4, columns=["y", "x", "x"])},
        "column 3 is called `x`; columns need names of their own",
    ),
    ({"formula": "y ~ sit"}, "the table has no column `sit`; did you mean `site`?"),
    ({"formula": "y ~ (x"}, "this bracket does not close\n  y ~ (x\n      ^"),
    ({"formula": "y x"}, "an operator is missing before this\n  y x\n    ^"),
    ({"formula": "site ~ x"}, "`site` holds texts, where numbers are needed"),
    ({"family": "gausian"}, "there is no family `gausian`; known are gaussian, student"),
    (
        {"formula": "y ~ x", "family": "poisson", "frame": {**FRAME, "y": [1, 2.5, 3, 4]}},
        "`y` is 2.5 in row 2; it must hold whole numbers from 0",
    ),
    ({"priors": {"b": "norml(0, 1)"}}, "norml"),
    ({"priors": {"beta": "normal(0, 1)"}}, "beta"),
    ({"priors": ["b"]}, "a prior is a parameter, `~` and a distribution: `b ~ normal(0, 1)`"),
    ({"priors": {"cor": "lkj(x)"}}, "correlations have the prior `lkj(eta)`"),
    ({"engine": "nut"}, "nuts"),
    ({"chain": 2}, "there is no setting `chain`; did you mean `chains`?"),
    ({"islands": 2}, "`islands` is no setting of nuts, but of psmc, smc, ais, nested"),
    ({"engine": "psmc", "draws": 10}, "`draws` is no setting of psmc, but of tempering"),
    ({"draws": -1}, "setting `draws` is -1; it must be a whole number from 0 on"),
    ({"draws": 2.5}, "setting `draws` is 2.5; it must be a whole number from 0 on"),
    ({"draws": 0}, "setting `draws` is 0, must be"),
    ({"target_acceptance": 1.5}, "setting `target_acceptance` is 1.5, must be"),
    ({"mass": "lowrank"}, "setting `mass` is lowrank; it must be one of identity, variance, covariance, fisher, low_rank"),
    ({"engine": "psmc", "mass": "low_rank"}, "only chains keep the gradients of their burn-in"),
    ({"memory_limit": "lots"}, "it must be a number of bytes from 0 on, such as 500M or 4G"),
    ({"seed": -1}, "`seed` is -1; it must be a whole number from 0 on"),
    ({"frame": {**FRAME, "x": [1.0, 2.0]}}, "`x`"),
    ({"frame": {**FRAME, "x": [1.0, np.inf, 2.0, 3.0]}}, "finite"),
    (
        {"frame": {**FRAME, "x": [1.0, None, 2.0, 3.0]}},
        "`x` has no value in 1 of 4 rows; fill them in, or leave the rows out: `drop_missing=True`",
    ),
    ({"frame": {**FRAME, "x": [1, "two", 3, 4]}}, "for labels write `factor(x)`"),
    ({"frame": {**FRAME, "x": [2.0, 2.0, 2.0, 2.0]}}, "the column `x` is the same in all rows"),
    ({"frame": {"y": [], "x": []}}, "the table has no rows"),
    (
        {"frame": {**FRAME, "x": np.ma.masked_array(FRAME["x"], [0, 1, 0, 0])}},
        "`x` has no value in 1 of 4 rows; fill them in, or leave the rows out: `drop_missing=True`",
    ),
    ({"frame": {**FRAME, "x": [True, None, False, True]}}, "`x` has no value in 1 of 4 rows"),
    ({"frame": pandas.DataFrame({**FRAME, "x": [1, "a", 2.5, None]})}, "`x` has no value in 1 of 4 rows"),
    ({"frame": {"y": FRAME["y"], 1: FRAME["x"], "1": FRAME["x"]}}, "column 3 is called `1`; columns need names of their own"),
    (
        {"formula": "y ~ (1 | site)", "frame": pandas.DataFrame(FRAME).set_index(["site", "n"])},
        "the table has no column `site`, which is the index of the frame; `frame.reset_index()` makes a column of it",
    ),
    (
        {"frame": {**FRAME, "x": pandas.Series(FRAME["x"], index=[3, 2, 1, 0]), "y": pandas.Series(FRAME["y"])}},
        "the columns `y` and `x` are series of pandas with different indices; make a frame of them",
    ),
    # pyarrow would make 1 of True
    ({"frame": pandas.DataFrame({**FRAME, "x": [1.0, True, 0.0, 2.0]})}, "`True` is not a finite number"),
    ({"frame": {**FRAME, "x": [1.0, True, 0.0, 2.0]}}, "`True` is not a finite number"),
    (
        {"frame": {**FRAME, "x": pandas.Categorical([1, "1", 2, 2])}},
        "column `x` has two categories that are both written `1`, such as a number and a text",
    ),
    (
        {"frame": pandas.DataFrame({**FRAME, "x": pandas.Categorical([1, "1", 2, 2])})},
        "column `x` has two categories that are both written `1`",
    ),
    ({"frame": polars.DataFrame({**FRAME, "x": [1, None, 2, 3]})}, "`x` has no value in 1 of 4 rows"),
    ({"frame": polars.DataFrame({**FRAME, "x": [True, None, True, False]})}, "`x` has no value in 1 of 4 rows"),
    ({"frame": {**FRAME, "x": [True, np.nan, True, False]}}, "`x` has no value in 1 of 4 rows"),
    (
        {"frame": pandas.DataFrame({**FRAME, "x": pandas.arrays.SparseArray([1, np.nan, 2, 3])})},
        "`x` has no value in 1 of 4 rows",
    ),
    ({"frame": {**FRAME, "x": np.array([1, np.inf, 2, 3], "f2")}}, "`inf` is not a finite number"),
    ({"formula": "y ~ my x", "frame": {**FRAME, "my x": FRAME["x"]}}, "an operator is missing before this"),
    (
        {"formula": "y ~ x-1", "frame": {"y": FRAME["y"], "x-1": FRAME["x"]}},
        "the table has no column `x`; the table has y, x-1",
    ),
    ({"frame": polars.DataFrame({"y": [], "x": []})}, "the table has no rows"),
    ({"draws": 10**12}, "setting `draws` is 1000000000000, must be from 1 to"),
    ({"seed": 1.5}, "`seed` is 1.5; it must be a whole number from 0 on"),
    ({"seed": None}, "`seed` is None; it must be a whole number from 0 on"),
]

TYPES = [
    ({"frame": [1, 2, 3]}, "`frame` is a list; it must be a data frame of pandas or polars"),
    ({"frame": np.ones((3, 2))}, "`frame` is a numpy.ndarray"),
    ({"frame": "sleepstudy.csv"}, "`frame` is a str"),
    ({"frame": polars.Series([1.0, 2.0])}, "`frame` is a polars.series.series.Series"),
    ({"frame": polars.LazyFrame(FRAME)}, "`frame` is a polars.lazyframe.frame.LazyFrame"),
    (
        {"formula": "y ~ when", "frame": DATES},
        "column `when` has the dtype datetime64[us]; numbers, truth values, texts and categories are read; make a number of it",
    ),
    ({"formula": "y ~ when", "frame": polars.from_pandas(DATES)}, "column `when` has the dtype Datetime("),
    (
        {"formula": "y ~ when", "frame": {**FRAME, "when": DATES["when"].to_numpy()}},
        "column `when` has the dtype datetime64[us]",
    ),
    ({"frame": polars.DataFrame({**FRAME, "x": [[1], [2], [3], [4]]})}, "column `x` has the dtype List(Int64)"),
    ({"frame": pandas.DataFrame({**FRAME, "x": [1j, 2j, 3j, 4j]})}, "column `x` has the dtype complex128"),
    ({"frame": {**FRAME, "x": np.ones((4, 2))}}, "column `x` has the shape (4, 2); a column has one dimension"),
    ({"frame": {**FRAME, "x": 3.0}}, "column `x` is a float; it must be a list or an array, one value for each row"),
    ({"frame": {**FRAME, "x": [1, {}, 2, 3]}}, "column `x` has a value of the type dict in row 1 (from 0)"),
    ({"frame": pandas.DataFrame({**FRAME, "x": [1, {}, 2, 3]})}, "column `x` has a value of the type dict in row 1 (from 0)"),
    ({"draws": True}, "setting `draws` is True, of the type bool; it must be a number or a text"),
    ({"draws": [5]}, "setting `draws` is [5], of the type list; it must be a number or a text"),
    ({"formula": 3}, "`formula` is a int; it must be a text"),
    ({"family": None}, '`family` is a NoneType; it must be a text such as "poisson"'),
    ({"engine": None}, '`engine` is a NoneType; it must be a text such as "nuts"'),
    ({"link": 3}, '`link` is a int; it must be a text such as "log"'),
    ({"priors": 3}, "`priors` is a int; it must be a dict such as"),
    ({"checkpoint": 3}, "setting `checkpoint` is 3; it must be the path of a folder"),
    (
        {"frame": {**FRAME, "x": DATES["when"].dt.date.tolist()}},
        f"has a value of the type date in row 0 (from 0); {READ}; make a number",
    ),
    (
        {"frame": pandas.DataFrame({**FRAME, "x": [None, *DATES["when"].dt.date[1:]]})},
        f"column `x` has a value of the type date in row 1 (from 0); {READ}; make a number of it",
    ),
    ({"frame": {**FRAME, "x": DATES["when"].tolist()}}, "column `x` has a value of the type Timestamp in row 0 (from 0)"),
    ({"frame": {**FRAME, "x": np.array(3.0)}}, "column `x` has the shape (); a column has one dimension"),
    ({"frame": {**FRAME, "x": [[1.0], [2.0], [3.0], [4.0]]}}, "column `x` has a value of the type list in row 0"),
    (
        {"frame": polars.DataFrame({**FRAME, "x": polars.Series([object()] * 4, dtype=polars.Object)})},
        "column `x` has the dtype Object",
    ),
    (
        {
            "frame": pandas.DataFrame(FRAME).pipe(
                lambda f: f.set_axis(pandas.MultiIndex.from_product([["a"], f.columns]), axis=1)
            )
        },
        "the column ('a', 'y') has a name of several levels",
    ),
    ({"frame": np.rec.fromarrays([FRAME["y"], FRAME["x"]], names="y,x")}, "`frame` is a numpy.rec.recarray"),
    # a set has no order, and a dict would be its keys
    ({"frame": {**FRAME, "x": {1.0, 2.0, 3.0, 5.0}}}, "column `x` is a set; it must be a list or an array"),
    ({"frame": {**FRAME, "x": {0: 1.0, 1: 2.0, 2: 3.0, 3: 5.0}}}, "column `x` is a dict; it must be a list or an array"),
    ({"frame": {**FRAME, "x": "abcd"}}, "column `x` is a str; it must be a list or an array"),
    ({"frame": {**FRAME, "x": 2.0}}, "column `x` is a float; it must be a list or an array"),
    ({"frame": {**FRAME, "x": np.ones((4, 1))}}, "column `x` has the shape (4, 1); a column has one dimension"),
    ({"frame": {**FRAME, "x": [b"a", b"b", b"c", b"d"]}}, "column `x` has a value of the type bytes in row 0"),
    ({"frame": {**FRAME, "x": [1.0, object(), 2.0, 3.0]}}, "column `x` has a value of the type object in row 1"),
    ({"frame": pandas.DataFrame(FRAME).groupby("site")}, "`frame` is a pandas.api.typing.DataFrameGroupBy"),
    ({"frame": {**FRAME, "x": ZONED.to_numpy()}}, "column `x` has"),
    ({"frame": pandas.DataFrame({**FRAME, "x": ZONED})}, "column `x` has the dtype datetime64[us, Europe/Paris]"),
    # their numbers are days since 1970
    ({"frame": pandas.DataFrame({**FRAME, "x": DAYS})}, "column `x` has the dtype period[D]"),
    ({"frame": {**FRAME, "x": DAYS}}, "column `x` has the dtype period[D]"),
    ({"frame": pandas.DataFrame({**FRAME, "x": DAYS - DAYS[0]})}, "column `x`"),
    ({"priors": [3]}, 'a prior is a int; it must be a text such as "b ~ normal(0, 1)"'),
]


def call(changes):
    return bayes.fit(**{"formula": "y ~ x", "frame": FRAME, **FEW, **changes})


@pytest.mark.parametrize(("changes", "words"), INPUT, ids=[words[:50] for _, words in INPUT])
def test_wrong_input_is_a_value_error_that_says_what_to_do(changes, words):
    chosen = {} if "engine" in changes else FEW
    with pytest.raises(bayes.BayesInputError, match=re.escape(words)) as raised:
        bayes.fit(**{"formula": "y ~ x", "frame": FRAME, **chosen, **changes})
    assert isinstance(raised.value, ValueError) and isinstance(raised.value, bayes.BayesError)
    assert "--" not in str(raised.value)


@pytest.mark.parametrize(("changes", "words"), TYPES, ids=[words[:50] for _, words in TYPES])
def test_what_is_no_frame_or_column_is_a_type_error(changes, words):
    with pytest.raises(TypeError, match=re.escape(words)):
        call(changes)


def test_questions_about_what_a_fit_does_not_have(fitted, tmp_path):
    with pytest.raises(bayes.BayesInputError, match=r"no quantity is called `sigm`, did you mean `sigma`\?"):
        fitted.draws("sigm")
    with pytest.raises(bayes.BayesInputError, match="no quantity is called `beta`"):
        fitted.summary("beta")
    with pytest.raises(bayes.BayesInputError, match=r"b\[Day\]"):
        fitted.draws("b[Day]")
    with pytest.raises(bayes.BayesInputError, match="has no column `Days`"):
        fitted.predict({"Subject": [308]})
    with pytest.raises(bayes.BayesInputError, match="1"):
        fitted.predict({"Subject": [1], "Days": [0]})
    with pytest.raises(bayes.BayesInputError, match=r"a quantile needs a probability between 0 and 1, got 1\.5"):
        fitted.predict({"Subject": [308], "Days": [0]}).quantile(1.5)
    with pytest.raises(bayes.BayesError, match="nowhere"):
        bayes.load(tmp_path / "nowhere.run")
    with pytest.raises(bayes.BayesError, match="no-folder"):
        fitted.save(tmp_path / "no-folder" / "sleep.run")
    other = tmp_path / "notes.txt"
    other.write_text("notes")
    with pytest.raises(bayes.BayesInputError):
        bayes.load(other)
    with pytest.raises(bayes.BayesInputError):
        fitted.save(other)
    assert other.read_text() == "notes"


def test_results_are_copied_and_pickled_without_their_data(fitted, islands):
    assert copy.deepcopy(fitted) is fitted and copy.copy(fitted) is fitted
    again = pickle.loads(pickle.dumps(fitted))
    assert again.draws("b").tolist() == fitted.draws("b").tolist() and again.warnings == fitted.warnings
    with pytest.raises(bayes.BayesInputError, match=r"`loo` needs the data of the fit: `bayes.load\(path, frame\)`"):
        again.loo()
    assert pickle.loads(pickle.dumps(islands)).log_evidence == islands.log_evidence
    loo = fitted.loo()
    assert pickle.loads(pickle.dumps(loo)).pointwise.tolist() == loo.pointwise.tolist() and copy.deepcopy(loo) is loo
    with pytest.raises(TypeError, match=r"keep its `draws\(\)` or its `to_dict\(\)`"):
        pickle.dumps(fitted.predict({"Subject": [308], "Days": [0]}))


def test_questions_by_what_is_no_name(fitted):
    with pytest.raises(TypeError, match="`name` is a int; it must be a text"):
        fitted.draws(3)


FORKED = """
import os, bayes
x = [1.0, 2.0, 3.0, 5.0]
def fit():
    return bayes.fit("y ~ x", {"y": [1.0, 2.0, 4.0, 3.0], "x": x}, chains=1, draws=10, progress=False)
%s
child = os.fork()
if child == 0:
    try:
        print(fit().draws("b").shape, flush=True)
    except bayes.BayesError as error:
        print(error, flush=True)
    os._exit(0)
os.waitpid(child, 0)
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork")
@pytest.mark.parametrize(
    ("before", "words"), [("fit()", "this process was forked from one in which bayes had worked"), ("", "(1, 10, 1)")]
)
def test_a_fork_works_before_the_first_run_and_says_so_after_it(before, words):
    program = [sys.executable, "-W", "ignore", "-c", FORKED % before]
    done = subprocess.run(program, capture_output=True, text=True, timeout=120, check=True)
    assert words in done.stdout, done.stderr


def test_comparisons_of_what_cannot_be_compared(fitted, islands):
    with pytest.raises(TypeError, match="`models` is a list; it must be a dict"):
        bayes.compare([fitted, islands])
    with pytest.raises(TypeError, match="`b` is a int; it must be a Fit or what its loo"):
        bayes.compare({"a": fitted, "b": 3})
    with pytest.raises(bayes.BayesInputError):
        bayes.compare({"a": fitted})
    other = bayes.fit("y ~ x", FRAME, priors={"sigma": "exponential(1)"}, seed=1)
    with pytest.raises(bayes.BayesInputError, match="180"):
        bayes.compare({"a": fitted, "b": other})
