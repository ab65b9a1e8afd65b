"""The page `experiments/bambi.md` from the lines of `fifty.jsonl` and `scores.jsonl`."""

import json

from cases import CASES
from written import WRITTEN


HEAD = """# Regressions beside Bambi

{cases} regressions with the same formulas, data and priors by the program `bayes` and by Bambi 0.17.2 (`bayes-formula/tests/peer/cases.py`), and
{written} that Bambi cannot say and that are written out in PyMC (`written.py`). The tables come from R packages (`tests/peer/data/README.md`, `tests/data/README.md`).

**What was run.** {scores} of the {cases} were compared with the density of Bambi's model, and {draws} of all {all} with draws of Bambi's sampler or PyMC's; the
seven of [the page on formulas](../docs/formulas.md#beside-bambi) were compared with draws of Bambi before.

    pip install -r bayes-formula/tests/peer/requirements.txt
    cargo build --release -p bayes-formula
    python bayes-formula/tests/peer/fifty.py run target/release/bayes        # goes on where it was ended
    PYTENSOR_FLAGS=cxx=,mode=FAST_COMPILE python bayes-formula/tests/peer/scores.py target/release/bayes
    python bayes-formula/tests/peer/fifty.py table > experiments/bambi.md

## Draws of bayes in the densities of Bambi's models

For draws of the posterior the mean of the slope of the log density in every unconstrained variable is 0, and the mean of the variable times its
slope is -1 (Stein's identities). The slopes are computed by the model that Bambi builds, at 400 draws of `bayes`; Bambi's sampler is not needed. The
last columns have the largest deviation among all variables, group effects included, in Monte Carlo errors. A wrong link shows: with
`tan-half` in place of `identity` the angles of `islay` were 25 and 53 errors off. A process is not compared here. A star: the run of `bayes` warned that its chains have not
converged, and its row shows little (`grouseticks`: R-hat 1.011). By 8000 draws of each chain, slopes at 2000 of them, and two seeds, the largest
deviations are 3.2 for `grouseticks` and 2.5 for `pastes`.
"""

BETWEEN = """
## Draws of both

Differences of posterior means and standard deviations in their joint Monte Carlo errors; four chains of `bayes` and two of the peer, 1000 draws
after 1000. Every quantity is in `fifty.jsonl`, with means, errors and R-hat; seconds only where they were kept
(on a busy machine). Bambi's sampler of `kidney, censored` starts at a `shape` of 1, because the likelihood is 0 at its own start.

Bambi's process of `mcycle` has the boundary of `bayes` by its `c`. With one `c` of 3.2 for both, the length scale differed by 6.1 errors, 5.40 beside 5.55
(sd 0.76): Bambi multiplies `c` by the largest distance from the mean of the column, 32.4, `bayes` by half the range, 27.6. Of 40 functions the last one then
has the frequency 0.61 in place of 0.71, which is too low for the data. By quadrature the mean is 5.544 with the boundary of `bayes`, 5.43 with Bambi's wherever
the functions are centred, 5.582 with Bambi's and 80 functions, and 5.582 of the process itself. The difference of 5.2 errors in the table is that of the
posterior standard deviation of `sdgp[times]`: 15.73 by quadrature, 15.95 by `bayes` with an error of 0.35, 13.29 by the two chains of Bambi with 0.38.

    python bayes-formula/tests/peer/process.py
"""


def lines(path):
    found = [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []
    return {line["name"]: line for line in found}


def page(results):
    draws, scores = lines(results), lines(results.with_name("scores.jsonl"))
    failed = {name: line["failed"] for name, line in draws.items() if "failed" in line}
    draws = {name: line for name, line in draws.items() if "failed" not in line}
    print(HEAD.format(cases=len(CASES), written=len(WRITTEN), scores=len(scores), draws=len(draws), all=len(CASES) + len(WRITTEN)))
    print("| regression | family | formula | variables | mean | second moment |\n|---|---|---|---|---|---|")
    for name in [n for n in CASES if n in scores]:
        line, case = scores[name], CASES[name]
        print(f"| {name} | {case['family']} | {formula(case)} | {line['variables']}{'*' if any('converged' in w for w in line['warnings']) else ''} | {line['mean']:.1f} | {line['second']:.1f} |")
    print(BETWEEN)
    print("| regression | peer | quantities | largest difference of means | of standard deviations | of group effects | largest R-hat, bayes and peer |\n|---|---|---|---|---|---|---|")
    for name, line in draws.items():
        z, z_sd = (max(abs(row[key]) for row in line["rows"]) for key in ("z", "z_sd"))
        rhat = [max(row[who][4] for row in line["rows"]) for who in ("bayes", "bambi")]
        groups = f"{line['groups']['largest']:.1f} of {line['groups']['quantities']}" if line["groups"]["quantities"] else ""
        print(f"| {name} | {line['peer']} | {len(line['rows'])} | {z:.1f} | {z_sd:.1f} | {groups} | {rhat[0]:.3f}, {rhat[1]:.3f} |")
    missing = [n for n in [*CASES, *WRITTEN] if n not in scores and n not in draws]
    for name, why in failed.items():
        print(f"\n`{name}` failed: {why.splitlines()[0]}")
    if missing:
        print(f"\nWithout either: {'; '.join(missing)}.")


def formula(case):
    said = case["formula"]
    for name, (part, *_) in case["parts"].items():
        said += "" if f"; {name} ~" in said else f"; {name} ~ {part}"
    return f"`{said}`".replace("|", "\\|")
