#!/bin/sh
# Runs the tests that hold bits and digits as arm64 programs under qemu: plain Go must
# give the same bits there, although that compiler fuses products and sums wherever the
# source lets it.
set -eu

tests='^Test(Bits|Exp|Logistic|SinCos|Power|Philox|Streams|Gradients|Kernels3|Reduce|Windows)'
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
# shellcheck disable=SC2086 # a list of packages
SPHERELAB_SIMD=go GOOS=linux GOARCH=arm64 CGO_ENABLED=0 go test -exec "$runner" -count=1 -timeout 10m -run "$tests" $packages
