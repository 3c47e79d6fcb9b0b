#!/bin/sh
# Writes the generated files again and fails if one changes.
#
# usage: check_generated.sh MAKE
set -eu

cd "$(dirname "$0")/.."
make=$1
before=$(mktemp)
after=$(mktemp)
trap 'rm -f "$before" "$after"' EXIT

# Go's own convention marks them: a line "// Code generated ... DO NOT EDIT." The compressed documentation of the bindings,
# the types of packages, the schema of configs, the kernelspec of the Python package and the licences have no
# place for it.
fingerprint() {
	cksum kernel/bindings/docs_*.json.gz kernel/bindings/*.zip experiments/config/schema.json python/jupyter/kernels/*/* internal/license/notice.txt
	find . -name .git -prune -o -name .cache -prune -o \( -name '*.go' -o -name '*.s' -o -name '*.h' \) -print |
		sort | while IFS= read -r file; do
		if head -n 20 "$file" | grep -q '^// Code generated .* DO NOT EDIT\.$'; then
			echo "$(cksum <"$file") $file"
		fi
	done
}

fingerprint >"$before"
$make --no-print-directory generate
fingerprint >"$after"

if ! diff "$before" "$after" >/dev/null; then
	echo "these generated files were not what their generator writes (now they are; review and commit them):"
	diff "$before" "$after" | sed -n 's/^[<>].* //p' | sort -u
	exit 1
fi
echo "$(wc -l <"$after") generated files, all as their generators write them"
