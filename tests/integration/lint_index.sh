#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# lint against indexes: what is here, what is asked, what does not answer; and
# definitions that people committed.
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/../lib.sh"
# shellcheck source=tests/faults.sh
. "$(dirname "$0")/../faults.sh"

# shellcheck disable=SC2046 # names
unset $(compgen -e PIP_) NETRC
export PIP_CONFIG_FILE=/dev/null HOME=$SCRATCH/home
mkdir "$HOME"
wheels=$SCRATCH/wheels
python3 "$TOP/tests/fixtures/index_wheels.py" "$wheels" \
	'alpha 1.0' 'alpha 2.0 python=>=3.9' 'old 1.0 python=<3.9' \
	'taken 1.0 yanked=broken' 'source 1.0 kind=setup' >/dev/null
start_index html --index "=$wheels" --fault 'hang=/simple/hanging/'
html=http://127.0.0.1:$port/simple/
start_index json --json --index "=$wheels"
json=http://127.0.0.1:$port/simple/
start_index private --index "=$wheels" --login me:s3cr3t
private=http://127.0.0.1:$port/simple/
python3 - "$SCRATCH/root/chan" <<'PYTHON' || exit 1
import json, os, sys
for subdir, names in (
        ('linux-64', [('python', '3.11.4', []), ('python', '3.8.5', []),
                      ('numpy', '1.26.4', ['python >=3.11,<3.12.0a0'])]),
        ('noarch', [('plain', '1.0', []), ('pip', '24.0', [])])):
    folder = os.path.join(sys.argv[1], subdir)
    os.makedirs(folder)
    with open(os.path.join(folder, 'repodata.json'), 'w') as f:
        json.dump({'packages': {}, 'packages.conda': {
            '%s-%s-0.conda' % (n, v): {
                'name': n, 'version': v, 'build': '0', 'build_number': 0,
                'depends': d, 'size': 1} for n, v, d in names}}, f)
PYTHON
serve channel "$SCRATCH/root"
channel=http://127.0.0.1:$port/chan

# define CHANNEL CONDA-LINE... [-- PIP-LINE...]: the file env.yml.
define() {
	printf 'channels: [%s]\ndependencies:\n' "$1" >env.yml
	shift
	while [ $# -gt 0 ] && [ "$1" != -- ]; do
		printf -- '- %s\n' "$1" >>env.yml
		shift
	done
	[ $# = 0 ] || printf -- '- pip:\n' >>env.yml
	[ $# -lt 2 ] || printf "  - '%s'\n" "${@:2}" >>env.yml
}

lint() {
	"$ENVBUILD" lint env.yml --platform linux/amd64 --cache-dir "$PWD/c" \
		"$@"
}

# found PATTERN: among the lines of "found".
found() {
	grep -q -- "$1" found || fail "no \"$1\" in: $(cat found)"
}

in_a_folder() {
	define "file://$SCRATCH/root/chan" 'nunpy' 'numpy=9' 'numpy=1.26.4=x' \
		'plain'
	fails 1 '' lint
	cp stdout found
	found '^env.yml:3:3: error: no channel has a package "nunpy"; did you mean "numpy"? \[no-such-package\]$'
	found '^env.yml:4:3: error: "numpy=9".*1.26.4 \[no-such-version\]$'
	found '^env.yml:5:3: error: .*"0" \[no-such-build\]$'
	same "$(grep -c ' error: ' found)" 3
	lint --no-index >found
	same "$(grep -c ' error: ' found)" 0
	fails 2 'exclude each other' lint --index --no-index
}
it 'a channel in a folder is looked at without being told to' in_a_folder

pip_section() {
	local index
	define "file://$SCRATCH/root/chan" 'python=3.11' -- 'alpha==3' 'nothere' \
		'old==1.0' 'taken==1.0' 'source' 'alpha==1.0'
	export PIP_INDEX_URL
	for index in "$html" "$json"; do
		PIP_INDEX_URL=$index
		lint --base debian:12-slim >found
		same "$(grep -c ' error: ' found)" 0
		fails 1 '' lint --index --base debian:12-slim
		cp stdout found
		found '^env.yml:5:5: error: "alpha==3".*1.0 and 2.0;.*\[no-such-version\]$'
		found '^env.yml:6:5: error: "nothere": there is no such project.*\[no-such-package\]$'
		found '^env.yml:7:5: error: "old==1.0".*needs Python <3.9.*\[requires-python\]$'
		found '^env.yml:8:5: warning: .*broken.*\[withdrawn\]$'
		found '^env.yml:9:5: warning: .*"*debian:12-slim"* has no compiler.*\[source-only\]$'
		same "$(grep -c ' error: ' found)" 3
		fails 1 '' lint --index --build-base debian:12-slim
		cp stdout found
		has_not found 'source-only'
	done
	fails 1 '' lint --index --json
	cp stdout found
	jq -e '[.findings[] | select(.level == "error") | .rule] | sort ==
		["no-such-package", "no-such-version", "requires-python"]' found
}
it "pip's indexes, in HTML and JSON" pip_section

# Copies may be old: warnings; a build with --offline sees no more: errors.
copies() {
	local asked
	define "$channel" 'numpy=9' 'plain'
	asked=$(wc -l <"$SCRATCH/channel.log")
	lint >found
	has_not found 'no-such'
	lint --offline >found
	found '^env.yml:1:12: note: .*chan.*not in the store.*\[index-silent\]$'
	same "$(wc -l <"$SCRATCH/channel.log")" "$asked"
	fails 1 '' lint --index
	grep -q '^env.yml:3:3: error: "numpy=9".*\[no-such-version\]$' stdout
	[ "$(wc -l <"$SCRATCH/channel.log")" -gt "$asked" ]
	asked=$(wc -l <"$SCRATCH/channel.log")
	lint >found
	found '^env.yml:3:3: warning: "numpy=9".*as far as is known here.*\[no-such-version\]$'
	fails 1 '' lint --offline
	grep -q 'env.yml:3:3: error: .*\[no-such-version\]$' stdout
	same "$(wc -l <"$SCRATCH/channel.log")" "$asked"
	define "$channel/none" 'plain'
	fails 1 '' lint --index
	grep -q '^env.yml:1:12: error: .*none.*\[no-such-channel\]$' stdout
}
it 'what the store has, what a server says, what is not asked' copies

silent() {
	local from=$SECONDS
	export PIP_INDEX_URL=$html
	define "file://$SCRATCH/root/chan" 'python=3.11' -- 'hanging' 'alpha'
	lint --index --timeout 1s >found
	found '^env.yml:5:5: note: .*/simple/.*\[index-silent\]$'
	same "$(grep -c 'index-silent' found)" 1
	PIP_INDEX_URL=http://127.0.0.1:1/simple/
	define "file://$SCRATCH/root/chan,http://127.0.0.1:1/x" 'python=3.11' \
		'nunpy' -- 'alpha' 'beta' 'gamma'
	lint --index --timeout 1s >found
	same "$(grep -c 'index-silent' found)" 2
	has_not found ' error: '
	[ $((SECONDS - from)) -lt 15 ]
	# That channel may have a Python 3.9.
	PIP_INDEX_URL=$html
	define "http://127.0.0.1:1/x,file://$SCRATCH/root/chan" \
		'python>=3.8,<3.10' -- 'alpha==2.0'
	lint --index --timeout 1s >found
	has_not found ' error: '
	define "file://$SCRATCH/root/chan,http://127.0.0.1:1/x" \
		'python>=3.8,<3.10' -- 'alpha==2.0'
	fails 1 '' lint --index --timeout 1s
	grep -q 'requires-python' stdout
	PIP_INDEX_URL=$private
	define "file://$SCRATCH/root/chan" 'python=3.11' -- 'alpha'
	fails 1 '' lint --index
	grep -q '^env.yml:5:5: error: .*401.*\[index-login\]$' stdout
	PIP_INDEX_URL=${private/127/me:s3cr3t@127}
	lint --index >found
	has_not found s3cr3t index-login
}
it 'one that hangs, is not there, or wants a login' silent

mended() {
	define "file://$SCRATCH/root/chan" 'python=>3.11  # why' -- 'alpha=1.0'
	fails 2 'standard input is none' lint_stdin --fix
	fails 1 '' lint_stdin
	grep -q '^-:3:3: error: .*\[bad-conda-spec\]$' stdout
	cp env.yml before
	lint --fix >found
	diff before env.yml >changes && fail 'nothing was changed'
	same "$(grep -c '^>' changes)" 3
	grep -q '^- python>=3.11  # why$' env.yml
	cp env.yml once
	lint --fix >found
	cmp once env.yml
	same "$(echo env.yml*)" env.yml
}
lint_stdin() {
	"$ENVBUILD" lint - --no-index "$@" <env.yml
}
it 'what is mended is mended once; standard input is not' mended

# Of requests with a known answer: those that have one have no error.
solved_ones() {
	local data=$ENVBUILD_DATA/conda n=0 line
	need_data conda/solves/requests-open.jsonl.zst
	zstd -dcq "$data/solves/requests-open.jsonl.zst" |
		jq -c 'select(.satisfiable)' | head -n 30 >requests
	while read -r line; do
		jq -r --arg at "file://$data/repodata/merged" '
			"channels:", (.channels[] | "- " + ($at + "/" + . | @json)),
			"dependencies:", (.specs[] | "- " + @json)
			' <<<"$line" >env.yml
		lint --index \
			--channel-priority "$(jq -r .channel_priority <<<"$line")" \
			>found || fail "$line: $(cat env.yml found)"
		n=$((n + 1))
	done <requests
	same "$n" 30
}
it 'what a solver has an answer for has no error' solved_ones

# What has an error cannot be built: the reader refuses it, or the decision
# about CUDA; or pip would, which is not asked here.
real_ones() {
	local file n=0 errors=0
	need_data definitions/expected.jsonl
	cd "$ENVBUILD_DATA/definitions"
	for file in conda/*.yml requirements/*.txt azure/*; do
		[ -f "$file" ] || continue
		n=$((n + 1))
		"$ENVBUILD" lint "$file" --no-index >"$SCRATCH/found" \
			2>"$SCRATCH/said" && continue
		same $? 1
		errors=$((errors + 1))
		! "$ENVBUILD" hash "$file" >"$SCRATCH/out" 2>&1 ||
			! "$ENVBUILD" explain --no-solve "$file" \
				>"$SCRATCH/out" 2>&1 ||
			fail "$file can be built: $(grep error: "$SCRATCH/found")"
	done
	[ "$n" -ge 160 ] && [ "$errors" -ge 20 ]
	jq -r 'select(.verdict == "accept" and .type != "azure") | .file' \
		expected.jsonl >"$SCRATCH/accepted"
	while read -r file; do
		"$ENVBUILD" lint "$file" --no-index >"$SCRATCH/found" ||
			! grep ' error: ' "$SCRATCH/found" |
			grep -v '\[cuda-mismatch\]$\|\[torch-pairing\]$\|\[cuda-refused\]$' ||
			fail "$file is accepted: $(cat "$SCRATCH/found")"
	done <"$SCRATCH/accepted"
}
it 'definitions that people committed: an error is one' real_ones

done_testing
