"""Fits in ArviZ."""

from __future__ import annotations

import numpy as np
import pytest

import bayes

arviz = pytest.importorskip("arviz")


def test_the_groups_of_a_fit_have_its_values(fitted, sleep):
    data = fitted.to_arviz()
    posterior = data["posterior"]
    assert posterior["b"].dims == ("chain", "draw", "b_element")
    assert posterior["r"].sel(r_element="Subject:335:Days").values.tolist() == fitted.draws("r[Subject:335:Days]").tolist()
    assert posterior["sigma"].values.tolist() == fitted.draws("sigma").tolist()
    statistics = data["sample_stats"]
    assert statistics["diverging"].dtype == bool and not statistics["diverging"].any()
    assert statistics["n_steps"].min() >= 1 and statistics["acceptance_rate"].mean() > 0.6
    assert statistics["lp"].shape == (4, 1000)
    assert data["observed_data"]["y"].values.tolist() == sleep["Reaction"].tolist()


def test_the_log_likelihood_is_that_of_the_draws(fitted, sleep):
    terms = fitted.to_arviz()["log_likelihood"]["y"]
    row = 17
    subject = sleep["Subject"][row]
    mean = fitted.draws("intercept") + fitted.draws(f"r[Subject:{subject}:Intercept]")
    mean = mean + sleep["Days"][row] * (fitted.draws("b[Days]") + fitted.draws(f"r[Subject:{subject}:Days]"))
    sigma = fitted.draws("sigma")
    wanted = -0.5 * ((sleep["Reaction"][row] - mean) / sigma) ** 2 - np.log(sigma) - 0.5 * np.log(2 * np.pi)
    assert terms.values[:, :, row] == pytest.approx(wanted, rel=1e-9)


def test_arviz_computes_what_the_library_computes(fitted):
    data = fitted.to_arviz()
    summary = fitted.summary()
    frame = arviz.summary(data, var_names=["b", "sigma"], round_to="none")
    row = frame.loc["b[Days]"]
    assert row["mean"] == pytest.approx(summary.row("b[Days]")["mean"], rel=1e-9)
    assert row["r_hat"] == pytest.approx(summary.row("b[Days]")["r_hat"], rel=1e-6)
    assert row["ess_bulk"] == pytest.approx(summary.row("b[Days]")["ess_bulk"], rel=1e-3)
    # the generalised Pareto distributions of both are fitted on their own, far within the Monte Carlo error
    assert arviz.loo(data).elpd_loo == pytest.approx(fitted.loo().elpd, abs=1e-3)


def test_islands_are_equal_draws_without_statistics_of_chains(islands):
    data = islands.to_arviz()
    assert data["posterior"]["sigma"].values.tolist() == islands.draws("sigma").tolist()
    assert "diverging" not in data["sample_stats"]


def test_a_fit_without_its_data_has_no_likelihood(fitted, tmp_path):
    fitted.save(tmp_path / "sleep.run")
    data = bayes.load(tmp_path / "sleep.run").to_arviz()
    assert "posterior" in data.groups() and "log_likelihood" not in data.groups()


def test_without_inference_data_it_is_a_tree(fitted, monkeypatch):
    """As from ArviZ 1.0 on."""
    wanted = fitted.to_arviz()
    monkeypatch.delattr(arviz, "InferenceData")
    tree = fitted.to_arviz()
    assert type(tree).__name__ == "DataTree" and set(tree.children) == set(wanted.groups())
    assert tree["posterior"]["b"].equals(wanted["posterior"]["b"])
