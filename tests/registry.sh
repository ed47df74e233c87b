# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
#
# For the scripts of tests/integration that need a registry: sourced after
# tests/lib.sh and tests/faults.sh.

# The user's own logins, mirrors and certificates do not count.
export HOME=$SCRATCH/home CONTAINERS_REGISTRIES_CONF=$SCRATCH/registries.conf
mkdir "$HOME"
: >"$CONTAINERS_REGISTRIES_CONF"
unset REGISTRY_AUTH_FILE DOCKER_CONFIG DOCKER_AUTH_CONFIG NETRC SSL_CERT_FILE
unset ENVBUILD_REGISTRY_USER ENVBUILD_REGISTRY_PASSWORD ENVBUILD_REGISTRY
unset http_proxy https_proxy all_proxy no_proxy HTTPS_PROXY ALL_PROXY NO_PROXY
declare -A DOORS=()

# registry NAME OPTION...: starts tests/fixtures/registry.py with these; its
# ports are in $port, $other and $plain, its errors in $SCRATCH/NAME.log. It
# ends with this script at the latest. Not to be called within a test.
# shellcheck disable=SC2034 # the scripts use them
registry() {
	local name=$1 fd
	shift
	mkfifo "$SCRATCH/$name.in"
	python3 "$TOP/tests/fixtures/registry.py" "$@" <"$SCRATCH/$name.in" \
		>"$SCRATCH/$name.ports" 2>"$SCRATCH/$name.log" &
	servers="${servers:-} $!"
	disown
	ends
	exec {fd}>"$SCRATCH/$name.in"
	for _ in $(seq 200); do
		if [ "$(wc -l <"$SCRATCH/$name.ports")" = 3 ]; then
			{
				read -r port
				read -r other
				read -r plain
			} <"$SCRATCH/$name.ports"
			reg=127.0.0.1:$port
			DOORS[$name]="$port $other $plain"
			return 0
		fi
		sleep 0.05
	done
	echo "the registry has not begun: $(cat "$SCRATCH/$name.log")"
	exit 1
}

# docker_registry NAME LINE...: starts Debian's docker-registry; the lines (of
# YAML; or of http: when they begin with a blank) are added to its
# configuration. Its place is in $reg, its log in $SCRATCH/NAME.log.
docker_registry() {
	local name=$1 line
	shift
	need_program docker-registry
	{
		printf 'version: 0.1\nlog: {accesslog: {disabled: false}}\n'
		printf 'storage: {inmemory: {}, delete: {enabled: true}}\n'
		for line; do
			[ "${line# }" != "$line" ] || printf '%s\n' "$line"
		done
		printf 'http:\n  addr: 127.0.0.1:0\n  secret: of-these-tests\n'
		for line; do
			[ "${line# }" = "$line" ] || printf ' %s\n' "$line"
		done
	} >"$SCRATCH/$name.yml"
	docker-registry serve "$SCRATCH/$name.yml" </dev/null \
		>"$SCRATCH/$name.log" 2>&1 &
	servers="${servers:-} $!"
	disown
	ends
	for _ in $(seq 200); do
		port=$(sed -n 's/.*listening on 127.0.0.1:\([0-9]*\).*/\1/p' \
			"$SCRATCH/$name.log")
		reg=127.0.0.1:$port
		[ -z "$port" ] || return 0
		sleep 0.05
	done
	echo "docker-registry has not begun: $(tail -n 1 "$SCRATCH/$name.log")"
	exit 1
}

no_docker_registry() {
	skip 'no program "docker-registry" (make deps)'
}

# The servers end with this script. One that is just being started may miss
# another signal.
ends() {
	# shellcheck disable=SC2064 # as it is now
	trap "kill -9 $servers 2>/dev/null; rm -rf '$SCRATCH'" EXIT
}

# forget_tokens: those that are kept from one command to the next.
forget_tokens() {
	rm -rf "$XDG_RUNTIME_DIR/envbuild"
}

# use NAME: the one that was started under that name.
# shellcheck disable=SC2034 # the scripts use them
use() {
	read -r port other plain <<<"${DOORS[$1]}"
	reg=127.0.0.1:$port
}

# image_of FOLDER FILE...: an image with the tag v, a layer a file.
image_of() {
	local folder=$1 file
	shift
	need_program umoci
	umoci init --layout "$folder"
	umoci new --image "$folder:v"
	for file; do
		umoci insert --image "$folder:v" "$file" "/${file##*/}"
	done
} >"$SCRATCH/umoci.log" 2>&1

# control METHOD PATH [TEXT]: to the registry whose door is $plain; its answer
# is printed.
control() {
	local fd line text=${3-}
	exec {fd}<>"/dev/tcp/127.0.0.1/$plain"
	printf '%s %s HTTP/1.0\r\nContent-Length: %d\r\n\r\n%s' "$1" "$2" \
		"${#text}" "$text" >&"$fd"
	IFS= read -r line <&"$fd"
	while IFS= read -r -u "$fd" text && [ "$text" != $'\r' ]; do
		:
	done
	cat <&"$fd"
	exec {fd}<&-
	case $line in
	*' 200 '*) ;;
	*) fail "$1 $2: $line" ;;
	esac
}

# faults RULE...: the script is these from now on; nothing was asked so far.
faults() {
	local IFS=,
	control PUT /_faults "[$*]"
	control DELETE /_log
	control DELETE /_violations
}

# anew: the registry is empty, and without faults.
anew() {
	control DELETE /_all
}

# happened: every fault came to pass.
happened() {
	control GET /_faults | jq -e 'all(.[]; .done > 0)' >happened ||
		fail "no such request came: $(control GET /_faults)"
}

# asked METHOD PATH [FILTER]: how many requests there were with these, regular
# expressions of jq.
asked() {
	control GET /_log | jq --arg m "^($1)$" --arg p "$2" \
		"[.[] | select((.method | test(\$m)) and (.path | test(\$p)))
		| select(${3-true})] | length"
}

# lawful: nothing was asked that the standard or the vendor forbids.
lawful() {
	same "$(control GET /_violations | jq -c '.[]')" ''
}

# tags NAME: those of the repository.
tags() {
	control GET /_state | jq -r --arg r "$1" \
		'.repositories[$r].tags // {} | keys[]'
}

# tag NAME TAG: what it points to.
tag() {
	control GET /_state | jq -r --arg r "$1" --arg t "$2" \
		'.repositories[$r].tags[$t]'
}

# whole: nothing that the registry has lacks a part.
whole() {
	same "$(control GET /_state | jq -c .broken)" '[]'
}
