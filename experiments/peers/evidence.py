"""The log evidence of the problems of `experiments/src/targets` by other programs, at the settings that their documentation gives for the dimension.

    pip install -r experiments/peers/requirements.txt
    python experiments/peers/evidence.py experiments/data/evidence/peers.jsonl [--seeds 3] [--limit 240] [--program dynesty] [--problem "shells, 2 d"]

Appends a line of JSON for each run that the file does not have. Likelihoods are numpy's, of many points at once where the program asks for them. Each run has a process
with one thread, which ends after `--limit` seconds of its processor time. Calls are those that the program counts.
"""

import argparse
import json
import multiprocessing
import os
import sys
import warnings

for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[name] = "1"

import numpy as np

from problems import PROBLEMS


def by_dynesty(dim, log_likelihood, quantiles, seed):
    """Nested sampling at all defaults: 500 points, bounds and steps as it chooses them for the dimension."""
    import dynesty

    sampler = dynesty.NestedSampler(log_likelihood, lambda u: quantiles(np.array(u)), dim, rstate=np.random.default_rng(seed))
    sampler.run_nested(print_progress=False)
    found = sampler.results
    return found.logz[-1], found.logzerr[-1], int(np.sum(found.ncall))


def by_ultranest(dim, log_likelihood, quantiles, seed):
    """At all defaults in few dimensions; slice sampling with twice as many steps as dimensions from 20 on, as its documentation advises."""
    import logging

    import ultranest
    import ultranest.stepsampler as steps

    logging.getLogger("ultranest").setLevel(logging.ERROR)
    np.random.seed(seed)
    names = [f"x{k}" for k in range(dim)]
    sampler = ultranest.ReactiveNestedSampler(names, log_likelihood, quantiles, vectorized=True)
    if dim >= 20:
        sampler.stepsampler = steps.SliceSampler(nsteps=2 * dim, generate_direction=steps.generate_mixture_random_direction)
    found = sampler.run(show_status=False, viz_callback=False)
    return found["logz"], found["logzerr"], int(found["ncall"])


def by_nautilus(dim, log_likelihood, quantiles, seed):
    """At all defaults: 2000 points, 10,000 effective draws; the relative error of its evidence is one over the root of these."""
    import nautilus

    sampler = nautilus.Sampler(quantiles, log_likelihood, n_dim=dim, pass_dict=False, vectorized=True, seed=seed)
    sampler.run(verbose=False)
    return sampler.log_z, sampler.n_eff**-0.5, int(sampler.n_like)


PROGRAMS = {"dynesty": by_dynesty, "ultranest": by_ultranest, "nautilus": by_nautilus}


def work(program, problem, seed, answers):
    """One run; its warnings are those that Python prints."""
    dim, log_likelihood, quantiles = PROBLEMS[problem]
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("default")
        value, error, calls = PROGRAMS[program](dim, log_likelihood, quantiles, seed)
    texts = sorted({f"{w.category.__name__}: {w.message}" for w in said if w.category is not DeprecationWarning})
    answers.put((float(value), float(error), calls, texts))


def processor_seconds(process):
    with open(f"/proc/{process.pid}/stat") as file:
        fields = file.read().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def run(program, problem, seed, limit):
    answers = multiprocessing.Queue()
    process = multiprocessing.Process(target=work, args=(program, problem, seed, answers))
    process.start()
    seconds, answer = 0.0, None
    while answer is None and process.is_alive() and seconds < limit:
        seconds = processor_seconds(process)
        try:
            answer = answers.get(timeout=0.05)
        except Exception:
            continue
    line = {"program": program, "problem": problem, "seed": seed}
    if answer is None and not process.is_alive():
        line |= {"failed": f"ended with code {process.exitcode}"}
    elif answer is None:
        process.kill()
        line |= {"failed": f"no result after {limit:g} s"}
    else:
        value, error, calls, texts = answer
        line |= {
            "log_evidence": round(value, 5),
            "error": round(error, 5),
            "interval": [round(value - 1.96 * error, 5), round(value + 1.96 * error, 5)],
            "calls": calls,
            "warnings": texts,
        }
    process.join()
    return line | {"seconds": round(seconds, 2)}


def main():
    options = argparse.ArgumentParser()
    options.add_argument("file")
    options.add_argument("--seeds", type=int, default=3)
    options.add_argument("--limit", type=float, default=240)
    options.add_argument("--program")
    options.add_argument("--problem")
    options = options.parse_args()
    lines = []
    if os.path.exists(options.file):
        with open(options.file) as file:
            lines = [json.loads(line) for line in file]
    done = {(line["program"], line["problem"], line["seed"]) for line in lines}
    for seed in range(1, options.seeds + 1):
        for problem in PROBLEMS:
            for program in PROGRAMS:
                chosen = options.program in (None, program) and options.problem in (None, problem)
                # what did not end in time with one seed is not tried with another
                gave_up = any("failed" in line and line["program"] == program and line["problem"] == problem for line in lines)
                if not chosen or gave_up or (program, problem, seed) in done:
                    continue
                line = run(program, problem, seed, options.limit)
                lines.append(line)
                print(json.dumps(line), file=sys.stderr)
                with open(options.file, "a") as file:
                    file.write(json.dumps(line) + "\n")


main()
