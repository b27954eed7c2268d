#!/bin/bash
# Runs a suite as a Slurm job array and joins the results.
#
#   sbatch --array=0-7 docs/ci/slurm.sh suite.toml results
#
# Every task runs one part: `rigview test` reads its number from SLURM_ARRAY_TASK_ID and the number of
# parts from SLURM_ARRAY_TASK_COUNT. A task that is requeued after it was killed writes its part again. When
# the array has ended, join the parts:
#
#   rigview test suite.toml --merge results/part-* --report results/report
#
#SBATCH --job-name=rigview
#SBATCH --cpus-per-task=1
#SBATCH --mem=4G
#SBATCH --requeue
set -u
manifest=$1
results=$2
part=$results/part-$SLURM_ARRAY_TASK_ID
# A requeued task must not leave results of its killed run beside the new ones.
rm -rf "$part"
rigview test "$manifest" --jobs 1 --report "$part"
code=$?
# Exit code 1 means that cases failed. The task itself did its work.
[ "$code" -le 1 ]
