# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
#
# For the scripts of tests/integration and the demos; they begin with
#
#	#!/bin/bash
#	. "$(dirname "$0")/../lib.sh"
#
# A test is a function without arguments, run by `it WHAT FUNCTION` in a
# subshell with set -e in a folder of its own; its last line is the reason when
# it fails. `skip WHY` leaves it, also from within `x=$(need_base)` (but not
# `local x=$(...)`, which loses the status). tests/run reads what `it` prints.
set -u

TOP=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
: "${ENVBUILD_BUILD:=$TOP/build}" "${ENVBUILD_FIXTURES:=$TOP/build/fixtures}"
: "${ENVBUILD_DATA:=$TOP/../shared/data}"
# shellcheck disable=SC2034 # the scripts use it
ENVBUILD=$ENVBUILD_BUILD/envbuild
SCRATCH=$(mktemp -d "${TMPDIR:-/tmp}/envbuild.XXXXXX") || exit 1
servers=
trap at_end EXIT
export XDG_CACHE_HOME=$SCRATCH/cache XDG_STATE_HOME=$SCRATCH/state
export XDG_CONFIG_HOME=$SCRATCH/config XDG_RUNTIME_DIR=$SCRATCH/run
export XDG_DATA_HOME=$SCRATCH/data
mkdir -m 700 "$XDG_RUNTIME_DIR"
# shellcheck disable=SC2046 # names: conda's settings are those of the tests
unset CONDARC $(compgen -e CONDA_)

at_end() {
	# shellcheck disable=SC2086 # pids
	[ -z "$servers" ] || kill $servers 2>/dev/null
	rm -rf "$SCRATCH"
}

it() {
	local what=$1 log=$SCRATCH/log status
	shift
	mkdir -p "$SCRATCH/it"
	(
		cd "$SCRATCH/it" || exit
		set -eE
		trap 'told $? "$LINENO: $BASH_COMMAND"' ERR
		"$@"
	) >"$log" 2>&1
	status=$?
	rm -rf "$SCRATCH/it"
	case $status in
	0) echo "ok $what" ;;
	77) echo "SKIP $what: $(tail -n 1 "$log")" ;;
	*)
		sed 's/^/| /' "$log"
		echo "FAIL $what: $(tail -n 1 "$log")"
		FAILED=1
		;;
	esac
}

told() {
	[ "$1" = 77 ] || echo "status $1 at line $2" >&2
}

# The last line of a script: its exit status.
done_testing() {
	exit "${FAILED:-0}"
}

skip() {
	echo "$*" >&2
	exit 77
}

fail() {
	echo "$*" >&2
	exit 1
}

# fails STATUS WORDS COMMAND...: it ends with this status, and standard error
# holds these words (none are looked for when they are empty).
fails() {
	local want=$1 words=$2 got=0
	shift 2
	"$@" >stdout 2>stderr || got=$?
	cat stdout stderr
	[ "$got" = "$want" ] || fail "status $got, not $want: $*"
	[ -z "$words" ] || grep -qF -- "$words" stderr ||
		fail "no \"$words\" from: $*"
}

# same A B: the two texts are one.
same() {
	[ "$1" = "$2" ] || fail "\"$1\" is not \"$2\""
}

need_program() {
	command -v "$1" >/dev/null || skip "no program \"$1\" (make deps)"
}

# need_data PATH: a file or folder of the data folder.
need_data() {
	[ -e "$ENVBUILD_DATA/$1" ] ||
		skip "no \"$1\" in the data folder (ENVBUILD_DATA)"
}

# made NAME PROGRAM: the fixture of that name, made once, its path on stdout.
made() {
	local path=$ENVBUILD_FIXTURES/$1 log=$ENVBUILD_FIXTURES/$1.log
	mkdir -p "$ENVBUILD_FIXTURES"
	(
		flock 9
		[ -e "$path" ] && exit 0
		rm -rf "$path.new"
		timeout 300 "$TOP/tests/fixtures/$2" "$path.new" >"$log" 2>&1 &&
			mv "$path.new" "$path"
	) 9>"$path.lock" || skip "no fixture: $(tail -n 1 "$log")"
	echo "$path"
}

# start_server NAME PROGRAM...: in the background. The line that it prints is in
# $port; it ends with its standard input, which this script keeps open. Not to
# be called within a test.
start_server() {
	local name=$1 fd
	shift
	mkfifo "$SCRATCH/$name.in"
	: >"$SCRATCH/$name.port"
	"$@" <"$SCRATCH/$name.in" >"$SCRATCH/$name.port" &
	servers="$servers $!"
	# shellcheck disable=SC2034 # it stays open
	exec {fd}>"$SCRATCH/$name.in"
	for _ in $(seq 200); do
		port=$(cat "$SCRATCH/$name.port")
		[ -z "$port" ] || return 0
		sleep 0.05
	done
	echo "the server \"$name\" has not begun"
	exit 1
}

# start_index NAME OPTION...: tests/fixtures/index_server.py, likewise.
start_index() {
	local name=$1
	shift
	start_server "$name" python3 "$TOP/tests/fixtures/index_server.py" "$@"
}

# A small Debian as a tar file; a conda channel with a Python.
need_base() {
	made base.tar debian-base
}

need_channel() {
	made channel debian-channel
}
