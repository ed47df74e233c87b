#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# `envbuild lock --format`: the same set as conda's explicit list and as
# conda-lock.yml. What a form has no place for is said; no login gets out.
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/../lib.sh"

need_program jq
export CONDA_OVERRIDE_GLIBC=2.36
channel=$(need_channel)
export PIP_CONFIG_FILE=/dev/null
unset PIP_INDEX_URL PIP_EXTRA_INDEX_URL PIP_FIND_LINKS PIP_NO_INDEX
wheels=$SCRATCH/wheels
mkdir -p "$wheels"
python3 "$TOP/tests/fixtures/index_wheels.py" "$wheels" \
	'alpha 1.0 requires=beta>=1' 'beta 2.0' >/dev/null
start_index index --index "=$wheels"
export PIP_INDEX_URL=http://user:hush@127.0.0.1:$port/simple/

# eb FORM OPTION...
eb() {
	local form=$1
	shift
	"$ENVBUILD" lock environment.yml --base scratch \
		--channel "file://$channel" --format "$form" "$@"
}

# after A B: in the list, the package A stands behind B.
after() {
	[ "$(grep -n "/$1-[^/]*$" list | cut -d: -f1)" -gt \
		"$(grep -n "/$2-[^/]*$" list | cut -d: -f1)" ] ||
		fail "\"$1\" is not after \"$2\""
}

explicit() {
	printf 'dependencies: [python, greeting]\n' >environment.yml
	eb envbuild >l.lock
	eb explicit >list 2>err
	cat list err
	same "$(head -n 2 list)" "$(printf '# platform: linux-64\n@EXPLICIT')"
	same "$(tail -n +3 list | sed 's/#.*//' | sort)" \
		"$(jq -r '.locked.packages[].url' l.lock | sort)"
	tail -n +3 list | while read -r line; do
		jq -e --arg l "$line" '.locked.packages[] | select(.url ==
			($l | sub("#.*"; ""))) | ($l | sub(".*#"; "")) ==
			(.md5 // "sha256:\(.sha256)")' l.lock >/dev/null ||
			fail "$line"
	done
	after greeting python
	! grep -q 'Python side' err || fail 'nothing is left out'
	eb explicit --output to.txt >out
	same "$(cat out)" ''
	cmp to.txt list
	"$ENVBUILD" verify list
	sed -i '/\/greeting-/!{/\/python-/d}' list
	fails 1 '' "$ENVBUILD" verify list
	grep -q '^depends: "greeting .* needs "python' stdout
}
it "an explicit list: every package, dependencies first, as verify takes it" explicit

explicit_pip() {
	printf 'dependencies: [python, {pip: [alpha]}]\n' >environment.yml
	eb explicit >list 2>err
	grep -q "without the Python side's alpha==1.0, beta==2.0" err
	! grep -q 'alpha\|beta\|hush' list || fail 'a wheel, or a login'
}
it 'a wheel has no place in an explicit list, which is said' explicit_pip

conda_lock() {
	python3 -c 'import yaml' 2>/dev/null || skip 'no PyYAML'
	printf 'dependencies: [python, greeting, {pip: [alpha]}]\n' >environment.yml
	eb envbuild >l.lock
	eb conda-lock >conda-lock.yml
	cat conda-lock.yml
	! grep -q 'hush' conda-lock.yml || fail 'a login'
	python3 -c 'import json, yaml
print(json.dumps(yaml.safe_load(open("conda-lock.yml"))))' >cl.json
	jq -e --slurpfile l l.lock '.version == 1 and
		.metadata.platforms == ["linux-64"] and
		.metadata.sources == ["environment.yml"] and
		(.metadata.channels | length) == 1 and
		"sha256:" + .metadata.content_hash["linux-64"] ==
			$l[0].commentary.definition' cl.json
	jq -e --slurpfile l l.lock '([.package[] | select(.manager == "conda") |
		{name, version, url, sha256: .hash.sha256}] | sort_by(.name)) ==
		[$l[0].locked.packages[] | select(.kind == "conda") |
		{name, version, url, sha256}]' cl.json
	jq -e --slurpfile l l.lock '[.package[] | select(.manager == "pip") |
		[.name, .version, .hash.sha256, .url]] ==
		[$l[0].locked.packages[] | select(.kind == "pypi") |
		[.name, .version, .sha256,
		$l[0].commentary.sources[.name].url]]' cl.json
	jq -e '.package | all(.category == "main" and .optional == false and
		.platform == "linux-64" and (.dependencies | type) == "object" and
		(.version | type) == "string")' cl.json
	jq -e '[.package[].manager] | . == sort' cl.json
	"$ENVBUILD" verify conda-lock.yml
	sed -i 's/^- name: greeting$/&-not/' conda-lock.yml
	fails 3 '' "$ENVBUILD" verify conda-lock.yml
	jq -e '.package[] | select(.name == "greeting") |
		.dependencies | has("python")' cl.json
}
it 'conda-lock.yml: conda and pip, hashes, constraints' conda_lock

wrong() {
	printf 'dependencies: [python]\n' >environment.yml
	fails 2 'cannot be "pixi"' eb pixi
	fails 2 'can have one form' eb explicit --json
	eb envbuild --json | jq -e .schema
}
it 'forms that are none' wrong

done_testing
