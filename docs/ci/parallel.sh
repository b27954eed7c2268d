#!/bin/bash
# Runs a suite in parts on this machine, or on those of a GNU parallel login file, and joins the results.
#
#   docs/ci/parallel.sh suite.toml results 8
set -u
manifest=$1
results=$2
parts=$3
# What an earlier run left is not the result of this one.
rm -rf "$results"/part-*
mkdir -p "$results"
seq "$parts" | parallel ${SSHLOGINFILE:+--sshloginfile "$SSHLOGINFILE"} \
    rigview test "$manifest" --jobs 1 --shard "{}/$parts" --report "$results/part-{}" ">" "$results/part-{}.log"
rigview test "$manifest" --merge "$results"/part-*/ --report "$results/report"
