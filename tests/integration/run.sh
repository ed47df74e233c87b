#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# `envbuild run` by each runtime, as root and as somebody else: what the
# command gets, what it does not, how it ends, what is left. image.sh has the
# options' own tests.
# shellcheck source=tests/lib.sh disable=SC2016
. "$(dirname "$0")/../lib.sh"

base=$(need_base)
OTHER=4242
store=$XDG_CACHE_HOME/envbuild

# The base alone is an image, too: from scratch, with one small layer.
make_image() {
	need_program umoci
	umoci init --layout "$SCRATCH/layout"
	umoci new --image "$SCRATCH/layout:v1"
	umoci unpack --image "$SCRATCH/layout:v1" bundle
	tar -C bundle/rootfs -xf "$base"
	mkdir -p bundle/rootfs/srv/work bundle/rootfs/etc
	echo 'worker:x:33:44::/:/bin/sh' >bundle/rootfs/etc/passwd
	# Devices of the machine's own, planted by whoever made the image.
	if [ "$(id -u)" = 0 ]; then
		mknod -m 666 bundle/rootfs/planted b 7 0
	fi
	umoci repack --image "$SCRATCH/layout:v1" bundle
	umoci config --image "$SCRATCH/layout:v1" \
		--config.env OF_IMAGE=yes --config.workingdir /srv/work \
		--config.cmd /bin/sh --config.cmd -c --config.cmd 'echo by-cmd'
}
it 'a foreign image, made by umoci' make_image
image=oci:$SCRATCH/layout:v1
[ -e "$SCRATCH/layout/index.json" ] || done_testing

run() {
	"$ENVBUILD" run "$image" "$@"
}

nothing_left() {
	same "$(ls "$store/tmp")" ''
	if command -v runc >/dev/null && [ "$(id -u)" = 0 ]; then
		same "$(runc list -q | grep '^envbuild-')" '' ||
			fail 'a container is left'
	fi
}

# --- by each runtime ---------------------------------------------------------

command_and_folder() {
	same "$(run)" by-cmd
	same "$(run -- pwd)" /srv/work
	same "$(run --workdir /made/by/run -- pwd)" /made/by/run
	same "$(run --workdir srv -- pwd)" /srv
	fails 125 '/etc/passwd' run --workdir /etc/passwd -- pwd
	fails 7 '' run -- sh -c 'exit 7'
	fails 137 '' run -- sh -c 'kill -9 $$ & wait; exec sh -c "exit 137"'
	nothing_left
}

# What is set in the image and by --env is there, nothing else is.
environment() {
	SECRET=x OF_HOST=y run --env OF_HOST --env A=1=2 --env ABSENT -- \
		/usr/bin/env | sed '/^PATH=/d' | sort >got
	printf '%s\n' A=1=2 HOME=/root OF_HOST=y OF_IMAGE=yes >want
	diff want got
	exec 9<"$base"
	same "$(run -- sh -c 'echo /proc/self/fd/*')" \
		'/proc/self/fd/0 /proc/self/fd/1 /proc/self/fd/2 /proc/self/fd/3'
	exec 9<&-
	run -- sh -c 'tr "\0" "\n" </proc/1/environ' >first
	fails 1 '' grep "$SCRATCH\|ENVBUILD\|XDG" first
	fails 1 '' run -- test -e "$SCRATCH"
	fails 1 '' run -- test -e "$TOP/Makefile"
}

streams() {
	head -c 3000000 /dev/zero | tr '\0' x >big
	same "$(run -- sh -c 'cat; echo err >&2' <big 2>err | sha256sum)" \
		"$(sha256sum <big)"
	same "$(cat err)" err
	same "$(run -- wc -c </dev/null)" 0
	same "$(run -- head -c 50000000 /dev/zero | wc -c)" 50000000
	# A reader that leaves ends the writer.
	same "$(timeout 20 "$ENVBUILD" run "$image" -- \
		sh -c 'while echo line; do :; done' 2>/dev/null |
		head -n 2)" "$(printf 'line\nline')"
	nothing_left
}

network() {
	devices='sed -n "s/^ *\([^ ]*\):.*/\1/p" /proc/net/dev'
	same "$(run -- sh -c "$devices")" lo
	same "$(run --network none -- sh -c "$devices")" lo
	same "$(run --network host -- sh -c "$devices" | sort)" \
		"$(sh -c "$devices" | sort)"
	if [ -s /etc/resolv.conf ]; then
		same "$(run --network host -- cat /etc/resolv.conf)" \
			"$(cat /etc/resolv.conf)"
	fi
	fails 125 'none|host' run --network bridge -- true
}

mounts() {
	mkdir data
	echo hello >data/file
	same "$(run --mount "$PWD/data:/new/place" -- cat /new/place/file)" \
		hello
	run --mount "$PWD/data:/data" -- sh -c 'echo more >>/data/file'
	same "$(tail -n 1 data/file)" more
	same "$(run --mount "$PWD/data/file:/etc/hostname:ro" -- \
		head -n 1 /etc/hostname)" hello
	fails 2 'Read-only' run --mount "$PWD/data/file:/etc/hostname:ro" -- \
		sh -c 'echo x >/etc/hostname'
	fails 2 'Read-only' run --mount "$PWD/data:/data:ro" -- \
		sh -c 'echo x >/data/other'
	same "$(ls data)" file
	fails 125 "$PWD/no-such" run --mount "$PWD/no-such:/data" -- true
	nothing_left
}

# Nothing of the machine can be opened through a device file.
devices() {
	fails 1 '' run -- test -e /planted
	fails 1 'not permitted' run -- sh -c \
		'mknod /dev/made b 7 0 && head -c 1 /dev/made'
	run -- sh -c 'echo x >/dev/null; head -c 4 /dev/zero | od -An -tx1' |
		grep -q '00 00 00 00'
	fails 1 '' run -- sh -c \
		'echo 1 2>/dev/null >/proc/sys/kernel/sysrq || exit 1'
}

# Until the file that the command makes is there.
wait_for() {
	for _ in $(seq 200); do
		[ ! -e "$1" ] || return 0
		sleep 0.05
	done
	fail "no $1"
}

# ends SIGNAL STATUS TEXT: the command TEXT, which makes /out/on.
ends() {
	local got=0 pid
	rm -rf out
	mkdir -m 777 out
	"$ENVBUILD" run "$image" --mount "$PWD/out:/out" -- sh -c "$3" &
	pid=$!
	wait_for out/on
	kill -s "$1" "$pid"
	wait "$pid" || got=$?
	same "$got" "$2"
}

signals() {
	ends TERM 143 'trap "echo got >/out/got; exit 143" TERM
		>/out/on; while :; do sleep 0.1; done'
	same "$(cat out/got)" got
	ends TERM 5 'trap "exit 5" TERM; >/out/on; while :; do sleep 0.1; done'
	nothing_left
}

# A command that does not hear is killed 10 s later.
deaf() {
	ends TERM 143 '>/out/on; exec sleep 1000'
	nothing_left
}

# Killed itself, envbuild leaves no process; the next run sweeps the rest.
killed() {
	rm -rf out
	mkdir -m 777 out
	"$ENVBUILD" run "$image" --mount "$PWD/out:/out" -- sh -c \
		'trap "exit 0" TERM; >/out/alive; >/out/on
		while :; do sleep 0.1; echo x >>/out/alive; done' &
	pid=$!
	wait_for out/on
	kill -KILL "$pid"
	wait "$pid" || got=$?
	same "${got:-0}" 137
	sleep 1
	size=$(stat -c %s out/alive)
	sleep 0.5
	same "$(stat -c %s out/alive)" "$size"
	run -- true
	nothing_left
}

terminal() {
	need_program script
	script -qec "'$ENVBUILD' run '$image' -- sh -c \
		'test -t 0 && test -t 1 && test -t 2 && echo is-a-terminal; \
		stty size; exit 3'" /dev/null </dev/null >told || got=$?
	cat told
	grep -q is-a-terminal told
	same "${got:-0}" 3
	# A key on it: the interrupt ends the command.
	need_program python3
	timeout 60 python3 - "$ENVBUILD" run "$image" -- sh -c \
		'trap "echo stopped; exit 4" INT; echo ready
		while :; do sleep 0.1; done' <<'END'
import os, pty, sys

pid, fd = pty.fork()
if pid == 0:
    os.execv(sys.argv[1], sys.argv[1:])
said, sent = b'', False
while True:
    try:
        piece = os.read(fd, 1000)
    except OSError:
        break
    if not piece:
        break
    said += piece
    if b'ready' in said and not sent:
        sent = True
        os.write(fd, b'\x03')
status = os.WEXITSTATUS(os.waitpid(pid, 0)[1])
print(said, status)
sys.exit(not (b'stopped' in said and status == 4))
END
	nothing_left
}

for runtime in runc crun; do
	export ENVBUILD_RUNTIME=$runtime
	works() {
		need_program "$runtime"
		run -- true || skip "$runtime does not work here: $(
			run -- true 2>&1 | tail -n 2 | head -n 1
		)"
		: >"$SCRATCH/$runtime-works"
	}
	it "$runtime: runs a foreign image" works
	[ -e "$SCRATCH/$runtime-works" ] || continue
	it "$runtime: command, working folder, status" command_and_folder
	it "$runtime: environment and descriptors" environment
	it "$runtime: standard streams" streams
	it "$runtime: network" network
	it "$runtime: mounts" mounts
	it "$runtime: devices" devices
	it "$runtime: signals" signals
	it "$runtime: a deaf command" deaf
	it "$runtime: killed itself" killed
	it "$runtime: a terminal" terminal
done
unset ENVBUILD_RUNTIME

# --- as somebody else --------------------------------------------------------

# Where others can go: the folders above $SCRATCH are closed.
OPEN=$(mktemp -d /tmp/eb.XXXXXX)
trap 'rm -rf "$OPEN" "$SCRATCH"' EXIT
chmod 755 "$OPEN"
cp -r "$SCRATCH/layout" "$OPEN"
chmod -R a+rX "$OPEN"

# as_user UID GID RUNTIME COMMAND...
as_user() {
	local uid=$1 gid=$2 runtime=$3
	shift 3
	mkdir -p "$OPEN/$uid"
	chown "$uid:$gid" "$OPEN/$uid"
	(
		cd /
		exec setpriv --reuid "$uid" --regid "$gid" --clear-groups \
			env -i PATH="$PATH" HOME="$OPEN/$uid" \
			ENVBUILD_RUNTIME="$runtime" "$@"
	)
}

image=oci:$OPEN/layout:v1
need_other() {
	[ "$(id -u)" = 0 ] || skip 'not root, so nobody else to be'
	need_program setpriv
	need_program "$1"
	as_user "$OTHER" "$OTHER" "$1" test -x "$ENVBUILD" ||
		skip "\"$ENVBUILD\" is out of reach of other users"
	as_user "$OTHER" "$OTHER" "$1" unshare -U true ||
		skip 'no user namespaces for other users'
}

other_user() {
	need_other "$1"
	same "$(as_user "$OTHER" "$OTHER" "$1" "$ENVBUILD" run "$image" -- \
		sh -c 'id -u; pwd; sed "s/  */ /g" /proc/self/uid_map')" \
		"$(printf '0\n/srv/work\n 0 %s 1' "$OTHER")"
	fails 9 '' as_user "$OTHER" "$OTHER" "$1" "$ENVBUILD" run "$image" -- \
		sh -c 'mkdir -p /x/y; chmod 0 /x/y /x; exit 9'
	fails 1 'Permission denied' as_user "$OTHER" "$OTHER" "$1" "$ENVBUILD" \
		run "$image" --mount /etc/shadow:/s -- cat /s
	same "$(ls "$OPEN/$OTHER/.cache/envbuild/tmp")" ''
}

by_runc() {
	other_user runc
}

by_crun() {
	other_user crun
}
it 'in a user namespace, by runc' by_runc
it 'in a user namespace, by crun' by_crun

# What the container gives to other users than its root is removed, too.
subordinate_ids() {
	need_other runc
	need_program newuidmap
	uid=$(id -u games) || skip 'no user "games"'
	gid=$(id -g games)
	printf 'games:100000:65536\n' >sub
	export -f as_user
	unshare -m bash -ec "
		mount --bind sub /etc/subuid
		mount --bind sub /etc/subgid
		OPEN='$OPEN' as_user $uid $gid runc '$ENVBUILD' run \
			'$image' -- sh -c 'mkdir -p /x/y; >/x/y/f;
			chown -R 1000:1000 /x && chmod 700 /x && echo given'" \
		>told 2>&1 || skip "no subordinate ids here: $(tail -n 1 told)"
	same "$(tail -n 1 told)" given
	same "$(ls "$OPEN/$uid/.cache/envbuild/tmp")" ''
}
it 'subordinate ids leave nothing' subordinate_ids

# --- other forms -------------------------------------------------------------

docker_archive() {
	need_program skopeo
	skopeo copy -q "$image" docker-archive:image.tar:base:v1
	same "$("$ENVBUILD" run docker-archive:image.tar -- sh -c \
		'echo $OF_IMAGE; pwd')" "$(printf 'yes\n/srv/work')"
	skopeo copy -q "$image" oci-archive:other.tar:v2
	same "$("$ENVBUILD" run oci-archive:other.tar:v2 -- pwd)" /srv/work
	fails 125 'v3' "$ENVBUILD" run oci-archive:other.tar:v3 -- pwd
	fails 125 'no-such' "$ENVBUILD" run oci:no-such -- pwd
	nothing_left
}
it 'run docker-archive:FILE and oci-archive:FILE' docker_archive

# Bytes that are not what they are called by are not run.
damaged() {
	cp -r "$SCRATCH/layout" bad
	layer=$(find bad/blobs/sha256 -type f -size +100k | head -n 1)
	printf x | dd of="$layer" bs=1 seek=5000 conv=notrunc status=none
	XDG_CACHE_HOME=$PWD/fresh fails 125 "$(basename "$layer")" \
		"$ENVBUILD" run oci:bad:v1 -- true
	same "$(ls fresh/envbuild/tmp)" ''
}
it 'a damaged layout is refused' damaged
# The image's own user, by name with its group, and by numbers.
image_user() {
	cp -r "$SCRATCH/layout" layout
	umoci config --image layout:v1 --config.user worker --tag named
	umoci config --image layout:v1 --config.user 1234:5678 --tag numbers
	umoci config --image layout:v1 --config.user nobody-here --tag unknown
	same "$("$ENVBUILD" run oci:layout:named -- id -u)" 33
	same "$("$ENVBUILD" run oci:layout:named -- id -g)" 44
	same "$("$ENVBUILD" run oci:layout:numbers -- sh -c \
		'echo $(id -u) $(id -g)')" '1234 5678'
	fails 125 '"nobody-here"' "$ENVBUILD" run oci:layout:unknown -- id
}
it 'the user of the image' image_user

done_testing
