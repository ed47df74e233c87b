#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Channels that serve their records in shards: the same as without, and what is
# done where shards are missing, damaged or hostile.
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/../lib.sh"
# shellcheck source=tests/faults.sh
. "$(dirname "$0")/../faults.sh"

root=$SCRATCH/root
shards() {
	python3 "$TOP/tests/fixtures/shards-channel" "$@" || exit 1
}
# unwhole FOLDER...: without the whole repodata.
unwhole() {
	local folder
	for folder; do
		rm "$folder"/*/repodata.json*
	done
}

small "$root/plain" normal normal-bz2 clash
cp -r "$root/plain" "$root/sharded"
shards "$root/sharded" "$root/sharded"
cp -r "$root/sharded" "$root/alone"
unwhole "$root/alone"
for kind in missing wrong cut huge junk deep; do
	cp -r "$root/plain" "$root/$kind"
	shards --fault $kind=normal "$root/$kind" "$root/$kind"
	cp -r "$root/$kind" "$root/$kind-alone"
	unwhole "$root/$kind-alone"
done
for kind in junk cut deep long empty; do
	cp -r "$root/plain" "$root/index-$kind"
	shards --index $kind "$root/index-$kind" "$root/index-$kind"
	cp -r "$root/index-$kind" "$root/index-$kind-alone"
	unwhole "$root/index-$kind-alone"
done
serve other "$root"
other=http://localhost:$port
serve login "$root" me:s3cr3t
login=127.0.0.1:$port
serve server "$root"
at=http://127.0.0.1:$port
answers=$SCRATCH/server.log
cp -r "$root/plain" "$root/apart"
shards --shards-url "$other/sharded/noarch/shards" "$root/apart" "$root/apart"

# lock CHANNEL PACKAGE OPTION...: what is locked, in the file "lock".
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
	lock "$at/plain" 'normal, normal-bz2, clash-b'
	locked >want
	same "$(jq length want)" 4
	: >"$answers"
	for channel in "$at/sharded" "$at/alone" "file://$root/sharded" \
		"file://$root/alone" "$at/apart"; do
		lock "$channel" 'normal, normal-bz2, clash-b'
		locked | diff want -
	done
	has_not "$answers" sharded/noarch/repodata.json \
		sharded/linux-64/repodata.json
	grep '^200 - /sharded/noarch/shards/' "$answers"
	grep '^200 - /sharded/noarch/shards/' "$SCRATCH/other.log"
	sound c
	"$ENVBUILD" build env.yml --base scratch --channel "$at/alone" \
		--cache-dir c
}
it 'from shards comes what comes from the whole' equal

# Names of which no shard was fetched are near, too.
near() {
	printf 'dependencies: [nromal]\n' >env.yml
	fails 1 '"normal"' "$ENVBUILD" lock env.yml --base scratch \
		--channel "$at/alone" --cache-dir c
}
it 'a misspelt name has near ones among all names' near

# Nothing but the index is asked for, and that only whether it is new.
warm() {
	lock "$at/sharded" normal
	: >"$answers"
	lock "$at/sharded" normal --refresh
	cat "$answers"
	same "$(grep -c '^304 .*/repodata_shards.msgpack.zst$' "$answers")" \
		"$(wc -l <"$answers")"
	: >"$answers"
	lock "$at/sharded" 'normal, normal-bz2'
	same "$(grep -c '^200 .*/noarch/shards/' "$answers")" 1
	: >"$answers"
	lock "$at/sharded" normal-bz2 --offline
	same "$(cat "$answers")" ''
	fails 4 --offline lock "$at/sharded" clash-b --offline
	fails 1 '"no-such-name"' lock "$at/sharded" no-such-name
	fails 1 '"normal"' lock "$at/sharded" norml
	sound c
}
it 'a second solve asks for the index alone' warm

missing() {
	lock "$at/missing" normal 2>err
	has_words err "$at/missing/noarch/shards/" '(404)' 'is used instead'
	# Who does not need it does without the whole.
	: >"$answers"
	lock "$at/missing" normal-bz2 --cache-dir d 2>err
	has_not err instead
	has_not "$answers" repodata.json
	fails 4 "$at/missing-alone/noarch/shards/" \
		lock "$at/missing-alone" normal
	has_words stderr '(404)'
	[ ! -e c/lock ]
	sound c
}
it 'a shard that is not there: the whole instead, else status 4' missing

# Fetched once more, no oftener; no other file makes it good.
wrong() {
	local kind
	for kind in wrong cut; do
		: >"$answers"
		fails 6 "$at/$kind/noarch/shards/" lock "$at/$kind" normal
		has_words stderr sha256
		same "$(grep -c '^200 .*/noarch/shards/' "$answers")" 2
		fails 6 "file://$root/$kind/noarch/shards/" \
			lock "file://$root/$kind" normal
	done
	sound c
}
it 'a shard with another digest: status 6 after two tries' wrong

hostile() {
	local kind
	for kind in huge junk deep; do
		lock "$at/$kind" normal 2>err
		has_words err "$at/$kind/noarch/shards/" 'is used instead'
		fails 3 "$at/$kind-alone/noarch/shards/" \
			lock "$at/$kind-alone" normal
	done
	sound c
}
it 'a shard that is none: the whole instead, else status 3' hostile

index() {
	local kind got
	for kind in junk cut deep long empty; do
		lock "$at/index-$kind" normal 2>err
		has_words err "$at/index-$kind/" repodata_shards.msgpack.zst \
			'is used instead'
		got=0
		lock "$at/index-$kind-alone" normal 2>err || got=$?
		case $kind.$got in
		junk.3 | deep.3 | cut.6 | long.6 | empty.6) ;;
		*) fail "index-$kind: status $got" ;;
		esac
		has_words err "$at/index-$kind-alone/"
	done
	sound c
}
it 'an index that is none: the whole instead, else its name' index

logins() {
	: >"$SCRATCH/other.log"
	lock "http://me:s3cr3t@$login/sharded" normal
	grep '^200 login /sharded/noarch/shards/' "$SCRATCH/login.log"
	lock "http://me:s3cr3t@$login/apart" normal
	[ -s "$SCRATCH/other.log" ]
	has_not "$SCRATCH/other.log" ' login '
	same "$(grep -rl s3cr3t c lock)" ''
	fails 5 "$login/sharded" lock "http://me:no@$login/sharded" normal \
		--cache-dir d
}
it 'logins: for the shards too, but nowhere else' logins

# The proof with real records: the first requests of those that have answers.
real() {
	local solves=$ENVBUILD_DATA/conda/solves
	local merged=$ENVBUILD_DATA/conda/repodata/merged
	local solve=$ENVBUILD_BUILD/tests/tools/solve_requests
	[ -d "$solves" ] || skip 'ENVBUILD_DATA has no conda/solves'
	[ -x "$solve" ] || skip 'solve_requests is not built'
	zstd -dcq "$solves/requests-open.jsonl.zst" |
		jq -c 'select(.channels == ["pytorch", "nvidia"] or
			.channels == ["conda-forge"])' | head -n 20 >requests
	same "$(wc -l <requests)" 20
	shards "$merged/conda-forge" real/conda-forge
	"$solve" "$merged" requests >want 2>said
	"$solve" --store store real requests >got 2>said
	cmp want got
	"$solve" --store store real requests >got 2>said
	cmp want got
	same "$(grep -c '"packages"' want)" "$(jq -r 'select(.satisfiable) |
		.id' requests | wc -l)"
}
it 'twenty requests of real records: equal, byte for byte' real

done_testing
