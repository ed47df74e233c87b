#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Who one is to a registry, and how it is known: logins from every place where
# they may lie, Basic, tokens, TLS; and no secret where it does not belong.
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/../lib.sh"
# shellcheck source=tests/faults.sh
. "$(dirname "$0")/../faults.sh"
# shellcheck source=tests/registry.sh
. "$(dirname "$0")/../registry.sh"

need_program skopeo
need_program openssl
need_program perl
small "$SCRATCH/channel" normal
head -c 300000 /dev/urandom >"$SCRATCH/random"
image_of "$SCRATCH/image" "$SCRATCH/random" "$0"
word=s3cr3t-Pa55w0rd
login=$(printf 'u5er:%s' "$word" | base64 -w0)

# push NAME OPTION...: the image to a repository.
push() {
	local to=$reg/$1
	shift
	"$ENVBUILD" push "oci:$SCRATCH/image:v" "$to:v" --cache-dir "$PWD/c" \
		"$@"
}
pushed() {
	same "$(tags "$1")" v
	whole
}
refused() {
	same "$(tags "$1")" ''
	whole
	sound c
}
as() {
	local user=$1
	shift
	ENVBUILD_REGISTRY_USER=$user ENVBUILD_REGISTRY_PASSWORD=$word "$@"
}

authority() {
	cd "$SCRATCH" || exit
	openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=own-ca \
		-addext basicConstraints=critical,CA:TRUE -keyout ca.key \
		-out ca.crt
	printf 'subjectAltName=DNS:localhost,IP:127.0.0.1\n' >names
	for name in server client; do
		openssl req -newkey rsa:2048 -nodes -subj "/CN=$name" \
			-keyout $name.key -out $name.csr
		openssl x509 -req -in $name.csr -CA ca.crt -CAkey ca.key \
			-days 2 -extfile names -out $name.crt
	done
}
(authority) >"$SCRATCH/openssl.log" 2>&1 || {
	cat "$SCRATCH/openssl.log"
	exit 1
}

registry basic --set auth=basic --login "u5er:$word"
(cd "$SCRATCH" && as u5er push given)
(cd "$SCRATCH" && as u5er push team/env)
registry challenged --set auth=basic --login "u5er:$word"
registry tls --tls "$SCRATCH/server.crt" "$SCRATCH/server.key"

# Nobody but loopback is spoken to without TLS unless that is asked for. The
# registry is the proxy here, so that any name leads to it. That takes its
# time, beside all others.
registry proxy
by_proxy() {
	http_proxy=http://$reg https_proxy=http://$reg "$ENVBUILD" push \
		"oci:$SCRATCH/image:v" registry.example/a:v --cache-dir c
}
begin by-proxy by_proxy

# --- tokens -----------------------------------------------------------------
registry bearer --set auth=bearer --login "u5er:$word" --login \
	"reader:$word:pull" --set identity=yes
export ENVBUILD_REGISTRY_USER=u5er ENVBUILD_REGISTRY_PASSWORD=$word
expired() {
	use bearer
	anew
	faults '{"method": "PUT", "path": "/uploads/", "forget": "tokens",
		"nth": 2}'
	push a
	happened
	pushed a
	lawful
	[ "$(asked GET ^/token '.status == 200')" -le 4 ]
	# For ever: it ends.
	anew
	forget_tokens
	faults '{"path": "^/v2/", "forget": "tokens", "times": 0}'
	fails 5 "$reg/a" push a
	refused a
	[ "$(asked '.*' ^/token)" -le 12 ]
}
it 'a token that expires between two blobs is asked for anew' expired

too_few_rights() {
	use bearer
	anew
	faults
	ENVBUILD_REGISTRY_USER=reader fails 5 "$reg/a" push a
	cp stderr few
	refused a
	ENVBUILD_REGISTRY_PASSWORD=wrong fails 5 "$reg/a" push a
	cp stderr wrong
	has_not wrong permission
	has_words few permission
	unset ENVBUILD_REGISTRY_USER ENVBUILD_REGISTRY_PASSWORD
	fails 5 "$reg/a" push a
	if cmp -s stderr wrong; then
		fail 'none and wrong ones are told alike'
	fi
	refused a
	control PUT /_ways denied=403
	ENVBUILD_REGISTRY_USER=reader ENVBUILD_REGISTRY_PASSWORD=$word \
		fails 5 "$reg/a" push a
	refused a
}
it 'wrong credentials, none, and too few rights are three things' \
	too_few_rights

token_server() {
	use bearer
	local how
	# It comes to its senses.
	for how in '"status": 500' '"status": 429, "fields":
		[["Retry-After", "1"]]' '"reset": "before"'; do
		anew
		forget_tokens
		faults "{\"path\": \"^/token\", $how}"
		push a
		happened
		pushed a
	done
	# It does not.
	for how in '"replace": "{}"' '"replace": "no JSON"' \
		"\"replace\": \"{\\\"token\\\": \\\"$(printf '%070000d' 0)\\\"}\"" \
		'"replace": "{\"token\": \"a b\\n\"}"' '"replace": "[]"' \
		'"status": 404' '"html": true'; do
		anew
		forget_tokens
		faults "{\"path\": \"^/token\", $how, \"times\": 0}"
		SECONDS=0
		got=0
		push a >stdout 2>stderr || got=$?
		cat stderr
		[ "$got" = 4 ] || [ "$got" = 5 ] || fail "status $got: $how"
		has_words stderr token
		[ "$SECONDS" -le 10 ]
		happened
		refused a
	done
	# An identity token goes by POST; without POST there is GET.
	unset ENVBUILD_REGISTRY_USER ENVBUILD_REGISTRY_PASSWORD
	for how in both get; do
		anew
		forget_tokens
		faults
		control PUT /_ways "token-methods=$how"
		printf '{"auths": {"%s": {"auth": "%s", "identitytoken": "%s"}}}' \
			"$reg" "$login" "$word" >auth.json
		REGISTRY_AUTH_FILE=$PWD/auth.json push a
		pushed a
		[ "$(asked POST ^/token)" != 0 ]
		[ "$how" = both ] || [ "$(asked GET ^/token)" != 0 ]
		lawful
	done
}
it 'the token server fails, talks nonsense, knows no POST' token_server

challenges() {
	use challenged
	forget_tokens
	faults '{"challenge": ["Negotiate", "Basic realm=\"a, b\", charset=\"UTF-8\""]}'
	push a
	happened
	pushed a
	anew
	forget_tokens
	rm -rf c
	faults '{"challenge": ["Negotiate, basic realm=\"a, Bearer x=y\""]}'
	push a
	happened
	anew
	forget_tokens
	faults '{"challenge": [], "times": 0}'
	fails 5 "$reg/a" push a
	refused a
	anew
	faults '{"challenge": ["Negotiate"], "times": 0}'
	fails 5 "$reg/a" push a
	refused a
	use bearer
	anew
	forget_tokens
	# shellcheck disable=SC2016 # the server's
	faults '{"path": "^/v2/", "challenge":
		["bearer Realm=\"$BASE/token\" , service=registry,scope=\"repository:a:pull,push repository:b/c:pull\""]}'
	push a
	happened
	pushed a
	# A 401 without a word, as of gcr.io: /v2/ says what is wanted.
	anew
	forget_tokens
	faults
	control PUT /_ways challenge=ping
	push a
	pushed a
	[ "$(asked GET '^/v2/$')" != 0 ]
}
it 'challenges: several, without a word, with two scopes' challenges

unsafe_realms() {
	local realm
	use bearer
	for realm in http://169.254.169.254/token ftp://127.0.0.1/token \
		http://10.1.2.3/token file:///etc/passwd 'no url'; do
		anew
		forget_tokens
		faults "{\"path\": \"^/v2/\", \"times\": 0,
			\"challenge\": [\"Bearer realm=\\\"$realm\\\"\"]}"
		SECONDS=0
		fails 5 "${realm:0:20}" push a
		[ "$SECONDS" -le 5 ]
		refused a
	done
	use tls
	anew
	forget_tokens
	rm -rf c
	# shellcheck disable=SC2016 # the server's
	faults '{"path": "^/v2/", "times": 0, "challenge":
		["Bearer realm=\"$PLAIN/token\",service=\"x\""]}'
	fails 5 "http://127.0.0.1:$plain/token" push a \
		--ca-file "$SCRATCH/ca.crt"
	same "$(asked '.*' ^/token)" 0
	refused a
}
it 'realms that are not safe are not asked' unsafe_realms
unset ENVBUILD_REGISTRY_USER ENVBUILD_REGISTRY_PASSWORD

# --- where a login may lie --------------------------------------------------
# look: whether the image can be looked at, and who that was.
look() {
	forget_tokens
	faults
	"$ENVBUILD" inspect "$reg/given:v" "$@"
	[ "$(asked GET '' '.status == 200 and .user == "u5er"')" != 0 ]
}
blind() {
	local status=$1 words=$2
	shift 2
	forget_tokens
	faults
	fails "$status" "$words" "$ENVBUILD" inspect "$reg/given:v" "$@"
	no_word stdout stderr
}
no_word() {
	if grep -rlaF -e "$word" -e "$login" -e other-Pa55w0rd "$@"; then
		fail 'a secret is there'
	fi
}
# auths KEY [LOGIN]: the text of a file with one login.
auths() {
	printf '{"auths": {"%s": {"auth": "%s"}}}' "$1" "${2-$login}"
}
wrong=$(printf u5er:other-Pa55w0rd | base64 -w0)

given_ones() {
	use basic
	blind 5 "$reg"
	look --username u5er --password-stdin <<<"$word"
	blind 5 --username --username u5er --password-stdin <<<other-Pa55w0rd
	blind 2 password-stdin --username u5er
	blind 2 username --password-stdin <<<"$word"
	blind 3 password --username u5er --password-stdin </dev/null
	fails 2 - "$ENVBUILD" build - --username u5er --password-stdin \
		--registry "$reg/team/env" <<<"$word"
	as u5er look
	ENVBUILD_REGISTRY_USER=u5er ENVBUILD_REGISTRY_PASSWORD=other-Pa55w0rd \
		blind 5 ENVBUILD_REGISTRY_USER
	# The command line over the environment.
	ENVBUILD_REGISTRY_USER=u5er ENVBUILD_REGISTRY_PASSWORD=other-Pa55w0rd \
		look --username u5er --password-stdin <<<"$word"
}
it 'the command line, the environment' given_ones

files() {
	use basic
	local at
	auths "$reg" >auth.json
	REGISTRY_AUTH_FILE=$PWD/auth.json look
	DOCKER_AUTH_CONFIG=$(cat auth.json) look
	mkdir -p docker
	for at in "$XDG_RUNTIME_DIR/containers/auth.json" \
		"$XDG_CONFIG_HOME/containers/auth.json" \
		"$HOME/.docker/config.json"; do
		mkdir -p "${at%/*}"
		cp auth.json "$at"
		look
		auths "$reg" "$wrong" >"$at"
		blind 5 "$at"
		rm "$at"
		blind 5 "$reg"
	done
	# As Docker writes it.
	auths "https://$reg/v1/" >docker/config.json
	DOCKER_CONFIG=$PWD/docker look
	jq .auths docker/config.json >"$HOME/.dockercfg"
	look
	rm "$HOME/.dockercfg"
}
it 'files: REGISTRY_AUTH_FILE, containers, Docker, DOCKER_AUTH_CONFIG' files

namespaces() {
	use basic
	jq -n --arg r "$reg" --arg l "$login" --arg w "$wrong" '{auths: {
		($r): {auth: $w}, ($r + "/team"): {auth: $l},
		($r + "/team/en"): {auth: $w}, "other.example": {auth: $w}}}' \
		>auth.json
	export REGISTRY_AUTH_FILE=$PWD/auth.json
	blind 5 "$PWD/auth.json"
	forget_tokens
	"$ENVBUILD" inspect "$reg/team/env:v"
	# The order of the files.
	auths "$reg" >auth.json
	mkdir -p "$HOME/.docker"
	auths "$reg" "$wrong" >"$HOME/.docker/config.json"
	look
	rm "$HOME/.docker/config.json"
}
it 'the longest name counts, the first file counts' namespaces

broken_files() {
	use basic
	printf '{"auths":\n {"%s": {"auth": "%s"}' "$reg" "$login" >auth.json
	REGISTRY_AUTH_FILE=$PWD/auth.json blind 3 "$PWD/auth.json"
	printf '[]' >auth.json
	REGISTRY_AUTH_FILE=$PWD/auth.json blind 3 "$PWD/auth.json"
	auths "$reg" 'no base64!' >auth.json
	REGISTRY_AUTH_FILE=$PWD/auth.json blind 3 "$PWD/auth.json"
	chmod 600 auth.json
	: >auth.json
	REGISTRY_AUTH_FILE=$PWD/nothing.json blind 5 "$reg"
}
it 'a file that is broken is named, without what it holds' broken_files

netrc() {
	use basic
	printf 'machine other.example login x password y\nmachine 127.0.0.1\n' \
		>netrc
	printf '  login u5er\n  password %s\n' "$word" >>netrc
	chmod 600 netrc
	NETRC=$PWD/netrc look
	cp netrc "$HOME/.netrc"
	look
	sed -i s/s3cr3t/other/ "$HOME/.netrc"
	blind 5 netrc
	rm "$HOME/.netrc"
}
it netrc netrc

# helper NAME: a script that does what a credential helper does.
helper() {
	mkdir -p bin
	{
		printf '#!/bin/sh\n'
		cat
	} >"bin/docker-credential-$1"
	chmod +x "bin/docker-credential-$1"
}
helpers() {
	use basic
	export DOCKER_CONFIG=$PWD/docker PATH=$PWD/bin:$PATH
	mkdir docker
	helper good <<-END
		read -r server
		tr '\\0' ' ' </proc/\$PPID/cmdline >$PWD/parent
		echo "\$1 \$server" >$PWD/asked
		printf '{"ServerURL": "%s", "Username": "u5er", "Secret": "%s"}' \
			"\$server" $word
	END
	printf '{"credHelpers": {"%s": "good"}}' "$reg" >docker/config.json
	look
	same "$(cat asked)" "get $reg"
	no_word parent
	printf '{"credsStore": "good"}' >docker/config.json
	look
	# That one's helper, not the store.
	helper bad <<-END
		echo 'the keyring is locked'
		exit 3
	END
	printf '{"credsStore": "bad", "credHelpers": {"%s": "good"}}' "$reg" \
		>docker/config.json
	look
	printf '{"credsStore": "bad"}' >docker/config.json
	blind 5 docker-credential-bad
	has_words stderr 'the keyring is locked'
	helper none <<-END
		echo 'credentials not found in native keychain'
		exit 1
	END
	printf '{"credsStore": "none"}' >docker/config.json
	blind 5 "$reg"
	has_not stderr docker-credential
	printf '{"credsStore": "missing"}' >docker/config.json
	blind 7 docker-credential-missing
	has_words stderr hint:
	printf '{"credsStore": "../bin/good"}' >docker/config.json
	rm asked
	blind 3 docker/config.json
	[ ! -e asked ]
	helper nonsense <<-END
		echo '{"Username": "u5er", "Secret": '
	END
	printf '{"credsStore": "nonsense"}' >docker/config.json
	blind 5 docker-credential-nonsense
}
it 'helpers: found, missing (7), failing (5), without an answer' helpers

# --- a real registry --------------------------------------------------------
printf 'u5er:%s\n' "$(WORD=$word perl -e \
	'print crypt($ENV{WORD}, "\$2y\$05\$abcdefghijklmnopqrstuu")')" \
	>"$SCRATCH/htpasswd"
# there OPTION...: to and fro, with docker-registry.
there() {
	local from
	push team/env "$@" >pushed
	from=$(cat pushed)
	"$ENVBUILD" pull "$reg/team/env:v" --cache-dir "$PWD/d" --output \
		oci:back "$@"
	same "$(skopeo inspect --raw oci:back:v | sha256sum | cut -d' ' -f1)" \
		"${from##*:}"
	sound c
	sound d
}

htpasswd() {
	as u5er there
	rm -rf c
	fails 5 "$reg" push team/env
	ENVBUILD_REGISTRY_USER=u5er ENVBUILD_REGISTRY_PASSWORD=wrong \
		fails 5 ENVBUILD_REGISTRY_USER push team/env
}
if command -v docker-registry >/dev/null; then
	docker_registry htpasswd \
		"auth: {htpasswd: {realm: here, path: $SCRATCH/htpasswd}}"
	it 'docker-registry: htpasswd' htpasswd
else
	it 'docker-registry: htpasswd' no_docker_registry
fi

# The tokens of tests/fixtures/token_server.py, whose user is u, password p.
mkdir "$SCRATCH/keys"
token_server() {
	local fd
	mkfifo "$SCRATCH/tokens.in"
	python3 "$TOP/tests/fixtures/token_server.py" --keys "$SCRATCH/keys" \
		<"$SCRATCH/tokens.in" >"$SCRATCH/tokens.port" &
	servers="${servers:-} $!"
	disown
	ends
	exec {fd}>"$SCRATCH/tokens.in"
	for _ in $(seq 400); do
		token_port=$(cat "$SCRATCH/tokens.port")
		[ -z "$token_port" ] || return 0
		sleep 0.05
	done
	echo 'the token server has not begun'
	exit 1
}
jwt() {
	export ENVBUILD_REGISTRY_USER=u ENVBUILD_REGISTRY_PASSWORD=p
	there
	# The token is kept, and of no one else's business.
	same "$(find "$XDG_RUNTIME_DIR/envbuild" -name tokens -perm /077)" ''
	same "$(find "$XDG_RUNTIME_DIR/envbuild" -type d -perm /077)" ''
	forget_tokens
	ENVBUILD_REGISTRY_PASSWORD=wrong fails 5 ENVBUILD_REGISTRY_USER \
		push team/env
	# An identity token goes by POST.
	unset ENVBUILD_REGISTRY_USER ENVBUILD_REGISTRY_PASSWORD
	printf '{"auths": {"%s": {"identitytoken": "refresh-1"}}}' "$reg" \
		>auth.json
	rm -rf c d back
	REGISTRY_AUTH_FILE=$PWD/auth.json there
}
if command -v docker-registry >/dev/null; then
	token_server
	docker_registry tokens "auth: {token: {realm:
  'http://127.0.0.1:$token_port/token', service: test-service,
  issuer: test-issuer, rootcertbundle: '$SCRATCH/keys/cert.pem'}}"
	it 'docker-registry: tokens, kept 0600; identity tokens' jwt
else
	it 'docker-registry: tokens, kept 0600; identity tokens' no_docker_registry
fi

# --- TLS --------------------------------------------------------------------
private_ca() {
	local ca=$SCRATCH/ca.crt at=$XDG_CONFIG_HOME/containers/certs.d/$reg
	fails 5 certificate push team/env
	has_words stderr "$reg" hint: --ca-file
	there --ca-file "$ca"
	rm -rf c d back
	SSL_CERT_FILE=$ca there
	rm -rf c d back
	mkdir -p "$at"
	cp "$ca" "$at/own.crt"
	there
	rm -r "$at"
	fails 7 nothing.crt push team/env --ca-file nothing.crt
	fails 5 certificate push team/env --ca-file "$SCRATCH/client.crt"
}
if command -v docker-registry >/dev/null; then
	docker_registry tls " tls: {certificate: $SCRATCH/server.crt," \
		"   key: $SCRATCH/server.key}"
	it 'docker-registry: a private CA by option, variable, certs.d' \
		private_ca
else
	it 'docker-registry: a private CA by option, variable, certs.d' \
		no_docker_registry
fi

registry mutual --tls "$SCRATCH/server.crt" "$SCRATCH/server.key" \
	--client-ca "$SCRATCH/ca.crt"
client_certificates() {
	use mutual
	local at=$XDG_CONFIG_HOME/containers/certs.d/$reg
	fails 5 certificate push a --ca-file "$SCRATCH/ca.crt"
	mkdir -p "$at"
	cp "$SCRATCH/ca.crt" "$at/ca.crt"
	cp "$SCRATCH/client.crt" "$at/client.cert"
	cp "$SCRATCH/client.key" "$at/client.key"
	push a
	pushed a
	lawful
	rm -r "$at"
}
it 'certificates of the client' client_certificates

no_plain() {
	use proxy
	ended by-proxy 4 registry.example
	same "$(asked '.*' ^/)" 0
	cd "$SCRATCH/it" || exit
	control DELETE /_violations
	export http_proxy=http://$reg https_proxy=http://$reg
	reg=registry.example
	push a --plain-http
	pushed a
	lawful
}
it 'plain http is for loopback, or asked for' no_plain

# --- secrets ----------------------------------------------------------------
# arguments PID: of a process and of all that it has started.
arguments() {
	local child
	tr '\0' ' ' <"/proc/$1/cmdline"
	echo
	cat "/proc/$1/task/"*/children | tr ' ' '\n' |
		while read -r child; do
			[ -z "$child" ] || arguments "$child"
		done
}
held() {
	for _ in $(seq 200); do
		[ "$(asked '.*' ^/v2/)" = 0 ] || return 0
		sleep 0.05
	done
	fail 'nothing is asked'
}
secrets() {
	use basic
	anew
	forget_tokens
	faults '{"path": "^/v2/", "hold": "look"}'
	printf 'dependencies: [normal]\n' >env.yml
	printf %s "$word" >word
	"$ENVBUILD" build env.yml --base scratch --pyc none --channel \
		"file://$SCRATCH/channel" --cache-dir "$PWD/c" --registry \
		"$reg/team/env" --username u5er --password-stdin -v --json \
		--progress json --output oci:out <word >stdout 2>stderr &
	pid=$!
	held
	arguments "$pid" >argv
	control PUT '/_release?name=look'
	wait "$pid"
	rm word
	grep -q 'envbuild.*--password-stdin' argv
	"$ENVBUILD" lock env.yml --base scratch --cache-dir "$PWD/c" --channel \
		"file://$SCRATCH/channel" --output lock
	# By the environment: not there for those that are started, either.
	export REGISTRY_AUTH_FILE=$PWD/../auth.json
	auths "$reg" >"$REGISTRY_AUTH_FILE"
	push b -v --progress json >stdout2 2>stderr2
	forget_tokens_of=$XDG_RUNTIME_DIR/envbuild
	rm "$REGISTRY_AUTH_FILE"
	as u5er "$ENVBUILD" inspect "$reg/b:v" -v >stdout3 2>stderr3
	# What was refused is told without it, too.
	ENVBUILD_REGISTRY_USER=u5er ENVBUILD_REGISTRY_PASSWORD=other-Pa55w0rd \
		fails 5 "$reg" push d -v --progress json
	forget_tokens
	no_word . "$XDG_STATE_HOME" "$SCRATCH/cache"
	[ ! -e "$forget_tokens_of" ] || no_word "$forget_tokens_of"
	# The registry has not got it, too.
	control GET /_state | jq -r '.repositories[].blobs | keys[]' |
		sort -u >blobs
	[ -s blobs ]
	for blob in $(jq -r '.manifests[].digest' out/index.json); do
		skopeo inspect --raw --config oci:out | jq . >config
		no_word "out/blobs/sha256/${blob#sha256:}" config
	done
	[ "$(find "$XDG_STATE_HOME/envbuild/log" -type f | wc -l)" != 0 ]
}
it 'no secret in arguments, logs, messages, store, lock, image' secrets

done_testing
