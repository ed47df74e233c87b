#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Channels and definitions that ask much of the solver: the right answer or a
# clear error, in a bounded time and with bounded memory.
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/../lib.sh"

# What a sanitizer needs itself is beyond any bound.
times=1
(ulimit -v 50000 && "$ENVBUILD" help) >"$SCRATCH/said" 2>&1 || times=10

for kind in builds cycles chain long conditions deep; do
	python3 "$TOP/tests/fixtures/odd-channel" "$SCRATCH/$kind" "$kind" ||
		exit 1
done

# bounded SECONDS MIB COMMAND...: it may take that much.
bounded() {
	local seconds=$(($1 * times)) mib=$(($2 * times))
	shift 2
	"$TOP/tests/fixtures/bounded" "$seconds" "$mib" "$@"
}

# ask CHANNEL SPECS: solves them, into "lock".
ask() {
	printf 'dependencies: [%s]\n' "$2" >env.yml
	rm -f lock
	bounded 10 150 "$ENVBUILD" lock env.yml --base scratch \
		--channel "file://$SCRATCH/$1" --platform linux/amd64 \
		--output lock
}

# has NAME-VERSION-BUILD...: these alone are in the lock.
has() {
	jq -r '.. | objects | select(.kind == "conda" or has("build_number")) |
		"\(.name)-\(.version)-\(.build)"' lock | sort -u >there
	printf '%s\n' "$@" | sort | diff - there
}

# says FILE WORDS...: they are there, and nothing there is longer than a page.
says() {
	local file=$1 words
	shift
	[ "$(wc -c <"$file")" -lt 4000 ] || fail "$(wc -c <"$file") bytes"
	for words; do
		grep -qF -- "$words" "$file" || fail "no \"$words\" in $file"
	done
}

# The build whose dependencies are newest, and of those the youngest.
builds() {
	ask builds many
	has base-6.1-0 many-1-h9995
	ask builds many,base=3
	has base-3.1-0 many-1-h9999
	ask builds many=1=h77
	has base-0.1-0 many-1-h77
	ask builds 'more=50,base<2'
	jq -e '[.. | objects | select(.name? == "base") | .version] |
		unique == ["1.1"]' lock
	fails 1 '"none"' ask builds none
	says stderr 'no solution' base
	fails 1 '"base=6"' ask builds many,side=9,base=6
	says stderr 'side'
}
it 'a name with 10,000 builds' builds

cycles() {
	ask cycles self
	has self-1-0
	ask cycles a
	has a-1-0 b-1-0 c-1-0
	fails 1 '"wrong"' ask cycles wrong
	says stderr 'left >=2'
	ask cycles ring7
	same "$(grep -o '"ring[0-9]*-1-0.conda"' lock | sort -u | wc -l)" 20000
}
it 'dependencies in a circle: of itself, of three, of 20,000' cycles

chain() {
	ask chain link0
	same "$(grep -o '"link[0-9]*-1-0.conda"' lock | sort -u | wc -l)" 20001
	ask chain link20000
	has link20000-1-0
}
it 'a chain of 20,000 dependencies' chain

long() {
	local name
	ask long good >said 2>&1
	has also-good-1-0 good-1-0
	says said 'malformed records are left out'
	for name in wide version build group; do
		fails 1 "\"$name\"" ask long "$name"
		says stderr 'malformed'
	done
	for name in deps when parens stars regex; do
		fails 1 "\"$name\"" ask long "$name"
		says stderr 'no solution'
	done
}
it 'a channel with specs of 1 MB and other texts that are too long' long

# A definition with the same.
user() {
	local big
	big=$(printf '%01000000d' 0)
	printf 'dependencies: ["x %s"]\n' "$big" >env.yml
	fails 3 'env.yml:1' bounded 5 100 "$ENVBUILD" hash env.yml
	says stderr 8192
	printf 'dependencies: ["%s"]\n' "$big" >env.yml
	fails 3 'env.yml:1' bounded 5 100 "$ENVBUILD" hash env.yml
	says stderr 8192
	printf 'dependencies: ["x[when=%s]"]\n' \
		"'a$(printf ' or a%.0s' $(seq 100))'" >env.yml
	fails 3 'env.yml:1' bounded 5 100 "$ENVBUILD" hash env.yml
	says stderr 'more than 64 specs'
	{
		echo 'dependencies:'
		seq -f '- good>=0.%.0f' 5000
	} >env.yml
	bounded 10 150 "$ENVBUILD" lock env.yml --base scratch \
		--channel "file://$SCRATCH/long" --output lock
	has also-good-1-0 good-1-0
}
it 'a definition with specs of 1 MB, and with 5,000 of them' user

conditions() {
	ask conditions all
	same "$(grep -o '"p[0-9]*-[12]-0.conda"' lock | sort -u | wc -l)" 300
}
it '13,000 conditions on 300 names' conditions

deep() {
	local kind
	for kind in unknown depends objects open; do
		fails 3 "deep/$kind/noarch/repodata.json" ask "deep/$kind" good
		says stderr 'more than 128 levels'
	done
	printf '%05000d' 0 | tr 0 '[' >env.yml
	fails 3 env.yml bounded 5 100 "$ENVBUILD" hash env.yml
	printf '%05000d' 0 | tr 0 '[' >env.json
	fails 3 env.json bounded 5 100 "$ENVBUILD" hash env.json
}
it 'JSON 5,000 deep: a channel, a definition' deep

# Cut off anywhere, it is never taken for the whole.
cut() {
	local whole=$SCRATCH/conditions/noarch/repodata.json size at
	size=$(wc -c <"$whole")
	mkdir -p c/noarch
	for at in 1 20 1000 $((size / 2)) $((size - 2)) $((size - 1)); do
		head -c "$at" "$whole" >c/noarch/repodata.json
		printf 'dependencies: [p1]\n' >env.yml
		fails 6 c/noarch/repodata.json bounded 5 100 "$ENVBUILD" lock \
			env.yml --base scratch --channel "file://$PWD/c"
		says stderr 'breaks off after'
	done
}
it 'a channel that breaks off' cut

done_testing
