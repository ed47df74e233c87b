#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Definitions that stand in no file: packages that options name, environments
# that are there already; and what is added that nobody asked for.
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/../lib.sh"

base=$(need_base)
channel=$(need_channel)
export PIP_CONFIG_FILE=/dev/null PIP_NO_INDEX=1
unset PIP_INDEX_URL PIP_EXTRA_INDEX_URL
wheels=$SCRATCH/wheels
mkdir -p "$wheels"
python3 "$TOP/tests/fixtures/index_wheels.py" "$wheels" \
	'alpha 1.0 requires=beta>=1' 'alpha 1.1 requires=beta>=1' \
	'beta 2.0' 'gamma 3.0' >/dev/null
export PIP_FIND_LINKS=$wheels
# A Python of 2018 as a channel; what was built from it is kept for all tests.
old=$ENVBUILD_DATA/conda/packages/main-2018-py37
cache=$SCRATCH/store

# eb VERB [OPTION]...
eb() {
	local verb=$1
	shift
	"$ENVBUILD" "$verb" --base "rootfs:$base" --cache-dir "$cache" "$@"
}

definition() {
	"$ENVBUILD" hash "$@" 2>stderr | sed -n 's/^definition //p'
}

azure() {
	"$ENVBUILD" hash "$@" 2>stderr | sed -n 's/^azure //p'
}

# ---- packages of options ----------------------------------------------------

one_environment() {
	local options

	cat >env.yml <<-'EOF'
		channels: [conda-forge]
		dependencies:
		- python=3.8
		- numpy=1.19
		- python>=3.6
		- pip:
		  - torch==1.6.0
		  - --pre
	EOF
	options=(--conda-package numpy=1.19 --conda-package 'python>=3.6'
		--python 3.8 --pip-package torch==1.6.0 --pip-package=--pre
		--channel conda-forge)
	same "$(definition "${options[@]}")" "$(definition env.yml)"
	[ "$(definition env.yml | wc -c)" = 65 ]
	same "$(azure "${options[@]}")" "$(azure env.yml)"
	# Beside a file they are lines of it.
	head -n 3 env.yml >less.yml
	same "$(definition less.yml --conda-package numpy=1.19 \
		--conda-package 'python>=3.6' --pip-package torch==1.6.0 \
		--pip-package --pre)" "$(definition env.yml)"
	same "$(definition env.yml "${options[@]}")" "$(definition env.yml)"
	printf 'alpha\n' >requirements.txt
	printf 'dependencies: [python, x, {pip: [alpha]}]\n' >same.yml
	same "$(definition requirements.txt --conda-package x)" \
		"$(definition same.yml)"
	# What pip reads from a file is relative to where one is.
	mkdir sub
	printf 'dependencies: []\n' >sub/none.yml
	same "$(definition sub/none.yml --pip-package '-r requirements.txt')" \
		"$(definition --pip-package alpha)"
}
it 'packages of options are lines of a file' one_environment

kept() {
	local options=(--channel conda-forge --python 3.8 --pip-package a==1)

	same "$("$ENVBUILD" register "${options[@]}" --name mine)" mine:1
	same "$(definition mine)" "$(definition "${options[@]}")"
	same "$("$ENVBUILD" show mine --definition)" \
		$'channels:\n- conda-forge\ndependencies:\n- python=3.8\n- pip:\n  - a==1'
	same "$(definition mine --conda-package x)" \
		"$(definition "${options[@]}" --conda-package x)"
	same "$("$ENVBUILD" register mine --conda-package x --name more)" more:1
	same "$(definition more)" "$(definition mine --conda-package x)"
	"$ENVBUILD" save "${options[@]}" out >out.txt 2>stderr || { cat stderr; false; }
	same "$(definition out/conda_dependencies.yml)" \
		"$(definition "${options[@]}")"
	echo a >r.txt
	fails 3 'lies beside the definition' "$ENVBUILD" register \
		--pip-package '-r r.txt' --name no
}
it 'registered and saved as the file that stands for them' kept

refused() {
	printf 'dependencies:\n- numpy=1.18\n- pip: [a==1]\n' >env.yml
	fails 3 '--conda-package: "numpy=1.19" cannot hold beside "numpy=1.18" (env.yml:2:3)' \
		"$ENVBUILD" hash env.yml --conda-package numpy=1.19
	fails 3 '--pip-package: "a==2" cannot hold beside "a==1" (env.yml:3:9)' \
		"$ENVBUILD" hash env.yml --pip-package a==2
	fails 3 '(--python)' "$ENVBUILD" hash --python 3.8 \
		--conda-package python=3.9
	fails 3 '--conda-package: package spec "a=>1"' \
		"$ENVBUILD" lock --conda-package 'a=>1'
	fails 3 '--pip-package: "a=1"' "$ENVBUILD" plan --pip-package a=1
	fails 2 'option "python" cannot be "3.x"' \
		"$ENVBUILD" explain --python 3.x
	fails 2 'an argument is missing' "$ENVBUILD" hash
	fails 2 'is empty' "$ENVBUILD" hash '' --python 3
	fails 2 'is given' "$ENVBUILD" lint --python 3 --fix
	printf 'python: 3.8\n' >config.yml
	fails 3 'belongs to the command line' "$ENVBUILD" hash env.yml \
		--config config.yml
	"$ENVBUILD" lint env.yml --no-index --conda-package scipy >found
	grep -q '^--conda-package: note: "scipy" names no version' found
	grep -q '^env.yml:1:1: note: .*no-channels' found
	"$ENVBUILD" lint --no-index --conda-package scipy \
		--pip-package b==1 >found
	grep -q '^command line: note: .*no-channels' found
	"$ENVBUILD" lint --python 3.8 --no-index --json | jq -e '
		.findings | all(.file | test("^(--python|command line)$"))' >out
}
it 'what is wrong with them names the option' refused

# ---- defaults ---------------------------------------------------------------

default_python() {
	printf 'dependencies: [{pip: [alpha==1.0]}]\n' >env.yml
	eb build env.yml --channel "file://$channel" >out 2>stderr || { cat stderr; false; }
	grep -q 'warning: env.yml: nothing asks for the Python that the pip section is for: it is python 3.11.2' \
		stderr
	grep -q 'warning: env.yml: there is a pip section, and pip is not among the packages: the image gets none' \
		stderr
	eb run env.yml --channel "file://$channel" -- \
		python -c 'import alpha; print("fine")' >out 2>stderr || { cat stderr; false; }
	same "$(cat out)" fine
	grep -q warning stderr && return 1 # known: nothing is resolved again
	eb lock env.yml --channel "file://$channel" --json |
		jq -e '.packages[] | select(.name == "python") |
			.requested == false' >out
	printf 'dependencies: [prefixed, {pip: [alpha]}]\n' >env.yml
	eb lock env.yml --channel "file://$channel" >out 2>stderr || { cat stderr; false; }
	grep -q 'it is python 3.11.2' stderr
	# Nothing but a base is asked for nothing.
	printf 'dependencies: []\n' >env.yml
	eb lock env.yml | jq -e '.locked.packages == []' >out
	mkdir -p none/noarch
	printf '{"packages": {}}' >none/noarch/repodata.json
	fails 1 'python' eb lock --pip-package alpha --channel "file://$PWD/none"
}
it 'a pip section without a Python: the newest, and a warning' default_python

default_pip() {
	need_data conda/packages/main-2018-py37
	printf 'dependencies: [python=3.7, {pip: [gamma]}]\n' >env.yml
	eb build env.yml --channel "file://$old" >out 2>stderr || { cat stderr; false; }
	grep -q 'pip is not among the packages: pip 10.0.1 comes with Python' \
		stderr
	eb run env.yml --channel "file://$old" -- pip list >out 2>stderr || { cat stderr; false; }
	grep -q '^gamma  *3.0' out
	printf 'dependencies: [python=3.7, pip, {pip: [gamma]}]\n' >other.yml
	eb lock other.yml --channel "file://$old" --refresh >out 2>stderr || { cat stderr; false; }
	grep -q 'pip is not' stderr && return 1
	printf 'gamma\n' >requirements.txt
	eb lock requirements.txt --channel "file://$old" >out 2>stderr || { cat stderr; false; }
	grep -q 'pip is not' stderr && return 1
	return 0
}
it 'a pip section without pip: it comes with Python, and a warning' default_pip

default_of_azure() {
	printf 'dependencies: [numpy]\n' >conda.yml
	printf 'name: e\nimage: scratch\nconda_file: conda.yml\n' >env2.yml
	printf 'dependencies: [numpy, python=3.8.13]\n' >same.yml
	same "$(definition same.yml --base scratch)" "$(definition env2.yml)"
	definition env2.yml
	grep -q 'warning: conda.yml: no line asks for a Python: python=3.8.13 is added' \
		stderr
	# Its text stays what it is, and so does Azure's name of it.
	same "$(azure env2.yml)" "$(azure conda.yml)"
	same "$("$ENVBUILD" load env2.yml --name e)" e:1
	same "$(definition e)" "$(definition env2.yml)"
	"$ENVBUILD" save e out >out.txt
	cmp conda.yml out/conda.yml
	same "$(definition env2.yml --python 3.8.13)" "$(definition env2.yml)"
	# A conda file of one's own gets none.
	[ "$(definition conda.yml --base scratch)" != \
		"$(definition env2.yml)" ]
	printf 'command: x\nenvironment: {image: scratch, conda_file: {dependencies: [numpy]}}\n' \
		>job.yml
	same "$(definition job.yml)" "$(definition env2.yml)"
	"$ENVBUILD" register job.yml --name job >out.txt 2>stderr || { cat stderr; false; }
	same "$(definition job)" "$(definition env2.yml)"
}
it "Azure's files without a Python: Azure's, and a warning" default_of_azure

# ---- an environment that is there -------------------------------------------

# The prefix of an image, made once; each test has a copy.
prefix() {
	need_data conda/packages/main-2018-py37
	cat >env.yml <<-EOF
		channels: ["file://$old"]
		dependencies:
		- python=3.7
		- requests
		- pip: [alpha==1.0]
		variables: {ONE: "1"}
	EOF
	[ -e "$SCRATCH/root" ] || eb build env.yml --pyc none \
		--output "rootfs:$SCRATCH/root" >out 2>stderr || { cat stderr; false; }
	cp -a "$SCRATCH/root/opt/env" env
}

again() {
	prefix
	eb lock env.yml --pyc none >theirs 2>stderr || { cat stderr; false; }
	# No channel is asked: the order of packages is all there is to decide.
	eb lock --from-prefix env --pyc none >ours 2>stderr || { cat stderr; false; }
	jq .locked theirs >theirs.json
	jq .locked ours >ours.json
	cmp theirs.json ours.json
	jq -e '[.. | objects | select(.requested == true) | .name] |
		sort == ["alpha", "python", "requests"]' ours.json
	jq -e '.variables == {"ONE": "1"}' ours.json
	same "$(eb build --from-prefix env --pyc none 2>out)" \
		"$(eb build env.yml --pyc none 2>out)"
	grep -q 'belong to no package\|changed or removed' stderr && return 1
	eb check --from-prefix env --pyc none >out
	eb explain --from-prefix env >out
	grep -q 'runs on the CPU' out
	eb hash --from-prefix env --show | grep -q '^pip-requested alpha$'
	eb hash --from-prefix env --show >out
	same "$(grep -c '^exact .* requested$' out)" 2
}
it 'a prefix gives the lock and the image that it is from' again

as_text() {
	prefix
	same "$(eb register --from-prefix env --name was 2>stderr)" was:1
	grep -q 'every package is asked for' stderr
	"$ENVBUILD" show was --definition >was.yml
	grep -qx -- '- python=3.7.0=hc3d631a_0' was.yml
	grep -qx -- '  - alpha==1.0' was.yml
	eb lock was --pyc none >ours 2>stderr || { cat stderr; false; }
	eb lock env.yml --pyc none >theirs 2>stderr || { cat stderr; false; }
	jq '[.locked | .packages[], .pins[]? | .sha256]' ours >a
	jq '[.locked | .packages[], .pins[]? | .sha256]' theirs >b
	cmp a b
	"$ENVBUILD" save --from-prefix env out >out.txt 2>stderr || { cat stderr; false; }
	cmp was.yml out/conda_dependencies.yml
}
it 'a prefix registered and saved: the file that stands for it' as_text

by_hand() {
	prefix
	echo hello >env/share/mine.txt
	mkdir -p env/envs/other env/lib/python3.7/site-packages/own
	echo >env/envs/other/not-counted
	echo >env/lib/python3.7/site-packages/own/__init__.py
	echo '# changed' >>env/lib/python3.7/this.py
	rm env/lib/python3.7/antigravity.py
	rm -rf "$cache"
	eb lock --from-prefix env --pyc none >out 2>stderr || { cat stderr; false; }
	cat stderr
	grep -q '"env": 2 files were changed or removed by hand, "lib/python3.7/antigravity.py" among them' \
		stderr
	grep -q '"env": 2 files belong to no package, ' stderr
}
it 'what no package has stays behind, counted' by_hand

# rewrite FILTER: the conda-meta of six by jq.
rewrite() {
	local six
	for six in env/conda-meta/six-*.json; do
		jq "$1" "$six" >new.json
		cp new.json "$six"
	done
}

unusable() {
	local site=lib/python3.7/site-packages words filter

	fails 2 'cannot be given beside it' "$ENVBUILD" hash x.yml \
		--from-prefix env
	mkdir empty
	fails 3 'no environment of conda' "$ENVBUILD" hash --from-prefix empty
	fails 3 'opening' "$ENVBUILD" hash --from-prefix nothing
	prefix
	fails 3 'no package can be added' "$ENVBUILD" hash --from-prefix env \
		--python 3
	fails 3 'is a package for linux-64, not for linux-aarch64' \
		"$ENVBUILD" hash --from-prefix env --platform linux/arm64
	cp -a env clean
	while IFS='|' read -r words filter; do
		rewrite "$filter"
		fails 3 "$words" "$ENVBUILD" hash --from-prefix env
		cp clean/conda-meta/* env/conda-meta/
	done <<-'EOF'
		says no URL: it cannot be had any more|del(.url)
		names no package|.url = "https://h.example/c/linux-64/six.zip"
		"depends" is no list|.depends = "python"
		"name"|.name = {}
		no part of a file name|.name = "../six"
		no part of a file name|.name = "x" * 1000000
		"size" is no number|.size = "much"
		leads out of the prefix|.files += ["../../etc/passwd"]
		two packages "python"|.name = "python"
		the character|.name = "a b"
		is no package's name|.name = "*"
	EOF
	printf '{' >env/conda-meta/broken-1-0.json
	fails 3 'broken-1-0.json' "$ENVBUILD" hash --from-prefix env
	rm env/conda-meta/broken-1-0.json
	ln -s "$PWD/clean/conda-meta/history" env/conda-meta/out-1-0.json
	fails 3 'out-1-0.json' "$ENVBUILD" hash --from-prefix env
	rm env/conda-meta/out-1-0.json
	mkfifo env/conda-meta/pipe-1-0.json
	fails 3 'pipe-1-0.json' "$ENVBUILD" hash --from-prefix env
	rm env/conda-meta/pipe-1-0.json
	"$ENVBUILD" hash --from-prefix env
	# pip's
	printf '{"url": "file:///home/me/alpha", "dir_info": {"editable": true}}' \
		>"env/$site/alpha-1.0.dist-info/direct_url.json"
	echo "$PWD/x" >"env/$site/delta.egg-link"
	fails 3 'so that no other can have it: alpha 1.0, delta' \
		"$ENVBUILD" hash --from-prefix env
	rm "env/$site/delta.egg-link"
	printf '{"url": "https://h.example/a.git", "vcs_info": {"vcs": "git", "commit_id": "%040d"}}' 7 \
		>"env/$site/alpha-1.0.dist-info/direct_url.json"
	"$ENVBUILD" hash --from-prefix env --show >out
	grep -q "^pip alpha @ git+https://h.example/a.git@0*7\$" out
	echo nonsense >"env/$site/alpha-1.0.dist-info/direct_url.json"
	fails 3 'direct_url.json' "$ENVBUILD" hash --from-prefix env
	rm "env/$site/alpha-1.0.dist-info/direct_url.json"
	cp -a "env/$site/alpha-1.0.dist-info" "env/$site/alpha-0.9.dist-info"
	fails 3 'second dist-info of alpha' "$ENVBUILD" hash --from-prefix env
}
it 'a prefix that cannot be had again, or is hostile: refused' unusable

of_conda() {
	local meta=conda/fixtures/rattler/test-data/conda-meta record

	need_data "$meta"
	mkdir -p env/conda-meta
	cp "$ENVBUILD_DATA/$meta"/*.json env/conda-meta/
	fails 3 'is a package for' "$ENVBUILD" hash --from-prefix env
	# Those for every platform that conda itself wrote.
	grep -l '"subdir": "noarch"' env/conda-meta/*.json >keep
	for record in env/conda-meta/*.json; do
		grep -qxF "$record" keep || rm "$record"
	done
	[ "$(wc -l <keep)" -gt 5 ]
	"$ENVBUILD" hash --from-prefix env --show >out
	same "$(grep -c '^exact ' out)" "$(wc -l <keep)"
	same "$(grep '^channel ' out)" \
		'channel https://conda.anaconda.org/conda-forge'
}
it 'records that conda wrote' of_conda

done_testing
