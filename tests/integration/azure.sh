#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Azure ML's files as what is built, linted, loaded and saved.
# shellcheck source=tests/lib.sh disable=SC2016
. "$(dirname "$0")/../lib.sh"

# as_v1 DIR: what the first version of the SDK saves.
as_v1() {
	mkdir -p "$1"
	cat >"$1/azureml_environment.json" <<-'EOF'
		{
		    "name": "mine",
		    "version": "3",
		    "environmentVariables": {
		        "ONE": "1"
		    },
		    "python": {
		        "userManagedDependencies": false,
		        "interpreterPath": "python"
		    },
		    "docker": {
		        "baseImage": "scratch",
		        "shmSize": "4g"
		    },
		    "spark": {
		        "packages": []
		    }
		}
	EOF
	printf 'channels: [a]\ndependencies:\n- python=3.7\n' \
		>"$1/conda_dependencies.yml"
}

# The hash of the definition, whatever form it is in.
definition() {
	"$ENVBUILD" hash "$@" 2>stderr | sed -n 's/^definition //p'
}

forms() {
	local want

	as_v1 v1
	cp v1/conda_dependencies.yml conda.yml
	printf 'name: e\nimage: scratch\nconda_file: conda.yml\n' >env2.yml
	printf 'command: x\nenvironment: file:env2.yml\n' >job.yml
	printf 'jobs:\n  a:\n    environment: file:env2.yml\n  b:\n    environment:\n      image: scratch\n' \
		>two.yml
	want=$(definition conda.yml --base scratch)
	[ "${#want}" = 64 ]
	same "$(definition env2.yml)" "$want"
	same "$(definition job.yml)" "$want"
	same "$(definition 'two.yml#jobs.a')" "$want"
	grep -q shmSize stderr && return 1
	[ "$(definition v1)" != "$want" ] # it has a variable more
	grep -q 'v1/azureml_environment.json:13:.*"shmSize" is kept' stderr
	printf 'variables: {ONE: "1"}\n' >>conda.yml
	same "$(definition v1)" "$(definition conda.yml --base scratch)"
	fails 3 'it is an Azure ML environment' "$ENVBUILD" hash - <env2.yml
	grep -q 'by its path' stderr
	fails 3 'jobs.a, jobs.b' "$ENVBUILD" hash two.yml
	fails 3 '"two.yml" has no environment "jobs.c"' \
		"$ENVBUILD" hash two.yml#jobs.c
}
it 'folder, version 2, job: one definition' forms

names() {
	printf 'environment: azureml:AzureML-PyTorch-1.6-GPU:4\n' >named.yml
	same "$(definition named.yml)" \
		"$(definition AzureML-PyTorch-1.6-GPU)"
	printf 'environment: azureml:no-such-one:4\n' >none.yml
	fails 3 no-such-one "$ENVBUILD" hash none.yml
}
it 'a job names a curated environment' names

mlflow() {
	printf 'python: 3.8.15\ndependencies:\n- a==1\n' >python_env.yaml
	printf 'dependencies: [python=3.8.15, pip, {pip: [a==1]}]\n' >same.yml
	same "$(definition python_env.yaml)" "$(definition same.yml)"
}
it "MLflow's python_env.yaml" mlflow

# Why, of all of them: the same decision, each with the lines of its own files.
explained() {
	local base=mcr.microsoft.com/azureml
	local image=$base/openmpi3.1.2-cuda10.1-cudnn7-ubuntu18.04:20200821.v1
	local input filter='.schema == 1 and .source == "lines" and
		.status == "ok" and .cuda == "10.2" and .image == $image and
		(.warnings | any(contains("deprecated"))) and
		(.forced_by | any(.package == "torch" and .file == $file and
			.line == $line))'
	as_v1 v1
	sed -i "s|\"scratch\"|\"$image\"|" v1/azureml_environment.json
	printf 'channels: [a]\ndependencies:\n- python=3.7\n- pip:\n  - torch==1.6.0\n' |
		tee conda.yml >v1/conda_dependencies.yml
	printf 'name: e\nimage: %s\nconda_file: conda.yml\n' "$image" >env2.yml
	{
		printf 'name: e\nimage: %s\nconda_file:\n' "$image"
		sed 's/^/  /' conda.yml
	} >inline.yml
	printf 'command: x\nenvironment: file:env2.yml\n' >job.yml
	{
		printf 'command: x\nenvironment:\n'
		sed 's/^/  /' inline.yml | grep -v 'name:'
	} >inside.yml
	printf 'jobs:\n  a:\n    environment: file:env2.yml\n  b:\n    environment: file:inline.yml\n' \
		>two.yml
	while read -r input file line; do
		"$ENVBUILD" explain "$input" --no-solve --json >json 2>stderr
		cat json
		jq -e --arg image "$image" --arg file "$file" \
			--argjson line "$line" "$filter" json
	done <<-'EOF'
		v1 v1/conda_dependencies.yml 5
		env2.yml conda.yml 5
		inline.yml inline.yml 8
		job.yml conda.yml 5
		inside.yml inside.yml 9
		two.yml#jobs.a conda.yml 5
		two.yml#jobs.b inline.yml 8
	EOF
	fails 3 'jobs.a, jobs.b' "$ENVBUILD" explain two.yml
	"$ENVBUILD" explain v1 --no-solve >told
	grep -qF 'The base image is' told
	grep -qF 'which is the one that was asked for' told
	grep -qF 'v1/conda_dependencies.yml:5:5: "torch==1.6.0"' told
	# another one than the definition's is what is asked for, then
	"$ENVBUILD" explain env2.yml --no-solve --base debian:12-slim --json |
		jq -e '.image == "debian:12-slim"'
	fails 1 '' "$ENVBUILD" explain v1 --no-solve --cuda 12.6
	fails 1 '' "$ENVBUILD" explain job.yml --no-solve --gpu-arch 9.0
	printf 'environment: azureml:AzureML-PyTorch-1.6-GPU:4\n' >named.yml
	"$ENVBUILD" explain named.yml --no-solve --json |
		jq -e '.cuda == "10.2" and (.warnings |
			any(contains("torchvision==0.5.0")))'
}
it 'explain tells of folder, version 2 and job' explained

base_alone() {
	as_v1 own
	rm own/conda_dependencies.yml
	sed -i 's/"userManagedDependencies": false/"userManagedDependencies": true/' \
		own/azureml_environment.json
	"$ENVBUILD" lock own --output own.lock
	jq -e '.locked.packages == []' own.lock >out
}
it 'user-managed: the base alone' base_alone

there_and_back() {
	as_v1 v1
	same "$("$ENVBUILD" load v1)" mine:1
	same "$("$ENVBUILD" load v1)" mine:1
	"$ENVBUILD" save mine out1 >out
	sed 's/"version": "3"/"version": "3"/' v1/azureml_environment.json |
		cmp - out1/azureml_environment.json
	cmp v1/conda_dependencies.yml out1/conda_dependencies.yml
	same "$(definition mine)" "$(definition v1)"
	same "$("$ENVBUILD" load out1 --name other)" other:1
	fails 3 'no such folder' "$ENVBUILD" load mine --name copy
	"$ENVBUILD" save other out2 >out
	grep -q '"name": "other"' out2/azureml_environment.json
	fails 3 'is there already' "$ENVBUILD" save mine out1
	"$ENVBUILD" save mine out1 --overwrite >out
	"$ENVBUILD" save mine out3 --format v2 >out 2>stderr
	grep -q 'version 2 holds no environment variables' stderr
	grep -q '^image: scratch$' out3/environment.yml
	[ ! -e out3/azureml_environment.json ]
}
it 'loaded, saved, loaded: the same bytes' there_and_back

# The form is v1 or v2; the files go through a folder of this process alone;
# options have no place in them.
saved_wrong() {
	local file=v1/azureml_environment.json

	as_v1 v1
	"$ENVBUILD" load v1 >out
	fails 2 '--format "x": v1 or v2' "$ENVBUILD" save mine there --format x
	fails 2 '' "$ENVBUILD" save mine there --format
	[ ! -e there ]
	mkdir tmp
	TMPDIR=$PWD/tmp "$ENVBUILD" save mine there >out 2>stderr
	same "$(ls -A tmp)" ''
	same "$(cat stderr)" ''
	fails 7 "$PWD/nowhere" env TMPDIR="$PWD/nowhere" \
		"$ENVBUILD" save mine again
	[ ! -e again ]
	"$ENVBUILD" save v1 here --gpu --as-of 2026-01-01 >out 2>stderr
	grep -q 'hold no options: --as-of, --gpu are left out' stderr
	"$ENVBUILD" load v1 --name based --base debian:12 >out
	"$ENVBUILD" save based other >out 2>stderr
	grep -q 'hold no options: --base is left out' stderr
	cmp $file here/azureml_environment.json
	# a folder stands where a file is to be: nothing changes
	mkdir odd odd/conda_dependencies.yml
	fails 3 'a folder has that name' "$ENVBUILD" save mine odd --overwrite
	same "$(ls odd)" conda_dependencies.yml
}
it 'what cannot be saved' saved_wrong

curated() {
	local name

	for name in AzureML-PyTorch-1.6-GPU AzureML-TensorFlow-2.2-CPU; do
		"$ENVBUILD" save "$name" "saved-$name" >out
		fails 2 '--name' "$ENVBUILD" load "saved-$name"
		"$ENVBUILD" load "saved-$name" --name "my-$name" >out
		"$ENVBUILD" save "my-$name" "again-$name" >out
		cmp "saved-$name/conda_dependencies.yml" \
			"again-$name/conda_dependencies.yml"
		same "$("$ENVBUILD" hash --azure "my-$name")" \
			"$("$ENVBUILD" hash --azure "$name")"
		jq -S 'del(.name, .version)' "saved-$name"/*.json >a
		jq -S 'del(.name, .version)' "again-$name"/*.json >b
		cmp a b
	done
}
it 'a curated one, saved and loaded under another name' curated

linted() {
	as_v1 v1
	sed -i 's/"scratch"/"base:latest"/' v1/azureml_environment.json
	"$ENVBUILD" lint v1 >found
	grep -q '^v1/azureml_environment.json:12:.*: warning: .*\[base-not-pinned\]$' found
	grep -q '^v1/conda_dependencies.yml:3:.*\[python-end-of-life\]$' found
	printf 'dependencies:\n- python=>3.12\n- pip:\n  - a=1\n' >fix.yml
	fails 1 '' "$ENVBUILD" lint fix.yml
	"$ENVBUILD" lint fix.yml --fix >found
	same "$(cat fix.yml)" \
		$'dependencies:\n- python>=3.12\n- pip\n- pip:\n  - a==1'
	"$ENVBUILD" lint fix.yml --json | jq -e '.findings | length > 0' >out
}
it 'lint, and what it mends' linted

real_ones() {
	local file n=0

	need_data definitions/azure
	for file in "$ENVBUILD_DATA"/definitions/azure/*.yml; do
		n=$((n + 1))
		"$ENVBUILD" hash "$file" >out 2>stderr ||
			[ $? = 3 ]
		"$ENVBUILD" lint "$file" >out 2>stderr || [ $? = 1 ]
	done
	[ $n -ge 15 ]
}
it 'files that people committed' real_ones
