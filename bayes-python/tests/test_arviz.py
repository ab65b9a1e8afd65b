"""Fits in ArviZ."""

from __future__ import annotations

import warnings

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
    assert row["sd"] == pytest.approx(summary.row("b[Days]")["sd"], rel=1e-9)
    assert row["r_hat"] == pytest.approx(summary.row("b[Days]")["r_hat"], rel=1e-6)
    assert row["ess_bulk"] == pytest.approx(summary.row("b[Days]")["ess_bulk"], rel=1e-3)
    # the generalised Pareto distributions of both are fitted on their own, far within the Monte Carlo error; from ArviZ 1 on to one draw less
    found = loo(data)
    assert elpd(found) == pytest.approx(fitted.loo().elpd, abs=1e-3 if IS_OLD else 0.1)


IS_OLD = arviz.__version__.startswith("0.")


def loo(data, **more):
    with warnings.catch_warnings():
        # of k-hat, which the library has too
        warnings.simplefilter("ignore", UserWarning)
        return arviz.loo(data, **more)


def elpd(found):
    return found.elpd_loo if IS_OLD else found.elpd


def test_arviz_compares_fits_as_the_library_does(fitted, sleep):
    lines = bayes.fit("Reaction ~ Days", sleep, seed=3)
    ours = {name: fit.loo() for name, fit in (("varying", fitted), ("lines", lines))}
    found = {name: loo(fit.to_arviz(), pointwise=True) for name, fit in (("varying", fitted), ("lines", lines))}
    theirs = arviz.compare(found, **({} if IS_OLD else {"round_to": "none"}))
    assert theirs.index.tolist() == ["varying", "lines"]
    name = next(name for name in theirs.columns if name in ("elpd_diff", "elpd_loo_diff"))
    apart = ours["varying"].elpd - ours["lines"].elpd
    assert abs(theirs.loc["lines", name]) == pytest.approx(apart, abs=0.1)


def test_arviz_plots_traces_ranks_and_predictive_checks(fitted):
    pyplot = pytest.importorskip("matplotlib.pyplot")
    data = fitted.to_arviz(predictions=True)
    predicted = data["posterior_predictive"]["y"]
    assert predicted.dims == ("chain", "draw", "row") and predicted.shape == (4, 1000, 180)
    # new responses have the noise of the model
    residuals = predicted.values - fitted.fitted().draws()
    assert residuals.std() == pytest.approx(fitted.draws("sigma").mean(), rel=0.02)
    arviz.plot_trace(data, var_names=["b", "sigma"])
    arviz.plot_rank(data, var_names=["b", "sigma"])
    arviz.plot_energy(data)
    if IS_OLD:
        arviz.plot_ppc(data, num_pp_samples=20)
    else:
        arviz.plot_ppc_dist(data, num_samples=20)
        arviz.plot_forest(data, var_names=["sd"])
    assert pyplot.get_fignums()
    pyplot.close("all")


def test_files_of_arviz_have_the_same_values(fitted, tmp_path):
    pytest.importorskip("h5netcdf")
    data = fitted.to_arviz()
    data.to_netcdf(tmp_path / "sleep.nc")
    back = arviz.from_netcdf(tmp_path / "sleep.nc")
    for group, name in (("posterior", "r"), ("log_likelihood", "y"), ("sample_stats", "energy")):
        assert back[group][name].values.tolist() == data[group][name].values.tolist()
    assert back["posterior"].attrs["inference_library"] == "bayes"
    back.close()


def test_the_evidence_is_in_the_attributes(islands):
    attributes = islands.to_arviz()["posterior"].attrs
    assert attributes["log_evidence"] == islands.log_evidence and attributes["engine"] == "psmc"
    assert attributes["log_evidence_se"] == islands.log_evidence_se


def test_islands_are_equal_draws_without_statistics_of_chains(islands):
    data = islands.to_arviz()
    assert data["posterior"]["sigma"].values.tolist() == islands.draws("sigma").tolist()
    assert "diverging" not in data["sample_stats"]


def test_a_fit_without_its_data_has_no_likelihood(fitted, tmp_path):
    fitted.save(tmp_path / "sleep.run")
    fit = bayes.load(tmp_path / "sleep.run")
    data = fit.to_arviz()
    assert "posterior" in groups(data) and "log_likelihood" not in groups(data)
    with pytest.raises(bayes.BayesInputError, match="to_arviz"):
        fit.to_arviz(predictions=True)


def groups(data):
    """The names of the groups."""
    return set(data.groups()) if IS_OLD else set(data.children)


def test_from_arviz_1_on_it_is_a_tree(fitted, monkeypatch):
    """ArviZ 1 has the name `InferenceData` too, for a tree, with a warning."""
    wanted = fitted.to_arviz()
    monkeypatch.setattr(arviz, "__version__", "1.3.0")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        tree = fitted.to_arviz()
    assert type(tree).__name__ == "DataTree" and set(tree.children) == groups(wanted)
    assert tree["posterior"]["b"].equals(wanted["posterior"]["b"])
    assert IS_OLD or type(wanted).__name__ == "DataTree"
