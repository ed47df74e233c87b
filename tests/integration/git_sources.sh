#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Commits of repositories in a pip section: fetched by this machine's git, over
# an ssh of our own, into an environment whose base has neither.
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/../lib.sh"
# shellcheck source=tests/faults.sh
. "$(dirname "$0")/../faults.sh"

base=$(need_base)
channel=$(need_channel)
builders=$(made builders builders)
PATH=$PATH:/usr/sbin
for program in git ssh sshd ssh-agent; do
	need_program $program
done
# shellcheck disable=SC2046 # names
unset $(compgen -e PIP_) $(compgen -e GIT_) SSH_AUTH_SOCK SSH_ASKPASS
export PIP_CONFIG_FILE=/dev/null PIP_NO_INDEX=1 PIP_FIND_LINKS=$builders
export HOME=$SCRATCH/home
mkdir "$HOME"
user=$(id -un)

# --- repositories -------------------------------------------------------------

# committed FOLDER [TAG]: all that is there.
committed() {
	local name
	name="-c user.name=x -c user.email=x@example"
	[ -d "$1/.git" ] || git -C "$1" init -q -b main
	git -C "$1" add -A
	# shellcheck disable=SC2086 # words
	git -C "$1" $name commit -qm more
	[ -z "${2-}" ] || git -C "$1" tag "$2"
}

# a_setup FOLDER NAME VERSION-EXPRESSION [MODULE]: its metadata has to be asked
# for.
a_setup() {
	mkdir -p "$1"
	printf 'from setuptools import setup\nimport os\n' >"$1/setup.py"
	printf 'setup(name="%s", version=%s, py_modules=["%s"])\n' \
		"$2" "$3" "${4:-$2}" >>"$1/setup.py"
	echo "where = 'a repository'" >"$1/${4:-$2}.py"
}

at=$SCRATCH/git
a_setup "$at/asked" asked '"1.0"'
committed "$at/asked" v1
# Says its version by what it is told of its tags.
a_setup "$at/tagged" tagged 'os.environ["SETUPTOOLS_SCM_PRETEND_VERSION"]'
committed "$at/tagged" v1.2.3
# Two projects in one, of which one says all.
mkdir -p "$at/both/packages/first"
printf '[project]\nname = "first"\nversion = "2.5"\n[build-system]\n%s\n%s\n' \
	'requires = ["flit_core"]' 'build-backend = "flit_core.buildapi"' \
	>"$at/both/packages/first/pyproject.toml"
printf '[project.optional-dependencies]\nmore = ["flit_core"]\n' \
	>>"$at/both/packages/first/pyproject.toml"
printf '"first"\n' >"$at/both/packages/first/first.py"
sed -i '/^version/a description = "first"' \
	"$at/both/packages/first/pyproject.toml"
a_setup "$at/both/second" second '"3.0"'
committed "$at/both"

# --- ssh -----------------------------------------------------------------------

keys=$SCRATCH/ssh
mkdir -m 700 "$keys"
for key in host other-host key stranger locked; do
	word=
	[ $key != locked ] || word=locked
	ssh-keygen -q -t ed25519 -N "$word" -C "$key" -f "$keys/$key"
done
cat "$keys/key.pub" "$keys/locked.pub" >"$keys/authorized"
# A server that root starts wants its folder.
if [ "$(id -u)" = 0 ] && [ ! -d /run/sshd ]; then
	mkdir -m 755 /run/sshd
	trap 'rmdir /run/sshd; kill $server 2>/dev/null; rm -rf "$SCRATCH"' EXIT
else
	trap 'kill $server 2>/dev/null; rm -rf "$SCRATCH"' EXIT
fi
for _ in 1 2 3 4 5; do
	port=$(python3 -c 'import socket
s = socket.socket()
s.bind(("127.0.0.1", 0))
print(s.getsockname()[1])')
	: >"$keys/log"
	"$(command -v sshd)" -D -e -f /dev/null -h "$keys/host" \
		-o ListenAddress="127.0.0.1:$port" -o PidFile=none \
		-o AuthorizedKeysFile="$keys/authorized" -o StrictModes=no \
		-o UsePAM=no -o PasswordAuthentication=no \
		-o KbdInteractiveAuthentication=no -o PermitRootLogin=yes \
		-o PrintMotd=no 2>"$keys/log" &
	server=$!
	for _ in $(seq 100); do
		! grep -q 'Server listening' "$keys/log" || break 2
		kill -0 $server 2>/dev/null || break
		sleep 0.05
	done
done

# configure KEY HOST-KEY: a configuration of ssh, as ~/.ssh has one; the host
# "code" is the server.
configure() {
	printf '[127.0.0.1]:%s %s\n' "$port" "$(cut -d ' ' -f 1,2 "$2")" \
		>"$keys/known"
	printf '%s\n' 'Host code' 'HostName 127.0.0.1' "Port $port" \
		"User $user" "UserKnownHostsFile $keys/known" \
		'GlobalKnownHostsFile /dev/null' 'IdentitiesOnly yes' \
		"IdentityFile $1" >"$keys/config"
}
configure "$keys/key" "$keys/host.pub"
export GIT_SSH_COMMAND="ssh -F $keys/config"
ssh -F "$keys/config" -o BatchMode=yes code true 2>"$keys/said" || {
	echo "no ssh to this machine: $(tail -n 1 "$keys/said")" >&2
	exit 77
}
ssh=git+ssh://code$at

# --- builds ----------------------------------------------------------------------

define() {
	printf 'dependencies:\n- python\n- pip:\n' >environment.yml
	printf "  - '%s'\n" "$@" >>environment.yml
}

eb() {
	local verb=$1
	shift
	timeout 100 "$ENVBUILD" "$verb" environment.yml --base "rootfs:$base" \
		--channel "file://$channel" --cache-dir c --pyc none "$@"
}

# of NAME FIELD: of the lock's package.
of() {
	jq -r --arg name "$1" ".locked.packages[] | select(.name == \$name) | $2" \
		env.lock
}

site=root/opt/env/lib/python3.11/site-packages

by_ssh() {
	local commit first
	commit=$(git -C "$at/asked" rev-parse HEAD)
	define "asked @ $ssh/asked@main"
	eb build --output rootfs:root -v 2>said || fail "$(cat said)"
	grep -q '"asked" is asked what it requires' said
	same "$(cat "$site/asked.py")" "where = 'a repository'"
	jq -S -c . "$site"/asked-1.0.dist-info/direct_url.json >is
	jq -S -c . >should <<-END
		{"url": "ssh://code$at/asked", "vcs_info": {"vcs": "git",
		 "requested_revision": "main", "commit_id": "$commit"}}
	END
	diff is should
	eb lock --output env.lock
	same "$(of asked .commit)" "$commit"
	same "$(of asked .version)" 1.0
	# The same from the lock, though the branch went on.
	first=$(eb hash | grep '^definition')
	echo 'where = "another"' >"$at/asked/asked.py"
	committed "$at/asked"
	same "$(eb hash | grep '^definition')" "$first"
	rm -rf root c
	eb build --lock env.lock --output rootfs:root
	same "$(cat "$site/asked.py")" "where = 'a repository'"
	eb lock --refresh --output env.lock
	[ "$(of asked .commit)" = "$(git -C "$at/asked" rev-parse HEAD)" ]
	eb run -- sh -c '! command -v git && ! command -v ssh'
	# Who logs in belongs to the URL, what it logs in by does not.
	define "asked @ git+ssh://$user:s3cr3t@code$at/asked"
	sed -i "s/^User .*/User nobody-of-that-name/" "$keys/config"
	eb lock --output env.lock 2>said
	grep -qF "ssh://$user@code" env.lock
	! grep -r s3cr3t env.lock said c "$XDG_STATE_HOME" ||
		fail 'a password is there'
	sound c
}
it 'a branch by ssh, whose base has neither git nor ssh' by_ssh

folders() {
	configure "$keys/key" "$keys/host.pub"
	define "first[more] @ $ssh/both#subdirectory=packages/first" \
		"-e $ssh/both@main#egg=second&subdirectory=second" \
		"$ssh/asked@v1"
	eb build --output rootfs:root -v 2>said || fail "$(cat said)"
	same "$(grep -c 'fetching "ssh' said)" 3
	[ -e "$site"/first.py ] && [ -e "$site"/second.py ] && [ -e "$site"/flit_core ]
	same "$(cat "$site/asked.py")" "where = 'a repository'"
	eb lock --output env.lock
	same "$(of first '.version, .subdirectory')" $'2.5\npackages/first'
	same "$(of second '.version, .subdirectory')" $'3.0\nsecond'
	same "$(of asked '.version, .revision')" $'1.0\nv1'
	jq -e '.vcs_info.requested_revision == null and
		.subdirectory == "packages/first"' \
		"$site"/first-2.5.dist-info/direct_url.json
	sound c
}
it 'folders of a repository, extras, a tag, no name at all' folders

# The tags tell what their own tools would ask git for.
versions() {
	define "tagged @ git+file://$at/tagged"
	eb lock --output env.lock
	same "$(of tagged .version)" 1.2.3
	echo >>"$at/tagged/tagged.py"
	committed "$at/tagged"
	define "tagged @ git+file://$at/tagged@main"
	eb build --output rootfs:root -q
	eb lock --output env.lock
	same "$(of tagged .version)" \
		"1.2.4.dev1+g$(git -C "$at/tagged" rev-parse --short HEAD)"
	[ -e "$site"/tagged.py ]
	# What no branch leads to is had by its name.
	git -C "$at/tagged" update-ref refs/pull/1/head HEAD
	git -C "$at/tagged" reset -q --hard HEAD~1
	define "tagged @ git+file://$at/tagged@refs/pull/1/head"
	eb lock --output env.lock
	same "$(of tagged .version | cut -c 1-10)" 1.2.4.dev1
	eb build -q --lock env.lock --output rootfs:again
	define "tagged @ git+file://$at/tagged@not-there"
	fails 1 'has no branch, tag or commit "not-there"' eb lock
	has_words stderr environment.yml:4: '  hint: '
	sound c
}
it 'versions by tags; a ref that is no branch, one that is not there' versions

# refused STATUS WORDS...: at its line, at once, and nothing is left.
refused() {
	local want=$1
	shift
	fails "$want" "$1" eb lock --refresh
	has_words stderr "$@" environment.yml:4: '  hint: '
	sound c
}

logins() {
	define "asked @ $ssh/asked"
	eb lock >/dev/null
	configure "$keys/key" "$keys/other-host.pub"
	refused 5 'REMOTE HOST IDENTIFICATION HAS CHANGED' known_hosts
	: >"$keys/known"
	refused 5 'Host key verification failed' known_hosts
	configure "$keys/stranger" "$keys/host.pub"
	refused 5 'Permission denied' ssh-add
	# A passphrase is not asked for; the agent may know it.
	configure "$keys/locked" "$keys/host.pub"
	SSH_ASKPASS=$(command -v false) DISPLAY=:9 refused 5 'Permission denied'
	printf '#!/bin/sh\necho locked\n' >askpass
	chmod +x askpass
	eval "$(ssh-agent -s -a "$PWD/agent")" >/dev/null
	SSH_ASKPASS=$PWD/askpass SSH_ASKPASS_REQUIRE=force DISPLAY=:9 \
		ssh-add -q "$keys/locked" </dev/null || got=$?
	[ "${got-0}" != 0 ] || eb lock --refresh >stdout || got=$?
	kill "$SSH_AGENT_PID"
	same "${got-0}" 0
	configure "$keys/key" "$keys/host.pub"
	listens=$(sed -n 's/^Port //p' "$keys/config")
	sed -i "s/^Port .*/Port 1/" "$keys/config"
	fails 4 'Connection refused' eb lock --refresh
	sed -i "s/^Port .*/Port $listens/" "$keys/config"
	sed -i 's|asked$|none|; s|/asked.$|/none'"'|" environment.yml
	fails 4 'does not appear to be a git repository' eb lock --refresh
	fails 4 'offline' eb lock --refresh --offline
}
it 'keys and hosts that are not known are refused, without a question' logins

# without PROGRAM: PATH without it.
without() {
	local folder
	mkdir programs
	for folder in /bin /usr/bin /usr/local/bin; do
		ln -s -f -t programs "$folder"/*
	done
	rm "programs/$1"
	export PATH=$PWD/programs
	hash -r
}

no_git() {
	define "asked @ git+file://$at/asked"
	without git
	refused 7 'there is no program "git"'
}
it 'no git: said' no_git

no_ssh() {
	unset GIT_SSH_COMMAND
	define "asked @ $ssh/asked"
	without ssh
	refused 7 'there is no program "ssh"'
}
it 'no ssh: said' no_ssh

# What a repository brings, and what its user has switched on for others.
nothing_runs() {
	a_setup "$at/module" module '"1.0"'
	committed "$at/module"
	a_setup "$at/with" with-module '"1.0"' with_module
	printf '*.py filter=lfs\n*.txt filter=other\n' >"$at/with/.gitattributes"
	git init -q -b main "$at/with"
	git -C "$at/with" -c protocol.file.allow=always submodule --quiet add \
		"../module" below 2>/dev/null
	committed "$at/with"
	git config --global filter.lfs.smudge "touch $PWD/ran"
	git config --global filter.lfs.process "touch $PWD/ran"
	git config --global filter.lfs.required true
	mkdir hooks
	printf '#!/bin/sh\ntouch %s/ran\n' "$PWD" >hooks/post-checkout
	chmod +x hooks/post-checkout
	git config --global core.hooksPath "$PWD/hooks"
	define "with-module @ $ssh/with" \
		"module @ $ssh/with#subdirectory=below"
	eb build -q --output rootfs:root
	[ -e "$site"/module.py ] && [ -e "$site"/with_module.py ]
	[ ! -e ran ] || fail 'something ran'
	# Its modules lie where it does, not on this machine.
	git -C "$at/with" config -f .gitmodules submodule.below.url \
		"file://$at/module"
	HOME=/nonexistent committed "$at/with"
	fails 4 "transport 'file' not allowed" eb lock --refresh
	sound c
}
it 'modules are fetched; hooks and filters are not run' nothing_runs

done_testing
