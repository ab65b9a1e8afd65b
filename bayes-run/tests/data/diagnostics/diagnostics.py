"""Writes diagnostics.json: nested R-hat and effective sample sizes of quantiles by ArviZ, quantiles of Fisher's F by SciPy.

    pip install arviz==0.23.4 arviz-stats==0.8.0
    cd bayes-run/tests/data/diagnostics && python3 diagnostics.py

Nested R-hat is that of the paper (`_rhat_nested`). ArviZ's public function refuses chains of fewer than four draws and splits the others;
here the chains are whole, and the rank-normalised one is the larger of ArviZ's for bulk and folded normal scores. The chains of the
effective sizes are those of bayes-run/src/diagnose/references.json.
"""

import json
import warnings

import arviz as az
import numpy as np
from arviz_stats.base import array_stats
from scipy import stats

warnings.simplefilter("ignore")
rng = np.random.default_rng(18)


def nested(name, chains, superchains):
    """Both nested R-hats of `chains`, `[chains, draws]`."""
    chains, ids = np.round(chains, 3), np.array(superchains)
    plain = array_stats._rhat_nested(chains, ids)
    scores = [array_stats._z_scale(x) for x in (chains, abs(chains - np.median(chains)))]
    ranked = max(array_stats._rhat_nested(x, ids) for x in scores)
    return {
        "name": name,
        "chains": chains.tolist(),
        "superchains": ids.tolist(),
        "plain": plain,
        "ranked": ranked,
    }


ids = np.arange(24) % 4
start = np.array([-1.0, 0.0, 0.5, 2.0])[ids][:, None]
spread = np.array([0.3, 1.0, 1.0, 3.0])[ids][:, None]
cases = [
    nested("one draw, forgotten starts", rng.normal(size=(24, 1)), ids),
    nested("one draw, remembered starts", rng.normal(size=(24, 1)) + start, ids),
    nested("one draw, different spreads", rng.normal(size=(24, 1)) * spread, ids),
    nested("five draws", rng.normal(size=(24, 5)) + 0.5 * start, ids),
    nested("one chain of each", rng.standard_cauchy(size=(6, 7)), range(6)),
    nested("neighbours together", rng.normal(size=(6, 3)), [0, 0, 0, 1, 1, 1]),
]

with open("../../../../bayes-run/src/diagnose/references.json") as file:
    references = json.load(file)["cases"]
PROBABILITIES = [0.05, 0.3, 0.5, 0.9]
INTERVALS = [[0.0, 0.1], [0.45, 0.55], [0.5, 1.0]]


def sizes(case):
    chains = np.array(case["chains"])
    # halves of three draws have no pair of lags, and every program ends its sum in another way
    steps = [n for n in (len(chains[0]) // 3, 2 * len(chains[0]) // 3) if n >= 8]
    return {
        "quantile": [az.ess(chains, method="quantile", prob=p) for p in PROBABILITIES],
        "local": [az.ess(chains, method="local", prob=p) for p in INTERVALS],
        "bulk_of_first": [[n, az.ess(chains[:, :n], method="bulk")] for n in steps],
    }


degrees = [(3, 20), (15, 240), (15, 1008), (3, 12), (1, 8), (63, 64)]
tails = [0.05, 0.005, 0.0005]
document = {
    "nested": cases,
    "probabilities": PROBABILITIES,
    "intervals": INTERVALS,
    "sizes": [sizes(case) for case in references],
    "f": [
        {"degrees": d, "tail": t, "quantile": stats.f.isf(t, *d)}
        for d in degrees
        for t in tails
    ],
}
with open("diagnostics.json", "w") as file:
    json.dump(document, file, indent=None, separators=(",", ":"))
    file.write("\n")
