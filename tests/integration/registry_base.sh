#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# A base in a registry: by tag, by digest, from an index; what of it is fetched,
# and how it gets to where the image goes.
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/../lib.sh"
# shellcheck source=tests/faults.sh
. "$(dirname "$0")/../faults.sh"
# shellcheck source=tests/registry_lib.sh
. "$(dirname "$0")/../registry_lib.sh"

for program in "$registry_program" skopeo umoci; do
	command -v "$program" >/dev/null || {
		echo "no program \"$program\" (make deps)"
		exit 77
	}
done
unset REGISTRY_AUTH_FILE DOCKER_CONFIG
export HOME=$SCRATCH/home
mkdir "$HOME"
small "$SCRATCH/channel" normal
start_registry other
other=$registry
start_registry main
host=$registry
base=$(need_base)
layout=$SCRATCH/layout

# Two images with one layer each: one tells its glibc by labels, one does not.
make_bases() {
	umoci init --layout "$layout"
	umoci new --image "$layout:silent"
	umoci raw add-layer --image "$layout:silent" "$base"
	umoci tag --image "$layout:silent" told
	umoci config --image "$layout:told" \
		--config.label org.opencontainers.image.ref.name=debian \
		--config.label org.opencontainers.image.version=12
	for tag in silent told; do
		skopeo copy -q --dest-tls-verify=false "oci:$layout:$tag" \
			"docker://$host/base/debian:$tag"
	done
}
make_bases >"$SCRATCH/made" 2>&1 || {
	cat "$SCRATCH/made"
	exit 1
}
layer=$(skopeo inspect --raw --tls-verify=false \
	"docker://$host/base/debian:told" | jq -r '.layers[0].digest')

# define SPEC: the definition env.yml
define() {
	printf 'channels: [file://%s]\ndependencies: [%s]\n' \
		"$SCRATCH/channel" "$1" >env.yml
}

# eb BASE OPTION...: with a store of the test's own
eb() {
	local from=$1
	shift
	"$ENVBUILD" build env.yml --base "$from" --cache-dir store "$@"
}

# layer_gets NAME: how often the base's layer was fetched there.
layer_gets() {
	requests_count "$1" "^GET /v2/[^ ]*/blobs/$layer "
}

by_tag() {
	define normal
	requests_forget main
	eb "$host/base/debian:told" --no-push >image
	same "$(layer_gets main)" 0
	same "$(find store/blobs -name "${layer#sha256:}")" ''
	# the whole of it is there when it is needed
	same "$(XDG_CACHE_HOME=$PWD/x "$ENVBUILD" run "$(cat image)" \
		--cache-dir store -- cat /etc/debian_version | cut -c 1-2)" 12
	same "$(layer_gets main)" 1
	sound store
}

silent_is_streamed_once() {
	define normal
	requests_forget main
	eb "$host/base/debian:silent" --no-push -v 2>log >first
	same "$(layer_gets main)" 1
	same "$(find store/blobs -name "${layer#sha256:}")" ''
	define 'normal=1.0'
	eb "$host/base/debian:silent" --no-push >second
	same "$(layer_gets main)" 1
	sound store
}

# What one builder has learned by streaming, another one of the team knows.
silent_is_shared() {
	define normal
	eb "$host/base/debian:silent" --registry "$host/team/silent" >first
	rm -rf store
	requests_forget main
	define 'normal=1.0'
	eb "$host/base/debian:silent" --registry "$host/team/silent" >second
	same "$(layer_gets main)" 0
}

by_digest() {
	local digest
	digest=$(skopeo inspect --raw --tls-verify=false \
		"docker://$host/base/debian:told" | sha256sum | cut -d ' ' -f 1)
	define normal
	eb "$host/base/debian:told" --no-push >tag
	eb "$host/base/debian@sha256:$digest" --no-push >pinned
	# another definition, the same lock, the same image
	same "$(cat pinned)" "$(cat tag)"
	fails 4 'no such image' eb \
		"$host/base/debian@sha256:$(printf '0%.0s' $(seq 64))" --no-push
	no_half
}

no_half() {
	same "$(find store/tmp -mindepth 1)" ''
}

# An index of two platforms, made by hand.
from_index() {
	local size digest
	skopeo inspect --raw --tls-verify=false \
		"docker://$host/base/debian:told" >child
	digest=$(sha256sum child | cut -d ' ' -f 1)
	size=$(wc -c <child)
	cat >index <<-END
		{"schemaVersion": 2,
		 "mediaType": "application/vnd.oci.image.index.v1+json",
		 "manifests": [{
		  "mediaType": "application/vnd.oci.image.manifest.v1+json",
		  "digest": "sha256:$digest", "size": $size,
		  "platform": {"os": "linux", "architecture": "amd64"}}]}
	END
	curl -sf -X PUT --data-binary @index -H \
		'Content-Type: application/vnd.oci.image.index.v1+json' \
		"http://$host/v2/base/debian/manifests/index"
	define normal
	eb "$host/base/debian:told" --no-push >one
	eb "$host/base/debian:index" --no-push >two
	same "$(cat one)" "$(cat two)"
	fails 3 'linux/arm64' eb "$host/base/debian:index" --no-push \
		--platform linux/arm64
}

mounted_on_its_host() {
	registry_with mounts
	define normal
	requests_forget main
	eb "$host/base/debian:told" --registry "$host/team/env" >image
	same "$(layer_gets main)" 0
	same "$(requests_count main \
		"^POST /v2/team/env/blobs/uploads/[^ ]*mount=[^ ]* 201")" 1
	skopeo copy -q --src-tls-verify=false \
		"docker://$(cat image)" oci:copy:x
}

copied_to_another_host() {
	define normal
	requests_forget main
	eb "$host/base/debian:told" --registry "$other/team/env" >image
	same "$(layer_gets main)" 1
	same "$(find store/blobs -name "${layer#sha256:}")" ''
	skopeo copy -q --src-tls-verify=false \
		"docker://$(cat image)" oci:copy:x
	# and never again
	define 'normal=1.0'
	eb "$host/base/debian:told" --registry "$other/team/env" >image
	same "$(layer_gets main)" 1
}

tag_moves() {
	define normal
	skopeo copy -q --src-tls-verify=false --dest-tls-verify=false \
		"docker://$host/base/debian:told" "docker://$host/base/debian:mine"
	"$ENVBUILD" lock env.yml --base "$host/base/debian:mine" \
		--cache-dir store --output env.lock
	skopeo copy -q --src-tls-verify=false --dest-tls-verify=false \
		"docker://$host/base/debian:silent" \
		"docker://$host/base/debian:mine"
	rm -rf store
	eb "$host/base/debian:mine" --lock env.lock --no-push >image
	eb "$host/base/debian:told" --no-push >told
	same "$(cat image)" "$(cat told)"
}

offline() {
	define normal
	fails 4 'base' eb "$host/base/debian:told" --offline
	eb "$host/base/debian:told" --no-push >first
	define 'normal=1.0'
	eb "$host/base/debian:told" --offline >second
	fails 4 'base' eb "$host/base/debian:silent" --offline
}

wrong_ones() {
	define normal
	fails 4 "$host/base/debian:none" eb "$host/base/debian:none" --no-push
	fails 4 "$host/no/such" eb "$host/no/such:tag" --no-push
	fails 4 127.0.0.1:1 eb 127.0.0.1:1/base:tag --no-push
	fails 2 'Base' eb "$host/Base:tag" --no-push
	eb "$host/base/debian:told" --registry "$host/team/env" >image
	fails 3 'is an environment' eb "$(cat image)" --no-push
	no_half
}

it 'a base by tag: only manifest and configuration' by_tag
it 'a base whose glibc nothing tells is streamed once' silent_is_streamed_once
it 'what was streamed is shared with the team' silent_is_shared
it 'a base by digest' by_digest
it 'a base from an index, by platform' from_index
it "a base's layers are mounted on their host" mounted_on_its_host
it "a base's layers are copied past the disk" copied_to_another_host
it 'a lock keeps its base when the tag moves' tag_moves
it 'a base that is known, without a network' offline
it 'bases that cannot be had' wrong_ones
done_testing
