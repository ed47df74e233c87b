#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# A pylock.toml as an environment: written by another tool, taken as it is.
# The index is ours; Python is that of the channel of fixtures.
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/../lib.sh"

base=$(need_base)
channel=$(need_channel)
builders=$(made builders builders)
uv=${ENVBUILD_UV:-$ENVBUILD_BUILD/libexec/envbuild/uv}
[ ! -d "$uv" ] || uv=$uv/bin/uv
export PIP_CONFIG_FILE=/dev/null UV_NO_CONFIG=1 UV_PYTHON_DOWNLOADS=never
unset PIP_INDEX_URL PIP_EXTRA_INDEX_URL PIP_FIND_LINKS PIP_NO_INDEX
wheels=$SCRATCH/wheels
mkdir -p "$wheels"
python3 "$TOP/tests/fixtures/index_wheels.py" "$wheels" \
	'alpha 1.0 requires=beta>=1 entry=alpha=alpha:main' 'alpha 1.1' \
	'beta 1.0' 'beta 2.0' 'gamma 0.1 kind=setup' >/dev/null
cp "$builders"/*.whl "$wheels"

start_index index --index "=$wheels"
index=http://127.0.0.1:$port/simple/
export PIP_INDEX_URL=$index

# export_lock REQUIREMENT...: pylock.toml of a project that asks for these, as
# uv resolves and exports it.
export_lock() {
	[ -x "$uv" ] || skip 'no uv (make deps)'
	mkdir -p project
	{
		printf '[project]\nname = "p"\nversion = "0"\n'
		printf 'requires-python = ">=3.11,<3.12"\ndependencies = ['
		printf '"%s",' "$@"
		printf ']\n'
	} >project/pyproject.toml
	"$uv" export --quiet --project project --no-emit-project \
		--index-url "$index" --cache-dir "$PWD/uv" \
		--format pylock.toml -o pylock.toml
	cat pylock.toml
}

eb() {
	local verb=$1
	shift
	"$ENVBUILD" "$verb" pylock.toml --base "rootfs:$base" \
		--channel "file://$channel" --cache-dir "$PWD/c" "$@"
}

# pins_of LOCK, pins_of pylock.toml: name, version and sha256, sorted.
pins_of() {
	python3 - "$1" <<-'END'
		import json, sys
		with open(sys.argv[1], 'rb') as f:
		    text = f.read()
		if sys.argv[1].endswith('.toml'):
		    import tomllib
		    for p in tomllib.loads(text.decode())['packages']:
		        one = (p.get('wheels') or [p['sdist']])[0]
		        print(p['name'], p['version'],
		              one['hashes']['sha256'])
		else:
		    for p in json.loads(text)['locked']['packages']:
		        if p['kind'] == 'pypi':
		            print(p['name'], p['version'], p['sha256'])
	END
}

whole() {
	export_lock 'alpha==1.0' gamma
	eb lock --output env.lock
	pins_of pylock.toml | sort >theirs
	pins_of env.lock >ours
	diff theirs ours
	same "$(wc -l <ours)" 3
	eb build --lock env.lock
	eb run -- python -c 'import alpha, beta, gamma; print("fine")' >out
	same "$(cat out)" fine
	# uv finds in the image just what it locked.
	eb run -- python -c 'import importlib.metadata as m
print(sorted(d.name + "==" + d.version for d in m.distributions()))' >out
	cat out
	grep -qF "'alpha==1.0', 'beta==2.0', 'gamma==0.1'" out
}
it 'what uv exports is locked as it is, built, run' whole

# Nothing is resolved: newer versions and pages do not matter.
as_it_is() {
	export_lock 'alpha==1.0'
	curl -sf -X DELETE "http://127.0.0.1:$port/_log"
	ENVBUILD_UV=/nonexistent eb lock --output one.lock
	curl -sf "http://127.0.0.1:$port/_log" >log
	cat log
	! grep -q '"/simple/' log || fail 'a page was read'
	cp pylock.toml pylock.other.toml
	"$ENVBUILD" lock pylock.other.toml --base "rootfs:$base" \
		--channel "file://$channel" --cache-dir "$PWD/c" \
		--output two.lock
	same "$(jq -c .locked one.lock)" "$(jq -c .locked two.lock)"
}
it 'without uv and without pages; again the same lock' as_it_is

same_hash() {
	export_lock 'alpha==1.0'
	one=$(eb hash | grep ^definition)
	sed -i 's/^created-by.*/created-by = "someone"/; s/#.*//' pylock.toml
	printf '[tool.x]\ny = 1\n' >>pylock.toml
	same "$(eb hash | grep ^definition)" "$one"
	sed -i 's/^version = "1.0"/version = "1.1"/' pylock.toml
	[ "$(eb hash | grep ^definition)" != "$one" ] || fail 'one hash for two'
	eb hash --show | grep '^pip-locked {'
	eb hash --show | grep "^conda python\[version='3.11\.\*'\]"
}
it 'the definition hash is of packages, versions and hashes' same_hash

# hostile WORDS EXIT TEXT...: refused with a place.
hostile() {
	local words=$1 status=$2
	shift 2
	printf '%s\n' "$@" >pylock.toml
	fails "$status" "$words" eb lock
	grep -q 'pylock.toml:[0-9]*:[0-9]*: ' stderr || fail 'no place'
}

refused() {
	local hash
	hash=$(printf '%064d' 1)
	hostile 'lock-version 2.0' 7 'lock-version = "2.0"' 'packages = []'
	hostile 'lock-version' 3 'packages = []'
	hostile 'list of packages' 3 'lock-version = "1.0"'
	hostile 'pylock.toml' 3 'lock-version = "1.0' 'packages = []'
	hostile 'no name of a project' 3 'lock-version = "1.0"' \
		'[[packages]]' 'name = "../x"'
	hostile 'no sha256' 3 'lock-version = "1.0"' '[[packages]]' \
		'name = "a"' 'version = "1"' \
		"wheels = [{ url = '${index}a-1-py3-none-any.whl' }]"
	hostile 'no file of it fits' 1 'lock-version = "1.0"' '[[packages]]' \
		'name = "a"' 'version = "1"' \
		"wheels = [{ url = '${index}a-1-cp27-cp27m-win32.whl', \
hashes = { sha256 = '$hash' } }]"
	hostile 'requires-python' 3 'lock-version = "1.0"' \
		'requires-python = "3"' 'packages = []'
	hostile 'twice' 3 'lock-version = "1.0"' \
		'[[packages]]' 'name = "a"' 'version = "1"' \
		"wheels = [{ url = '${index}a-1-py3-none-any.whl', \
hashes = { sha256 = '$hash' } }]" \
		'[[packages]]' 'name = "A"' 'version = "1"' \
		"wheels = [{ url = '${index}a-1-py3-none-any.whl', \
hashes = { sha256 = '$hash' } }]"
}
it 'what is no lock, newer, broken or for others is refused' refused

# What the lock says of a file holds: hash and size.
verified() {
	export_lock 'beta==2.0'
	sed -i 's/sha256 = "..../sha256 = "0000/' pylock.toml
	fails 6 'beta-2.0' eb build
	same "$(ls c/tmp)" ''
}
it 'a file with another hash is refused' verified

# A file that is known by its sha512 alone is read once for its sha256.
sha512() {
	local file=$wheels/beta-2.0-py3-none-any.whl
	printf '%s\n' 'lock-version = "1.0"' 'requires-python = ">=3.9"' \
		'[[packages]]' 'name = "beta"' 'version = "2.0"' \
		'[packages.archive]' "path = '$file'" '[packages.archive.hashes]' \
		"sha512 = '$(sha512sum "$file" | cut -d' ' -f1)'" >pylock.toml
	eb lock --output env.lock
	jq -r '.locked.packages[] | select(.name == "beta").sha256' \
		env.lock >is
	same "$(cat is)" "$(sha256sum "$file" | cut -d' ' -f1)"
	eb build --lock env.lock
	sed -i "s/sha512 = '..../sha512 = '0000/" pylock.toml
	fails 6 'none of the hashes' eb lock
}
it 'a sha512 alone is enough; the lock has the sha256' sha512

done_testing
