"""Writes comparison.json: leave-one-out cross-validation and comparison of models by ArviZ on fixed log likelihoods.

    pip install arviz==0.23.4
    cd bayes-run/tests/data/comparison && python3 comparison.py

ArviZ's defaults: scale "log"; the tail of PSIS has min(S/5, 3 sqrt(S/reff)) draws; k-hat has the weak prior of Vehtari et al.
(2024); variances over observations divide by n.
"""

import json

import arviz as az
import numpy as np
from arviz.stats.stats import _gpdfit

rng = np.random.default_rng(8)
CHAINS, DRAWS, N = 4, 50, 10


def normal(y, mean, sd):
    return -0.5 * ((y - mean) / sd) ** 2 - np.log(sd) - 0.5 * np.log(2 * np.pi)


x = np.linspace(-1, 1, N)
y = np.round(0.5 + x + rng.normal(size=N), 5)
y[7] += 4.0  # an outlier, with a large k-hat


def model(design, seed):
    """Draws of a conjugate linear regression with sd 1 and their log likelihoods, [chains, draws, observations]."""
    rng = np.random.default_rng(seed)
    precision = design.T @ design + np.eye(design.shape[1]) / 4
    mean = np.linalg.solve(precision, design.T @ y)
    beta = rng.multivariate_normal(mean, np.linalg.inv(precision), size=(CHAINS, DRAWS))
    fitted = beta @ design.T
    # few digits keep the file small
    return tuple(np.round(a, 5) for a in (beta, normal(y, fitted, 1.0), fitted + rng.normal(size=fitted.shape)))


designs = {
    "constant": np.ones((N, 1)),
    "line": np.stack([np.ones(N), x], axis=1),
    "cubic": np.stack([x**k for k in range(4)], axis=1),
}
models = {}
loos, waics, idatas = {}, {}, {}
for seed, (name, design) in enumerate(designs.items()):
    beta, log_likelihood, predicted = model(design, seed)
    idata = az.from_dict(
        posterior={"beta": beta},
        log_likelihood={"y": log_likelihood},
        posterior_predictive={"y": predicted},
        observed_data={"y": y},
    )
    idatas[name] = idata
    loo = az.loo(idata, pointwise=True)
    waic = az.waic(idata, pointwise=True)
    loos[name], waics[name] = loo, waic
    reff = float((az.ess(idata, method="mean")["beta"] / (CHAINS * DRAWS)).mean())
    log_weights, _ = az.psislw(-idata.log_likelihood["y"].stack(__sample__=("chain", "draw")), reff)
    models[name] = {
        "first_coefficient": beta[:, :, 0].tolist(),
        "log_likelihood": log_likelihood.reshape(CHAINS * DRAWS, N).tolist(),
        "predicted": predicted.reshape(CHAINS * DRAWS, N).tolist(),
        "reff": reff,
        "elpd_loo": float(loo.elpd_loo),
        "se_loo": float(loo.se),
        "p_loo": float(loo.p_loo),
        "loo_i": loo.loo_i.values.tolist(),
        "pareto_k": loo.pareto_k.values.tolist(),
        "good_k": float(loo.good_k),
        "log_weights_7": log_weights.values[7].tolist(),
        "elpd_waic": float(waic.elpd_waic),
        "se_waic": float(waic.se),
        "p_waic": float(waic.p_waic),
        "waic_i": waic.waic_i.values.tolist(),
        "loo_pit": az.loo_pit(
            y=y, y_hat=predicted.reshape(CHAINS * DRAWS, N).T, log_weights=log_weights.values
        ).tolist(),
    }

stacking = az.compare(loos, method="stacking")
pseudo = az.compare(loos, method="pseudo-BMA")
bootstrap = az.compare(loos, method="BB-pseudo-BMA", b_samples=400000, seed=1)
table = {
    name: {
        "rank": int(stacking.loc[name, "rank"]),
        "elpd_diff": float(stacking.loc[name, "elpd_diff"]),
        "dse": float(stacking.loc[name, "dse"]),
        "stacking": float(stacking.loc[name, "weight"]),
        "pseudo_bma": float(pseudo.loc[name, "weight"]),
        "pseudo_bma_plus": float(bootstrap.loc[name, "weight"]),
    }
    for name in designs
}
excess = np.sort(rng.pareto(2.0, size=40))
result = {
    "y": y.tolist(),
    "chains": CHAINS,
    "models": models,
    "comparison": table,
    "gpd": {"excess": excess.tolist(), "fit": [float(v) for v in _gpdfit(excess)]},
}

with open("comparison.json", "w") as file:
    json.dump(result, file)
    file.write("\n")
print(stacking)
