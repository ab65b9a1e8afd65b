#!/usr/bin/env bash
# Builds the Python package as a wheel, installs it, and runs its tests: tests/python.sh PROGRAM, the program `bayes` with whose fits those of
# Python are compared. In two steps, of which the first needs no program: tests/python.sh --install FOLDER, a folder that it makes, and
# tests/python.sh PROGRAM FOLDER. Skips, and says so, without Python 3.9 or later with venv and pip, or where packages cannot be installed.
# BAYES_CARGO_CONFIG is a setting of cargo, such as `profile.release.package.bayes-formula.opt-level=0`.
set -euo pipefail
program=
if [ "$1" != --install ]; then
    program=$(realpath "$1")
fi
folder=${2:-}
if [ -z "$folder" ]; then
    folder=$(mktemp -d)
    trap 'rm -rf "$folder"' EXIT
else
    mkdir -p "$folder"
    folder=$(realpath "$folder")
fi
cd "$(dirname "$0")/../bayes-python"

# The file `skips` has a line for what is left out, and why; it is printed last, and by .ci/run above the counts of its tests.
skips=$folder/skips
leave_out() {
    printf 'SKIPPED %s: %s\n' "$1" "$2" >>"$skips"
}
# where there is no package at all, so that there is nothing to test
skip() {
    leave_out 'the tests of the Python package' "$1"
    touch "$folder/skipped"
    [ -z "$program" ] || cat "$skips"
    exit 0
}
install() {
    cargo fmt --check --all
    local python=${BAYES_PYTHON:-python3} venv=$folder/venv/bin
    "$python" -c 'import sys; sys.exit(sys.version_info < (3, 9))' 2>/dev/null || skip 'no Python 3.9 or later'
    "$python" -c 'import ensurepip, pip, venv' 2>/dev/null || skip 'Python has no venv and pip'
    "$python" -m venv "$folder/venv"
    "$venv/pip" install --quiet --disable-pip-version-check -r tests/requirements.txt ||
        skip 'the packages of bayes-python/tests/requirements.txt cannot be installed'
    "$venv/pip" install --quiet --disable-pip-version-check -r tests/requirements.txt -r tests/requirements-pymc.txt ||
        leave_out 'the tests of PyMC models, JAX and BridgeStan' 'the packages of bayes-python/tests/requirements-pymc.txt cannot be installed'
    # in a folder of its own, so that it waits for no other build; the tests run here alone, so one instruction set is enough
    if [ -n "${CARGO_TARGET_DIR:-}" ]; then
        export CARGO_TARGET_DIR=$CARGO_TARGET_DIR/python
    fi
    # the package, the template of modules with models in Rust, and models that PyMC has too
    local crate
    for crate in . template tests/models; do
        BAYES_INSTRUCTION_SETS=native "$venv/maturin" build --release --quiet ${BAYES_CARGO_CONFIG:+--config "$BAYES_CARGO_CONFIG"} --interpreter "$venv/python" --out "$folder" -m "$crate/Cargo.toml"
    done
    "$venv/pip" install --quiet --disable-pip-version-check --no-deps "$folder"/*.whl
    if ! install_arviz_1; then
        leave_out 'the tests with ArviZ 1' "$without"
        touch "$folder/without-arviz-1"
    fi
    touch "$folder/installed"
}
# ArviZ 1 needs Python 3.12, and PyMC 5 needs ArviZ 0.23: an environment of its own
install_arviz_1() {
    local python candidate
    python=
    for candidate in ${BAYES_PYTHON:-} python3 python3.14 python3.13 python3.12 \
        $(for version in $(pyenv versions --bare 2>/dev/null); do echo "$(pyenv root)/versions/$version/bin/python"; done); do
        if "$candidate" -c 'import ensurepip, sys, venv; sys.exit(sys.version_info < (3, 12))' 2>/dev/null; then
            python=$candidate
            break
        fi
    done
    without='no Python 3.12 or later with venv'
    [ -n "$python" ] || return 1
    without='the packages of bayes-python/tests/requirements-arviz.txt cannot be installed'
    "$python" -m venv "$folder/venv-arviz" &&
        "$folder/venv-arviz/bin/pip" install --quiet --disable-pip-version-check -r tests/requirements-arviz.txt &&
        "$folder/venv-arviz/bin/pip" install --quiet --disable-pip-version-check --no-deps "$folder"/bayes-*.whl
}

if [ ! -e "$folder/installed" ] && [ ! -e "$folder/skipped" ]; then
    install
fi
[ -n "$program" ] || exit 0
if [ -e "$folder/skipped" ]; then
    cat "$skips"
    exit 0
fi
export PYTENSOR_FLAGS="base_compiledir=$folder/pytensor"
# runs tests by the Python of an environment, and keeps what they skip: run_tests VENV TEST ...
run_tests() {
    local python=$1 status=0
    shift
    MPLBACKEND=Agg "$folder/$python/bin/python" -m pytest -q -rs --durations=15 -p no:cacheprovider "$@" | tee "$folder/tested" || status=$?
    sed -n 's/^SKIPPED /SKIPPED of the Python package /p' "$folder/tested" >>"$skips"
    return "$status"
}
BAYES_PROGRAM=$program run_tests venv tests
if [ ! -e "$folder/without-arviz-1" ]; then
    run_tests venv-arviz tests/test_arviz.py
fi
if [ -e "$skips" ]; then
    cat "$skips"
fi
