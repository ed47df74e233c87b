#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# A registry that a team shares: what one builder has pushed no other makes.
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/../lib.sh"
# shellcheck source=tests/faults.sh
. "$(dirname "$0")/../faults.sh"
# shellcheck source=tests/registry_lib.sh
. "$(dirname "$0")/../registry_lib.sh"

packages=$(need_channel)
start_registry main
R=$registry

# The Python of need_channel wants the glibc of the base that it is for.
export CONDA_OVERRIDE_GLIBC=2.99

# define PACKAGES [NAME]: the definition "env.yml", and a channel of one's own.
define() {
	[ -e channel ] || cp -r "$packages" channel
	printf 'name: %s\ndependencies: [%s]\n' "${2:-test}" "$1" >env.yml
}

# eb STORE REPOSITORY OPTION...: the reference, on standard output. `via=exec`
# before it: in the place of the shell, for those who kill it.
eb() {
	local store=$1 repository=$2
	shift 2
	${via-} "$ENVBUILD" build env.yml --base scratch \
		--channel "file://$PWD/channel" --cache-dir "$store" \
		--registry "$R/$repository" "$@"
}

# alone STORE OPTION...: the same without a registry.
alone() {
	local store=$1
	shift
	eb "$store" none --no-push "$@"
}

# only PATTERN: of the channel's packages these alone are left.
only() {
	find channel \( -name '*.conda' -o -name '*.bz2' \) ! -name "$1" -delete
}

# env_tag STORE: the tag of the definition.
env_tag() {
	"$ENVBUILD" hash env.yml --base scratch \
		--channel "file://$PWD/channel" --cache-dir "$1" |
		sed -n 's/^definition \(.\{32\}\).*/env-\1/p'
}

# manifest REPOSITORY REF: its text. digest: what a tag points to.
# While a tag is written once more, docker-registry 2.8 answers 500 (it empties
# the file first); every client asks again.
manifest() {
	curl -sf --retry 5 -H 'Accept: application/vnd.oci.image.manifest.v1+json' \
		"http://$R/v2/$1/manifests/$2"
}
digest() {
	curl -sfI -H 'Accept: application/vnd.oci.image.manifest.v1+json' \
		"http://$R/v2/$1/manifests/$2" |
		sed -n 's/^Docker-Content-Digest: \([^\r]*\).*/\1/Ip'
}
tags() {
	curl -s "http://$R/v2/$1/tags/list" | jq -r '.tags // [] | .[]' | sort
}

# complete REPOSITORY REF: the image is there with all its blobs, as they are.
complete() {
	local d of
	of=$(mktemp "$SCRATCH/manifest.XXXXXX")
	manifest "$1" "$2" >"$of" || fail "no $1:$2"
	jq -r '.layers[].digest, .config.digest' "$of" >"$of.digests"
	[ "$(wc -l <"$of.digests")" -gt 1 ]
	while read -r d; do
		same "sha256:$(curl -sfL "http://$R/v2/$1/blobs/$d" |
			sha256sum | cut -d ' ' -f 1)" "$d"
	done <"$of.digests"
}

two_builders() {
	define 'python, greeting=1.0, prefixed'
	eb a two --json >json
	reference=$(jq -r .reference json)
	[[ $reference =~ ^"$R"/two@sha256:[0-9a-f]{64}$ ]]
	same "$(jq -r .registry json)" "$reference"
	[ "$(jq '."pushed-bytes"' json)" -gt 5000000 ]
	same "$(digest two "$(env_tag a)")" "${reference#*@}"
	complete two "$(env_tag a)"
	same "$(tags two | sed 's/-.*//' | sort | uniq -c | tr -s ' \n' ' ')" \
		' 1 env 2 layer 1 lock 1 locked 1 recent '
	# The same bytes as without a registry.
	same "$(alone other)" "store:${reference#*@}"
	# The channel is gone: whoever needs it fails.
	mv channel gone
	for store in b a b; do
		requests_forget main
		same "$(eb "$store" two --reference-file file)" "$reference"
		same "$(cat file)" "$reference"
		requests main >asked
		cat asked
		[ "$(wc -l <asked)" -le 8 ]
		same "$(grep -cvE '^(GET|HEAD) ' asked)" 0
	done
	same "$(wc -l <asked)" 1
	# So is its lock, for a store that never solved it.
	for store in a c; do
		"$ENVBUILD" lock env.yml --base scratch --registry "$R/two" \
			--channel "file://$PWD/channel" --cache-dir "$store" \
			>"$store.lock"
	done
	cmp a.lock c.lock
	sound a
	sound b
}
it 'two builders: the second makes nothing and ends with the same' two_builders

# What a user does with an image that was found.
found_outputs() {
	define 'greeting=1.0, prefixed'
	reference=$(eb a outputs)
	rm -r channel
	same "$(eb b outputs --output oci:layout:v1 --output rootfs:root \
		--reference-file file)" oci:layout:v1
	same "$(cat file)" "$reference"
	same "$(jq -r '.manifests[0].digest' layout/index.json)" \
		"${reference#*@}"
	[ -e root/opt/env/conda-meta/history ]
	sound b
}
it 'what the team has is written to outputs' found_outputs

# A builder with an empty store: the new package alone is opened, the others'
# parts come out of the blobs that the nearest environment has.
changed() {
	define 'python, greeting=1.0, prefixed'
	eb a changed >/dev/null
	define 'python, greeting=1.1, prefixed'
	want=$(alone other)
	only 'greeting-1.1-*'
	eb b changed --json >json 2>said
	cat said json
	same "store:$(jq -r .manifest json)" "$want"
	same "$(jq -r .reference json)" "$R/changed@${want#store:}"
	[ "$(jq '."pushed-bytes"' json)" -lt 100000 ]
	[ "$(jq '."packed-bytes"' json)" -lt 100000 ]
	complete changed "$(env_tag b)"
	sound b
	# And so on: what was taken over is in the next map as well.
	define 'python, greeting=1.1'
	find channel -name '*.conda' -delete -o -name '*.bz2' -delete
	eb c changed --json >json
	rm -r channel
	define 'python, greeting=1.1'
	same "store:$(jq -r .manifest json)" "$(alone other)"
	sound c
	# One package of a bucket that had two: its part comes out of the blob.
	define libxcrypt
	want=$(alone other)
	find channel -name '*.conda' -delete
	eb d changed --json >json
	same "store:$(jq -r .manifest json)" "$want"
	[ "$(jq '."pulled-bytes"' json)" -gt 0 ]
	[ "$(jq '."pulled-bytes"' json)" -lt 300000 ]
	complete changed "$(env_tag d)"
	sound d
}
it 'a changed definition takes the rest from the nearest environment' changed

# One package changed, and the store has all others. What stands in the registry
# is looked at before it is moved and after, whatever else is saved.
changed_here() {
	local tag lock
	define 'python, greeting=1.0, prefixed'
	eb a here >/dev/null
	define 'python, greeting=1.1, prefixed'
	requests_forget main
	eb a here >reference
	requests main >asked
	cat asked
	tag=$(env_tag a)
	[ "$(wc -l <asked)" -le 32 ]
	same "$(grep "^[A-Z]* [^ ]*/$tag " asked | cut -d ' ' -f 1,3 |
		tr '\n' ' ')" 'GET 404 HEAD 404 PUT 201 HEAD 200 '
	# Blobs; lock- and locked-; then env-. The list goes beside them.
	sed -n 's|^PUT .*/\(uploads\)/.*|\1|p; s|^PUT .*/\([a-z]*\)[^/ ]* .*|\1|p' \
		asked | uniq | tr '\n' ' ' >order
	cat order
	grep -Eq '^uploads ((uploads|lock|locked) )+((uploads|env|recent) )+$' \
		order
	for tag in lock locked env recent; do
		grep -q " $tag " order
	done
	# It was read once; the second look found it as it was.
	same "$(grep -c '^GET .*/recent ' asked)" 1
	same "$(grep -c '^HEAD .*/recent ' asked)" 1
	complete here "$tag"
	sound a
}
it 'one package changed: few requests, in their order' changed_here

# With bytecode and a base. The interpreter's own parts have to be here.
bytecode() {
	local base
	base=$(need_base)
	define 'python, greeting=1.0, prefixed'
	eb a bytecode --base "rootfs:$base" >/dev/null
	define 'python, greeting=1.1, prefixed'
	want=$(alone other --base "rootfs:$base")
	only 'greeting-1.1-*'
	eb b bytecode --base "rootfs:$base" --json >json
	cat json
	same "store:$(jq -r .manifest json)" "$want"
	[ "$(jq '."pushed-bytes"' json)" -lt 100000 ]
	[ "$(jq '."pulled-bytes"' json)" -gt 0 ]
	sound b
	# A store that has made it knows it; one that never saw it has it too.
	rm -r channel
	same "$(eb c bytecode --base "rootfs:$base")" \
		"$(jq -r .reference json)"
	"$ENVBUILD" run env.yml --base "rootfs:$base" --cache-dir c \
		--channel "file://$PWD/channel" --registry "$R/bytecode" \
		-- greet >out
	same "$(cat out)" 'greeting 1.1 from /opt/env'
}
it 'the same with bytecode, on a base; the image found runs' bytecode

# Ten at once, each with a store of its own; somebody looks all the time.
# ENVBUILD_TEST_RACES: how often.
ten() {
	local round
	define 'python, greeting=1.0, prefixed'
	alone other >/dev/null
	for round in $(seq "${ENVBUILD_TEST_RACES:-1}"); do
		race "ten$round" "$(env_tag other)"
		rm -rf s? out? err? enough seen
	done
}

race() { # REPOSITORY TAG
	local i poller pids=
	look_on "$1" "$2" &
	poller=$!
	for i in 0 1 2 3 4 5 6 7 8 9; do
		eb "s$i" "$1" >"out$i" 2>"err$i" &
		pids="$pids $!"
	done
	for i in $pids; do
		wait "$i" || fail "one of them ended with $?: $(cat err?)"
	done
	touch enough
	wait "$poller" || fail 'the tag was not complete at every moment'
	[ "$(cat seen)" -gt 0 ]
	same "$(cat out? | sort -u)" "$R/$1@$(digest "$1" "$2")"
	same "$(tags "$1" | grep -c '^env-')" 1
	complete "$1" "$2"
}

look_on() { # REPOSITORY TAG
	local n=0
	set +e
	while [ ! -e enough ] || [ "$n" = 0 ]; do
		[ -n "$(digest "$1" "$2")" ] || continue
		complete "$1" "$2" || exit 1
		n=$((n + 1))
	done
	echo "$n" >seen
}
it 'ten at once on one definition: one image, complete at every moment' ten

# Two locks of one definition: a channel that has changed between them.
two_locks() {
	local i last store tag
	define 'greeting, prefixed'
	cp -r channel whole
	without 'greeting-1.1-py_0.conda'
	alone a >/dev/null
	rm -r channel
	mv whole channel
	alone b >/dev/null
	tag=$(env_tag a)
	mv channel gone # each takes the lock that it has
	for i in 1 2 3 4 5; do
		cp -r a "a$i"
		cp -r b "b$i"
		eb "a$i" "locks$i" >out.a 2>err.a &
		first=$!
		eb "b$i" "locks$i" >out.b 2>err.b
		wait "$first" || fail "$(cat err.a)"
		cat out.a out.b
		last=$R/locks$i@$(digest "locks$i" "$tag")
		cat out.a out.b | grep -xF "$last"
		complete "locks$i" "$(sed 's/.*@//' out.a)"
		complete "locks$i" "$(sed 's/.*@//' out.b)"
		# From here on it is the same for all.
		for store in "a$i" "b$i" c; do
			same "$(eb "$store" "locks$i")" "$last"
		done
	done
}
# without FILE: it is not in the channel's index.
without() {
	find channel -name 'repodata.json.zst' -delete
	jq --arg file "$1" 'del(.packages[$file], ."packages.conda"[$file])' \
		channel/noarch/repodata.json >new
	mv new channel/noarch/repodata.json
}
it 'two locks at once: one stands, both images are there' two_locks

refresh() {
	define 'greeting, prefixed'
	cp -r channel whole
	without 'greeting-1.1-py_0.conda'
	old=$(eb a refresh)
	tag=$(env_tag a)
	lock=$(tags refresh | grep '^lock-')
	time=$(manifest refresh "locked-${lock#lock-}" |
		jq -r '.annotations["org.opencontainers.image.created"]')
	# The same lock: its time alone is new.
	sleep 1
	same "$(eb b refresh --refresh)" "$old"
	later=$(manifest refresh "locked-${lock#lock-}" |
		jq -r '.annotations["org.opencontainers.image.created"]')
	[[ $later > $time ]]
	# A map is still with it.
	same "$(manifest refresh "locked-${lock#lock-}" | jq '.layers | length')" 3
	# Another one: env- is moved, the old image stays.
	rm -r channel
	mv whole channel
	same "$(eb c refresh)" "$old"
	new=$(eb c refresh --refresh)
	[ "$new" != "$old" ]
	same "$(digest refresh "$tag")" "${new#*@}"
	same "$(digest refresh "$lock")" "${old#*@}"
	same "$(eb a refresh)" "$new"
	same "$(eb d refresh)" "$new"
	# Too old is as good as none.
	sleep 1
	same "$(eb e refresh --max-age 1s --json | jq .solved)" true
	same "$(eb e refresh --max-age 1h --json | jq .solved)" false
}
it '--refresh moves env-, or confirms the time of the lock; --max-age' refresh

given() {
	define 'greeting=1.0, prefixed'
	want=$(alone a)
	"$ENVBUILD" lock env.yml --base scratch --cache-dir a \
		--channel "file://$PWD/channel" >the.lock
	same "$(eb b given --lock the.lock)" "$R/given@${want#store:}"
	complete given "$(env_tag a)"
	rm -r channel
	requests_forget main
	same "$(eb c given --lock the.lock)" "$R/given@${want#store:}"
	[ "$(requests main | wc -l)" -le 8 ]
	# A lock that is not the newest one is built all the same.
	cp -r "$packages" channel
	jq '.commentary.time = 1' the.lock >old.lock || cp the.lock old.lock
	same "$(eb d given --lock old.lock)" "$R/given@${want#store:}"
}
it '--lock: its image, and no channel' given

one_lock() {
	define 'greeting=1.0, prefixed' one
	a=$(eb a same)
	printf 'dependencies: [prefixed >=1, greeting ==1.0]\n' >env.yml
	requests_forget main
	same "$(eb b same --json | tee json | jq -r .reference)" "$a"
	same "$(jq '."pushed-bytes"' json)" 0
	same "$(requests_count main '^POST')" 0
	same "$(tags same | grep -c '^env-')" 2
	same "$(tags same | grep -c '^lock-')" 1
	rm -r channel
	same "$(eb c same)" "$a"
}
it 'two definitions with one lock: a tag more' one_lock

# zstd beside gzip.
zstd_image() {
	define 'greeting=1.0, prefixed'
	a=$(eb a zstd)
	b=$(eb a zstd --compression zstd)
	[ "$a" != "$b" ]
	same "$(tags zstd | grep -c '^lock-.*-zstd$')" 1
	complete zstd "${b#*@}"
	rm -r channel
	same "$(eb b zstd --compression zstd)" "$b"
	same "$(eb b zstd)" "$a"
}
it 'the compression has its own image under the lock' zstd_image

more_tags() {
	registry_with mounts
	define 'greeting=1.0, prefixed'
	a=$(eb a tags --tag v1)
	same "$(digest tags v1)" "${a#*@}"
	rm -r channel
	# Of what is there, too; and in another repository, by mount.
	requests_forget main
	same "$(eb b tags --tag v2 --tag "$R/elsewhere:v3")" "$a"
	same "$(digest tags v2)" "${a#*@}"
	same "$(digest elsewhere v3)" "${a#*@}"
	complete elsewhere v3
	[ "$(requests_count main '^POST .*mount=.* 201')" -gt 2 ]
	same "$(requests_count main '^(POST|PATCH|PUT) .*uploads.* 202')" 0
	cp -r "$packages" channel
	fails 2 'needs a registry' "$ENVBUILD" build env.yml --base scratch \
		--channel "file://$PWD/channel" --tag v1
}
it '--tag: here and elsewhere' more_tags

# The same packages in another repository of the registry: mounted.
second_repository() {
	registry_with mounts
	define 'python, greeting=1.0, prefixed'
	eb a first >/dev/null
	requests_forget main
	eb a second --json >json
	cat json
	same "$(jq '."pushed-bytes"' json)" 0
	[ "$(jq .mounted json)" -gt 3 ]
	complete second "$(env_tag a)"
	# Another definition, that shares packages: its last layer, and those
	# of the bucket.
	define 'python, greeting=1.1'
	eb a third --json >json
	cat json
	[ "$(jq '."pushed-bytes"' json)" -lt 100000 ]
	complete third "$(env_tag a)"
}
it 'a second repository: blobs are mounted' second_repository

# Killed wherever it is: no tag, or a complete one; the next one ends.
killed() {
	local i delay pid
	define 'python, greeting=1.0, prefixed'
	want=$(alone other)
	tag=$(env_tag other)
	for i in 1 2 3 4 5 6 7 8; do
		delay=$(printf 0.%02d $(((i * 37) % 45 + 3)))
		via='exec' eb "k$i" "killed$i" >/dev/null 2>&1 &
		pid=$!
		sleep "$delay"
		if kill -KILL "$pid" 2>/dev/null && ! wait "$pid"; then
			echo "killed after $delay s"
		fi
		if [ -n "$(digest "killed$i" "$tag")" ]; then
			complete "killed$i" "$tag"
		fi
		same "$(eb "k$i" "killed$i")" "$R/killed$i@${want#store:}"
		complete "killed$i" "$tag"
		sound "k$i"
	done
}
it 'kill -9 at any moment: no tag or a whole one, and the next one ends' killed

# What the registry was said to have is gone: it is made from the packages.
wrong_hints() { # BEFORE AFTER
	local d
	registry_with files
	define "python, greeting=1.$1, prefixed"
	eb a hints >/dev/null
	manifest hints "$(env_tag a)" >m
	define "$2"
	want=$(alone other)
	# Each bucket and own layer of the image, as if the registry's own
	# collection had taken them.
	for d in $(jq -r '.layers[].digest' m); do
		rm "$(blob_file main "$d")"
	done
	eb b hints --json >json 2>said
	cat said
	has_words said 'made anew'
	same "store:$(jq -r .manifest json)" "$want"
	complete hints "$(env_tag b)"
	sound b
}
it 'layers that are gone: said, and made from the packages' wrong_hints 0 \
	'python, greeting=1.1, prefixed'
it 'parts that are gone: the same' wrong_hints 1 libxcrypt

# A bucket's bytes are others.
damaged() {
	local d file
	registry_with files
	define python
	eb a damaged >/dev/null
	manifest damaged "$(env_tag a)" >m
	define libxcrypt
	want=$(alone other)
	for d in $(jq -r '.layers[].digest' m); do
		file=$(blob_file main "$d")
		cp "$file" "kept.${d#*:}"
		tr '\000-\377' '\001-\377\000' <"kept.${d#*:}" >"$file"
	done
	same "$(eb b damaged 2>said)" "$R/damaged@${want#store:}"
	for d in $(jq -r '.layers[].digest' m); do
		cp "kept.${d#*:}" "$(blob_file main "$d")"
	done
	cat said
	has_words said damaged 'made anew'
	complete damaged "$(env_tag b)"
	sound b
}
it 'blobs that are damaged: said, and made from the packages' damaged

# Hints that are no such thing harm nothing.
nonsense() {
	define 'greeting=1.0, prefixed'
	eb a nonsense >/dev/null
	manifest nonsense recent >m
	# An image where the list of the recent ones should be.
	manifest nonsense "$(env_tag a)" | curl -sf -X PUT --data-binary @- -H \
		'Content-Type: application/vnd.oci.image.manifest.v1+json' \
		"http://$R/v2/nonsense/manifests/recent"
	define 'greeting=1.1, prefixed'
	want=$(alone other)
	same "$(eb b nonsense)" "$R/nonsense@${want#store:}"
	complete nonsense "$(env_tag b)"
	same "$(manifest nonsense recent | jq -r .artifactType)" \
		application/vnd.envbuild.recent.v1
}
it 'a list of recent environments that is none' nonsense

foreign() {
	define 'greeting=1.0, prefixed'
	a=$(eb a foreign)
	tag=$(env_tag a)
	manifest foreign "$tag" | jq -c 'del(.annotations)' |
		curl -sf -X PUT --data-binary @- -H \
			'Content-Type: application/vnd.oci.image.manifest.v1+json' \
			"http://$R/v2/foreign/manifests/$tag"
	fails 6 'no image that envbuild has made' eb b foreign
	has_words stderr '--refresh'
	same "$(eb b foreign --refresh)" "$a"
}
it 'something else under env-' foreign

# The lock of an image is gone, or is another one's.
broken_lock() {
	local tag
	registry_with deletes
	define 'greeting=1.0, prefixed'
	a=$(eb a broken)
	tag=$(tags broken | grep '^locked-')
	manifest broken "$tag" >m
	curl -sf -X DELETE "http://$R/v2/broken/manifests/$(
		digest broken "$tag"
	)"
	tags broken >left
	has_not left locked-
	same "$(eb b broken 2>said)" "$a"
	has_words said 'its lock does not'
	same "$(manifest broken "$tag" | jq -c '.layers[1:]')" \
		"$(jq -c '.layers[1:]' m)"
	mv channel gone
	same "$(eb c broken)" "$a"
	mv gone channel
	define 'greeting=1.1, prefixed'
	other=$(eb a broken)
	[ "$other" != "$a" ]
	tag=$(tags broken | grep '^locked-' | grep -v "$tag")
	curl -sf -X PUT --data-binary @m -H \
		'Content-Type: application/vnd.oci.image.manifest.v1+json' \
		"http://$R/v2/broken/manifests/$tag"
	fails 6 'another image' eb d broken
	has_words stderr '--refresh'
	same "$(eb d broken --refresh)" "$other"
	rm -r channel
	same "$(eb e broken)" "$other"
}
it 'a lock that is gone or another one is made anew' broken_lock

unreachable() {
	define 'greeting=1.0'
	R=127.0.0.1:1 fails 4 '127.0.0.1:1/team' eb a team
	has_words stderr '--no-push'
	same "$(R=127.0.0.1:1 alone a)" "$(alone a)"
	same "$(R=127.0.0.1:1 eb a team --offline)" "$(alone a)"
}
it 'no registry there: exit 4, and --no-push or --offline leave it out' \
	unreachable

done_testing
