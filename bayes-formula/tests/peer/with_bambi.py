"""The regressions of `tests/it/peer.rs` by Bambi and by the program `bayes`: posterior means, and seconds from the command to the summary.

    pip install bambi "matplotlib<3.10"
    cargo build --release -p bayes-formula
    python bayes-formula/tests/peer/with_bambi.py target/release/bayes > bayes-formula/tests/data/bambi.json

Both have the same formulas, priors, chains (4) and draws (1000 after 1000), on two cores; Bambi's seconds count its import and its compilation, each regression in a process of its own.
"""

import json
import re
import subprocess
import sys
import time
from pathlib import Path

DATA = Path(__file__).parent.parent / "data"

# table: formula and family of bayes, formula and family of Bambi, columns of labels, scale of `b`, median and spread of the response, further priors
CASES = {
    "sleepstudy": ("Reaction ~ Days + (1 + Days || Subject)", "gaussian", "Reaction ~ Days + (1 + Days | Subject)", "gaussian", ["Subject"], 50, 288.7, 59.3, {"sigma": "half"}),
    "cbpp": ("incidence | trials(size) ~ factor(period) + (1 | herd)", "binomial", "p(incidence, size) ~ period + (1 | herd)", "binomial", ["herd", "period"], 5, 0, 2.5, {}),
    "epil": ("y ~ trt * lbase + lage + V4 + (1 | subject)", "poisson", "y ~ trt * lbase + lage + V4 + (1 | subject)", "poisson", ["subject"], 5, 1.4, 2.5, {}),
    "quine": ("Days ~ Eth * Sex + Age + Lrn", "negative-binomial", "Days ~ Eth * Sex + Age + Lrn", "negativebinomial", [], 5, 2.4, 2.5, {"alpha": "shape"}),
    "birthwt": ("low ~ age + lwt + factor(race) + smoke + ptl + ht + ui", "bernoulli", "low ~ age + lwt + race + smoke + ptl + ht + ui", "bernoulli", ["race"], 5, 0, 2.5, {}),
    "kidney": ("time ~ age + factor(sex) + disease + (1 | id)", "gamma", "time ~ age + sex + disease + (1 | id)", "gamma", ["sex", "id"], 5, 3.7, 2.5, {"alpha": "shape"}),
    "bioChemists": ("art ~ fem + mar + kid5 + phd + ment", "zero-inflated-poisson", "art ~ fem + mar + kid5 + phd + ment", "zero_inflated_poisson", [], 5, 0, 2.5, {"psi": "share"}),
}


def by_bambi(table):
    """Means with their Monte Carlo errors, by Bambi's names."""
    import arviz as az
    import bambi as bmb
    import pandas as pd

    _, _, formula, family, labels, width, median, spread, further = CASES[table]
    data = pd.read_csv(DATA / f"{table}.csv", index_col=0)
    for column in labels:
        data[column] = data[column].astype(str)
    half = bmb.Prior("HalfStudentT", nu=3, sigma=spread)
    known = {
        "half": half,
        "shape": bmb.Prior("InverseGamma", alpha=0.4, beta=0.3),
        "share": bmb.Prior("Beta", alpha=1, beta=1),
    }
    priors = {
        "Intercept": bmb.Prior("StudentT", nu=3, mu=median, sigma=spread),
        "common": bmb.Prior("Normal", mu=0, sigma=width),
        "group_specific": bmb.Prior("Normal", mu=0, sigma=half),
        **{name: known[prior] for name, prior in further.items()},
    }
    link = {"link": "log"} if family == "gamma" else {}
    model = bmb.Model(formula, data, family=family, priors=priors, **link)
    fit = model.fit(draws=1000, tune=1000, chains=4, cores=2, random_seed=1, progressbar=False)
    summary = az.summary(fit, kind="all", round_to="none")
    rows = [row for row in summary.index if "|" not in row or row.endswith("_sigma")]
    return {row: [float(summary.loc[row, "mean"]), float(summary.loc[row, "mcse_mean"])] for row in rows}


def name(row, labels):
    """The name of bayes for a quantity of Bambi."""
    fixed = {"Intercept": "intercept", "sigma": "sigma", "alpha": "shape", "psi": "zi"}
    if row in fixed:
        return fixed[row]
    if row.endswith("_sigma"):
        column, group = row.removesuffix("_sigma").split("|")
        return f"sd[{group}:{'Intercept' if column == '1' else column}]"
    columns, levels = re.fullmatch(r"([^\[]*)(?:\[(.*)\])?", row).groups()
    columns, levels = columns.split(":"), (levels or "").split(", ")
    parts = []
    for k, column in enumerate(columns):
        level = levels[k] if k < len(levels) else ""
        parts.append(f"factor({column}){level}" if column in labels else f"{column}{level}")
    return f"b[{':'.join(parts)}]"


def main():
    if len(sys.argv) > 2:
        json.dump(by_bambi(sys.argv[2]), sys.stdout)
        return
    program = sys.argv[1]
    found = {}
    for table, (formula, family, _, _, labels, width, median, spread, _) in CASES.items():
        priors = [f"b ~ normal(0, {width})", f"intercept ~ student_t(3, {median}, {spread})"]
        arguments = [program, "fit", formula, "--family", family, "--data", str(DATA / f"{table}.csv")]
        for prior in priors:
            arguments += ["--prior", prior]
        start = time.time()
        subprocess.run(arguments, check=True, capture_output=True)
        ours = time.time() - start
        start = time.time()
        output = subprocess.run([sys.executable, __file__, program, table], check=True, capture_output=True, text=True).stdout
        theirs = time.time() - start
        means = {}
        for row, (mean, error) in json.loads(output).items():
            # Bambi has the probability of a count where we have that of a zero
            means[name(row, labels)] = [1 - mean if row == "psi" else mean, error]
        found[table] = {"formula": formula, "family": family, "priors": priors, "seconds": [round(ours, 2), round(theirs, 1)], "means": means}
        print(f"{table}: {ours:.2f} s, Bambi {theirs:.1f} s, {theirs / ours:.0f} times", file=sys.stderr)
    json.dump(found, sys.stdout, indent=1)
    print()


main()
