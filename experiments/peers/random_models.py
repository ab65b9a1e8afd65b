"""The log densities and gradients of random models by Stan's functions, beside those of the library.

    pip install -r experiments/peers/requirements.txt
    cargo run --release -p bayes-experiments --example random_models -- --models 10000 --out models.jsonl
    python experiments/peers/random_models.py models.jsonl

stanli runs Stan programs without a compiler. A model counts as equal if the log density agrees to 1e-10, relative to its size, and the gradient to 1e-10, relative to its
largest entry. Where they differ, or Stan finds no finite number, mpmath has the last word on the log density, in 40 digits (`exact_models.py`). Prints the models whose
density is wrong, and exits with 1 if there are any.
"""

import json
import sys

import numpy as np
import stanli

from exact_models import log_density as exact

TOLERANCE = 1e-10


def values(parameters, position):
    """The parameters by name, from the coordinates: the logarithm of positive ones, the logit of those within 0 and 1."""
    found, at = {}, 0
    for name, length, support in parameters:
        x = np.array(position[at : at + (length or 1)])
        at += length or 1
        if support == "positive":
            x = np.exp(x)
        elif support == "unit":
            x = 1 / (1 + np.exp(-x))
        found[name] = float(x[0]) if length is None else x.tolist()
    return found


def by_stan(case):
    """The log density and its gradient; NaN where Stan's functions fail at the position."""
    model = stanli.Model(stan_code=case["text"], data=case["data"])
    at = np.asarray(model.unconstrain(values(case["parameters"], case["position"])))
    try:
        log_density, gradient = model.log_prob_grad(at)
    except RuntimeError as error:
        if "evaluation failed at this point" not in str(error):
            raise
        return np.nan, np.full(len(at), np.nan)
    return log_density, np.asarray(gradient)


def off(found, expected):
    """The difference relative to the largest number."""
    found, expected = np.atleast_1d(found), np.atleast_1d(expected)
    with np.errstate(invalid="ignore"):
        return np.max(np.abs(found - expected)) / max(1.0, np.max(np.abs(expected)))


def main(path):
    worst, equal, others, wrong = [0.0, 0.0], 0, [], []
    for line in open(path):
        case = json.loads(line)
        log_density, gradient = by_stan(case)
        errors = [off(case["log_density"], log_density), off(case["gradient"], gradient)]
        if all(error <= TOLERANCE for error in errors):
            equal += 1
            worst = [max(pair) for pair in zip(worst, errors)]
            continue
        others.append(case["seed"])
        right = exact(case)
        if not abs(right - case["log_density"]) <= TOLERANCE * max(1, abs(right)):
            wrong.append(case["seed"])
            print(f"seed {case['seed']}: log density {case['log_density']!r}, Stan {log_density!r}, right {right}; gradient {case['gradient']}, Stan {gradient}\n{case['text']}")
    print(f"{equal} models are equal by Stan, within {worst[0]:.1e} (log density) and {worst[1]:.1e} (gradient)")
    print(f"{len(others)} others, where Stan overflows or loses digits: {others}; of these {len(wrong)} are wrong")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
