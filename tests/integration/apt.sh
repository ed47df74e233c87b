#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# --apt: system packages, installed once by the base's own apt, as a layer on
# the base. The base has a repository of its own, which is all that its sources
# name.
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/../lib.sh"
# shellcheck source=tests/registry_lib.sh
. "$(dirname "$0")/../registry_lib.sh"

[ "$(id -u)" = 0 ] || {
	echo 'apt gives files to several users: without root that needs /etc/subuid'
	exit 77
}
for program in dpkg-deb dpkg-scanpackages skopeo jq; do
	command -v $program >/dev/null || {
		echo "no program \"$program\" (make deps)"
		exit 77
	}
done
debian=$(made apt.tar debian-apt)
"$TOP/tests/fixtures/small-channel" "$SCRATCH/channel" normal >/dev/null
unset SOURCE_DATE_EPOCH

# --- the base ----------------------------------------------------------------

# deb NAME VERSION [FIELD]...: what is in $SCRATCH/deb, into the repository.
deb() {
	local root=$SCRATCH/deb name=$1 version=$2
	shift 2
	mkdir -p "$root/DEBIAN" "$SCRATCH/root/repo"
	printf '%s\n' "Package: $name" "Version: $version" 'Architecture: all' \
		'Maintainer: nobody <nobody@example>' "Description: $name" "$@" \
		>"$root/DEBIAN/control"
	find "$root" -exec touch -h -d '2020-01-02 03:04:05Z' {} +
	dpkg-deb --build --uniform-compression -Zgzip "$root" \
		"$SCRATCH/root/repo/${name}_$version.deb" >/dev/null
	rm -rf "$root"
}

make_packages() {
	local root=$SCRATCH/deb
	mkdir -p "$root/usr/lib/greet"
	echo words >"$root/usr/lib/greet/words"
	deb libgreet 2:1.0-1
	mkdir -p "$root/usr/bin" "$root/etc" "$root/DEBIAN" "$root/var/log/greeter"
	printf '#!/bin/sh\ncat /usr/lib/greet/words\n' >"$root/usr/bin/greeter"
	chmod 755 "$root/usr/bin/greeter"
	cp "$root/usr/bin/greeter" "$root/usr/bin/greeter-su"
	chmod 4755 "$root/usr/bin/greeter-su"
	ln -s greeter "$root/usr/bin/greet"
	ln "$root/usr/bin/greeter" "$root/usr/bin/hello"
	mkdir "$root/etc/init.d"
	printf '#!/bin/sh\ntouch /srv/started\n' >"$root/etc/init.d/greeter"
	chmod 755 "$root/etc/init.d/greeter"
	echo 'words=kind' >"$root/etc/greeter.conf"
	chown 0:42 "$root/etc/greeter.conf"
	chmod 640 "$root/etc/greeter.conf"
	echo /etc/greeter.conf >"$root/DEBIAN/conffiles"
	cat >"$root/DEBIAN/postinst" <<-'END'
		#!/bin/sh
		set -e
		rm /srv/old/one
		rm -r /srv/gone
		echo made >/var/lib/greeter.state
		echo log >/var/log/greeter/log
		mkfifo /var/lib/greeter.pipe
		invoke-rc.d greeter start
		ldconfig
	END
	chmod 755 "$root/DEBIAN/postinst"
	deb greeter 1.0 'Depends: libgreet (>= 2:1)' 'Recommends: surplus'
	deb surplus 1.0
	mkdir -p "$root/DEBIAN"
	printf '#!/bin/sh\necho it cannot be >&2\nexit 3\n' >"$root/DEBIAN/postinst"
	chmod 755 "$root/DEBIAN/postinst"
	deb broken 1.0
	mkdir -p "$root/DEBIAN"
	printf '#!/bin/sh\nexec sleep 100\n' >"$root/DEBIAN/postinst"
	chmod 755 "$root/DEBIAN/postinst"
	deb endless 1.0
}

make_base() {
	local root=$SCRATCH/root
	(cd "$root/repo" && dpkg-scanpackages --multiversion . >Packages) 2>/dev/null
	mkdir -p "$root/etc/apt/sources.list.d" "$root/srv/old" "$root/srv/gone/deep"
	echo 'deb [trusted=yes] file:/repo ./' >"$root/etc/apt/sources.list.d/own.list"
	echo 1 >"$root/srv/old/one"
	echo 2 >"$root/srv/old/two"
	echo 3 >"$root/srv/gone/deep/three"
	cp "$debian" "$SCRATCH/base.tar"
	tar --delete --file "$SCRATCH/base.tar" --wildcards \
		'./etc/apt/sources.list.d/?*' './etc/apt/apt.conf.d/99*'
	tar --append --file "$SCRATCH/base.tar" --directory "$root" \
		--owner=0 --group=0 --sort=name repo srv/old srv/gone \
		etc/apt/sources.list.d/own.list
}

make_packages
make_base

# --- the tool ----------------------------------------------------------------

define() {
	printf 'name: %s\nchannels: ["file://%s"]\ndependencies: [normal]\n' \
		"$1" "$SCRATCH/channel" >"$1.yml"
}

# eb STORE VERB NAME OPTION...
eb() {
	local store=$1 verb=$2 name=$3
	shift 3
	[ -e "$name.yml" ] || define "$name"
	timeout 100 "$ENVBUILD" "$verb" "$name.yml" --base "rootfs:$SCRATCH/base.tar" \
		--as-of 2100-01-01 --cache-dir "$SCRATCH/$store" "$@"
}

# built STORE NAME OPTION...: the reference in a file.
built() {
	local store=$1 name=$2
	shift 2
	eb "$store" build "$name" "$@" >reference 2>said || {
		cat said
		fail 'it is not built'
	}
}

inside() {
	"$ENVBUILD" run "$(cat reference)" --cache-dir "$SCRATCH/s" -- "$@"
}

was_installed() {
	grep -q '^build system packages' said
}

# layer IMAGE: the second one of an OCI layout, listed.
layer() {
	local digest
	digest=$(skopeo inspect --raw "oci:$1" |
		jq -r '.layers[] | select(.annotations["dev.envbuild.step-key"]).digest')
	tar tvzf "$1/blobs/sha256/${digest#*:}" --numeric-owner --full-time
}

# --- what it makes -----------------------------------------------------------

they_are_there() {
	built s a --apt greeter --output oci:image
	was_installed || fail 'nothing was installed'
	same words "$(inside greeter)"
	same words "$(inside greet)"
	same words=kind "$(inside cat /etc/greeter.conf)"
	same two "$(inside ls /srv/old)"
	fails 2 '' inside ls /srv/gone /srv/started
	# shellcheck disable=SC2016 # dpkg-query expands it
	same "ii  greeter ii  libgreet " \
		"$(inside dpkg-query -W -f '${db:Status-Abbrev} ${Package} ' 'gree*' libgreet)"
	inside test -d /opt/env/conda-meta
	grep -q 'set-id bits.*"/usr/bin/greeter-su"$' said
	grep -q '"/var/lib/greeter.pipe" is no file' said
}

the_layer() {
	built s a --apt greeter --output oci:image
	layer image >listed
	cat listed
	grep -q '^-rwxr-xr-x 0/0 .*2020-01-02 03:04:05 usr/bin/greeter-su$' listed
	grep -q '^lrwx.* usr/bin/greet -> greeter$' listed
	grep -q '^hrwx.* usr/bin/hello link to usr/bin/greeter$' listed
	grep -q '^-rw-r----- 0/42 .*2020-01-02 03:04:05 etc/greeter.conf$' listed
	grep -q '^-.*1980-01-01 00:00:00 var/lib/greeter.state$' listed
	grep -q ' srv/old/.wh.one$' listed
	grep -q ' srv/.wh.gone$' listed
	grep -q '^d.* var/log/greeter/$' listed
	! grep -E 'var/log/.*[^/]$|var/lib/apt/lists/.|var/cache/apt/.|policy-rc|greeter.pipe|srv/gone|ld.*aux|-old$|/(lock|Lock)' listed ||
		fail 'it has what is of the moment'
	! grep -q 'srv/old/two\|usr/bin/dpkg$\|surplus' listed
}

right_above_the_base() {
	built s a --apt greeter --output oci:image
	skopeo inspect --raw oci:image |
		jq -c '[.layers[] | .annotations // {} | keys | join(" ")]' >kinds
	grep -q '^\["","dev.envbuild.step-key","dev.envbuild.layer-key"' kinds ||
		fail "$(cat kinds)"
	"$ENVBUILD" verify "$(cat reference)" --cache-dir "$SCRATCH/s"
	mkdir unpacked
	umoci raw unpack --image image:"$(jq -r '.manifests[0].annotations["org.opencontainers.image.ref.name"]' image/index.json)" unpacked/root
	test -h unpacked/root/usr/bin/greet
	[ ! -e unpacked/root/srv/old/one ]
}

the_lock_names_it() {
	eb s lock a --apt greeter --output a.lock
	jq -e '.locked.apt.packages == ["greeter"] and .locked.executed and
		.locked.apt.date == "2100-01-01"' a.lock
	jq -e '.commentary.steps[] | select(.name == "apt") |
		.packages == ["greeter=1.0", "libgreet=2:1.0-1"] and
		(.result | startswith("sha256:"))' a.lock
	eb s lock a --apt greeter --json >a.json
	jq -e '.apt.packages == ["greeter"] and
		(.apt.key == (.steps[] | select(.name == "apt").key))' a.json
	# the file is all that a build needs
	"$ENVBUILD" build a.lock --cache-dir "$SCRATCH/s" --base \
		"rootfs:$SCRATCH/base.tar" >again
	built s a --apt greeter
	same "$(cat reference)" "$(cat again)"
	sed 's/"greeter"/"other"/' a.lock >b.lock
	fails 3 'was changed after it was made' "$ENVBUILD" build b.lock \
		--cache-dir "$SCRATCH/s"
}

once_for_all_environments() {
	printf '# for greeting\n\n greeter # twice\ngreeter\n' >apt.txt
	built s b --apt apt.txt
	! was_installed || fail 'it was installed once more'
	same words "$(inside greet)"
	built s c --apt 'surplus, greeter' --apt libgreet
	was_installed || fail 'another list has the same layer'
	inside dpkg-query -W surplus
}

the_same_bytes() {
	built s a --apt greeter
	cp reference first
	built other a --apt greeter
	was_installed || fail 'another store has it'
	same "$(cat first)" "$(cat reference)"
	built other a --apt greeter --compression zstd
	! was_installed || fail 'it is made for each compressor'
}

with_a_date() {
	built dated a --apt greeter --source-date-epoch 1500000000 --output oci:image
	layer image >listed
	grep -q '2017-07-14 02:40:00 usr/bin/greeter$' listed
	! grep -E ' 20(1[89]|2)' listed || fail 'something is younger'
}

definitions() {
	local one two
	define a
	one=$("$ENVBUILD" hash a.yml --apt greeter,surplus | sed -n 's/^definition //p')
	two=$("$ENVBUILD" hash a.yml --apt 'surplus greeter' | sed -n 's/^definition //p')
	same "$one" "$two"
	[ "$one" != "$("$ENVBUILD" hash a.yml | sed -n 's/^definition //p')" ]
	[ "$one" != "$("$ENVBUILD" hash a.yml --apt greeter | sed -n 's/^definition //p')" ]
}

planned() {
	eb plan plan d --apt greeter --json >plan.json
	jq -e '.steps[0] | .kind == "apt" and .runs and .needs == "runtime"' plan.json
	jq -e '[.layers[].kind][1] == "apt"' plan.json
	eb plan plan d --apt greeter | grep '^apt .*an OCI runtime .*greeter: runs$'
	eb s plan d --apt greeter --json >plan.json
	jq -e '.steps[0] | .kind == "apt" and (.runs | not) and .result' plan.json
	jq -e '.layers[1] | .kind == "apt" and .store and .size > 0' plan.json
}

a_team() {
	command -v docker-registry >/dev/null || skip 'no program "docker-registry" (make deps)'
	start_registry team
	built one a --apt greeter --registry "$registry/t"
	was_installed || fail 'nothing was installed'
	cp reference first
	built two e --apt greeter --registry "$registry/t"
	! was_installed || fail 'a second builder installs it once more'
	eb two lock e --apt greeter --registry "$registry/t" --json >e.json
	jq -e '.steps[] | select(.name == "apt") |
		.packages == ["greeter=1.0", "libgreet=2:1.0-1"]' e.json
	built three a --apt greeter --registry "$registry/t"
	same "$(cat first)" "$(cat reference)"
	skopeo inspect --raw --tls-verify=false "docker://$(cat reference)" |
		jq -e '.layers[1].annotations["dev.envbuild.step-key"]'
}

# --- what it refuses ---------------------------------------------------------

unknown_packages() {
	fails 3 '"nosuch" (--apt): the apt sources of base' eb s build a --apt greeter,nosuch
	fails 3 '"greeter=7" (--apt)' eb s build a --apt greeter=7
	grep -q '^  | E: Version' stderr
	fails 2 '"Greeter" (--apt) is no name' eb s build a --apt Greeter
	fails 2 '"greeter-" (--apt) is no name' eb s build a --apt greeter-
	fails 2 '"--purge" (--apt) is no name' eb s build a --apt=--purge
	fails 3 'two versions' eb s build a --apt greeter,greeter=1.0
	printf 'greeter\n\nno_name\n' >apt.txt
	fails 3 'apt.txt:3' eb s build a --apt ./apt.txt
	fails 3 'missing.txt' eb s build a --apt missing.txt
}

failures() {
	fails 8 'apt-get ended with status 100' eb s build a --apt broken
	grep -q '^  | it cannot be$' stderr
	grep -q 'its log ".*-apt.log" ends' stderr
	fails 8 'build-time' eb s build a --apt endless --limit build-time=5
	[ -z "$(find "$SCRATCH/s/tmp" -mindepth 1 | head -n 1)" ] ||
		fail "left: $(find "$SCRATCH/s/tmp" -mindepth 1 | head -n 3)"
}

other_bases() {
	define a
	fails 3 'has no apt-get' "$ENVBUILD" build a.yml --apt greeter \
		--base "rootfs:$(need_base)" --cache-dir "$SCRATCH/s"
	fails 3 'scratch' "$ENVBUILD" build a.yml --apt greeter --base scratch \
		--cache-dir "$SCRATCH/s"
	ENVBUILD_RUNTIME=/nonexistent fails 7 '"/nonexistent"' eb none build a \
		--apt greeter
}

it 'system packages are in the image' they_are_there
it 'their layer holds what they changed, and nothing of the moment' the_layer
it 'it lies right above the base' right_above_the_base
it 'the lock names list, date, key, result and versions' the_lock_names_it
it 'another environment installs nothing' once_for_all_environments
it 'two builds give the same bytes' the_same_bytes
it 'SOURCE_DATE_EPOCH is the latest time' with_a_date
it 'the list is part of the definition, its order is not' definitions
it 'a plan tells of the step and its layer' planned
it 'a team installs them once' a_team
it 'unknown packages are named' unknown_packages
it 'what fails is told with its last lines' failures
it 'bases and machines without what it takes' other_bases
done_testing
