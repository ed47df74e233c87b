#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# A pip section, the whole way: resolved, locked, layered, run. The index is
# ours; Python is that of the channel of fixtures.
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/../lib.sh"

base=$(need_base)
channel=$(need_channel)
# What builds need comes from the machine's own index.
builders=$(made builders builders)
own=$(made own-pip own-pip)
export PIP_CONFIG_FILE=/dev/null
unset PIP_INDEX_URL PIP_EXTRA_INDEX_URL PIP_FIND_LINKS PIP_NO_INDEX
wheels=$SCRATCH/wheels
mkdir -p "$wheels"
python3 "$TOP/tests/fixtures/index_wheels.py" "$wheels" \
	'alpha 1.0 requires=beta>=1 entry=alpha=alpha:main file=alpha/data.txt:one' \
	'alpha 1.1 requires=beta>=1 entry=alpha=alpha:main file=alpha/data.txt:two' \
	'beta 1.0' 'beta 2.0' \
	'big 3.0 size=3000000 data=scripts/big.sh:#!python\\n data=data/share/big:x' \
	'gamma 0.1 kind=setup requires=beta' \
	'delta 0.5 kind=static' \
	'kappa 1.0 kind=backend requires=alpha' \
	'native 1.0 kind=c' >/dev/null

start_index index --index "=$wheels"
export PIP_INDEX_URL=http://127.0.0.1:$port/simple/

# define LINE...: environment.yml with these lines in its pip section.
define() {
	{
		printf 'dependencies:\n- python\n- pip:\n'
		printf '  - "%s"\n' "$@"
	} >environment.yml
}

eb() {
	local verb=$1
	shift
	"$ENVBUILD" "$verb" environment.yml --base "rootfs:$base" \
		--channel "file://$channel" --cache-dir "$PWD/c" "$@"
}

whole() {
	define 'alpha==1.0' 'big'
	eb build --json >json
	cat json
	eb run -- python -c 'import alpha, beta, big; print("fine")' >out
	same "$(cat out)" fine
	eb run -- sh -c 'cat /opt/env/lib/python3.11/site-packages/alpha/data.txt
		ls /opt/env/bin/alpha /opt/env/bin/big.sh /opt/env/share/big
		cat /opt/env/lib/python3.11/site-packages/alpha-*/INSTALLER' >out
	cat out
	grep -q '^one' out
	grep -q '^envbuild$' out
	eb run -- python -c 'import importlib.metadata as m
print(sorted((d.name, d.version) for d in m.distributions()))
print([str(f) for f in m.files("alpha")][:3])' >out
	cat out
	grep -qF "('alpha', '1.0'), ('beta', '2.0'), ('big', '3.0')" out
	"$ENVBUILD" cache check --cache-dir "$PWD/c"
}
it 'wheels: resolved, packed, imported; scripts, data, metadata' whole

faults() {
	curl -sf -X PUT -d "$1" "http://127.0.0.1:$port/_faults"
}

again() {
	define 'alpha==1.0' 'big'
	first=$(eb build)
	faults '404=*'
	same "$(eb build)" "$first"
	eb lock --output env.lock
	rm -rf c
	fails 4 'alpha-1.0' eb build --lock env.lock
	faults ''
	same "$(eb build --lock env.lock)" "$first"
}
it 'the same without an index; from the lock the same bytes' again

changed() {
	define 'alpha==1.0' 'big'
	eb build >/dev/null
	define 'alpha==1.1' 'big'
	eb build --json >json
	cat json
	[ "$(jq '."packed-bytes"' json)" -lt 100000 ]
	[ "$(jq '."fetched-bytes"' json)" -lt 10000 ]
}
it 'one project changed: nothing else is fetched or packed' changed

same_wheel() {
	define 'alpha==1.0'
	eb build --output oci:one >/dev/null
	define 'alpha==1.0' 'beta==2.0'
	eb build --output oci:two >/dev/null
	eb build -v --refresh 2>said >/dev/null || fail "$(cat said)"
	! grep -q '^pack beta' said
}
it 'a wheel is packed once, whoever asks for it' same_wheel

# The page says one thing, the file is another; or it breaks off.
damaged() {
	define 'alpha==1.0'
	eb lock --output env.lock
	rm -rf c
	faults 'bytes=*alpha-1.0*.whl'
	fails 6 'alpha-1.0-py3-none-any.whl' eb build --lock env.lock
	grep -q 'the lock says' stderr
	faults 'cut=*alpha-1.0*.whl'
	fails 6 'alpha-1.0-py3-none-any.whl' eb build --lock env.lock
	faults ''
	same "$(ls c/tmp)" ''
	eb build --lock env.lock
}
it 'a wheel of other bytes, one that breaks off: said' damaged

# A large wheel's own sum is made while it is packed. This one is whole, its
# RECORD is right, its size too, and it is another one.
other_large() {
	local make=("$TOP/tests/fixtures/index_wheels.py" "$wheels")
	local large='large 1.0 stored size=6000000 file=large/d.txt'

	python3 "${make[@]}" "$large:one" >/dev/null
	define 'large'
	eb lock --output large.lock
	cp "$wheels"/large-1.0-*.whl large.whl
	python3 "${make[@]}" "$large:two" >/dev/null
	rm -rf c
	fails 6 'large-1.0-py3-none-any.whl' eb build --lock large.lock
	grep -q 'has the digest sha256:.*, the lock says sha256:' stderr
	same "$(find c/blobs -size +5500k -size -6500k)$(ls c/tmp)" ''
	head -c 5000000 large.whl >"$wheels/large-1.0-py3-none-any.whl"
	fails 6 'large-1.0-py3-none-any.whl' eb build --lock large.lock
	# no zip at all, and no word of that: it is not the one of the lock
	tr '\0-\377' x <large.whl >"$wheels/large-1.0-py3-none-any.whl"
	fails 6 'the lock says sha256:' eb build --lock large.lock
	same "$(find c/blobs -size +5500k -size -6500k)$(ls c/tmp)" ''
	cp large.whl "$wheels/large-1.0-py3-none-any.whl"
	eb build --lock large.lock
	[ -n "$(find c/blobs -size +5500k -size -6500k)" ]
	rm "$wheels/large-1.0-py3-none-any.whl"
}
it 'a large wheel that is another one leaves nothing behind' other_large

unsolvable() {
	define 'alpha==9.0'
	fails 1 'alpha' eb build
	grep -q 'environment.yml:4' stderr
	define 'nothere'
	fails 1 'nothere' eb build
	grep -q 'environment.yml:4' stderr
	define 'alpha==1.0' 'beta<1'
	fails 1 'beta' eb build
}
it 'what cannot be had is explained where it was asked for' unsolvable

needs_of_delta() {
	jq -c '.locked | .. | objects | select(.name? == "delta").build' "$1"
}

from_source() {
	local sum make=("$TOP/tests/fixtures/index_wheels.py" "$wheels")

	cp "$builders"/*.whl "$wheels"
	define 'gamma' 'delta'
	eb build -v 2>said || fail "$(cat said)"
	# What resolving needs to run them in is what they are built in.
	grep -q 'what resolving ran in serves the build too' said ||
		fail "$(cat said)"
	same "$(ls c/tmp)" ''
	eb run -- python -c 'import gamma, delta; print("built")' >out
	same "$(cat out)" built
	# The second time nothing is built.
	eb build -v --refresh 2>said >/dev/null || fail "$(cat said)"
	! grep 'built from' said || fail 'built again'
	# Nor is an archive read again for what its build asks for: it is not
	# there any more, here and on the index.
	sum=$(sha256sum "$wheels"/delta-0.5.tar.gz | cut -c1-64)
	eb lock --refresh --output built.lock
	rm "c/blobs/sha256/$sum"
	faults '404=*delta-0.5.tar.gz'
	eb lock --refresh --output again.lock
	faults ''
	same "$(jq .locked again.lock)" "$(jq .locked built.lock)"
	! needs_of_delta again.lock | grep alpha || fail 'another archive'
	# Another archive of that name and version says something else.
	python3 "${make[@]}" 'delta 0.5 kind=static build-requires=setuptools
		build-requires=alpha' >/dev/null
	eb lock --refresh --output other.lock
	needs_of_delta other.lock | grep -q alpha
	python3 "${make[@]}" 'delta 0.5 kind=static' >/dev/null
	same "$(sha256sum "$wheels"/delta-0.5.tar.gz | cut -c1-64)" "$sum"
}
it 'source distributions are built once, in a sandbox' from_source

# Where there is no uv, a pip of the environment's own gives the same answer.
own_pip() {
	cp "$builders"/*.whl "$wheels"
	define 'alpha==1.0' 'gamma'
	ENVBUILD_UV=none fails 7 'has a pip from 22.2 on' eb lock
	cp "$own"/*.whl "$wheels"
	eb lock --output uv.lock
	ENVBUILD_UV=none eb lock -v --refresh --output pip.lock 2>said ||
		fail "$(cat said)"
	grep 'no uv: pip [0-9.]* of the environment resolves' said
	jq .locked uv.lock >theirs
	jq .locked pip.lock >ours
	diff theirs ours
	jq -r .commentary.resolver pip.lock | grep '^pip [0-9]'
	export ENVBUILD_UV=none
	define 'alpha==9.0'
	fails 1 'alpha==9' eb lock
	grep -q 'environment.yml:4' stderr
	define 'alpha==1.0'
	fails 7 'no --as-of' eb lock --as-of 2040-01-01
}
it 'without uv, a pip of the environment resolves' own_pip

# What stands in files of other machines is read by us: its lines, what they
# name, relative to its own URL; the lock has its hash.
afar() {
	printf -- '-r more.txt\nalpha==1.0\n' >"$wheels/all.txt"
	printf -- '-c none.txt\nbig\n-r ../files/all.txt\n' >"$wheels/more.txt"
	printf 'beta==1.0\n' >"$wheels/none.txt"
	local files=http://me:s3cr3t@127.0.0.1:$port/files
	printf -- '-r %s/all.txt\n' "$files" >requirements.txt
	afar_lock() {
		"$ENVBUILD" lock requirements.txt --base "rootfs:$base" \
			--channel "file://$channel" --cache-dir "$PWD/c" "$@"
	}
	afar_lock --output env.lock -v 2>said || fail "$(cat said)"
	jq -c '[.locked.packages[] | select(.kind == "pypi") |
		[.name, .version]]' env.lock >out
	same "$(cat out)" '[["alpha","1.0"],["beta","1.0"],["big","3.0"]]'
	jq -r '.commentary.included[] | .url + " " + .sha256' env.lock |
		sort >out
	cat out
	same "$(wc -l <out)" 3
	grep -qxF "http://127.0.0.1:$port/files/none.txt $(
		printf 'beta==1.0\n' | sha256sum | sed 's/^/sha256:/; s/ .*//')" out
	! grep -r s3cr3t env.lock said c || fail 'the password is there'
	printf 'alpha==1.0\n./local\n' >"$wheels/more.txt"
	fails 3 'of this machine' afar_lock --refresh
	grep -qF "http://127.0.0.1:$port/files/more.txt:2" stderr
	rm "$wheels/more.txt"
	fails 4 'files/more.txt' afar_lock --refresh
	head -c 5000000 /dev/zero >"$wheels/more.txt"
	fails 6 'files/more.txt' afar_lock --refresh
}
it 'requirements of another machine are read and remembered' afar

requirements() {
	printf 'alpha==1.0\n' >requirements.txt
	"$ENVBUILD" build requirements.txt --base "rootfs:$base" \
		--channel "file://$channel" --cache-dir "$PWD/c"
}
it 'a requirements file is an environment' requirements

done_testing
