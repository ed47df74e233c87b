# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
#
# For the demos: run steps, and say in the end what each cost.

STEPS=$SCRATCH/steps
TIMEFORMAT='%R %U %S'

title() {
	printf '\n== %s\n' "$*"
}

store_bytes() {
	find "$XDG_CACHE_HOME" -path '*/blobs/*' -type f -printf '%s\n' \
		2>/dev/null | awk '{ n += $1 } END { printf "%.0f", n }'
}

# step WHAT COMMAND...: shows it, keeps its standard output in SAID and its
# cost for the table. Ends everything when it fails.
step() {
	local what=$1 before status=0
	shift
	printf '\n-- %s\n' "$what"
	before=$(store_bytes)
	{ time "$@" >"$SCRATCH/said" 2>&3 || status=$?; } 3>&2 2>"$SCRATCH/time"
	cat "$SCRATCH/said"
	[ "$status" = 0 ] || fail "\"$what\" ended with status $status"
	# shellcheck disable=SC2034 # the demos read it
	SAID=$(tail -n 1 "$SCRATCH/said")
	printf '%s|%s|%s\n' "$what" "$(tail -n 1 "$SCRATCH/time")" \
		$(($(store_bytes) - before)) >>"$STEPS"
}

# misses COMMAND...: it has to end with status 1, a clear no.
misses() {
	local status=0
	"$@" || status=$?
	same "$status" 1
}

costs() {
	printf '\n%-34s %9s %9s %14s\n' step 'wall s' 'CPU s' 'new bytes'
	awk -F'|' '{
		split($2, t, " ")
		printf "%-34s %9.3f %9.3f %14d\n", $1, t[1], t[2] + t[3], $3
	}' "$STEPS"
}
