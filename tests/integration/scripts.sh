#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Packages' own scripts: post-link scripts are run once, in the sandbox, and what
# they change is a layer; activation scripts are sourced once, and what they
# change is in the image's environment, or sourced by its entrypoint.
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/../lib.sh"
# shellcheck source=tests/registry_lib.sh
. "$(dirname "$0")/../registry_lib.sh"

for program in skopeo umoci jq crun; do
	command -v $program >/dev/null || {
		echo "no program \"$program\" (make deps)"
		exit 77
	}
done
base=$(need_base) || exit 77
CHANNEL=$SCRATCH/channel
"$TOP/tests/fixtures/small-channel" "$CHANNEL" normal link-one link-two \
	link-fails link-endless link-writes link-meta acts odd-acts acts-ends \
	pre-link icu >/dev/null
unset SOURCE_DATE_EPOCH

# --- the tool ----------------------------------------------------------------

# eb STORE VERB PACKAGES OPTION...
eb() {
	local store=$1 verb=$2 packages=$3
	shift 3
	printf 'name: e\nchannels: ["file://%s"]\ndependencies: [%s]\n%s\n' \
		"$CHANNEL" "$packages" 'variables: {MINE: mine}' >env.yml
	timeout 100 "$ENVBUILD" "$verb" env.yml --base "rootfs:$base" \
		--cache-dir "$SCRATCH/$store" "$@"
}

# built STORE PACKAGES OPTION...: the reference in a file.
built() {
	local store=$1 packages=$2
	shift 2
	eb "$store" build "$packages" "$@" >reference 2>said || {
		cat said
		fail 'it is not built'
	}
}

inside() {
	"$ENVBUILD" run "$(cat reference)" --cache-dir "$SCRATCH/s" -- "$@"
}

ran() {
	grep -q '^build post-link scripts' said
}

was_sourced() {
	grep -q '^build activation scripts' said
}

manifest() {
	skopeo inspect --raw "oci:$1"
}

# layer IMAGE: that of the scripts, listed.
layer() {
	local digest
	digest=$(manifest "$1" |
		jq -r '.layers[] | select(.annotations["dev.envbuild.step-key"]).digest')
	tar tvzf "$1/blobs/sha256/${digest#*:}" --numeric-owner --full-time
}

config() {
	skopeo inspect --config "oci:$1"
}

nothing_left() {
	[ -z "$(find "$SCRATCH/$1/tmp" -mindepth 1 | head -n 1)" ] ||
		fail "left: $(find "$SCRATCH/$1/tmp" -mindepth 1 | head -n 3)"
}

# --- post-link ---------------------------------------------------------------

they_run() {
	built s 'normal, link-two' --output oci:image
	cat said
	ran || fail 'nothing was run'
	same 'link-one 1.0 0 /opt/env /opt/env' "$(inside cat /opt/env/share/made)"
	same "$(printf 'one\ntwo')" "$(inside cat /opt/env/share/order)"
	same "$(printf 'of two\nchanged')" "$(inside cat /opt/env/share/changes)"
	same "$(inside cat /opt/env/share/leads)" "$(inside cat /opt/env/share/made)"
	same 3 "$(inside cat /opt/env/share/stays)"
	same outside "$(inside cat /srv/outside/file)"
	fails 2 '' inside ls /opt/env/share/goes /opt/env/share/folder \
		/opt/env/share/both \
		/opt/env/.messages.txt /tmp/dropped
	same lo "$(inside cat /opt/env/share/interfaces | tr -d ' ')"
	grep -q '^package "link-one" says: one says this$' said
	grep -q '^package "link-one" says: and that$' said
	grep -q '^post-link scripts changed "share/changes"$' said
	grep -q 'set-id bits.*"/opt/env/share/runs"$' said
	grep -q 'this is for the log' "$XDG_STATE_HOME"/envbuild/log/*-post-link.log
	nothing_left s
}

the_layer() {
	built s 'normal, link-two' --output oci:image
	layer image >listed
	cat listed
	grep -q '^-rw-r--r-- 0/0 .* 1980-01-01 00:00:00 opt/env/share/made$' listed
	grep -q '^-rwxr-xr-x 0/0 .* 2020-09-13 12:26:40 opt/env/share/runs$' listed
	grep -q '^lrwx.* opt/env/share/leads -> made$' listed
	grep -q ' opt/env/share/.wh.goes$' listed
	grep -q ' opt/env/share/.wh.folder$' listed
	grep -q ' srv/outside/file$' listed
	! grep -E 'stays|messages|dropped|folder/|normal|[.]conda|[.]json' listed ||
		fail 'it has what was not changed'
	manifest image | jq -c '[.layers[1:][].annotations | keys[]]' >kinds
	cat kinds
	grep -q '"dev.envbuild.layer-key","dev.envbuild.step-key","dev.envbuild.layer-key"\]$' kinds
	umoci raw unpack --image image:"$(jq -r '.manifests[0].annotations["org.opencontainers.image.ref.name"]' image/index.json)" unpacked
	same "$(printf 'of two\nchanged')" "$(cat unpacked/opt/env/share/changes)"
	[ ! -e unpacked/opt/env/share/goes ]
	[ ! -e unpacked/opt/env/share/folder ]
	[ ! -e unpacked/opt/env/share/both ]
	grep -q '"share/changes"' unpacked/opt/env/conda-meta/link-two-1.0-0.json
}

verified() {
	built s 'normal, link-two'
	"$ENVBUILD" verify "$(cat reference)" --cache-dir "$SCRATCH/s" >found
	cat found
	grep -q '5 files of packages were changed or removed by post-link' found
	same "$(printf 'share/both/file\nshare/changes\nshare/folder/deep/file\nshare/goes\nshare/runs')" \
		"$(inside cat /opt/env/conda-meta/envbuild.changed)"
}

the_same_bytes() {
	built s 'normal, link-two, acts'
	cp reference first
	built other 'normal, link-two, acts'
	ran || fail 'another store has it'
	was_sourced || fail 'another store has it'
	same "$(cat first)" "$(cat reference)"
	built other 'link-two, acts, normal' --compression zstd
	! ran || fail 'it is made for each compressor'
	! was_sourced || fail 'it is sourced for each compressor'
	built other 'link-two, acts'
	ran || fail 'other packages have the same result'
	built other 'link-two, acts' --source-date-epoch 1500000000 --output oci:image
	layer image >listed
	! grep -E ' 20(1[89]|2)' listed || fail 'something is younger'
}

the_lock_names_them() {
	built s 'normal, link-two, acts'
	eb s lock 'normal, link-two, acts' --output e.lock
	jq -e '.commentary.executed and .locked.policy["post-link"] == "run"' e.lock
	jq -e '[.commentary.steps[].name] | sort == ["activation", "post-link"]' e.lock
	jq -e '.commentary.steps[] | (.result, .key) | startswith("sha256:")' e.lock
	"$ENVBUILD" build e.lock --cache-dir "$SCRATCH/s" --base "rootfs:$base" >again
	same "$(cat reference)" "$(cat again)"
}

skipped() {
	built s 'normal, link-two' --post-link skip
	grep -q '^warning: the post-link script of "link-one-1.0-0.conda" is not run' said
	! ran || fail 'it was run'
	same 'of two' "$(inside cat /opt/env/share/changes)"
	fails 5 '"link-one-1.0-0.conda" has a post-link script' eb s build \
		link-one --post-link error
	fails 7 '"pre-link-1.0-0.conda" has a pre-link script' eb s build pre-link
	grep -q -- '--post-link=skip builds without it' stderr
}

failures() {
	fails 8 '"link-fails-1.0-0.conda", running its post-link script: it ended with status 3' \
		eb s build link-fails
	grep -q '^  | it cannot be$' stderr
	grep -q 'its log ".*-post-link.log" ends' stderr
	grep -q -- '--post-link=skip' stderr
	fails 8 'build-time' eb s build link-endless --limit build-time=2
	grep -q '"link-endless-1.0-0.conda"' stderr
	fails 8 'build-disk' eb s build link-writes --limit build-disk=64MiB
	fails 8 '"opt/env/conda-meta/link-meta-1.0-0.json"' eb s build link-meta
	nothing_left s
}

machines() {
	ENVBUILD_RUNTIME=/nonexistent fails 7 '"/nonexistent"' eb none build link-one
	grep -q -- '--post-link=skip builds without it' stderr
	ENVBUILD_RUNTIME=/nonexistent fails 7 '"/nonexistent"' eb none build acts
	grep -q -- '--activation=none builds without it' stderr
	printf 'dependencies: [link-one]\n' >bare.yml
	fails 7 'has a shell' "$ENVBUILD" build bare.yml --base scratch \
		--channel "file://$CHANNEL" --cache-dir "$SCRATCH/none"
	grep -q '"link-one-1.0-0.conda"' stderr
	fails 7 'on this machine' eb none build link-one --platform linux/arm64
}

# --- activation --------------------------------------------------------------

in_the_environment() {
	built s 'normal, acts' --output oci:image
	was_sourced || fail 'nothing was sourced'
	config image | jq -r '.config.Env[]' >variables
	cat variables
	grep -qx "ACTS=it's on" variables
	grep -qx 'ACTS_HOME=/opt/env/acts' variables
	grep -qx 'ACTS_STAYS=kept' variables
	grep -qx 'MINE=mine' variables
	grep -q '^PATH=/opt/env/acts/bin:/opt/env/bin:' variables
	grep -qx 'CONDA_PREFIX=/opt/env' variables
	grep -qx 'CONDA_SHLVL=1' variables
	! grep -E '^(ACTS_GOES|local_alone|SHLVL|PWD|OLDPWD|_|HOME|LC_ALL|PYTHON.*|SOURCE_DATE_EPOCH)=' variables ||
		fail 'it has what is none of the scripts'
	grep -q '^warning: activation: "acts.sh" ended with status 1$' said
	# shellcheck disable=SC2016 # by the image's shell
	same "it's on/first second" "$(inside sh -c 'echo $ACTS/$ACTS_LINES')"
	jq -e '.commentary.steps[] | select(.name == "activation")' \
		<(eb s lock 'normal, acts')
	built s 'normal, acts' --refresh
	! was_sourced || fail 'it was sourced once more'
	nothing_left s
}

no_variables() {
	built s 'acts, odd-acts' --output oci:image
	cat said
	grep -q '^warning: activation: "acts_function" (functions)' said
	grep -q '^warning: activation: "acts_alias" (aliases)' said
	grep -q '^warning: activation: "/opt" (the working folder)' said
	grep -q '^warning: activation: "0077" (umask)' said
	grep -q '^warning: activation: "CONDA_PREFIX" stays as it is' said
	grep -q '^warning: activation: what is done to "/opt/dropped"' said
	config image | jq -e '.config.Env | index("CONDA_PREFIX=/opt/env") and
		index("ACTS_LAST=/opt/env/acts")'
	fails 2 '' inside ls /opt/dropped
	fails 8 '"acts-ends.sh", sourcing it: the shell ended in it' \
		eb s build 'acts, acts-ends'
	grep -q '^  | no licence$' stderr
	grep -q -- '--activation=none' stderr
}

after_post_link() {
	built s 'link-one, acts'
	same "it's on" "$(inside cat /opt/env/share/activated)"
}

by_an_entrypoint() {
	built s 'normal, acts' --activation entrypoint \
		--output oci:image
	! was_sourced || fail 'it was sourced'
	config image | jq -e '.config.Entrypoint == ["/opt/env/bin/.envbuild-entrypoint"] and
		([.config.Env[] | select(startswith("ACTS="))] == []) and
		(.config.Env | index("ACTS_STAYS=kept"))'
	# shellcheck disable=SC2016 # by the image's shell
	same "it's on///opt/env/acts/a b" \
		"$(inside sh -c 'echo "$ACTS/$ACTS_GOES/$ACTS_HOME/$1"' sh 'a b')"
	# shellcheck disable=SC2016
	ENVBUILD_RUNTIME=crun inside sh -c 'case $PATH in /opt/env/acts/bin:*) ;; *) exit 5 ;; esac'
	fails 3 '' inside sh -c 'exit 3'
}

# The base's own entrypoint follows, with the command as its arguments.
before_the_base_s() {
	umoci init --layout plain
	umoci new --image plain:v1
	umoci raw add-layer --image plain:v1 "$base"
	umoci config --image plain:v1 --config.entrypoint /usr/bin/env \
		--config.entrypoint OWN=own --config.cmd /usr/bin/env
	printf 'dependencies: [acts]\n' >env.yml
	timeout 100 "$ENVBUILD" build env.yml --base oci:plain:v1 \
		--channel "file://$CHANNEL" --cache-dir "$SCRATCH/s" \
		--activation entrypoint --output oci:image >reference
	config image | jq -e '.config.Entrypoint ==
		["/opt/env/bin/.envbuild-entrypoint", "/usr/bin/env", "OWN=own"]'
	"$ENVBUILD" run "$(cat reference)" --cache-dir "$SCRATCH/s" >said
	grep -qx OWN=own said
	grep -qx "ACTS=it's on" said
}

# The script of libxml2 as conda-forge has it, by three shells.
a_real_package() {
	local real=conda/packages/conda-forge-2024-py310 want
	want='file:///opt/env/etc/xml/catalog file:///etc/xml/catalog'
	need_data "$real/linux-64/repodata.json"
	printf 'dependencies: [libxml2]\n' >env.yml
	for way in env entrypoint; do
		CONDA_OVERRIDE_GLIBC=2.36 timeout 100 "$ENVBUILD" build env.yml \
			--base "rootfs:$base" --channel "file://$ENVBUILD_DATA/$real" \
			--channel "file://$CHANNEL" \
			--platform linux/amd64 --activation "$way" \
			--cache-dir "$SCRATCH/s" >reference
		# shellcheck disable=SC2016 # by the image's shell
		same "$want" "$(inside sh -c 'echo "$XML_CATALOG_FILES"')"
	done
	# shellcheck disable=SC2016
	same "$want" "$(inside bash -c 'echo "$XML_CATALOG_FILES"')"
}

left_out() {
	built s 'normal, acts' --activation none --output oci:image
	! was_sourced || fail 'it was sourced'
	grep -q '^warning: the activation of "acts-1.0-0.conda" is not run$' said
	config image | jq -e '[.config.Env[] | select(test("^(ACTS|CONDA)"))] == []'
}

# --- plans, teams ------------------------------------------------------------

planned() {
	eb plan plan 'link-two, acts' --json >plan.json
	jq -e '.steps == [] and ."unknown-paths" == 3' plan.json
	fails 8 '' eb plan build 'link-two, acts' --limit build-time=2 \
		--limit build-disk=1
	eb plan plan 'link-two, acts' --json >plan.json
	jq -c .steps plan.json
	jq -e '.steps[] | select(.kind == "post-link") | .runs and .possible and
		.needs == "runtime" and (.packages | sort) == ["link-one", "link-two"]' plan.json
	jq -e '.steps[] | select(.kind == "activation") | .runs and
		.packages == ["acts"]' plan.json
	jq -e '.layers[-2] | .kind == "post-link" and .size == null' plan.json
	eb plan plan 'link-two, acts' |
		grep '^post-link .*an OCI runtime .*scripts: 2 packages$'
	eb plan plan 'link-two, acts' --post-link skip --activation none --json |
		jq -e '[.steps[].runs] == [false, false]'
	eb plan plan 'link-two, acts' --post-link error |
		grep 'the build would end with it'
	built plan 'link-two, acts'
	eb plan plan 'link-two, acts' --json >plan.json
	jq -e '.steps | length == 2 and all((.runs | not) and .result)' plan.json
	jq -e '.layers[-2] | .kind == "post-link" and .store and .size > 0' plan.json
}

a_team() {
	need_program docker-registry
	start_registry team
	built one 'link-two, acts' --registry "$registry/t"
	ran || fail 'nothing was run'
	was_sourced || fail 'nothing was sourced'
	cp reference first
	eb two plan 'link-two, acts' --registry "$registry/t" --refresh --json >plan.json
	jq -e '.steps[] | select(.kind == "activation") | .result' plan.json
	built two 'link-two, acts' --registry "$registry/t" --refresh
	! ran || fail 'a second builder runs them once more'
	! was_sourced || fail 'a second builder sources them once more'
	same "$(cat first)" "$(cat reference)"
	# the same packages, another definition
	built three 'acts, link-one, link-two' --registry "$registry/t"
	! ran || fail 'another definition runs them once more'
	eb three lock 'acts, link-one, link-two' --registry "$registry/t" |
		jq -e '[.commentary.steps[].name] | sort == ["activation", "post-link"]'
	skopeo inspect --raw --tls-verify=false "docker://$(cat reference)" |
		jq -e '.layers[-2].annotations["dev.envbuild.step-key"]'
	skopeo list-tags --tls-verify=false "docker://$registry/t" |
		jq -e '[.Tags[] | select(startswith("step-"))] | length == 2'
}

# --- somebody else -----------------------------------------------------------

another_user() {
	local runtime=crun
	[ "$(id -u)" = 0 ] || skip 'not root, so nobody else to be'
	need_program setpriv
	home=$(mktemp -d /tmp/envbuild.XXXXXX) # others may enter
	trap 'rm -rf "$home"' EXIT
	cp "$base" "$home/base.tar"
	cp -r "$CHANNEL" "$home/channel"
	printf 'dependencies: [link-two, acts]\n' >"$home/env.yml"
	chown -R 65533:65533 "$home"
	as_user() {
		(cd / && exec setpriv --reuid 65533 --regid 65533 --clear-groups \
			env -i PATH="$PATH" HOME="$home" \
			ENVBUILD_RUNTIME="$runtime" "$@")
	}
	as_user test -x "$ENVBUILD" || skip "\"$ENVBUILD\" is out of reach of others"
	as_user unshare -U true || skip 'no user namespaces for other users'
	as_user timeout 100 "$ENVBUILD" build "$home/env.yml" --base \
		"rootfs:$home/base.tar" --channel "file://$home/channel" >reference 2>said || {
		cat said
		fail 'it is not built'
	}
	ran || fail 'nothing was run'
	as_user "$ENVBUILD" inspect "$(cat reference)" --json >seen.json
	eb s build 'link-two, acts' >by-root
	"$ENVBUILD" inspect "$(cat by-root)" --cache-dir "$SCRATCH/s" --json >root.json
	same "$(jq -c '.layers[-2].digest' root.json)" \
		"$(jq -c '.layers[-2].digest' seen.json)"
	same '' "$(ls -A "$home/.cache/envbuild/tmp")"
}

it 'post-link scripts run in link order, without a network' they_run
it 'their layer holds what they changed, below the last one' the_layer
it 'verify knows what they changed' verified
it 'two builds give the same bytes' the_same_bytes
it 'the lock names both steps, their keys and results' the_lock_names_them
it '--post-link skip and error; pre-link scripts' skipped
it 'a script that fails or runs into a limit: status 8 and its log' failures
it 'machines and bases without what it takes: status 7 and the option' machines
it 'what activation changes is in the environment' in_the_environment
it 'what is no variable is told; one that ends the shell' no_variables
it 'activation comes before post-link scripts' after_post_link
it '--activation entrypoint sources them each time' by_an_entrypoint
it 'and then executes the entrypoint of the base' before_the_base_s
it 'a real package, both ways' a_real_package
it '--activation none leaves them' left_out
it 'a plan tells of both, what they need, and the layer' planned
it 'a team runs them once' a_team
it 'another user gets the same layer' another_user
done_testing
