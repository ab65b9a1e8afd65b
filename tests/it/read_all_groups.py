"""Reads with ArviZ what `Run::to_arviz_with` wrote, and compares: `python3 read_all_groups.py RUN.zarr ELPD RELATIVE_EFFICIENCY`."""

import os
import sys
import tempfile

import arviz
import numpy
import xarray

folder, elpd, efficiency = sys.argv[1], float(sys.argv[2]), float(sys.argv[3])
tree = xarray.open_datatree(folder, engine="zarr")
data = arviz.InferenceData.from_datatree(tree)
assert set(data.groups()) == {
    "posterior",
    "sample_stats",
    "observed_data",
    "posterior_predictive",
    "log_likelihood",
    "prior",
    "prior_predictive",
}, data.groups()
places = ["Choate", "Deerfield", "Exeter"]
for group in ["observed_data", "posterior_predictive", "log_likelihood", "prior_predictive"]:
    assert list(data[group]["effect"].coords["school"].values) == places, group
assert data.posterior_predictive["ninth"].shape == data.posterior["mu"].shape
assert data.prior["theta"].shape == (1, 500, 3)
# one variable is one set of observations: those of both are taken together
for name in ["effect", "count"]:
    assert data.log_likelihood[name].shape[:2] == data.posterior["mu"].shape
both = numpy.concatenate([data.log_likelihood[name].values for name in ["effect", "count"]], axis=2)
data.log_likelihood["both"] = (("chain", "draw", "observation"), both)
loo = arviz.loo(data, var_name="both", reff=efficiency)
assert abs(loo.elpd_loo - elpd) < 1e-8, (loo.elpd_loo, elpd)
arviz.plot_ppc(data, data_pairs={"effect": "effect"}, num_pp_samples=20)
arviz.plot_dist_comparison(data, var_names=["mu"])
with tempfile.TemporaryDirectory() as folder:
    file = os.path.join(folder, "run.nc")
    tree.to_netcdf(file)
    back = arviz.from_netcdf(file)
    assert set(back.groups()) == set(data.groups())
    assert (back.posterior["theta"].values == data.posterior["theta"].values).all()
    assert list(back.posterior["theta"].coords["school"].values) == places
print(loo)
