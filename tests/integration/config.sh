#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Configuration: the files, what wins over what, and the policy of the system's
# file.
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/../lib.sh"
# shellcheck source=tests/faults.sh
. "$(dirname "$0")/../faults.sh"

small "$SCRATCH/one" normal
small "$SCRATCH/two" normal-bz2
one=file://$SCRATCH/one
two=file://$SCRATCH/two
user=$XDG_CONFIG_HOME/envbuild/config.yml
mkdir -p "${user%/*}"
unset ENVBUILD_BASE ENVBUILD_CACHE_DIR ENVBUILD_PLATFORM ENVBUILD_PROGRESS
unset SOURCE_DATE_EPOCH

# shown KEY OPTION...: the definition's lines with this key.
shown() {
	local key=$1
	shift
	printf 'dependencies: [normal]\n' >e.yml
	"$ENVBUILD" hash --show e.yml "$@" 2>stderr | sed -n "s/^$key //p"
}

user_file() {
	rm -f "$user"
	same "$(shown option)" ''
	cat >"$user" <<-END
		base: scratch
		channel: [$one, $two]
		pyc: none
		cache-dir: $PWD/c
		limit: {member-size: 8KiB}
	END
	same "$(shown channel)" "$(printf '%s\n%s' "$one" "$two")"
	same "$(shown base)" scratch
	same "$(shown option)" pyc=none
	same "$("$ENVBUILD" cache path)" "$PWD/c"
	fails 3 '8192' "$ENVBUILD" build e.yml
	no_image c
	"$ENVBUILD" build e.yml --limit member-size=1MiB
	sound c
	# The channels are those of a file that names none.
	printf 'channels: [x]\ndependencies: [normal]\n' >x.yml
	"$ENVBUILD" hash --show x.yml >said
	has_not said "$one"
}
it "the user's file: channels, base, pyc, cache, limits" user_file

# Command line over environment over file.
order() {
	printf 'platform: linux/arm64\ncache-dir: %s/c\n' "$PWD" >"$user"
	same "$(shown platform)" linux/arm64
	same "$(ENVBUILD_PLATFORM=linux/amd64 shown platform)" linux/amd64
	same "$(ENVBUILD_PLATFORM=linux/amd64 shown platform \
		--platform linux/arm64)" linux/arm64
	same "$(ENVBUILD_CACHE_DIR=$PWD/d "$ENVBUILD" cache path)" "$PWD/d"
	same "$(ENVBUILD_CACHE_DIR=$PWD/d "$ENVBUILD" cache path \
		--cache-dir "$PWD/e")" "$PWD/e"
	fails 2 '"ENVBUILD_PLATFORM"' env ENVBUILD_PLATFORM=dos/386 \
		"$ENVBUILD" hash e.yml
	has_words stderr '"dos/386"' linux/amd64
	fails 2 '"platform"' "$ENVBUILD" hash e.yml --platform dos/386
	# --config stands in the place of the user's file.
	printf 'platform: linux/amd64\npyc: none\n' >other.yml
	same "$(shown platform --config other.yml)" linux/amd64
	same "$(shown option --config=other.yml)" pyc=none
	same "$("$ENVBUILD" cache path --config other.yml)" \
		"$XDG_CACHE_HOME/envbuild"
	fails 3 '"nothing.yml"' "$ENVBUILD" hash e.yml --config nothing.yml
	fails 2 --config "$ENVBUILD" hash e.yml --config
}
it 'command line over environment over file; --config' order

# wrong TEXT PLACE WORDS...: a file of this text is refused by each command.
wrong() {
	local text=$1 place=$2 file
	shift 2
	printf 'dependencies: [normal]\n' >e.yml
	for file in "$user" ./own.yml; do
		# shellcheck disable=SC2059
		printf -- "$text" >"$file"
		fails 3 "envbuild: $file:$place: " "$ENVBUILD" hash e.yml \
			--config "$file"
		has_words stderr "$@"
		fails 3 "envbuild: $file:$place: " "$ENVBUILD" build e.yml \
			--config "$file" --cache-dir "$PWD/c" --base scratch
	done
	fails 3 "envbuild: $user:$place: " "$ENVBUILD" cache list
	rm "$user"
	[ ! -e c ]
}

wrong_files() {
	wrong 'pyc: none\nnonsense: 1\n' 2:1 '"nonsense"'
	wrong 'bas: scratch\n' 1:1 '"bas"'
	wrong 'pyc: sometimes\n' 1:6 '"sometimes"' compile
	wrong 'jobs: many\n' 1:7 '"many"'
	wrong 'max-age: 3 weeks\n' 1:10 '"3 weeks"'
	wrong 'limit: {nonsense: 3}\n' 1:9 '"nonsense=3"'
	wrong 'limit: {member-size: large}\n' 1:9 '"large"'
	wrong 'channel: {a: b}\n' 1:10 '"channel"'
	wrong 'channel: [[a]]\n' 1:11 '"channel"'
	wrong 'channel: [a\n' 2:1 YAML
	wrong 'pyc: none\npyc: compile\n' 2:1 '"pyc"'
	wrong '- pyc\n' 1:1 map
	wrong 'words\n' 1:1 map
	: >"$user"
	"$ENVBUILD" hash e.yml
	rm "$user"
	mkdir "$user"
	fails 3 "\"$user\"" "$ENVBUILD" hash e.yml
	rmdir "$user"
}
it 'wrong keys and values: status 3 with the place' wrong_files

# A policy of the user's own neither helps nor hinders.
user_policy() {
	printf 'pyc: none\npolicy: {channels: ["https://x.example"]}\n' \
		>"$user"
	printf 'dependencies: [normal]\n' >e.yml
	"$ENVBUILD" build e.yml --base scratch --channel "$one" \
		--cache-dir c >out 2>stderr
	has_words stderr "warning: $user:2:1: " policy ignored \
		/etc/envbuild/config.yml
	rm "$user"
}
it "a policy in the user's file is ignored, with a warning" user_policy

# governed CONFIG COMMAND...: with this as the system's file, in a mount
# namespace where /etc has nothing else but what programs look up there.
governed() {
	local file=$1 name
	shift
	if [ ! -e etc ]; then
		mkdir -p etc/envbuild
		for name in passwd group hosts nsswitch.conf resolv.conf \
			ld.so.cache; do
			[ ! -e "/etc/$name" ] || cp -L "/etc/$name" etc/
		done
	fi
	cp "$file" etc/envbuild/config.yml
	# shellcheck disable=SC2016
	unshare -m sh -c 'mount --bind etc /etc && exec "$@"' sh "$@"
}

need_namespace() {
	printf 'pyc: none\n' >none.yml
	governed none.yml true 2>said ||
		skip "no mount namespace here: $(tail -n 1 said)"
}

system_file() {
	need_namespace
	printf 'pyc: none\nplatform: linux/arm64\n' >system.yml
	printf 'platform: linux/amd64\n' >"$user"
	printf 'dependencies: [normal]\n' >e.yml
	governed system.yml "$ENVBUILD" hash --show e.yml >said
	grep -x 'option pyc=none' said
	grep -x 'platform linux/amd64' said
	rm "$user"
	printf 'nonsense: 1\n' >system.yml
	fails 3 'envbuild: /etc/envbuild/config.yml:1:1: ' \
		governed system.yml "$ENVBUILD" hash e.yml
	printf 'policy: {nonsense: []}\n' >system.yml
	fails 3 'envbuild: /etc/envbuild/config.yml:1:10: ' \
		governed system.yml "$ENVBUILD" hash e.yml
	has_words stderr '"nonsense"' channels
	printf 'policy: [a]\n' >system.yml
	fails 3 'envbuild: /etc/envbuild/config.yml:1:9: ' \
		governed system.yml "$ENVBUILD" hash e.yml
	printf 'policy: {channels: a}\n' >system.yml
	fails 3 'envbuild: /etc/envbuild/config.yml:1:20: ' \
		governed system.yml "$ENVBUILD" hash e.yml
}
it "the system's file lies below the user's" system_file

# refused_by LIST OBJECT OPTION...: each command that would use it.
refused_by() {
	local list=$1 what=$2 verb
	shift 2
	for verb in build lock check hash; do
		fails 5 "\"$what\" is not allowed by the policy" \
			governed system.yml "$ENVBUILD" "$verb" e.yml "$@"
		has_words stderr /etc/envbuild/config.yml "$list"
		[ ! -s stdout ]
		no_image c
	done
}

policy() {
	need_namespace
	cat >system.yml <<-END
		policy:
		  channels: [$one, https://conda.example/team, allowed]
		  bases: [scratch, "oci:/bases/"]
	END
	printf 'dependencies: [normal]\n' >e.yml
	refused_by channels "$two" --base scratch --channel "$two" \
		--cache-dir c
	# A name that begins like an allowed one is another.
	refused_by channels "${one}s" --base scratch --cache-dir c \
		--channel "${one}s"
	refused_by channels https://conda.example/teammate --base scratch \
		--channel https://conda.example/teammate --cache-dir c
	# One that is allowed does not carry another along.
	refused_by channels "$two" --base scratch --channel "$one" \
		--channel "$two" --cache-dir c
	printf 'channels: ["%s"]\ndependencies: [normal]\n' "$two" >e.yml
	refused_by channels "$two" --base scratch --cache-dir c
	# Naming one in a package spec does not ask it.
	printf 'dependencies: ["%s::normal-bz2"]\n' "$two" >e.yml
	fails 1 "\"$two::normal-bz2\"" governed system.yml "$ENVBUILD" build \
		e.yml --base scratch --channel "$one" --cache-dir c
	no_image c
	printf 'dependencies: [normal]\n' >e.yml
	# Neither the user's file nor another one widens it.
	printf 'policy: {channels: ["%s"]}\n' "$two" >"$user"
	refused_by channels "$two" --base scratch --channel "$two" \
		--cache-dir c
	cp "$user" other.yml
	refused_by channels "$two" --base scratch --channel "$two" \
		--cache-dir c --config other.yml
	rm "$user"
	refused_by bases rootfs:/x.tar --base rootfs:/x.tar --channel "$one" \
		--cache-dir c
	refused_by bases oci:/bases2/x --base oci:/bases2/x --channel "$one" \
		--cache-dir c
	printf 'dependencies: [{pip: [normal]}]\n' >e.yml
	refused_by bases rootfs:/x.tar --base scratch --channel "$one" \
		--build-base rootfs:/x.tar --cache-dir c
	printf 'dependencies: [normal]\n' >e.yml
	governed system.yml "$ENVBUILD" build e.yml --base scratch \
		--channel "$one" --cache-dir c
	sound c
}
it 'policy: another channel or base is status 5' policy

# What is in the store already, or in a lock, is not free of it.
policy_later() {
	need_namespace
	printf 'policy: {channels: ["%s"]}\n' "$one" >system.yml
	printf 'dependencies: [normal-bz2]\n' >e.yml
	"$ENVBUILD" build e.yml --base scratch --channel "$two" --cache-dir c
	"$ENVBUILD" lock e.yml --base scratch --channel "$two" --cache-dir c \
		--output two.lock
	fails 5 "\"$two\"" governed system.yml "$ENVBUILD" build e.yml \
		--base scratch --channel "$two" --cache-dir c
	fails 5 "\"$two" governed system.yml "$ENVBUILD" build two.lock \
		--cache-dir c
	fails 5 "\"$two" governed system.yml "$ENVBUILD" build two.lock \
		--cache-dir d
	no_image d
	# A lock says of its packages where they are, and what they are of.
	python3 - two.lock "$one" <<-'END'
		import hashlib, json, sys
		lock = json.load(open(sys.argv[1]))
		for package in lock["locked"]["packages"]:
		    package["channel"] = sys.argv[2]
		def write(name):
		    text = json.dumps(lock["locked"], sort_keys=True,
		                      separators=(",", ":"), ensure_ascii=False)
		    lock["lock-hash"] = "sha256:" + hashlib.sha256(
		        text.encode()).hexdigest()
		    json.dump(lock, open(name, "w"), sort_keys=True, indent=2)

		write("claim.lock")
		lock["locked"]["base"] = "sha256:" + "1" * 64
		lock["commentary"]["base"] = "oci:/bases/x"
		write("base.lock")
	END
	"$ENVBUILD" build claim.lock --cache-dir c
	fails 5 "\"$two" governed system.yml "$ENVBUILD" build claim.lock \
		--cache-dir d
	no_image d
	# Dots lead out of what is allowed.
	fails 5 "\"$one/../two\"" governed system.yml "$ENVBUILD" build e.yml \
		--base scratch --channel "$one/../two" --cache-dir d
	no_image d
	# The base that is taken counts, not the one that the lock was made on.
	printf 'policy: {bases: ["oci:/bases"]}\n' >system.yml
	fails 5 '"rootfs:/x.tar"' governed system.yml "$ENVBUILD" build \
		base.lock --base rootfs:/x.tar --cache-dir d
	fails 5 '"oci:/bases/../x"' governed system.yml "$ENVBUILD" build \
		base.lock --base oci:/bases/../x --cache-dir d
	no_image d
	fails 5 '"scratch"' governed system.yml "$ENVBUILD" build two.lock \
		--cache-dir d
	no_image d
}
it 'policy: locks and what is in the store' policy_later

done_testing
