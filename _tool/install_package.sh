#!/bin/sh
# Installs the missing system packages of the tests through apt-get. Without apt-get it says what to install.
set -eu

has() { command -v "$1" >/dev/null 2>&1; }

packages=
has initdb || ls /usr/lib/postgresql/*/bin/initdb >/dev/null 2>&1 || packages="$packages postgresql"
has python3 && python3 -c 'import ensurepip, venv' 2>/dev/null || packages="$packages python3 python3-venv"
has chromium || has chromium-browser || has google-chrome || packages="$packages chromium"
has pgbouncer || [ -x /usr/sbin/pgbouncer ] || packages="$packages pgbouncer"
has gcc || has clang || packages="$packages gcc libc6-dev"
case $(uname -sm) in
"Linux aarch64") ;;                # runs arm64 programs itself
Linux*) has qemu-aarch64 || has qemu-aarch64-static || packages="$packages qemu-user" ;;
*) ;;                              # qemu runs programs, not whole machines, on Linux only
esac

if [ -z "$packages" ]; then
	echo "deps: nothing to install"
	exit 0
fi
if ! has apt-get; then
	echo "deps: no apt-get here; install these with your system's package manager:$packages" >&2
	echo "deps: macOS: brew install postgresql@17 python@3.13 && brew install --cask google-chrome; xcode-select --install" >&2
	exit 1
fi

sudo=
if [ "$(id -u)" != 0 ]; then
	if ! has sudo; then
		echo "deps: not root and no sudo; as root: apt-get install -y$packages" >&2
		exit 1
	fi
	sudo=sudo
fi

echo "deps: installing$packages"
$sudo env DEBIAN_FRONTEND=noninteractive apt-get update -q
# shellcheck disable=SC2086 # a list of names
$sudo env DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends $packages
