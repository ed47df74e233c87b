#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Which layers one change touches; paths that several packages have.
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/../lib.sh"
# shellcheck source=tests/faults.sh
. "$(dirname "$0")/../faults.sh"

small "$SCRATCH/small" normal python lib64 clash bucket-clash same-content \
	link-vs-dir setuid
small "$SCRATCH/modules" bytecode-clash

# The Python of need_channel wants the glibc of the base that it is for.
export CONDA_OVERRIDE_GLIBC=2.99

# build CHANNEL PACKAGES OPTION...: into the store "c".
build() {
	local from=$1
	printf 'dependencies: [%s]\n' "$2" >env.yml
	shift 2
	"$ENVBUILD" build env.yml --base scratch --channel "file://$from" \
		--cache-dir c "$@"
}

# manifest LAYOUT: its manifest's path.
manifest() {
	jq -r '.manifests[0].digest' "$1/index.json" |
		sed "s|^sha256:|$1/blobs/sha256/|"
}

# layers LAYOUT: one line a layer, lowest first: digest and what history says.
layers() {
	local of
	of=$(manifest "$1")
	paste -d ' ' <(jq -r '.layers[].digest' "$of") <(jq -r \
		'.history[] | select(.empty_layer | not) | .created_by' \
		"$1/blobs/sha256/$(jq -r .config.digest "$of" | cut -d: -f2)")
}

# with LAYOUT PATH: the digests of the layers that hold the path (a pattern).
with() {
	local digest
	for digest in $(jq -r '.layers[].digest' "$(manifest "$1")"); do
		if tar tf "$1/blobs/sha256/${digest#*:}" |
			grep "^opt/env/$2$" >/dev/null; then
			echo "$digest"
		fi
	done
}

# changed A B: the digests of B that A has not; "-" and the count of the others
# of A.
changed() {
	layers "$1" | cut -d ' ' -f 1 | sort >a
	layers "$2" | cut -d ' ' -f 1 | sort >b
	comm -13 a b
	echo "- $(comm -23 a b | wc -l)"
}

# one_path_once LAYOUT: in each layer; parents come before what is in them.
one_path_once() {
	local digest
	for digest in $(jq -r '.layers[].digest' "$(manifest "$1")"); do
		tar tf "$1/blobs/sha256/${digest#*:}" >names
		same "$(sort names | uniq -d)" ''
		awk '{
			n = $0
			sub("/$", "", n)
			up = n
			if (sub("/[^/]*$", "", up) && !(up in seen)) {
				print "no parent before " $0
				exit 1
			}
			seen[n] = 1
		}' names
	done
}

# What a new version of a small package changes: its bucket and the last layer.
version() {
	local channel
	channel=$(need_channel)
	build "$channel" 'python, greeting=1.0, prefixed' --output oci:one:v1
	build "$channel" 'python, greeting=1.1, prefixed' --output oci:two:v1 \
		--json >json
	layers one
	[ "$(layers one | wc -l)" -gt 4 ]
	changed one two >said
	cat said
	{
		with two 'conda-meta/greeting-1.1-py_0.json'
		with two conda-meta/envbuild.lock
	} | sort >want
	echo '- 2' >>want
	diff want said
	# Its payload is in the same bucket as its record.
	same "$(with two 'lib/python[0-9.]*/site-packages/greeting.py')" \
		"$(with two 'conda-meta/greeting-1.1-py_0.json')"
	# The last layer is the environment's, small, the highest.
	same "$(layers two | tail -n 1 | cut -d ' ' -f 1)" \
		"$(with two conda-meta/envbuild.lock)"
	same "$(jq '.layers[-1].size < 65536' "$(manifest two)")" true
	# Nothing but this package was packed anew.
	[ "$(jq '."packed-bytes"' json)" -lt 65536 ]
	one_path_once one
	one_path_once two
}
it 'a new version of a small package: its bucket and the last layer' version

# The bytecode of a package is in the bucket of its record too.
bytecode() {
	local base channel v
	base=$(need_base)
	channel=$(need_channel)
	for v in 0 1; do
		printf 'dependencies: [python, greeting=1.%s]\n' "$v" >env.yml
		"$ENVBUILD" build env.yml --base "rootfs:$base" \
			--channel "file://$channel" --cache-dir c \
			--output "oci:$v:v1"
	done
	changed 0 1 >said
	{
		with 1 'conda-meta/greeting-1.1-py_0.json'
		with 1 conda-meta/envbuild.lock
	} | sort >want
	diff want <(grep -v '^-' said)
	same "$(with 1 'lib/.*/__pycache__/greeting.*.pyc')" \
		"$(with 1 'conda-meta/greeting-1.1-py_0.json')"
	one_path_once 1
	sound c
}
it 'the same with bytecode, on a base' bytecode

# Large ones: layers of their own, below the buckets, the largest lowest.
own_layers() {
	local channel
	channel=$(need_channel)
	build "$channel" 'python, greeting=1.0, prefixed' --output oci:one:v1
	build "$channel" 'greeting=1.0, prefixed, python' --refresh \
		--output oci:again:v1
	diff <(layers one) <(layers again)
	same "$(with one 'bin/python3[0-9.]*')" "$(layers one | head -n 1 |
		cut -d ' ' -f 1)"
	[ "$(with one 'conda-meta/python-.*')" != \
		"$(with one 'bin/python3[0-9.]*')" ]
	# One that is added: a bucket, and the last layer.
	build "$channel" 'python, greeting=1.0' --output oci:less:v1
	changed less one >said
	{
		with one 'conda-meta/prefixed-.*'
		with one conda-meta/envbuild.lock
	} | sort >want
	diff want <(grep -v '^-' said)
	# The same packages, a variable more: the last layer alone.
	printf 'dependencies: [python, greeting=1.0]\nvariables: {A: b}\n' \
		>env.yml
	"$ENVBUILD" build env.yml --base scratch --channel "file://$channel" \
		--cache-dir c --output oci:variable:v1
	changed less variable >said
	same "$(cat said)" "$(with variable conda-meta/envbuild.lock)
- 1"
	sound c
}
it 'own layers, a package more, a variable more' own_layers

# holds FOLDER PATH TEXT
holds() {
	same "$(cat "$1/opt/env/$2")" "$3"
}

clash() {
	build "$SCRATCH/small" 'clash-a, clash-b' --output oci:out:v1 \
		--output rootfs:root 2>err
	cat err
	has_words err warning: '"opt/env/share/clash"' '"clash-b"'
	one_path_once out
	holds root share/clash 'of b'
	holds root share/clash-a a
	holds root share/clash-b b
	# Both have it in their records, and the last layer has the winner.
	jq -e '.files | index("share/clash")' \
		root/opt/env/conda-meta/clash-a-1.0-0.json \
		root/opt/env/conda-meta/clash-b-1.0-0.json
	with out share/clash | grep -xF "$(with out conda-meta/envbuild.lock)"
	need_program umoci
	umoci unpack --rootless --image out:v1 bundle
	holds bundle/rootfs share/clash 'of b'
}
it 'two packages with one path: the later one in link order wins' clash

# In one bucket the path is left out of all but the first part.
bucket_clash() {
	local winner
	build "$SCRATCH/small" bucket-clash --output oci:out:v1 \
		--output rootfs:root 2>err
	cat err
	winner=$(sed -n 's/.*the one of "\(.*\)" is taken$/\1/p' err)
	case $winner in bucket-clash-a-*) ;; *) fail "\"$winner\" wins" ;; esac
	one_path_once out
	holds root share/bucket 'of a'
	[ -n "$(with out 'conda-meta/bucket-clash-a-.*')" ]
	same "$(with out 'conda-meta/bucket-clash-a-.*')" \
		"$(with out 'conda-meta/bucket-clash-z-.*')"
	same "$(with out share/bucket | wc -l)" 2
	# Without the other the part is whole.
	build "$SCRATCH/small" "$(sed -n \
		's/.*"bucket-clash-z-\([0-9]*\)-.*/bucket-clash-z-\1/p' \
		root/opt/env/conda-meta/bucket-clash-z-*.json | head -n 1)" \
		--output rootfs:alone
	holds alone share/bucket 'of z'
	sound c
}
it 'the same in one bucket: each path once' bucket_clash

# The bytecode of a module is its winner's, and stays out where the loser ships
# some, so that no path is in a bucket twice.
bytecode_clash() {
	local channel base pyc
	channel=$(need_channel)
	base=$(need_base)
	printf 'dependencies: [python, bytecode-clash]\n' >env.yml
	"$ENVBUILD" build env.yml --base "rootfs:$base" --cache-dir c \
		--channel "file://$channel" --channel "file://$SCRATCH/modules" \
		--output oci:out --output rootfs:root
	one_path_once out
	pyc=root/opt/env/lib/python3.11/site-packages/__pycache__
	grep -q 'the winner' root/opt/env/lib/python3.11/site-packages/clash.one.py
	grep -aq 'the winner' "$pyc/clash.one.cpython-311.pyc"
	same "$(cat "$pyc/clash_two.cpython-311.pyc")" old
}
it 'bytecode of a path that several packages have' bytecode_clash

same_content() {
	build "$SCRATCH/small" 'same-content-a, same-content-b' \
		--output oci:out:v1 --output rootfs:root 2>err
	has_not err warning:
	one_path_once out
	holds root share/same same
	with out share/same >them
	[ -s them ]
	has_not them "$(with out conda-meta/envbuild.lock)"
}
it 'one path with one content is no clash' same_content

linked_folder() {
	build "$SCRATCH/small" lib64 --output oci:out:v1 --output rootfs:root
	one_path_once out
	same "$(readlink root/opt/env/lib64)" lib
	holds root lib/one one
	holds root lib/two two
	jq -e '.files | index("lib64/two") or index("lib/two")' \
		root/opt/env/conda-meta/lib64-1.0-0.json
}
it 'a folder that is a link in its own package' linked_folder

# One package's folder is another's link: nothing may get lost, whichever
# layer is above the other.
linked_by_another() {
	build "$SCRATCH/small" 'link-vs-dir-a, link-vs-dir-b' \
		--output oci:out:v1 --output rootfs:root
	one_path_once out
	same "$(readlink root/opt/env/lib64)" lib
	holds root lib/one one
	holds root lib/two two
	holds root lib64/two two
	need_program umoci
	umoci unpack --rootless --image out:v1 bundle
	holds bundle/rootfs lib64/two two
	# Alone it is a folder.
	build "$SCRATCH/small" link-vs-dir-b --output rootfs:alone
	[ ! -L alone/opt/env/lib64 ]
	holds alone lib64/two two
}
it "a folder that is another package's link" linked_by_another

# What tar sees: owners, modes, times, order.
form() {
	build "$SCRATCH/small" 'setuid, normal, clash-b' --output oci:out:v1
	for digest in $(jq -r '.layers[].digest' "$(manifest out)"); do
		blob=out/blobs/sha256/${digest#*:}
		tar tvf "$blob" --numeric-owner --full-time >list
		cat list
		same "$(awk '$2 != "0/0"' list)" ''
		same "$(grep -vE '^(drwxr-xr-x|-rw-r--r--|-rwxr-xr-x|l.{9}) ' \
			list)" ''
		tar tf "$blob" | grep '/$' >dirs
		LC_ALL=C sort -c dirs
		# gzip blocks, and a whole end.
		gzip -t <"$blob"
		same "$(gzip -dc <"$blob" | wc -c | awk '{print $1 % 512}')" 0
	done
}
it 'owners, modes and order in the tar' form

done_testing
