#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Bases that are decided: what `explain` says of them, and what `lock` makes of
# them. No network: channels in files, a registry on loopback.
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/../lib.sh"
# shellcheck source=tests/registry_lib.sh
. "$(dirname "$0")/../registry_lib.sh"

golden=$TOP/tests/golden/cuda
channel=$SCRATCH/channel
python3 "$TOP/tests/fixtures/gpu-channel" "$channel"
unset CONDA_OVERRIDE_CUDA CONDA_OVERRIDE_CUDA_ARCH REGISTRY_AUTH_FILE \
	DOCKER_CONFIG CONTAINERS_REGISTRIES_CONF

# said STATUS FILTER CASE OPTION...: of that file, from its lines alone, as
# `explain --json`; jq's filter holds.
said() {
	local want=$1 filter=$2 file=$golden/$3.yml got=0
	shift 3
	"$ENVBUILD" explain "$file" --no-solve --json "$@" >json 2>told || got=$?
	cat json told
	same "$got" "$want"
	jq -e ".schema == 1 and .source == \"lines\" and ($filter)" json
}

# Tables and wheels that do not go together, and CUDAs that are not there.
cases() {
	local f
	for f in tensorflow-2.16.1 tensorflow-2.17.0; do
		said 1 '.status == "refused" and .image == null and
			(.refused | length) > 0' "$f" --gpu
	done
	said 1 '.reason | contains("no such CUDA")' numpy --cuda 12.7
	said 1 '.status == "refused"' numpy --cuda 11.2.0
	said 1 '.status == "refused"' numpy --cuda 11.7.0
	said 0 '.image_cuda == "12.3.2" and (.image | contains("cudnn9"))' \
		numpy --cuda 12.3.2 --base-family nvidia
	said 0 '.image | contains("12.4.1-cudnn-")' \
		numpy --cuda 12.4.1 --base-family nvidia
	said 0 '.image | contains("12.2.2-cudnn8")' \
		numpy --cuda 12.2.2 --base-family nvidia
	said 0 '.cuda == "10.1" and .image_cuda == "10.1"' tensorflow-2.1 --gpu
	said 1 '.status == "refused"' torch-and-tensorflow --gpu
	said 1 '.reason | contains("nvidia")' pytorch-cuda-no-channel --gpu
	said 1 '.status == "refused"' cpuonly --gpu
	said 0 '.warnings | any(contains("CPU"))' cpuonly --gpu --allow-cpu
}
it 'cases of the tables, through the command' cases

fleets() {
	said 0 '.cuda == "12.6" and .driver_floor == "525.60.13"' \
		torch-2.12 --gpu-arch 7.0
	said 0 '.cuda | startswith("13.")' torch-2.12 --gpu-arch 10.0,sm_120
	said 1 '.status == "refused"' torch-2.12 --gpu-arch 7.0,10.0
	said 0 '.cuda == "11.8"' torch-2.6 --driver 470
	said 1 '.status == "refused"' tensorflow-2.15 --driver 470.82.01
	said 1 '.status == "refused"' torch-2.7 --gpu-arch 12.0
	said 0 '.cuda == "12.8"' torch-2.7 --gpu-arch 12.0 --experimental-cuda
}
it "the fleet's drivers and GPUs" fleets

# The base that is named wins; what does not go with it is said.
named() {
	local base=mcr.microsoft.com/azureml
	said 1 '.reason | contains("cudatoolkit=11.0") and
		contains("torch==1.7.1+cu101")' torch-1.7.1-three-ways \
		--base "$base/openmpi4.1.0-cuda11.0.3-cudnn8-ubuntu18.04"
	said 1 '.status == "refused"' tensorflow-2.1 --gpu \
		--base "$base/openmpi3.1.2-cuda10.0-cudnn7-ubuntu16.04"
	said 0 '.warnings | any(contains("run on the CPU"))' tensorflow-2.1 \
		--base "$base/openmpi3.1.2-cuda10.0-cudnn7-ubuntu16.04"
	said 1 '.advice | contains("nearest row")' numpy \
		--base nvidia/cuda:11.2.0-cudnn8-devel-ubuntu20.04
}
it 'a base that is named' named

wrong() {
	local option
	for option in '--cuda twelve' '--cuda 12' '--driver new' \
		'--gpu-arch hopper' '--gpu-arch 7.0,x' '--base-family redhat' \
		'--gpu --cpu' '--cpu --cuda 12.6' '--cpu --driver 535' \
		'--cpu --gpu-arch 7.0'; do
		# shellcheck disable=SC2086 # words
		fails 2 '' "$ENVBUILD" explain "$golden/numpy.yml" $option
		# shellcheck disable=SC2086
		fails 2 '' "$ENVBUILD" hash "$golden/numpy.yml" $option
	done
}
it 'values that are none end with status 2' wrong

# What changes the lock is in the definition; one GPU has one name.
hashes() {
	local one option
	one=$("$ENVBUILD" hash "$golden/numpy.yml")
	for option in --gpu --cpu '--cuda 12.6' '--driver 535' '--gpu-arch 9.0' \
		'--base-family ubuntu' --allow-cpu --experimental-cuda; do
		# shellcheck disable=SC2086
		[ "$("$ENVBUILD" hash "$golden/numpy.yml" $option)" != "$one" ] ||
			fail "$option is not in the definition hash"
	done
	same "$("$ENVBUILD" hash "$golden/numpy.yml" --gpu-arch sm_90,7.0)" \
		"$("$ENVBUILD" hash "$golden/numpy.yml" --gpu-arch 7.0,9.0,9.0)"
}
it 'options in the definition hash' hashes

# define LINE...
define() {
	{
		printf 'channels: ["file://%s"]\ndependencies:\n' "$channel"
		printf -- '- %s\n' "$@"
	} >environment.yml
}

# eb COMMAND OPTION...: of environment.yml, with a store of the test's own
eb() {
	local verb=$1
	shift
	"$ENVBUILD" "$verb" environment.yml --cache-dir "$PWD/c" "$@"
}

words() {
	define python=3.11 pytorch=2.6
	eb explain --gpu >out
	cat out
	grep -qF 'debian:12-slim' out
	grep -qF 'CUDA 12.6' out
	grep -qE 'environment.yml:4:[0-9]+: "pytorch 2.6.0' out
	grep -qF 'from the packages that were' out
	grep -qF 'chosen just now' out
	eb explain --gpu --no-solve >lines
	grep -qF 'nothing was solved' lines
	# What cannot be solved here is decided from the lines, and said.
	sed -i "s|$channel|$PWD/away|" environment.yml
	eb explain --gpu >away
	cat away
	grep -qF 'Nothing was solved: ' away
	eb explain --gpu --json | jq -e '.source == "lines" and .decided_from ==
		"lines" and (.not_solved | length > 0)'
}
it 'explain, in words: from packages, and from lines' words

# __cuda is the decision's, so that the build for a GPU is what is chosen.
solving() {
	define python=3.11 pytorch=2.6
	eb explain --json >json
	jq -e '.source == "solved" and .gpu == false and .cuda == null' json
	eb explain --gpu --json >json
	cat json
	jq -e '.source == "solved" and .gpu and .cuda == "12.6" and
		(.packages | any(.name == "pytorch" and
			(.build | startswith("cuda126"))))' json
	CONDA_OVERRIDE_CUDA='' fails 1 '' eb explain --gpu
	CONDA_OVERRIDE_CUDA='' eb explain --gpu --allow-cpu --json |
		jq -e '.status == "ok" and (.warnings |
			any(contains("will not use a GPU")))'
	# of this version there is no build for a GPU
	define python=3.11 pytorch=2.5
	fails 1 '' eb explain --gpu
	grep -qF 'for the CPU' stdout
}
it "the solver's __cuda" solving

# Builds for a CUDA that the lowest of the tables is not: the next is tried.
others() {
	define python=3.11 pytorch=2.7
	eb explain --gpu --experimental-cuda --json >json
	cat json
	jq -e '.source == "solved" and .cuda == "12.8"' json
	jq -e '.forced_by | any(.package == "--cuda") | not' json
	fails 1 '' eb explain --gpu --experimental-cuda --cuda 12.6 --json
	cp stdout json
	jq -e '.source == "lines" and (.not_solved | contains("__cuda"))' json
}
it 'another CUDA where one has no packages' others

# What cannot be had is a clear no, with the reasons; what the lines say of the
# base is told all the same.
unsatisfiable() {
	define python=3.11 pytorch=2.6 numpy=99
	fails 1 '' eb explain --gpu
	grep -qF 'It cannot be had' stdout
	grep -qF 'numpy=99' stdout
	grep -qF 'no such version' stdout
	grep -qF 'The base image is' stdout
	fails 1 '' eb explain --gpu --json
	jq -e '.unsatisfiable and .status == "ok" and .source == "lines" and
		(.not_solved | contains("no such version"))' stdout
	eb explain --gpu --no-solve --json |
		jq -e '.unsatisfiable == false and .not_solved == null'
	define python=3.11 no-such-package
	fails 1 '' eb explain
	grep -qF 'no channel has a package of that name' stdout
	# what is not here is no answer
	printf 'channels: [conda-forge]\ndependencies: [python]\n' \
		>environment.yml
	eb explain --json | jq -e '.unsatisfiable == false and
		(.not_solved | contains("--offline"))'
}
it 'a request without a solution is refused, with reasons' unsatisfiable

# small SUBDIR RECORD...: one of a channel's, each record "NAME VERSION NEEDS".
small() {
	local subdir=$1 name version needs record
	shift
	mkdir -p "small/$subdir" small/noarch
	echo '{"packages.conda": {}}' >small/noarch/repodata.json
	for record; do
		read -r name version needs <<<"$record"
		jq -n --arg n "$name" --arg v "$version" --arg d "$needs" \
			--arg s "$subdir" '{"\($n)-\($v)-0.conda": {name: $n,
			version: $v, build: "0", build_number: 0, subdir: $s,
			sha256: ("0" * 64), size: 10,
			depends: ($d | split(";") | map(select(. != "")))}}'
	done | jq -s '{"packages.conda": add}' >"small/$subdir/repodata.json"
}
of_small() {
	{
		printf 'channels:\n  - file://%s/small\ndependencies:\n' "$PWD"
		printf '  - %s\n' "$@"
	} >environment.yml
}

# The lines that do not go together, as they were written and where; one
# change; the same lines in another order give the same reasons.
lines() {
	small linux-64 'python 3.11.8' 'python 3.12.2' \
		'numpy 1.26.4 python 3.11.*' 'numpy 2.2.0 python 3.11.*' \
		'pandas 2.0.3 numpy >=1.23.5,<2.0a0' 'pandas 2.2.3 numpy >=1.23'
	small osx-arm64 'appnope 0.1'
	of_small 'python=3.11' 'numpy >=2  # new' 'pandas=2.0'
	fails 1 'environment.yml:5:5: no solution: "numpy >=2" and "pandas=2.0"' \
		eb lock --base scratch
	grep -qF '"pandas=2.0" (environment.yml:6:5) cannot be had' stderr
	grep -qF 'hint: it goes with "numpy=1.26" instead of "numpy >=2"' stderr
	fails 1 '' eb explain --json
	jq -e '.unsatisfiable and .not_newest == null and (.problems | length) == 1
		and ([.problems[0].lines[] | [.spec, .line, .column]] ==
			[["numpy >=2", 5, 5], ["pandas=2.0", 6, 5]])
		and (.would_help | contains("numpy=1.26"))' stdout
	jq -r '.problems[0].why' stdout >why
	of_small 'pandas=2.0' 'python=3.11' 'numpy >=2'
	fails 1 '' eb explain --json
	same "$(jq -r '.problems[0].why' stdout)" "$(cat why)"
	# what only another platform has
	of_small python appnope
	fails 1 'only for "osx-arm64"' eb lock --base scratch
	grep -qF '# [osx]' stderr
}
it 'lines that cannot be had together' lines

# Why nothing newer, solved just now and from the lock.
newest() {
	small linux-64 'python 3.11.8' 'python 3.12.2' \
		'numpy 1.26.4' 'numpy 2.2.0' 'numba 0.58 numpy <1.27'
	of_small 'python=3.11' numpy numba
	eb explain --json >json
	jq -e '[.not_newest[] | [.name, .version, .newest, .lines[0].line]] ==
		[["numpy", "1.26.4", "2.2.0", 6],
		["python", "3.11.8", "3.12.2", 4]]' json
	eb explain >text
	grep -qF 'numpy 1.26.4, and there is 2.2.0: 2.2.0 is out, since "numba"' \
		text
	grep -qF '(environment.yml:4:5)' text
	eb lock --base scratch --output l
	eb explain --base scratch --json >again
	jq -e '.source == "lock"' again
	same "$(jq -S .not_newest again)" "$(jq -S .not_newest json)"
	of_small numba
	eb explain --json | jq -e '.not_newest == []'
}
it 'why a package is not newer' newest

# The same of a pip section: an index in a folder, and one that is away.
pip_unsatisfiable() {
	local packages base
	packages=$(need_channel)
	base=$(need_base)
	[ -x "$ENVBUILD_BUILD/libexec/envbuild/uv" ] || skip 'no uv'
	mkdir links
	pip_section() {
		printf 'channels: ["file://%s"]\ndependencies: [python, {pip: [%s]}]\n' \
			"$packages" "$1" >environment.yml
	}
	pip_section "--no-index, --find-links $PWD/links, six"
	fails 1 '' eb explain --base "rootfs:$base"
	grep -qF '"six": there is no such project' stdout
	pip_section 'six'
	eb explain --base "rootfs:$base" --json |
		jq -e '.unsatisfiable == false and
			(.not_solved | contains("offline"))'
}
it 'so is a pip section that no index has' pip_unsatisfiable

local_base() {
	local base
	base=$(need_base)
	define python=3.11 pytorch=2.6
	eb lock --gpu --base "rootfs:$base" --offline --output l
	jq -e '.locked.config.Labels["dev.envbuild.cuda"] == "12.6"' l
	jq -e '.locked.config.Env | any(. == "NVIDIA_VISIBLE_DEVICES=all")' l
	jq -e '.locked.config.Env |
		any(. == "NVIDIA_REQUIRE_CUDA=driver>=525.60.13")' l
	jq -e '.commentary.decision | .status == "ok" and .decided_from ==
		"packages" and (.forced_by | any(.line == 4))' l
	jq -e '.locked | tostring | contains("environment.yml") | not' l
	# the lock is what explain goes by, then
	eb explain --gpu --base "rootfs:$base" --json |
		jq -e '.source == "lock" and .cuda == "12.6"'
	"$ENVBUILD" explain l --cache-dir "$PWD/c" --json |
		jq -e '.source == "lock" and .cuda == "12.6"'
	# one without a GPU says nothing of it
	eb lock --cpu --base "rootfs:$base" --offline >cpu
	jq -e '(.commentary | has("decision") | not) and
		(.locked | tostring | contains("NVIDIA") | not)' cpu
	# never the CPU's build for a GPU
	CONDA_OVERRIDE_CUDA='' fails 1 'for the CPU' eb lock --gpu \
		--base "rootfs:$base" --offline
}
it 'lock --gpu on a base that is named: variables, labels, reasons' local_base

offline() {
	define python=3.11 numpy
	fails 4 '"debian:12-slim"' eb lock --offline
	grep -qF 'store does not know it' stderr
}
it 'a base that nobody may be asked for' offline

# image REPOSITORY TAG VARIABLE...: an image into the registry of the tests
image() {
	local repository=$1 tag=$2 dir=$SCRATCH/image.$RANDOM variable
	shift 2
	umoci init --layout "$dir"
	umoci new --image "$dir:x"
	umoci raw add-layer --image "$dir:x" "$base"
	umoci config --image "$dir:x" \
		--config.label org.opencontainers.image.ref.name=debian \
		--config.label org.opencontainers.image.version=12
	for variable; do
		umoci config --image "$dir:x" --config.env "$variable"
	done
	skopeo copy -q --dest-tls-verify=false "oci:$dir:x" \
		"docker://$registry/$repository:$tag"
}

# Docker Hub, as the client sees it, is a registry on loopback.
begin_hub() {
	need_program umoci
	need_program skopeo
	base=$(need_base)
	start_registry hub
	printf '[[registry]]\nprefix = "docker.io"\nlocation = "%s"\ninsecure = true\n' \
		"$registry" >registries.conf
	export CONTAINERS_REGISTRIES_CONF=$PWD/registries.conf
}

default_base() {
	begin_hub
	define python=3.11 numpy
	fails 4 'debian:12-slim' eb lock
	image library/debian 12-slim >made 2>&1
	eb lock --output l
	jq -e '.commentary.base == "debian:12-slim" and
		.commentary.decision.image == "debian:12-slim"' l
	same "$(jq -r .locked.base l)" "$(skopeo inspect --tls-verify=false \
		"docker://$registry/library/debian:12-slim" | jq -r .Digest)"
	# known from then on
	rm -r "$SCRATCH/hub/data"
	eb lock --refresh --offline --output again
	same "$(jq -r '."lock-hash"' l)" "$(jq -r '."lock-hash"' again)"
}
it 'the default base, from a registry' default_base

# A row's word is compared with the image's own.
rows() {
	local row=11.8.0-cudnn8-runtime-ubuntu22.04
	begin_hub
	define python=3.11 numpy
	image nvidia/cuda "$row" CUDA_VERSION=11.8.0 >made 2>&1
	eb lock --cuda 11.8 --base-family nvidia --output l
	cat l
	jq -e ".commentary.base == \"nvidia/cuda:$row\"" l
	image nvidia/cuda "$row" CUDA_VERSION=11.7.1 >made 2>&1
	fails 1 'is not what its row says' eb lock --cuda 11.8 \
		--base-family nvidia --refresh
}
it "a row, and the image's own word" rows

# A tag that is gone: the nearest that the registry has is named, not taken.
gone() {
	begin_hub
	define python=3.11 numpy
	image nvidia/cuda 12.4.0-base-ubuntu20.04 >made 2>&1
	image nvidia/cuda 12.4.1-base-ubuntu22.04 >made 2>&1
	image nvidia/cuda 12.5.1-base-ubuntu22.04 >made 2>&1
	fails 4 "the nearest one is $registry/nvidia/cuda:12.4.1-base-ubuntu22.04," \
		eb lock --base "$registry/nvidia/cuda:12.4.1-runtime-ubuntu22.04"
	fails 4 'no such image' eb lock --base "$registry/nvidia/cuda:9.0-base"
	if grep -F nearest stderr; then fail 'another CUDA is near'; fi
}
it 'a tag that is gone' gone

done_testing
