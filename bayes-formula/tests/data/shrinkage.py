"""Writes shrinkage.json: posteriors under the regularised horseshoe and R2D2, by importance sampling from the prior of the scales.

    python3 bayes-formula/tests/data/shrinkage.py        # with scipy

With known errors the coefficients are Gaussian given the scales: their means and the likelihood of the scales are exact.
"""

import json
import os

import numpy as np

random = np.random.default_rng(7)
ROWS, DRAWS = 24, 1_000_000
S = 0.8
x, z, w = np.round(random.normal(0, [[1.0], [3.0], [0.5]], (3, ROWS)), 3)
y = np.round(1.0 + 0.9 * x - 0.05 * z + random.normal(0, S, ROWS), 3)
columns = np.column_stack([x, z, w])
centred = columns - columns.mean(axis=0)
units = y.std(ddof=1) / columns.std(axis=0, ddof=1)
# the intercept at the means has the prior normal(0, 2) where the columns are centred
design = np.column_stack([np.ones(ROWS), centred])
precision, right = design.T @ design / S**2, design.T @ y / S**2

half_t = lambda df, size: np.abs(random.standard_t(df, size))


def horseshoe():
    scale_global, scale_slab, df_slab = 0.5, 2.0, 4.0
    tau = scale_global * half_t(1, (DRAWS, 1))
    local = half_t(1, (DRAWS, 3))
    slab = scale_slab**2 / random.gamma(df_slab / 2, 2 / df_slab, (DRAWS, 1))
    return np.sqrt(tau**2 * local**2 * slab / (slab + tau**2 * local**2))


def r2d2():
    mean, prec, cons = 0.4, 3.0, 0.5
    r2 = random.beta(mean * prec, (1 - mean) * prec, (DRAWS, 1))
    return np.sqrt(r2 * random.dirichlet([cons] * 3, DRAWS))


cases = []
for prior, scales in [("b ~ horseshoe(scale_global = 0.5)", horseshoe()), ("b ~ R2D2(mean_R2 = 0.4, prec_R2 = 3)", r2d2())]:
    sd = np.column_stack([np.full(DRAWS, 2.0), np.maximum(scales * units, 1e-9)])
    # standard coordinates: I + D A D is well conditioned
    inner = np.eye(4) + sd[:, :, None] * precision * sd[:, None, :]
    solved = np.linalg.solve(inner, (sd * right)[:, :, None])[:, :, 0]
    log_weights = 0.5 * ((sd * right) * solved).sum(axis=1) - 0.5 * np.linalg.slogdet(inner)[1]
    # the mean likelihood of the prior's draws
    constant = -0.5 * ROWS * np.log(2 * np.pi * S**2) - 0.5 * (y @ y) / S**2
    log_evidence = constant + log_weights.max() + np.log(np.exp(log_weights - log_weights.max()).mean())
    weights = np.exp(log_weights - log_weights.max())
    weights /= weights.sum()
    means = sd * solved
    variances = sd**2 * np.diagonal(np.linalg.inv(inner), axis1=1, axis2=2)
    mean = weights @ means
    spread = np.sqrt(weights @ (variances + (means - mean) ** 2))
    effective = 1 / (weights**2).sum()
    print(prior, mean, spread, effective, log_evidence)
    cases.append({
        "prior": prior, "names": ["b[0]", "b[1]", "b[2]"], "effective": int(effective), "log_evidence": round(float(log_evidence), 6),
        "mean": np.round(mean[1:], 6).tolist(), "sd": np.round(spread[1:], 6).tolist(),
        "columns": {"y": y.tolist(), "x": x.tolist(), "z": z.tolist(), "w": w.tolist(), "s": [S] * ROWS},
    })

with open(os.path.join(os.path.dirname(__file__), "shrinkage.json"), "w") as file:
    file.write("[\n" + ",\n".join(json.dumps(case) for case in cases) + "\n]\n")
