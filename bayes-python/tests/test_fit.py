"""What one asks of a fit, against independent computations."""

from __future__ import annotations

import json

import numpy as np
import pandas
import polars
import pytest
from conftest import FEW, table

import bayes


def test_a_summary_is_that_of_the_draws(fitted):
    summary = fitted.summary()
    draws = fitted.draws("b[Days]")
    assert draws.shape == (4, 1000)
    row = summary.row("b[Days]")
    assert row["mean"] == pytest.approx(draws.mean(), rel=1e-12)
    assert row["sd"] == pytest.approx(draws.std(ddof=1), rel=1e-3)
    assert row["5%"] == pytest.approx(np.quantile(draws, 0.05), rel=0.01)
    assert row["r_hat"] == pytest.approx(1, abs=0.02)
    assert summary.columns == ["mean", "mcse", "sd", "5%", "50%", "95%", "ess_bulk", "ess_tail", "r_hat"]
    assert summary["mean"][summary.names.index("b[Days]")] == row["mean"]
    # coordinates of the sampler are not shown unless they are asked for
    assert "intercept" in summary.names and not any(name.startswith("z[") for name in summary)
    assert len(fitted.summary("z")) == len(fitted.elements("z"))
    assert fitted.summary("sigma", "b[Days]").names == ["sigma", "b[Days]"]


def test_a_summary_prints_in_sessions_and_notebooks(fitted):
    summary = fitted.summary()
    lines = repr(summary).splitlines()
    assert lines[0].split() == summary.columns
    assert lines[1].split()[:2] == ["b[Days]", f"{summary['mean'][0]:.3f}"]
    page = summary._repr_html_()
    assert page.count("<tr>") == 1 + len(summary) and "<th style='text-align:left'>b[Days]</th>" in page
    frame = pandas.DataFrame(summary.to_dict()).set_index("name")
    assert frame.loc["sigma", "mean"] == summary.row("sigma")["mean"]
    json.dumps(summary.to_dict())
    assert "sleep" not in page and "gaussian, 180 rows" in fitted._repr_html_()


def test_draws_have_the_shapes_and_names_of_their_quantities(fitted):
    assert fitted.draws("b").shape == (4, 1000, 1) and fitted.elements("b") == ["b[Days]"]
    assert fitted.draws("r").shape == (4, 1000, 36) and len(fitted.elements("r")) == 36
    assert fitted.draws("sigma").shape == (4, 1000) and fitted.elements("sigma") == ["sigma"]
    effect = fitted.draws("r[Subject:335:Days]")
    place = fitted.elements("r").index("r[Subject:335:Days]")
    assert np.array_equal(effect, fitted.draws("r")[:, :, place])
    # they may be changed without any effect on the fit
    effect[:] = 0
    assert not np.array_equal(effect, fitted.draws("r[Subject:335:Days]"))


def test_the_posterior_is_that_of_least_squares():
    """With flat priors the posterior of coefficients is a Student t around the estimates of least squares."""
    rng = np.random.default_rng(8)
    x = np.column_stack([np.ones(200), rng.normal(size=(200, 2))])
    y = x @ [1.0, 2.0, -3.0] + rng.normal(size=200)
    fit = bayes.fit(
        "y ~ a + b", {"y": y, "a": x[:, 1], "b": x[:, 2]}, priors={"b": "normal(0, 1000)", "intercept": "normal(0, 1000)"}
    )
    estimates, residuals, *_ = np.linalg.lstsq(x, y, rcond=None)
    errors = np.sqrt(np.diag(np.linalg.inv(x.T @ x)) * residuals / 197)
    for name, estimate, error in zip(["intercept", "b[a]", "b[b]"], estimates, errors):
        row = fit.summary().row(name)
        assert abs(row["mean"] - estimate) < 4 * row["mcse"]
        assert row["sd"] == pytest.approx(error, rel=0.1)
    assert fit.warnings == [] and "no warnings" in repr(fit)


def test_chains_have_no_evidence(fitted):
    assert fitted.log_evidence is None and fitted.log_evidence_se is None and fitted.log_evidence_interval is None
    values, weights = fitted.weighted_draws("sigma")
    assert np.array_equal(values[:, 0], fitted.draws("sigma").ravel()) and np.allclose(weights, 1 / 4000)


def test_the_evidence_of_a_regression_is_its_integral():
    """Given sigma, the responses are normal: the evidence is an integral over sigma alone, here by a sum."""
    y, x = np.array([0.3, 1.9, 2.2, 4.1, 4.4, 6.3]), np.arange(6.0)
    priors = {"b": "normal(0, 2)", "intercept": "normal(0, 3)", "sigma": "exponential(1)"}
    fit = bayes.fit("y ~ x", {"y": y, "x": x}, priors=priors, engine="psmc", islands=8, particles=512, seed=4)
    design = np.column_stack([np.ones(6), x - x.mean()])
    of_effects = design @ np.diag([9.0, 4.0]) @ design.T
    sigma = np.linspace(1e-3, 12, 20_000)
    log_terms = []
    for s in sigma:
        covariance = of_effects + s**2 * np.eye(6)
        _, log_determinant = np.linalg.slogdet(2 * np.pi * covariance)
        log_terms.append(-0.5 * (log_determinant + y @ np.linalg.solve(covariance, y)) - s)
    wanted = np.log(np.trapezoid(np.exp(log_terms), sigma))
    assert abs(fit.log_evidence - wanted) < 4 * fit.log_evidence_se < 0.2
    low, high = fit.log_evidence_interval
    assert low < fit.log_evidence < high
    assert f"{fit.log_evidence:.2f}" in repr(fit)


def test_draws_of_islands_are_resampled_by_their_weights(islands):
    values, weights = islands.weighted_draws("b[Days]".partition("[")[0])
    assert weights.sum() == pytest.approx(1) and len(np.unique(weights)) > 1
    equal = islands.draws("b[Days]")
    assert equal.shape[0] == 4
    mean = weights @ values[:, 0]
    assert islands.summary().row("b[Days]")["mean"] == pytest.approx(mean, rel=1e-9)
    spread = np.sqrt(weights @ (values[:, 0] - mean) ** 2)
    assert abs(equal.mean() - mean) < 0.02 * spread


def test_predictions_have_the_noise_of_new_data(fitted):
    new = {"Days": [0.0, 5.0], "Subject": [335, 308]}
    predicted = fitted.predict(new)
    drawn = predicted.draws()
    assert drawn.shape == (4, 1000, 2)
    assert predicted["mean"] == pytest.approx(drawn.mean(axis=(0, 1)), rel=1e-12)
    assert predicted.quantile(0.95) == pytest.approx(np.quantile(drawn, 0.95, axis=(0, 1)), rel=0.01)
    line = fitted.draws("intercept") + 5 * fitted.draws("b[Days]")
    line = line + fitted.draws("r[Subject:308:Intercept]") + 5 * fitted.draws("r[Subject:308:Days]")
    noise = fitted.draws("sigma")
    assert abs(drawn[:, :, 1].mean() - line.mean()) < 5 * noise.mean() / np.sqrt(4000)
    assert drawn[:, :, 1].var() == pytest.approx(line.var() + (noise**2).mean(), rel=0.1)
    assert predicted.names == ["0", "1"] and predicted.columns == ["mean", "mcse", "sd", "q5", "q25", "q50", "q75", "q95"]


@pytest.mark.filterwarnings("ignore::bayes.BayesWarning")
@pytest.mark.parametrize("make", [dict, pandas.DataFrame, polars.DataFrame])
def test_rows_without_any_column_of_the_formula_are_predicted(make):
    fit = bayes.fit("y ~ 1", {"y": [1.0, 2.0, 4.0, 3.0]}, **FEW)
    assert fit.predict(make({"other": [1, 2, 3]})).draws().shape == (2, 60, 3)


def test_new_groups_are_drawn_from_their_prior(fitted):
    new = {"Days": [5.0, 5.0], "Subject": [308, 9999]}
    with pytest.raises(bayes.BayesInputError, match="9999"):
        fitted.predict(new)
    drawn = fitted.predict(new, new_groups=True).draws()
    assert drawn[:, :, 1].std() > 1.3 * drawn[:, :, 0].std()


def test_loo_is_that_of_the_pointwise_terms(fitted):
    loo = fitted.loo()
    assert loo.pointwise.shape == loo.pareto_k.shape == (180,)
    assert loo.elpd == pytest.approx(loo.pointwise.sum(), rel=1e-12)
    assert loo.se == pytest.approx(np.sqrt(180 * loo.pointwise.var()), rel=1e-9)
    assert 20 < loo.effective_parameters < 45 and 0.5 < loo.good_k < 1


def test_rows_are_left_out_in_one_way_at_a_time(fitted):
    with pytest.raises(bayes.BayesInputError, match="give one of them"):
        fitted.loo(refit=True, folds=2)
    for folds in (0, 1, True, 2.5):
        with pytest.raises(bayes.BayesInputError, match="`folds` is .*; it must be a whole number from 2 on"):
            fitted.loo(folds=folds)


def test_groups_of_a_row_each_are_told_before_the_fit():
    frame = {"y": [0.1, 1.3, 0.4, 2.0, 1.1, 0.7], "id": list("abcdef")}
    with pytest.warns(bayes.BayesWarning, match=r"`\(1 \| id\)` has a single row in all of its 6 groups"):
        bayes.priors("y ~ 1 + (1 | id)", frame)


def test_models_are_compared_by_their_predictions(fitted, islands):
    found = bayes.compare({"pooled": islands, "slopes": fitted.loo()})
    assert found.names == ["slopes", "pooled"]
    best, other = fitted.loo(), islands.loo()
    assert found["difference"].tolist() == pytest.approx([0, best.elpd - other.elpd])
    spread = (best.pointwise - other.pointwise).var()
    assert found["difference_se"][1] == pytest.approx(np.sqrt(180 * spread))
    assert found.row("pooled")["log_evidence"] == pytest.approx(islands.log_evidence)
    assert np.isnan(found.row("slopes")["log_evidence"])
    assert "slopes" in repr(found) and "<table>" in found._repr_html_()


def test_a_saved_fit_is_loaded_whole(fitted, tmp_path, sleep):
    fitted.save(tmp_path / "sleep.run")
    loaded = bayes.load(tmp_path / "sleep.run")
    assert repr(loaded) == repr(fitted) and np.array_equal(loaded.draws("r"), fitted.draws("r"))
    new = {"Days": [3], "Subject": [308]}
    assert loaded.predict(new).to_dict() == fitted.predict(new).to_dict()
    with_data = bayes.load(tmp_path / "sleep.run", sleep)
    assert repr(with_data.loo()) == repr(fitted.loo()) and with_data.priors == fitted.priors


def test_a_report_is_a_page(fitted, tmp_path):
    path = tmp_path / "report.html"
    fitted.report(path)
    page = path.read_text()
    assert page.lstrip().lower().startswith("<!doctype html") and "b[Days]" in page and "<svg" in page


def test_what_speaks_against_a_fit_is_warned_of():
    with pytest.warns(bayes.BayesWarning) as seen:
        fit = bayes.fit("Reaction ~ Days", table("sleepstudy"), **{**FEW, "draws": 4})
    assert sorted(str(warning.message) for warning in seen) == sorted(fit.warnings)
    assert fit.warnings and fit.warnings[0].split()[0] in repr(fit)


def test_advice_is_in_the_words_of_python():
    """A funnel, in which trajectories diverge."""
    with pytest.warns(bayes.BayesWarning, match="diverged") as seen:
        bayes.fit("Reaction ~ Days + (1 + Days | Subject)", table("sleepstudy"), seed=1)
    text = " ".join(str(warning.message) for warning in seen)
    assert "`target_acceptance=0.95`" in text and 'engine="tempering"' in text
    assert "::" not in text and "`." not in text


def test_links_weights_and_other_parameters(sleep):
    """What formulas have beside terms reaches the library: another link, a second linear predictor, weights with their warning."""
    with pytest.raises(bayes.BayesInputError, match="there is no link `probt`"):
        bayes.priors("Reaction ~ Days", sleep, link="probt")
    assert "b[sigma:Days]" in bayes.priors("Reaction ~ Days; sigma ~ Days", sleep)
    with pytest.warns(bayes.BayesWarning, match="no whole numbers"):
        bayes.priors("Reaction | weights(w) ~ Days", sleep.assign(w=0.5))


@pytest.mark.filterwarnings("ignore::bayes.BayesWarning")
def test_an_update_keeps_what_is_not_changed(sleep):
    first = bayes.fit(
        "Reaction ~ . - Subject", sleep[["Reaction", "Days", "Subject"]], priors={"b": "normal(0, 9)"}, family="student", seed=4, target_acceptance=0.7, **FEW
    )
    again = first.update()
    assert np.array_equal(again.draws("b"), first.draws("b")) and again.priors == first.priors
    # from a file, to half of the rows
    half = first.update(sleep[:90].assign(other=1.5))
    assert half.rows == list(range(90)) and "b[Days]   ~ normal(0, 9)" in half.priors and half.draws("b").shape == (2, 60, 1)
    other = first.update(family="gaussian", formula="Reaction ~ 1", default_priors=True, engine="psmc", islands=2, particles=32)
    assert other.log_evidence is not None and "gaussian" in other.title and other.seed == 4
    with pytest.raises(bayes.BayesInputError, match="no setting"):
        first.update(particles=32)
    for formula, which in {"Reaction ~ Days + other": "the column `other`", "Reaction ~ .": "all columns"}.items():
        with pytest.raises(bayes.BayesInputError, match=f"give the frame: the new formula reads {which}"):
            first.update(formula=formula)
    with pytest.raises(bayes.BayesInputError, match="give the frame: .* `drop_missing`"):
        first.update(drop_missing=True)
