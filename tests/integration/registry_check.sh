#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# check with a registry: hit, miss, cannot tell, and what is near; cache gc
# --registry.
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/../lib.sh"
# shellcheck source=tests/faults.sh
. "$(dirname "$0")/../faults.sh"
# shellcheck source=tests/registry_lib.sh
. "$(dirname "$0")/../registry_lib.sh"

channel=$SCRATCH/channel
small "$channel" normal setuid lib64 newline
start_registry main
R=$registry/team/envs
export CONDA_OVERRIDE_GLIBC=2.99 HOME=$SCRATCH

# define NAME PACKAGES: the definition "NAME.yml".
define() {
	printf 'name: %s\ndependencies: [%s]\n' "$1" "$2" >"$1.yml"
}

# eb VERB NAME STORE OPTION...
eb() {
	local verb=$1 name=$2 store=$3
	shift 3
	"$ENVBUILD" "$verb" "$name.yml" --base scratch \
		--channel "file://$channel" --cache-dir "$store" \
		--registry "$R" "$@"
}

gc() {
	"$ENVBUILD" cache gc "$@"
}

# of REQUESTS...: these alone were made since the last requests_forget (the
# registry is asked for its version when it is not known yet).
of() {
	requests main | grep -v '^GET /v2/ ' | sed 's/[0-9a-f]\{32\}/X/' >is
	for line; do echo "$line"; done >want
	diff want is
}

hit_and_miss() {
	define one 'normal=1.0, setuid'
	requests_forget main
	fails 1 'miss: definition' eb check one a
	of 'HEAD /v2/team/envs/manifests/env-X 404'
	[ ! -s stdout ]
	[ ! -e a ]
	x=$(eb build one b)
	requests_forget main
	same "$(eb check one a)" "$x"
	of 'HEAD /v2/team/envs/manifests/env-X 200'
	case $x in "$R@sha256:"*) ;; *) fail "$x" ;; esac
	# the lock itself
	eb lock one b --output one.lock
	requests_forget main
	same "$(eb check one a --lock one.lock)" "$x"
	of 'HEAD /v2/team/envs/manifests/lock-X 200'
	# the store alone, in which it is or is not
	requests_forget main
	eb check one b --local
	fails 1 '' eb check one a --local
	fails 1 '' eb check one a --offline
	fails 1 '' eb check one a --no-push
	of
}
it 'one HEAD tells a hit from a miss; --local asks nobody' hit_and_miss

more() {
	define one 'normal=1.0, setuid'
	x=$(eb build one b)
	requests_forget main
	eb check one a --json >json
	of 'GET /v2/team/envs/manifests/env-X 200' \
		'GET /v2/team/envs/manifests/locked-X 200'
	same "$(jq -r '.status, .reference' json | xargs)" "hit $x"
	jq -e '.schema == 1 and (.lock | startswith("sha256:")) and
		(.time | fromdateiso8601 > 1700000000)' json
	eb check one a --max-age 1h
	sleep 1.1
	fails 1 'older than --max-age' eb check one a --max-age 1
	same "$(eb check one a --explain 2>said)" "$x"
	grep -q 'its lock is [0-9a-f]\{12\}, solved or confirmed' said
}
it '--json and --explain tell the age, --max-age looks at it' more

near() {
	define one 'normal=1.0, setuid'
	define two 'normal=1.1, newline'
	fails 1 '' "$ENVBUILD" check two.yml --base scratch \
		--channel "file://$channel" --cache-dir a --explain \
		--registry "$registry/empty/repository"
	same "$(tail -n 1 stdout)" 'nearest: none is known'
	eb build one b
	# an empty store: by name, and no channel is asked
	mv "$channel" "$channel.away"
	fails 1 '' eb check two a --explain
	mv "$channel.away" "$channel"
	grep -q '^nearest: one, definition [0-9a-f]\{12\}, lock ' stdout
	sed -n '/^  /p' stdout >is
	printf '  %s\n' 'normal 1.0 -> normal=1.1' '+newline' '-setuid 1.0' |
		diff - is
	grep -q 'only what is asked for was compared' stdout
	# a store: solved with what it has
	fails 1 '' eb check two b --explain
	sed -n '/^  /p' stdout >is
	printf '  %s\n' '+newline 1.0' 'normal 1.0 -> 1.1' '-setuid 1.0' |
		diff - is
	fails 1 '' eb check two b --explain --json
	jq -e '.status == "miss" and .nearest.name == "one" and
		.nearest.exact and .nearest.differs[1] == "normal 1.0 -> 1.1"' \
		stdout
	said=$(jq '.nearest."push-bytes"' stdout)
	# what it then costs is of that order
	is=$(eb build two b --json | jq '."pushed-bytes"')
	echo "said $said, was $is"
	[ "$said" -gt $((is / 10)) ]
	[ "$said" -lt $((is * 10)) ]
	fails 2 'looks for what is near' eb check two b --explain --local
}
it '--explain names the nearest, what differs, what a build would push' near

# Channels that the store knows are solved with, and not asked.
no_channel() {
	define one 'normal=1.0, setuid'
	define two 'normal=1.1, newline'
	(cd "$channel" && exec python3 -u -m http.server --bind 127.0.0.1 0) \
		>web 2>asked &
	web=$!
	for _ in $(seq 100); do [ -s web ] || sleep 0.05; done
	port=$(sed -n 's/.* port \([0-9]*\) .*/\1/p' web)
	set -- --base scratch --channel "http://127.0.0.1:$port" \
		--cache-dir c --registry "$registry/web/envs"
	"$ENVBUILD" build one.yml "$@"
	grep -q GET asked
	: >asked
	fails 1 '' "$ENVBUILD" check two.yml "$@" --explain
	kill -KILL "$web"
	grep -q 'a build would push about' stdout
	[ ! -s asked ]
}
it '--explain asks no channel' no_channel

# Nothing that is near, or a damaged list of what is: the answer stands.
no_hint() {
	define one 'normal=1.0, setuid'
	define two 'normal=1.1, newline, lib64'
	eb build one b
	# An image where the list of the recent ones should be.
	type=application/vnd.oci.image.manifest.v1+json
	tag=$(curl -sf "http://$registry/v2/team/envs/tags/list" |
		jq -r '[.tags[] | select(startswith("env-"))][0]')
	curl -sf -H "Accept: $type" \
		"http://$registry/v2/team/envs/manifests/$tag" >image
	curl -sf -X PUT --data-binary @image -H "Content-Type: $type" \
		"http://$registry/v2/team/envs/manifests/recent"
	fails 1 '' eb check two b --explain
	grep -q 'miss: definition' stdout
	grep -q 'nearest: none is known' stdout
}
it 'a damaged recent is as good as none' no_hint

cannot_tell() {
	define one 'normal=1.0, setuid'
	# nobody there
	for json in --verbose --json; do
		fails 4 'cannot tell whether the image is there' "$ENVBUILD" \
			check one.yml --base scratch --channel \
			"file://$channel" --registry 127.0.0.1:1/x/y "$json"
	done
	same "$(jq -r '.status, .code' stdout | xargs)" 'cannot-tell network'
	# somebody who says nothing
	python3 -c 'import socket, time
s = socket.socket(); s.bind(("127.0.0.1", 0)); s.listen()
print(s.getsockname()[1], flush=True); time.sleep(60)' >port &
	silent=$!
	for _ in $(seq 100); do [ -s port ] || sleep 0.05; done
	start=$(date +%s%N)
	fails 4 'cannot tell' "$ENVBUILD" check one.yml --base scratch \
		--channel "file://$channel" --timeout 300ms \
		--registry "127.0.0.1:$(cat port)/x/y"
	took=$((($(date +%s%N) - start) / 1000000))
	kill -KILL "$silent"
	echo "took $took ms"
	[ "$took" -ge 600 ]
	[ "$took" -lt 6000 ]
	# the policy, a name that is none
	fails 2 'registry' "$ENVBUILD" check one.yml --base scratch \
		--registry "$R:tag"
	fails 3 '' eb check missing a
}
it 'cannot tell is neither a hit nor a miss, and in time' cannot_tell

refused() {
	define one 'normal=1.0, setuid'
	perl -e 'print "user:" . crypt("secret", q($2b$04$) . "s" x 22) . "\n"' \
		>"$SCRATCH/users"
	start_registry closed \
		"auth: {htpasswd: {realm: R, path: '$SCRATCH/users'}}"
	fails 5 'cannot tell' "$ENVBUILD" check one.yml --base scratch \
		--channel "file://$channel" --registry "$registry/x/y"
	echo secret >password
	fails 1 'miss' "$ENVBUILD" check one.yml --base scratch \
		--channel "file://$channel" --registry "$registry/x/y" \
		--username user --password-stdin <password
	echo wrong >password
	fails 5 'cannot tell' "$ENVBUILD" check one.yml --base scratch \
		--channel "file://$channel" --registry "$registry/x/y" \
		--username user --password-stdin <password
}
it 'a registry that lets nobody in cannot tell' refused

care() {
	registry_with deletes
	R=$registry/care/envs
	define old 'normal=1.0, setuid'
	define young 'normal=1.1, newline'
	eb build old b
	sleep 2.1
	eb build young b
	gc --registry "$R" --json >json
	jq -e '.images == 2 and .locks == 2 and .old == 0 and
		.unreachable == 0' json
	gc "--registry=$R" --max-age 2 >text 2>said
	grep -q '; 2 old, 1 unreachable; 0 removed, 0 refused' text
	grep -q '^old: env-' said
	grep -q '^unreachable: locked-.*, of 20' said
	eb check old a
	ENVBUILD_REGISTRY=$R gc --registry --max-age 2 --delete >text
	grep -q '; 2 removed, 0 refused' text
	fails 1 'miss' eb check old a
	eb check young a
	# what is left can be built on
	define third 'normal=1.1, newline, lib64'
	eb build third c
	eb check third a
	# wrong words; and the local store is not meant by any of them
	fails 2 'no registry is configured' gc --registry
	fails 2 'goes with "--registry"' gc --delete --cache-dir b
	fails 2 'opposite' gc --registry "$R" --delete --dry-run
	fails 2 'of the local store' gc --registry "$R" --max-size 1
	fails 2 'goes with "cache gc"' "$ENVBUILD" cache list --registry "$R"
	fails 2 'too many' "$ENVBUILD" cache path x
	fails 2 'too many' gc "--registry=$R" x
	fails 4 'offline' gc --registry "$R" --offline
	fails 2 '' gc --registry "$R:tag"
}
it 'cache gc --registry: old and unreachable, told or removed' care

undeletable() {
	start_registry fixed "storage: {filesystem: {rootdirectory: '$SCRATCH/fixed/data'}}"
	R=$registry/fixed/envs
	define one 'normal=1.0, setuid'
	eb build one b
	sleep 1.1
	fails 5 'warning' "$ENVBUILD" cache gc --registry "$R" --max-age 1 \
		--delete
	grep -q '0 removed, 2 refused' stdout
	eb check one a
}
it 'a registry that deletes nothing says so' undeletable

doctor() {
	"$ENVBUILD" doctor --registry "$R" | grep -F "$R answers"
	"$ENVBUILD" doctor --registry 127.0.0.1:1/x | grep '^no  *registry '
	"$ENVBUILD" doctor | grep 'registry  *none is set'
}
it 'doctor asks the registry' doctor

done_testing
