# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
#
# For tests/real: the tutorial's environments with real packages, those of 2018
# for conda and the ones of the package index that pip is set to. Sourced after
# tests/lib.sh. What takes long to fetch is kept between runs in
# ENVBUILD_REAL_CACHE (build/real).
: "${ENVBUILD_REAL_CACHE:=$TOP/build/real}"

need_index() {
	mkdir -p "$ENVBUILD_REAL_CACHE"
	[ -x "$ENVBUILD_BUILD/libexec/envbuild/uv" ] || skip 'no uv (make deps)'
	timeout 100 python3 -m pip download --quiet --no-deps --no-cache-dir \
		--disable-pip-version-check --dest "$SCRATCH/asked" iniconfig \
		>/dev/null 2>&1 || skip 'no package index answers pip'
}

# channel_of PATH: a folder of the data folder as a channel.
channel_of() {
	echo "file://$(cd "$ENVBUILD_DATA/$1" && pwd -P)"
}

# tutorial PYTHON CHANNEL: the tutorial's environment.
tutorial() {
	cat <<-END
		name: pytorch
		channels:
		- $2
		dependencies:
		- python=$1
		- pip:
		  - azureml-defaults
		  - torch==1.6.0
		  - torchvision==0.7.0
		  - future==0.17.1
		  - pillow
	END
}

# platforms PYTHON: those that pip takes wheels of, as its options.
platforms() {
	printf 'tags\t%s\t2.36\tx86_64\n' "$1" | "$ENVBUILD_BUILD/tests/conform" |
		cut -f 2 | tr ' ' '\n' | sed -n 's/.*-\([a-z]*linux.*\)$/\1/p' |
		sort -u | sed 's/^/--platform=/'
}

# fetch_wheels PYTHON LOCK DIR LEAST: the wheels of a lock (as `lock --json`
# tells it) of at least so many bytes, each fetched once, by pip. Several may
# ask for them at once.
fetch_wheels() {
	mkdir -p "$3"
	(
		flock 9
		fetch_missing "$@"
	) 9>"$3.lock"
}

fetch_missing() {
	local dir=$3 url sha256 file
	jq -r --argjson least "$4" '.packages[] | select(.kind == "pypi" and
		.source == "wheel" and .size >= $least) |
		"\(.url) \(.sha256) \(.file)"' "$2" >"$SCRATCH/urls"
	while read -r url sha256 file; do
		[ -e "$dir/$file" ] || echo "$url#sha256=$sha256"
	done <"$SCRATCH/urls" >"$SCRATCH/wanted"
	[ -s "$SCRATCH/wanted" ] || return 0
	# shellcheck disable=SC2046 # one word each
	python3 -m pip download --quiet --no-deps --no-cache-dir \
		--disable-pip-version-check --dest "$dir/new" \
		--python-version "$1" --implementation cp --abi "cp${1}m" \
		--abi abi3 --abi none --only-binary :all: $(platforms "$1") \
		-r "$SCRATCH/wanted"
	mv "$dir"/new/*.whl "$dir"
	rmdir "$dir/new"
}

# mirrored LOCK DIR: the lock with the files of that folder named as sources
# of theirs. Where a file comes from is commentary: the lock is the same.
mirrored() {
	find "$2" -name '*.whl' -printf '%f\n' |
		jq -nR --arg dir "file://$2" --slurpfile lock "$1" '
			[inputs] as $here | $lock[0] |
			.commentary.sources |= map_values(
				(.url | sub(".*/"; "")) as $file |
				if $here | index($file)
				then .url = "\($dir)/\($file)" else . end)'
}
