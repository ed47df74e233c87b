#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The command line: verbs, options, what goes where, exit status, logs, and the
# two programs.
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/../lib.sh"
# shellcheck source=tests/faults.sh
. "$(dirname "$0")/../faults.sh"

small "$SCRATCH/channel" normal
yaml=$SCRATCH/environment.yml
printf 'channels: ["file://%s"]\ndependencies: [normal]\n' \
	"$SCRATCH/channel" >"$yaml"
logs=$XDG_STATE_HOME/envbuild/log
base=(--base scratch)

is_reference() {
	[[ $1 =~ ^store:sha256:[0-9a-f]{64}$ ]] || fail "\"$1\" is no reference"
}

verbs() {
	a=$("$ENVBUILD" "$yaml" "${base[@]}")
	is_reference "$a"
	same "$("$ENVBUILD" build "$yaml" "${base[@]}")" "$a"
	same "$("$ENVBUILD" --base scratch "$yaml")" "$a"
	same "$("$ENVBUILD" -q "$yaml" "${base[@]}")" "$a"
	# A verb wins over a file of that name, a path is a path.
	cp "$yaml" lock
	fails 2 'an argument is missing' "$ENVBUILD" lock
	same "$("$ENVBUILD" ./lock "${base[@]}")" "$a"
	same "$("$ENVBUILD" build lock "${base[@]}")" "$a"
	fails 3 'no environment is named "pytorch"' "$ENVBUILD" pytorch
	fails 3 '"absent.yml"' "$ENVBUILD" absent.yml "${base[@]}"
}
it 'a file is built, with and without the verb' verbs

help() {
	"$ENVBUILD" help >a
	"$ENVBUILD" --help >b
	"$ENVBUILD" -h >c
	"$ENVBUILD" >d
	cmp a b && cmp a c && cmp a d
	has_words a 'build' '--base REF' 'doctor'
	same "$("$ENVBUILD" --version)" \
		"envbuild $(sed -n 's/^#define EB_VERSION "\(.*\)"/\1/p' \
			"$TOP/include/envbuild/build.h")"
	# Each option of the help is one, and the manual has it.
	grep -oE -- '--[a-z-]+' a | sort -u >options
	[ "$(wc -l <options)" -gt 15 ]
	while read -r option; do
		grep -qF -- "Fl -${option#--}" "$TOP/man/envbuild.1" ||
			fail "no $option in the manual"
	done <options
	# And the manual has every option there is.
	sed -n 's/^	{ "\([a-z-]*\)", [A-Z]*, PLACE.*/\1/p' \
		"$TOP/src/build/options.c" >table
	[ "$(wc -l <table)" -gt 20 ]
	while read -r option; do
		grep -qF -- "Fl -$option" "$TOP/man/envbuild.1" ||
			fail "no --$option in the manual"
	done <table
}
it 'help, --version, and the manual' help

wrong_use() {
	for verb in build lock check hash lint run; do
		want=2
		[ "$verb" = run ] && want=125
		fails "$want" 'an argument is missing' "$ENVBUILD" "$verb"
		has_words stderr "usage: envbuild" "$verb"
		fails "$want" '"--bogus"' "$ENVBUILD" "$verb" "$yaml" --bogus
		fails "$want" '"b" is one argument too many' "$ENVBUILD" "$verb" \
			a b
		[ ! -s stdout ]
	done
	fails 2 '"--base" needs a value' "$ENVBUILD" "$yaml" --base
	fails 2 'cannot be "maybe"' "$ENVBUILD" "$yaml" --pyc maybe
	fails 2 '"-x"' "$ENVBUILD" "$yaml" -x
	fails 2 'cache has no "burn"' "$ENVBUILD" cache burn
	fails 2 'takes no command' "$ENVBUILD" build "$yaml" "${base[@]}" -- sh
	# A miss is a clear answer; what nobody can ask for is not one.
	fails 2 '"garbage"' "$ENVBUILD" check "$yaml" --as-of garbage
	fails 2 '"garbage"' "$ENVBUILD" check "$yaml" --compression garbage
	# Before any work.
	fails 2 '"nowhere:x" is no place' "$ENVBUILD" build "$yaml" \
		"${base[@]}" --cache-dir new --output nowhere:x
	[ ! -e new ]
	for option in --network=lan --env==x --mount=x; do
		fails 125 '' "$ENVBUILD" run "$yaml" "${base[@]}" \
			--cache-dir new "$option"
		[ ! -e new ]
	done
}
it 'wrong use is status 2, of run 125' wrong_use

streams() {
	"$ENVBUILD" "$yaml" "${base[@]}" --cache-dir c -q >out 2>err
	same "$(cat err)" ''
	is_reference "$(cat out)"
	"$ENVBUILD" "$yaml" "${base[@]}" --cache-dir d >out 2>err
	has_words err normal-1.1-0.conda packed
	has_not err 'of CPU'
	"$ENVBUILD" "$yaml" "${base[@]}" --cache-dir e -v >out 2>err
	has_words err 'solve: ' 'pack: ' 'of CPU' 'log: '
	same "$(wc -l <out)" 1
	"$ENVBUILD" "$yaml" "${base[@]}" --cache-dir f --json >out
	jq -e '.schema == 1 and .cached == false and (.reference |
		startswith("store:sha256:"))' out
}
it 'results on standard output, the rest on standard error; -q and -v' streams

json_lines() {
	printf 'nonsense: 1\n' | cat - "$yaml" >odd.yml
	"$ENVBUILD" odd.yml "${base[@]}" --cache-dir c --progress json >out 2>err
	same "$(jq -c . err | wc -l)" "$(wc -l <err)"
	jq -es 'all(.event) and any(.event == "warning") and
		any(.event == "task-end" and .kind == "pack") and
		any(.event == "stage-end" and .wall_ns > 0)' err
	fails 3 '' "$ENVBUILD" absent.yml --progress json
	same "$(jq -c . stderr | wc -l)" "$(wc -l <stderr)"
	jq -es '.[-1] | .event == "error" and .code == "input" and
		(.message | contains("absent.yml"))' stderr
	[ -f "$(jq -sr '.[-1].log' stderr)" ]
}
it '--progress json: each line is an object, the error too' json_lines

reference_file() {
	"$ENVBUILD" "$yaml" "${base[@]}" --reference-file r >out
	cmp r out
	"$ENVBUILD" "$yaml" "${base[@]}" --reference-file r \
		--output oci:layout >out
	cmp r out
	[[ $(cat r) =~ ^oci:layout:env-[0-9a-f]{32}$ ]]
	fails 7 '"absent/r"' "$ENVBUILD" "$yaml" "${base[@]}" \
		--reference-file absent/r
}
it '--reference-file holds what standard output has' reference_file

log_files() {
	fails 3 'log: ' "$ENVBUILD" absent.yml "${base[@]}"
	log=$(sed -n 's/^  log: //p' stderr)
	has_words "$log" absent.yml
	fails 125 'log: ' "$ENVBUILD" run absent.yml "${base[@]}"
	has_words "$(sed -n 's/^  log: //p' stderr)" absent.yml
	# The newest 200 are kept, and what is no log is left alone.
	for i in {1..300}; do
		: >"$logs/20000101T000000Z-$i.log"
	done
	: >"$logs/mine"
	"$ENVBUILD" "$yaml" "${base[@]}"
	same "$(find "$logs" -name '*.log' | wc -l)" 200
	[ -e "$logs/mine" ]
	[ -e "$log" ]
	# No place for a log is no reason to stop.
	printf x >file
	XDG_STATE_HOME=$PWD/file "$ENVBUILD" "$yaml" "${base[@]}"
}
it 'logs: named by an error, the newest 200 kept' log_files

# What is printed goes nowhere else, and is not lost in silence.
closed() {
	status=0
	"$ENVBUILD" "$yaml" "${base[@]}" --cache-dir c >&- 2>err || status=$?
	same "$status" 7
	has_words err 'standard output cannot be written'
	sound c
	status=0
	"$ENVBUILD" help >/dev/full 2>err || status=$?
	same "$status" 7
	"$ENVBUILD" "$yaml" "${base[@]}" --cache-dir d 2>&- >out
	is_reference "$(cat out)"
	sound d
}
it 'a standard stream that is closed or full' closed

# A lock that somebody changed can be renewed as the hint says, and check
# answers as the build would.
locks() {
	"$ENVBUILD" lock "$yaml" "${base[@]}" --output a.lock
	sed -i 's/"requested": true/"requested": false/' a.lock
	fails 3 'was changed' "$ENVBUILD" "$yaml" "${base[@]}" --lock a.lock
	has_words stderr --update-lock
	"$ENVBUILD" "$yaml" "${base[@]}" --lock a.lock --update-lock
	"$ENVBUILD" "$yaml" "${base[@]}" --lock a.lock
	"$ENVBUILD" check "$yaml" "${base[@]}" --lock a.lock
	sed 's/normal/"normal=1.0"/' "$yaml" >other.yml
	fails 3 'another definition' "$ENVBUILD" build other.yml "${base[@]}" \
		--lock a.lock
	fails 3 'another definition' "$ENVBUILD" check other.yml "${base[@]}" \
		--lock a.lock
}
it 'locks on the command line' locks

# What changes a solution changes the definition.
overrides() {
	"$ENVBUILD" "$yaml" "${base[@]}"
	"$ENVBUILD" check "$yaml" "${base[@]}"
	for name in ARCHSPEC CUDA GLIBC LINUX; do
		export "CONDA_OVERRIDE_$name=3.0"
		fails 1 'was not built here' "$ENVBUILD" check "$yaml" \
			"${base[@]}"
		"$ENVBUILD" hash --show "$yaml" "${base[@]}" >text
		has_words text "option CONDA_OVERRIDE_$name=3.0"
		unset "CONDA_OVERRIDE_$name"
	done
	"$ENVBUILD" hash --show "$yaml" --platform linux/amd64 \
		--arch x86-64-v3 --pin 'zlib >=1' >text
	has_words text 'option arch=x86_64_v3' "option pin=zlib[version='>=1']"
	fails 2 'is none of "linux/amd64"' "$ENVBUILD" hash "$yaml" \
		--platform linux/amd64 --arch neoverse_n1
	fails 2 'microarchitecture' "$ENVBUILD" hash "$yaml" --arch x86_64_v9
	fails 1 '"normal 99" is pinned' "$ENVBUILD" lock "$yaml" \
		"${base[@]}" --pin normal==99
	fails 2 'names no package' "$ENVBUILD" lock "$yaml" --pin '*=1'
	"$ENVBUILD" hash --show "$yaml" --as-of 2026-01-02 >a
	"$ENVBUILD" hash --show "$yaml" --as-of 2026-01-02T00:00:00Z >b
	cmp a b
}
it 'overrides of virtual packages are part of the definition' overrides

# A limit of nothing leaves nothing, and is not taken for no limit.
collect() {
	"$ENVBUILD" "$yaml" "${base[@]}" --cache-dir c
	"$ENVBUILD" cache gc --cache-dir c
	same "$("$ENVBUILD" cache list --cache-dir c | wc -l)" 1
	"$ENVBUILD" cache gc --cache-dir c --max-size 0 --dry-run
	same "$("$ENVBUILD" cache list --cache-dir c | wc -l)" 1
	"$ENVBUILD" cache gc --cache-dir c --max-size 0
	same "$("$ENVBUILD" cache list --cache-dir c)" ''
	sound c
	"$ENVBUILD" "$yaml" "${base[@]}" --cache-dir c
	sleep 1.1
	"$ENVBUILD" cache gc --cache-dir c --max-age 0
	same "$("$ENVBUILD" cache list --cache-dir c)" ''
	fails 2 '"all"' "$ENVBUILD" cache gc --cache-dir c --max-size all
}
it 'cache gc' collect

# It tells what this machine can do, be it little.
doctor() {
	"$ENVBUILD" doctor >out
	has_words out "$XDG_CACHE_HOME/envbuild, " 'OCI runtime' \
		member-size=17179869184
	"$ENVBUILD" doctor --limit member-size=17179869184
	"$ENVBUILD" doctor --cache-dir /proc/none >out
	grep -q '^no   store .*"/proc/none' out
	has_words out 'OCI runtime'
	"$ENVBUILD" doctor --json | jq -e '.schema == 1 and
		([.checks[] | select(.name == "limit")] | length) == 9'
}
it 'doctor' doctor

# The light program loads none of the large libraries, the full one has them.
libraries() {
	ldd "$ENVBUILD" >light
	has_not light curl archive solv
	ldd "$ENVBUILD_BUILD/libexec/envbuild/envbuild-full" >full
	has_words full curl archive solv
}
it 'ldd: the light program is light' libraries

# look_around PROGRAM: it finds the full one, by a link too.
look_around() {
	is_reference "$("$1" "$yaml" "${base[@]}")"
	(cd / && "$1" check "$yaml" "${base[@]}")
	ln -s "$1" by-link
	is_reference "$(./by-link "$yaml" "${base[@]}")"
	is_reference "$(PATH=${1%/*}:$PATH envbuild "$yaml" "${base[@]}")"
	rm by-link
}

moved() {
	mkdir -p a/libexec/envbuild
	cp "$ENVBUILD" a/
	cp "$ENVBUILD_BUILD/libexec/envbuild/envbuild-full" a/libexec/envbuild/
	look_around "$PWD/a/envbuild"
	mv a b
	look_around "$PWD/b/envbuild"
	rm b/libexec/envbuild/envbuild-full
	b/envbuild check "$yaml" "${base[@]}"
	fails 7 '"envbuild-full"' b/envbuild "$yaml" "${base[@]}"
}
it 'a tree that was moved finds its parts' moved

installed() {
	make -s -C "$TOP" install DESTDIR="$PWD/root" PREFIX=/opt/eb
	look_around "$PWD/root/opt/eb/bin/envbuild"
	mv root/opt/eb moved
	look_around "$PWD/moved/bin/envbuild"
	mv moved root/opt/eb
	for page in man1/envbuild.1 man5/envbuild-lock.5 man5/envbuild-store.5
	do
		[ -s "root/opt/eb/share/man/$page" ]
	done
	make -s -C "$TOP" uninstall DESTDIR="$PWD/root" PREFIX=/opt/eb
	same "$(find root -type f -o -type l)" ''
}
it 'make install and uninstall with DESTDIR' installed

done_testing
