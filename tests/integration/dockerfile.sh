#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# --dockerfile: a base that buildah makes, once; keyed by what it is made of.
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/../lib.sh"
# shellcheck source=tests/registry_lib.sh
. "$(dirname "$0")/../registry_lib.sh"

for program in buildah skopeo umoci jq; do
	command -v $program >/dev/null || {
		echo "no program \"$program\" (make deps)"
		exit 77
	}
done
base=$(need_base) || exit
"$TOP/tests/fixtures/small-channel" "$SCRATCH/channel" normal >/dev/null
unset SOURCE_DATE_EPOCH BUILDAH_ISOLATION

# buildah keeps a file of its own there, also where it is given a folder.
export HOME=$SCRATCH/home
mkdir "$HOME"

# An image to begin with.
umoci init --layout "$SCRATCH/bases"
umoci new --image "$SCRATCH/bases:one" 2>/dev/null
umoci raw add-layer --image "$SCRATCH/bases:one" "$base" 2>/dev/null
umoci config --image "$SCRATCH/bases:one" --os linux \
	--architecture "$(dpkg --print-architecture)" \
	--config.env KEPT=yes 2>/dev/null

cat >"$SCRATCH/a.yml" <<-END
	channels: ["file://$SCRATCH/channel"]
	dependencies: [normal]
END

# project: a Dockerfile with its context in ./p.
project() {
	mkdir -p p/data
	echo hello >p/data/file
	echo secret >p/data/secret
	echo 'data/secret' >p/.dockerignore
	cat >p/Dockerfile <<-END
		ARG FLAVOUR=plain
		FROM oci:$SCRATCH/bases:one AS maker
		RUN mkdir /made && echo from maker >/made/one
		FROM oci:$SCRATCH/bases:one
		ARG WHO=nobody
		COPY --from=maker /made /srv/made
		COPY data /srv/data
		RUN echo \$WHO >/srv/who && ls -a /srv/data >/srv/list
		ENV MADE=by-dockerfile
	END
}

# eb STORE VERB OPTION...
eb() {
	local store=$1 verb=$2
	shift 2
	timeout 100 "$ENVBUILD" "$verb" "${ENV_FILE-$SCRATCH/a.yml}" \
		--cache-dir "$SCRATCH/$store" "$@"
}

# built STORE OPTION...: the reference in a file.
built() {
	local store=$1
	shift
	eb "$store" build "$@" >reference 2>said || {
		cat said
		fail 'it is not built'
	}
}

# Without buildah in PATH.
mkdir "$SCRATCH/bin"
for folder in /usr/local/bin /usr/bin /bin /usr/sbin /sbin; do
	find "$folder" -maxdepth 1 ! -type d ! -name 'buildah*' \
		-exec ln -sf -t "$SCRATCH/bin" {} +
done
bare() {
	PATH=$SCRATCH/bin "$@"
}

inside() {
	"$ENVBUILD" run "$(cat reference)" --cache-dir "$SCRATCH/s" -- "$@"
}

was_made() {
	grep -q '^build dockerfile:' said
}

definition() {
	eb s hash "$@" | sed -n 's/^definition //p'
}

# --- what it makes -----------------------------------------------------------

the_base() {
	project
	built s --dockerfile p/Dockerfile
	was_made || fail 'nothing was made'
	same hello "$(inside cat /srv/data/file)"
	same 'from maker' "$(inside cat /srv/made/one)"
	same nobody "$(inside cat /srv/who)"
	same '. .. file' "$(inside cat /srv/list | tr '\n' ' ' | sed 's/ $//')"
	# shellcheck disable=SC2016 # it is expanded inside
	same 'by-dockerfile yes' "$(inside sh -c 'echo $MADE $KEPT')"
	inside test -d /opt/env/conda-meta
	"$ENVBUILD" verify "$(cat reference)" --cache-dir "$SCRATCH/s"
	[ -z "$(find "$SCRATCH/s/tmp" -mindepth 1 | head -n 1)" ] ||
		fail "left: $(find "$SCRATCH/s/tmp" -mindepth 1 | head -n 3)"
	[ ! -e "$HOME/.local/share/containers/storage/overlay-images" ]
}

known_without_buildah() {
	project
	built s --dockerfile p/Dockerfile
	cp reference first
	bare built s --dockerfile p/Dockerfile
	same "$(cat first)" "$(cat reference)"
	bare built s --dockerfile p/Dockerfile --refresh --offline
	! was_made || fail 'it was made once more'
	same "$(cat first)" "$(bare eb s check --local --dockerfile p/Dockerfile)"
	# another environment on the same base
	printf 'dependencies: []\n' >b.yml
	ENV_FILE=b.yml bare built s --dockerfile p/Dockerfile
	! was_made || fail 'another environment makes it once more'
	inside cat /srv/who
}

the_lock_names_it() {
	project
	eb s lock --dockerfile p/Dockerfile --output a.lock
	jq -e '.locked.executed and (.locked.dockerfile.from | length) == 1 and
		.locked.dockerfile.key == .commentary.steps[0].key and
		.commentary.steps[0].name == "dockerfile"' a.lock
	jq -e --arg image "oci:$SCRATCH/bases:one" \
		'.commentary.dockerfile.from == [$image]' a.lock
	eb s lock --dockerfile p/Dockerfile --json >a.json
	jq -e '.dockerfile.key == .steps[0].key and .dockerfile.unpinned == []' a.json
	built s --dockerfile p/Dockerfile
	# the file is all that a build needs where the store has the base
	bare "$ENVBUILD" build a.lock --cache-dir "$SCRATCH/s" >again
	same "$(cat reference)" "$(cat again)"
	# two builds give the same bytes
	built other --dockerfile p/Dockerfile --lock a.lock
	was_made || fail 'another store has it'
	same "$(cat again)" "$(cat reference)"
	fails 3 'is not in the store' "$ENVBUILD" build a.lock \
		--cache-dir "$SCRATCH/third"
	sed 's/"content": "sha256:./&0/' a.lock >b.lock
	fails 3 '' "$ENVBUILD" build b.lock --cache-dir "$SCRATCH/s"
}

what_is_keyed() {
	project
	local one two
	one=$(definition --dockerfile p/Dockerfile)
	touch -d 2001-01-01 p/data/file
	echo other >p/data/secret
	same "$one" "$(definition --dockerfile p/Dockerfile)"
	same "$one" "$(cd p && definition --dockerfile Dockerfile)"
	[ "$one" != "$(definition)" ]
	[ "$one" != "$(definition --dockerfile p/Dockerfile --build-arg WHO=me)" ]
	[ "$one" != "$(definition --dockerfile p/Dockerfile --context p/data)" ]
	same "$(definition --dockerfile p/Dockerfile --build-arg A=1 --build-arg B=2)" \
		"$(definition --dockerfile p/Dockerfile --build-arg B=2 --build-arg A=0 --build-arg A=1)"
	chmod 755 p/data/file
	two=$(definition --dockerfile p/Dockerfile)
	[ "$one" != "$two" ]
	echo '# a comment counts' >>p/Dockerfile
	[ "$two" != "$(definition --dockerfile p/Dockerfile)" ]
	! strings_of_curl || fail 'the light program has curl in it'
}

strings_of_curl() {
	ldd "$ENVBUILD" | grep -q curl
}

a_change() {
	project
	built s --dockerfile p/Dockerfile
	echo changed >p/data/file
	built s --dockerfile p/Dockerfile
	was_made || fail 'the context has changed'
	same changed "$(inside cat /srv/data/file)"
	built s --dockerfile p/Dockerfile --build-arg WHO=me
	was_made || fail 'an argument has changed'
	same me "$(inside cat /srv/who)"
}

planned() {
	project
	built s --dockerfile p/Dockerfile
	eb s plan --dockerfile p/Dockerfile --json >plan.json
	jq -e '.steps[0] | .kind == "dockerfile" and (.runs | not) and .result' \
		plan.json
	eb s explain --dockerfile p/Dockerfile --no-solve | grep -F dockerfile:p/Dockerfile
	# explaining makes nothing
	eb none explain --dockerfile p/Dockerfile --no-solve 2>said
	! was_made || fail 'it was made'
}

a_team() {
	command -v docker-registry >/dev/null || skip 'no program "docker-registry" (make deps)'
	start_registry team
	project
	skopeo copy -q --dest-tls-verify=false "oci:$SCRATCH/bases:one" \
		"docker://$registry/begin:one"
	sed -i "s,oci:$SCRATCH/bases:one,$registry/begin:one," p/Dockerfile
	built one --dockerfile p/Dockerfile --registry "$registry/t"
	was_made || fail 'nothing was made'
	cp reference first
	key=$(eb one lock --dockerfile p/Dockerfile --registry "$registry/t" \
		--json | jq -r .dockerfile.key)
	key=${key#sha256:}
	skopeo inspect --raw --tls-verify=false \
		"docker://$registry/t:step-${key:0:32}" |
		jq -e '.layers | length > 1'
	printf 'dependencies: []\n' >b.yml
	ENV_FILE=b.yml bare built two --dockerfile p/Dockerfile --registry "$registry/t"
	! was_made || fail 'a second builder makes it once more'
	bare built two --dockerfile p/Dockerfile --registry "$registry/t"
	same "$(cat first)" "$(cat reference)"
	"$ENVBUILD" cache gc --registry "$registry/t" --max-age 1d --cache-dir \
		"$SCRATCH/one" >said 2>&1
	! grep 'unreachable: step-' said || fail 'it is in use'
}

# --- Azure's forms -----------------------------------------------------------

azure_v1() {
	mkdir v1
	cat >v1/azureml_environment.json <<-END
		{"name": "mine", "version": "1",
		 "python": {"userManagedDependencies": true},
		 "docker": {"baseImage": null, "baseDockerfile": "FROM oci:$SCRATCH/bases:one\nRUN mkdir -p /srv && echo one >/srv/v1\n"}}
	END
	ENV_FILE=v1 built s
	was_made || fail 'nothing was made'
	same one "$(inside cat /srv/v1)"
	"$ENVBUILD" load v1 --name kept
	ENV_FILE=kept bare built s
	! was_made || fail 'the name makes it once more'
	same one "$(inside cat /srv/v1)"
	"$ENVBUILD" save kept saved
	grep -q "echo one" saved/BaseDockerfile
}

azure_v2() {
	mkdir -p v2/ctx/docker
	echo two >v2/ctx/file
	printf 'FROM oci:%s\nCOPY file /srv/v2\n' "$SCRATCH/bases:one" \
		>v2/ctx/docker/File
	cat >v2/environment.yml <<-END
		\$schema: https://azuremlschemas.azureedge.net/latest/environment.schema.json
		name: mine
		build:
		  path: ctx
		  dockerfile_path: docker/File
	END
	ENV_FILE=v2/environment.yml built s
	was_made || fail 'nothing was made'
	same two "$(inside cat /srv/v2)"
	echo three >v2/ctx/file
	ENV_FILE=v2/environment.yml built s
	same three "$(inside cat /srv/v2)"
}

# --- what it refuses ---------------------------------------------------------

wrong_use() {
	project
	fails 2 'beside "dockerfile"' eb s build --dockerfile p/Dockerfile --base scratch
	fails 2 '"context" without "dockerfile"' eb s build --context p --base scratch
	fails 2 '"build-arg"' eb s build --dockerfile p/Dockerfile --build-arg =x
	fails 3 '"p/none"' eb s build --dockerfile p/none
	fails 3 'opening the build context' eb s build --dockerfile p/Dockerfile --context none
	# shellcheck disable=SC2016 # it is the Dockerfile's
	printf 'FROM nosuch:$TAG\n' >p/Dockerfile
	fails 3 'argument "TAG" has no value' eb s hash --dockerfile p/Dockerfile
	grep -qF 'p/Dockerfile:1' stderr
}

failures() {
	project
	fails 7 'which is not installed' bare eb none build --dockerfile p/Dockerfile
	fails 4 'nobody may be asked' eb none build --dockerfile p/Dockerfile --offline
	printf 'FROM oci:%s\nRUN echo it cannot be && exit 7\n' \
		"$SCRATCH/bases:one" >p/Dockerfile
	fails 8 'building it: buildah ended with status' eb s build \
		--dockerfile p/Dockerfile
	grep -q '^  | it cannot be$' stderr
	grep -q 'its log ".*-dockerfile.log" ends' stderr
	printf 'FROM oci:%s\nRUN exec sleep 3571\n' "$SCRATCH/bases:one" >p/Dockerfile
	fails 8 'build-time' eb s build --dockerfile p/Dockerfile --limit build-time=4
	! pgrep -f 'sleep 3571' || fail 'it runs still'
	printf 'FROM oci:%s\nRUN head -c 90M /dev/zero >/big && sleep 3571\n' \
		"$SCRATCH/bases:one" >p/Dockerfile
	fails 8 'build-disk' eb s build --dockerfile p/Dockerfile \
		--limit build-disk=100MiB
	[ -z "$(find "$SCRATCH/s/tmp" -mindepth 1 | head -n 1)" ] ||
		fail "left: $(find "$SCRATCH/s/tmp" -mindepth 1 | head -n 3)"
}

# A signal ends what runs, and nothing stays.
a_signal() {
	mkdir p
	printf 'FROM oci:%s\nRUN echo begun; sleep 3583\n' "$SCRATCH/bases:one" \
		>p/Dockerfile
	"$ENVBUILD" build "$SCRATCH/a.yml" --dockerfile p/Dockerfile \
		--cache-dir "$SCRATCH/s" >/dev/null 2>&1 &
	local pid=$! got=0
	for _ in $(seq 100); do
		if pgrep -f '^sleep 3583'; then
			break
		fi
		sleep 0.2
	done
	kill -TERM "$pid"
	wait "$pid" || got=$?
	same 143 "$got"
	! pgrep -f '^sleep 3583' || fail 'it runs still'
	[ -z "$(find "$SCRATCH/s/tmp" -mindepth 1 | head -n 1)" ] ||
		fail "left: $(find "$SCRATCH/s/tmp" -mindepth 1 | head -n 3)"
}

it 'a Dockerfile makes the base' the_base
it 'what is known needs no buildah' known_without_buildah
it 'the lock names content, images, key and result' the_lock_names_it
it 'it is keyed by what it is made of' what_is_keyed
it 'a change makes it anew' a_change
it 'a plan tells of it, explaining makes nothing' planned
it 'a team makes it once' a_team
it "Azure's baseDockerfile" azure_v1
it "Azure's build context" azure_v2
it 'wrong use' wrong_use
it 'what fails is told with its last lines' failures
it 'a signal ends it' a_signal
done_testing
