#!/bin/sh
# Builds the wheel that carries a built program and prints its path on stdout. The same program, version and commit make
# the same bytes.
#
# usage: wheel.sh PYTHON PROGRAM VERSION FOLDER    (PYTHON has the packages of requirements-wheel.txt)
set -eu

usage="usage: wheel.sh PYTHON PROGRAM VERSION FOLDER"
root=$(cd "$(dirname "$0")/../.." && pwd)
python=${1:?$usage}
program=$(cd "$(dirname "${2:?$usage}")" && pwd)/$(basename "$2")
version=$(echo "${3:?$usage}" | sed 's/-dev/.dev0/') # as Python orders versions
mkdir -p "${4:?$usage}"
folder=$(cd "$4" && pwd)

# A copy of the files that git knows, so that nothing is written into the work tree, and no other file, such as one with
# passwords, is packed. Without git everything is taken but what begins with a dot.
stage=$(mktemp -d)
trap 'rm -rf "$stage"' EXIT
if [ -e "$root/.git" ]; then
	(cd "$root" && git ls-files -z python >"$stage/list" && tar -cf - --null -T "$stage/list") | tar -xf - -C "$stage"
else
	cp -R "$root/python" "$stage/python"
	find "$stage/python" \( -name '.*' -o -name __pycache__ \) -prune -exec rm -rf {} +
fi
cp "$root/LICENSE" "$stage/python/"
cp "$root/internal/license/notice.txt" "$stage/python/NOTICE"

: "${SOURCE_DATE_EPOCH:=$(git -C "$root" log -1 --format=%ct 2>/dev/null || true)}"
[ -z "$SOURCE_DATE_EPOCH" ] || export SOURCE_DATE_EPOCH

cd "$stage/python"
SPHERELAB_WHEEL_BINARY=$program SPHERELAB_WHEEL_VERSION=$version \
	"$python" -m hatchling build -t wheel -d "$stage/dist" >&2
cp "$stage/dist"/*.whl "$folder/"
basename "$stage/dist"/*.whl | sed "s|^|$folder/|"
