#!/usr/bin/env bash
# The program `schools` over four processes of MPI writes the bytes of one process. Needs mpirun, an MPI library with its headers, and
# libclang; without them it says so and does nothing. The argument is the program, if it was built with the feature `mpi`.
set -euo pipefail
cd "$(dirname "$0")/.."
if ! command -v mpirun >/dev/null || ! command -v mpicc >/dev/null; then
    echo "skipped: there is no MPI"
    exit 0
fi
schools=${1:-}
if [ -z "$schools" ]; then
    cargo build --release -p bayes-experiments --bin schools --features bayes/mpi
    schools=${CARGO_TARGET_DIR:-target}/release/schools
fi
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
export RAYON_NUM_THREADS=1
many() {
    local processes=$1
    shift
    timeout 300 mpirun --allow-run-as-root --oversubscribe -n "$processes" "$@"
}
compare() {
    "$schools" run --data examples/data/schools.csv --progress none --out "$folder/one" "$@" >/dev/null
    many 4 "$schools" run --mpi --data examples/data/schools.csv --progress none --out "$folder/four" "$@" >/dev/null
    cmp "$folder/one" "$folder/four"
    echo "same bytes: $*"
}
compare --islands 40 --particles 64 --seed 3
compare --islands 3 --particles 64
compare --engine nuts --chains 48 --draws 50 --seed 3
compare --engine tempering --chains 16 --draws 50
# what four processes have saved two go on with, in the same parts
saved=(--data examples/data/schools.csv --progress none --islands 40 --particles 64 --seed 3 --checkpoint "$folder/saved")
many 4 "$schools" run --mpi "${saved[@]}" --out "$folder/four" >/dev/null
rm "$folder"/saved/shard-[5-9]-of-16/*
many 2 "$schools" resume --mpi "${saved[@]}" --out "$folder/two" >/dev/null
cmp "$folder/four" "$folder/two"
[ "$(ls "$folder/saved" | wc -l)" = 16 ] || { echo "other parts: $(ls "$folder/saved")"; exit 1; }
if many 2 "$schools" resume --mpi "${saved[@]/%saved/svaed}" --out "$folder/two" 2>/dev/null; then
    echo "a folder that is not there was no error"
    exit 1
fi
echo "same bytes: resumed by two processes"
# an error ends all processes, with the exit code of one
if many 3 "$schools" run --mpi --data examples/data/none.csv 2>/dev/null; then
    echo "a file that is not there was no error"
    exit 1
fi
