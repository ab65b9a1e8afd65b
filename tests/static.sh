#!/usr/bin/env bash
# Builds the program `bayes` as one static file, and runs it in a folder that has nothing else, as the root of a machine without any library:
# tests/static.sh FOLDER, where the file is left. It is for x86-64 and Linux, and has all instruction sets. Its mathematical functions of single
# numbers are those of musl, not of glibc, so the last digits of its results differ from those of a program that was built here.
# BAYES_INSTRUCTION_SETS, the optimisation and a setting of cargo (BAYES_CARGO_CONFIG) can be chosen by the environment, for a test that is built
# in less time.
set -euo pipefail
folder=$(realpath "$1")
cd "$(dirname "$0")/.."
target=x86_64-unknown-linux-musl
export BAYES_INSTRUCTION_SETS=${BAYES_INSTRUCTION_SETS:-portable,avx2,avx512} CARGO_PROFILE_RELEASE_STRIP=symbols
built=${CARGO_TARGET_DIR:-target}/$target/release/bayes

rustup target list --installed | grep -qx "$target" || rustup target add "$target"
cargo build --release ${BAYES_CARGO_CONFIG:+--config "$BAYES_CARGO_CONFIG"} --package bayes-formula --bin bayes --target "$target"
mkdir -p "$folder"
cp "$built" "$folder/bayes"
printf '%s: %s bytes\n' "$folder/bayes" "$(stat --format=%s "$folder/bayes")"

empty=$(mktemp -d)
trap 'rm -rf "$empty"' EXIT
cp "$folder/bayes" "$empty/bayes"
cp bayes-formula/tests/data/sleepstudy.csv "$empty/sleepstudy.csv"
# the empty folder is the root of the file system that the program sees
where='a library, an environment and a home'
inside() { env --ignore-environment unshare --map-root-user --root="$empty" /bayes "$@"; }
if ! inside --version >/dev/null 2>&1; then
    printf 'SKIPPED the run on an empty machine: this one does not let a user change the root\n'
    where='an environment and a home'
    inside() { (cd "$empty" && env --ignore-environment ./bayes "$@"); }
fi
inside fit "Reaction ~ Days + (1 + Days | Subject)" --data sleepstudy.csv --seed 1 --out sleep.run >"$empty/printed"
grep -q '^b\[Days\] *10\.' "$empty/printed"
inside fitted sleep.run --data sleepstudy.csv --out fitted.csv
[ "$(wc -l <"$empty/fitted.csv")" = 181 ]
inside report sleep.run --data sleepstudy.csv --out sleep.html >/dev/null
grep -q '</html>' "$empty/sleep.html"
printf 'it fits, predicts and reports without %s\n' "$where"
