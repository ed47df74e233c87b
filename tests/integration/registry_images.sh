#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# push, pull, inspect against a real registry: what is sent, what is not, and
# that other programs read it.
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/../lib.sh"
# shellcheck source=tests/registry_lib.sh
. "$(dirname "$0")/../registry_lib.sh"

for program in "$registry_program" umoci; do
	command -v "$program" >/dev/null || {
		echo "no program \"$program\" (make deps)"
		exit 77
	}
done
start_registry main
host=$registry
layout=$SCRATCH/layout
unset REGISTRY_AUTH_FILE DOCKER_CONFIG
export HOME=$SCRATCH/home
mkdir -p "$HOME"

eb() {
	"$ENVBUILD" "$@"
}

# add_layer TAG NAME BYTES: one more layer of one file to the layout's image.
add_layer() {
	mkdir -p "$SCRATCH/layer/data"
	head -c "$3" /dev/urandom >"$SCRATCH/layer/data/$2"
	tar -C "$SCRATCH/layer" -cf "$SCRATCH/layer.tar" data
	umoci raw add-layer --image "$layout:$1" "$SCRATCH/layer.tar"
	rm -rf "$SCRATCH/layer" "$SCRATCH/layer.tar"
}

# An image of four layers, and the same with one more.
make_images() {
	umoci init --layout "$layout"
	umoci new --image "$layout:v1"
	add_layer v1 one 300000
	add_layer v1 two 5000
	add_layer v1 three 70000
	add_layer v1 four 100
	umoci config --image "$layout:v1" --config.env A=b \
		--config.label word=hello
	umoci tag --image "$layout:v1" v2
	add_layer v2 five 40000
}
make_images >"$SCRATCH/made" 2>&1 || {
	cat "$SCRATCH/made"
	exit 1
}
digest=$(jq -r '.manifests[] | select(.annotations
	["org.opencontainers.image.ref.name"] == "v1") | .digest' \
	"$layout/index.json")
id=$(jq -r .config.digest "$layout/blobs/sha256/${digest#sha256:}")

# remote REFERENCE: the digest of what the registry has there, by other eyes.
remote() {
	skopeo inspect --raw --tls-verify=false "docker://$1" | sha256sum |
		sed 's/^\(.*\)  -/sha256:\1/'
}

no_tag() {
	same "$(curl -s -o /dev/null -w '%{http_code}' \
		-H 'Accept: application/vnd.oci.image.manifest.v1+json' \
		"http://$1/v2/$2/manifests/$3")" 404
}

first_push() {
	same "$(eb push "oci:$layout:v1" "$host/team/a:v1")" \
		"$host/team/a@$digest"
	same "$(remote "$host/team/a:v1")" "$digest"
	same "$(requests main | grep -c 'PUT /v2/team/a/blobs/uploads/.* 201')" 5
	# The manifest is what was written last.
	same "$(requests main | grep -E '^(POST|PUT|PATCH)' | tail -n 1)" \
		'PUT /v2/team/a/manifests/v1 201'
}
it 'an image of a layout is pushed, its manifest last' first_push

by_skopeo() {
	need_program skopeo
	skopeo copy -q --preserve-digests --src-tls-verify=false \
		"docker://$host/team/a:v1" oci:copy:v1
	same "$(jq -r '.manifests[0].digest' copy/index.json)" "$digest"
	for blob in copy/blobs/sha256/*; do
		cmp "$blob" "$layout/blobs/sha256/${blob##*/}"
	done
}
it 'skopeo copies it out of there, byte for byte' by_skopeo

by_podman() {
	need_program podman
	# podman wants a short path there.
	short=$(mktemp -d /tmp/eb.XXXXXX)
	trap 'rm -rf "$short"' EXIT
	podman() {
		command podman --root "$PWD/pod" --runroot "$short" \
			--storage-driver vfs "$@"
	}
	podman pull -q --tls-verify=false "$host/team/a:v1" >pulled
	same "sha256:$(tail -n 1 pulled)" "$id"
	same "$(podman inspect --format '{{.Config.Labels.word}}' \
		"$host/team/a:v1")" hello
	podman rmi -af >removed
}
it 'podman pulls it' by_podman

# crane, which no distribution packages: where it is in PATH, or ENVBUILD_CRANE.
crane=${ENVBUILD_CRANE:-crane}
by_crane() {
	"$crane" validate --insecure --remote "$host/team/a:v1"
	same "$("$crane" digest --insecure "$host/team/a:v1")" "$digest"
	same "sha256:$("$crane" manifest --insecure "$host/team/a@$digest" |
		sha256sum | cut -d ' ' -f 1)" "$digest"
	same "sha256:$("$crane" config --insecure "$host/team/a:v1" |
		sha256sum | cut -d ' ' -f 1)" "$id"
}
if command -v "$crane" >/dev/null; then
	it 'crane finds it valid' by_crane
fi

second_push() {
	requests_forget main
	eb push "oci:$layout:v1" "$host/team/a:v1" --json >said
	same "$(jq -r '[.reference, .sent, .["sent-bytes"], .mounted] |
		map(tostring) | join(" ")' said)" "$host/team/a@$digest 0 0 0"
	same "$(requests_count main '^(POST|PUT|PATCH|GET) ')" 0
	same "$(requests_count main '^HEAD ')" 2
}
it 'the same again sends nothing' second_push

other_tag() {
	requests_forget main
	eb push "oci:$layout:v1" "$host/team/a" --tag extra --tag v1
	same "$(requests_count main '^(POST|PATCH|GET) ')" 0
	same "$(requests_count main '^PUT ')" 1
	same "$(remote "$host/team/a:extra")" "$digest"
	no_tag "$host" team/a latest
	eb push "oci:$layout:v1" "$host/team/a"
	same "$(remote "$host/team/a:latest")" "$digest"
}
it 'one more tag is one more manifest, and no blob' other_tag

changed() {
	before=$(blob_bytes main)
	requests_forget main
	eb push "oci:$layout:v2" "$host/team/a:v2" --json >said
	same "$(jq -r '[.sent, .there, .mounted] | map(tostring) | join(" ")' \
		said)" '2 4 0'
	same "$(requests_count main '^PUT .*/blobs/uploads/.* 201')" 2
	# Layer, configuration and manifest; nothing of the others.
	grown=$(($(blob_bytes main) - before))
	[ "$grown" -gt 40000 ] && [ "$grown" -lt 46000 ]
}
it 'one layer more: that one is sent' changed

mounted() {
	registry_with mounts
	before=$(blob_bytes main)
	requests_forget main
	eb push "oci:$layout:v1" "$host/team/b:v1" \
		--tag "$host/else/where:v9" --json >said
	same "$(jq -r '[.mounted, .["sent-bytes"], .["copied-bytes"]] |
		map(tostring) | join(" ")' said)" '10 0 0'
	same "$(requests_count main '^POST .*mount=.* 201')" 10
	same "$(requests_count main '^(PUT|PATCH) .*/blobs/')" 0
	same "$(blob_bytes main)" "$before"
	same "$(remote "$host/team/b:v1")" "$digest"
	same "$(remote "$host/else/where:v9")" "$digest"
	eb push "$host/team/a:v1" "$host/team/w:v1"
	same "$(requests_count main '^POST .*/team/w/.*mount=.* 201')" 5
}
it 'a second repository mounts: no byte is sent' mounted

copied() {
	start_registry far
	far=$registry
	before=$(du -sk "$XDG_CACHE_HOME" | cut -f1)
	same "$(eb push "$host/team/a:v1" "$far/x/y:v1" --tag "$host/c/d:v1")" \
		"$far/x/y@$digest"
	same "$(remote "$far/x/y:v1")" "$digest"
	same "$(remote "$host/c/d:v1")" "$digest"
	same "$(du -sk "$XDG_CACHE_HOME" | cut -f1)" "$before"
	same "$(requests_count far '^PUT .*/blobs/uploads/.* 201')" 5
}
it 'from registry to registry, not by way of the disk' copied

copied_by_digest() {
	start_registry away
	same "$(eb push "$host/team/a@$digest" "$registry/x/z:v1")" \
		"$registry/x/z@$digest"
	same "$(requests_count away '^PUT .*/x/z/blobs/uploads/.* 201')" 5
}
it 'the same by digest' copied_by_digest

pulled() {
	cache=$PWD/cache
	same "$(eb pull "$host/team/a:v1" --cache-dir "$cache")" "store:$digest"
	eb cache gc --cache-dir "$cache"
	eb cache check --cache-dir "$cache" >checked
	grep -qF '6 blobs' checked
	grep -qF '; 0 damaged, 0 missing, 0 unknown;' checked
	requests_forget main
	same "$(eb pull "$host/team/a:v1" --cache-dir "$cache" \
		--output oci:lay --output oci-archive:a.tar \
		--output docker-archive:d.tar --output rootfs:root)" oci:lay:v1
	same "$(requests_count main '^GET .*/blobs/')" 0
	same "$(jq -r '.manifests[0].digest' lay/index.json)" "$digest"
	need_program skopeo
	same "$(skopeo inspect --raw oci-archive:a.tar:v1 | sha256sum |
		cut -d' ' -f1)" "${digest#sha256:}"
	same "$(skopeo inspect --config --raw docker-archive:d.tar |
		sha256sum | cut -d' ' -f1)" "${id#sha256:}"
	same "$(tar -xOf d.tar manifest.json | jq -r '.[0].RepoTags[0]')" \
		"$host/team/a:v1"
	same "$(find root -type f -printf '%f %s\n' | sort | tr '\n' ' ')" \
		'four 100 one 300000 three 70000 two 5000 '
	# What was pulled can be pushed on, from every form.
	for from in "store:$digest" oci-archive:a.tar:v1 oci:lay:v1; do
		same "$(eb push "$from" "$host/again/a:v1" \
			--cache-dir "$cache")" "$host/again/a@$digest"
	done
	eb push docker-archive:d.tar "$host/again/d:v1" --cache-dir "$cache"
	same "$(eb inspect "$host/again/d:v1" --json | jq -r '."image-id"')" \
		"$id"
}
it 'pull to the store, a layout, archives, a root file system' pulled

# wait_for FUNCTION...: at most 20 s.
wait_for() {
	for _ in $(seq 400); do
		! "$@" || return 0
		sleep 0.05
	done
	fail "never: $*"
}

inspected() {
	requests_forget main
	eb inspect "$host/team/a:v1" >said
	same "$(requests_count main '^GET .*/manifests/')" 1
	same "$(requests_count main '^GET .*/blobs/')" 1 # the configuration
	same "$(sed -n 's/^reference  *//p' said)" "$host/team/a@$digest"
	same "$(sed -n 's/^image-id  *//p' said)" "$id"
	grep -qx 'label       word=hello' said
	grep -qx 'env         A=b' said
	grep -q '^layers      4, ' said
	eb inspect "$host/team/a:v1" --json >remote
	eb inspect "oci:$layout:v1" --json >local
	eb inspect "store:$digest" --json >store
	jq -S 'del(.reference)' remote >a
	jq -S 'del(.reference)' local >b
	jq -S 'del(.reference)' store >c
	cmp a b
	cmp a c
	same "$(jq -r '.layers | map(."diff-id") | join(" ")' remote)" \
		"$(jq -r '.rootfs.diff_ids | join(" ")' \
			"$layout/blobs/sha256/${id#sha256:}")"
	same "$(jq -r .size remote)" \
		"$(jq '[.layers[].size] | add' \
			"$layout/blobs/sha256/${digest#sha256:}")"
}
it 'inspect: of a registry without its layers, elsewhere the same' inspected

# One index of two platforms, put together by hand.
make_index() {
	local arch list='' child
	for arch in amd64 arm64; do
		umoci new --image "$layout:$arch"
		umoci config --image "$layout:$arch" --architecture "$arch"
		add_layer "$arch" "$arch" 3000
		child=$(eb push "oci:$layout:$arch" "$host/multi/a:$arch" \
			--platform "linux/$arch")
		eval "$arch=\${child##*@}"
		list="$list${list:+,}$(printf '{"mediaType":"%s","digest":"%s"%s' \
			application/vnd.oci.image.manifest.v1+json \
			"${child##*@}" ",\"size\":$(curl -s -H \
				'Accept: application/vnd.oci.image.manifest.v1+json' \
				"http://$host/v2/multi/a/manifests/$arch" | wc -c)")"
		list="$list,\"platform\":{\"os\":\"linux\",\"architecture\":\"$arch\"}}"
	done
	printf '{"schemaVersion":2,"mediaType":"%s","manifests":[%s]}' \
		application/vnd.oci.image.index.v1+json "$list" >index
	curl -sf -X PUT --data-binary @index -H \
		'Content-Type: application/vnd.oci.image.index.v1+json' \
		"http://$host/v2/multi/a/manifests/all"
	index=sha256:$(sha256sum <index | cut -d' ' -f1)
}

indexes() {
	make_index
	same "$(eb pull "$host/multi/a:all" --platform linux/arm64)" \
		"store:${arm64:?}"
	same "$(eb pull "$host/multi/a:all" --platform linux/amd64)" \
		"store:${amd64:?}"
	jq -c '.manifests |= .[1:]' index >fewer
	curl -sf -X PUT --data-binary @fewer -H \
		'Content-Type: application/vnd.oci.image.index.v1+json' \
		"http://$host/v2/multi/a/manifests/fewer"
	fails 3 'it has: linux/arm64' eb pull "$host/multi/a:fewer" \
		--platform linux/amd64
	eb inspect "$host/multi/a:all" --platform linux/arm64 --json >said
	same "$(jq -r '[.digest, .index, .platform] | join(" ")' said)" \
		"$arm64 $index linux/arm64"
	same "$(jq -r '.platforms | join(" ")' said)" 'linux/amd64 linux/arm64'
	same "$(eb push "$host/multi/a:all" "$host/multi/b:all")" \
		"$host/multi/b@$index"
	same "$(remote "$host/multi/b:all")" "$index"
	same "$(remote "$host/multi/b@$arm64")" "$arm64"
	same "$(requests main | grep 'PUT /v2/multi/b/' | tail -n 1)" \
		'PUT /v2/multi/b/manifests/all 201'
}
it 'indexes: a platform is pulled, all of it is copied' indexes

sent_one() {
	[ "$(requests_count main 'PUT /v2/killed/a/blobs/uploads/.* 201')" -ge 1 ]
}

# The registry stands still while we are killed, in the middle of the big one.
killed() {
	umoci new --image "$layout:big"
	for n in a b c d; do
		add_layer big "$n" 1000
	done
	add_layer big big 150000000
	digest=$(eb pull "oci:$layout:big" | sed 's/^store://')
	requests_forget main
	# Not by eb, whose process would be the shell's.
	"$ENVBUILD" push "store:$digest" "$host/killed/a:v1" >said 2>&1 &
	pusher=$!
	wait_for sent_one
	kill -STOP "$(cat "$SCRATCH/main/pid")"
	kill -KILL "$pusher"
	kill -CONT "$(cat "$SCRATCH/main/pid")"
	wait "$pusher" 2>/dev/null || same $? 137
	no_tag "$host" killed/a v1
	same "$(requests_count main 'PUT /v2/killed/a/manifests/')" 0
	eb push "store:$digest" "$host/killed/a:v1" --json >said
	[ "$(jq -r .there said)" -ge 1 ]
	same "$(remote "$host/killed/a:v1")" "$digest"
	eb cache check >said
}
it 'killed in the middle: no tag; the next one goes on' killed

cut_off() {
	start_registry gone
	eb push "oci:$layout:v1" "$registry/x:v1"
	stop_registry gone
	fails 4 "$registry/x" eb pull "$registry/x:v1" --timeout 2s
	fails 4 "$registry/x" eb push "oci:$layout:v1" "$registry/x:v1" \
		--timeout 2s
}
it 'a registry that is gone is exit 4' cut_off

refused() {
	fails 4 'the registry has no such image' eb pull "$host/no/such:v1"
	fails 4 'the registry has no such image' eb inspect "$host/team/a:none"
	fails 3 'not in the store' eb push \
		"store:sha256:$(printf '%064d' 0)" "$host/a:v1"
	fails 2 'is no place to push to' eb push "oci:$layout:v1" oci:there
	fails 2 'is no place to push to' eb push "oci:$layout:v1" \
		"$host/a@$digest"
	fails 2 'is no place to write' eb pull "$host/team/a:v1" \
		--output "store:x"
	fails 2 'not an image reference' eb push "oci:$layout:v1" "$host/a:v1" \
		--tag 'two words'
	fails 2 'argument is missing' eb push "oci:$layout:v1"
	fails 4 '' eb pull "$host/team/a:v1" --offline
}
it 'what cannot be done, and its exit status' refused

by_password() {
	# shellcheck disable=SC2016 # bcrypt, the salt says so
	perl -e 'print "user:" . crypt("a word", q($2b$04$) . "s" x 22) . "\n"' \
		>"$SCRATCH/passwords"
	start_registry closed "auth: {htpasswd: {realm: r, path: '$SCRATCH/passwords'}}"
	fails 5 '' eb push "oci:$layout:v1" "$registry/p/a:v1"
	echo 'a word' | eb push "oci:$layout:v1" "$registry/p/a:v1" \
		--username user --password-stdin >said
	same "$(cat said)" "$registry/p/a@$digest"
	fails 5 '' eb pull "$registry/p/a:v1" --username user \
		--password-stdin <<<'another'
	fails 2 'needs "--username"' eb pull "$registry/p/a:v1" \
		--password-stdin <<<'a word'
	fails 2 'needs "--password-stdin"' eb pull "$registry/p/a:v1" \
		--username user
	fails 3 'holds no password' eb pull "$registry/p/a:v1" \
		--username user --password-stdin </dev/null
	head -c 70000 /dev/zero | tr '\0' x >long
	fails 3 'longer than' eb pull "$registry/p/a:v1" \
		--username user --password-stdin <long
	ENVBUILD_REGISTRY_USER=user ENVBUILD_REGISTRY_PASSWORD='a word' \
		eb pull "$registry/p/a:v1" --cache-dir cache >said
	same "$(cat said)" "store:$digest"
	! grep -rqF 'a word' cache "$XDG_STATE_HOME" "$XDG_RUNTIME_DIR"
}
it 'a password from standard input' by_password

by_tls() {
	openssl req -x509 -newkey rsa:2048 -nodes -keyout key -out crt \
		-days 2 -subj /CN=localhost \
		-addext subjectAltName=IP:127.0.0.1 2>said
	start_registry tls "http: {tls: {certificate: $PWD/crt, key: $PWD/key}, secret: x}"
	fails 5 certificate eb push "oci:$layout:v1" "$registry/t/a:v1" \
		--timeout 5s
	same "$(eb push "oci:$layout:v1" "$registry/t/a:v1" --ca-file crt)" \
		"$registry/t/a@$digest"
	same "$(eb pull "$registry/t/a:v1" --ca-file crt --cache-dir cache)" \
		"store:$digest"
}
it 'TLS by --ca-file' by_tls

runs() {
	need_base >base
	eb push "rootfs:$(cat base)" "$host/debian/base:v1" >said
	same "$(eb run "docker://$host/debian/base:v1" --cache-dir cache -- \
		sh -c 'echo here')" here
}
it 'an image is run right out of a registry' runs

done_testing
