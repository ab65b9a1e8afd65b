#!/usr/bin/env bash
# Tables and printed results in the documentation, compared with what the commands that made them print now: the table "A cheaper posterior" of
# docs/settings.md, the run in README.md, and the tables of docs/evidence.md, which are made of the kept runs in experiments/data/evidence. With
# --write, the tables and the picture of docs/evidence.md are written anew.
#     tests/tables.sh [--write] [PROGRAM]
# PROGRAM is a file called `schools`, with the examples of its package in the folder `examples` beside it. The numbers of schools are those of a
# processor with fused multiplication and addition (AVX2 or AVX-512).
set -euo pipefail
cd "$(dirname "$0")/.."
write=
if [ "${1:-}" = --write ]; then
    write=yes
    shift
fi
schools=${1:-}
if [ -z "$schools" ]; then
    cargo build --release -p bayes-experiments --bin schools --example published_evidence
    schools=${CARGO_TARGET_DIR:-target}/release/schools
fi
page=docs/settings.md
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

published=$(dirname "$schools")/examples/published_evidence
if [ -n "$write" ]; then
    "$published" --page docs
fi
mkdir "$folder/pictures"
cp docs/evidence.md "$folder"
"$published" --page "$folder"
for file in evidence.md pictures/published_evidence.svg; do
    if ! diff "docs/$file" "$folder/$file" >"$folder/difference"; then
        echo "docs/$file is not what the kept runs say; tests/tables.sh --write writes it anew:"
        cat "$folder/difference"
        exit 1
    fi
done

run() { "$schools" run --data examples/data/schools.csv --seed 1 --progress none --out "$folder/run" "$@" && rm -f "$folder/run"; }

run >"$folder/defaults"
if grep -q '^arithmetic *portable' "$folder/defaults"; then
    echo "skipped: the numbers of the tables are those of another arithmetic than this processor has"
    exit 0
fi

# the row of a table: the settings in Rust, the options of the program, and what the run printed
row() {
    local settings=$1 options=$2
    # shellcheck disable=SC2086 # the options are words
    run $options >"$folder/printed"
    awk -v settings="$settings" -v options="${options:+\`$options\`}" '
        # digits in groups: 4956, 19,699
        function grouped(whole) {
            return whole < 10000 ? whole : int(whole / 1000) "," sprintf("%03d", whole % 1000)
        }
        # spaces part the groups of a printed number
        $1 == "evaluations" { sub(/.*density, /, ""); sub(/ with its gradient.*/, ""); gsub(/ /, ""); gradients = $0 }
        $1 == "mu" { mu = $8 }
        $1 == "tau" { tau = $8 }
        $1 == "log" && $2 == "evidence" { evidence = $3 " " $4 " " $5; sub(/,$/, "", evidence) }
        END {
            printf "| %s | %s | %s | %s, %s | %s |\n", settings, options, grouped(gradients), grouped(mu), grouped(tau),
                evidence == "" ? "none" : evidence
        }' "$folder/printed" | sed 's/|  |/| |/'
}

begin='<!-- written by tests/tables.sh --write -->'
end='<!-- end of what tests/tables.sh writes -->'
{
    echo "| settings | options of \`schools run --data examples/data/schools.csv --seed 1\` | gradients | effective draws of \`mu\`, of \`tau\` | log evidence |"
    echo '|---|---|---|---|---|'
    row 'the defaults' ''
    row '`.posterior_states(4)`' '--posterior-states 4'
    row '`.particles(64)`' '--particles 64'
    row '`.particles(64).posterior_states(4)`' '--particles 64 --posterior-states 4'
    row '`.islands(4).particles(128).posterior_states(4)`' '--islands 4 --particles 128 --posterior-states 4'
    row '`Inference::nuts()`, 4 x 1000 draws' '--engine nuts'
} >"$folder/table"

if [ -n "$write" ]; then
    awk -v begin="$begin" -v end="$end" -v table="$folder/table" '
        $0 == end { inside = 0 }
        !inside { print }
        $0 == begin { inside = 1; while ((getline line < table) > 0) print line }' "$page" >"$folder/page"
    cp "$folder/page" "$page"
fi

wrong=
awk -v begin="$begin" -v end="$end" '$0 == end { inside = 0 } inside { print } $0 == begin { inside = 1 }' "$page" >"$folder/written"
if ! diff "$folder/written" "$folder/table" >"$folder/difference"; then
    echo "$page is not what its commands print; tests/tables.sh --write writes it anew:"
    cat "$folder/difference"
    wrong=yes
fi

# each line of the run in README.md, but its head and the dots of what is left out
run --islands 8 --particles 1024 >"$folder/printed"
awk '/^eight_schools: psmc/ { inside = 1; next } /^```/ { inside = 0 } inside && NF && $1 != "..." { print }' README.md >"$folder/written"
[ -s "$folder/written" ] || { echo "README.md has no run of eight_schools"; wrong=yes; }
while IFS= read -r line; do
    if ! grep -qxF -- "$line" "$folder/printed"; then
        echo "README.md: this line is not what \`schools run --islands 8 --particles 1024 --seed 1\` prints: $line"
        wrong=yes
    fi
done <"$folder/written"
[ -z "$wrong" ] || { cat "$folder/printed"; exit 1; }
echo "docs/settings.md, docs/evidence.md and README.md are what their commands print"
