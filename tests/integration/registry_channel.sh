#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Channels that lie in a registry of containers (oci://).
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/../lib.sh"
# shellcheck source=tests/faults.sh
. "$(dirname "$0")/../faults.sh"
# shellcheck source=tests/registry_lib.sh
. "$(dirname "$0")/../registry_lib.sh"

command -v "$registry_program" >/dev/null || {
	echo "no program \"$registry_program\" (make deps)"
	exit 77
}
unset REGISTRY_AUTH_FILE DOCKER_CONFIG
export HOME=$SCRATCH/home
mkdir "$HOME"
root=$SCRATCH/root
small "$root" normal normal-bz2 clash no-sha256
start_registry main
host=$registry
put() {
	python3 "$TOP/tests/fixtures/oci-channel" "$@"
}
put "$root" "$host/mirror/channel" || exit 1
for form in bz2 gzip none; do
	put --as $form "$root" "$host/mirror/$form" || exit 1
done

# build CHANNEL PACKAGES OPTION...: an image in the store "c".
build() {
	local from=$1
	printf 'dependencies: [%s]\n' "$2" >env.yml
	shift 2
	"$ENVBUILD" build env.yml --base scratch --channel "$from" \
		--cache-dir c "$@"
}

lock() {
	local from=$1
	printf 'dependencies: [%s]\n' "$2" >env.yml
	shift 2
	"$ENVBUILD" lock env.yml --base scratch --channel "$from" \
		--cache-dir c --output lock "$@"
}

locked() {
	jq -S '[.locked.packages[] | del(.channel, .url)]' lock
}

equal() {
	local form
	lock "file://$root" 'normal, normal-bz2, clash-b'
	locked >want
	for form in channel bz2 gzip none; do
		lock "oci://$host/mirror/$form" 'normal, normal-bz2, clash-b'
		locked | diff want -
	done
	same "$(jq -r '.locked.packages[0].url' lock | cut -d / -f 1-5)" \
		"oci://$host/mirror/none"
	build "oci://$host/mirror/channel" 'normal, normal-bz2, clash-b'
	sound c
	# From the lock alone, into another store.
	lock "oci://$host/mirror/channel" normal
	"$ENVBUILD" build lock --cache-dir d
	sound d
}
it 'the same records, whatever their form, and packages' equal

again() {
	lock "oci://$host/mirror/channel" normal
	: >"$SCRATCH/main/access"
	lock "oci://$host/mirror/channel" normal-bz2
	has_not "$SCRATCH/main/access" /repodata.json/blobs/
	grep /repodata.json/manifests/latest "$SCRATCH/main/access"
	lock "oci://$host/mirror/channel" 'normal-bz2, normal' --offline
	fails 4 --offline lock "oci://$host/mirror/gzip" normal --offline
}
it 'records that the store has are not fetched again' again

missing() {
	fails 4 "oci://$host/nothing/noarch" build "oci://$host/nothing" normal
	fails 3 '"oci://x?y"' build "oci://x?y" normal
	fails 1 '"no-such-name"' build "oci://$host/mirror/channel" \
		no-such-name
	# By its sha256 alone a registry can be asked.
	fails 3 sha256 build "oci://$host/mirror/channel" no-sha256
	no_image c
}
it 'what is not there' missing

done_testing
