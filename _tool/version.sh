#!/bin/sh
# Prints the version of the sources, or with "commit" their commit. At a tag v1.2.3 the version is 1.2.3. Elsewhere it is
# that of CHANGELOG.md's first heading with the commit, 1.2.3-dev+0123456789ab. "dirty" ends both where files were changed.
#
# usage: version.sh [commit]
set -eu

cd "$(dirname "$0")/.."
git() { command git -c core.fsmonitor=false "$@" 2>/dev/null; }

commit=
changed=
if [ -e .git ]; then # else an export, and a repository around it is another one
	commit=$(git rev-parse HEAD) || commit=
	[ -z "$commit" ] || [ -z "$(git status --porcelain --untracked-files=no)" ] || changed=dirty
fi
if [ "${1:-}" = commit ]; then
	echo "$commit${changed:+-$changed}"
	exit
fi

version=$(sed -n 's/^## \[\([0-9][0-9.]*\)\].*/\1/p' CHANGELOG.md | head -n 1)
tag=
[ -z "$commit" ] || tag=$(git describe --tags --exact-match --match 'v[0-9]*') || tag=
if [ -n "$tag" ] && [ -z "$changed" ]; then
	[ "$tag" = "v$version" ] || {
		echo "version.sh: the tag is $tag, CHANGELOG.md's first heading says $version" >&2
		exit 1
	}
	echo "$version"
else
	short=$(printf %.12s "$commit")
	echo "$version-dev${short:++$short}${changed:+.$changed}"
fi
