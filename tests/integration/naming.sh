#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# --naming azureml: variable, link and reference that scripts for Azure ML
# expect, all by the lock hash.
# shellcheck source=tests/lib.sh disable=SC2016
. "$(dirname "$0")/../lib.sh"
# shellcheck source=tests/registry_lib.sh
. "$(dirname "$0")/../registry_lib.sh"

base=$(need_base)
packages=$(need_channel)
start_registry main
R=$registry
cat >"$SCRATCH/env.yml" <<EOF
channels: ["file://$packages"]
dependencies: [python]
EOF
ENV=$SCRATCH/env.yml
OPTIONS=(--base "rootfs:$base" --registry "$R/team/envs" --progress none)

# digest REPOSITORY REFERENCE: what it points to, nothing where it is not.
digest() {
	curl -sI -H 'Accept: application/vnd.oci.image.manifest.v1+json' \
		"http://$R/v2/$1/manifests/$2" |
		sed -n 's/^Docker-Content-Digest: \([^\r]*\).*/\1/Ip'
}

name_of() {
	"$ENVBUILD" hash "$ENV" --naming azureml "${OPTIONS[@]}" |
		sed -n 's/^lock \(.\{32\}\).*/azureml_\1/p'
}

repositories() {
	curl -s "http://$R/v2/_catalog" | jq -r '.repositories[]' | sort
}

plain() {
	local usual
	usual=$("$ENVBUILD" build "$ENV" "${OPTIONS[@]}")
	same "$(repositories)" team/envs
	same "$("$ENVBUILD" build "$ENV" --naming envbuild "${OPTIONS[@]}")" \
		"$usual"
	"$ENVBUILD" inspect "$usual" --json >shown
	same "$(grep -c AZUREML shown)" 0
}
it 'nothing of it unless it is asked for' plain

named() {
	local name reference
	reference=$("$ENVBUILD" build "$ENV" --naming azureml "${OPTIONS[@]}")
	name=$(name_of)
	[ "${#name}" = 40 ]
	same "$(repositories)" "azureml/$name"$'\n'team/envs
	same "$R/team/envs@$(digest "azureml/$name" latest)" "$reference"
	curl -s "http://$R/v2/azureml/$name/manifests/latest" \
		-H 'Accept: application/vnd.oci.image.manifest.v1+json' \
		>manifest
	# all of it is there, by mounts: the registry would refuse it otherwise
	for blob in $(jq -r '.layers[].digest, .config.digest' manifest); do
		curl -sfI "http://$R/v2/azureml/$name/blobs/$blob" >/dev/null
	done
	# on a machine that has nothing of it
	"$ENVBUILD" build "$ENV" --naming azureml "${OPTIONS[@]}" \
		--cache-dir "$PWD/elsewhere" --progress plain >there 2>told
	same "$(cat there)" "$reference"
	grep -qF "also $R/azureml/$name:latest" told
	"$ENVBUILD" check "$ENV" --naming azureml "${OPTIONS[@]}"
	"$ENVBUILD" check "$ENV" "${OPTIONS[@]}" >other
	[ "$(cat other)" != "$reference" ]
}
it 'a reference besides the usual one, by the lock hash' named

# It is in the lock, and so in what a lock builds.
of_a_lock() {
	local name
	"$ENVBUILD" lock "$ENV" --naming azureml "${OPTIONS[@]}" --output e.lock
	same "$(jq -r .locked.naming e.lock)" azureml
	name=$(name_of)
	same "$(jq -r '.["lock-hash"][7:39]' e.lock)" "${name#azureml_}"
	same "$(jq '.locked.config | tostring | test("AZUREML")' e.lock)" false
	same "$("$ENVBUILD" build e.lock "${OPTIONS[@]}")" \
		"$("$ENVBUILD" build "$ENV" --naming azureml "${OPTIONS[@]}")"
	jq '.locked.naming = "other"' e.lock >wrong.lock
	fails 3 naming "$ENVBUILD" build wrong.lock "${OPTIONS[@]}"
	same "$("$ENVBUILD" lock "$ENV" "${OPTIONS[@]}" |
		jq '.locked | has("naming")')" false
}
it 'it is part of the lock' of_a_lock

in_the_image() {
	local script='test -e "$AZUREML_CONDA_ENVIRONMENT_PATH/bin/python" &&
		"$AZUREML_CONDA_ENVIRONMENT_PATH/bin/python" -c "
import json, sys
print(json.__name__, sys.prefix)" &&
		readlink "$AZUREML_CONDA_ENVIRONMENT_PATH"'
	local path
	path=/azureml-envs/$(name_of)
	"$ENVBUILD" run "$ENV" --naming azureml "${OPTIONS[@]}" -- \
		sh -c "$script" >told
	same "$(cat told)" "json $path"$'\n'/opt/env
}
it 'scripts that expect it run in the image' in_the_image

outputs() {
	local name
	name=$(name_of)
	"$ENVBUILD" build "$ENV" --naming azureml "${OPTIONS[@]}" --no-push \
		--output "rootfs:$PWD/root" --output "oci:$PWD/layout:v1" \
		>told
	same "$(readlink "root/azureml-envs/$name")" /opt/env
	[ -d root/opt/env/bin ]
	need_program umoci
	need_program skopeo
	skopeo inspect --config "oci:$PWD/layout:v1" |
		jq -r '.config.Env[]' |
		grep -qx "AZUREML_CONDA_ENVIRONMENT_PATH=/azureml-envs/$name"
	umoci unpack --rootless --image layout:v1 bundle
	same "$(readlink "bundle/rootfs/azureml-envs/$name")" /opt/env
	"$ENVBUILD" verify "oci:$PWD/layout:v1"
}
it 'files have link and variable too' outputs

wrong_use() {
	fails 2 'envbuild|azureml' "$ENVBUILD" build "$ENV" --naming azure \
		"${OPTIONS[@]}"
}
it 'another name is none' wrong_use
done_testing
