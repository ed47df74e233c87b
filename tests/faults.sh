# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
#
# For the scripts of tests/integration that feed faults: sourced after
# tests/lib.sh. Nothing that went wrong may leave anything half-written.

# small FOLDER NAME...: a channel of tests/fixtures/small-channel.
small() {
	command -v zstd >/dev/null || {
		echo 'no program "zstd" (make deps)'
		exit 77
	}
	python3 "$TOP/tests/fixtures/small-channel" "$@" || exit 1
}

# sound FOLDER [WORDS]: the store is as it should be, and nothing half-written
# is there; what `cache check` says has the words.
sound() {
	local said left
	said=$("$ENVBUILD" cache check --cache-dir "$1" 2>&1) ||
		fail "$1: $said"
	case $said in
	*'; 0 damaged, 0 missing, '*"${2-}"*) ;;
	*) fail "$1: $said" ;;
	esac
	left=$(find "$1/tmp" -mindepth 1 -print -quit)
	[ -z "$left" ] || fail "\"$left\" is left"
}

# no_image FOLDER: it is sound, and has neither an image nor a blob that belongs
# to nothing.
no_image() {
	[ -e "$1" ] || return 0
	sound "$1" '0 unknown;'
	same "$("$ENVBUILD" cache list --cache-dir "$1")" ''
}

# has_words FILE WORDS...: each of the words is in the file.
has_words() {
	local file=$1 words
	shift
	for words; do
		grep -qF -- "$words" "$file" || fail "no \"$words\" in $file"
	done
}

# has_not FILE WORDS...: none of them is in it.
has_not() {
	local file=$1 words
	shift
	for words; do
		if grep -F -- "$words" "$file"; then
			fail "\"$words\" is in $file"
		fi
	done
}

# serve NAME FOLDER [USER:PASSWORD|- [PEM]]: serves the folder; the port is in
# $port, the log is $SCRATCH/NAME.log (tests/lib.sh, start_server).
serve() {
	local name=$1
	shift
	start_server "$name" python3 "$TOP/tests/fixtures/channel-httpd" \
		"$SCRATCH/$name.log" "$@"
}

# begin NAME COMMAND...: in the background, in the folder $SCRATCH/NAME; what
# takes long because it is tried again and again goes on beside all others.
begin() {
	local at=$SCRATCH/$1
	shift
	mkdir "$at"
	(
		cd "$at" || exit
		got=0
		"$@" >stdout 2>stderr || got=$?
		echo $got >status.new
		mv status.new status
	) &
}

# ended NAME STATUS WORDS...: it has ended so, and standard error holds each of
# the words; leaves one in its folder.
ended() {
	local want=$2
	cd "$SCRATCH/$1" || exit
	shift 2
	for _ in $(seq 550); do
		[ ! -e status ] || break
		sleep 0.1
	done
	[ -e status ] || fail 'it does not end'
	cat stdout stderr
	same "$(cat status)" "$want"
	has_words stderr "$@"
}
