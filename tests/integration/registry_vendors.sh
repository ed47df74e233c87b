#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The registries that people have, each as strict as its table in
# tests/registry-profiles and under its own name: build, check, push and pull
# do nothing that one of them forbids.
#
# REGISTRY_UNDER_TEST=HOST:PORT: a real one besides, which wants no login.
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/../lib.sh"
# shellcheck source=tests/faults.sh
. "$(dirname "$0")/../faults.sh"
# shellcheck source=tests/registry.sh
. "$(dirname "$0")/../registry.sh"

need_program skopeo
small "$SCRATCH/channel" normal no-sha256 normal-bz2
head -c 9000000 /dev/urandom >"$SCRATCH/random"
image_of "$SCRATCH/image" "$SCRATCH/random" "$0"
image=$(skopeo inspect --raw "oci:$SCRATCH/image:v" | sha256sum)
image=sha256:${image%% *}
word=s3cr3t-Pa55w0rd
export ENVBUILD_REGISTRY_PASSWORD=$word

# with COMMAND PACKAGE OPTION...: of the environment with that package.
with() {
	local command=$1
	printf 'dependencies: [%s]\n' "$2" >env.yml
	shift 2
	"$ENVBUILD" "$command" env.yml --base scratch --pyc none --channel \
		"file://$SCRATCH/channel" --cache-dir "$PWD/c" --registry \
		"$place/team/env" --plain-http "$@"
}
uploads() {
	asked 'POST|PATCH|PUT' '/blobs/uploads/'
}
tidy() {
	lawful
	whole
	same "$(control GET /_state | jq .uploads)" 0
	sound c
}

servers_n=0
# as NAME USER OPTION...: a server that plays the vendor, and behind it all
# that one asks for by a name.
as() {
	local name=$1 table=$TOP/tests/registry-profiles/$1.tsv
	export ENVBUILD_REGISTRY_USER=$2
	shift 2
	registry "$name$((++servers_n))" --table "$table" --login \
		"$ENVBUILD_REGISTRY_USER:$word" "$@"
	unset http_proxy https_proxy
	place=$(awk '$2 == "host" { print $3 }' "$table")
	forget_tokens
}
by_name() {
	# What is asked by https is noted as what must not be.
	export http_proxy=http://$reg https_proxy=http://$reg
}
made=(--project team --repository team/env --repository team/other)

# The life of an environment: built by one, found by another.
life() {
	by_name
	local first other
	first=$(with build normal)
	case $first in
	"$place/team/env@sha256:"*) ;;
	*) fail "it is called \"$first\"" ;;
	esac
	tags team/env >list
	same "$(cut -d- -f1 list | sort | uniq -c | tr -s ' \n' ' ')" \
		"${1- 1 env 1 lock 1 locked 1 recent }"
	tidy
	same "$(with check normal)" "$first"
	# Another builder, whose store is empty.
	mv c first
	forget_tokens
	control DELETE /_log
	same "$(with check normal)" "$first"
	same "$(asked 'GET|PUT|POST|PATCH' /manifests/)" 0
	same "$(with build normal)" "$first"
	same "$(uploads)" 0
	tidy
	# Another environment.
	fails 1 '' with check no-sha256
	other=$(with build no-sha256 2>stderr)
	cat stderr
	[ "$other" != "$first" ]
	same "$(with check no-sha256)" "$other"
	same "$(with check normal)" "$first"
	same "$(tags team/env | grep -c ^env-)" 2
	tidy
	# Solved anew it is the same.
	same "$(with build normal --refresh)" "$first"
	tidy
}
# An image that others have made.
copies() {
	by_name
	same "$("$ENVBUILD" push "oci:$SCRATCH/image:v" "$place/team/env:v" \
		--cache-dir c --plain-http)" "$place/team/env@$image"
	same "$(tag team/env v)" "$image"
	tidy
	control DELETE /_log
	"$ENVBUILD" push "oci:$SCRATCH/image:v" "$place/team/env:v" \
		--cache-dir c --plain-http
	same "$(uploads)" 0
	same "$(asked PUT '')" 0
	"$ENVBUILD" push "$place/team/env:v" "$place/team/other:w" \
		--cache-dir c --plain-http
	same "$(tag team/other w)" "$image"
	same "$(asked 'PATCH|PUT' /blobs/uploads/)" 0
	tidy
	"$ENVBUILD" pull "$place/team/other:w" --cache-dir d --plain-http \
		--output oci:back
	same "$(jq -r '.manifests[0].digest' back/index.json)" "$image"
	skopeo copy -q oci:back:w dir:"$PWD/dir"
	sound d
	"$ENVBUILD" inspect "$place/team/other:w" --plain-http
	tidy
}
plays() {
	local name=$1
	as "$name" "$2" "${made[@]}"
	it "$name: build, check, another builder, another environment" life
	as "$name" "$2" "${made[@]}"
	it "$name: push, mount, pull, inspect" copies
}

plays acr 00000000-0000-0000-0000-000000000000
plays ecr AWS
plays gar oauth2accesstoken
plays ghcr someone
plays harbor "robot\$team+ci"
plays hub someone
plays quay team+ci

# --- what is one vendor's alone ---------------------------------------------
throttled() {
	by_name
	local first
	first=$(with build 'normal, no-sha256, normal-bz2' 2>stderr)
	cat stderr
	[ "$(asked '.*' '' '.status == 429')" != 0 ]
	same "$(with check 'normal, no-sha256, normal-bz2')" "$first"
	tags team/env | grep ^env-
	tags team/env | grep ^locked-
	tidy
}
as acr 00000000-0000-0000-0000-000000000000 --set write-rate=6/2
it 'acr: few writes are allowed: later, or left out, but the image' throttled

large_bodies() {
	by_name
	control PUT /_ways put-max=1000000
	"$ENVBUILD" push "oci:$SCRATCH/image:v" "$place/team/env:v" \
		--cache-dir c --plain-http
	same "$(tag team/env v)" "$image"
	[ "$(asked PATCH '' '.["content-range"] == null')" != 0 ]
	same "$(asked PATCH '' '.["content-range"] != null')" 0
	tidy
}
as acr 00000000-0000-0000-0000-000000000000
it 'acr: 413 for a large PUT: one PATCH' large_bodies

in_chunks() {
	by_name
	control PUT /_ways $'put-max=1000000\nstream-max=1000000'
	"$ENVBUILD" push "oci:$SCRATCH/image:v" "$place/team/env:v" \
		--cache-dir c --plain-http
	same "$(tag team/env v)" "$image"
	[ "$(asked PATCH '' '.["content-range"] != null')" -ge 3 ]
	tidy
}
as ghcr someone
it 'ghcr: chunks, none beyond 4 MiB' in_chunks

never_chunks() {
	by_name
	control PUT /_ways $'put-max=1000000\nstream-max=1000000'
	got=0
	"$ENVBUILD" push "oci:$SCRATCH/image:v" "$place/team/env:v" \
		--cache-dir c --plain-http 2>stderr || got=$?
	cat stderr
	[ "$got" = 4 ] || [ "$got" = 5 ]
	has_words stderr "$place/team/env" 413
	same "$(asked PATCH '' '.["content-range"] != null')" 0
	same "$(tags team/env)" ''
	tidy
}
as ecr AWS "${made[@]}"
it 'ecr: no chunks, whatever it says' never_chunks
as gar oauth2accesstoken "${made[@]}"
it 'gar: no chunks, whatever it says' never_chunks

not_made() {
	by_name
	got=0
	"$ENVBUILD" push "oci:$SCRATCH/image:v" "$place/nobody/env:v" \
		--cache-dir c --plain-http 2>stderr || got=$?
	cat stderr
	[ "$got" = 4 ] || [ "$got" = 5 ]
	has_words stderr "$place/nobody/env" "$1"
	lawful
	same "$(tags nobody/env)" ''
	# And is a miss, no hit and no error.
	place=$place/nobody fails 1 '' with check normal
}
as ecr AWS "${made[@]}"
it 'ecr: a repository that nobody has made' not_made 'does not exist'
as harbor admin "${made[@]}"
it 'harbor: a project that nobody has made' not_made 'no permission'

moved() {
	by_name
	local image2
	umoci init --layout two
	umoci new --image two:v
	umoci insert --image two:v env.yml /env.yml || {
		printf x >env.yml
		umoci insert --image two:v env.yml /env.yml
	}
	image2=$(skopeo inspect --raw oci:two:v | sha256sum)
	"$ENVBUILD" push "oci:$SCRATCH/image:v" "$place/team/env:v" \
		--cache-dir c --plain-http
	fails 5 "$place/team/env" "$ENVBUILD" push oci:two:v \
		"$place/team/env:v" --cache-dir c --plain-http
	has_words stderr immutable
	same "$(tag team/env v)" "$image"
	"$ENVBUILD" push oci:two:v "$place/team/env:w" --cache-dir c \
		--plain-http
	same "$(tag team/env w)" "sha256:${image2%% *}"
	tidy
}
as ecr AWS "${made[@]}"
it 'ecr: a tag that is not to be moved' moved
as harbor admin "${made[@]}"
it 'harbor: a tag that is not to be moved' moved

other_names() {
	by_name
	fails 5 "$place" "$ENVBUILD" push "oci:$SCRATCH/image:v" \
		"$place/team/env:v" --cache-dir c --plain-http
	same "$(tags team/env)" ''
}
as ecr someone "${made[@]}"
it 'ecr: another name than AWS' other_names
as gar someone "${made[@]}"
it 'gar: a name that it does not know' other_names

# Its logins have a name of their own.
hub_login() {
	by_name
	unset ENVBUILD_REGISTRY_USER ENVBUILD_REGISTRY_PASSWORD
	export DOCKER_CONFIG=$PWD/docker
	mkdir docker
	printf '{"auths": {"https://index.docker.io/v1/": {"auth": "%s"}}}' \
		"$(printf 'someone:%s' "$word" | base64 -w0)" \
		>docker/config.json
	"$ENVBUILD" push "oci:$SCRATCH/image:v" "$place/team/env:v" \
		--cache-dir c --plain-http
	same "$(tag team/env v)" "$image"
	same "$(control GET /_log | jq -r '.[].host' | sort -u | tr '\n' ' ')" \
		'docker.io registry-1.docker.io '
	[ "$(asked '.*' ^/token '.door == "token"')" != 0 ]
	tidy
}
as hub someone "${made[@]}"
it 'hub: https://index.docker.io/v1/ is who one is' hub_login

# From one registry to another: nothing is to be mounted there.
registry source
reg=127.0.0.1:$port
"$ENVBUILD" push "oci:$SCRATCH/image:v" "$reg/base/image:v" \
	--cache-dir "$SCRATCH/source-store" >"$SCRATCH/source.out" 2>&1 ||
	cat "$SCRATCH/source.out"
source=$reg
across() {
	export no_proxy=127.0.0.1
	by_name
	"$ENVBUILD" push "$source/base/image:v" "$place/team/env:v" \
		--cache-dir c --plain-http
	same "$(tag team/env v)" "$image"
	same "$(asked POST from=base)" 0
	tidy
}
as hub someone "${made[@]}"
it 'hub: from another registry, without a mount' across
as harbor admin "${made[@]}"
it 'harbor: from another registry, without a mount' across
unset ENVBUILD_REGISTRY_USER ENVBUILD_REGISTRY_PASSWORD http_proxy https_proxy

# --- real ones --------------------------------------------------------------
real() {
	local first
	place=$reg
	first=$(with build normal)
	same "$(with check normal)" "$first"
	same "$(skopeo inspect --raw --tls-verify=false "docker://$first" |
		sha256sum | cut -d' ' -f1)" "${first##*:}"
	mv c one
	same "$(with build normal)" "$first"
	sound c
	same "$("$ENVBUILD" push "oci:$SCRATCH/image:v" "$reg/team/env:v" \
		--cache-dir c)" "$reg/team/env@$image"
	"$ENVBUILD" push "$reg/team/env:v" "$reg/team/other:w" --cache-dir c
	"$ENVBUILD" pull "$reg/team/other:w" --cache-dir d --output oci:back
	same "$(jq -r '.manifests[0].digest' back/index.json)" "$image"
	skopeo copy -q --src-tls-verify=false "docker://$reg/team/other:w" \
		oci:foreign:w
	same "$(jq -r '.manifests[0].digest' foreign/index.json)" "$image"
	sound d
}
if command -v docker-registry >/dev/null; then
	docker_registry plain
	it 'docker-registry: build, check, push, pull; skopeo reads it' real
else
	it 'docker-registry: build, check, push, pull; skopeo reads it' \
		no_docker_registry
fi
if [ -n "${REGISTRY_UNDER_TEST-}" ]; then
	reg=$REGISTRY_UNDER_TEST
	it "$REGISTRY_UNDER_TEST: build, check, push, pull" real
fi

done_testing
