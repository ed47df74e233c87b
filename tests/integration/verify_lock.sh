#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# `envbuild verify LOCK`: a lock that was solved is an answer to what was asked;
# the same damaged is not. Nothing is built.
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/../lib.sh"

need_program jq
channel=$SCRATCH/channel
mkdir -p "$channel/linux-64" "$channel/noarch"
echo '{"packages":{}}' >"$channel/noarch/repodata.json"

# record NAME VERSION BUILD DEPENDS CONSTRAINS: of a package that nobody reads.
record() {
	jq -cn --arg n "$1" --arg v "$2" --arg b "$3" --argjson d "$4" \
		--argjson c "$5" --arg s "$(printf %s "$1-$2-$3" | sha256sum |
			cut -d' ' -f1)" \
		'{key: "\($n)-\($v)-\($b).conda", value: {name: $n, version: $v,
		build: $b, build_number: 0, subdir: "linux-64", depends: $d,
		constrains: $c, sha256: $s, size: 1}}'
}
{
	record app 1.0 0 '["lib >=2","__glibc >=2.17"]' '["tool <3"]'
	record lib 2.0 0 '[]' '[]'
	record lib 1.0 0 '[]' '[]'
	record tool 2.0 0 '[]' '[]'
	record tool 3.0 0 '[]' '[]'
} | jq -s '{"packages.conda": from_entries}' >"$channel/linux-64/repodata.json"
yaml=$SCRATCH/environment.yml
printf 'channels: [file://%s]\ndependencies: [app=1, tool]\n' "$channel" >"$yaml"
lock=$SCRATCH/solved.lock
"$ENVBUILD" lock "$yaml" --base scratch --output "$lock" 2>"$SCRATCH/err" ||
	cat "$SCRATCH/err" >&2

verify() {
	"$ENVBUILD" verify "$@"
}

# edited FILTER: the lock changed by jq, and its hash made to fit.
edited() {
	local hash
	jq "$1" "$lock" >edited
	hash=$(jq -cjS .locked edited | sha256sum | cut -d' ' -f1)
	jq -S --arg h "sha256:$hash" '."lock-hash" = $h' edited >edited.lock
}

sound() {
	jq -e '.commentary.solved | .priority == "strict" and
		(.specs | length == 2) and .specs[0] == "app[version='\''1.*'\'']" and
		(.virtual | index("__glibc=2.17=0"))' "$lock"
	verify "$lock" >out 2>err || fail "$(cat out err)"
	same "$(cat out)" ''
	grep -q '3 packages: 0 findings' err
	verify "$lock" --json | jq -e '.schema == 1 and
		.checked.packages == 3 and .findings == [] and .notes == []'
	verify "$lock" --local
	verify - --local <"$lock"
	[ ! -d "$XDG_CACHE_HOME/envbuild/blobs/sha256" ] ||
		same "$(verify "$lock" 2>&1 | grep -c blobs)" 0
}
it 'a lock that was solved has no finding' sound

left_out() {
	edited 'del(.locked.packages[] | select(.name == "lib"))'
	fails 1 '' verify edited.lock
	same "$(cat stdout)" 'depends: "app 1.0 0" needs "lib >=2", which is not there'
	edited 'del(.locked.packages[] | select(.name == "tool"))'
	fails 1 '' verify edited.lock
	same "$(cat stdout)" 'request: "tool" was asked for and is not there'
}
it 'one package left out' left_out

another() {
	local new
	new=$(jq -c '."packages.conda"["lib-1.0-0.conda"]' \
		"$channel/linux-64/repodata.json")
	edited "(.locked.packages[] | select(.name == \"lib\")) |= (. + $new +
		{fn: \"lib-1.0-0.conda\"} | del(.constrains))"
	fails 1 '' verify edited.lock
	same "$(cat stdout)" 'depends: "app 1.0 0" needs "lib >=2", and "lib 1.0 0" is there'
	fails 1 '' verify edited.lock --local
	# A version that the file has not.
	edited '(.locked.packages[] | select(.name == "tool")).version = "3.0"'
	fails 1 '' verify edited.lock --local
	same "$(cat stdout)" 'constrains: "app 1.0 0" allows only "tool <3", and "tool 3.0 0" is there'
	fails 1 '' verify edited.lock
	same "$(cat stdout)" 'record: "tool-2.0-0.conda" is 3.0 0, and 2.0 0 in its channel'
	edited '(.locked.packages[] | select(.name == "tool")).sha256 = ("a" * 64)'
	fails 1 '' verify edited.lock
	same "$(cat stdout)" 'record: "tool-2.0-0.conda" has another digest than its channel says'
}
it 'another version, another digest' another

machine() {
	edited '(.locked.packages[] | select(.name == "lib")).subdir = "linux-aarch64"'
	fails 1 '' verify edited.lock --local
	same "$(cat stdout)" 'platform: "lib 2.0 0" is for linux-aarch64, not for linux-64'
	edited '.commentary.solved.virtual = ["__glibc=2.12=0"]'
	fails 1 '' verify edited.lock
	same "$(cat stdout)" 'machine: "app 1.0 0" needs "__glibc >=2.17", and "__glibc 2.12 0" is there'
	edited '.locked.packages |= (.[0:1] + .)'
	fails 3 'there twice' verify edited.lock
}
it 'another platform, an older machine, one name twice' machine

unknown() {
	edited 'del(.commentary.solved)'
	verify edited.lock --local >out
	grep -qx 'note: request: not looked at: the lock does not say what was asked for' out
	grep -q '^note: machine: "app 1.0 0" needs "__glibc >=2.17", and the machine' out
	fails 1 '' env CONDA_OVERRIDE_GLIBC=2.5 "$ENVBUILD" verify edited.lock
	edited '.commentary.solved.priority = "none"'
	fails 3 'no usable priority' verify edited.lock
}
it 'what a lock does not say' unknown

channels() {
	mkdir -p first/linux-64 first/noarch
	echo '{"packages":{}}' >first/noarch/repodata.json
	record lib 0.1 0 '[]' '[]' | jq -s '{"packages.conda": from_entries}' \
		>first/linux-64/repodata.json
	edited ".commentary.solved.channels |= [\"file://$PWD/first\"] + ."
	fails 1 '' verify edited.lock
	grep -q '^priority: "lib 2.0 0" is from .*, which comes before, has lib$' stdout
	edited ".commentary.solved |= (.priority = \"disabled\" |
		.channels |= [\"file://$PWD/first\"] + .)"
	verify edited.lock
	edited ".commentary.solved.channels = [\"file://$PWD/first\"]"
	fails 1 'findings' verify edited.lock --local
	same "$(grep -c '^channel: ' stdout)" 3
	edited '.commentary.solved.channels = ["file:///nowhere/at/all"]'
	fails 4 '--local judges' verify edited.lock
}
it 'channels in their order' channels

moved_on() {
	cp -r "$channel" kept
	jq 'del(."packages.conda"["tool-2.0-0.conda"]) |
		."packages.conda"["app-1.0-0.conda"].depends += ["tool >=3"]' \
		kept/linux-64/repodata.json >"$channel/linux-64/repodata.json"
	fails 1 "" verify "$lock" --refresh
	mv stdout out
	mv kept/linux-64/repodata.json "$channel/linux-64/repodata.json"
	grep -q '^depends: "app 1.0 0" needs "tool >=3", and "tool 2.0 0" is' out
	grep -q '^note: record: "tool-2.0-0.conda" is not in its channel any more' out
	grep -q '^note: record: "app-1.0-0.conda" depends on other things' out
}
it 'a channel that changed since' moved_on

# A real environment of 100 packages with CUDA, by its lock's own records.
known() {
	need_data conda/locks/matthewfeickert+pytorch-gpu-pixi-example
	need_program zstd
	zstd -dq "$ENVBUILD_DATA/conda/locks/matthewfeickert+pytorch-gpu-pixi-example/pixi.lock.zst" \
		-o pixi.lock
	export CONDA_OVERRIDE_GLIBC=2.31 CONDA_OVERRIDE_CUDA=12.0
	verify pixi.lock --local >out 2>err || fail "$(cat out err)"
	grep -q '100 packages: 0 findings' err
	CONDA_OVERRIDE_CUDA='' fails 1 '' verify pixi.lock --local
	same "$(grep -v ^note stdout)" 'machine: "pytorch 2.8.0 cuda129_mkl_py313_h7947483_302" needs "__cuda", which is not there'
	CONDA_OVERRIDE_GLIBC=2.17 fails 1 '' verify pixi.lock --local
	grep -q '^machine: "cudnn .* needs "__glibc >=2.28' stdout
	unset CONDA_OVERRIDE_GLIBC CONDA_OVERRIDE_CUDA
	verify pixi.lock --local >out
	[ "$(wc -l <out)" -lt 10 ] || fail 'a note for every package'
}
it 'a lock of pixi with CUDA' known

done_testing
