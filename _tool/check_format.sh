#!/bin/sh
# Fails if gofmt would change a Go file of the folder or cannot read it, or if gofmt is missing.
#
# usage: check_format.sh DIR
set -eu

# The assignment ends with the status of xargs, which is not 0 if gofmt's is not.
files=$(find "$1" -name .git -prune -o -name .cache -prune -o -name '*.go' -print0 | xargs -0 gofmt -l)
if [ -n "$files" ]; then
	echo "not gofmt's form (run gofmt -w on them):"
	echo "$files"
	exit 1
fi
