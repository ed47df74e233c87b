#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# What a machine does to a build: killed, no room, no right, no runtime; and
# many builds at once.
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/../lib.sh"

base=$(need_base)
channel=$(need_channel)
options=(--base "rootfs:$base" --channel "file://$channel")
yaml=$SCRATCH/environment.yml
printf 'dependencies: [python, greeting, prefixed]\n' >"$yaml"

# `via=exec` before it: in the place of the shell, for those who kill it.
build() {
	${via-} "$ENVBUILD" build "$yaml" "${options[@]}" "$@"
}

# After a kill at any moment the next build succeeds, with the same image, and
# the store is sound. The moments are spread over the length of a build.
killed() {
	want=$(build --cache-dir "$PWD/whole")
	start=$(date +%s%N)
	build --cache-dir "$PWD/timed" >/dev/null
	length=$((($(date +%s%N) - start) / 1000000))
	early=0 died=0
	for i in $(seq 50); do
		via='exec' build --cache-dir "$PWD/c" --progress none \
			>/dev/null 2>&1 &
		pid=$!
		moment=$((RANDOM * length / 32768))
		sleep "$((moment / 1000)).$(printf '%03d' $((moment % 1000)))"
		kill -9 "$pid" 2>/dev/null || early=$((early + 1))
		ended=0
		wait "$pid" || ended=$?
		"$ENVBUILD" cache check --quick --cache-dir "$PWD/c" \
			>said 2>&1 || fail "after kill $i: $(cat said)"
		# It goes on from where it was; one that is whole begins anew.
		if [ "$ended" = 0 ]; then
			rm -rf c
		else
			died=$((died + 1))
		fi
	done
	echo "$died died, $early had ended"
	[ "$died" -ge 10 ]
	same "$(build --cache-dir "$PWD/c")" "$want"
	"$ENVBUILD" cache check --cache-dir "$PWD/c" >said
	grep -q ' 0 damaged, 0 missing,' said
	[ -z "$(find c/tmp -mindepth 1 -print -quit)" ]
}
it 'killed at 50 moments: the next build succeeds, the store is sound' killed

many() {
	pids=
	for i in 0 1 2 3 4 5 6 7 8 9; do
		printf 'dependencies: [greeting, prefixed]\nvariables: {N: "%d"}\n' \
			"$i" >"$i.yml"
		"$ENVBUILD" build "$i.yml" "${options[@]}" --cache-dir "$PWD/c" \
			>"$i.out" 2>"$i.err" &
		pids="$pids $!"
	done
	for pid in $pids; do
		wait "$pid" || fail "$(cat ./*.err)"
	done
	for i in 0 1 2 3 4 5 6 7 8 9; do
		same "$("$ENVBUILD" check "$i.yml" "${options[@]}" \
			--cache-dir "$PWD/c")" "$(cat "$i.out")"
	done
	same "$(sort -u ./*.out | wc -l)" 10
	"$ENVBUILD" cache check --cache-dir "$PWD/c"
}
it 'ten builds of ten definitions in one store' many

together() {
	pids=
	for i in 0 1 2 3; do
		build --cache-dir "$PWD/c" --json >"$i.out" 2>"$i.err" &
		pids="$pids $!"
	done
	for pid in $pids; do
		wait "$pid" || fail "$(cat ./*.err)"
	done
	same "$(cat ./*.out | jq -r .reference | sort -u | wc -l)" 1
	same "$(cat ./*.out | jq -r .cached | grep -c false)" 1
}
it 'four builds of one definition share one' together

full_disk() {
	[ "$(id -u)" = 0 ] || skip 'only root can mount a small disk'
	mkdir disk
	mount -t tmpfs -o size=12m none disk 2>/dev/null ||
		skip 'no tmpfs can be mounted here'
	trap 'umount disk' EXIT
	fails 7 'No space left' build --cache-dir "$PWD/disk/c"
	[ -z "$(find disk/c/tmp -mindepth 1 -print -quit)" ]
	"$ENVBUILD" cache check --cache-dir "$PWD/disk/c"
	mount -o remount,size=400m disk
	build --cache-dir "$PWD/disk/c"
	"$ENVBUILD" cache check --cache-dir "$PWD/disk/c"
}
it 'a full disk: status 7, nothing half-written, goes on later' full_disk

read_only() {
	[ "$(id -u)" = 0 ] || skip 'only root can mount read-only'
	mkdir c
	build --cache-dir "$PWD/c" >reference
	mount --bind c c 2>/dev/null || skip 'no bind mount here'
	trap 'umount c' EXIT
	mount -o remount,bind,ro c
	same "$("$ENVBUILD" check "$yaml" "${options[@]}" --cache-dir "$PWD/c")" \
		"$(cat reference)"
	fails 7 "$PWD/c" build --cache-dir "$PWD/c" --refresh
}
it 'a read-only cache still answers check' read_only

no_runtime() {
	build >/dev/null
	fails 125 nowhere/runc env ENVBUILD_RUNTIME=nowhere/runc "$ENVBUILD" \
		run "$yaml" "${options[@]}" -- true
	env ENVBUILD_RUNTIME=nowhere/runc "$ENVBUILD" doctor >said
	cat said
	grep -qi '^no .*runtime' said
}
it 'no OCI runtime: says what was looked for' no_runtime

damaged() {
	reference=$(build --cache-dir "$PWD/c")
	blob=$(find c/blobs/sha256 -type f -size +100k | sort | head -n 1)
	chmod u+w "$blob"
	printf x | dd of="$blob" bs=1 seek=1000 conv=notrunc 2>/dev/null
	fails 1 "$(basename "$blob")" "$ENVBUILD" cache check \
		--cache-dir "$PWD/c"
	same "$(build --cache-dir "$PWD/c")" "$reference"
	"$ENVBUILD" cache check --cache-dir "$PWD/c"
}
it 'a damaged blob is found, dropped, and made again' damaged

collected() {
	build --cache-dir "$PWD/c" >/dev/null
	printf 'dependencies: [greeting=1.0]\n' >other.yml
	"$ENVBUILD" build other.yml "${options[@]}" --cache-dir "$PWD/c" \
		>reference
	before=$(du -s c | cut -f1)
	"$ENVBUILD" cache gc --max-size 1 --dry-run --cache-dir "$PWD/c"
	same "$(du -s c | cut -f1)" "$before"
	"$ENVBUILD" cache gc --max-size 1 --cache-dir "$PWD/c"
	[ "$(du -s c | cut -f1)" -lt $((before / 2)) ]
	"$ENVBUILD" cache check --cache-dir "$PWD/c"
	same "$("$ENVBUILD" build other.yml "${options[@]}" \
		--cache-dir "$PWD/c")" "$(cat reference)"
}
it 'gc makes room; what it took is made again' collected

rebuilt() {
	reference=$(build --cache-dir "$PWD/c")
	rm c/index.sqlite*
	"$ENVBUILD" cache check --rebuild --cache-dir "$PWD/c"
	build --cache-dir "$PWD/c" --json >out
	same "$(jq -r .reference out)" "$reference"
	same "$(jq -r '."packed-bytes"' out)" 0
}
it 'the index is made anew from the blobs' rebuilt

signals() {
	via='exec' build --cache-dir "$PWD/c" >/dev/null 2>&1 &
	pid=$!
	sleep 0.2
	kill -TERM "$pid"
	got=0
	wait "$pid" || got=$?
	same "$got" 143
	build --cache-dir "$PWD/c"
}
it 'terminated: status 143, the next build succeeds' signals

done_testing
