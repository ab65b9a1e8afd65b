"""Expected responses, effects, contrasts, slopes, R² and hypotheses: those of the program, and of independent computations."""

from __future__ import annotations

import io
import json

import numpy as np
import pandas
import pytest
from conftest import FEW, csv, table

import bayes

GRADES = {"y": [1, 2, 3, 1, 3, 2, 2, 3, 1, 3], "x": [0.1, 0.5, 1.4, 0.2, 1.1, 0.8, 0.4, 1.7, -0.3, 0.9]}
NUMBERS = ["mean", "mcse", "sd", "q5", "q25", "q50", "q75", "q95"]


@pytest.fixture(scope="module")
def births() -> bayes.Fit:
    """A regression of two labels and a number, which has not converged."""
    return few("low ~ age + factor(race) + smoke", table("birthwt"), "bernoulli")


@pytest.fixture(scope="module")
def grades() -> bayes.Fit:
    return few("y ~ x", GRADES, "cumulative")


def few(formula: str, frame: object, family: str) -> bayes.Fit:
    with pytest.warns(bayes.BayesWarning):
        return bayes.fit(formula, frame, family, seed=5, progress=False, **FEW)


def same_numbers(answer: bayes.ResultTable, wanted: list[dict]) -> None:
    assert len(answer) == len(wanted) > 0
    for column in NUMBERS:
        theirs = [np.nan if row.get(column) is None else row[column] for row in wanted]
        assert np.array_equal(answer[column], theirs, equal_nan=True), column


def same_ten_digits(answer: bayes.ResultTable, csv_text: str) -> None:
    """The numbers of a CSV file, which has ten digits."""
    wanted = pandas.read_csv(io.StringIO(csv_text))
    assert len(answer) == len(wanted) > 0
    for column in NUMBERS:
        ours = [float(f"{value:.10g}") for value in answer[column]]
        theirs = wanted[column] if column in wanted else np.full(len(ours), np.nan)
        assert np.array_equal(ours, theirs, equal_nan=True), column


def test_answers_are_those_of_the_program(tmp_path, program, births):
    path = tmp_path / "births.run"
    births.save(path)
    data = ["--data", csv("birthwt")]

    def asked(*arguments: object) -> tuple[str, object]:
        return program(*arguments), json.loads(program(*arguments, "--json"))

    for answer, arguments in [
        (births.contrasts("race", by="smoke"), ["contrast", path, *data, "--of", "race", "--by", "smoke"]),
        (births.contrasts("smoke", ratio=True), ["contrast", path, *data, "--of", "smoke", "--ratio"]),
        (births.slopes("age"), ["slope", path, *data, "--of", "age"]),
        (births.hypothesis("b[age] < 0"), ["hypothesis", path, "b[age] < 0"]),
    ]:
        text, wanted = asked(*arguments)
        assert repr(answer) == text.rstrip("\n")
        same_numbers(answer, wanted)
    text, wanted = asked("effects", path, *data, "--of", "age:smoke", "--at", "race=2", "--svg", tmp_path / "theirs.svg")
    effects = births.effects("age:smoke", at={"race": 2})
    assert repr(effects) == text.rstrip("\n") and effects.others == wanted["others"]
    same_numbers(effects, wanted["rows"])
    effects.save(tmp_path / "ours.svg")
    assert (tmp_path / "ours.svg").read_text() == (tmp_path / "theirs.svg").read_text() == effects._repr_html_()
    text, wanted = asked("r2", path, *data)
    r2 = births.r2()
    assert repr(r2) == text.rstrip("\n") and r2.bad_rows == wanted["loo_r2"]["rows_of_bad_k_hat"]
    same_numbers(r2, [wanted["r2"], wanted["loo_r2"]])
    same_ten_digits(births.fitted(linear=True), program("fitted", path, *data, "--linear"))


def test_expected_responses_are_those_of_the_coefficients(fitted):
    new = pandas.DataFrame({"Days": [0.0, 3.0, 12.0]})
    population = fitted.fitted(new, groups=False)
    lines = fitted.draws("intercept")[:, :, None] + fitted.draws("b[Days]")[:, :, None] * new["Days"].to_numpy()
    assert population.draws() == pytest.approx(lines, rel=1e-12)
    assert population["mean"] == pytest.approx(lines.mean(axis=(0, 1)), rel=1e-12)
    assert population["sd"] == pytest.approx(lines.std(axis=(0, 1), ddof=1), rel=1e-3)
    assert population.names == ["0", "1", "2"] and population["row"].tolist() == [0, 1, 2]
    own = fitted.fitted({"Days": [3.0], "Subject": ["308"]}).draws()[:, :, 0]
    effects = fitted.draws("r[Subject:308:Intercept]") + 3 * fitted.draws("r[Subject:308:Days]")
    assert own == pytest.approx(lines[:, :, 1] + effects, rel=1e-12)
    assert len(fitted.fitted()) == 180
    with pytest.raises(bayes.BayesInputError, match=r"draw the effects from the population \(`new_groups=True`\)$"):
        fitted.fitted({"Days": [3.0], "Subject": ["a new one"]})
    assert len(fitted.fitted({"Days": [3.0], "Subject": ["a new one"]}, new_groups=True)) == 1


def test_slopes_and_contrasts_of_a_line_are_its_coefficients(fitted):
    days = fitted.draws("b[Days]")
    # each of the 18 subjects has as many rows, and a slope of its own
    names = fitted.elements("r")
    of_subjects = fitted.draws("r")[:, :, [name.endswith(":Days]") for name in names]]
    average = days + of_subjects.mean(axis=2)
    for answer in (fitted.slopes("Days"), fitted.contrasts("Days")):
        assert answer["mean"] == pytest.approx(average.mean(), rel=1e-6)
        assert answer["q95"] == pytest.approx(np.quantile(average, 0.95), rel=1e-3)
    likely = fitted.hypothesis("Days > 8")
    assert likely.probability == pytest.approx((days > 8).mean(), abs=1e-12)
    assert likely.odds == pytest.approx(likely.probability / (1 - likely.probability))
    assert 0 < likely.probability_mcse < 0.02
    assert fitted.hypothesis("sigma > 0").odds == np.inf


@pytest.mark.filterwarnings("ignore::bayes.BayesWarning")
def test_rows_that_are_left_out_do_not_move_the_numbers_of_others():
    frame = {"y": [1.0, 2.0, None, 4.0, 5.5], "x": [1.0, 2.0, 3.0, None, 5.0]}
    with pytest.warns(UserWarning, match="2 of 5 rows have missing values"):
        fit = bayes.fit("y ~ x", frame, seed=5, progress=False, drop_missing=True, **FEW)
    assert fit.rows == [0, 1, 4]
    fitted = fit.fitted()
    assert fitted.names == ["0", "1", "4"] and fitted["row"].tolist() == [0, 1, 4]
    assert repr(fitted).splitlines()[3].split()[0] == "4"
    assert fitted["mean"].tolist() == fit.fitted({"x": [1.0, 2.0, 5.0]})["mean"].tolist()
    r2 = fit.r2()
    assert set(r2.bad_rows) <= {0, 1, 4}
    named = f"({', '.join(map(str, r2.bad_rows))})" if r2.bad_rows else "R2 of rows left out"
    assert named in repr(r2) and ("k-hat" in repr(r2)) == bool(r2.bad_rows)


def test_grades_have_probabilities(grades):
    fitted = grades.fitted({"x": [0.0, 1.0]})
    assert fitted.columns == ["row", "grade", *NUMBERS] and fitted["grade"].tolist() == [1, 2, 3] * 2
    assert fitted.names[4] == "1, 2"
    draws = fitted.draws()
    assert draws.shape == (2, 60, 2, 3) and draws.sum(axis=3) == pytest.approx(np.ones((2, 60, 2)), rel=1e-12)
    assert fitted["mean"] == pytest.approx(draws.mean(axis=(0, 1)).ravel(), rel=1e-12)
    frame = pandas.DataFrame(grades.effects("x").to_dict())
    assert frame.groupby("x")["mean"].sum().to_numpy() == pytest.approx(np.ones(100), rel=1e-9)


def test_labels_have_probabilities():
    birds = {
        "bird": ["owl", "crow", "owl", "wren", "crow", "wren", "owl", "crow"],
        "x": [0.3, 1.2, -0.4, 0.1, 2.0, 0.7, 1.1, 0.2],
    }
    fit = few("bird ~ x", birds, "categorical")
    fitted = fit.fitted({"x": [0.0, 1.0]})
    assert fitted.columns == ["row", "grade", "label", *NUMBERS] and fitted["label"].tolist() == ["crow", "owl", "wren"] * 2
    draws = fitted.draws()
    assert draws.shape == (2, 60, 2, 3) and draws.sum(axis=3) == pytest.approx(np.ones((2, 60, 2)), rel=1e-12)
    # the first label has no linear predictor
    linear = fit.fitted({"x": [0.0, 1.0]}, linear=True)
    assert linear["label"].tolist() == ["owl", "wren"] * 2 and linear.draws().shape == (2, 60, 2, 2)
    assert set(fit.contrasts("x")["label"]) == {"crow", "owl", "wren"}


def test_answers_show_in_notebooks(births):
    page = births.contrasts("race")._repr_html_()
    assert "race: 2 - 1" in page and page.count("<tr>") == 3
    assert births.effects("smoke")._repr_html_().startswith("<svg")


def test_mistakes_are_named(births, tmp_path):
    with pytest.raises(bayes.BayesInputError, match="did you mean `age`"):
        births.effects("agee")
    with pytest.raises(bayes.BayesInputError, match="labels, which have no slope"):
        births.slopes("race")
    with pytest.raises(TypeError, match=r"`at` is a str; it must be a dict of columns"):
        births.effects("age", at="race=2")
    with pytest.raises(bayes.BayesInputError, match="`groups=False` leaves all groups out"):
        births.fitted(groups=False, new_groups=True)
    with pytest.raises(bayes.BayesInputError, match="between two sides"):
        births.hypothesis("b[age]")
    with pytest.raises(bayes.BayesInputError, match="R² is defined for numbers"):
        few("y ~ x", GRADES, "cumulative").r2()
    births.save(tmp_path / "births.run")
    loaded = bayes.load(tmp_path / "births.run")
    for name, ask in [
        ("fitted", lambda: loaded.fitted()),
        ("effects", lambda: loaded.effects("age")),
        ("contrasts", lambda: loaded.contrasts("age")),
        ("slopes", lambda: loaded.slopes("age")),
        ("r2", lambda: loaded.r2()),
    ]:
        with pytest.raises(bayes.BayesInputError, match=f"`{name}` needs the data of the fit"):
            ask()
    assert loaded.hypothesis("age < 0").probability == births.hypothesis("age < 0").probability


def votes(n=40):
    """Counts of three parties in towns of 8 voters, and the same as shares."""
    rng = np.random.default_rng(4)
    x = rng.normal(size=n)
    scores = np.exp(np.stack([0 * x, 0.5 + x, -0.3 - x], axis=1))
    counts = np.array([rng.multinomial(8, score / score.sum()) for score in scores])
    shares = (counts + 1) / 11
    columns = dict(zip(("red", "green", "blue"), counts.T))
    return pandas.DataFrame({**columns, **dict(zip(("sand", "silt", "clay"), shares.T)), "n": 8, "x": x})


@pytest.mark.parametrize(
    ("formula", "family", "outcomes", "sum_of_row"),
    [
        ("cbind(red, green, blue) | trials(n) ~ x", "multinomial", ["red", "green", "blue"], 8),
        ("cbind(sand, silt, clay) ~ x", "dirichlet", ["sand", "silt", "clay"], 1),
    ],
)
def test_predictions_of_several_columns_have_an_axis_of_their_own(formula, family, outcomes, sum_of_row):
    """Seen to detect: rows times columns that are numbered as rows."""
    frame = votes()
    fit = bayes.fit(formula, frame, family, seed=2, chains=2, draws=500, burn_in=500)
    new = pandas.DataFrame({"x": [-1.0, 2.0], "n": [8, 8]})
    predicted = fit.predict(new)
    assert predicted.names == [f"{row}, {outcome}" for row in range(2) for outcome in outcomes]
    drawn = predicted.draws()
    assert drawn.shape == (2, 500, 2, 3) and drawn.sum(axis=-1) == pytest.approx(np.full((2, 500, 2), sum_of_row))
    assert predicted.mean == pytest.approx(drawn.mean(axis=(0, 1)), rel=1e-12)
    assert predicted.row(f"1, {outcomes[1]}")["mean"] == predicted.mean[1, 1] == predicted["mean"][4]
    assert predicted.quantile(0.5).shape == (2, 3)
    expected = fit.fitted(new)
    assert expected["label"].tolist() == 2 * outcomes and expected.draws().shape == (2, 500, 2, 3)
    # 1000 draws of a variable whose standard deviation is at most half of its range
    assert predicted.mean == pytest.approx(expected.draws().mean(axis=(0, 1)), abs=5 * sum_of_row / 2 / np.sqrt(1000))
    pytest.importorskip("arviz")
    data = fit.to_arviz(predictions=True)
    observed = data["observed_data"]["y"]
    assert observed.dims == ("row", "outcome") and observed["outcome"].values.tolist() == outcomes
    assert observed.sel(outcome=outcomes[2]).values.tolist() == frame[outcomes[2]].tolist()
    assert data["log_likelihood"]["y"].dims == ("chain", "draw", "row") and data["log_likelihood"]["y"].shape == (2, 500, 40)
    assert data["posterior_predictive"]["y"].dims == ("chain", "draw", "row", "outcome")
    assert data["posterior_predictive"]["y"].sum("outcome").values == pytest.approx(np.full((2, 500, 40), sum_of_row))


def test_an_answer_is_about_the_chosen_response(tmp_path, program):
    """Would detect answers about the first response, and a choice that reaches one question only."""
    rows = np.arange(12)
    frame = {"y1": np.sin(rows) + 0.2 * rows, "n": (rows * 5) % 4, "x": rows % 7}
    with pytest.warns(bayes.BayesWarning):
        fit = bayes.fit("y1 ~ x; n ~ x", frame, "n = poisson", seed=5, progress=False, **FEW)
    for ask in [fit.fitted, fit.r2, lambda: fit.effects("x"), lambda: fit.contrasts("x"), lambda: fit.slopes("x")]:
        with pytest.raises(bayes.BayesInputError, match=r'choose one by `response="y1"`'):
            ask()
    with pytest.raises(bayes.BayesInputError, match="there is no response `y2`; the regression has y1, n"):
        fit.r2(response="y2")
    path, data = tmp_path / "two.run", tmp_path / "two.csv"
    fit.save(path)
    pandas.DataFrame(frame).to_csv(data, index=False)
    for response in ["y1", "n"]:
        of = ["--data", data, "--response", response]
        same_ten_digits(fit.fitted(response=response), program("fitted", path, *of))
        for answer, arguments in [
            (fit.effects("x", response=response), ["effects", path, *of, "--of", "x"]),
            (fit.contrasts("x", response=response), ["contrast", path, *of, "--of", "x"]),
            (fit.slopes("x", response=response), ["slope", path, *of, "--of", "x"]),
            (fit.r2(response=response), ["r2", path, *of]),
        ]:
            assert repr(answer) == program(*arguments).rstrip("\n")
    assert fit.fitted(response="n").draws().min() > 0 > fit.fitted(response="y1").draws().min()
