"""Fits are those of the program `bayes` on the same file, to the bit."""

from __future__ import annotations

import pandas
import pytest
from conftest import FEW, csv, table

import bayes

SLOPES = "Reaction ~ Days + (1 + Days | Subject)"


def options(settings: dict) -> list[str]:
    return [text for name, value in settings.items() for text in (f"--{name.replace('_', '-')}", str(value))]


def plain(text: str) -> list[str]:
    """The lines before the warnings, but those whose advice has other words in Python."""
    return [line for line in text.partition("\nwarning")[0].splitlines() if "`" not in line and line]


@pytest.mark.filterwarnings("ignore::bayes.BayesWarning")
@pytest.mark.parametrize(
    ("name", "formula", "family", "engine", "settings"),
    [
        ("sleepstudy", SLOPES, "gaussian", "nuts", FEW),
        ("sleepstudy", "Reaction ~ .", "student", "psmc", {"islands": 2, "particles": 32}),
        ("sleepstudy", "Reaction ~ Days", "gaussian", "nested", {"islands": 2, "particles": 64}),
        ("birthwt", "low ~ scale(age) + factor(race) + smoke", "bernoulli", "nuts", FEW),
        ("quine", "Days ~ Eth + Sex + Age", "negative-binomial", "nuts", FEW),
        ("cbpp", "incidence | trials(size) ~ factor(period) + (1 | herd)", "binomial", "smc", {"particles": 32}),
    ],
)
def test_a_saved_fit_has_the_bytes_of_the_program(tmp_path, program, name, formula, family, engine, settings):
    said = ["--data", csv(name), "--family", family, "--engine", engine, "--seed", 7, "--out", tmp_path / "program.run"]
    printed = program("fit", formula, *said, *options(settings))
    fit = bayes.fit(formula, table(name), family, engine=engine, seed=7, **settings)
    fit.save(tmp_path / "python.run")
    assert (tmp_path / "python.run").read_bytes() == (tmp_path / "program.run").read_bytes()
    assert plain(repr(fit)) == plain(printed) and len(plain(printed)) > 5


def test_predictions_and_loo_are_those_of_the_program(tmp_path, program, fitted):
    path = tmp_path / "sleep.run"
    fitted.save(path)
    new = tmp_path / "new.csv"
    new.write_text("Days,Subject\n3,308\n12,335\n")
    predicted = fitted.predict(pandas.read_csv(new))
    program("predict", path, "--data", new, "--out", tmp_path / "predicted.csv")
    wanted = pandas.read_csv(tmp_path / "predicted.csv")
    assert wanted.columns.tolist() == ["row", "observed", *predicted.columns]
    for column in predicted.columns:
        # the program writes ten significant digits
        assert predicted[column].tolist() == pytest.approx(wanted[column].tolist(), rel=1e-9)
    assert plain(repr(fitted.loo())) == plain(program("loo", path, "--data", csv("sleepstudy")))
    folds = program("loo", path, "--data", csv("sleepstudy"), "--folds", "2")
    assert plain(repr(fitted.loo(folds=2))) == plain(folds) and "k-fold" in folds
    assert plain(fitted.explain()) == plain(program("explain", path, "--data", csv("sleepstudy")))


def test_priors_are_those_of_the_program(program, sleep):
    given = {"b": "normal(0, 5)", "sd[Subject:Days]": "exponential(1)", "cor": "lkj(2)"}
    lines = [f"{name} ~ {prior}" for name, prior in given.items()]
    options = [text for line in lines for text in ("--prior", line)]
    wanted = program("priors", SLOPES, "--data", csv("sleepstudy"), *options)
    assert bayes.priors(SLOPES, sleep, priors=given) == wanted
    assert bayes.priors(SLOPES, sleep, priors=lines) == wanted
    assert "b[Days]" in wanted and "normal(0, 5)" in wanted and "lkj(2)" in wanted


def test_a_fit_of_the_program_is_loaded(tmp_path, program, sleep):
    path = tmp_path / "sleep.run"
    program("fit", "Reaction ~ Days", "--data", csv("sleepstudy"), "--out", path, *options(FEW))
    fit = bayes.load(path, sleep)
    assert fit.title == "Reaction ~ Days, gaussian, 180 rows"
    assert plain(repr(fit.loo())) == plain(program("loo", path, "--data", csv("sleepstudy")))
    with pytest.raises(bayes.BayesInputError, match=r"`loo` needs the data of the fit: `bayes\.load\(path, frame\)`"):
        bayes.load(path).loo()
