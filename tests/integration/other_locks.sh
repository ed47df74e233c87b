#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Lists and locks of other tools as what is to be built: explicit lists,
# conda-lock.yml, pixi.lock, lists of specs; package files among the lines of a
# YAML. The channel is that of the fixtures, and a copy of it over HTTP.
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/../lib.sh"

# shellcheck source=tests/faults.sh
. "$(dirname "$0")/../faults.sh"

base=$(need_base)
channel=$(need_channel)
serve channel "$channel"

eb() {
	local verb=$1
	shift
	"$ENVBUILD" "$verb" --base "rootfs:$base" --cache-dir "$PWD/c" "$@"
}

# write_lock FORM CHANNEL: what another tool would write of all its packages
# but the older greeting. FORM: md5, sha256, none (explicit lists), conda-lock,
# pixi.
write_lock() {
	python3 - "$channel" "$@" <<-'END'
		import json, sys
		folder, form, channel = sys.argv[1:]
		records = []
		for subdir in 'linux-64', 'noarch':
		    with open(f'{folder}/{subdir}/repodata.json') as f:
		        data = json.load(f)
		    for part in 'packages', 'packages.conda':
		        for fn, r in data[part].items():
		            if not fn.startswith('greeting-1.0'):
		                r['url'] = f'{channel}/{subdir}/{fn}'
		                records.append(r)
		def locked(r):
		    return {'name': r['name'], 'version': r['version'],
		            'manager': 'conda', 'platform': 'linux-64',
		            'dependencies': {}, 'url': r['url'],
		            'hash': {'md5': r['md5'], 'sha256': r['sha256']},
		            'category': 'main', 'optional': False}
		def pixi(r):
		    keys = ('sha256', 'md5', 'depends', 'constrains', 'license',
		            'size', 'timestamp', 'python_site_packages_path')
		    return {'conda': r['url'],
		            **{k: r[k] for k in keys if k in r}}
		if form == 'conda-lock':
		    print(json.dumps({'version': 1, 'metadata': {
		        'platforms': ['linux-64']},
		        'package': [locked(r) for r in records]}, indent=1))
		elif form == 'pixi':
		    print(json.dumps({'version': 6, 'environments': {'default': {
		        'channels': [{'url': channel}], 'packages': {
		            'linux-64': [{'conda': r['url']} for r in records]}}},
		        'packages': [pixi(r) for r in records]}, indent=1))
		else:
		    print('# platform: linux-64\n@EXPLICIT')
		    for r in records:
		        hashes = {'md5': '#' + r['md5'], 'none': '',
		                  'sha256': '#sha256:' + r['sha256']}
		        print(r['url'] + hashes[form])
	END
}

# packages_of LOCK: the records but for their place and who asked for them.
packages_of() {
	jq -S '[.locked.packages[] | del(.url, .channel, .requested)]' "$1"
}

solved() {
	cat >env.yml <<-EOF
		channels: ["file://$channel"]
		dependencies: [greeting, python, prefixed]
	EOF
	eb lock env.yml --output solved.lock
}

all_forms() {
	local form
	solved
	packages_of solved.lock >want
	for form in md5 sha256 conda-lock pixi; do
		write_lock "$form" "file://$channel" >"x.$form"
		eb lock "x.$form" --output "$form.lock" 2>told
		packages_of "$form.lock" >got
		diff want got || fail "$form"
		! grep -q 'asked themselves' told || fail "$form: repodata"
		jq -e '[.locked.packages[].requested] | all' "$form.lock"
		eb lint "x.$form"
	done
	jq -S .locked md5.lock >one
	for form in sha256 conda-lock pixi; do
		jq -S .locked "$form.lock" | diff one - || fail "$form"
	done
}
it 'each form gives the lock that solving gives, record by record' all_forms

as_they_stand() {
	write_lock sha256 "file://$channel" >x.txt
	eb build x.txt
	eb run x.txt -- python -c 'import greeting; print("fine")' >out
	same "$(cat out)" fine
	eb check x.txt >hit
	# the same on standard input, in another order: the same definition
	same "$(eb hash x.txt | grep ^definition)" \
		"$(sort -r x.txt | eb hash - | grep ^definition)"
	fails 3 'has its packages already' eb lock x.txt --conda-package zlib
	fails 3 'is a lock' "$ENVBUILD" register x.txt --name mine
	eb explain x.txt >out
	grep -q 'runs on the CPU' out
}
it 'built, run, and nothing added' as_they_stand

# A folder that is no channel: the packages themselves are asked.
without_repodata() {
	solved
	packages_of solved.lock >want
	mkdir -p bare
	cp -r "$channel"/* bare
	find bare -name 'repodata*' -delete
	write_lock md5 "file://$PWD/bare" >x.txt
	eb lock x.txt --output x.lock 2>told
	cat told
	grep -q 'its packages are asked themselves' told
	packages_of x.lock >got
	diff want got
	# of one that is not in a subdir: it says that itself
	mkdir flat
	cp bare/noarch/greeting-1.1-* flat
	sed -i "s,^file.*/\(greeting-.*\),./flat/\1," x.txt
	eb lock x.txt --output x.lock
	packages_of x.lock | diff want -
}
it 'without repodata a package says what it is' without_repodata

other_bytes() {
	write_lock none "file://$channel" >x.txt
	fails 3 'x.txt:3:' eb lock x.txt
	write_lock sha256 "file://$channel" >x.txt
	sed -i '/zlib/s/sha256:..../sha256:0000/' x.txt
	fails 6 zlib eb lock x.txt
	write_lock md5 "file://$channel" >x.txt
	sed -i '/zlib/s/#..../#0000/' x.txt
	fails 6 zlib eb lock x.txt
	write_lock conda-lock "file://$channel" |
		sed 's/"sha256": "..../"sha256": "0000/; /"md5"/d' >x.yml
	fails 6 sha256 eb lock x.yml
	write_lock pixi "file://$channel" |
		sed 's/"sha256": "..../"sha256": "0000/; /"md5"/d' >x.lock
	fails 6 sha256 eb build x.lock
	fails 3 'for linux-64, not for linux-aarch64' \
		eb lock x.lock --platform linux/arm64
	fails 3 'no environment "test"; there is default' \
		eb lock x.lock --environment test
	fails 2 'is no conda-lock.yml' eb lock x.lock --category dev
}
it 'other bytes, other platforms, other environments: refused' other_bytes

over_http() {
	write_lock sha256 "http://127.0.0.1:$port" >x.txt
	eb lock x.txt --output x.lock
	same "$(jq '.locked.packages | length' x.lock)" 14
	! grep -E '\.(conda|bz2)$' "$SCRATCH/channel.log" || fail 'a package'
	write_lock pixi "http://127.0.0.1:$port" >pixi.lock
	eb lock pixi.lock --offline --output pixi.out
	diff <(jq -S .locked x.lock) <(jq -S .locked pixi.out)
}
it 'over HTTP repodata alone is asked for; by a pixi.lock nothing' over_http

lists() {
	printf '# comment\nfile://%s::greeting >=1\npython 3.11.*\n' \
		"$channel" >conda-packages.txt
	eb lock conda-packages.txt --channel "file://$channel" --output a.lock
	cat >env.yml <<-EOF
		dependencies: [python=3.11, "file://$channel::greeting>=1"]
	EOF
	same "$(eb hash env.yml --channel "file://$channel" | grep ^def)" \
		"$(eb hash conda-packages.txt --channel "file://$channel" |
			grep ^def)"
	jq -e '.locked.packages | length == 13' a.lock
	printf 'greeting=1.0\nzlib=1.2.13\n' >list.txt
	eb lock list.txt --channel "file://$channel" --output b.lock
	jq -e '.locked.packages[] | select(.name == "greeting") |
		.version == "1.0"' b.lock
}
it 'lists of specs are environment files without the rest' lists

# A package file among the lines: what it needs comes from the channels.
files() {
	local md5
	mkdir -p dist
	cp "$channel"/noarch/greeting-1.0-* dist
	md5=$(md5sum <dist/greeting-1.0-py_0.conda | cut -d' ' -f1)
	cat >env.yml <<-EOF
		channels: ["file://$channel"]
		dependencies:
		- ./dist/greeting-1.0-py_0.conda#$md5
		- zlib
	EOF
	eb lock env.yml --output a.lock
	jq -e '.locked.packages[] | select(.name == "greeting") |
		.version == "1.0" and .requested' a.lock
	jq -e '[.locked.packages[].name] | index("python")' a.lock
	eb run env.yml -- python -c 'import greeting; print("fine")' >out
	same "$(cat out)" fine
	eb hash env.yml --show | grep -q '^conda-file sha256:.* greeting-1.0'
	sed -i "s/#$md5/#00000000000000000000000000000000/" env.yml
	fails 6 'env.yml:3:3' eb lock env.yml
	sed -i 's/1.0-py_0/1.2-py_0/' env.yml
	fails 4 'env.yml:3:3' eb lock env.yml
}
it 'package files among the lines of an environment file' files

done_testing
