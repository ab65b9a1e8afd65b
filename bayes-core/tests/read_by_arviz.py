"""Reads with ArviZ (0.23 or 1) and CmdStanPy what `Run::to_arviz`, `Run::to_csv` and `Run::to_cmdstan` wrote of one run, and compares:
`python3 read_by_arviz.py RUN.zarr RUN.csv RUN_1.csv RUN_2.csv ..`."""

import csv
import sys

import arviz
import cmdstanpy
import numpy
import xarray

folder, table, *files = sys.argv[1:]
is_old = arviz.__version__.startswith("0.")
if is_old:
    data = arviz.InferenceData.from_datatree(xarray.open_datatree(folder, engine="zarr"))
else:
    data = arviz.from_zarr(folder)
compared = 0
with open(table, newline="") as file:
    rows = list(csv.DictReader(file))
posterior = data.posterior if is_old else data.posterior.to_dataset()
chains, draws = posterior.sizes["chain"], posterior.sizes["draw"]
assert len(rows) == chains * draws, (len(rows), chains, draws)
for name, array in posterior.data_vars.items():
    values = array.values.reshape(chains * draws, -1)
    indices = list(numpy.ndindex(array.shape[2:]))
    for column, index in enumerate(indices):
        # the coordinates are the names of places, or indices
        places = [str(array[dim].values[k]) for dim, k in zip(array.dims[2:], index)]
        element = name if index == () else f"{name}[{','.join(places)}]"
        wanted = numpy.array([float(row[element]) for row in rows])
        assert (values[:, column] == wanted).all(), element
        compared += len(wanted)
assert posterior["beta"].sel(school="Chöate").shape[:2] == (chains, draws)
for name in ["lp", "acceptance_rate", "energy", "n_steps", "tree_depth", "diverging"]:
    assert data.sample_stats[name].shape == (chains, draws), name
stan = cmdstanpy.from_csv(files)
assert stan.chains == chains and stan.num_draws_sampling == draws
assert sum(stan.divergences) == data.sample_stats["diverging"].values.sum() > 0, stan.divergences
# ArviZ 1 reads the files through CmdStanPy
by_arviz = arviz.from_cmdstan(files) if is_old else arviz.from_cmdstanpy(stan)
assert (by_arviz.sample_stats["diverging"].values == data.sample_stats["diverging"].values).all()
for name, array in posterior.data_vars.items():
    own = array.values.reshape(chains * draws, *array.shape[2:])
    # CmdStanPy puts the draws of one chain after those of another
    assert (stan.stan_variable(name) == own).all(), name
    assert (by_arviz.posterior[name].values == array.values).all(), name
summary = arviz.summary(data)
assert summary.notna().all().all()
# the caller asks for this line: an empty script would succeed too
print(f"compared {compared} values")
