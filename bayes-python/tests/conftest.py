"""What several tests use."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pandas
import pytest

import bayes

ROOT = Path(__file__).resolve().parents[2]
DATA = ROOT / "bayes-formula" / "tests" / "data"
#: Few draws, with which a fit is the same as any other, and is not converged.
FEW = {"chains": 2, "draws": 60, "burn_in": 60}


def csv(name: str) -> Path:
    """The file of a table."""
    return DATA / f"{name}.csv"


def table(name: str) -> pandas.DataFrame:
    """A table, whose first column the program calls `(row)`."""
    return pandas.read_csv(csv(name)).rename(columns={"Unnamed: 0": "(row)"})


@pytest.fixture
def sleep() -> pandas.DataFrame:
    """Reaction times of 18 subjects on 10 days."""
    return table("sleepstudy")


@pytest.fixture(scope="session")
def fitted() -> bayes.Fit:
    """A fit of the sleep study that has converged."""
    return bayes.fit("Reaction ~ Days + (1 + Days | Subject)", table("sleepstudy"), seed=3)


@pytest.fixture(scope="session")
def islands() -> bayes.Fit:
    """A fit by islands of particles, which has an evidence and weights."""
    return bayes.fit("Reaction ~ Days", table("sleepstudy"), engine="psmc", islands=3, particles=64, seed=2)


@pytest.fixture(scope="session")
def program():
    """Runs the program `bayes`, and returns what it printed."""
    path = os.environ.get("BAYES_PROGRAM") or os.fspath(
        Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target")) / "release" / "bayes"
    )
    if not Path(path).exists():
        pytest.skip(f"there is no program {path}: cargo build --release -p bayes-formula, or set BAYES_PROGRAM")

    def run(*arguments: object) -> str:
        done = subprocess.run([path, *map(str, arguments)], capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        return done.stdout

    return run
