#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Registries that throttle, break off, lie, lead elsewhere or lose what they
# had: what push, pull, check and build make of it.
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/../lib.sh"
# shellcheck source=tests/faults.sh
. "$(dirname "$0")/../faults.sh"
# shellcheck source=tests/registry.sh
. "$(dirname "$0")/../registry.sh"

need_program umoci
need_program skopeo
need_program openssl
small "$SCRATCH/channel" normal
head -c 3000000 /dev/urandom >"$SCRATCH/large"
head -c 300000 /dev/urandom >"$SCRATCH/medium"
image_of "$SCRATCH/image" "$SCRATCH/large" "$SCRATCH/medium" "$0"
image_of "$SCRATCH/image2" "$SCRATCH/medium"
head -c 9000000 /dev/urandom >"$SCRATCH/larger"
image_of "$SCRATCH/image3" "$SCRATCH/larger"
raw=$(skopeo inspect --raw "oci:$SCRATCH/image:v")
layers=$(jq -c .layers <<<"$raw")
large=$(jq -r '.layers[0].digest' <<<"$raw")
hex=${large#sha256:}

# push NAME OPTION...: the image to a repository; pull NAME: from there.
push() {
	local to=$reg/$1
	shift
	"$ENVBUILD" push "oci:$SCRATCH/image:v" "$to:v" --cache-dir "$PWD/c" \
		"$@"
}
pull() {
	local from=$reg/$1
	shift
	"$ENVBUILD" pull "$from:v" --cache-dir "$PWD/c" "$@"
}
build() {
	printf 'dependencies: [normal]\n' >env.yml
	"$ENVBUILD" build env.yml --base scratch --pyc none --channel \
		"file://$SCRATCH/channel" --cache-dir "$PWD/c" --registry \
		"$reg/team/env"
}
look() {
	"$ENVBUILD" check env.yml --base scratch --pyc none --channel \
		"file://$SCRATCH/channel" --cache-dir "$PWD/c" --registry \
		"$reg/team/env" "$@"
}

# pushed NAME: the image is there, whole, and no upload is left open.
pushed() {
	same "$(tags "$1")" v
	same "$(skopeo inspect --raw --tls-verify=false \
		"docker://$reg/$1:v" | jq -c .layers)" "$layers"
	whole
}
# refused NAME: there is no tag, and the store is sound.
refused() {
	same "$(tags "$1")" ''
	whole
	sound c
}
no_uploads() {
	same "$(control GET /_state | jq .uploads)" 0
}


# --- what is tried again and again, side by side ----------------------------
registry slow
statuses='500 502 503 504 408 499 522'
scripts=(
	'{"method": "POST", "path": "^/v2/r429/", "status": 429, "times": 0}'
	'{"method": "PUT", "path": "^/v2/ever/blobs", "reset": 1000, "times": 0}'
	'{"method": "PUT", "path": "^/v2/gone/blobs", "forget": "upload",
	  "times": 0}'
	'{"method": "PUT", "path": "^/v2/digest/blobs", "status": 400,
	  "code": "DIGEST_INVALID", "times": 0}'
	'{"method": "PUT", "path": "^/v2/gc/manifests", "forget": "blobs",
	  "times": 0}'
)
for status in $statuses; do
	for request in HEAD/blobs POST/blobs PUT/blobs PUT/manifests; do
		scripts+=("{\"method\": \"${request%/*}\", \"status\": $status,
			\"path\": \"^/v2/s$status/${request#*/}\"}")
	done
done
breaks=('"reset": "before"' '"reset": 100000' '"cut": 100000' '"lose": true'
	'"status": 503, "early": true')
for i in "${!breaks[@]}"; do
	scripts+=("{\"method\": \"PUT\", \"path\": \"^/v2/broken$i/blobs\",
		${breaks[i]}}")
done
faults "${scripts[@]}"
numbers=("${!breaks[@]}")
for name in r429 ever gone digest gc "${numbers[@]/#/broken}"; do
	begin "$name" push "$name"
done
for status in $statuses; do
	begin "s$status" push "s$status"
done

# --- rows of the table: throttling ------------------------------------------
registry main

retry_after() {
	local when
	for when in 2 "\$DATE+2"; do
		anew
		faults "{\"method\": \"HEAD\", \"path\": \"/blobs/\",
			\"status\": 429, \"fields\": [[\"Retry-After\", \"$when\"]]}"
		SECONDS=0
		push a
		[ "$SECONDS" -ge 1 ]
		[ "$SECONDS" -le 20 ]
		happened
		pushed a
		lawful
	done
}
it '429: waits as Retry-After says, seconds or a date' retry_after

retry_too_late() {
	anew
	faults '{"method": "HEAD", "path": "/blobs/", "status": 429,
		"fields": [["Retry-After", "86400"]], "times": 0}'
	SECONDS=0
	fails 4 "$reg/a" push a
	has_words stderr 429 86400
	[ "$SECONDS" -le 5 ]
	refused a
	[ "$(asked HEAD /blobs/)" -le 4 ]
}
it '429 for a day: told at once' retry_too_late

# --- where an upload goes on ------------------------------------------------
locations() {
	local how
	for how in relative absolute; do
		anew
		faults "{\"method\": \"POST|PATCH\", \"location\": \"$how\",
			\"times\": 0}"
		push a
		happened
		pushed a
		lawful
	done
	anew
	control PUT /_ways state=no
	push a
	pushed a
	lawful
	anew
	faults '{"method": "POST", "location": "none", "times": 0}'
	fails 4 Location push a
	has_words stderr "$reg/a"
	refused a
}
it 'Location: relative, absolute, without a query; none is an error' locations

statuses_taken() {
	local way
	for way in post-status=200 put-status=200 put-status=202 \
		put-status=204; do
		anew
		control PUT /_ways "$way"
		push a
		pushed a
		lawful
	done
	# By PATCH, because it takes no PUT with bytes.
	for way in 202 201 204; do
		anew
		control PUT /_ways "put-max=0
patch-status=$way"
		push a
		pushed a
		lawful
		same "$(asked PATCH "" ".status == $way")" 4
	done
}
it 'other statuses of uploads are taken' statuses_taken

short_patch() {
	anew
	control PUT /_ways put-max=0
	faults '{"method": "PATCH", "accept": 1000}'
	push a
	happened
	pushed a
	lawful
	# In chunks.
	anew
	control PUT /_ways $'put-max=1000000\nstream-max=1000000'
	control PUT /_ways $'chunk-min=5000000\nchunk-min-told=yes'
	faults '{"method": "PATCH", "path": "", "accept": 100000, "nth": 2}'
	"$ENVBUILD" push "oci:$SCRATCH/image3:v" "$reg/a:v" --cache-dir c
	same "$(tags a)" v
	whole
	happened
	[ "$(asked PATCH '' '.["content-range"] and .status == 202')" -ge 3 ]
	lawful
}
it 'PATCH takes less, or wants chunks' short_patch

vanished() {
	local what
	for what in '"forget": "upload"' \
		'"status": 404, "code": "BLOB_UPLOAD_INVALID"' \
		'"status": 416, "fields": [["Range", "0-21"]]'; do
		anew
		faults "{\"method\": \"PUT\", \"path\": \"/uploads/.*$hex\",
			$what}" \
			'{"method": "POST", "path": "no-such-path", "delay": 0}'
		push a
		control GET /_faults | jq -e '.[0].done == 1'
		pushed a
		lawful
		same "$(asked POST /uploads/)" 5
	done
}
it 'an upload that is gone: a new one, from byte 0' vanished

other_digest() {
	anew
	faults "{\"method\": \"PUT\", \"path\": \"/uploads/.*$hex\",
		\"status\": 400, \"code\": \"DIGEST_INVALID\"}"
	push a
	happened
	pushed a
	# Our own bytes are damaged.
	"$ENVBUILD" pull "oci:$SCRATCH/image:v" --cache-dir "$PWD/d" >name
	blob=d/blobs/sha256/$hex
	[ -e "$blob" ] || blob=$(find d -name "$hex*" -type f)
	chmod u+w "$blob"
	printf x | dd of="$blob" bs=1 seek=1000 conv=notrunc status=none
	anew
	fails 6 "$large" "$ENVBUILD" push "$(cat name)" "$reg/a:v" \
		--cache-dir "$PWD/d"
	same "$(tags a)" ''
}
it 'DIGEST_INVALID: once more; our own damaged bytes are named' other_digest

# --- downloads --------------------------------------------------------------
registry given
(cd "$SCRATCH" && push given)
with_faults() {
	local rules=()
	for rule; do
		rules+=("{\"path\": \"/blobs/$large\", $rule}")
	done
	rm -rf c
	faults "${rules[@]}"
}
pulled() {
	happened
	sound c
	rm -rf out
	"$ENVBUILD" pull "$reg/given:v" --cache-dir "$PWD/c" --output oci:out
	same "$(skopeo inspect --raw oci:out:v | jq -c .layers)" "$layers"
}

cut_downloads() {
	use given
	local how
	for how in '"truncate": 100000' '"reset-after": 100000' \
		'"longer": 1000' '"unsized": true, "truncate": 100000'; do
		with_faults "$how"
		pull given
		pulled
		lawful
	done
	# The rest of it alone is fetched.
	with_faults '"truncate": 100000'
	pull given
	same "$(asked GET "$large" '.status == 206 and .range != null')" 1
	# But for a server that does not do that.
	with_faults '"truncate": 100000' '"whole": true, "nth": 1'
	pull given
	pulled
}
it 'a download that breaks off goes on, or begins anew' cut_downloads

failing_reads() {
	use given
	rm -rf c
	faults '{"method": "GET", "path": "/manifests/", "status": 502,
			"fields": [["Retry-After", "1"]]}' \
		"{\"path\": \"/blobs/$large\", \"status\": 503,
			\"fields\": [[\"Retry-After\", \"1\"]]}" \
		"{\"path\": \"/blobs/$large\", \"reset\": \"before\"}"
	pull given
	pulled
	lawful
	# A check asks once more.
	use main
	anew
	reference=$(build)
	faults '{"method": "HEAD", "status": 503}'
	same "$(look)" "$reference"
	same "$(asked HEAD '')" 2
	faults '{"method": "HEAD", "status": 503, "times": 0}'
	got=0
	look >stdout 2>stderr || got=$?
	cat stderr
	same "$got" 4
	same "$(cat stdout)" ''
	[ "$(asked HEAD '')" -le 2 ]
}
it 'reading: 502, 503, a reset; check asks twice at most' failing_reads

wrong_downloads() {
	use given
	local how
	for how in '"corrupt": 100000' '"gzip": true' '"html": true' \
		'"replace": ""' '"longer": -1000'; do
		with_faults "$how"
		pull given
		pulled
	done
	for how in '"corrupt": 100000' '"gzip": true' '"html": true'; do
		with_faults "$how, \"times\": 0"
		fails 6 "${large:0:19}" pull given
		[ "$(asked GET "$large")" -le 3 ]
		sound c
		same "$(find c/blobs -name "*$hex*")" ''
		same "$("$ENVBUILD" cache list --cache-dir "$PWD/c")" ''
	done
}
it 'wrong bytes: once more, then status 6, and nothing is kept' \
	wrong_downloads

portal() {
	use given
	rm -rf c
	faults '{"html": true, "times": 0}'
	fails 4 "$reg/given" pull given
	sound c
	printf 'dependencies: [normal]\n' >env.yml
	got=0
	look >stdout 2>stderr || got=$?
	cat stderr
	[ "$got" != 0 ]
	[ "$got" != 1 ]
	same "$(cat stdout)" ''
}
it 'a page that nobody asked for is no manifest, and no hit' portal

# --- redirects --------------------------------------------------------------
registry basic --set auth=basic --login user:s3cr3t-word --set \
	blob-redirect=other
export ENVBUILD_REGISTRY_USER=user ENVBUILD_REGISTRY_PASSWORD=s3cr3t-word
(cd "$SCRATCH" && push given)

redirects() {
	use basic
	faults
	pull given
	[ "$(asked GET ^/signed/ '.door == "other" and .status == 200')" != 0 ]
	same "$(asked '.*' '' '.door == "other" and
		.authorization != "none"')" 0
	lawful
	control PUT /_ways blob-redirect=no
	# To another host with the whole request, and as far as ten times.
	local how
	for how in '"redirect": "other"' '"redirect": "relative"' \
		'"redirect": 9, "times": 0'; do
		rm -rf c
		faults "{\"method\": \"GET\", \"path\": \"/blobs/\", $how}"
		pull given
		happened
		sound c
		lawful
	done
	for how in '"redirect": "self"' '"redirect": 12'; do
		rm -rf c
		faults "{\"method\": \"GET\", \"path\": \"/blobs/\",
			\"times\": 0, $how}"
		fails 4 redirect pull given
		[ "$(asked GET /blobs/)" -le 40 ]
		sound c
	done
	# An upload goes to another host without our name.
	anew
	faults '{"method": "POST", "location": "other", "times": 0}'
	rm -rf c
	push a
	same "$(tags a)" v
	whole
	[ "$(asked PUT '' '.door == "other" and .status == 201')" != 0 ]
	lawful
}
it 'redirects: another host, loops, and what it must not know' redirects

openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=localhost \
	-addext subjectAltName=DNS:localhost,IP:127.0.0.1 \
	-keyout "$SCRATCH/key" -out "$SCRATCH/crt" 2>"$SCRATCH/openssl.log" ||
	exit
registry tls --tls "$SCRATCH/crt" "$SCRATCH/key" --set auth=basic --login \
	user:s3cr3t-word
(cd "$SCRATCH" && push given --ca-file "$SCRATCH/crt")
downgrade() {
	use tls
	local how
	for how in '"method": "GET", "redirect": "plain"' \
		'"method": "GET", "redirect": "other"'; do
		rm -rf c
		faults "{\"path\": \"/blobs/\", \"times\": 0, $how}"
		case $how in
		*plain*)
			fails 5 http:// pull given --ca-file "$SCRATCH/crt"
			sound c
			same "$(asked '.*' '' '.door == "plain"')" 0
			;;
		*) pull given --ca-file "$SCRATCH/crt" ;;
		esac
		happened
		lawful
	done
	# The same for where an upload goes on.
	rm -rf c
	faults '{"method": "POST", "location": "plain", "times": 0}'
	fails 5 http:// push a --ca-file "$SCRATCH/crt"
	same "$(tags a)" ''
	same "$(asked '.*' '' '.door == "plain"')" 0
	# It breaks off without a word of TLS.
	rm -rf c
	faults "{\"path\": \"/blobs/$large\", \"unsized\": true,
		\"truncate\": 100000}"
	pull given --ca-file "$SCRATCH/crt"
	happened
	sound c
}
it 'https leads nowhere by http; TLS that just ends' downgrade
unset ENVBUILD_REGISTRY_USER ENVBUILD_REGISTRY_PASSWORD

# --- mounts -----------------------------------------------------------------
mounts() {
	use main
	local how
	for how in '"delay": 0' '"status": 400, "code": "INVALID"' \
		'"status": 401' '"status": 404, "code": "BLOB_UNKNOWN"' \
		'"status": 405' never; do
		anew
		push a
		[ "$how" = never ] && control PUT /_ways mount=never
		faults "{\"method\": \"POST\", \"path\": \"mount=\", \"times\": 0,
			${how/never/\"delay\": 0}}"
		"$ENVBUILD" push "$reg/a:v" "$reg/b:v" --cache-dir "$PWD/c"
		pushed b
		lawful
		happened
		case $how in
		*'"delay": 0'*) same "$(asked PUT /uploads/)" 0 ;;
		*) same "$(asked PUT /uploads/ '.status == 201')" 4 ;;
		esac
		no_uploads
	done
}
it 'a mount that is not: 202, 400, 401, 404' mounts

# --- ended amid its work ----------------------------------------------------
waits_for() {
	for _ in $(seq 200); do
		[ "$(asked "$@")" = 0 ] || return 0
		sleep 0.05
	done
	fail "never asked: $*"
}

killed() {
	use main
	anew
	faults '{"method": "PUT", "path": "/manifests/", "hold": "kill",
		"reset": "before"}'
	"$ENVBUILD" push "oci:$SCRATCH/image:v" "$reg/a:v" --cache-dir c &
	pid=$!
	waits_for PUT /manifests/
	kill -9 "$pid"
	wait "$pid" || same "$?" 137
	control PUT '/_release?name=kill'
	same "$(tags a)" ''
	whole
	control DELETE /_log
	push a
	pushed a
	same "$(asked 'POST|PATCH' '')" 0
	sound c
}
it 'kill -9 between blobs and manifest: no tag, and no blob again' killed

interrupted() {
	use main
	anew
	faults "{\"method\": \"PUT\", \"path\": \"/uploads/.*$hex\",
		\"hold\": \"stop\", \"reset\": \"before\"}"
	# In a group of its own, else the shell has it ignore SIGINT.
	set -m
	"$ENVBUILD" push "oci:$SCRATCH/image:v" "$reg/a:v" --cache-dir c \
		2>stderr &
	pid=$!
	set +m
	waits_for PUT "/uploads/.*$hex"
	kill -INT "$pid"
	got=0
	wait "$pid" || got=$?
	control PUT '/_release?name=stop'
	cat stderr
	same "$got" 130
	same "$(tags a)" ''
	whole
	no_uploads
	sound c
	push a
	pushed a
}
it 'SIGINT amid an upload: no tag, status 130' interrupted

collected() {
	use main
	local only
	for only in 0 1; do
		anew
		faults "{\"method\": \"PUT\", \"path\": \"/manifests/\",
			\"forget\": \"blobs\", \"only\": $only}"
		push a
		happened
		pushed a
		lawful
		same "$(asked PUT /manifests/)" 2
	done
}
it 'MANIFEST_BLOB_UNKNOWN: looked for again, sent, once more' collected

# --- several at once --------------------------------------------------------
at_once() {
	use main
	anew
	pids=
	for i in 1 2 3 4 5 6; do
		"$ENVBUILD" push "oci:$SCRATCH/image:v" "$reg/a:v" \
			--cache-dir "$PWD/c$i" >"$i.out" 2>"$i.err" &
		pids="$pids $!"
	done
	"$ENVBUILD" push "oci:$SCRATCH/image2:v" "$reg/a:v" \
		--cache-dir "$PWD/c7" >7.out 2>7.err &
	for pid in $pids $!; do
		wait "$pid" || fail "$(cat ./*.err)"
	done
	same "$(sort -u ./*.out | wc -l)" 2
	whole
	no_uploads
	lawful
	case $(cat ./*.out) in
	*"@$(tag a v)"*) ;;
	*) fail 'the tag is none of the two' ;;
	esac
}
it 'seven pushers, one tag: the last one wins, all is whole' at_once

# --- sizes ------------------------------------------------------------------
# raw METHOD PATH TYPE FILE: a request by hand.
raw() {
	local fd
	exec {fd}<>"/dev/tcp/127.0.0.1/$port"
	{
		printf '%s %s HTTP/1.0\r\nContent-Type: %s\r\n' "$1" "$2" "$3"
		printf 'Content-Length: %d\r\n\r\n' "$(stat -c %s "$4")"
		cat "$4"
	} >&"$fd"
	cat <&"$fd"
	exec {fd}<&-
}
# descriptor TYPE FILE
descriptor() {
	jq -n --arg t "$1" --arg d "sha256:$(sha256sum <"$2" | cut -d' ' -f1)" \
		--argjson n "$(stat -c %s "$2")" \
		'{mediaType: $t, digest: $d, size: $n,
		platform: {os: "linux", architecture: "amd64"}}'
}
# put NAME REFERENCE TYPE FILE; put_blob NAME FILE.
put() {
	raw PUT "/v2/$1/manifests/$2" "$3" "$4" | grep ' 201 '
}
put_blob() {
	local to
	printf '' >none
	to=$(raw POST "/v2/$1/blobs/uploads/" text/plain none |
		sed -n 's/^Location: //p' | tr -d '\r')
	raw PUT "/v2${to#*/v2}&digest=sha256:$(sha256sum <"$2" | cut -d' ' -f1)" \
		application/octet-stream "$2" | grep ' 201 '
}

head -c 5000000 /dev/zero | tr '\0' ' ' >"$SCRATCH/blanks"
registry large --set manifest-max=100000000
(cd "$SCRATCH" && push given)
type=application/vnd.oci.image
sizes() {
	use large
	raw=$(skopeo inspect --raw --tls-verify=false "docker://$reg/given:v")
	cat "$SCRATCH/blanks" - <<<"$raw" >manifest
	put given big "$type.manifest.v1+json" manifest
	fails 3 "$reg/given:big" "$ENVBUILD" pull "$reg/given:big" --cache-dir c
	has_words stderr 4
	sound c
	# A configuration.
	digest=$(jq -r .config.digest <<<"$raw")
	cat "$SCRATCH/blanks" "$SCRATCH/image/blobs/sha256/${digest#sha256:}" >config
	put_blob given config
	jq -c --argjson c "$(descriptor "$type.config.v1+json" config)" \
		'.config = ($c | del(.platform))' <<<"$raw" >manifest
	put given config "$type.manifest.v1+json" manifest
	fails 3 "$reg/given" "$ENVBUILD" pull "$reg/given:config" --cache-dir c
	sound c
	# Indexes of indexes.
	tr -d '\n' <<<"$raw" >manifest
	put given 0 "$type.manifest.v1+json" manifest
	kind=$type.manifest.v1+json
	for i in 1 2 3 4; do
		jq -nc --argjson d "$(descriptor "$kind" manifest)" \
			--arg t "$type.index.v1+json" \
			'{schemaVersion: 2, mediaType: $t, manifests: [$d]}' \
			>index
		mv index manifest
		kind=$type.index.v1+json
		put given "$i" "$kind" manifest
	done
	"$ENVBUILD" pull "$reg/given:1" --cache-dir c
	fails 3 "$reg/given" "$ENVBUILD" pull "$reg/given:4" --cache-dir c
	has_words stderr index
	sound c
}
it 'a manifest or configuration beyond 4 MiB, indexes without end' sizes

# An index goes after all that it names; what is too large goes nowhere.
indexes() {
	use main
	anew
	push a
	"$ENVBUILD" push "oci:$SCRATCH/image2:v" "$reg/a:w" --cache-dir c
	for name in v w; do
		skopeo inspect --raw --tls-verify=false "docker://$reg/a:$name" \
			>"$name"
	done
	jq -nc --argjson v "$(descriptor "$type.manifest.v1+json" v)" \
		--argjson w "$(descriptor "$type.manifest.v1+json" w)" \
		--arg t "$type.index.v1+json" '{schemaVersion: 2, mediaType: $t,
		manifests: [$v, ($w | .platform.architecture = "arm64")]}' >both
	put a both "$type.index.v1+json" both
	source=$reg
	use large
	faults
	"$ENVBUILD" push "$source/a:both" "$reg/all:both" --cache-dir c
	same "$(tag all both)" "sha256:$(sha256sum <both | cut -d' ' -f1)"
	same "$(asked PUT ^/v2/all/manifests/ '.status == 201')" 3
	control GET /_log | jq -e '[.[] | select(.method == "PUT" and
		(.path | test("^/v2/all/")))] | last | .path |
		endswith("/both")'
	lawful
	whole
}
it 'an index: what it names first, its tag last' indexes

large_config() {
	use main
	anew
	cp -r "$SCRATCH/image2" large
	manifest=large/blobs/sha256/$(jq -r '.manifests[0].digest[7:]' \
		large/index.json)
	config=large/blobs/sha256/$(jq -r '.config.digest[7:]' "$manifest")
	jq -c --rawfile l "$SCRATCH/blanks" '.config.Labels.x = $l' "$config" \
		>new
	cp new "large/blobs/sha256/$(sha256sum <new | cut -d' ' -f1)"
	jq -c --argjson c "$(descriptor "$type.config.v1+json" new)" \
		'.config = ($c | del(.platform))' "$manifest" >changed
	cp changed "large/blobs/sha256/$(sha256sum <changed | cut -d' ' -f1)"
	jq -c --argjson m "$(descriptor "$type.manifest.v1+json" changed)" \
		'.manifests[0] += ($m | del(.platform))' large/index.json >index
	cp index large/index.json
	faults
	fails 3 '' "$ENVBUILD" push oci:large:v "$reg/a:v" --cache-dir c
	same "$(asked 'POST|PUT' '')" 0
}
it 'a configuration beyond 4 MiB is not pushed' large_config

# --- slow, or without what is not needed ------------------------------------
slow() {
	use given
	rm -rf c
	with_faults '"drip": [100000, 0.1]'
	pull given
	pulled
	with_faults '"stall": [100000, 3]'
	pull given
	pulled
	printf 'dependencies: [normal]\n' >env.yml
	faults '{"path": "", "delay": 10, "times": 0}'
	SECONDS=0
	got=0
	look --timeout 1 >stdout 2>stderr || got=$?
	cat stderr
	same "$got" 4
	[ "$SECONDS" -le 5 ] || fail "it took $SECONDS s"
	same "$(cat stdout)" ''
}
it 'slow is not dead; check has a deadline' slow

no_head() {
	use main
	anew
	reference=$(build)
	faults '{"method": "HEAD", "path": "/manifests/", "status": 405,
		"times": 0}'
	same "$(look)" "$reference"
	happened
	[ "$(asked GET /manifests/)" != 0 ]
	push a
	pushed a
	faults '{"method": "HEAD", "path": "/manifests/",
		"set": {"Docker-Content-Digest": null}, "times": 0}'
	same "$(look)" "$reference"
	happened
	faults '{"method": "HEAD", "path": "/manifests/",
		"set": {"Content-Length": "7"}, "times": 0}'
	same "$(look)" "$reference"
}
it 'HEAD of a manifest: 405, without a digest, with a wrong length' no_head

wrong_head() {
	use main
	anew
	push a
	faults '{"method": "HEAD", "path": "/manifests/", "status": 404,
		"times": 0}' '{"method": "HEAD", "path": "/blobs/",
		"set": {"Content-Length": "7"}, "times": 0}'
	push a
	happened
	same "$(asked PUT /uploads/ '.status == 201')" 4
	pushed a
}
it 'HEAD of a blob with another size: it is sent again' wrong_head

no_room() {
	[ "$(id -u)" = 0 ] || skip 'only root can mount a small disk'
	use given
	faults
	mkdir disk
	mount -t tmpfs -o size=2m none disk 2>/dev/null ||
		skip 'no tmpfs can be mounted here'
	trap 'umount disk' EXIT
	fails 7 'No space left' "$ENVBUILD" pull "$reg/given:v" \
		--cache-dir "$PWD/disk/c"
	same "$(find disk/c/tmp -mindepth 1)" ''
	same "$(find disk/c/blobs -name "*$hex*")" ''
	mount -o remount,size=40m disk
	"$ENVBUILD" pull "$reg/given:v" --cache-dir "$PWD/disk/c"
	sound disk/c
	mount -o remount,ro disk
	fails 7 "$PWD/disk/c" "$ENVBUILD" pull "$reg/given:v" \
		--cache-dir "$PWD/disk/c/d"
}
it 'a full disk, a read-only store: status 7, nothing half-written' no_room

warnings() {
	use main
	anew
	faults '{"path": "", "times": 0,
		"add": [["Warning", "299 - \"it will be closed\""],
			["warning", "299 - \"it \\\"moves\\\"\""]]}'
	push a 2>stderr
	cat stderr
	same "$(grep -c 'it will be closed' stderr)" 1
	same "$(grep -c 'it "moves"' stderr)" 1
	push b --json -q >out 2>stderr
	jq -e . out
	pushed a
}
it "Warning: 299 is told once" warnings

one_head() {
	use main
	anew
	reference=$(build)
	faults
	same "$(look)" "$reference"
	same "$(control GET /_log | jq -c 'map([.method, .status])')" \
		'[["HEAD",200]]'
	rm -rf c
	faults
	same "$(look)" "$reference"
	same "$(control GET /_log | jq -c 'map([.method, .status])')" \
		'[["HEAD",200]]'
	# Then the image is gone there.
	anew
	faults
	fails 1 '' look
	same "$(control GET /_log | jq -c 'map([.method, .status])')" \
		'[["HEAD",404]]'
	lawful
}
it 'check: one HEAD, hit or miss' one_head

# --- and what was begun first -----------------------------------------------
throttled() {
	use slow
	ended r429 4 "$reg/r429" 429
	same "$(asked POST ^/v2/r429/ '.path | test("mount=") | not' |
		awk '{ print ($1 >= 5 && $1 <= 20) }')" 1
	refused r429
}
it '429 for ever: five tries, status 4' throttled

broken_for_ever() {
	use slow
	ended ever 4 "$reg/ever"
	refused ever
	# By PUT, then by PATCH: five tries each at most.
	[ "$(asked POST ^/v2/ever/blobs)" -le 40 ]
}
it 'an upload that breaks off for ever: status 4' broken_for_ever

vanished_for_ever() {
	use slow
	ended gone 4 "$reg/gone"
	refused gone
	[ "$(asked PUT ^/v2/gone/blobs)" -le 30 ]
}
it 'uploads that are gone for ever: status 4' vanished_for_ever

digest_for_ever() {
	use slow
	ended digest 6 "$reg/digest"
	refused digest
	[ "$(asked PUT ^/v2/digest/blobs)" -le 12 ]
}
it 'DIGEST_INVALID for ever: status 6' digest_for_ever

collected_for_ever() {
	use slow
	ended gc 4 "$reg/gc"
	refused gc
	[ "$(asked PUT ^/v2/gc/manifests)" -le 3 ]
}
it 'MANIFEST_BLOB_UNKNOWN for ever: status 4' collected_for_ever

broken_once() {
	use slow
	local i
	for i in "${!breaks[@]}"; do
		ended "broken$i" 0
		pushed "broken$i"
		sound c
		# A new upload for the one that broke.
		same "$(asked POST "^/v2/broken$i/blobs")" 5
	done
}
it 'an upload that breaks off once: a new one' broken_once

other_statuses() {
	use slow
	local status
	for status in $statuses; do
		ended "s$status" 0
		pushed "s$status"
		sound c
		same "$(asked '.*' "^/v2/s$status/" ".status == $status")" 4
	done
	happened
	lawful
}
it "$statuses: tried again, uploads anew" other_statuses

done_testing
