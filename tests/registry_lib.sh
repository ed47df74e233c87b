# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
#
# For scripts that need a registry: sourced after tests/lib.sh. Everything of a
# registry NAME lies in $SCRATCH/NAME: config.yml, data/, access (its access
# log), log, pid.
#
# ENVBUILD_TEST_REGISTRY says which program that is: unset, Debian's
# docker-registry; PATH, a `registry` of distribution (as version 3); ggcr:PATH,
# that of go-containerregistry. They are of two kinds: what differs is in
# functions _KIND_..., and in REGISTRY_LACKS, a sentence for each thing that one
# cannot do.
registries=
registry_program=${ENVBUILD_TEST_REGISTRY-docker-registry}
registry_program=${registry_program:-docker-registry}
registry_kind=distribution
case $registry_program in
*:*)
	registry_kind=${registry_program%%:*}
	registry_program=${registry_program#*:}
	;;
esac
declare -A REGISTRY_LACKS=(
	[ggcr config]='takes no configuration: no logins, no TLS'
	[ggcr mounts]='has every blob in all repositories: nothing is mounted'
	[ggcr deletes]='keeps the tags of a manifest that is deleted'
	[ggcr files]='has its blobs in memory, and looks for none that a manifest names'
)

# registry_with WHAT...: a test needs it; it is skipped where it is not to be
# had.
registry_with() {
	local what why
	for what; do
		why=${REGISTRY_LACKS[$registry_kind $what]-}
		[ -z "$why" ] || skip "${registry_program##*/} ($registry_kind) $why"
	done
}

# start_registry NAME [YAML]: one on loopback, ready when this returns. Its
# HOST:PORT is in $registry (copy it when there are several), its pid in
# $registry_pid. YAML is added to the configuration; a member `storage:`, `log:`
# or `http:` of it takes the place of ours. It ends with the shell that started
# it, at the latest: one started within a test ends with that test. Started
# again by the same name it has what it had, at another port; with
# REGISTRY_PORT set, at that one.
start_registry() {
	local dir=$SCRATCH/$1 more=${2-}
	declare -F "_${registry_kind}_begin" >/dev/null ||
		fail "ENVBUILD_TEST_REGISTRY: what is \"$registry_kind\"?"
	need_program "$registry_program"
	[ -z "$more" ] || registry_with config
	mkdir -p "$dir/data"
	"_${registry_kind}_begin" "$dir" "$more"
	echo "$registry_pid" >"$dir/pid"
	_registry_at_end "$1"
	for _ in $(seq 200); do
		registry=$(_registry_host "$1")
		[ -z "$registry" ] || return 0
		kill -0 "$registry_pid" 2>/dev/null || break
		sleep 0.05
	done
	cat "$dir/log" >&2
	echo "the registry \"$1\" has not begun" >&2
	exit 1
}

_distribution_begin() {
	_distribution_config "$1" "$2" >"$1/config.yml"
	: >"$1/log"
	OTEL_TRACES_EXPORTER=none \
		REGISTRY_HTTP_ADDR=127.0.0.1:${REGISTRY_PORT:-0} \
		setpriv --pdeathsig KILL "$registry_program" serve \
		"$1/config.yml" </dev/null >>"$1/access" 2>"$1/log" &
	registry_pid=$!
}

_distribution_config() {
	echo 'version: 0.1'
	case $2 in
	*storage:*) ;;
	*)
		echo "storage: {filesystem: {rootdirectory: '$1/data'}," \
			'delete: {enabled: true}, maintenance:' \
			'{uploadpurging: {enabled: false}}}'
		;;
	esac
	case $2 in
	*log:*) ;;
	*) echo 'log: {level: info, accesslog: {disabled: false}}' ;;
	esac
	case $2 in
	*http:*) ;;
	*) echo "http: {addr: '127.0.0.1:0', secret: loopback}" ;;
	esac
	printf '%s\n' "$2"
}

# All that it says is one log.
_ggcr_begin() {
	echo 'http: {}' >"$1/config.yml"
	rm -f "$1/seen"
	: >"$1/access"
	ln -sf access "$1/log"
	setpriv --pdeathsig KILL "$registry_program" \
		-port "${REGISTRY_PORT:-0}" </dev/null >>"$1/access" 2>&1 &
	registry_pid=$!
}

# In front of what the shell does at its end anyhow.
_registry_at_end() {
	local before
	if [ -z "$registries" ]; then
		before=$(trap -p EXIT)
		before=${before#trap -- \'}
		before=${before%\' EXIT}
		# shellcheck disable=SC2064 # as it is now
		trap "stop_registries; ${before//\'\\\'\'/\'}" EXIT
	fi
	registries="$registries $1"
}

# stop_registry NAME: gone when this returns. By KILL: a TERM that comes between
# a shell's fork and exec would be lost.
stop_registry() {
	local pid
	pid=$(cat "$SCRATCH/$1/pid" 2>/dev/null) || return 0
	rm -f "$SCRATCH/$1/pid"
	kill -KILL "$pid" 2>/dev/null || return 0
	wait "$pid" 2>/dev/null || return 0
}

stop_registries() {
	local name
	for name in $registries; do
		stop_registry "$name"
	done
}

# requests NAME: what was asked since the last requests_forget, in its order:
# lines METHOD PATH STATUS. An access line comes after its answer, so one more
# request is made first and waited for. What the tests themselves ask with
# "mark=" in it does not count.
requests() {
	local dir=$SCRATCH/$1 mark="/v2/?mark=$RANDOM$RANDOM" scheme=http
	! grep -q 'certificate:' "$dir/config.yml" || scheme=https
	curl -sk -o "$dir/mark" "$scheme://$(_registry_host "$1")$mark"
	for _ in $(seq 100); do
		! grep -qF "$mark" "$dir/access" || break
		sleep 0.02
	done
	tail -n "+$(($(cat "$dir/seen" 2>/dev/null || echo 0) + 1))" \
		"$dir/access" | "_${registry_kind}_asked" |
		grep -v '^[A-Z]* [^ ]*[?&]mark=' || :
}

_distribution_asked() {
	sed -n 's/^[^"]*"\([A-Z]*\) \([^" ]*\)[^"]*" \([0-9]*\).*/\1 \2 \3/p'
}

# DATE TIME METHOD PATH [STATUS CODE WORDS...]: the status of an error alone.
_ggcr_asked() {
	awk 'BEGIN {
			good["GET"] = good["HEAD"] = 200
			good["PUT"] = 201
			good["POST"] = good["DELETE"] = 202
			good["PATCH"] = 204
		}
		$3 in good && $4 ~ /^\// {
			print $3, $4, $5 ~ /^[1-5][0-9][0-9]$/ ? $5 : good[$3]
		}'
}

_registry_host() {
	"_${registry_kind}_host" "$SCRATCH/$1/log" | head -n 1
}

_distribution_host() {
	sed -n 's/.*listening on \([0-9.:]*\).*/\1/p' "$1"
}

_ggcr_host() {
	sed -n 's/.* serving on port \([0-9]*\)$/127.0.0.1:\1/p' "$1"
}

# requests_count NAME PATTERN: how many of these lines match (grep -E).
requests_count() {
	requests "$1" | grep -cE -- "$2" || :
}

requests_forget() {
	requests "$1" >"$SCRATCH/$1/before"
	wc -l <"$SCRATCH/$1/access" >"$SCRATCH/$1/seen"
}

# blob_bytes NAME: how much its blobs take together.
blob_bytes() {
	"_${registry_kind}_blob_bytes" "$1"
}

# With manifests, which are blobs there.
_distribution_blob_bytes() {
	find "$SCRATCH/$1/data" -path '*/blobs/*' -name data -printf '%s\n' |
		awk '{ n += $1 } END { print n + 0 }'
}

_ggcr_blob_bytes() {
	local host digest
	host=$(_registry_host "$1")
	_ggcr_asked <"$SCRATCH/$1/access" |
		sed -n 's/^PUT .*[?&]digest=\([^& ]*\).* 201$/\1/p' |
		sed 's/%3[Aa]/:/' | sort -u | while read -r digest; do
		curl -sI "http://$host/v2/any/blobs/$digest?mark=size"
	done | awk 'tolower($1) == "content-length:" { n += $2 }
		END { print n + 0 }'
}

# blob_file NAME DIGEST: where the registry keeps it.
blob_file() {
	local hex=${2#*:}
	registry_with files
	echo "$SCRATCH/$1/data/docker/registry/v2/blobs/sha256/${hex:0:2}/$hex/data"
}
