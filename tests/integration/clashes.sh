#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# One path in several packages: who wins is one rule, which a build follows and
# reports, a plan foresees, and verify sees in the image alone.
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/../lib.sh"
# shellcheck source=tests/faults.sh
. "$(dirname "$0")/../faults.sh"

small "$SCRATCH/small" clash same-content case-clash normal
channel=$(need_channel)
base=$(need_base)
export PIP_CONFIG_FILE=/dev/null
unset PIP_INDEX_URL PIP_EXTRA_INDEX_URL PIP_FIND_LINKS PIP_NO_INDEX
wheels=$SCRATCH/wheels
mkdir -p "$wheels"
python3 "$TOP/tests/fixtures/index_wheels.py" "$wheels" \
	'ns-a 1.0 module=- file=ns/__init__.py:whole file=ns/a.py:a=1' \
	'ns-b 1.0 module=- file=ns/__init__.py:whole file=ns/b.py:b=1' \
	'test-a 1.0 module=- file=tests/__init__.py file=tests/t.py:a' \
	'test-b 1.0 module=- file=tests/__init__.py file=tests/t.py:b' \
	'other-greeting 1.0 module=- file=greeting.py:mine' \
	'upper 1.0 module=- file=Pkg/x.py:x=1' \
	'lower 1.0 module=- file=pkg/x.py:x=1' \
	'rude 1.0 module=- data=data/lib/python3.11/os.py:x' \
	'ruder 1.0 module=- data=data/conda-meta/history:x' >/dev/null

# eb VERB OPTION...: of env.yml, in the store "c".
eb() {
	local verb=$1
	shift
	"$ENVBUILD" "$verb" env.yml --base "${on:-scratch}" \
		--channel "file://${from:-$SCRATCH/small}" --cache-dir c "$@"
}

# plan FILTER VALUE: of what is planned.
plan() {
	eb plan --json >planned.json
	same "$(jq -c "$1" planned.json)" "$2"
}

# pip WHEEL...: env.yml with these in its pip section.
pip() {
	on=rootfs:$base
	from=$channel
	printf 'dependencies: [python, greeting=1.1, {pip: [%s]}]\n' \
		"'--no-index', '--find-links $wheels', $1" >env.yml
}

conda() {
	printf 'dependencies: [clash-a, clash-b]\n' >env.yml
	plan '[.clashes, ."unknown-paths"]' '[[],2]'
	eb build 2>said >reference
	cat said
	has_words said 'warning: "opt/env/share/clash" is in "clash-a", "clash-b": the one of "clash-b" is taken'
	plan '.clashes' '[{"packages":["clash-a","clash-b"],"path":"opt/env/share/clash","same":false,"winner":"clash-b"}]'
	plan '."unknown-paths"' 0
	eb plan >said
	has_words said 'clash: "opt/env/share/clash" of clash-a 1.0, clash-b 1.0: that of clash-b is taken'
	"$ENVBUILD" verify "$(cat reference)" --cache-dir c >said
	cat said
	has_words said 'note: clash: "share/clash" is claimed by clash-a 1.0 and by clash-b 1.0 with different content; the image has that of the second'
	printf 'dependencies: [same-content-a, same-content-b]\n' >env.yml
	eb build 2>said >reference
	has_not said 'is in'
	plan '.clashes | map(.same)' '[true]'
	eb plan >said
	has_words said '1 path in several packages with the same content'
}
it 'two packages of conda: the later one wins; one content is no clash' conda

wheels() {
	pip 'ns-a, ns-b, test-a, test-b, other-greeting'
	eb build 2>said >reference
	cat said
	eb build --output rootfs:root
	site=opt/env/lib/python3.11/site-packages
	has_words said "\"$site/tests/t.py\" is in \"test-a\", \"test-b\": the one of \"test-b\" is taken" \
		"\"$site/greeting.py\" is in \"greeting\", \"other-greeting\": the one of \"other-greeting\" is taken"
	same "$(grep -c 'is taken' said)" 2
	same "$(cat "root/$site/tests/t.py")" b
	same "$(cat "root/$site/greeting.py")" mine
	same "$(cat "root/$site/ns/__init__.py")" whole
	[ -e "root/$site/ns/a.py" ]
	[ -e "root/$site/ns/b.py" ]
	plan '[.clashes[] | select(.same | not) | [.path, .packages, .winner]]' \
		"[[\"$site/greeting.py\",[\"greeting\",\"other-greeting\"],\"other-greeting\"],[\"$site/tests/t.py\",[\"test-a\",\"test-b\"],\"test-b\"]]"
	plan '[.clashes[] | select(.same) | .path]' \
		"[\"$site/ns/__init__.py\",\"$site/tests/__init__.py\"]"
	"$ENVBUILD" verify "$(cat reference)" --cache-dir c >said
	cat said
	same "$(grep -c '^note: clash: ' said)" 2
	same "$(grep '^note: clash: ' said | grep -c 'that of the second$')" 2
}
it 'wheels among each other, and against conda' wheels

cased() {
	printf 'dependencies: [case-clash-a, case-clash-b]\n' >env.yml
	eb build -v 2>said >reference
	cat said
	has_words said '"opt/env/share/Case" of "case-clash-a" and "opt/env/share/case" of "case-clash-b" differ in case alone' \
		'"opt/env/share/README" of "case-clash-a" and "opt/env/share/Readme" of "case-clash-b" differ in case alone' \
		'of one package that differ in case alone: 1'
	same "$(grep -c 'and .* differ in case alone' said)" 2
	plan '.clashes | map([.path, .other, .winner])' \
		'[["opt/env/share/Case","opt/env/share/case",null],["opt/env/share/README","opt/env/share/Readme",null]]'
	plan '."cased-within"' 1
	"$ENVBUILD" verify "$(cat reference)" --cache-dir c >said
	cat said
	has_words said 'note: case: "share/Case" of case-clash-a 1.0 and "share/case" of case-clash-b 1.0 differ in case alone' \
		'note: case: "share/README" of case-clash-a 1.0 and "share/Readme" of case-clash-b 1.0 differ in case alone' \
		'note: case: 1 path within one package'
	same "$(grep -c '^note: case: ' said)" 3
	pip 'upper, lower'
	eb build --output rootfs:root 2>said
	has_words said '/site-packages/Pkg" of "upper"' '/site-packages/pkg" of "lower"'
	[ -e root/opt/env/lib/python3.11/site-packages/Pkg/x.py ]
	[ -e root/opt/env/lib/python3.11/site-packages/pkg/x.py ]
}
it 'paths that differ in case alone are reported, and both there' cased

# What is refused, before anything of an image is made.
refused() {
	pip rude
	plan '.clashes' '[]'
	fails 3 '"python" and "rude" cannot be in one environment: the path "opt/env/lib/python3.11/os.py" of the package python would be replaced' \
		eb build
	# Its path list is known now.
	fails 3 '"python" and "rude" cannot be in one environment' eb plan
	pip ruder
	fails 3 'conda-meta' eb build
	same "$(eb check --local 2>/dev/null || echo $?)" 1
}
it 'nothing wins over python or over conda-meta' refused

# Some of many are told, and how many more there are.
many() {
	local i line='many-a 1.0 module=-' other='many-b 1.0 module=-'
	for i in $(seq 14); do
		line="$line file=many/$i.txt:a"
		other="$other file=many/$i.txt:b"
	done
	python3 "$TOP/tests/fixtures/index_wheels.py" "$wheels" "$line" \
		"$other" >/dev/null
	pip 'many-a, many-b'
	eb build 2>said
	cat said
	same "$(grep -c 'is taken' said)" 10
	has_words said '4 more paths are in several packages'
	plan '.clashes | length' 14
}
it 'two that have all in common' many

done_testing
