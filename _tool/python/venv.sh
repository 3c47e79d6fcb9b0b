#!/bin/sh
# Makes a virtual environment of the tests, once per content of its list of
# requirements, and prints the path of its interpreter on stdout. Everything
# else goes to stderr. Exit status 1: it could not be made, and the last line on
# stderr says what to do.
#
# usage: venv.sh CACHE_FOLDER [REQUIREMENTS]    (requirements.txt)
set -eu

here=$(cd "$(dirname "$0")" && pwd)
cache=${1:?usage: venv.sh CACHE_FOLDER [REQUIREMENTS]}
list=${2:-requirements.txt}

say() { echo "venv: $*" >&2; }

find_python() {
	for candidate in ${PYTHON:-} python3 python3.13 python3.12 python3.11; do
		if "$candidate" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then
			echo "$candidate"
			return 0
		fi
	done
	return 1
}

if ! python=$(find_python); then
	say "Python 3.11 or newer not found; install it (Debian: apt-get install python3 python3-venv) or set PYTHON"
	exit 1
fi

# The interpreter's own version is part of the key: compiled wheels of one
# version do not load in another.
version=$("$python" -c 'import sys; print("%d.%d" % sys.version_info[:2])')
key=$("$python" -c 'import hashlib, sys; print(hashlib.sha256(open(sys.argv[1], "rb").read()).hexdigest()[:12])' \
	"$here/$list")
folder=$cache/python/$version-$key
done_mark=$folder/.complete

mkdir -p "$cache/python"

# Two makes at once must not build the same folder.
if command -v flock >/dev/null 2>&1; then
	exec 9>"$folder.lock"
	flock 9
fi

if [ ! -f "$done_mark" ] || [ ! -x "$folder/bin/python" ]; then
	say "making $folder with $python ($version)"
	start=$(date +%s)
	rm -rf "$folder"
	if ! "$python" -m venv "$folder" >&2; then
		rm -rf "$folder"
		say "python -m venv failed; install the venv module (Debian: apt-get install python3-venv)"
		exit 1
	fi
	if ! "$folder/bin/python" -m pip install --quiet --disable-pip-version-check \
		--requirement "$here/$list" >&2; then
		rm -rf "$folder"
		say "pip could not install $list; check the network and pip's settings, then run this again"
		exit 1
	fi
	: >"$done_mark"
	say "done in $(($(date +%s) - start)) s"
fi

echo "$folder/bin/python"
