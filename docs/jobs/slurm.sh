#!/bin/bash
# A run in ten parts: `sbatch slurm.sh`. If parts were ended early, the same command goes on where they were.
#SBATCH --array=0-9
#SBATCH --cpus-per-task=8
#SBATCH --time=12:00:00
# asks the program, which takes the place of this script, to save and stop two minutes before the time is over
#SBATCH --signal=B:TERM@120
#SBATCH --requeue
set -euo pipefail

program=${PROGRAM:-./schools}
data=${DATA:-schools.csv}
results=${RESULTS:-results}
part=$SLURM_ARRAY_TASK_ID
of=$SLURM_ARRAY_TASK_COUNT

mkdir -p "$results"
export RAYON_NUM_THREADS=${SLURM_CPUS_PER_TASK:-1}
exec "$program" run --data "$data" --engine psmc --islands "${ISLANDS:-128}" --particles "${PARTICLES:-256}" --seed 1 \
    --shard "$part/$of" --checkpoint "$results/checkpoints" --progress json --out "$results/part-$part.run"

# when all parts are there:
#     ./schools merge results/part-*.run --out all.run
#     ./schools summary all.run
