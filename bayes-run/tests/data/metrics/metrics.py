"""Writes metrics.json: scores by scikit-learn and properscoring on fixed inputs.

    pip install scikit-learn==1.9.1 properscoring==0.1
    cd bayes-run/tests/data/metrics && python3 metrics.py
"""

import json

import numpy as np
import properscoring
from scipy.stats import entropy
from sklearn import metrics

rng = np.random.default_rng(3)


def softmax(z):
    e = np.exp(z - z.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


def calibration_error(p, labels, edges):
    """Guo et al. 2017: bins by confidence, edges belong to the lower bin."""
    confidence, hit = p.max(axis=1), p.argmax(axis=1) == labels
    bins = np.searchsorted(edges, confidence, side="left")
    return sum(
        (bins == b).mean() * abs(hit[bins == b].mean() - confidence[bins == b].mean()) for b in np.unique(bins)
    )


def equal_mass(p, labels, count):
    confidence, hit = p.max(axis=1), p.argmax(axis=1) == labels
    parts = np.array_split(np.argsort(confidence, kind="stable"), count)
    return sum(len(i) / len(labels) * abs(hit[i].mean() - confidence[i].mean()) for i in parts)


def classification(members, observations, classes):
    shared = 1.5 * rng.normal(size=(1, observations, classes))
    p = softmax(shared + rng.normal(size=(members, observations, classes)))
    # scores with ties
    p = np.round(p, 2)
    p[..., -1] = 1.0 - p[..., :-1].sum(axis=-1)
    p = np.clip(p, 0.0, 1.0)
    p /= p.sum(axis=-1, keepdims=True)
    weights = rng.dirichlet(np.full(members, 3.0))
    mean = np.einsum("s,snk->nk", weights, p)
    labels = np.array([rng.choice(classes, p=row) for row in softmax(shared[0])])
    one_hot = np.eye(classes)[labels]
    called = mean.argmax(axis=1)
    total, aleatoric = entropy(mean, axis=1), weights @ entropy(p, axis=2)
    case = {
        "classes": classes,
        "weights": weights.tolist(),
        "probabilities": p.ravel().tolist(),
        "labels": labels.tolist(),
        "accuracy": metrics.accuracy_score(labels, called),
        "nll": metrics.log_loss(labels, mean, labels=range(classes)),
        "brier": ((mean - one_hot) ** 2).sum(axis=1).mean(),
        "equal_width": calibration_error(mean, labels, np.linspace(0, 1, 11)[1:-1]),
        "equal_mass": equal_mass(mean, labels, 7),
        "total": total.mean(),
        "aleatoric": aleatoric.mean(),
        "epistemic": (total - aleatoric).mean(),
    }
    if classes == 2:
        case["brier_of_scikit_learn"] = metrics.brier_score_loss(labels, mean[:, 1])
        case["roc_auc"] = metrics.roc_auc_score(labels, mean[:, 1])
        case["pr_auc"] = metrics.average_precision_score(labels, mean[:, 1])
        case["f1"] = metrics.f1_score(labels, called)
        for threshold in (0.3, 0.6):
            case[f"precision_{threshold}"] = metrics.precision_score(labels, mean[:, 1] >= threshold)
            case[f"recall_{threshold}"] = metrics.recall_score(labels, mean[:, 1] >= threshold)
            case[f"f1_{threshold}"] = metrics.f1_score(labels, mean[:, 1] >= threshold)
    else:
        case["roc_auc"] = metrics.roc_auc_score(labels, mean, multi_class="ovr", average="macro")
        case["pr_auc"] = metrics.average_precision_score(one_hot, mean, average="macro")
        case["f1"] = metrics.f1_score(labels, called, average="macro")
    return case


def ranking():
    """Few distinct scores, so that there are many ties."""
    scores = rng.integers(0, 5, size=40) / 4.0
    positive = rng.random(40) < 0.2 + 0.5 * scores
    false_rate, true_rate, _ = metrics.roc_curve(positive, scores, drop_intermediate=False)
    return {
        "scores": scores.tolist(),
        "positive": positive.tolist(),
        "roc_auc": metrics.roc_auc_score(positive, scores),
        "pr_auc": metrics.average_precision_score(positive, scores),
        "false_positive_rate": false_rate.tolist(),
        "true_positive_rate": true_rate.tolist(),
    }


def regression(members, observations):
    draws = rng.normal(size=(members, observations)) + np.arange(observations)
    weights = rng.dirichlet(np.ones(members))
    y = rng.normal(size=observations) + np.arange(observations)
    each = np.broadcast_to(weights, (observations, members))
    return {
        "draws": draws.ravel().tolist(),
        "weights": weights.tolist(),
        "y": y.tolist(),
        "crps": properscoring.crps_ensemble(y, draws.T, weights=each).mean(),
        "crps_equal": properscoring.crps_ensemble(y, draws.T).mean(),
        "rmse": metrics.mean_squared_error(y, weights @ draws) ** 0.5,
    }


result = {
    "classification": [classification(5, 60, 2), classification(4, 50, 4)],
    "ranking": ranking(),
    "regression": regression(30, 12),
}
with open("metrics.json", "w") as file:
    json.dump(result, file)
    file.write("\n")
