#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The whole way on real parts: a definition becomes an image that other
# programs read, unpack and run.
# shellcheck source=tests/lib.sh disable=SC2016
. "$(dirname "$0")/../lib.sh"

base=$(need_base)
channel=$(need_channel)
yaml=$SCRATCH/environment.yml
cat >"$yaml" <<END
name: image
dependencies: [python, greeting=1.0, prefixed]
variables:
  GREETING: "two words"
END

eb() {
	local verb=$1
	shift
	"$ENVBUILD" "$verb" "$yaml" --base "rootfs:$base" \
		--channel "file://$channel" "$@"
}

first_build() {
	fails 1 miss eb check
	eb build >reference
	grep -qE '^store:sha256:[0-9a-f]{64}$' reference
	[ "$(wc -l <reference)" = 1 ]
	same "$(eb check)" "$(cat reference)"
	same "$(eb check --local --json | jq -r .status)" hit
	cp reference "$SCRATCH/reference"
}
it 'a definition becomes an image' first_build
reference=$(cat "$SCRATCH/reference")

# Nothing is solved, fetched or packed: the channel may be gone.
second_build() {
	"$ENVBUILD" build "$yaml" --base "rootfs:$base" --json \
		--channel "file://$channel" --progress json >out 2>events
	same "$(jq -r .reference out)" "$reference"
	same "$(jq -r '[.cached, .solved] | map(tostring) | join(" ")' out)" \
		'true false'
	! grep -qE '"name":"(solve|repodata|pack)"' events
}
it 'the same again does nothing' second_build

runs() {
	same "$("$ENVBUILD" run "$reference" -- greet)" \
		'greeting 1.0 from /opt/env'
	same "$("$ENVBUILD" run "$reference" -- where-am-i)" /opt/env
	same "$("$ENVBUILD" run "$reference" -- sh -c 'echo $GREETING')" \
		'two words'
	"$ENVBUILD" run "$reference" -- python -c \
		"$(cat "$TOP/tests/inside.py")" ssl sqlite3 ctypes greeting
}
it 'it runs, and what is in it is complete' runs

run_options() {
	mkdir data
	echo hello >data/file
	same "$("$ENVBUILD" run "$reference" --mount "$PWD/data:/data:ro" \
		--env "A=b c" --workdir /data -- sh -c 'cat file; echo $A')" \
		"$(printf 'hello\nb c')"
	fails 2 'Read-only' "$ENVBUILD" run "$reference" \
		--mount "$PWD/data:/data:ro" -- sh -c 'echo x >/data/file'
	fails 9 '' "$ENVBUILD" run "$reference" -- sh -c 'exit 9'
	fails 127 '' "$ENVBUILD" run "$reference" -- no-such-program
	fails 126 '' "$ENVBUILD" run "$reference" -- /etc/passwd
	fails 125 'SRC:DST' "$ENVBUILD" run "$reference" --mount x -- true
	fails 125 'not in the store' "$ENVBUILD" run \
		"store:sha256:$(printf '%064d' 0)" -- true
	# Without a network there is the loopback device alone.
	same "$("$ENVBUILD" run "$reference" -- ls /sys/class/net |
		tr -d '\n')" lo || same "$("$ENVBUILD" run "$reference" -- \
		sh -c 'grep -c : /proc/net/dev')" 1
}
it 'run: mounts, variables, folder, exit status' run_options

outputs() {
	eb build --output oci:layout --output oci-archive:a.tar \
		--output docker-archive:d.tar --output rootfs:root >said
	grep -qE '^oci:layout:env-[0-9a-f]{32}$' said
	id=$(eb build --json | jq -r '."image-id"')
	tag=$(sed 's/.*:env-/env-/' said)
	need_program skopeo
	for from in "oci:layout:$tag" "oci-archive:a.tar:$tag" \
		docker-archive:d.tar; do
		same "$(skopeo inspect --config --raw "$from" | sha256sum |
			sed 's/^\(.*\)  -/sha256:\1/')" "$id"
		skopeo copy -q "$from" "dir:copy"
		rm -rf copy
	done
	[ -x root/opt/env/bin/python ]
	same "$(sha256sum <root/opt/env/conda-meta/envbuild.lock |
		cut -d' ' -f1)" \
		"$(eb hash | sed -n 's/^lock //p')"
}
it 'outputs: layout, archives, root file system; skopeo reads them' outputs

by_umoci() {
	need_program umoci
	eb build --output oci:layout:v1
	umoci unpack --image layout:v1 bundle
	same "$(readlink bundle/rootfs/opt/env/bin/python)" \
		"$(basename "$(readlink -f bundle/rootfs/opt/env/bin/python)")"
	umoci stat --image layout:v1 >told
	grep -q 'envbuild bucket' told
}
it 'umoci unpacks it' by_umoci

by_podman() {
	need_program podman
	eb build --output oci-archive:a.tar:v1
	# podman wants a short path there.
	short=$(mktemp -d /tmp/eb.XXXXXX)
	trap 'rm -rf "$short"' EXIT
	podman() {
		command podman --root "$PWD/pod" --runroot "$short" \
			--storage-driver vfs --runtime runc "$@"
	}
	podman load -q -i a.tar >loaded
	image=$(sed -n 's/^Loaded image[^:]*: //p' loaded | head -n 1)
	got=0
	podman run --rm --network none --ulimit nofile=1024:4096 \
		--ulimit nproc=1000:1000 "$image" greet >out 2>err || got=$?
	cat out err
	same "$(cat out)" 'greeting 1.0 from /opt/env'
	podman rmi -af >/dev/null
}
it 'podman loads and runs it' by_podman

labels() {
	eb build --output oci:layout:v1
	need_program skopeo
	skopeo inspect --raw oci:layout:v1 >manifest
	skopeo inspect --config --raw oci:layout:v1 >config
	lock=sha256:$(eb hash | sed -n 's/^lock //p')
	same "$(jq -r '.annotations["dev.envbuild.lock"]' manifest)" "$lock"
	same "$(jq -r '.config.Labels["dev.envbuild.lock"]' config)" "$lock"
	jq -e '.layers[1:] | all(.annotations["dev.envbuild.layer-key"])' \
		manifest
	same "$(jq '.layers | length' manifest)" \
		"$(jq '.rootfs.diff_ids | length' config)"
	same "$(jq '.layers | length' manifest)" \
		"$(jq '.history | map(select(.empty_layer|not)) | length' config)"
	jq -r '.config.Env[]' config | grep -q '^PATH=/opt/env/bin:'
	jq -r '.config.Env[]' config | grep -qx 'CONDA_PREFIX=/opt/env'
	jq -r '.config.Env[]' config | grep -qx 'GREETING=two words'
}
it 'labels, annotations, history, variables' labels

done_testing
