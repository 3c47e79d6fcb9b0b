#!/bin/sh
# Runs the tests of bits and digits as arm64 programs under qemu. Plain Go must give the same bits there, although that
# compiler fuses products and sums where the source allows it.
set -eu

names='Bits Exp Logistic SinCos Power Philox Streams Gradients Kernels3 Reduce Windows'
packages='./spherE ./spherE/eval ./spherE/internal/...'

case $(uname -sm) in
"Linux aarch64" | "Darwin arm64")
	echo "this is an arm64 machine: all tests run on it in step unit"
	exit 0
	;;
Linux*) ;;
*)
	echo "SKIPPED: bits on arm64; qemu runs single programs on Linux only"
	exit 0
	;;
esac
runner=$(command -v qemu-aarch64 || command -v qemu-aarch64-static || true)
if [ -z "$runner" ]; then
	if [ "${CI:-}" = true ]; then
		echo "bits on arm64 are checked with qemu-aarch64, which is missing: make deps" >&2
		exit 1
	fi
	echo "SKIPPED: bits on arm64; they are checked with qemu-aarch64 (Debian: apt-get install qemu-user, or make deps)"
	exit 0
fi
log=$(mktemp)
trap 'rm -f "$log"' EXIT
# shellcheck disable=SC2086 # a list of packages
if ! SPHERELAB_SIMD=go GOOS=linux GOARCH=arm64 CGO_ENABLED=0 go test -v -exec "$runner" -count=1 -timeout 10m \
	-run "^Test($(echo "$names" | tr ' ' '|'))" $packages >"$log" 2>&1; then
	cat "$log"
	exit 1
fi
grep '^ok' "$log"
for name in $names; do
	if ! grep -q "^--- PASS: Test$name" "$log"; then
		echo "no test Test$name... has run on arm64" >&2
		exit 1
	fi
done
