#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# --build-base: what has to be compiled is compiled on another base than the
# image has, by the compiler that is there.
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/../lib.sh"
# shellcheck source=tests/registry_lib.sh
. "$(dirname "$0")/../registry_lib.sh"

packages=$ENVBUILD_DATA/conda/packages/main-2018-py37
[ -d "$packages" ] || {
	echo 'no "conda/packages/main-2018-py37" in the data folder'
	exit 77
}
base=$(need_base)
builder=$(made builder.tar debian-builder)
export PIP_CONFIG_FILE=/dev/null PIP_NO_INDEX=1 PIP_FIND_LINKS=$SCRATCH/sources
unset PIP_INDEX_URL PIP_EXTRA_INDEX_URL
python3 "$TOP/tests/fixtures/index_wheels.py" "$PIP_FIND_LINKS" \
	'native 1.0 kind=static-c' 'other 1.0 kind=static-c' 'pure 1.0' >/dev/null

# define PROJECT...: environment.yml with these in its pip section.
define() {
	printf 'channels: ["file://%s"]\ndependencies:\n- python=3.7.0\n' \
		"$packages"
	[ $# = 0 ] || printf -- '- pip: [%s]\n' "$(IFS=,; echo "$*")"
} >environment.yml

eb() {
	local verb=$1
	shift
	timeout 100 "$ENVBUILD" "$verb" environment.yml --cache-dir "$SCRATCH/c" \
		--base "rootfs:$base" --no-build-isolation native \
		--no-build-isolation other "$@"
}

# on BASE VERB [OPTION]...
on() {
	local build=$1 verb=$2
	shift 2
	eb "$verb" --build-base "$build" "$@"
}

# Two with one content each: one says that it is an old distribution.
make_bases() {
	umoci init --layout "$SCRATCH/bases"
	umoci new --image "$SCRATCH/bases:now"
	umoci raw add-layer --image "$SCRATCH/bases:now" "$base"
	umoci tag --image "$SCRATCH/bases:now" old
	umoci config --image "$SCRATCH/bases:old" \
		--config.label org.opencontainers.image.ref.name=ubuntu \
		--config.label org.opencontainers.image.version=18.04
}

no_compiler() {
	define native
	fails 8 'has no C compiler' eb build
	grep -q 'there is no C compiler: neither in base ' stderr
	grep -q 'a --build-base with one' stderr
	grep -q '"gcc_linux-64"' stderr
	fails 8 'has no C compiler' on "rootfs:$base" build
	grep -qF "neither in build base \"rootfs:$base\"" stderr
}
it 'no compiler: said before the build, with what to add' no_compiler

compiled() {
	define native
	on "rootfs:$builder" build --output oci:image >/dev/null
	on "rootfs:$builder" run -- python -c \
		'from native import _c; print(_c.answer(), _c.__file__)' >out
	cat out
	grep -q '^42 /opt/env/.*\.so$' out
	# The image has nothing of what it was compiled on.
	fails 127 '' on "rootfs:$builder" run -- gcc --version
	manifest=$(jq -r '.manifests[0].digest' image/index.json)
	jq '[.layers[].size] | add' "image/blobs/sha256/${manifest#*:}" >size
	[ "$(cat size)" -lt "$(($(stat -c %s "$builder") / 4))" ] ||
		fail "the image has $(cat size) bytes"
}
it 'compiled on a build base that is no part of the image' compiled

locked() {
	define native
	on "rootfs:$builder" lock --output env.lock
	jq -e '.locked["build-base"] | startswith("sha256:")' env.lock
	jq -e '.commentary["build-base"] | startswith("rootfs:")' env.lock
	same "$(on "rootfs:$builder" lock --json | jq -r '."build-base"')" \
		"$(jq -r '.locked["build-base"]' env.lock)"
	same "$(on "rootfs:$builder" lock --json | jq -r .base)" \
		"$(jq -r .locked.base env.lock)"
	# It counts by its content, wherever it lies.
	cp "$builder" copy.tar
	same "$(on rootfs:copy.tar build --lock env.lock)" \
		"$(on "rootfs:$builder" build)"
	fails 3 'another definition' on "rootfs:$base" build --lock env.lock
	fails 3 'another definition' eb build --lock env.lock
}
it 'it is in the lock and in the definition' locked

unneeded() {
	define
	same "$(on "rootfs:$builder" hash)" "$(eb hash)"
	define pure
	[ "$(on "rootfs:$builder" hash)" != "$(eb hash)" ] || fail 'one hash'
	on "rootfs:$builder" lock --output env.lock
	jq -e '.locked | has("build-base") | not' env.lock
	jq -e '.commentary | has("build-base") | not' env.lock
}
it 'where nothing is built no lock names one' unneeded

forms() {
	need_program umoci
	need_program skopeo
	make_bases
	local from form
	start_registry images
	from=oci:$SCRATCH/bases:now
	skopeo copy -q "$from" oci-archive:image.oci.tar
	skopeo copy -q "$from" docker-archive:image.docker.tar
	skopeo copy -q --dest-tls-verify=false "$from" \
		"docker://$registry/bases/now:1"
	define native
	on "$from" lock --json | jq -er '."build-base"' >digest
	for form in oci-archive:image.oci.tar docker-archive:image.docker.tar \
		"$registry/bases/now:1"; do
		on "$form" lock --json | jq -er '."build-base"' >this
		[ "$form" = docker-archive:image.docker.tar ] ||
			same "$(cat this)" "$(cat digest)"
	done
	# By what the lock says, from where it was.
	on "$registry/bases/now:1" lock --output env.lock
	for form in --no-push "--registry=$registry/team"; do
		rm -rf "$SCRATCH/c"
		fails 8 'has no C compiler' on "$registry/bases/now:1" build \
			--lock env.lock "$form"
		grep -qF "in build base \"$registry/bases/now:1\"" stderr
	done
}
it 'all kinds of bases; one in a registry' forms

refused() {
	need_program umoci
	[ -d "$SCRATCH/bases" ] || make_bases
	define native
	fails 3 'newer than 2.27 of the base: what it compiles would not start' \
		on "rootfs:$builder" lock --base "oci:$SCRATCH/bases:old"
	grep -q 'name a --build-base with glibc 2.27 or older' stderr
	fails 2 'nothing can be built' on scratch lock
	fails 3 'absent.tar' on rootfs:absent.tar lock
	grep -q 'build-base' stderr
	fails 2 'build-env' eb lock --build-env NAME
	fails 2 'PROJECT:NAME=VALUE' eb lock --build-env other:=1
}
it 'a newer C library, scratch, one that is not there' refused

variables() {
	define native other
	on "rootfs:$builder" lock --build-env A=1 --build-env native:A=2 \
		--build-env Other:B=3 --build-env B=4 --output env.lock
	jq -c '.locked.packages[] | select(.kind == "pypi") |
		[.name, .build.variables]' env.lock >out
	cat out
	grep -qxF '["native",["A=2","B=4"]]' out
	grep -qxF '["other",["A=1","B=3"]]' out
}
it 'variables for all builds, or for those of one project' variables

done_testing
