"""Draws of the program `bayes` against the posterior density of the model that Bambi builds, without Bambi's sampler.

    PYTENSOR_FLAGS=cxx=,mode=FAST_COMPILE python bayes-formula/tests/peer/scores.py target/release/bayes [NAME ...]

Let `v` be the unconstrained variables of Bambi's model, with its priors, and `g` the gradient of its log density. For draws of its posterior
the means of `g_k` are 0, and of `v_k g_k` -1 (Stein's identities, by partial integration). Both are sharp where a prior, a link, a
parametrisation or a likelihood differs, and have only the Monte Carlo error of the draws of `bayes`. A line for each regression is added to
`scores.jsonl`: how many variables, and the largest of both means in their errors.
"""

import json
import os
import sys
import tempfile
import time
import traceback
from pathlib import Path

import numpy as np

import fifty
from cases import CASES

RESULTS = Path(__file__).parent / "scores.jsonl"
KEPT = 400


def model_of(case, table):
    """Bambi's model as a model of PyMC, not sampled."""
    import bambi as bmb

    class Built(Exception):
        pass

    def build(self, **_):
        self.build()
        raise Built(self.backend.model)

    fit, bmb.Model.fit = bmb.Model.fit, build
    try:
        fifty.by_bambi(case, table, 1)
    except Built as built:
        return built.args[0]
    finally:
        bmb.Model.fit = fit
    raise RuntimeError("Bambi built no model")


def of_bayes(ours, name):
    """Draws of a quantity of `bayes`; intercepts where all columns are at their means, and standard values of groups."""
    if name == "intercept":
        return ours["intercept_at_means"]
    if name.startswith("intercepts["):
        return ours[name.replace("intercepts[", "intercepts_at_means[")]
    return ours[name]


def values(model, case, ours):
    """The unconstrained variables of Bambi's model at the draws of `bayes`, `[draws, ...]` by name."""
    names = {theirs: name for name, theirs in fifty.FAMILIES[case["family"]][2].items()}
    found = {}
    for variable in model.free_RVs:
        plain = variable.name.removesuffix("_offset")
        dims = list(model.named_vars_to_dims.get(variable.name, ()) or ())
        shape = [len(model.coords[d]) for d in dims]
        draws = np.empty((KEPT, *shape))
        for index in np.ndindex(*shape):
            levels = {d: str(model.coords[d][i]) for d, i in zip(dims, index)}
            name, sign = fifty.name_of(plain, levels, index, case, names)
            column = of_bayes(ours, name).reshape(-1)
            if variable.name.endswith("_offset"):
                sd = fifty.name_of(f"{plain}_sigma", {}, (), case, names)[0]
                column = column / ours[sd].reshape(-1)
            kept = column[np.linspace(0, len(column) - 1, KEPT).astype(int)]
            draws[(slice(None), *index)] = 1 - kept if sign == "share" else sign * kept
        transform = model.rvs_to_transforms[variable]
        value = model.rvs_to_values[variable]
        if transform is not None:
            draws = forward(transform, draws)
        found[value.name] = draws
    return found


def forward(transform, draws):
    """Unconstrained values by the transform's kind: logarithms, log odds, and ordered values."""
    kind = type(transform).__name__
    if kind == "LogTransform":
        return np.log(draws)
    if kind == "LogOddsTransform":
        return np.log(draws) - np.log1p(-draws)
    if kind == "Ordered":
        return np.concatenate([draws[:, :1], np.log(np.diff(draws))], axis=1)
    raise RuntimeError(f"a transform {kind}")


def standardised(draws, wanted):
    """The mean of each column less what is wanted, in its Monte Carlo errors; thinned draws are nearly independent."""
    import arviz as az

    flat = draws.reshape(KEPT, -1)
    out = []
    for column in flat.T:
        effective = min(KEPT, float(np.ravel(az.ess(column.reshape(4, -1), method="mean"))[0]))
        out.append((column.mean() - wanted) / (column.std() / np.sqrt(effective)))
    return np.array(out)


def one(program, name, case):
    table = fifty.table_of(case)
    with tempfile.TemporaryDirectory() as folder:
        table.to_csv(Path(folder) / "data.csv", index=False)
        ours, wall, processor, warnings = fifty.by_bayes(program, case, Path(folder), 1)
    model = model_of(case, table)
    points = values(model, case, ours)
    gradient = model.compile_dlogp()
    order = [v.name for v in model.value_vars]
    slopes = np.array([gradient({k: v[i] for k, v in points.items()}) for i in range(KEPT)])
    flat = np.concatenate([points[k].reshape(KEPT, -1) for k in order], axis=1)
    first, second = standardised(slopes, 0.0), standardised(flat * slopes, -1.0)
    labels = [f"{k}[{j}]" for k in order for j in range(points[k].reshape(KEPT, -1).shape[1])]
    line = {"name": name, "family": case["family"], "variables": len(labels), "mean": float(np.abs(first).max()), "second": float(np.abs(second).max())}
    line["where"] = [labels[int(np.abs(first).argmax())], labels[int(np.abs(second).argmax())]]
    line["bayes_seconds"], line["warnings"] = [wall, processor], [" ".join(w.split())[:100] for w in warnings]
    return line


def main():
    program, *names = sys.argv[1:]
    done = {json.loads(line)["name"] for line in RESULTS.read_text().splitlines()} if RESULTS.exists() and not names else set()
    for name, case in CASES.items():
        if name in done or names and name not in names or "gp(" in case["formula"]:
            continue
        child = os.fork()
        if child:
            os.waitpid(child, 0)
            continue
        start = time.time()
        try:
            line = one(program, name, case)
            with RESULTS.open("a") as file:
                file.write(json.dumps(fifty.rounded(line)) + "\n")
            print(name, line["variables"], f"{line['mean']:.1f} {line['second']:.1f}", line["where"], f"{time.time() - start:.0f} s", flush=True)
        except Exception:
            print(f"{name}: FAILED {traceback.format_exc()[-900:]}", flush=True)
        os._exit(0)


if __name__ == "__main__":
    import bambi  # noqa: F401  before the forks

    main()
