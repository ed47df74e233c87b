#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# `envbuild verify`: a sound image has no finding; a damaged blob, a changed or
# missing file, a requirement that is not there, a module that cannot be
# imported is found and named.
# shellcheck source=tests/lib.sh disable=SC2016
. "$(dirname "$0")/../lib.sh"

base=$(need_base)
channel=$(need_channel)
export PIP_CONFIG_FILE=/dev/null
unset PIP_INDEX_URL PIP_EXTRA_INDEX_URL PIP_FIND_LINKS PIP_NO_INDEX
wheels=$SCRATCH/wheels
mkdir -p "$wheels"
python3 "$TOP/tests/fixtures/index_wheels.py" "$wheels" \
	'alpha 1.0 requires=beta>=1 entry=alpha=alpha:main file=alpha/data.txt:one' \
	'beta 2.0 data=scripts/beta.sh:#!python' \
	'broken 1.0 module=- file=breaks.py:import\ no_such_module' \
	'leaving 1.0 module=- file=leaves.py:raise\ SystemExit(0)' \
	'one 1.0 file=tests/same.txt:of\ one' \
	'two 1.0 file=tests/same.txt:of\ two' >/dev/null

start_index index --index "=$wheels"
export PIP_INDEX_URL=http://127.0.0.1:$port/simple/

# make NAME LINE...: an environment with these lines in its pip section, whose
# image gets into the layout of all, with that tag.
make() {
	local tag=$1
	shift
	{
		printf 'dependencies:\n- python\n- greeting\n- prefixed\n- pip:\n'
		printf '  - "%s"\n' "$@"
	} >environment.yml
	"$ENVBUILD" build environment.yml --base "rootfs:$base" \
		--channel "file://$channel" >reference
	cp environment.yml "$SCRATCH/$tag.yml"
}

verify() {
	"$ENVBUILD" verify "$@"
}

# A layout's image SOUND gets the tag NAME with the folder LAYER as one layer
# more, or with the diff IDs of its last layers in each other's place.
cat >"$SCRATCH/damage.py" <<'END'
import gzip, hashlib, io, json, sys, tarfile
top, tag, layer = sys.argv[1:]

def place(digest):
    return top + "/blobs/" + digest.replace(":", "/")

def read(digest):
    with open(place(digest), "rb") as f:
        return json.load(f)

def write(data):
    digest = "sha256:" + hashlib.sha256(data).hexdigest()
    with open(place(digest), "wb") as f:
        f.write(data)
    return {"digest": digest, "size": len(data)}

name = "org.opencontainers.image.ref.name"
with open(top + "/index.json") as f:
    index = json.load(f)
entry = [m for m in index["manifests"]
         if m.get("annotations", {}).get(name) == "sound"][0]
manifest = read(entry["digest"])
config = read(manifest["config"]["digest"])
ids = config["rootfs"]["diff_ids"]
if layer == "-":
    ids[-1], ids[-2] = ids[-2], ids[-1]
else:
    tar = io.BytesIO()
    with tarfile.open(fileobj=tar, mode="w") as t:
        t.add(layer, arcname=".")
    ids.append("sha256:" + hashlib.sha256(tar.getvalue()).hexdigest())
    manifest["layers"].append(dict(
        write(gzip.compress(tar.getvalue())),
        mediaType="application/vnd.oci.image.layer.v1.tar+gzip"))
    config.setdefault("history", []).append({"created_by": "damage"})
manifest["config"].update(write(json.dumps(config).encode()))
new = dict(entry, annotations={name: tag},
           **write(json.dumps(manifest).encode()))
index["manifests"] = [m for m in index["manifests"]
                      if m.get("annotations", {}).get(name) != tag] + [new]
with open(top + "/index.json", "w") as f:
    json.dump(index, f)
END

# damage NAME COMMAND...: the image "sound" with a layer more, whose files the
# command makes in an empty folder with opt/env in it (".wh.x": without x).
damage() {
	local tag=$1
	shift
	rm -rf layer
	mkdir -p "layer/$site/alpha" layer/opt/env/bin layer/opt/env/conda-meta
	mkdir -p "layer/$site/beta" "layer/$site/alpha-1.0.dist-info"
	(cd layer && "$@")
	find layer -type d -empty -delete
	python3 "$SCRATCH/damage.py" "$SCRATCH/layout" "$tag" layer
	image=oci:$SCRATCH/layout:$tag
}

# finds WORDS: verify ends with 1 and one line of these words; the lines of
# findings are no others.
finds() {
	local n=$1 words=$2
	fails 1 '' verify "$image"
	grep -qF -- "$words" stdout || fail "no \"$words\""
	same "$(grep -vc '^note: ' stdout)" "$n"
}

site=opt/env/lib/python3.11/site-packages

sound() {
	make sound 'alpha==1.0'
	"$ENVBUILD" build environment.yml --base "rootfs:$base" \
		--channel "file://$channel" \
		--output "oci:$SCRATCH/layout:sound"
	verify "$(cat reference)" >out 2>err || fail "$(cat out err)"
	cat out err
	! grep -v '^note: ' out || fail 'a finding'
	grep -q '0 findings' err
	verify "oci:$SCRATCH/layout:sound" --json --imports=fail >json
	cat json
	same "$(jq -c '[.schema, .findings, .checked.projects]' json)" \
		'[1,[],3]'
	[ "$(jq .checked.files json)" -gt 500 ]
	[ "$(jq .checked.blobs json)" -gt 10 ]
	[ "$(jq .checked.modules json)" -ge 2 ]
	same "$(jq -r .image json)" "$(cut -d: -f2- reference)"
	same "$(ls "$XDG_CACHE_HOME/envbuild/tmp")" ''
}
it 'a sound image: by its digest, as a layout' sound
[ -e "$SCRATCH/layout/index.json" ] || done_testing

environment() {
	make again 'alpha==1.0'
	verify "$SCRATCH/again.yml" --base "rootfs:$base" \
		--channel "file://$channel"
}
it 'an environment' environment

wrong_use() {
	fails 2 'fail|note' verify "oci:$SCRATCH/layout:sound" --imports=maybe
	fails 3 'not in the store' verify "store:sha256:$(printf '%064d' 0)"
}
it 'wrong use' wrong_use

# A framework that is loaded and asked; these are stand-ins for one.
framework() {
	mkdir -p "$site/torch"
	printf 'class version:\n    cuda = %s\nclass cuda:\n    device_count = staticmethod(lambda: 0)\n' \
		"$1" >"$site/torch/__init__.py"
}

gpus() {
	verify "oci:$SCRATCH/layout:sound" --gpu >out
	grep -qF 'note: gpu: not asked for: torch, tensorflow and jax' out
	damage gpu framework '"12.6"'
	verify "$image" --gpu >out || fail "$(cat out)"
	cat out
	grep -q '^note: .*torch.* is built for CUDA 12.6 and finds no GPU: this machine has ' out
	damage cpu framework None
	fails 1 '' verify "$image" --gpu
	grep -qF 'is a build for the CPU' stdout
	verify "$image" || fail 'a finding that nobody asked for'
	damage broken sh -c "mkdir -p $site/torch; echo 'raise OSError(\"no libcudart\")' >$site/torch/__init__.py"
	fails 1 '' verify "$image" --gpu
	grep -qF 'no libcudart' stdout
}
it 'frameworks that are asked for GPUs' gpus

# --- blobs -------------------------------------------------------------------

# The last layer of the image in the store.
last_layer() {
	"$ENVBUILD" inspect "$reference" --json | jq -r '.layers[-1].digest'
}

# spoil FILE: another byte in its middle; the good one is "kept". The file may
# be a link to one that others have.
spoil() {
	mv "$1" kept
	cp kept "$1"
	chmod u+w "$1"
	printf X | dd of="$1" bs=1 seek=40 conv=notrunc status=none
	! cmp -s kept "$1"
}

damaged_blob() {
	make blob 'alpha==1.0'
	reference=$(cat reference)
	layer=$(last_layer)
	file=$XDG_CACHE_HOME/envbuild/blobs/sha256/${layer#sha256:}
	spoil "$file"
	fails 1 '' verify "$reference"
	grep -qF "blob: \"$layer\"" stdout
	grep -q 'is damaged' stdout
	grep -q 'note: files: not checked' stdout
	rm "$file"
	fails 1 '' verify "$reference"
	grep -F "blob: \"$layer\"" stdout | grep -q 'is not in the store'
	mv kept "$file"
	verify "$reference"
}
it 'a damaged blob, a missing one' damaged_blob

damaged_layout() {
	cp -r "$SCRATCH/layout" mine
	layer=$("$ENVBUILD" inspect oci:mine:sound --json |
		jq -r '.layers[-1].digest')
	file=mine/blobs/sha256/${layer#sha256:}
	spoil "$file"
	fails 1 '' verify oci:mine:sound --json
	jq -r '.findings[].text' stdout >text
	grep -F "${layer#sha256:}" text
}
it 'a damaged blob of a layout, though the store has a good one' damaged_layout

wrong_diff_id() {
	cp -r "$SCRATCH/layout" mine
	python3 "$SCRATCH/damage.py" mine other -
	fails 1 '' verify oci:mine:other
	grep -q 'diff ID' stdout
}
it 'diff IDs that are not those of the layers' wrong_diff_id

# --- files -------------------------------------------------------------------

package_file() {
	mkdir -p x
	damage changed sh -c 'echo more >opt/env/lib/python3.11/ast.py'
	finds 1 'files: "lib/python3.11/ast.py" of python 3.11'
	grep -q 'has the sha256' stdout
	damage gone sh -c '>opt/env/lib/python3.11/.wh.ast.py'
	fails 1 '' verify "$image"
	grep -qF 'files: "lib/python3.11/ast.py" of python' stdout
	grep -q 'is missing' stdout
}
it 'a changed file of a conda package, a missing one' package_file

wheel_file() {
	damage wheel sh -c "echo two >$site/alpha/data.txt
		echo >$site/beta/.wh.__init__.py"
	fails 1 '' verify "$image"
	grep -F 'alpha/data.txt" of alpha 1.0' stdout | grep -q sha256
	grep -F 'beta/__init__.py" of beta 2.0' stdout | grep -q 'is missing'
	damage stray sh -c "echo >$site/stray.py; echo >$site/alpha/more.txt"
	verify "$image" >out
	grep -F "has 2 files that belong to no package" out
}
it 'a changed file of a wheel, a missing one; a stray one is no finding' \
	wheel_file

links() {
	damage link sh -c 'ln -s nowhere opt/env/bin/python3'
	fails 1 '' verify "$image"
	grep -qF 'files: "bin/python3" of python' stdout
}
it 'a link that leads nowhere' links

records() {
	damage meta sh -c 'echo "{" >opt/env/conda-meta/other-1-0.json'
	fails 1 '' verify "$image"
	grep -F 'conda-meta: "conda-meta/other-' stdout |
		grep -q 'cannot be read'
	damage record sh -c "echo >$site/alpha-1.0.dist-info/.wh.RECORD"
	finds 1 'alpha-1.0.dist-info/RECORD" cannot be read'
	# A path that leads out of the image's prefix opens nothing.
	damage out sh -c "echo '../../../../../etc/passwd,sha256=x,1' \
		>$site/alpha-1.0.dist-info/RECORD"
	verify "$image" >out
	grep -q 'leads out of the prefix' out
}
it 'records that cannot be read, paths that lead out' records

# --- the Python side ---------------------------------------------------------

requirement() {
	damage alone sh -c "echo >$site/.wh.beta
		echo >$site/.wh.beta-2.0.dist-info"
	finds 1 'requires: alpha 1.0 requires beta'
	damage older sh -c "mkdir $site/beta-2.0.dist-info
		printf 'Metadata-Version: 2.1\nName: beta\nVersion: 0.5\n' \
			>$site/beta-2.0.dist-info/METADATA"
	fails 1 '' verify "$image"
	grep '^requires: alpha 1.0 ' stdout | grep beta | grep -F 0.5
}
it 'a requirement that is missing, one of another version' requirement

imports() {
	make imports broken leaving
	image=$(cat reference)
	verify "$image" >out || fail "$(cat out)"
	cat out
	grep -F 'note: import: "breaks" of broken 1.0' out |
		grep -q no_such_module
	grep -F 'note: import: "leaves" of leaving 1.0' out | grep -q SystemExit
	fails 1 '' verify "$image" --imports fail
	same "$(grep -c '^import: ' stdout)" 2
}
it 'modules that cannot be imported: listed, or findings' imports

clash() {
	make clash one two
	verify "$(cat reference)" >out
	cat out
	grep -F 'note: clash: "' out | grep -F 'tests/same.txt" is claimed by'
}
it 'a path that two wheels claim' clash

no_python() {
	damage bare sh -c 'echo >opt/.wh.env'
	verify "$image" >out
	grep -q 'note: import: not checked' out
	ENVBUILD_RUNTIME=/nowhere/runc verify "oci:$SCRATCH/layout:sound" >out
	cat out
	grep -q 'note: import: not checked' out
}
it 'without a Python, without a runtime: said' no_python

done_testing
