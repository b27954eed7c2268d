#!/bin/sh
# Writes a manifest of COUNT cases of the built-in rig, to try a cluster or a runner with.
#
#   mkdir -p trial && cp assets/creature.glb trial && docs/ci/make-suite.sh 200 > trial/suite.toml
#   rigview test trial/suite.toml --bless
set -eu
count=${1:-200}
cat <<'HEAD'
[defaults]
file = "creature.glb"
size = "512x512"
expect = ["picture", "pose"]
HEAD
i=0
while [ "$i" -lt "$count" ]; do
    case $((i % 3)) in
        0) clip=Idle ;;
        1) clip=Walk ;;
        *) clip=Hop ;;
    esac
    printf '\n[[case]]\nname = "case-%03d"\nclip = "%s"\ntimes = [0.%02d]\n' "$i" "$clip" $((i * 7 % 90))
    i=$((i + 1))
done
