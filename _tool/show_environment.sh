#!/bin/sh
# Says what this machine has for the tests, and what will be skipped without it.
set -u

has() { command -v "$1" >/dev/null 2>&1; }

echo "go:         $(go version)"

initdb=
for candidate in "$(command -v initdb || true)" /usr/lib/postgresql/*/bin/initdb \
	/opt/homebrew/opt/postgresql*/bin/initdb /usr/local/opt/postgresql*/bin/initdb; do
	if [ -x "$candidate" ]; then
		initdb=$candidate
		break
	fi
done
if [ -n "$initdb" ]; then
	echo "postgresql: $("$initdb" --version) ($initdb)"
else
	echo "postgresql: not installed; the private cluster falls back to downloaded binaries (make deps installs it)"
fi

if has python3; then
	echo "python:     $(python3 --version 2>&1)"
else
	echo "python:     not found; tests with Python's MLflow, safetensors and Jupyter are skipped (make deps installs it)"
fi

browser=
for candidate in chromium chromium-browser google-chrome "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome"; do
	if has "$candidate"; then
		browser=$candidate
		break
	fi
done
if [ -n "$browser" ]; then
	echo "browser:    $("$browser" --version 2>/dev/null || echo "$browser")"
else
	echo "browser:    no Chromium found; the test in JupyterLab is skipped (make deps installs it)"
fi

if [ "$(go env CGO_ENABLED)" = 1 ]; then
	echo "c compiler: $(go env CC)"
else
	echo "c compiler: not found; the race detector is skipped (make deps installs one)"
fi

case $(uname -sm) in
"Linux aarch64" | "Darwin arm64") echo "arm64:      this machine" ;;
Darwin*) echo "arm64:      not checked here: qemu runs single programs on Linux only" ;;
*)
	if has qemu-aarch64 || has qemu-aarch64-static; then
		echo "arm64:      qemu-aarch64"
	else
		echo "arm64:      no qemu-aarch64; the bits of arm64 are not checked (make deps installs it)"
	fi
	;;
esac

data=${SPHERELAB_TEST_DATA:-../shared/data}
if [ -f "$data/fb15k-237/train.txt" ]; then
	echo "graphs:     $data"
else
	echo "graphs:     no benchmark graphs in $data; tests use the bundled and synthetic ones (SPHERELAB_TEST_DATA=DIR)"
fi
