#!/usr/bin/env bash
# The program `schools` is killed by SIGKILL at random moments and started again, until it has been killed often enough and ends: as one
# process, in seven parts that run in any order and are merged, and over four processes of MPI, one of which is killed. The bytes are
# those of a run that never stopped.
#     tests/kill.sh [PROGRAM] [KILLS]
# PROGRAM is a file called `schools`, built with the feature `mpi` for the third part, which is skipped without mpirun; KILLS is 25 if not given.
set -euo pipefail
cd "$(dirname "$0")/.."
schools=${1:-}
kills=${2:-25}
if [ -z "$schools" ]; then
    cargo build --release -p bayes-experiments --bin schools
    schools=${CARGO_TARGET_DIR:-target}/release/schools
fi
# the processes that mpirun starts are found by this name
[ "$(basename "$schools")" = schools ] || { echo "the program must be called schools, not $schools"; exit 2; }
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
export RAYON_NUM_THREADS=1
RANDOM=5
run=("$schools" run --data examples/data/schools.csv --islands 40 --particles 512 --seed 3 --progress none)

now() { date +%s%3N; }
start=$(now)
"${run[@]}" --out "$folder/whole" >"$folder/log"
whole=$(($(now) - start))
echo "a run takes $whole ms"

# one of the processes that mpirun has started, once all four are there
rank() {
    local ranks=()
    while [ ${#ranks[@]} -lt 4 ]; do
        sleep 0.01
        mapfile -t ranks < <(pgrep -P "$1" -x schools)
    done
    echo "${ranks[$2 % 4]}"
}

# killed TIMES PAUSE MOST COMMAND..: kills the command TIMES times, each after PAUSE to PAUSE + MOST milliseconds, and lets it end then;
# if it ends before, which it does on a machine that was busy when the run was timed, all of it again with half of the pauses
killed() {
    local times=$1 pause=$2 most=$3 pid victim life status word last
    shift 3
    for ((i = 0; i < times; i++)); do
        "$@" >"$folder/log" 2>&1 &
        pid=$!
        victim=$pid
        [ "$1" != mpirun ] || victim=$(rank "$pid" "$RANDOM")
        life=$((pause + RANDOM % (most + 1)))
        sleep "$((life / 1000)).$(printf %03d $((life % 1000)))"
        kill -KILL "$victim" 2>/dev/null || true
        status=0
        # bash tells of killed processes
        wait "$pid" 2>/dev/null || status=$?
        if [ "$status" = 0 ]; then
            echo "it ended after $i of $times kills"
            [ "$most" -gt 0 ] || return 1
            last=
            for word in "$@"; do
                case "$last" in --checkpoint | --out) rm -rf "$word" ;; esac
                last=$word
            done
            killed "$times" $((pause / 2)) $((most / 2)) "$@"
            return
        fi
    done
    "$@" >"$folder/log" 2>&1 || { cat "$folder/log"; return 1; }
}

killed "$kills" 20 $((whole / kills / 2)) "${run[@]}" --checkpoint "$folder/one" --out "$folder/one.run"
cmp "$folder/whole" "$folder/one.run"
echo "same bytes: 40 islands, killed $kills times"

each=$(((kills + 6) / 7))
parts=()
for part in $(shuf --random-source=<(yes) -i 0-6); do
    killed "$each" 20 $((whole / 7 / each / 2)) "${run[@]}" --shard "$part/7" --checkpoint "$folder/parts" --out "$folder/part-$part.run"
    parts+=("$folder/part-$part.run")
done
"$schools" merge "${parts[@]}" --out "$folder/merged.run" >"$folder/log"
cmp "$folder/whole" "$folder/merged.run"
echo "same bytes: seven parts in any order, each killed $each times, merged"

if ! command -v mpirun >/dev/null || ! "$schools" run --help | grep -q -- --mpi; then
    echo "skipped: there is no MPI"
    exit 0
fi
many=(mpirun --allow-run-as-root --oversubscribe -n 4 "${run[@]}" --mpi)
killed "$kills" 400 $((whole / kills / 2)) "${many[@]}" --checkpoint "$folder/four" --out "$folder/four.run"
cmp "$folder/whole" "$folder/four.run"
echo "same bytes: four processes of MPI, one of them killed $kills times"
