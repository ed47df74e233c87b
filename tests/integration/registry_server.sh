#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The strict registry of the other suites is one: skopeo pushes to it and pulls
# from it in each of its ways, and it refuses and fails as it says.
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/../lib.sh"
# shellcheck source=tests/faults.sh
. "$(dirname "$0")/../faults.sh"
# shellcheck source=tests/registry.sh
. "$(dirname "$0")/../registry.sh"

need_program skopeo
need_program umoci
need_program openssl

{
	umoci init --layout "$SCRATCH/image"
	umoci new --image "$SCRATCH/image:v"
	head -c 300000 /dev/urandom >"$SCRATCH/random"
	umoci insert --image "$SCRATCH/image:v" "$SCRATCH/random" /random
	umoci insert --image "$SCRATCH/image:v" "$0" /script
	openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=localhost \
		-addext subjectAltName=DNS:localhost,IP:127.0.0.1 \
		-keyout "$SCRATCH/key" -out "$SCRATCH/crt"
} >"$SCRATCH/made.log" 2>&1 || {
	cat "$SCRATCH/made.log"
	exit 1
}
layers=$(skopeo inspect --raw "oci:$SCRATCH/image:v" | jq -c .layers)

# to_and_fro NAME OPTION...: there, to another repository, and back.
to_and_fro() {
	local name=$1 to=$reg from=$reg
	shift
	local -a with=("$@")
	set -- "${with[@]/#/--dest-}"
	skopeo copy -q --preserve-digests "$@" "oci:$SCRATCH/image:v" \
		"docker://$to/$name:v"
	skopeo copy -q --preserve-digests "$@" "oci:$SCRATCH/image:v" \
		"docker://$to/${name}b:w"
	set -- "${with[@]/#/--src-}"
	skopeo copy -q --preserve-digests "$@" "docker://$from/${name}b:w" \
		oci:back:w
	same "$(skopeo inspect --raw oci:back:w | jq -c .layers)" "$layers"
	same "$(tags "$name") $(tags "${name}b")" 'v w'
	same "$(control GET /_state | jq '.uploads, (.broken | length)')" \
		$'0\n0'
	# It tries https first, whatever it is told.
	same "$(control GET /_violations |
		jq -c '.[] | select(.what != "connect")')" ''
}

registry plain
in_plain() {
	to_and_fro team/env tls-verify=false
	[ "$(asked POST mount= '.status == 201')" != 0 ]
	same "$(asked '.*' '' '.authorization != "none"')" 0
}
it 'skopeo: there and back, with mounts' in_plain

registry basic --set auth=basic --login user:word:pull,push
in_basic() {
	to_and_fro team/env tls-verify=false creds=user:word
	fails 1 unauthorized skopeo inspect --tls-verify=false \
		--creds user:wrong "docker://$reg/team/env:v"
	fails 1 unauthorized skopeo inspect --tls-verify=false --no-creds \
		"docker://$reg/team/env:v"
}
it 'skopeo: Basic' in_basic

registry bearer --set auth=bearer --set token-host=other --login user:word \
	--login reader:word:pull
in_bearer() {
	to_and_fro team/env tls-verify=false creds=user:word
	[ "$(asked GET '^/token' '.door == "other"')" != 0 ]
	fails 1 unauthorized skopeo inspect --tls-verify=false \
		--creds user:wrong "docker://$reg/team/env:v"
	skopeo inspect --tls-verify=false --creds reader:word \
		"docker://$reg/team/env:v"
	fails 1 '' skopeo copy --dest-tls-verify=false --dest-creds \
		reader:word "oci:$SCRATCH/image:v" "docker://$reg/other:v"
	same "$(tags other)" ''
}
it 'skopeo: Bearer' in_bearer

registry tls --tls "$SCRATCH/crt" "$SCRATCH/key" --client-ca "$SCRATCH/crt" \
	--set blob-redirect=other --set auth=basic --login user:word
in_tls() {
	mkdir certs
	cp "$SCRATCH/crt" certs/ca.crt
	fails 1 '' skopeo inspect --cert-dir certs "docker://$reg/team/env:v"
	cp "$SCRATCH/crt" certs/client.cert
	cp "$SCRATCH/key" certs/client.key
	to_and_fro team/env "cert-dir=$PWD/certs" creds=user:word
	[ "$(asked GET ^/signed/ '.door == "other" and
		.authorization == "none" and .status == 200')" != 0 ]
}
it 'skopeo: TLS, a certificate of the client, redirects' in_tls

# Each vendor's table, and its name by the way of a proxy.
vendor() {
	local name=team/env
	case $1 in
	acr) login=00000000-0000-0000-0000-000000000000 ;;
	ecr) login=AWS ;;
	gar) login=oauth2accesstoken ;;
	harbor) login="robot\$team+ci" ;;
	quay) login=team+ci ;;
	*) login=someone ;;
	esac
	registry "$1" --table "$TOP/tests/registry-profiles/$1.tsv" \
		--login "$login:word" --project team --repository team/env \
		--repository team/envb
	host=$(awk '$2 == "host" { print $3 }' \
		"$TOP/tests/registry-profiles/$1.tsv")
	it "skopeo: $1" as_vendor
}
as_vendor() {
	to_and_fro team/env tls-verify=false "creds=$login:word"
	anew
	control PUT "/_repository?name=team/env"
	control PUT "/_repository?name=team/envb"
	export http_proxy=http://$reg https_proxy=http://$reg
	reg=$host
	to_and_fro team/env tls-verify=false "creds=$login:word"
	[ "$(asked GET /v2/ ".host | endswith(\"$host\")")" != 0 ]
}
for table in "$TOP"/tests/registry-profiles/*.tsv; do
	name=${table##*/}
	vendor "${name%.tsv}"
done

wrong_tables() {
	local line
	for line in $'does\tno-such-word\tyes\ta/b#1' \
		$'does\tauth\tkerberos\ta/b#1' $'does\tauth\tbasic\tI think so' \
		$'knows\tauth\tbasic\ta/b#1' $'does\tauth\tbasic' ''; do
		printf '# one line\n%s\n' "$line" >table.tsv
		fails 1 '' "$TOP/tests/fixtures/registry.py" --check table.tsv
		grep '^table.tsv:' stdout
	done
	printf 'does\tauth\tbasic\ta/b#1\n%.0s' 1 2 >table.tsv
	fails 1 '' "$TOP/tests/fixtures/registry.py" --check table.tsv
	grep '"auth" comes twice' stdout
}
it 'a table without a source, a known word or value is refused' wrong_tables

python3 "$TOP/tests/fixtures/registry_selftest.py" || FAILED=1

done_testing
