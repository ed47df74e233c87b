#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Environments that have names: references, curated and own ones, clones that
# are there without being built, the tag of a name in a registry.
# shellcheck source=tests/lib.sh
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
	same "$("$ENVBUILD" register env.yml --name n --gpu 2>stderr)" n:1
	grep -q 'keeps none of --gpu' stderr
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

lists() {
	own_catalogue
	"$ENVBUILD" list --all --curated --json >all
	same "$(jq '.environments | length' all)" 295
	same "$(jq '[.environments[] | select(.complete)] | length' all)" 47
	"$ENVBUILD" list --json | jq -e '.schema == 1 and
		([.environments[].complete] | all)'
	"$ENVBUILD" list | grep -q '^AzureML-PyTorch-1.6-GPU *4 *pytorch 1.6 '
}

# conda's part of envbuild's own set can be solved; a pip section needs an index.
own_set() {
	local n records=conda/repodata/merged/conda-forge
	own_catalogue
	need_data "$records"
	export CONDA_OVERRIDE_GLIBC=2.36
	"$ENVBUILD" list --curated --json |
		jq -r '.environments[].name | select(startswith("envbuild-"))' >names
	same "$(wc -l <names)" 15
	while read -r n; do
		"$ENVBUILD" show "$n" --definition |
			sed -e '/^- pip:/d' -e '/^  - /d' \
				-e "s|^- conda-forge\$|- file://$ENVBUILD_DATA/$records|" >env.yml
		eb lock env.yml --base scratch --progress none --output "$n.lock"
		grep -q '"name": *"python"' "$n.lock"
	done <names
}

it 'a name is found by all its references' references
it 'its base and its date are defaults' defaults
it 'what is not public is told, and what is near' not_public
it 'a definition gets a version, the same one the same' registering
it 'labels move, archived versions hide' labels_and_archive
it 'a clone is there when its original is' clones
it 'a name is a tag in the registry' in_a_registry
it 'several at once get versions of their own' at_once
it 'a catalogue of a newer format is refused' newer
it 'all there are, and those that can be built' lists
it 'all of our own set can be solved' own_set
done_testing
