#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Odd packages and records that are no harm: what an image has of them. Those
# that are refused are in package_faults.sh and channel_faults.sh; the whole
# list of hazards is the table of tests/unit/test_hazards.c.
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/../lib.sh"
# shellcheck source=tests/faults.sh
. "$(dirname "$0")/../faults.sh"

channel=$SCRATCH/channel
small "$channel" normal garbage garbage-bz2 odd-links old-times attributes \
	odd-depends odd-version only-condition

# eb VERB PACKAGES OPTION...: of these packages, in the store "c".
eb() {
	local verb=$1
	printf 'dependencies: [%s]\n' "$2" >env.yml
	shift 2
	"$ENVBUILD" "$verb" env.yml --base scratch --channel "file://$channel" \
		--cache-dir c "$@"
}

# tar_of_image: the tars of all its layers, one after the other.
tar_of_image() {
	local blob
	for blob in $(jq -r '.layers[].digest' "out/blobs/sha256/$(jq -r \
		'.manifests[0].digest' out/index.json | cut -d: -f2)"); do
		gzip -dc <"out/blobs/sha256/${blob#sha256:}"
	done
}

garbage() {
	eb build garbage --output rootfs:root
	same "$(cat root/opt/env/share/garbage/file)" 'a file of garbage'
	sound c
	rm -rf c
	fails 6 '"garbage-bz2-1.0-0.tar.bz2"' eb build garbage-bz2
	no_image c
}
it 'something behind the end: of a zip passed over, of bzip2 an error' garbage

links() {
	eb build odd-links 2>said >reference
	eb build odd-links --output rootfs:root
	has_words said '"lib/libcuda.so" to "/usr/lib/libcuda.so.1"'
	has_not said dangling
	same "$(readlink root/opt/env/lib/libcuda.so)" /usr/lib/libcuda.so.1
	same "$(readlink root/opt/env/lib/dangling.so)" missing.so.1
	same "$(cat root/opt/env/lib/good.so)" real
	jq -c '.paths_data.paths[] | [._path, .path_type, .sha256_in_prefix]' \
		root/opt/env/conda-meta/odd-links-1.0-0.json | tee paths
	has_words paths '["lib/libcuda.so","softlink",null]' \
		'["lib/dangling.so","softlink",null]' \
		"[\"lib/good.so\",\"softlink\",\"$(printf real | sha256sum |
			cut -d' ' -f1)\"]"
	"$ENVBUILD" verify "$(cat reference)" --cache-dir c >said
	cat said
	has_words said '"lib/dangling.so"'
}
it 'links to nowhere and out of the prefix stay' links

times() {
	eb build old-times --output rootfs:root
	same "$(stat -c %Y root/opt/env/share/zero)" 0
	same "$(stat -c %Y root/opt/env/share/old)" 315532799
	same "$(stat -c %Y root/opt/env/share/before)" 0
}
it 'times before 1980 stay, before 1970 is 1970' times

attributes() {
	eb build attributes --output oci:out
	tar_of_image >layers
	has_not layers SCHILY
	has_not layers 4711
	tar -tvf layers --ignore-zeros --numeric-owner | grep bin/ping | tee ping
	has_words ping '-rwxr-xr-x 0/0'
	# nor does it matter what this account's files are to be
	umask 077
	eb build attributes --output rootfs:root
	same "$(stat -c %a root/opt/env/bin root/opt/env/bin/ping | tr '\n' ' ')" \
		'755 755 '
}
it 'capabilities, attributes, access lists and owners are left out' attributes

records() {
	eb lock odd-depends --output lock
	jq -r '.locked.packages[] | "\(.name) \(.version)"' lock | sort >got
	printf '%s\n' '__anaconda_core_depends 1.0' 'normal 1.1' \
		'odd-depends 1.0' >want
	diff want got
	eb lock odd-version --output lock
	same "$(jq -r '.locked.packages[0].version' lock)" 0.9
	eb lock 'odd-version=v1.0' --output lock
	same "$(jq -r '.locked.packages[0].version' lock)" v1.0
	fails 1 '"only-condition' eb lock only-condition --output none
	has_words stderr "normal ; python_version < '3'"
	[ ! -e none ]
}
it 'odd dependencies and versions; a build that nobody can satisfy' records

done_testing
