#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# conda's own settings: which channels there are, what they mean, where they
# are to be had, and with which login; the logins are nowhere else.
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/../lib.sh"
# shellcheck source=tests/faults.sh
. "$(dirname "$0")/../faults.sh"

export HOME=$SCRATCH/home
mkdir "$HOME"
unset RATTLER_AUTH_FILE BINSTAR_CONFIG_DIR NETRC
rc=$HOME/.condarc
root=$SCRATCH/root
small "$root/one" normal
small "$root/two" normal-bz2
# As a mirror is that lags: its index is there, its files are not; or are wrong.
cp -r "$root/one" "$root/empty"
find "$root/empty" -name '*.conda' -delete
cp -r "$root/one" "$root/wrong"
find "$root/wrong" -name '*.conda' -exec sh -c 'echo wrong >"$1"' _ {} \;

for kind in missing wrong whole; do
	fault="--fault $kind=normal"
	[ $kind != whole ] || fault=
	cp -r "$root/one" "$root/$kind-it"
	# shellcheck disable=SC2086 # words
	python3 "$TOP/tests/fixtures/shards-channel" $fault \
		"$root/$kind-it" "$root/$kind-it" || exit 1
	rm "$root/$kind-it"/*/repodata.json*
done

# secret NAME
secret() {
	printf 's3cr3t-%s-%s' "$1" "$(
		printf '%s' "$1$SCRATCH" | md5sum | cut -c 1-8
	)"
}

serve server "$root"
at=http://127.0.0.1:$port
asked=$SCRATCH/server.log
printf 'user:%s' "$(secret basic)" >"$SCRATCH/login"
serve login "$root" "@$SCRATCH/login"
private=127.0.0.1:$port

# build PACKAGES OPTION...: of a file without channels.
build() {
	printf 'dependencies: [%s]\n' "$1" >env.yml
	shift
	"$ENVBUILD" build env.yml --base scratch --cache-dir c "$@"
}

# channels: those that are hashed.
channels() {
	printf 'dependencies: [normal]\n' >env.yml
	"$ENVBUILD" hash env.yml --base scratch --show "$@" |
		sed -n 's/^channel //p' | paste -sd ' '
}

which() {
	local forge=https://conda.anaconda.org/conda-forge
	rm -f "$rc"
	same "$(channels)" "$forge"
	echo 'channels: [a, defaults]' >"$rc"
	same "$(channels | cut -d ' ' -f 1)" https://conda.anaconda.org/a
	same "$(CONDA_CHANNELS=b channels | cut -d ' ' -f 1)" \
		https://conda.anaconda.org/b
	# envbuild's own configuration, the file and the command line go over it.
	printf 'channel: c\n' >own.yml
	same "$(channels --config "$PWD/own.yml")" https://conda.anaconda.org/c
	printf 'channels: [d]\ndependencies: [normal]\n' >env.yml
	same "$("$ENVBUILD" hash env.yml --base scratch --show |
		grep '^channel ')" 'channel https://conda.anaconda.org/d'
	cat >"$rc" <<-END
		channel_alias: https://me:$(secret alias)@conda.example/x
		custom_channels: {mine: https://host.example/y}
		custom_multichannels: {team: [mine2, https://z.example/q]}
		mirrored_channels: {mine: [https://elsewhere.example/m]}
		channels: [mine, team]
	END
	same "$(channels)" "https://host.example/y/mine$(
		) https://conda.example/x/mine2 https://z.example/q"
	same "$(channels --channel-alias https://own.example |
		cut -d ' ' -f 2)" https://own.example/mine2
	printf 'channel_priority: flexible\npinned_packages: [x 1.*]\n' >"$rc"
	"$ENVBUILD" hash env.yml --base scratch --show |
		grep -qx "option pin=x\[version='1.\*'\]"
	"$ENVBUILD" hash env.yml --base scratch --show |
		grep -qx 'option channel-priority=flexible'
	"$ENVBUILD" hash env.yml --base scratch --show \
		--channel-priority strict >text
	has_not text channel-priority
}
it 'which channels there are, and what their names mean' which

wrong() {
	printf 'channels: [a]\nchannel_alias: nowhere\n' >"$rc"
	fails 3 "$rc:2:16: " build normal
	fails 3 "$rc:2:16: " "$ENVBUILD" hash env.yml
	"$ENVBUILD" cache path --cache-dir c
	"$ENVBUILD" doctor --cache-dir c >out
	grep -q "^no .*condarc.*$rc:2:16: \"channel_alias\"" out
	printf 'channels: [a]\n' >"$rc"
	CONDA_PINNED_PACKAGES='x[' fails 3 pinned_packages build normal
	CONDA_OFFLINE=no "$ENVBUILD" doctor --cache-dir c >out
	grep -q "^ok .*condarc  *$rc$" out
	grep -q "^ok .*condarc  *variable CONDA_OFFLINE$" out
}
it 'what is wrong in it is told with its place, by doctor too' wrong

denied() {
	rm -f "$rc"
	printf 'channels: [one]\nchannel_alias: %s\n%s\n' "$at" \
		'denylist_channels: [one]' >"$rc"
	fails 5 "\"$at/one\" is in \"denylist_channels\" of \"$rc\"" \
		build normal
	no_image c
	sed -i 's/^denylist_channels: .*/allowlist_channels: [two]/' "$rc"
	fails 5 "\"$at/one\" is not in \"allowlist_channels\"" build normal
	sed -i 's/\[two\]/[two, one]/' "$rc"
	build normal
}
it 'channels that are not allowed: status 5' denied

multi() {
	cat >"$rc" <<-END
		custom_channels: {one: $at}
		custom_multichannels: {both: [$at/two, file://$root/one]}
		channels: [both]
	END
	build '"both::normal", "both::normal-bz2"'
	fails 1 other build '"other::normal"'
	echo 'channels: [one]' >>"$rc"
	fails 3 channels build normal
}
it 'a multichannel, also in a specification' multi

mirrors() {
	local closed
	closed=$(python3 -c 'import socket
s = socket.socket()
s.bind(("127.0.0.1", 0))
print(s.getsockname()[1])')
	cat >"$rc" <<-END
		channels: [chan]
		mirrored_channels:
		  chan:
		  - http://127.0.0.1:$closed/x
		  - $at/nothing
		  - $at/empty
		  - $at/wrong
		  - file://$root/one
		  - $at/one
	END
	: >"$asked"
	build normal >out 2>err
	has_words err "127.0.0.1:$closed" "\"$at/nothing/" \
		"\"$at/wrong/" "\"file://$root/one/"
	sound c
	has_not "$asked" ' /one/'
	grep -q '^404 - /empty/noarch/normal' "$asked"
	grep -q '^200 - /wrong/noarch/normal' "$asked"
	# What is kept has the channel, not where it came from.
	"$ENVBUILD" lock env.yml --base scratch --cache-dir c --output lock
	same "$(jq -r '.locked.packages[0].channel' lock)" \
		https://conda.anaconda.org/chan
	jq -r '.locked.packages[0].url' lock |
		grep -q '^https://conda.anaconda.org/chan/noarch/normal'
	has_not lock 127.0.0.1
	cp lock first
	# Without mirrors it would be the same definition.
	want=$("$ENVBUILD" hash env.yml --base scratch)
	echo 'channels: [chan]' >"$rc"
	same "$("$ENVBUILD" hash env.yml --base scratch --cache-dir none |
		head -n 1)" "$(echo "$want" | head -n 1)"
	# A lock alone is built by the mirrors, too.
	printf 'mirrored_channels: {chan: [%s]}\n' "$at/one" >"$rc"
	"$ENVBUILD" build first --base scratch --cache-dir d
	sound d
	# All of them are gone.
	printf 'channels: [chan]\nmirrored_channels: {chan: [%s, %s]}\n' \
		"$at/no1" "$at/no2" >"$rc"
	fails 4 chan build normal --cache-dir e
	no_image e
}
it 'mirrors: the next one where one has it not, or wrong' mirrors

# A mirror with shards alone, of which one is missing, is wrong, or all are
# there.
sharded() {
	for kind in missing wrong whole; do
		cat >"$rc" <<-END
			channels: [chan]
			mirrored_channels:
			  chan: [$at/$kind-it, file://$root/one]
		END
		: >"$asked"
		build normal --cache-dir "$kind" >out 2>err
		grep -q "^200 - /$kind-it/noarch/shards/" "$asked" ||
			[ "$kind" = missing ]
		"$ENVBUILD" lock env.yml --base scratch --cache-dir "$kind" \
			--output "$kind.lock"
	done
	has_not err instead
	jq -S .locked whole.lock >want
	for kind in missing wrong; do
		jq -S .locked "$kind.lock" | diff want -
	done
	jq -r '.locked.packages[0].url' whole.lock |
		grep -q ^https://conda.anaconda.org/chan/noarch/
}
it 'mirrors with shards' sharded

indexes_apart() {
	# One place, as a mirror and as a channel of its own: records lie in
	# the one or the other.
	printf 'channels: [chan]\nmirrored_channels: {chan: [%s]}\n' \
		"$at/one" >"$rc"
	printf 'dependencies: [normal]\n' >env.yml
	for _ in 1 2; do
		"$ENVBUILD" lock env.yml --base scratch --cache-dir c \
			--refresh --output one
		"$ENVBUILD" lock env.yml --base scratch --cache-dir c \
			--refresh --channel "$at/one" --output two
	done
	jq -r '.locked.packages[0].url' one | grep -q ^https://conda.anaconda.org
	jq -r '.locked.packages[0].url' two | grep -q "^$at/one/"
}
it 'a place that is a mirror and a channel' indexes_apart

off() {
	printf 'channels: [%s]\noffline: true\n' "$at/one" >"$rc"
	: >"$asked"
	fails 4 '' build normal
	same "$(cat "$asked")" ''
	CONDA_OFFLINE=false build normal
	printf 'channels: [file://%s]\noffline: true\n' "$root/one" >"$rc"
	build normal --cache-dir d
}
it 'offline: nobody is asked, folders are read' off

# ---- logins ------------------------------------------------------------------

nowhere() {
	local name word found
	for name in alias basic token custom; do
		for word in "$(secret "$name")" \
			"$(printf 'user:%s' "$(secret "$name")" | base64 -w 0)"; do
			found=$(grep -raF -l -- "${word%%=*}" "$@") || continue
			fail "the secret of \"$name\" is in: $found"
		done
	done
}

forget() {
	rm -rf "$HOME/.rattler" "$HOME/.mamba" "$HOME/.config" "$rc" c layout
	rm -f "$HOME/.netrc"
}

# used HOW: an image is built of the channel that wants a login; nobody else
# learns it.
used() {
	: >"$SCRATCH/login.log"
	build normal -v --progress json --json --channel "http://$private/one" \
		--output oci:layout >>out 2>>events ||
		fail "$1: $(tail -n 3 events)"
	grep -q '^200 login /one/noarch/normal' "$SCRATCH/login.log"
	"$ENVBUILD" lock env.yml --base scratch --cache-dir c \
		--channel "http://$private/one" --output lock
	"$ENVBUILD" doctor --cache-dir c >>out
	nowhere c layout lock out events "$XDG_STATE_HOME" "$XDG_RUNTIME_DIR"
}

basic() {
	local code
	forget
	fails 5 "$private/one" build normal --channel "http://$private/one"
	mkdir "$HOME/.rattler"
	printf '{"127.0.0.1": {"BasicHTTP": %s}}' \
		"{\"username\": \"user\", \"password\": \"$(secret basic)\"}" \
		>"$HOME/.rattler/credentials.json"
	used rattler
	forget
	printf '{"*.0.1": {"BasicHTTP": %s}}' \
		"{\"username\": \"user\", \"password\": \"$(secret basic)\"}" \
		>auth.json
	RATTLER_AUTH_FILE=$PWD/auth.json used 'RATTLER_AUTH_FILE'
	forget
	mkdir -p "$HOME/.mamba/auth"
	code=$(secret basic | base64 -w 0)
	printf '{"%s/one": {"type": "BasicHTTPAuthentication", %s}}' \
		"$private" "\"user\": \"user\", \"password\": \"$code\"" \
		>"$HOME/.mamba/auth/authentication.json"
	used mamba
	forget
	printf 'machine 127.0.0.1 login user password %s\n' \
		"$(secret basic)" >"$HOME/.netrc"
	chmod 600 "$HOME/.netrc"
	used netrc
	forget
	echo "custom_channels: {one: 'http://user:$(secret basic)@$private'}" \
		>"$rc"
	used 'the settings'
}
it 'logins of rattler, mamba, netrc and the settings: used, nowhere kept' basic

tokens() {
	local token
	forget
	token=$(secret token)
	mkdir -p "$root/t/$token" "$HOME/.config/binstar" "$root/t/$(secret alias)"
	ln -sfn "$root/one" "$root/t/$token/hidden"
	ln -sfn "$root/one" "$root/t/$(secret alias)/hidden"
	XDG_CONFIG_HOME=$HOME/.config
	echo "$token" >"$HOME/.config/binstar/${at/:\/\//%3A%2F%2F}.token"
	: >"$asked"
	build normal -v --channel "$at/hidden" --output oci:layout >>out 2>&1
	grep -q "^200 - /t/$token/hidden/noarch/normal" "$asked"
	jq -r '.locked.packages[0].url' "$(
		"$ENVBUILD" lock env.yml --base scratch --cache-dir c \
			--channel "$at/hidden" --output lock
		echo lock
	)" | grep -q "^$at/hidden/noarch/"
	nowhere c layout out lock "$XDG_STATE_HOME"
	echo 'add_anaconda_token: false' >"$rc"
	fails 4 "$at/hidden" build normal --refresh --channel "$at/hidden"
	forget
	printf 'channel_alias: %s/t/%s\nchannels: [hidden]\n' "$at" \
		"$(secret alias)" >"$rc"
	build normal -v --output oci:layout >>out 2>&1
	nowhere c layout out "$XDG_STATE_HOME"
}
it 'tokens of the anaconda client and of an alias' tokens

failing() {
	forget
	mkdir -p "$HOME/.rattler"
	printf '{"h": {"CondaToken": "%s/.."}}' "$(secret custom)" \
		>"$HOME/.rattler/credentials.json"
	fails 3 credentials.json build normal --channel "$at/one"
	cat stdout stderr >said
	printf '{"h": %s' "$(secret custom)" >"$HOME/.rattler/credentials.json"
	fails 3 credentials.json:1: build normal --channel "$at/one"
	cat stdout stderr >>said
	printf '{"127.0.0.1": {"BearerToken": "%s"}}' "$(secret custom)" \
		>"$HOME/.rattler/credentials.json"
	fails 5 "$private" build normal -v --channel "http://$private/one"
	cat stdout stderr >>said
	nowhere said c "$XDG_STATE_HOME"
}
it 'errors have none of them either' failing

done_testing
