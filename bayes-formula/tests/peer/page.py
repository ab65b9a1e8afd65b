"""The page `experiments/bambi.md` from the lines of `fifty.jsonl` and `scores.jsonl`."""

import json

from cases import CASES
from written import WRITTEN


def lines(path):
    found = [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []
    return {line["name"]: line for line in found}


def page(results):
    draws, scores = lines(results), lines(results.with_name("scores.jsonl"))
    for name, line in draws.items():
        if "failed" in line:
            print(f"- `{name}` failed: {line['failed']}")
    draws = {name: line for name, line in draws.items() if "failed" not in line}
    print("| regression | family | formula | variables | mean | second moment |\n|---|---|---|---|---|---|")
    for name in [n for n in CASES if n in scores]:
        line, case = scores[name], CASES[name]
        print(f"| {name} | {case['family']} | {formula(case)} | {line['variables']} | {line['mean']:.1f} | {line['second']:.1f} |")
    print("\n| regression | peer | quantities | largest difference of means | of standard deviations | of group effects | largest R-hat, bayes and peer |\n|---|---|---|---|---|---|---|")
    for name, line in draws.items():
        z, z_sd = (max(abs(row[key]) for row in line["rows"]) for key in ("z", "z_sd"))
        rhat = [max(row[who][4] for row in line["rows"]) for who in ("bayes", "bambi")]
        groups = f"{line['groups']['largest']:.1f} of {line['groups']['quantities']}" if line["groups"]["quantities"] else ""
        print(f"| {name} | {line['peer']} | {len(line['rows'])} | {z:.1f} | {z_sd:.1f} | {groups} | {rhat[0]:.3f}, {rhat[1]:.3f} |")
    missing = [n for n in [*CASES, *WRITTEN] if n not in scores and n not in draws]
    print(f"\nWithout either: {'; '.join(missing)}.")


def formula(case):
    said = case["formula"]
    for name, (part, *_) in case["parts"].items():
        said += "" if f"; {name} ~" in said else f"; {name} ~ {part}"
    return f"`{said}`".replace("|", "\\|")
