#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# What a plan says a build then does: its layers by their keys, what is fetched,
# executed and pushed.
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/../lib.sh"
# shellcheck source=tests/faults.sh
. "$(dirname "$0")/../faults.sh"
# shellcheck source=tests/registry_lib.sh
. "$(dirname "$0")/../registry_lib.sh"

packages=$(need_channel)
start_registry main
R=$registry

# The Python of need_channel wants the glibc of the base that it is for.
export CONDA_OVERRIDE_GLIBC=2.99

# define PACKAGES: the definition "env.yml", and a channel of one's own.
define() {
	[ -e channel ] || cp -r "$packages" channel
	printf 'dependencies: [%s]\n' "$1" >env.yml
}

# eb VERB STORE OPTION...: without a registry, unless one is named.
eb() {
	local verb=$1 store=$2
	shift 2
	"$ENVBUILD" "$verb" env.yml --base "${base:-scratch}" \
		--channel "file://$PWD/channel" --cache-dir "$store" "$@"
}

# plan STORE OPTION...: the plan is in the file "plan".
plan() {
	eb plan "$@" --json >planned.json
	mv planned.json plan
	jq -c "del(.packages)" plan
}

# is FILTER VALUE: of the plan.
is() {
	same "$(jq -c "$1" plan)" "$2"
}

# keys LAYOUT: the keys of its layers that are ours, lowest first.
keys() {
	local manifest
	manifest=$(jq -r '.manifests[0].digest' "$1/index.json")
	jq -r '.layers[].annotations["dev.envbuild.layer-key"] // empty' \
		"$1/blobs/sha256/${manifest#*:}"
}

# planned FILTER: keys of the planned layers, "null" where it is not known.
planned() {
	jq -r ".layers[] | select($1) | .key // \"null\" | sub(\"sha256:\"; \"\")" \
		plan
}

store_is_as_it_was() { # STORE BEFORE
	find "$1/blobs" -type f | sort | diff "$2" -
}

whole() {
	base=rootfs:$(need_base)
	define 'python, greeting=1.0, prefixed'
	eb lock c --output the.lock
	find c/blobs -type f | sort >before
	plan c --lock the.lock
	is .image '{"registry":null,"store":false}'
	is .solved false
	is .registry null
	is '[.layers[] | select(.kind != "base") | .store] | any' false
	is '[.packages[] | .from] | unique' '["file"]'
	is '."unknown-paths" == (.packages | length)' true
	is '."read-bytes" == ([.packages[].size] | add)' true
	is '."fetch-bytes"' 0
	is '.steps | map([.kind, .needs, .runs])' '[["bytecode","confined",true]]'
	same "$(planned '.kind == "bucket"' | sort -u)" null
	planned '.kind == "own" or .kind == "last"' >foreseen
	[ "$(wc -l <foreseen)" -ge 3 ]
	jq '[.layers[] | select(.kind != "last") | .size] | add' plan >size
	store_is_as_it_was c before
	[ -z "$(ls c/tmp)" ]
	# As it was said.
	eb build c --lock the.lock --output oci:out --json >json
	keys out >made
	while read -r key; do
		grep -qxF "$key" made || fail "no layer $key"
	done <foreseen
	same "$(tail -n 1 made)" "$(tail -n 1 foreseen)"
	# The guess is one, but not a wild one.
	real=$(jq '[.layers[].size] | add' \
		"out/blobs/sha256/$(jq -r .manifest json | cut -d : -f 2)")
	echo "guessed $(cat size), is $real"
	[ "$((real * 2))" -gt "$(cat size)" ]
	[ "$(($(cat size) * 2))" -gt "$real" ]
	# All is there.
	find c/blobs -type f | sort >before
	plan c --lock the.lock
	is .image '{"registry":null,"store":true}'
	is '[.layers[] | .store] | all' true
	is '[.layers[] | .estimate] | any' false
	is '[."fetch-bytes", ."read-bytes", ."pull-bytes", ."push-bytes"]' \
		'[0,0,0,0]'
	is .steps '[]'
	is '."unknown-paths"' 0
	is "([.layers[].size] | add) == $real" true
	planned '.kind != "base"' >foreseen
	diff made foreseen
	store_is_as_it_was c before
}
it 'lock, plan, build: the keys are those that were planned' whole

# One package is another one: its bucket and the last layer.
changed() {
	local bucket
	base=rootfs:$(need_base)
	define 'python, greeting=1.0, prefixed'
	eb build c >/dev/null
	plan c
	planned '.kind != "base"' >old
	define 'python, greeting=1.1, prefixed'
	plan c
	is '[.layers[] | select(.store | not) | .packages] | flatten' \
		'["greeting"]'
	is '[.layers[] | select(.store | not) | .kind]' '["bucket","last"]'
	is '[.packages[] | select(.from != "store") | .name]' '["greeting"]'
	is '."unknown-paths"' 1
	is '.steps | map([.kind, .packages, .perhaps])' '[["bytecode",[],1]]'
	bucket=$(jq '.layers[] | select(.packages == ["greeting"]) | .bucket' plan)
	planned '.store' >there
	eb build c --output oci:out >/dev/null
	keys out >new
	same "$(comm -13 <(sort old) <(sort new) | wc -l)" 2
	same "$(comm -12 <(sort old) <(sort new))" \
		"$(grep -vx null there | sort)"
	plan c
	is ".layers[] | select(.bucket == $bucket) | .store" true
	# The path lists are there, its layers are not: all keys are known.
	define 'python, greeting=1.1'
	plan c
	is '."unknown-paths"' 0
	is .steps '[]'
	planned '.kind != "base"' >foreseen
	eb build c --output oci:less >/dev/null
	diff <(keys less) foreseen
}
it 'one package changed: its bucket and the last layer' changed

# Layers of their own that change, a part that the bytecode is missing of.
own_layer() {
	base=rootfs:$(need_base)
	define 'python, greeting=1.0'
	eb build c --pyc none >/dev/null
	plan c --pyc compile
	is '."unknown-paths"' 0
	is '.steps | map([.kind, .packages, .perhaps, .runs])' \
		'[["bytecode",["python","greeting"],0,true]]'
	planned '.kind != "base"' >foreseen
	eb build c --pyc compile --output oci:out >/dev/null
	diff <(keys out) foreseen
	is '[.layers[] | select(.kind == "own") | .store] | all' true
	is '[.layers[] | select(.kind == "bucket" and .store | not) | .records]
		| add > 0' true
}
it 'what is not compiled yet has its key all the same' own_layer

registry() {
	define 'python, greeting=1.0, prefixed'
	plan a --registry "$R/plan"
	is .registry "\"$R/plan\""
	is .image '{"registry":false,"store":false}'
	is '."push-bytes" > 5000000' true
	is '."about-push"' true
	eb build a --registry "$R/plan" --json >json
	# An empty store.
	plan b --registry "$R/plan"
	is .image '{"registry":true,"store":false}'
	is '[.layers[] | .registry] | all' true
	is '[.layers[] | .store] | any' false
	is '[."fetch-bytes", ."read-bytes", ."pull-bytes", ."push-bytes"]' \
		'[0,0,0,0]'
	eb build b --registry "$R/plan" --json >json
	is '."push-bytes"' "$(jq '."pushed-bytes"' json)"
	# Another definition: the rest is in the registry, exactly.
	define 'python, greeting=1.1, prefixed'
	requests_forget main
	plan c --registry "$R/plan"
	same "$(requests main | grep -cvE '^(GET|HEAD) ')" 0
	is '[.packages[] | .from] | unique' '["file","registry"]'
	is '[.layers[] | select(.registry | not) | .kind]' '["bucket","last"]'
	is '[.layers[] | select(.registry | not) | .packages] | flatten' \
		'["greeting"]'
	is '."push-bytes" > 0 and ."push-bytes" < 20000' true
	is '."read-bytes" < 20000' true
	planned '.registry' >foreseen
	find channel -name '*.conda' ! -name 'greeting-1.1-*' -delete
	eb build c --registry "$R/plan" --output oci:out --json >json
	keys out | grep -cxF -f foreseen >count
	same "$(cat count)" "$(wc -l <foreseen)"
	# What the store has and the registry has not.
	rm -r channel
	define 'python, greeting=1.1, prefixed'
	eb build d --output oci:other --json >json
	plan d --registry "$R/empty"
	is .image '{"registry":false,"store":true}'
	is '[.layers[] | .registry] | any' false
	is '."about-push"' false
	is '."push-bytes" == ([.layers[].size] | add)' true
	eb build d --registry "$R/empty" --json >json
	jq '."pushed-bytes"' json
	is "($(jq '."pushed-bytes"' json) - .\"push-bytes\") |
		. > 0 and . < 10000" true
	# --local and --offline ask nobody.
	requests_forget main
	plan d --registry "$R/empty" --local
	is .registry null
	plan d --registry "$R/empty" --offline
	is '[."fetch-bytes", ."push-bytes"]' '[0,0]'
	same "$(requests main | wc -l)" 0
}
it 'with a registry: what is there is neither made nor pushed' registry

# A bucket that is written anew reads its other parts out of the registry.
pull() {
	define 'python, greeting=1.0'
	eb build a --registry "$R/pull" >/dev/null
	define 'libxcrypt'
	plan b --registry "$R/pull"
	is '[.packages[] | .from]' '["registry"]'
	eb build b --registry "$R/pull" --json >json
	cat json
	is '."pull-bytes"' "$(jq '."pulled-bytes"' json)"
}
it 'what is read out of the registry is counted' pull

# --- what is built from source
builders=$(made builders builders)
export PIP_CONFIG_FILE=/dev/null
unset PIP_INDEX_URL PIP_EXTRA_INDEX_URL PIP_FIND_LINKS PIP_NO_INDEX
wheels=$SCRATCH/wheels
mkdir -p "$wheels"
cp "$builders"/*.whl "$wheels"
python3 "$TOP/tests/fixtures/index_wheels.py" "$wheels" \
	'alpha 1.0 file=alpha/data.txt:one' 'gamma 0.1 kind=setup' >/dev/null
start_index index --index "=$wheels"
export PIP_INDEX_URL=http://127.0.0.1:$port/simple/

steps() {
	base=rootfs:$(need_base)
	define python
	printf 'dependencies: [python, {pip: [alpha, gamma]}]\n' >env.yml
	eb lock c --output the.lock --json >json
	jq '.steps' json
	same "$(jq -c '.steps' json)" null
	plan c --lock the.lock
	is '.steps | map([.kind, .name, .needs, .runs])' \
		'[["wheel","gamma-0.1.tar.gz","runtime",true],'`
		`'["bytecode","python","confined",true]]'
	is '[.packages[] | select(.kind == "pypi") | .from]' \
		'["network","build"]'
	jq -r '.steps[0].key' plan >key
	eb build c --lock the.lock --registry "$R/steps" --json >json
	plan c --lock the.lock
	is '.steps | map([.kind, .key, .runs])' \
		"[[\"wheel\",\"$(cat key)\",false]]"
	is '.steps[0].milliseconds > 100' true
	# It is in the lock of the store, and in that of the team.
	eb lock c --output other.lock
	jq -c '.commentary.steps' other.lock >steps
	cat steps
	same "$(jq -c 'map([.name, .key])' steps)" \
		"[[\"gamma-0.1.tar.gz\",\"$(cat key)\"]]"
	[ -e "$XDG_STATE_HOME/envbuild/log/$(jq -r '.[0].log' steps)" ]
	same "$(jq '.[0].milliseconds > 100' steps)" true
	same "$(jq -r '."lock-hash"' other.lock)" "$(jq -r '."lock-hash"' the.lock)"
	eb lock b --registry "$R/steps" --json >json
	same "$(jq -c '.steps' json)" "$(cat steps)"
	# A store that has neither the wheel nor a log: the registry has it.
	plan b --registry "$R/other" --lock the.lock
	is '.steps[0] | [.runs, .result]' '[true,null]'
	sed -i 's/alpha, gamma/gamma/' env.yml
	plan b --registry "$R/steps"
	is '.steps[0] | [.runs, .key]' "[false,\"$(cat key)\"]"
	is '.steps[0].result' "$(jq -c '.[0].result' steps)"
}
it 'what is built from source: planned, then in the lock' steps

words() {
	define 'greeting=1.0, prefixed'
	eb plan c >said
	cat said
	has_words said 'LAYER' 'bucket' 'greeting 1.0' 'path list' 'read '
	eb build c >/dev/null
	eb plan c >said
	has_words said 'the image is in the store' 'fetch  0 B'
	fails 2 'one argument too many' eb plan c more
	fails 3 'no environment is named' "$ENVBUILD" plan nothere \
		--base scratch --cache-dir c
	fails 3 'was made for another definition' plan_of_another
}
plan_of_another() {
	eb lock c --output the.lock
	define 'greeting=1.0'
	eb plan c --lock the.lock
}
it 'in words; a lock of another definition' words

done_testing
