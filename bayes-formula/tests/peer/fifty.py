"""Regressions by the program `bayes` beside Bambi: the same formulas, data and priors (`cases.py`, `written.py`).

    pip install -r bayes-formula/tests/peer/requirements.txt
    cargo build --release -p bayes-formula
    python bayes-formula/tests/peer/fifty.py run target/release/bayes        # adds a line to fifty.jsonl for each regression that has none
    python bayes-formula/tests/peer/fifty.py table > experiments/bambi.md
    python bayes-formula/tests/peer/fifty.py seconds target/release/bayes    # three regressions, each in processes of its own, in turn

Each regression of Bambi runs in a process that is forked from one with the imports, so that the seconds of the imports are counted once and
added to each. Draws of both are summarised by the same estimators, ArviZ's: means and standard deviations with their Monte Carlo errors.
"""

import json
import os
import re
import subprocess
import sys
import tempfile
import time
import traceback
from pathlib import Path

HERE = Path(__file__).parent
RESULTS = HERE / "fifty.jsonl"
CHAINS, DRAWS = {"bayes": 4, "bambi": 2}, 1000

# family of bayes: family of Bambi, its link where the default is another, names of its parameters
FAMILIES = {
    "gaussian": ("gaussian", None, {"sigma": "sigma"}),
    "student": ("t", None, {"sigma": "sigma", "nu": "nu"}),
    "bernoulli": ("bernoulli", None, {}),
    "binomial": ("binomial", None, {}),
    "beta-binomial": ("beta_binomial", None, {"phi": "kappa"}),
    "zero-inflated-binomial": ("zero_inflated_binomial", None, {"zi": "psi"}),
    "poisson": ("poisson", None, {}),
    "negative-binomial": ("negativebinomial", None, {"shape": "alpha"}),
    "zero-inflated-poisson": ("zero_inflated_poisson", None, {"zi": "psi"}),
    "zero-inflated-negative-binomial": ("zero_inflated_negativebinomial", None, {"zi": "psi", "shape": "alpha"}),
    "hurdle-poisson": ("hurdle_poisson", None, {"hu": "psi"}),
    "hurdle-negative-binomial": ("hurdle_negativebinomial", None, {"hu": "psi", "shape": "alpha"}),
    "gamma": ("gamma", "log", {"shape": "alpha"}),
    "inverse-gaussian": ("wald", "log", {"shape": "lam"}),
    "exponential": ("exponential", None, {}),
    "weibull": ("weibull", None, {"shape": "alpha"}),
    "hurdle-gamma": ("hurdle_gamma", None, {"hu": "psi", "shape": "alpha"}),
    "hurdle-lognormal": ("hurdle_lognormal", None, {"hu": "psi", "sigma": "sigma"}),
    "beta": ("beta", None, {"phi": "kappa"}),
    "von-mises": ("vonmises", None, {"kappa": "kappa"}),
    "cumulative": ("cumulative", None, {}),
    "sratio": ("sratio", None, {}),
    "categorical": ("categorical", None, {}),
}
# Bambi has the probability of a response that is not 0 where bayes has that of 0
OPPOSITE = ("zi", "hu")


def table_of(case):
    import pandas as pd

    places = [HERE / "data", HERE.parent / "data"]
    path = next(p / f"{case['table']}.csv" for p in places if (p / f"{case['table']}.csv").exists())
    table = pd.read_csv(path)
    table = table.drop(columns=[c for c in ("rownames", "Unnamed: 0") if c in table])
    return case["prepare"](table) if case["prepare"] else table


def texts(case):
    """The priors as options of bayes."""
    said = {"sd": f"half_student_t(3, {case['sd']})", **case["further"]}
    if case["b"] is not None:
        said["b"] = f"normal(0, {case['b']})"
    centre, spread = case["intercept"]
    said["intercept"] = f"student_t(3, {centre}, {spread})"
    if case["family"] in ("cumulative", "sratio", "categorical"):
        del said["intercept"]  # student_t(3, 0, 2.5) for cutpoints and intercepts of labels, as the defaults
    for name, (_, b, (centre, spread), sd) in case["parts"].items():
        said[f"b[{name}]"] = f"normal(0, {b})"
        said[f"intercepts[{name}]"] = f"student_t(3, {centre}, {spread})"
        said[f"sd[{name}]"] = f"half_student_t(3, {sd})"
    return said


def formula_of(case):
    said = case["formula"]
    for name, (part, *_) in case["parts"].items():
        if f"; {name} ~" not in said:
            said += f"; {name} ~ {part}"
    return said


def by_bayes(program, case, folder, seed):
    """Draws by name, `[chains, draws]`, seconds of wall and of processors, and the warnings."""
    import pandas as pd

    data, run, draws = folder / "data.csv", folder / "x.run", folder / "x.csv"
    command = [program, "fit", formula_of(case), "--family", case["family"], "--data", str(data), "--out", str(run), "--replace", "--seed", str(seed)]
    command += ["--chains", str(CHAINS["bayes"]), "--draws", str(DRAWS)]
    command += ["--link", case["link"]] if case["link"] else []
    command += ["--target-acceptance", "0.95"] if "gp(" in case["formula"] else []
    for prior in priors_that_match(program, case, data):
        command += ["--prior", prior]
    start, before = time.time(), os.times()
    done = subprocess.run(command, capture_output=True, text=True)
    wall, after = time.time() - start, os.times()
    processor = after.children_user + after.children_system - before.children_user - before.children_system
    if done.returncode:
        raise RuntimeError(f"bayes: {done.stderr.strip()}")
    subprocess.run([program, "export", str(run), "--out", str(draws)], check=True, capture_output=True)
    table = pd.read_csv(draws)
    values = {c: table[c].to_numpy().reshape(CHAINS["bayes"], -1) for c in table.columns if not c.startswith(".")}
    return values, wall, processor, re.findall(r"^warning: (.*(?:\n  .*)*)", done.stdout, re.M)


def priors_that_match(program, case, data):
    """The priors of parameters that the regression has; bayes refuses others."""
    command = [program, "priors", formula_of(case), "--family", case["family"], "--data", str(data)]
    command += ["--link", case["link"]] if case["link"] else []
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError(f"bayes: {done.stderr.strip()}")
    known = re.findall(r"^(\S.*?) +~", done.stdout, re.M)
    is_known = lambda target: any(k == target or k.startswith(target.rstrip("]") + ("[" if "[" not in target else ":")) for k in known)
    return [f"{target} ~ {prior}" for target, prior in texts(case).items() if is_known(target)]


def prior(text):
    """A prior of bayes as one of Bambi."""
    import bambi as bmb

    name, arguments = re.fullmatch(r"(\w+)\((.*)\)", text).groups()
    values = [float(v) for v in arguments.split(",")]
    kind, names = {
        "normal": ("Normal", ["mu", "sigma"]),
        "student_t": ("StudentT", ["nu", "mu", "sigma"]),
        "half_student_t": ("HalfStudentT", ["nu", "sigma"]),
        "gamma": ("Gamma", ["alpha", "beta"]),
        "inverse_gamma": ("InverseGamma", ["alpha", "beta"]),
        "beta": ("Beta", ["alpha", "beta"]),
    }[name]
    return bmb.Prior(kind, **dict(zip(names, values)))


def priors_of_bambi(case, table):
    import bambi as bmb
    import numpy as np
    import pymc as pm

    said = texts(case)
    names = FAMILIES[case["family"]][2]
    found = {"group_specific": bmb.Prior("Normal", mu=0, sigma=prior(said["sd"]))}
    if "b" in said:
        found["common"] = prior(said["b"])
    if case["family"] == "categorical":
        found["Intercept"] = prior("student_t(3, 0, 2.5)")
    elif "intercept" in said:
        found["Intercept"] = prior(said["intercept"])
    for target, text in case["further"].items():
        if target in names:
            found[names[target]] = prior(text)
    if "sdgp" in case["further"]:
        found[case["bambi"].split("~")[1].strip()] = {"sigma": prior(said["sdgp"]), "ell": prior(said["lscale"])}
    if case["family"] in ("cumulative", "sratio"):
        k = table[case["formula"].split("~")[0].strip()].nunique() - 1
        further = {"transform": pm.distributions.transforms.ordered, "initval": np.linspace(-1, 1, k)} if case["family"] == "cumulative" else {}
        found["threshold"] = bmb.Prior("StudentT", nu=3, mu=np.zeros(k), sigma=2.5, **further)
    for name, (part, *_) in case["parts"].items():
        terms = {term: prior(said[f"b[{name}]"]) for term in part.split(" + ")}
        centre = prior(said[f"intercepts[{name}]"])
        if name in OPPOSITE:
            centre.update(mu=-float(centre.args["mu"]))
        found[names[name]] = {"Intercept": centre, **terms}
    return found


def by_bambi(case, table, seed, cores=1):
    """Draws by the names of bayes, `[chains, draws]`."""
    import bambi as bmb

    for column in table.columns:
        if not table[column].dtype.kind in "ifub":
            table[column] = table[column].astype(object)
    if case["family"] in ("cumulative", "sratio"):
        grades = case["bambi"].split("~")[0].strip()
        table[grades] = table[grades].astype(str).astype(object)
    family, link, names = FAMILIES[case["family"]]
    formula = case["bambi"].split(";")[0].strip()
    parts = [f"{names[name]} ~ {part}" for name, (part, *_) in case["parts"].items()]
    link = case["link"] or link
    model = bmb.Model(bmb.Formula(formula, *parts), table, family=family, priors=priors_of_bambi(case, table), **({"link": link} if link else {}))
    fit = model.fit(draws=DRAWS, tune=1000, chains=CHAINS["bambi"], cores=cores, random_seed=seed, progressbar=False, initvals=case["start"])
    return named(fit.posterior, case, names)


def named(posterior, case, names):
    """Every element of the posterior of Bambi by its name in bayes."""
    import numpy as np

    ours = {theirs: name for name, theirs in names.items()}
    found = {}
    for variable, values in posterior.data_vars.items():
        dims = [d for d in values.dims if d not in ("chain", "draw")]
        if "__obs__" in dims or variable.endswith("_offset") or "_weights" in variable:
            continue
        values = values.transpose("chain", "draw", *dims)
        for index in np.ndindex(*values.shape[2:]):
            levels = {d: str(values.coords[d].values[i]) for d, i in zip(dims, index)}
            draws = values.values[(slice(None), slice(None), *index)]
            name, sign = name_of(variable, levels, index, case, ours)
            found[name] = 1 - draws if sign == "share" else sign * draws
    return found


def name_of(variable, levels, index, case, ours):
    if variable == "threshold":
        return f"cutpoints[{index[0] + 1}]", 1
    if variable.startswith("hsgp("):
        column = re.match(r"hsgp\((\w+)", variable)[1]
        return {"sigma": f"sdgp[{column}]", "ell": f"lscale[{column}]"}[variable.rsplit("_", 1)[1]], 1
    if variable in ours:
        return ours[variable], "share" if ours[variable] in OPPOSITE else 1
    label = [v for d, v in levels.items() if d.endswith("_reduced_dim")]
    part, sign = "", 1
    for theirs, name in ours.items():
        if name in case["parts"] and variable.startswith(theirs + "_"):
            part, sign, variable = name, -1 if name in OPPOSITE else 1, variable.removeprefix(theirs + "_")
    part = f"mu{label[0]}" if label else part
    before = f"{part}:" if part else ""
    if variable == "Intercept":
        return f"intercepts[{part}]" if part else "intercept", sign
    if "|" in variable:
        column, group = variable.removesuffix("_sigma").split("|")
        column = "Intercept" if column == "1" else column
        if variable.endswith("_sigma"):
            return f"sd[{before}{group}:{column}]", 1
        level = next(v for d, v in levels.items() if d.endswith("__factor_dim"))
        return f"r[{before}{group}:{level}:{column}]", sign
    if variable.startswith("poly("):
        inner, place = variable.replace(", ", "; "), int(next(iter(levels.values())))
        return f"b[{before}{inner}{place + 1}]", sign
    of = [v for d, v in levels.items() if not d.endswith("_reduced_dim")]
    of = of[0].split(", ") if of else []
    columns = [c + (of.pop(0) if c in case["labels"] else "") for c in variable.split(":")]
    return f"b[{before}{':'.join(columns)}]", sign


def compared(ours, theirs):
    """A row for every quantity that both have, and the largest differences of group effects."""
    import numpy as np

    rows, groups, missing = [], [], []
    for name, other in theirs.items():
        if name not in ours:
            missing.append(name)
            continue
        row = {"name": name}
        for who, draws in (("bayes", ours[name]), ("bambi", other)):
            row[who] = summary(draws)
        a, b = row["bayes"], row["bambi"]
        row["z"], row["z_sd"] = (a[0] - b[0]) / np.hypot(a[1], b[1]), (a[2] - b[2]) / np.hypot(a[3], b[3])
        (groups if name.startswith("r[") else rows).append(row)
    return rows, groups, missing


def summary(draws):
    """Mean, its Monte Carlo error, standard deviation, its error by the delta method, and R-hat."""
    import arviz as az
    import numpy as np

    effective = lambda values: float(np.ravel(az.ess(values, method="mean"))[0])
    sd, squares = draws.std(), (draws - draws.mean()) ** 2
    error_of_sd = squares.std() / np.sqrt(effective(squares)) / (2 * sd)
    return [float(v) for v in (draws.mean(), sd / np.sqrt(effective(draws)), sd, error_of_sd, np.ravel(az.rhat(draws))[0])]


def rounded(value):
    if isinstance(value, float):
        return float(f"{value:.5g}")
    if isinstance(value, list):
        return [rounded(v) for v in value]
    return {k: rounded(v) for k, v in value.items()} if isinstance(value, dict) else value


def one(program, name, case, seconds_of_imports, seed):
    """The line of a regression."""
    import bambi
    import pymc

    line = {"name": name, "table": case["table"], "family": case["family"], "formula": formula_of(case), "priors": texts(case), "seed": seed}
    line["versions"] = {"bambi": bambi.__version__, "pymc": pymc.__version__, "flags": os.environ.get("PYTENSOR_FLAGS", "")}
    peer = case.get("written")
    line["peer"] = "PyMC, written out" if peer else "Bambi"
    table = table_of(case)
    with tempfile.TemporaryDirectory() as folder:
        folder = Path(folder)
        table.to_csv(folder / "data.csv", index=False)
        ours, wall, processor, warnings = by_bayes(program, case, folder, seed)
    line["load"] = os.getloadavg()[0]
    start, before = time.time(), time.process_time()
    theirs = peer(table, case, seed) if peer else by_bambi(case, table, seed)
    line["seconds"] = {"bayes": wall, "bambi": time.time() - start + seconds_of_imports[0]}
    line["processor_seconds"] = {"bayes": processor, "bambi": time.process_time() - before + seconds_of_imports[1]}
    if os.environ.get("DRAWS"):
        import numpy as np
        np.savez_compressed(f"{os.environ['DRAWS']}/{name}.npz", **{f"bayes {k}": v for k, v in ours.items()}, **{f"bambi {k}": v for k, v in theirs.items()})
    rows, groups, missing = compared(ours, theirs)
    if missing and any(not m.startswith("r[") for m in missing):
        raise RuntimeError(f"not in bayes: {missing}; bayes has {[k for k in ours if not k.startswith(('r[', 'z['))]}")
    line["warnings"] = [" ".join(w.split())[:160] for w in warnings]
    line["rows"] = rows
    line["groups"] = {"quantities": len(groups), "largest": max((abs(r["z"]) for r in groups), default=0.0)}
    line["groups"]["above_4"] = [r for r in groups if abs(r["z"]) > 4]
    return line


def run(program, names, seed):
    start, before = time.time(), time.process_time()
    import arviz  # noqa: F401
    import bambi  # noqa: F401
    import pymc  # noqa: F401

    imports = (time.time() - start, time.process_time() - before)
    from cases import CASES
    from written import WRITTEN

    done = set()
    if RESULTS.exists() and not names:
        lines = [json.loads(line) for line in RESULTS.read_text().splitlines()]
        done = {line["name"] for line in lines if "failed" not in line}
    every = {**CASES, **WRITTEN}
    for name, case in every.items():
        if name in done or (names and name not in names):
            continue
        child = os.fork()
        if child:
            os.waitpid(child, 0)
            continue
        try:
            line = one(program, name, case, imports, seed)
            largest = max(abs(r["z"]) for r in line["rows"])
            print(f"{name}: {len(line['rows'])} quantities, largest |z| {largest:.1f}, {line['seconds']}", flush=True)
        except Exception as error:
            line = {"name": name, "failed": f"{type(error).__name__}: {error}"[:2000]}
            print(f"{name}: FAILED {traceback.format_exc()[-1500:]}", flush=True)
        with RESULTS.open("a") as file:
            file.write(json.dumps(rounded(line)) + "\n")
        os._exit(0)


def seconds(program):
    """Seconds of wall and of processors from the command to the summary, the two programs in turn."""
    from cases import CASES

    for name in ("sleepstudy", "radon", "epil, negative binomial"):
        case, found = CASES[name], {"bayes": [], "bambi": []}
        with tempfile.TemporaryDirectory() as folder:
            folder = Path(folder)
            table_of(case).to_csv(folder / "data.csv", index=False)
            for _ in range(3):
                _, wall, processor, _ = by_bayes(program, case, folder, 1)
                found["bayes"].append((wall, processor))
                start, before = time.time(), os.times()
                subprocess.run([sys.executable, __file__, "alone", name], check=True, capture_output=True)
                after = os.times()
                found["bambi"].append((time.time() - start, after.children_user + after.children_system - before.children_user - before.children_system))
        said = {who: [f"{w:.2f} s ({p:.2f})" for w, p in times] for who, times in found.items()}
        print(f"{name}: {said}, load {os.getloadavg()[0]:.0f}", flush=True)


def alone(name):
    """A regression by Bambi with the chains of bayes, as its user would run it."""
    import arviz as az
    from cases import CASES

    CHAINS["bambi"] = CHAINS["bayes"]
    draws = by_bambi(CASES[name], table_of(CASES[name]), 1, cores=2)
    print(az.summary({k: v for k, v in draws.items()}))


if __name__ == "__main__":
    command, *rest = sys.argv[1:]
    if command == "run":
        run(rest[0], rest[1:], seed=1)
    elif command == "seconds":
        seconds(rest[0])
    elif command == "alone":
        alone(rest[0])
    else:
        from page import page

        page(RESULTS)
