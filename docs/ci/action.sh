#!/bin/sh
# The step of action.yml that runs rigview. MODE is check, diff or test; FILES has one file, folder or glob per line,
# ARGS further options, REPORT the folder for what is kept. Ends with rigview's exit code.
set -u
rigview=${RIGVIEW:-$HOME/rigview/bin/rigview}
summary=$REPORT/summary.md
mkdir -p "$REPORT"
# That of an earlier run is not of this one, which may end before it writes its own.
rm -f "$summary"

# Options are split at spaces and not expanded; files are split at line ends only.
set -f
newline='
'
set --
# shellcheck disable=SC2086
set -- $ARGS
IFS=$newline
# shellcheck disable=SC2086
case $MODE in
check)
    if [ "$SARIF" = true ]; then
        "$rigview" check "$@" --sarif -- $FILES > "$REPORT/rigview.sarif" 2> /dev/null
    fi
    "$rigview" check "$@" --markdown -- $FILES > "$summary"
    code=$?
    ;;
diff)
    "$rigview" diff "$@" --markdown -- $FILES > "$summary"
    code=$?
    ;;
test)
    "$rigview" test "$@" --report "$REPORT" --markdown "$summary" -- "$MANIFEST"
    code=$?
    ;;
*)
    echo "mode: $MODE is not check, diff or test" >&2
    exit 2
    ;;
esac
if [ -s "$summary" ] && [ -n "${GITHUB_STEP_SUMMARY:-}" ]; then
    cat "$summary" >> "$GITHUB_STEP_SUMMARY"
fi
exit "$code"
