#!/bin/sh
# Runs make's step-NAME targets one after another, also after one that fails, and prints one line per step at the end.
# Exit status 1 if any failed.
#
# usage: run_step.sh MAKE STEP...
set -u

make=$1
shift

failed=0
summary=
all_start=$(date +%s)
for step in "$@"; do
	echo "== $step"
	start=$(date +%s)
	if $make --no-print-directory "step-$step"; then
		verdict=ok
	else
		verdict=FAILED
		failed=1
	fi
	summary="$summary$(printf '%-12s %-6s %5d s' "$step" "$verdict" $(($(date +%s) - start)))
"
done

echo "== summary"
printf '%s' "$summary"
printf '%-12s %-6s %5d s\n' all "$([ $failed = 0 ] && echo ok || echo FAILED)" $(($(date +%s) - all_start))
exit $failed
