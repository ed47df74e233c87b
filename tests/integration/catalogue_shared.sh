#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Environments that a team shares in its registry: registered by one, found,
# labelled, archived, cloned and built by another; many at once; what is wrong in
# a registry.
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/../lib.sh"
# shellcheck source=tests/registry_lib.sh
. "$(dirname "$0")/../registry_lib.sh"

export LC_ALL=C
need_program jq
start_registry main
R=$registry
export CONDA_OVERRIDE_GLIBC=2.99
TYPE=application/vnd.oci.image.manifest.v1+json
DEFINITION=application/vnd.envbuild.environment.v1+json

# shared REPOSITORY: the catalogue of the test.
shared() {
	export ENVBUILD_REGISTRY=$R/$1
	on one
}

# on MACHINE: from here on we are there.
on() {
	export XDG_DATA_HOME=$PWD/$1/data XDG_CACHE_HOME=$PWD/$1/cache
}

define() {
	printf 'dependencies: [%s]\n' "$1" >env.yml
}

eb() {
	"$ENVBUILD" "$@" --shared
}

# listed [OPTION]: NAME VERSION STATUS IMAGE, without the curated ones.
listed() {
	eb list --own --json "$@" | jq -r '.environments[] |
		[.name, .version, .status, (.image | tostring)] | join(" ")'
}

tags() {
	curl -s "http://$R/v2/${ENVBUILD_REGISTRY#*/}/tags/list?mark=tags" |
		jq -r '.tags[]' | sort
}

# manifest TAG: what stands there.
manifest() {
	curl -s -H "Accept: $TYPE" \
		"http://$R/v2/${ENVBUILD_REGISTRY#*/}/manifests/$1?mark=get"
}

# put_manifest TAG <TEXT
put_manifest() {
	curl -sf -o /dev/null -X PUT -H "Content-Type: $TYPE" \
		--data-binary @- \
		"http://$R/v2/${ENVBUILD_REGISTRY#*/}/manifests/$1?mark=put"
}

# put_blob FILE: its digest on stdout.
put_blob() {
	local url digest
	digest=sha256:$(sha256sum "$1" | cut -d ' ' -f 1)
	url=$(curl -si -X POST \
		"http://$R/v2/${ENVBUILD_REGISTRY#*/}/blobs/uploads/?mark=1" |
		sed -n 's/^Location: \([^\r]*\).*/\1/Ip')
	curl -sf -o /dev/null -X PUT --data-binary "@$1" \
		-H 'Content-Type: application/octet-stream' \
		"$url&digest=$digest&mark=2"
	echo "$digest"
}

# Two machines that have nothing in common but the registry.
one_and_another() {
	shared basic
	define 'python=3.8, pytorch=1.6, cudatoolkit=10.1'
	cp env.yml first.yml
	same "$(eb register first.yml --name n --base scratch)" n:1
	same "$(eb register first.yml --name n --base scratch --json |
		jq -r '.reference, .new')" $'n:1\nfalse'
	define python
	same "$(eb register env.yml --name n)" n:2
	same "$(eb register env.yml --name n --version 2)" n:2
	fails 3 'is there already' "$ENVBUILD" register env.yml --name n \
		--version 1 --shared
	on two
	same "$(listed)" 'n 2 shared false'
	same "$(eb show n:1 --definition)" "$(cat first.yml)"
	same "$(eb show n:1 --json | jq -r \
		'.status, .options.base, .framework, .cuda, .origin')" \
		$'shared\nscratch\npytorch 1.6\n10.1\nfirst.yml'
	same "$(eb hash n)" "$("$ENVBUILD" hash env.yml)"
	fails 3 'there are "2", "1"' "$ENVBUILD" show n:3 --shared
	fails 3 'did you mean "n"' "$ENVBUILD" show nn --shared
	fails 3 'no environment is named "n"' "$ENVBUILD" show n
	# What is of the other machine alone is not written down.
	! manifest def-n.v1 | grep -q "$PWD" || fail 'a path is shared'
	fails 2 'reserved' "$ENVBUILD" register env.yml --name AzureML-n --shared
	fails 2 'a curated environment has it' "$ENVBUILD" clone n sklearn-1.5 \
		--shared
	# Curated ones are not asked for there.
	requests_forget main
	eb hash AzureML-Tutorial
	same "$(requests main)" ''
}

# One's own come behind the team's, and --local asks nobody.
own_and_kept() {
	local first
	shared kept
	define python
	eb register env.yml --name n
	define six
	"$ENVBUILD" register env.yml --name n
	"$ENVBUILD" register env.yml --name mine
	first=$(eb hash n)
	[ "$first" != "$("$ENVBUILD" hash n)" ]
	same "$("$ENVBUILD" hash n)" "$(eb hash mine)"
	mkdir -p "$XDG_CONFIG_HOME/envbuild"
	echo 'shared: true' >"$XDG_CONFIG_HOME/envbuild/config.yml"
	same "$("$ENVBUILD" hash n)" "$first"
	same "$("$ENVBUILD" register env.yml --name local --local)" local:1
	rm "$XDG_CONFIG_HOME/envbuild/config.yml"
	on two
	fails 3 '' "$ENVBUILD" hash n --local --shared
	same "$(eb hash n)" "$first"
	requests_forget main
	same "$(eb hash n --local)" "$first"
	same "$(eb hash n:1 --offline)" "$first"
	fails 1 '' "$ENVBUILD" check n --local --shared
	same "$(requests main)" ''
	fails 2 'with --offline' "$ENVBUILD" label n:1 prod --shared --offline
	# A smaller number than the latest, by itself, is no latest.
	on one
	eb register env.yml --name k --version 7
	eb hash k
	define python
	eb register env.yml --name k --version 3
	same "$(eb show k --local --json | jq -r .version)" 7
	on two
	# The light program is enough for that.
	mkdir light
	cp "$ENVBUILD" light/envbuild
	same "$(light/envbuild hash n --local --shared)" "$first"
	fails 7 'envbuild-full' light/envbuild hash n --shared
	fails 2 'none is set' env -u ENVBUILD_REGISTRY "$ENVBUILD" list --shared
}

labels_and_archive() {
	shared labels
	define python
	eb register env.yml --name n
	define six
	eb register env.yml --name n
	same "$(eb label n:1 prod)" n:1
	same "$(eb show n@prod --json | jq -c '[.version, .labels]')" \
		'["1",["prod"]]'
	on two
	same "$(eb label n:2 prod)" n:2
	same "$(eb label n:2 "$(printf 'x%.0s' $(seq 200))")" n:2
	same "$(eb show n@prod --json | jq -r .version)" 2
	same "$(eb show n:2 --json | jq -r '.labels[0], .labels[1][:3]')" \
		$'prod\nxxx'
	same "$(eb show n:1 --json | jq -c .labels)" '[]'
	same "$(eb show "n@$(printf 'x%.0s' $(seq 200))" --json |
		jq -r .version)" 2
	fails 3 'there is "prod"' "$ENVBUILD" show n@other --shared
	fails 3 'no version "9"' "$ENVBUILD" label n:9 prod --shared
	fails 2 'latest' "$ENVBUILD" label n:1 latest --shared
	same "$(eb archive n:2)" n:2
	on one
	same "$(listed)" 'n 1 shared false'
	same "$(listed --all)" 'n 2 archived false'
	same "$(eb show n --json | jq -r .version)" 1
	same "$(eb show n@prod --json | jq -c '[.version, .archived]')" \
		'["2",true]'
	same "$(eb archive n)" n
	same "$(listed)" ''
	same "$(eb show n --json | jq -r .version)" 2
	same "$(eb restore n)" n
	same "$(listed)" 'n 2 shared false'
	same "$(eb register env.yml --name n)" n:2
	fails 3 'no environment' "$ENVBUILD" restore other --shared
	fails 2 'curated' "$ENVBUILD" archive AzureML-Tutorial --shared
}

# A clone has the bytes of its original; so has what was one's own.
clones() {
	local digest
	shared clones
	define python
	"$ENVBUILD" register env.yml --name mine --base scratch
	same "$(eb clone mine n)" n:1
	same "$(eb clone n twin)" twin:1
	digest=$(manifest def-n.v1 | jq -r '.layers[].digest')
	same "$(manifest def-twin.v1 | jq -r '.layers[].digest')" "$digest"
	same "$(eb show twin --json | jq -r '.origin, .options.base')" \
		$'n:1\nscratch'
	same "$(eb clone AzureML-Tutorial tutorial)" tutorial:1
	same "$(eb hash tutorial)" "$(eb hash AzureML-Tutorial)"
	# Azure's files go along.
	on two
	eb save tutorial t --format v2
	same "$(eb load t --name back)" back:1
	eb save back t2
	sed -i 's/^name: back$/name: tutorial/' t2/environment.yml
	diff -r t t2
}

# What one builds under a name is there for the other.
builds() {
	local reference packages
	packages=$(need_channel)
	shared builds
	printf 'channels: ["file://%s"]\ndependencies: [python, greeting]\n' \
		"$packages" >env.yml
	reference=$(eb build env.yml --base scratch --name n)
	same "$(listed)" 'n 1 shared true'
	same "$(eb clone n twin)" twin:1
	on two
	same "$(eb check n)" "$reference"
	same "$(eb check twin:1)" "$reference"
	same "$(eb build n)" "$reference"
	same "$(listed)" $'n 1 shared true\ntwin 1 shared true'
	eb plan n >/dev/null
	fails 2 "cache's own" "$ENVBUILD" build n --shared --tag label-n.vx
	# gc leaves them alone.
	"$ENVBUILD" cache gc --registry --max-age 0s --delete
	same "$(eb show n --definition)" "$(cat env.yml)"
	[ "$(tags | grep -c '^def-')" = 2 ]
}

# A name or version that makes no tag.
no_tags() {
	local long
	shared tags
	long=$(printf 'x%.0s' $(seq 200))
	define python
	same "$(eb register env.yml --name "$long")" "$long:1"
	same "$(eb register env.yml --name a.v1 --version 'b c')" 'a.v1:b c'
	same "$(eb register env.yml --name a)" a:1
	same "$(tags | grep -v '^claim-' | sed 's/[0-9a-f]\{32\}/HEX/' |
		sort)" $'def-HEX\ndef-HEX\ndef-a.v1'
	on two
	same "$(listed)" "a 1 shared false
a.v1 b c shared false
$long 1 shared false"
	same "$(eb show a.v1 --json | jq -r .version)" 'b c'
	same "$(eb register env.yml --name "$long")" "$long:1"
	define six
	same "$(eb register env.yml --name "$long")" "$long:2"
}

# However many register at once, no number is given twice, and no definition is
# lost. (A number may be left out where one of them is slower than the others
# wait.)
at_once() {
	local i round
	shared race
	mkdir d
	for round in 1 2 3 4 5; do
		for i in $(seq 8); do
			define "'six<$i.$round'"
			mv env.yml "d/$i.yml"
		done
		for i in $(seq 8); do
			"$ENVBUILD" register "d/$i.yml" --name "n$round" \
				--shared >"d/$i" &
		done
		wait
		for i in $(seq 8); do
			same "$(eb show "$(cat "d/$i")" --definition)" \
				"$(cat "d/$i.yml")"
		done
		same "$(sort -u d/? | grep -c "^n$round:[1-9][0-9]*$")" 8
		same "$(sort -t : -k 2 -n d/? | head -n 1)" "n$round:1"
	done
	# The same definition has one version.
	for i in $(seq 6); do
		eb register d/1.yml --name same >"d/$i" &
	done
	wait
	same "$(cat d/? | sort -u | grep same)" same:1
}

# A version that several ask for is one's alone.
asked_at_once() {
	local i round
	shared asked
	for round in 1 2 3; do
		for i in 1 2 3; do
			define "'six<$i.$round'"
			mv env.yml "$i.yml"
			"$ENVBUILD" register "$i.yml" --name n --version \
				"v$round" --shared >"$i.out" 2>"$i.err" &
		done
		wait
		same "$(cat ./*.out)" "n:v$round"
		for i in 1 2 3; do
			[ ! -s "$i.out" ] ||
				same "$(eb show "n:v$round" --definition)" \
					"$(cat "$i.yml")"
			[ -s "$i.out" ] || grep -qE \
				'there already|by somebody else' "$i.err"
		done
	done
}

# Another one's claim counts, also when that one was killed; but not for ever
# where a version is asked for.
claims() {
	local claim
	shared claims
	define python
	eb register env.yml --name n
	claim=$(tags | grep '^claim-')
	define six
	eb register env.yml --name other
	# Somebody else wants "n:2", and goes no further.
	manifest def-other.v1 | put_manifest "$(printf 'claim-%.32s-%s-00000000' \
		"$(printf 'n\0002' | sha256sum)" "$(printf '0%.0s' $(seq 32))")"
	same "${claim:0:38}" "claim-$(printf 'n\0001' | sha256sum | cut -c 1-32)"
	same "$(eb register env.yml --name n)" n:3
	define pip
	fails 3 'by somebody else' "$ENVBUILD" register env.yml --name n \
		--version 2 --shared
	manifest def-other.v1 | jq -c '.annotations
		["org.opencontainers.image.created"] = "2020-01-01T00:00:00Z"' |
		put_manifest "$(tags | grep '00000000$')"
	same "$(eb register env.yml --name n --version 2)" n:2
	same "$(eb show n --json | jq -r .version)" 3
}

# 400 names: pages of tags, and not one request after the other.
many() {
	local blob i
	shared many
	define python
	eb register env.yml --name n
	blob=$(manifest def-n.v1)
	jq -c '. as $m | range(1; 401) | . as $i | $m | .annotations
		["org.opencontainers.image.title"] = "n\($i)"' <<<"$blob" |
		awk '{ print >("m" NR) }'
	for i in $(seq 400); do
		printf 'url = "http://%s/v2/many/manifests/def-n%s.v1?mark=%s"\n' \
			"$R" "$i" "$i"
		printf 'upload-file = "m%s"\noutput = /dev/null\n' "$i"
	done >config
	curl -sfZ --parallel-max 16 -K config -H "Content-Type: $TYPE"
	requests_forget main
	time eb list --own --json >all
	same "$(jq '.environments | length' all)" 401
	same "$(requests_count main '^GET .*/tags/list')" 1
	same "$(requests_count main '^GET .*/manifests/')" 401
	requests_forget main
	# Of one name alone its own are asked for.
	eb show n7 >/dev/null
	[ "$(requests main | wc -l)" -le 6 ]
}

# Nothing that is secret gets there.
secrets() {
	local word=s3cret
	shared secrets
	printf 'channels: ["https://u:%s@index.example/c"]\n' "$word" >env.yml
	echo 'dependencies: [python]' >>env.yml
	fails 3 'has a login or a token' "$ENVBUILD" register env.yml --name n \
		--shared
	grep -q '^envbuild: conda_dependencies.yml:1:' stderr
	sed -i "s|u:$word@index.example|index.example/t/$word|" env.yml
	fails 3 'has a login or a token' "$ENVBUILD" register env.yml --name n \
		--shared
	define 'python, {pip: ["--index-url https://tok@files.example/s", six]}'
	fails 3 'has a login or a token' "$ENVBUILD" register env.yml --name n \
		--shared
	# shellcheck disable=SC2016 # it stands so in the file
	define 'python, {pip: ["--index-url https://${U}:${P}@files.example/s",
		"x @ git+ssh://git@files.example/x"]}'
	same "$(eb register env.yml --name n)" n:1
	! grep -rq "$word" "$SCRATCH/main/data" || fail 'a secret is there'
}

# What stands in a registry is not believed.
hostile() {
	local good blob odd
	shared hostile
	define python
	eb register env.yml --name n
	good=$(manifest def-n.v1)
	bad() {
		jq -c "$1" <<<"$good" | put_manifest def-n.v1
	}
	bad '.artifactType = "application/x-other"'
	fails 6 'another kind' "$ENVBUILD" hash n:1 --shared
	# A list goes on without it, and says so.
	eb register env.yml --name good
	same "$(listed)" 'good 1 shared false'
	eb list 2>&1 | grep -q 'is left out'
	bad '.artifactType = "application/vnd.envbuild.environment.v2"'
	fails 7 'newer format' "$ENVBUILD" hash n:1 --shared
	bad '.annotations["org.opencontainers.image.title"] = "good"'
	fails 6 'another name' "$ENVBUILD" hash n:1 --shared
	bad '.layers[0].mediaType = "text/plain"'
	fails 6 'it is not there' "$ENVBUILD" hash n:1 --shared
	bad '.layers[0].size = 999999999999' || :
	head -c 9000000 /dev/zero | tr '\0' x >big
	blob=$(put_blob big)
	bad ".layers[0].digest = \"$blob\" | .layers[0].size = 9000000"
	fails 6 'longer than' "$ENVBUILD" hash n:1 --shared
	text 'not json'
	fails 6 'no JSON object of ours' "$ENVBUILD" hash n:1 --shared
	text '{"format": 9}'
	fails 7 'the newest known is 1' "$ENVBUILD" hash n:1 --shared
	text '{"format": 1, "file": "../x", "text": "a", "options": [],
		"variables": []}'
	fails 6 'no name of a file' "$ENVBUILD" hash n:1 --shared
	text '{"format": 1, "file": "x", "text": "a", "variables": [],
		"options": [["output", "rootfs:/x"]]}'
	fails 6 'its options' "$ENVBUILD" hash n:1 --shared
	text '{"format": 1, "file": "x", "text": "a", "options": [],
		"variables": [["A=B", "/x"]]}'
	fails 6 'its variables' "$ENVBUILD" hash n:1 --shared
	text '{"format": 1, "file": "c.yml", "text": "dependencies: [", "options":
		[], "variables": []}'
	fails 3 'n:1/c.yml' "$ENVBUILD" hash n:1 --shared
	# A tag cannot make a curated name.
	manifest def-good.v1 | jq -c '.annotations
		["org.opencontainers.image.title"] = "AzureML-new"' |
		put_manifest def-AzureML-new.v1
	! listed | grep -q AzureML || fail 'it is listed'
	fails 3 'no environment' "$ENVBUILD" hash AzureML-new --shared
	# Nor a version or a label that nobody could have given.
	odd=$'9\e[31m'
	as odd version "$odd" "def-$(printf 'odd\0%s' "$odd" | sha256sum |
		head -c 32)"
	! listed | grep -q ^odd || fail 'it is listed'
	as good version "$odd" label-good.vprod
	fails 6 'another name' "$ENVBUILD" hash good@prod --shared
	manifest def-good.v1 | jq -c '.annotations["dev.envbuild.label"] =
		"other"' | put_manifest label-good.vprod
	same "$(eb show good --json | jq -c .labels)" '[]'
	# Nor words that a terminal obeys.
	manifest def-good.v1 | jq -c '.annotations["dev.envbuild.framework"] =
		"x\u001b[31m"' | put_manifest def-good.v1
	eb list --own | grep -qF 'x\x1b[31m'
}

# as NAME ANNOTATION VALUE TAG: "good" 1 with it, as another one.
as() {
	manifest def-good.v1 | jq -c --arg name "$1" --arg value "$3" '
		.annotations["org.opencontainers.image.title"] = $name |
		.annotations["org.opencontainers.image.'"$2"'"] = $value |
		.annotations["dev.envbuild.label"] = "prod"' | put_manifest "$4"
}

# text TEXT: "n:1" has this as its definition.
text() {
	local blob
	printf '%s' "$1" >blob
	blob=$(put_blob blob)
	bad ".layers[0].digest = \"$blob\" | .layers[0].size = $(stat -c %s blob)"
}

# The registry lies about what it has.
other_bytes() {
	local digest
	registry_with files
	shared bytes
	define python
	eb register env.yml --name n
	digest=$(manifest def-n.v1 | jq -r '.layers[0].digest')
	sed -i 's/python/pythoN/' "$(blob_file main "$digest")"
	rm -rf "$XDG_CACHE_HOME"
	fails 6 '' "$ENVBUILD" hash n --shared
	same "$(jq -r .mediaType <<<"$(manifest def-n.v1 |
		jq '.layers[0]')")" "$DEFINITION"
}

closed() {
	local port
	shared down
	define python
	start_registry gone
	port=$registry
	stop_registry gone
	export ENVBUILD_REGISTRY=$port/x
	fails 4 '' timeout 60 "$ENVBUILD" register env.yml --name n --shared
	fails 4 '' timeout 60 "$ENVBUILD" hash n --shared
}

logins() {
	registry_with config
	need_program perl
	# shellcheck disable=SC2016 # a salt
	perl -e 'print "u5er:" . crypt("w0rd", q($2y$05$abcdefghijklmnopqrstuv))' \
		>"$SCRATCH/htpasswd"
	start_registry locked "auth: {htpasswd: {realm: x,
  path: '$SCRATCH/htpasswd'}}"
	R=$registry
	shared private
	define python
	fails 5 '' "$ENVBUILD" register env.yml --name n --shared
	fails 5 '' env ENVBUILD_REGISTRY_USER=u5er \
		ENVBUILD_REGISTRY_PASSWORD=wrong "$ENVBUILD" list --shared
	same "$(eb register env.yml --name n --username u5er --password-stdin \
		<<<w0rd)" n:1
	export ENVBUILD_REGISTRY_USER=u5er ENVBUILD_REGISTRY_PASSWORD=w0rd
	same "$(listed)" 'n 1 shared false'
}

it 'what one registers another one finds' one_and_another
it 'own ones come behind; what was seen is kept' own_and_kept
it 'labels move, archived versions hide' labels_and_archive
it 'a clone has the bytes of its original' clones
it 'what one builds under a name the other has' builds
it 'names that are no tags' no_tags
it 'of several at once each has a version of its own' at_once
it 'a version that several ask for is of one' asked_at_once
it 'a claim counts, for a while' claims
it '400 names are one list' many
it 'no credentials get there' secrets
it 'what is wrong there is refused' hostile
it 'other bytes are seen' other_bytes
it 'a registry that is down' closed
it 'credentials' logins
done_testing
