#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Locks: build from one, refuse another's, renew; offline with a full store.
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/../lib.sh"

base=$(need_base)
channel=$(need_channel)
cp -r "$channel" "$SCRATCH/channel"
options=(--base "rootfs:$base" --channel "file://$SCRATCH/channel")
yaml=$SCRATCH/environment.yml
printf 'dependencies: [python, greeting]\n' >"$yaml"

eb() {
	local verb=$1
	shift
	"$ENVBUILD" "$verb" "$yaml" "${options[@]}" "$@"
}

text() {
	eb lock >a
	eb lock --output b
	cmp a b
	same "$(jq -r '.locked.packages | map(.name) | sort == map(.)' a)" true ||
		jq -e '[.locked.packages[].name] | . == sort' a
	jq -e '.locked.packages | all(.sha256 and .size and .url)' a
	same "$(jq -cjS .locked a | sha256sum | cut -d' ' -f1)" \
		"$(jq -r '."lock-hash"' a | sed 's/sha256://')"
	eb lock --json | jq -e '.packages[] | select(.name == "greeting")
		| .kind == "conda" and .requested and .version == "1.1"'
}
it 'the lock: stable, hashed, in JSON' text

from_lock() {
	eb lock --output l.lock
	a=$(eb build --lock l.lock)
	# A full store needs neither channel nor base.
	mv "$SCRATCH/channel" "$SCRATCH/away"
	b=$(eb build --lock l.lock --offline) || { mv "$SCRATCH/away" "$SCRATCH/channel"; false; }
	c=$("$ENVBUILD" build l.lock --offline) || { mv "$SCRATCH/away" "$SCRATCH/channel"; false; }
	mv "$SCRATCH/away" "$SCRATCH/channel"
	same "$a" "$b"
	same "$a" "$c"
}
it 'build --lock solves nothing and needs no channel' from_lock

another() {
	eb lock --output l.lock
	printf 'dependencies: [python]\n' >other.yml
	fails 3 'another definition' "$ENVBUILD" build other.yml \
		"${options[@]}" --lock l.lock
	"$ENVBUILD" build other.yml "${options[@]}" --lock l.lock --update-lock
	"$ENVBUILD" build other.yml "${options[@]}" --lock l.lock
	jq -e '[.locked.packages[].name] | index("greeting") | not' l.lock
}
it 'a lock for another definition is refused, --update-lock renews it' another

tampered() {
	eb lock | sed 's/"requested": true/"requested": false/' >l.lock
	fails 3 'was changed' eb build --lock l.lock
	eb lock | sed 's/"envbuild-lock": 1/"envbuild-lock": 99/' >l.lock
	fails 7 'format 99' eb build --lock l.lock
	head -c 300 >l.lock < <(eb lock)
	fails 3 l.lock eb build --lock l.lock
	fails 3 nowhere.lock eb build --lock nowhere.lock
}
it 'changed, newer, cut and missing locks' tampered

# A definition points at the newest lock; an old one stays.
refresh() {
	a=$(eb build)
	python3 - "$SCRATCH/channel/noarch" <<-'END'
		import json, sys, os
		path = sys.argv[1] + '/repodata.json'
		d = json.load(open(path))
		for k in ('packages', 'packages.conda'):
		    d[k] = {f: r for f, r in d.get(k, {}).items() if not f.startswith('greeting-1.1')}
		json.dump(d, open(path, 'w'))
		if os.path.exists(path + '.zst'): os.remove(path + '.zst')
	END
	same "$(eb build)" "$a"
	b=$(eb build --refresh)
	[ "$a" != "$b" ]
	same "$(eb build)" "$b"
	"$ENVBUILD" cache list | grep -qF "$a"
	fails 1 'older than' eb check --max-age 0s
}
it '--refresh solves anew and keeps the old image' refresh

stdin() {
	a=$(eb build)
	same "$("$ENVBUILD" build - "${options[@]}" <"$yaml")" "$a"
	same "$(eb lock | "$ENVBUILD" build -)" "$a"
}
it 'standard input: a definition or a lock' stdin

done_testing
