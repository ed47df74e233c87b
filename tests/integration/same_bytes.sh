#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The same lock gives the same bytes; what does not count changes nothing.
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/../lib.sh"

base=$(need_base)
channel=$(need_channel)
options=(--base "rootfs:$base" --channel "file://$channel")

write() { # FILE, then the lines of dependencies
	local file=$1
	shift
	printf '%s\n' dependencies: "$@" >"$file"
}

write "$SCRATCH/a.yml" '- python' '- greeting=1.0' '- prefixed'
"$ENVBUILD" build "$SCRATCH/a.yml" "${options[@]}" --output \
	"oci:$SCRATCH/layout" >/dev/null
"$ENVBUILD" lock "$SCRATCH/a.yml" "${options[@]}" >"$SCRATCH/a.lock"
(cd "$SCRATCH/layout/blobs/sha256" && sha256sum ./*) >"$SCRATCH/sums"

# rebuild COMMAND...: the same lock in an empty store under other conditions.
rebuild() {
	"$@" "$ENVBUILD" build "$SCRATCH/a.lock" --base "rootfs:$base" \
		--cache-dir "$PWD/other/cache" --jobs 1 --output oci:there
	(cd there/blobs/sha256 && sha256sum ./*) >sums
	diff "$SCRATCH/sums" sums
}

another_zone() { rebuild env TZ=Pacific/Auckland LC_ALL=tr_TR.UTF-8; }
it 'another time zone, locale and store' another_zone

another_umask() {
	umask 077
	rebuild env HOME=/nonexistent
}
it 'another umask' another_umask

another_user() {
	[ "$(id -u)" = 0 ] || skip 'only root can become another user'
	place=$(mktemp -d /tmp/eb.XXXXXX)
	trap 'rm -rf "$place"' EXIT
	cp "$SCRATCH/a.lock" "$place"
	chmod 777 "$place"
	chmod a+r "$place/a.lock"
	as_other() {
		env -C "$place" HOME="$place" XDG_CACHE_HOME="$place/c" \
			XDG_STATE_HOME="$place/s" XDG_CONFIG_HOME="$place/k" \
			setpriv --reuid 4711 --regid 4711 --clear-groups "$@"
	}
	as_other test -r "$base" -a -x "$ENVBUILD" ||
		skip 'another user cannot read this folder'
	as_other "$ENVBUILD" build a.lock --base "rootfs:$base" \
		--output oci:there
	(cd "$place/there/blobs/sha256" && sha256sum ./*) >sums
	diff "$SCRATCH/sums" sums
}
it 'another user' another_user

image_id() {
	"$ENVBUILD" build "$@" "${options[@]}" --json | jq -r '."image-id"'
}

one_lock() {
	{
		echo '# another comment'
		echo 'name: another-name'
		write /dev/stdout "- prefixed ==1.0" "- GREETING 1.0" \
			"- python >=3"
	} >b.yml
	a=$(image_id "$SCRATCH/a.yml")
	b=$(image_id b.yml)
	same "$a" "$b"
	[ "$("$ENVBUILD" hash "$SCRATCH/a.yml" "${options[@]}" | head -n 1)" != \
		"$("$ENVBUILD" hash b.yml "${options[@]}" | head -n 1)" ]
}
it 'two definitions that end in one lock have one image ID' one_lock

# The compressor changes the manifest, not the image.
one_id() {
	a=$(image_id "$SCRATCH/a.yml")
	b=$(image_id "$SCRATCH/a.yml" --compression zstd)
	same "$a" "$b"
}
it 'gzip and zstd have one image ID' one_id

hashes() {
	h() { "$ENVBUILD" hash "$@" | sed -n 's/^definition //p'; }
	printf 'channels: [one, two]\ndependencies: [a, b =1.2]\n' >1.yml
	printf '# c\nname: x\nchannels: [one, two]\ndependencies: ["b 1.2.*", A]\n' >2.yml
	printf 'channels: [two, one]\ndependencies: [a, b =1.2]\n' >3.yml
	printf 'channels: [one, two]\ndependencies: [a, b ==1.2]\n' >4.yml
	same "$(h 1.yml)" "$(h 2.yml)"
	[ "$(h 1.yml)" != "$(h 3.yml)" ]
	[ "$(h 1.yml)" != "$(h 4.yml)" ]
	[ "$(h 1.yml)" != "$(h 1.yml --base scratch)" ]
	[ "$(h 1.yml)" != "$(h 1.yml --pyc none)" ]
	same "$("$ENVBUILD" hash --show 1.yml | sha256sum | cut -d' ' -f1)" \
		"$(h 1.yml)"
}
it 'definition hash: what counts and what does not' hashes

done_testing
