#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Definitions that are not as they should be: each is refused with its place,
# or taken with a warning.
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/../lib.sh"
# shellcheck source=tests/faults.sh
. "$(dirname "$0")/../faults.sh"

channel=$SCRATCH/channel
small "$channel" normal normal-bz2

# both STATUS WORDS...: what the light and the full program say of e.yml; the
# first word of all is the place.
both() {
	local want=$1
	shift
	fails "$want" "$1" "$ENVBUILD" hash e.yml
	has_words stderr "$@"
	[ ! -s stdout ]
	fails "$want" "$1" "$ENVBUILD" build e.yml --base scratch \
		--channel "file://$channel" --cache-dir c
	has_words stderr "$@"
	[ ! -s stdout ]
	no_image c
}

# refused TEXT PLACE WORDS...: a file of this text, in printf's form.
refused() {
	local place=$2
	# shellcheck disable=SC2059
	printf -- "$1" >e.yml
	shift 2
	both 3 "envbuild: e.yml:$place: " "$@"
}

# warned TEXT PLACE WORDS...: it is built.
warned() {
	local place=$2
	# shellcheck disable=SC2059
	printf -- "$1" >e.yml
	shift 2
	"$ENVBUILD" build e.yml --base scratch --channel "file://$channel" \
		--cache-dir c >stdout 2>stderr || fail "$(cat stderr)"
	has_words stderr "warning: e.yml:$place: " "$@"
	grep -qE '^store:sha256:[0-9a-f]{64}$' stdout
}

hash_of() {
	# shellcheck disable=SC2059
	printf -- "$1" >e.yml
	"$ENVBUILD" hash e.yml | grep ^definition
}

syntax() {
	refused 'dependencies: [a\n' 2:1 '"e.yml"' 'line 1'
	refused 'dependencies:\n\t- a\n' 2:1 '"e.yml"' 'not by tabs'
	refused 'name: x\na: b: c\n' 2:5 '"e.yml"'
	refused 'dependencies: ["a]\n' 2:1 quoted 'line 1'
	refused 'dependencies: [a]\n---\ndependencies: [b]\n' 2:1 second
	refused 'dependencies: [*x]\n' 1:16 '"x"'
	refused 'dependencies: &x [*x]\n' 1:19 '"x"'
	refused '' 1:1 empty hint:
	refused '# nothing\n' 1:1 empty
	refused 'words\n' 1:1 '"dependencies"'
	refused '- a\n- b\n' 1:1 'a list' '"dependencies"'
}
it 'syntax' syntax

types() {
	refused 'name: x\n' 1:1 '"dependencies"' hint:
	refused 'dependencies: a\n' 1:15 'a list is expected' hint:
	refused 'dependencies: {a: 1}\n' 1:15 'a mapping'
	refused 'dependencies: [[a]]\n' 1:16 'a list'
	refused 'dependencies: [3.10]\n' 1:16 3.10 quotes
	refused 'dependencies: [yes]\n' 1:16 yes quotes
	refused 'dependencies: [npm: [a]]\n' 1:16 '"npm"' '"pip:"'
	refused 'name: [a]\ndependencies: [a]\n' 1:7 name
	refused 'name: a/b\ndependencies: [a]\n' 1:7 '"a/b"'
	refused 'name: a b\ndependencies: [a]\n' 1:7 '"a b"'
	refused 'channels: a\ndependencies: [a]\n' 1:11 channels '"- "'
	refused 'channels: [{a: b}]\ndependencies: [a]\n' 1:12 channel
	refused 'channels: [1]\ndependencies: [a]\n' 1:12 channel quotes
	refused 'variables: [a]\ndependencies: [a]\n' 1:12 variables
	refused 'variables: {A: [1]}\ndependencies: [a]\n' 1:16 '"A"'
	refused 'variables: {"A=B": 1}\ndependencies: [a]\n' 1:13 '"A=B"'
	refused 'dependencies: [pip: a]\n' 1:21 'pip: a list is expected'
}
it 'wrong types' types

duplicates() {
	refused 'dependencies: [a]\nname: x\ndependencies: [b]\n' 3:1 \
		'"dependencies"' 'line 1'
	refused 'variables: {A: 1, A: 1}\ndependencies: [a]\n' 1:19 '"A"'
}
it 'keys that are there twice' duplicates

bombs() {
	{
		echo 'a0: &a0 [x]'
		for i in $(seq 11); do
			j="*a$((i - 1))"
			echo "a$i: &a$i [$j, $j, $j, $j, $j, $j, $j, $j, $j]"
		done
		echo 'dependencies: *a11'
	} >e.yml
	both 3 'envbuild: e.yml:7:' 200000 aliases
	# The same without aliases: deep, long, large.
	printf 'dependencies: %s%s\n' "$(printf '[%.0s' $(seq 100))" \
		"$(printf ']%.0s' $(seq 100))" >e.yml
	both 3 'envbuild: e.yml:1:78: ' '64 deep'
	{
		echo 'dependencies:'
		yes -- '- a' | head -n 200001
	} >e.yml
	both 3 'envbuild: e.yml:199999:3: ' 200000
	truncate -s 100M e.yml
	both 3 '"e.yml"' 104857600 4194304
	fails 3 '"standard input"' "$ENVBUILD" hash - <e.yml
	# Not read to its end: little memory is enough (a sanitizer's own needs
	# are beyond that).
	if (ulimit -v 50000 && "$ENVBUILD" help) >said 2>&1; then
		(ulimit -v 50000 && fails 3 '"e.yml"' "$ENVBUILD" hash e.yml)
	fi
	truncate -s 4194305 e.yml
	both 3 '"e.yml"' 4194304
}
it 'an alias bomb, depth, 200,001 nodes, 100 MB' bombs

encodings() {
	local text='name: é\ndependencies: [normal]\n' want utf8
	refused 'dependencies: [caf\xe9]\n' 1:19 0xE9 UTF-8
	refused 'dependencies: [a\x00b]\n' 1:17 U+00
	refused 'dependencies: [a\x1bb]\n' 1:17 U+1B
	refused 'dependencies: ["a\\0b"]\n' 1:16 NUL
	printf '\xff\xfe\x00\x00d\x00\x00\x00' >e.yml
	both 3 '"e.yml"' UTF-32
	printf '\xff\xfed\x00\x00\xd8d\x00' >e.yml
	both 3 'envbuild: e.yml:1' UTF-16
	printf '\xff\xfed\x00e' >e.yml
	both 3 '"e.yml"' UTF-16
	# shellcheck disable=SC2059
	utf8=$(printf "$text")
	want=$(hash_of "$text")
	for form in UTF-16LE UTF-16BE UTF-8; do
		printf '\ufeff%s\n' "$utf8" | iconv -t "$form" >e.yml
		same "$("$ENVBUILD" hash e.yml | grep ^definition)" "$want"
	done
	same "$(hash_of 'name: x\r\ndependencies:\r\n- normal\r\n')" "$want"
}
it 'encodings: UTF-8 and UTF-16, all others refused' encodings

foreign() {
	refused '@EXPLICIT\nhttps://x.example/a-1-0.conda\n' 2:30 'no hash'
	refused '# packages in environment at /x:\na 1 0\n' 1:1 'conda list'
	refused 'numpy==1.0\nrequests>=2\n' 1:1 pip
	refused 'dependencies:\n- {{ package }}\n' 2:4 template
	refused 'dependencies:\n- "{{ package }}"\n' 2:3 template
	refused '{%% if x %%}\ndependencies: [a]\n' 1:2 template
	refused 'dependencies:\n- !!python/tuple [a]\n' 2:3 \
		'"!!python/tuple"'
	refused 'dependencies:\n- !mine a\n' 2:3 '"!mine"'
}
it 'files of other tools, templates, tags' foreign

specs() {
	refused 'dependencies: ["black[jupyter]"]\n' 1:16 '"black[jupyter]"' \
		'pip section' 'extras='
	refused 'dependencies: ["pytorch::pytorch[cuda]"]\n' 1:16 \
		'"pytorch::pytorch[cuda]"' 'extras='
	refused 'dependencies:\n  - constructor=>3.1\n' 2:5 \
		'"constructor=>3.1"' '">=3.1"'
	refused 'dependencies: ["a >= 1, <"]\n' 1:16 '"a >= 1, <"'
	refused 'dependencies: [/etc/passwd]\n' 1:16 '"/etc/passwd"'
	refused 'dependencies: [./x]\n' 1:16 '"./x"' '"- pip:"'
	refused 'dependencies: ["git+https://x.example/a"]\n' 1:16 \
		'"git+https://x.example/a"' '"- pip:"'
	refused 'dependencies: ["-r x.txt"]\n' 1:16 '"-r x.txt"'
	printf 'dependencies:\n- a\n- |\n  b\n  c=>1\n' >e.yml
	both 3 'envbuild: e.yml:3:3: '
}
it 'package specs' specs

pip_section() {
	refused 'dependencies:\n- pip:\n  - torch==2.2.1 --pre\n' 3:5 \
		'"torch==2.2.1 --pre"' 'line of its own'
	refused 'dependencies:\n- pip:\n  - -r nothing.txt\n' 3:5 \
		'"nothing.txt"'
	refused 'dependencies:\n- pip:\n  - ./nothing\n' 3:5 '"./nothing"'
	refused 'dependencies:\n- pip:\n  - a ==\n' 3:5 '"a =="'
	printf 'a\nb ==\n' >r.txt
	printf 'dependencies:\n- pip:\n  - -r r.txt\n' >e.yml
	both 3 r.txt:2: '"b =="'
	# What is right can be hashed; these channels have no Python for it.
	printf 'dependencies:\n- normal\n- pip:\n  - a\n- pip:\n  - b\n' >e.yml
	"$ENVBUILD" hash e.yml 2>stderr
	has_words stderr 'warning: e.yml:6:3: '
	fails 1 'envbuild: e.yml: no solution: "python"' "$ENVBUILD" build \
		e.yml --base scratch --channel "file://$channel" --cache-dir c
	has_words stderr 'pip section' hint:
	no_image c
}
it 'the pip section' pip_section

warnings() {
	warned 'unknown: 3\ndependencies: [normal]\n' 1:1 '"unknown"'
	warned 'dependencies: [normal]\nplatforms: [linux-64]\n' 2:1 \
		'"platforms"'
	warned 'dependencies:\n- normal\n-\n' 3:2 empty
	warned 'name: base\ndependencies: [normal]\n' 1:7 '"base"'
	warned 'name: root\ndependencies: [normal]\n' 1:7 '"root"'
	warned 'dependencies: ["x:normal"]\n' 1:16 '"::"' '"x:normal"'
	warned 'dependencies:\n- normal # [linus]\n' 2:3 '"linus"'
	warned 'variables: {PATH: /x}\ndependencies: [normal]\n' 1:13 PATH
	warned 'variables: {A: }\ndependencies: [normal]\n' 1:16 '"A"'
	sound c
}
it 'unknown keys and odd forms are warned of' warnings

# These never change what is asked for.
not_counted() {
	local want
	want=$(hash_of 'dependencies: [normal]\n')
	same "$(hash_of 'name:\nchannels:\ndependencies: [normal]\n')" "$want"
	same "$(hash_of 'channels: []\ndependencies: [normal]\n')" "$want"
	same "$(hash_of 'prefix: /x\ndependencies: [normal, normal]\n')" "$want"
	same "$(hash_of 'dependencies:\n- normal\n- b # [win]\n')" "$want"
	same "$(hash_of 'dependencies:\n- normal\n- sel(osx): b\n')" "$want"
	[ "$(hash_of 'dependencies:\n- normal\n- b # [linux]\n')" != "$want" ]
	[ "$(hash_of 'dependencies:\n- normal\n- sel(unix): b\n')" != "$want" ]
	refused 'dependencies:\n- sel(beos): b\n' 2:3 'sel(beos)' hint:
}
it 'null and empty keys, prefix, selectors' not_counted

no_file() {
	fails 3 '"nothing.yml"' "$ENVBUILD" build nothing.yml --base scratch
	fails 3 '"./nothing"' "$ENVBUILD" build ./nothing --base scratch
	fails 3 '"nothing"' "$ENVBUILD" build nothing --base scratch
	has_words stderr hint:
	fails 3 '"./."' "$ENVBUILD" hash ./.
	printf 'dependencies: [normal]\n' >e.yml
	fails 4 '"debian:12-slim"' "$ENVBUILD" build e.yml --offline \
		--channel "file://$channel" --cache-dir c
	has_words stderr hint: --base
	no_image c
	fails 3 nothing.tar "$ENVBUILD" build e.yml --cache-dir c \
		--base rootfs:nothing.tar --channel "file://$channel"
	no_image c
}
it 'no file, a folder, no base' no_file

# A pipe can be read but once.
by_pipe() {
	printf 'dependencies: [normal]\n' >e.yml
	want=$("$ENVBUILD" hash e.yml)
	same "$("$ENVBUILD" hash - <e.yml)" "$want"
	exec 8< <(cat e.yml)
	sleep 0.2 # so that it lies in the pipe
	same "$("$ENVBUILD" hash /dev/fd/8)" "$want"
}
it 'a definition that comes by a pipe' by_pipe

done_testing
