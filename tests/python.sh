#!/usr/bin/env bash
# Builds the Python package as a wheel, installs it, and runs its tests: tests/python.sh PROGRAM, the program `bayes` with whose fits those of
# Python are compared. Skips, and says so, without Python 3.9 or later with venv and pip, or where packages cannot be installed.
set -euo pipefail
program=$(realpath "$1")
cd "$(dirname "$0")/../bayes-python"
cargo fmt --check
skip() { printf 'SKIPPED the tests of the Python package: %s\n' "$1"; exit 0; }
python=${BAYES_PYTHON:-python3}
"$python" -c 'import sys; sys.exit(sys.version_info < (3, 9))' 2>/dev/null || skip 'no Python 3.9 or later'
"$python" -c 'import ensurepip, pip, venv' 2>/dev/null || skip 'Python has no venv and pip'

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"$python" -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check -r tests/requirements.txt ||
    skip 'the packages of bayes-python/tests/requirements.txt cannot be installed'
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check -r tests/requirements.txt -r tests/requirements-pymc.txt ||
    printf 'SKIPPED the tests of PyMC models: the packages of bayes-python/tests/requirements-pymc.txt cannot be installed\n'
# the tests run here alone, so one instruction set is enough
BAYES_INSTRUCTION_SETS=native "$folder/venv/bin/maturin" build --release --quiet --interpreter "$folder/venv/bin/python" --out "$folder"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check --no-deps "$folder"/bayes-*.whl
export PYTENSOR_FLAGS="base_compiledir=$folder/pytensor"
BAYES_PROGRAM=$program MPLBACKEND=Agg "$folder/venv/bin/python" -m pytest -q -p no:cacheprovider tests
