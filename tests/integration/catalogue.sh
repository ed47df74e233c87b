#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Environments that have names: references, curated and own ones, clones that
# are there without being built, the tag of a name in a registry.
# shellcheck source=tests/lib.sh disable=SC2016
. "$(dirname "$0")/../lib.sh"
# shellcheck source=tests/registry_lib.sh
. "$(dirname "$0")/../registry_lib.sh"

packages=$(need_channel)
start_registry main
R=$registry
export CONDA_OVERRIDE_GLIBC=2.99

# Each test has a catalogue of its own.
own_catalogue() {
	export XDG_DATA_HOME=$PWD/data
}

# define SPECS: the file "env.yml", which stands alone.
define() {
	printf 'channels: ["file://%s"]\ndependencies: [%s]\n' \
		"$packages" "$1" >env.yml
}

eb() {
	"$ENVBUILD" "$@" --cache-dir "$PWD/store"
}

# digest TAG: what it points to, nothing where it is not.
digest() {
	curl -sI -H 'Accept: application/vnd.oci.image.manifest.v1+json' \
		"http://$R/v2/names/manifests/$1" |
		sed -n 's/^Docker-Content-Digest: \([^\r]*\).*/\1/Ip'
}

# versions NAME: of the catalogue, as list tells them.
versions() {
	"$ENVBUILD" list --own --json |
		jq -r --arg n "$1" '.environments[] | select(.name == $n).version'
}

references() {
	local gpu=AzureML-PyTorch-1.6-GPU r first
	own_catalogue
	first=$("$ENVBUILD" hash "$gpu")
	grep -q '^azure azureml_1150af86eabb1f11a2084230761433fc$' <<<"$first"
	for r in "$gpu:4" "$gpu@latest" "azureml:$gpu" "azureml:$gpu:4" \
		"azureml:$gpu@latest" \
		"azureml://registries/azureml/environments/$gpu/versions/4" \
		"azureml://registries/azureml/environments/$gpu/labels/latest"; do
		same "$("$ENVBUILD" hash "$r")" "$first"
	done
	fails 3 'registry "other"' "$ENVBUILD" hash \
		"azureml://registries/other/environments/$gpu/versions/4"
	fails 3 "\"$gpu:4\" is" "$ENVBUILD" hash "$gpu:3"
	fails 3 "did you mean \"$gpu\"" "$ENVBUILD" hash "${gpu}S"
	fails 3 'no environment is named "nosuch"' "$ENVBUILD" build nosuch
	# A file of that name is a file, but not behind the prefix.
	define python
	cp env.yml "$gpu"
	[ "$("$ENVBUILD" hash "$gpu")" != "$first" ]
	same "$("$ENVBUILD" hash "azureml:$gpu")" "$first"
}

# Its base and its date are defaults.
defaults() {
	local n=AzureML-TensorFlow-2.2-CPU
	own_catalogue
	"$ENVBUILD" hash "$n" --show >text
	grep -q '^base mcr.microsoft.com/azureml/openmpi3.1.2-ubuntu18.04:' text
	grep -q '^option as-of=2020-09-30T' text
	"$ENVBUILD" hash "$n" --show --base scratch --as-of 2021-01-01 >text
	grep -q '^base scratch$' text
	grep -q '^option as-of=2021-01-01T' text
}

not_public() {
	local n=AzureML-pytorch-1.9-ubuntu18.04-py37-cuda11-gpu
	own_catalogue
	fails 3 'cuda11.1-cudnn8-ubuntu18.04' "$ENVBUILD" build "$n:6"
	grep -q 'nearest that is complete' stderr
	fails 3 'not public' "$ENVBUILD" clone "$n" mine
	same "$(versions mine)" ''
	"$ENVBUILD" show "$n" >shown
	grep -q '^definition *not public$' shown
	"$ENVBUILD" show AzureML-PyTorch-1.6-GPU |
		grep -q '^contradicts *torchvision 0.5.0'
	"$ENVBUILD" show AzureML-PyTorch-1.6-GPU --definition >text
	same "$(sha256sum <text | cut -c 1-32)" 1150af86eabb1f11a2084230761433fc
	"$ENVBUILD" show sklearn-1.5 --json |
		jq -e '.contradictions | length > 0' >/dev/null
}

registering() {
	own_catalogue
	define greeting=1.0
	same "$("$ENVBUILD" register env.yml --name n)" n:1
	echo '# the same' >>env.yml
	same "$("$ENVBUILD" register env.yml --name n)" n:1
	same "$("$ENVBUILD" register env.yml --name n --base scratch)" n:2
	define greeting
	same "$("$ENVBUILD" register - --name n <env.yml)" n:3
	same "$("$ENVBUILD" register env.yml --name n --version next)" n:next
	"$ENVBUILD" register env.yml --name n --json |
		jq -e '.schema == 1 and .reference == "n:next" and .new == false'
	fails 3 'is there already' "$ENVBUILD" register env.yml --name n \
		--version 1
	fails 2 'reserved' "$ENVBUILD" register env.yml --name AzureML-n
	fails 2 'reserved' "$ENVBUILD" clone n Microsoft.n
	fails 2 'a curated environment has it' "$ENVBUILD" clone n sklearn-1.5
	fails 2 'a name is missing' "$ENVBUILD" register env.yml
	fails 2 'cannot be a name' "$ENVBUILD" register env.yml \
		--name "$(printf 'x%.0s' $(seq 256))"
	mkdir beside
	touch beside/setup.py
	define 'python, {pip: [./beside]}'
	fails 3 'lies beside' "$ENVBUILD" register env.yml --name n
	same "$(versions n)" next
}

# Every option that counts in the definition hash, as the command line has it.
kept() {
	local options=(--gpu --driver 535 --gpu-arch 'sm_80,7.0' --allow-cpu
		--base-family nvidia --pyc none --post-link skip
		--activation none --naming azureml --pip-replace never
		--compression zstd --channel-alias http://a.example
		--channel-priority flexible --platform linux/arm64
		--source-date-epoch 86400 --experimental-cuda
		--as-of 2026-01-01 --apt 'git libgl1' --base scratch
		--build-base scratch --build-env A=1 --build-env B=2
		--no-build-isolation x --channel z --channel b)
	own_catalogue
	define 'greeting, {pip: [x]}'
	same "$("$ENVBUILD" register env.yml --name n)" n:1
	same "$("$ENVBUILD" register env.yml --name n "${options[@]}")" n:2
	same "$("$ENVBUILD" register env.yml --name n "${options[@]}")" n:2
	"$ENVBUILD" hash env.yml --show "${options[@]}" >want
	"$ENVBUILD" hash n --show >got
	cmp want got
	same "$(grep -c '^option ' got)" 22
	"$ENVBUILD" clone n:2 twin
	"$ENVBUILD" hash twin --show | cmp want -
	"$ENVBUILD" show twin --json >shown
	jq -e '.options | .gpu == true and .channel == ["z", "b"] and
		.apt == ["git", "libgl1"] and .driver == "535"' shown
	"$ENVBUILD" show twin >shown
	grep -q '^gpu-arch *7.0,8.0$' shown
	# the command line wins, each option for itself
	"$ENVBUILD" hash n --show --driver 550 --pyc compile --channel q >got
	grep -q '^option driver=550$' got
	grep -q '^option gpu-arch=7.0,8.0$' got
	same "$(grep -c 'option pyc' got)" 0
	same "$(sed -n 's|^channel http://a.example/||p' got)" q
	# the CPU takes the place of all that is said of a GPU
	"$ENVBUILD" clone n:2 cpu --cpu
	"$ENVBUILD" hash cpu --show >got
	grep -q '^option cpu=true$' got
	same "$(grep -c 'option \(gpu\|driver\|gpu-arch\|cuda\)=' got)" 0
	"$ENVBUILD" hash cpu --show --cuda 12.4 >got
	same "$(sed -n 's/^option c[pu]*[da]*=//p' got)" 12.4
	fails 2 'asks for a GPU' "$ENVBUILD" register env.yml --name n \
		--gpu --cpu
}

# What is configured gives way to what a name keeps, but for base and date.
kept_or_configured() {
	own_catalogue
	define greeting
	"$ENVBUILD" register env.yml --name n --cpu --pyc compile
	"$ENVBUILD" register env.yml --name based --base scratch
	printf 'gpu: true\npyc: none\ndriver: "535"\nbase: debian:12\n' \
		>configured.yml
	"$ENVBUILD" hash n --show --config configured.yml >got
	same "$(grep '^option [a-z]' got)" 'option cpu=true'
	grep -q '^base .*debian:12' got
	"$ENVBUILD" hash based --show --config configured.yml >got
	grep -q '^base .*debian:12' got
	grep -q '^option gpu=true$' got
	"$ENVBUILD" hash n --show --config configured.yml --gpu >got
	grep -q '^option gpu=true$' got
	# a list remembers hashes under what the command line gave
	"$ENVBUILD" list --own --json >/dev/null
	"$ENVBUILD" list --own --json --cpu >/dev/null
}

# A folder as a channel and a login: what stands alone, and nothing secret.
kept_channels() {
	own_catalogue
	define greeting
	mkdir folder
	"$ENVBUILD" register env.yml --name n --channel ./folder \
		--channel http://user:secret@c.example/x \
		--channel 'http://${WHO}@c.example/y' 2>stderr
	grep -q 'kept without its login' stderr
	"$ENVBUILD" show n --json >shown
	jq -e --arg here "file://$PWD/folder" '.options.channel ==
		[$here, "http://c.example/x", "http://${WHO}@c.example/y"]' shown
	grep -rq secret data && fail 'the login is in the catalogue'
	WHO=u:p "$ENVBUILD" hash n --show | grep -q '^channel http://c.example/y$'
	need_program python3
	python3 -c 'import sqlite3
db = sqlite3.connect("data/envbuild/catalogue.sqlite")
db.execute("UPDATE environment SET options = ?",
           ("""[["cache-dir", "/elsewhere"]]""",))
db.commit()'
	fails 3 'option "cache-dir" is none that a definition has' \
		"$ENVBUILD" hash n
}

labels_and_archive() {
	own_catalogue
	define greeting=1.0
	"$ENVBUILD" register env.yml --name n
	define greeting
	"$ENVBUILD" register env.yml --name n
	same "$("$ENVBUILD" label n:1 prod)" n:1
	same "$("$ENVBUILD" show n@prod --json | jq -r .version)" 1
	same "$("$ENVBUILD" label n:2 prod)" n:2
	same "$("$ENVBUILD" show n@prod --json | jq -r .version)" 2
	fails 2 'latest' "$ENVBUILD" label n:1 latest
	fails 2 'NAME:VERSION' "$ENVBUILD" label n prod
	fails 3 'no version "9"' "$ENVBUILD" label n:9 prod
	same "$("$ENVBUILD" archive n:2)" n:2
	same "$(versions n)" 1
	same "$("$ENVBUILD" show n --json | jq -r .version)" 1
	same "$("$ENVBUILD" archive n)" n
	same "$(versions n)" ''
	"$ENVBUILD" list --own --all | grep -q '^n .* archived '
	"$ENVBUILD" restore n
	same "$(versions n)" 2
	fails 2 'curated' "$ENVBUILD" archive AzureML-Tutorial
	fails 3 'no environment' "$ENVBUILD" restore other
}

# What was built is there under the new name: by digest, nothing is made.
clones() {
	local reference
	own_catalogue
	define 'python, greeting'
	eb register env.yml --name n --base scratch
	fails 1 '' eb check --local n
	reference=$(eb build n --no-push)
	same "$(eb clone n twin)" twin:1
	same "$(eb check --local twin)" "$reference"
	same "$(eb build twin --no-push)" "$reference"
	eb clone twin:1 third
	same "$(eb check --local third@latest)" "$reference"
	same "$(eb check --local env.yml --base scratch)" "$reference"
	eb list --own --json |
		jq -e '[.environments[] | .image] == [true, true, true]'
	# Another base is another environment.
	same "$(eb clone n other --base oci:elsewhere)" other:1
	eb register env.yml --name n --base scratch --as-of 2030-01-01
	eb list --own --json |
		jq -e '[.environments[] | select(.name == "n").image] == [false]'
}

# The tag of a name, in the team's repository.
in_a_registry() {
	local d
	own_catalogue
	define 'python, greeting'
	eb build env.yml --base scratch --registry "$R/names" --name built
	d=$(digest n-built.v1)
	[ -n "$d" ]
	same "$(digest "env-$(eb hash built |
		sed -n 's/^definition \(.\{32\}\).*/\1/p')")" "$d"
	same "$(eb clone built twin --registry "$R/names")" twin:1
	same "$(digest n-twin.v1)" "$d"
	same "$(eb check twin --registry "$R/names")" "$R/names@$d"
	define 'python'
	eb register env.yml --name absent --base scratch
	same "$(eb clone absent copy --registry "$R/names")" copy:1
	same "$(digest n-copy.v1)" ''
	eb build copy --registry "$R/names"
	[ -n "$(digest n-copy.v1)" ]
}

# However many register at once, no number is given twice.
at_once() {
	local i
	own_catalogue
	mkdir d
	for i in $(seq 24); do
		define "greeting, 'six<$i'"
		mv env.yml "d/$i.yml"
	done
	for i in $(seq 24); do
		"$ENVBUILD" register "d/$i.yml" --name n >>given &
	done
	wait
	same "$(sort given | uniq | wc -l)" 24
	same "$(sort -t : -k 2 -n given | tail -n 1)" n:24
}

newer() {
	own_catalogue
	need_program python3
	mkdir -p data/envbuild
	python3 -c 'import sqlite3
sqlite3.connect("data/envbuild/catalogue.sqlite").execute(
    "PRAGMA user_version = 9")'
	define greeting
	fails 7 'format is 9' "$ENVBUILD" register env.yml --name n
	fails 7 'the newest that this envbuild knows is' "$ENVBUILD" show n
	fails 7 '' "$ENVBUILD" list
	# What is curated needs no file.
	"$ENVBUILD" hash AzureML-Tutorial >/dev/null
}

# What is no catalogue any more is never taken for an empty one.
damaged() {
	local file=data/envbuild/catalogue.sqlite command kind size
	own_catalogue
	define greeting
	for kind in text cut hole; do
		rm -rf data
		"$ENVBUILD" register env.yml --name n
		need_program python3
		python3 -c 'import sqlite3
db = sqlite3.connect("data/envbuild/catalogue.sqlite")
db.execute("PRAGMA journal_mode = DELETE")'
		size=$(stat -c %s "$file")
		case $kind in
		text) echo 'no database' >"$file" ;;
		cut) truncate -s $((size - 6000)) "$file" ;;
		hole) yes | head -c $((size - 4096)) |
			dd of="$file" bs=4096 seek=1 conv=notrunc ;;
		esac
		cp "$file" before
		for command in 'show n' 'list' 'hash n' 'clone n m' 'label n:1 x' \
			'register env.yml --name n' 'archive n'; do
			# shellcheck disable=SC2086 # words
			fails 6 "$file" "$ENVBUILD" $command
		done
		# but for the mode of its journal, in the header
		cmp -i "$([ "$kind" = text ] || echo 10)0" before "$file"
		# what is curated needs no file
		"$ENVBUILD" hash AzureML-Tutorial >/dev/null
	done
	echo 'no database' >"$file"
	fails 6 'put a copy in its place' "$ENVBUILD" show n
	# one whose making was interrupted is empty
	: >"$file"
	fails 3 'no environment' "$ENVBUILD" show n
	"$ENVBUILD" list --own
	same "$("$ENVBUILD" register env.yml --name n)" n:1
	rm "$file"*
	mkdir "$file"
	fails 7 'opening' "$ENVBUILD" register env.yml --name n
	fails 7 'opening' "$ENVBUILD" show n
}

lists() {
	own_catalogue
	"$ENVBUILD" list --all --curated --json >all
	same "$(jq '.environments | length' all)" 295
	same "$(jq '[.environments[] | select(.complete)] | length' all)" 47
	"$ENVBUILD" list --json | jq -e '.schema == 1 and
		([.environments[].complete] | all)'
	"$ENVBUILD" list | grep -q '^AzureML-PyTorch-1.6-GPU *4 *pytorch 1.6 '
}

it 'a name is found by all its references' references
it 'its base and its date are defaults' defaults
it 'what is not public is told, and what is near' not_public
it 'a definition gets a version, the same one the same' registering
it 'options are kept, and the command line wins' kept
it 'what a name keeps wins over a configuration' kept_or_configured
it 'channels that are kept stand alone' kept_channels
it 'labels move, archived versions hide' labels_and_archive
it 'a clone is there when its original is' clones
it 'a name is a tag in the registry' in_a_registry
it 'several at once get versions of their own' at_once
it 'a catalogue of a newer format is refused' newer
it 'a damaged catalogue is told, and left as it is' damaged
it 'all there are, and those that can be built' lists
done_testing
