"""Writes sensitivity.json: power-scaling sensitivities of fixed draws by ArviZ.

    pip install arviz==0.23.4 arviz-stats==0.8.0
    cd bayes-run/tests/data/diagnostics && python3 sensitivity.py

The weights are those of `arviz.psislw`, the distances and their slopes those of arviz-stats (`_cjs_dist`, `_power_scale_sense`). `psense` is
the result of arviz-stats alone. It differs by 1e-4, because arviz-stats flattens the chains before it takes the effective size of the tails (0.8.0,
`_power_scale_lw`): 80 instead of 79 of the largest weights are smoothed. Of one chain, laid end to end, both are the same.
"""

import json
import warnings

import arviz as az
import arviz_base
import arviz_stats
import numpy as np
from arviz_stats.base import array_stats
from scipy import stats

warnings.simplefilter("ignore")
rng = np.random.default_rng(3)
CHAINS, DRAWS = 4, 100
ALPHAS = (0.99, 1.01)

noise = rng.normal(size=(3, CHAINS, DRAWS))
for t in range(1, DRAWS):
    noise[:, :, t] = 0.6 * noise[:, :, t - 1] + 0.8 * noise[:, :, t]
# the data pull `mu` to 4 and leave `tau` to its prior; nothing pulls at `free`
mu, tau, free = np.round(2.0 + 0.7 * noise[0], 4), np.round(np.exp(noise[1]), 4), np.round(noise[2], 4)
log_prior = np.round(stats.norm.logpdf(mu, 0, 1) + stats.halfcauchy.logpdf(tau), 6)
log_likelihood = np.round(stats.norm.logpdf(4.0, mu, 1) + 0.01 * tau, 6)
elements = {"mu": mu, "tau": tau, "free": free}


def weights(term):
    reff = array_stats._ess_tail(term, prob=0.05, relative=True)
    both = [az.psislw((alpha - 1) * term.ravel(), reff=reff) for alpha in ALPHAS]
    return [np.exp(lw) for lw, _ in both], [float(k) for _, k in both]


def slope(values, scaled):
    return array_stats._power_scale_sense(values, *scaled, *ALPHAS)


(prior, prior_k), (likelihood, likelihood_k) = weights(log_prior), weights(log_likelihood)
data = arviz_base.from_dict(
    {
        "posterior": elements,
        "log_prior": {"prior": log_prior},
        "log_likelihood": {"likelihood": log_likelihood},
    }
)
both = [arviz_stats.psense(data, group=group) for group in ("prior", "likelihood")]
even = np.full(CHAINS * DRAWS, 1.0)
document = {
    "draws": np.stack(list(elements.values()), axis=-1).tolist(),
    "log_prior": log_prior.tolist(),
    "log_likelihood": log_likelihood.tolist(),
    "prior_k": max(prior_k),
    "likelihood_k": max(likelihood_k),
    "slopes": [[slope(x, prior), slope(x, likelihood)] for x in elements.values()],
    "psense": [[float(one[name]) for one in both] for name in elements],
    # of `mu` under even weights and those of a posterior that weighs its own size
    "distance": max(array_stats._cjs_dist(s * mu.ravel(), np.exp(mu.ravel())) for s in (1, -1)),
}
with open("sensitivity.json", "w") as file:
    json.dump(document, file, separators=(",", ":"))
    file.write("\n")
