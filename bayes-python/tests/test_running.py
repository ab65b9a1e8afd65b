"""Long work: other threads go on, Ctrl-C stops it, and nothing ends the interpreter."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time

import numpy as np
import pytest
from conftest import FEW, table

import bayes

LONG = """
import bayes, numpy, sys
x = numpy.random.default_rng(1).normal(size=4000)
print("begins", flush=True)
try:
    bayes.fit("y ~ x", {"y": x ** 2, "x": x}, "student", %s)
except KeyboardInterrupt:
    print("stopped", flush=True)
    fit = bayes.fit("y ~ x", {"y": x[:20] ** 2, "x": x[:20]}, chains=2, draws=200)
    print(fit.draws("b").shape, flush=True)
"""


@pytest.mark.parametrize(
    "settings",
    ["draws=100_000_000, memory_limit='1000T'", "engine='psmc', islands=100_000, particles=512, memory_limit='1000T'"],
)
def test_ctrl_c_stops_a_run_and_the_next_one_works(settings):
    program = [sys.executable, "-W", "ignore", "-c", LONG % settings]
    with subprocess.Popen(program, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stdout.readline() == "begins\n"
        time.sleep(1.5)
        assert process.poll() is None, process.stderr.read()
        sent = time.monotonic()
        process.send_signal(signal.SIGINT)
        line = process.stdout.readline()
        seconds = time.monotonic() - sent
        rest, errors = process.communicate(timeout=120)
    assert (line, rest, process.returncode) == ("stopped\n", "(2, 200, 1)\n", 0), errors
    assert seconds < 10


def test_other_threads_go_on():
    turns = []
    done = threading.Event()

    def count():
        while not done.wait(0.01):
            turns.append(time.monotonic())

    thread = threading.Thread(target=count)
    thread.start()
    rng = np.random.default_rng(2)
    x = rng.normal(size=(2000, 3))
    bayes.fit("y ~ a + b + c", {"y": x.sum(axis=1) + rng.normal(size=2000), **dict(zip("abc", x.T))}, seed=1)
    done.set()
    thread.join()
    assert len(turns) > 10 and max(np.diff(turns)) < 1


@pytest.mark.filterwarnings("ignore::bayes.BayesWarning")
def test_fits_of_several_threads_are_those_of_one():
    wanted = bayes.fit("Reaction ~ Days", table("sleepstudy"), seed=4, **FEW).draws("b").tolist()
    found = [None] * 3

    def fit(place):
        found[place] = bayes.fit("Reaction ~ Days", table("sleepstudy"), seed=4, **FEW).draws("b").tolist()

    threads = [threading.Thread(target=fit, args=(place,)) for place in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [wanted] * 3


@pytest.mark.parametrize("threads", [1, 2])
def test_the_number_of_threads_does_not_matter(threads, islands):
    program = (
        "import bayes, pandas, sys; frame = pandas.read_csv(sys.argv[1]);"
        "fit = bayes.fit('Reaction ~ Days', frame, engine='psmc', islands=3, particles=64, seed=2); print(repr(fit.log_evidence))"
    )
    from conftest import csv

    path = os.fspath(csv("sleepstudy"))
    environment = {**os.environ, "RAYON_NUM_THREADS": str(threads)}
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", program, path], capture_output=True, text=True, env=environment, check=True
    )
    assert float(done.stdout) == islands.log_evidence
    # no bars where standard error is no terminal
    assert done.stderr == ""


@pytest.mark.filterwarnings("ignore::bayes.BayesWarning")
def test_an_interrupted_run_goes_on_from_its_checkpoint(tmp_path):
    settings = {"engine": "psmc", "islands": 3, "particles": 32, "seed": 5}
    whole = bayes.fit("Reaction ~ Days", table("sleepstudy"), **settings)
    saved = bayes.fit("Reaction ~ Days", table("sleepstudy"), checkpoint=tmp_path / "saved", **settings)
    assert any((tmp_path / "saved").iterdir())
    again = bayes.fit("Reaction ~ Days", table("sleepstudy"), checkpoint=tmp_path / "saved", **settings)
    assert whole.log_evidence == saved.log_evidence == again.log_evidence
