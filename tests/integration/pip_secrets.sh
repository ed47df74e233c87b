#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Credentials of package indexes, from everywhere where they may stand: they
# are used, and nothing that is written, printed, pushed or seen in the list of
# processes has them.
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/../lib.sh"
# shellcheck source=tests/faults.sh
. "$(dirname "$0")/../faults.sh"
# shellcheck source=tests/registry_lib.sh
. "$(dirname "$0")/../registry_lib.sh"

base=$(need_base)
channel=$(need_channel)
builders=$(made builders builders)
need_program git
# shellcheck disable=SC2046 # names
unset $(compgen -e PIP_) NETRC
export PIP_CONFIG_FILE=$SCRATCH/pip.conf HOME=$SCRATCH/home
mkdir "$HOME"

# secret NAME: the password that is used there. Whoever is told it here is told
# by a file, so that no list of processes has it for that.
secret() {
	printf 's3cr3t-%s-%s' "$1" "$(
		printf '%s' "$1$SCRATCH" | md5sum | cut -c 1-8
	)"
}

at=$SCRATCH/index
release() {
	python3 "$TOP/tests/fixtures/index_wheels.py" "$@" >/dev/null || exit 1
}
release "$at/env" 'by-env 1.0 requires=by-more'
release "$at/more" 'by-more 1.0'
release "$at/yaml" 'by-yaml 1.0'
release "$at/conf" 'by-conf 1.0'
release "$at/netrc" 'by-netrc 1.0'
release "$at/file" 'by-file 1.0'
release "$at/direct" 'by-url 1.0' 'by-source 1.0 kind=static'
release "$at/early" 'by-early 1.0 kind=backend requires=by-conf'
release "$at" 'by-git 1.0 kind=static format=folder'
cp "$builders"/*.whl "$at/env"
cp "$builders"/*.whl "$at/conf"
git -C "$at/by_git-1.0" init -q
git -C "$at/by_git-1.0" add .
git -C "$at/by_git-1.0" -c user.name=x -c user.email=x@example commit -qm one
git clone -q --bare "$at/by_git-1.0" "$at/git/repository.git"
git -C "$at/git/repository.git" update-server-info
echo "$(secret token):" >"$SCRATCH/login"
serve git "$at/git" "@$SCRATCH/login"
git_port=$port

places='env more yaml conf netrc file direct early'
for place in $places; do
	printf '%s\n' --index "$place=$at/$place" \
		--login "$place=user:$(secret "$place")"
done >"$SCRATCH/options"
start_index index "@$SCRATCH/options"

# of PLACE [HOST]: its index, with its credentials.
of() {
	echo "http://user:$(secret "$1")@127.0.0.1:$port/$1/simple/"
}

export PIP_INDEX_URL PIP_EXTRA_INDEX_URL NETRC=$SCRATCH/netrc
PIP_INDEX_URL=$(of env)
PIP_EXTRA_INDEX_URL=$(of more)
printf 'machine localhost login user password %s\n' "$(secret netrc)" >"$NETRC"
printf '[global]\nindex-url = %s\n' "$(of conf)" >"$PIP_CONFIG_FILE"
chmod 600 "$NETRC" "$PIP_CONFIG_FILE"

define() {
	cat >environment.yml <<-EOF
		dependencies:
		- python
		- pip:
		  - --extra-index-url $(of yaml)
		  - --extra-index-url http://localhost:$port/netrc/simple/
		  - -r more.txt
		  - by-env
		  - by-yaml
		  - by-netrc
		  - "by-url @ http://user:$(secret direct)@127.0.0.1:$port/direct/files/by_url-1.0-py3-none-any.whl"
		  - "by-source @ http://user:$(secret direct)@127.0.0.1:$port/direct/files/by_source-1.0.tar.gz"
		  - "by-git @ git+http://$(secret token)@127.0.0.1:$git_port/repository.git"
	EOF
	printf '%s\n' "--extra-index-url $(of file)" by-file >more.txt
}

# watched COMMAND...: with the lists of arguments of all processes meanwhile
# in the file "seen".
watched() {
	python3 -c 'import os, subprocess, sys, time
p, seen = subprocess.Popen(sys.argv[1:]), set()
while p.poll() is None:
    for pid in os.listdir("/proc"):
        if pid.isdigit():
            try:
                with open("/proc/%s/cmdline" % pid, "rb") as f:
                    seen.add(f.read())
            except OSError:
                pass
    time.sleep(0.002)
with open("seen", "ab") as f:
    f.write(b"\n".join(sorted(seen)))
sys.exit(p.returncode)' "$@"
}

eb() {
	local verb=$1
	shift
	watched timeout 50 "$ENVBUILD" "$verb" environment.yml \
		--base "rootfs:$base" --channel "file://$channel" \
		--cache-dir c --pyc none "$@"
}

# unpacked FOLDER: beside each compressed file what is in it.
unpacked() {
	local file
	find "$1" -type f | while read -r file; do
		gzip -dc <"$file" >"$file.plain" 2>/dev/null ||
			rm "$file.plain"
	done
}

# nowhere PATH...: none of the secrets is there, as it is or in Base64.
nowhere() {
	local place word found
	for place in $places token; do
		for word in "$(secret "$place")" \
			"$(printf 'user:%s' "$(secret "$place")" | base64)" \
			"$(printf '%s:' "$(secret "$place")" | base64)"; do
			# The last of Base64 depends on what follows.
			found=$(grep -raF -l -- "${word%%=*}" "$@") || continue
			fail "the secret of \"$place\" is in: $found"
		done
	done
}

whole() {
	start_registry images
	define
	eb build -v --progress json --json --registry "$registry/team" \
		--output rootfs:root --output oci:layout \
		>out 2>events || fail "$(tail -n 5 events)"
	for name in env more yaml netrc file url source git; do
		[ -e "root/opt/env/lib/python3.11/site-packages/by_$name" ] ||
			fail "by-$name is not there"
	done
	# It was a matter of credentials: without them nothing is had.
	for place in $places; do
		curl -s "http://127.0.0.1:$port/$place/simple/" |
			grep -q 'who are you' || fail "$place is open"
	done
	{
		eb lock -v --output env.lock
		eb hash
		eb check --local
		eb verify -v
	} >>out 2>>events
	grep -q by-git env.lock
	[ "$(wc -l <seen)" -gt 10 ]
	cp -r "$SCRATCH/images/data" pushed
	unpacked c
	unpacked layout
	unpacked pushed
	[ "$(find pushed -name '*.plain' | wc -l)" -ge 5 ]
	nowhere c pushed layout root out events seen env.lock \
		"$XDG_STATE_HOME" "$XDG_RUNTIME_DIR" "$SCRATCH/images"
}
it 'used, and nowhere written: store, log, lock, layers, registry' whole

# Where the resolver runs in the environment's own root it gets them, too.
in_the_root() {
	unset PIP_INDEX_URL PIP_EXTRA_INDEX_URL
	printf 'dependencies:\n- python\n- pip:\n  - %s\n  - by-early\n' \
		"--extra-index-url $(of early)" >environment.yml
	eb build -v --progress json --output rootfs:root >out 2>events ||
		fail "$(tail -n 5 events)"
	grep -q 'by_early-1.0.tar.gz.* is asked what it requires' events
	[ -e root/opt/env/lib/python3.11/site-packages/by_early ]
	[ -e root/opt/env/lib/python3.11/site-packages/by_conf ]
	unpacked c
	nowhere c root out events seen "$XDG_STATE_HOME"
}
it 'and in the root where a source is asked' in_the_root

# What goes wrong is told without them, too.
failing() {
	define
	printf '  - nothere\n' >>environment.yml
	fails 1 nothere eb build -v --json --progress json
	cat stdout stderr >>said
	define
	sed -i "s/by_url-1.0-py3/by_url-1.1-py3/" environment.yml
	fails 4 by_url eb build -v
	cat stdout stderr >>said
	define
	printf 'by-file\n--extra-index-url %s extra\n' "$(of file)" >more.txt
	fails 3 more.txt eb build -v
	cat stdout stderr >>said
	define
	sed -i 's/- python$/- python/; s/^  - by-env$/  - by-env ~~ 1/' \
		environment.yml
	fails 3 environment.yml eb build -v
	cat stdout stderr >>said
	PIP_INDEX_URL=http://user:$(secret file)@127.0.0.1:$port/env/simple/
	define
	fails 5 'refuses' eb build -v --refresh
	cat stdout stderr >>said
	nowhere said seen "$XDG_STATE_HOME" c
}
it 'errors have none either' failing

done_testing
