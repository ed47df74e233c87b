#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The team's registry fails, throttles, forgets, or cannot be changed.
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/../lib.sh"
# shellcheck source=tests/faults.sh
. "$(dirname "$0")/../faults.sh"
# shellcheck source=tests/registry.sh
. "$(dirname "$0")/../registry.sh"

packages=$(need_channel)
small "$SCRATCH/small" normal setuid newline
export CONDA_OVERRIDE_GLIBC=2.99

define() { # PACKAGES: the definition "env.yml"
	printf 'name: test\ndependencies: [%s]\n' "$1" >env.yml
}

eb() { # STORE REPOSITORY OPTION...
	local store=$1 repository=$2
	shift 2
	"$ENVBUILD" build env.yml --base scratch --cache-dir "$store" \
		--channel "file://$SCRATCH/small" --channel "file://$packages" \
		--registry "$reg/$repository" "$@"
}

alone() { # STORE: the same without a registry
	eb "$1" none --no-push
}

env_tag() { # STORE
	"$ENVBUILD" hash env.yml --base scratch --cache-dir "$1" \
		--channel "file://$SCRATCH/small" \
		--channel "file://$packages" |
		sed -n 's/^definition \(.\{32\}\).*/env-\1/p'
}

registry strict
forgotten() {
	anew
	define 'normal, openssl'
	want=$(alone other)
	faults '{"method": "PUT", "path": "/manifests/lock-",
		"forget": "blobs", "only": 1}'
	same "$(eb a team 2>said)" "$reg/team@${want#store:}"
	cat said
	happened
	has_words said 'made anew'
	same "$(tag team "$(env_tag a)")" "${want#store:}"
	whole
	lawful
	sound a
}
it 'blobs that go between the push and the manifest' forgotten

# Ranges are a registry's choice; the parts come with all of the blob then.
no_ranges() {
	anew
	define 'openssl, libxcrypt'
	eb a team >/dev/null
	define 'libxcrypt, normal'
	want=$(alone other)
	faults '{"method": "GET", "path": "/blobs/", "whole": true, "times": 0}'
	eb b team --json >json
	happened
	same "$(jq -r .reference json)" "$reg/team@${want#store:}"
	[ "$(jq '."pulled-bytes"' json)" -gt 0 ]
	whole
	lawful
	sound b
}
it 'a registry that sends no ranges' no_ranges

# What makes later builds faster is left where the registry wants to rest.
throttled() {
	anew
	define 'normal, openssl'
	want=$(alone other)
	faults '{"method": "PUT", "path": "/manifests/(recent|layer-)",
		"status": 429, "times": 0, "fields": [["Retry-After", "50"]]}'
	begun=$SECONDS
	same "$(eb a team -v 2>said)" "$reg/team@${want#store:}"
	[ $((SECONDS - begun)) -lt 30 ]
	happened
	has_words said 'left for later'
	same "$(tags team | sed 's/-.*//' | sort -u | tr '\n' ' ')" \
		'env lock locked '
	faults
	same "$(eb b team)" "$reg/team@${want#store:}"
	lawful
}
it 'what can wait is left to a throttling registry' throttled

# Hints that cannot be had are no hints.
no_hints() {
	anew
	define 'normal=1.0, openssl'
	eb a team >/dev/null
	define 'normal=1.1, openssl'
	want=$(alone other)
	faults '{"method": "GET", "path": "/manifests/(recent|layer-)",
		"status": 403, "code": "DENIED", "times": 0}'
	same "$(eb b team 2>said)" "$reg/team@${want#store:}"
	cat said
	happened
	has_words said 'built without it'
	whole
	# A map that is none.
	anew
	define 'normal=1.0, openssl'
	eb a team >/dev/null
	define 'normal=1.1, openssl'
	faults '{"method": "GET", "path": "/manifests/locked-",
		"replace": "{}", "times": 0,
		"set": {"Docker-Content-Digest": null}}'
	same "$(eb c team 2>said)" "$reg/team@${want#store:}"
	cat said
	happened
	has_words said 'built without it'
	whole
	sound b
	sound c
}
it 'hints that cannot be read' no_hints

# Two with two locks: the first one that stands under env- is told by both.
second_look() {
	anew
	define 'normal, openssl'
	alone a >/dev/null
	tag=$(env_tag a)
	# Another lock of it: solved without normal's newest version.
	cp -r "$SCRATCH/small" old
	find old -name 'repodata.json.zst' -delete
	jq 'del(.packages[], ."packages.conda"[] | select(.name == "normal" and
		.version != "1.0"))' old/noarch/repodata.json >new
	mv new old/noarch/repodata.json
	mv "$SCRATCH/small" kept
	mv old "$SCRATCH/small"
	alone b >/dev/null
	rm -r "$SCRATCH/small"
	mv kept "$SCRATCH/small"
	# a sees that nothing stands there and is held before it looks again.
	faults '{"method": "HEAD", "path": "/manifests/env-", "hold": "a"}'
	eb a team >out.a 2>err.a &
	first=$!
	for _ in $(seq 200); do
		[ "$(asked PUT '/manifests/locked-')" = 0 ] || break
		sleep 0.05
	done
	eb b team >out.b 2>err.b
	control PUT '/_release?name=a' >/dev/null
	wait "$first" || fail "$(cat err.a)"
	cat out.a err.a out.b err.b
	happened
	same "$(cat out.a)" "$(cat out.b)"
	same "$(cat out.b)" "$reg/team@$(tag team "$tag")"
	has_words err.a "another builder's"
	same "$(tags team | grep -c '^lock-')" 2
	# Both saw nothing: what stands there after the move is told by each
	# that looks then.
	anew
	rm -r a b
	define 'normal, openssl'
	alone a >/dev/null
	faults '{"method": "HEAD", "path": "/manifests/env-", "nth": 2,
		"hold": "b"}'
	eb a team >out.a 2>err.a &
	first=$!
	for _ in $(seq 200); do
		[ "$(asked PUT '/manifests/env-')" = 0 ] || break
		sleep 0.05
	done
	# In between somebody moves it.
	define normal
	other=$(eb c team)
	text=$(curl -sf -H 'Accept: application/vnd.oci.image.manifest.v1+json' \
		-H 'Accept: application/vnd.oci.image.index.v1+json' \
		-H 'Accept: application/vnd.docker.distribution.manifest.v2+json' \
		-H 'Accept: application/vnd.docker.distribution.manifest.list.v2+json' \
		"http://$reg/v2/team/manifests/${other#*@}")
	printf %s "$text" | curl -sf -X PUT --data-binary @- -H \
		'Content-Type: application/vnd.oci.image.manifest.v1+json' \
		"http://$reg/v2/team/manifests/$tag"
	control PUT '/_release?name=b' >/dev/null
	wait "$first" || fail "$(cat err.a)"
	cat out.a err.a
	same "$(cat out.a)" "$other"
	has_words err.a "another builder's"
}
it 'env- is looked at before it is moved, and after' second_look

# A writing that fails leaves no tag that is not whole.
failing() {
	local what
	define 'normal, openssl'
	want=$(alone a)
	for what in '/blobs/uploads/' '/manifests/lock-' '/manifests/locked-' \
		'/manifests/env-'; do
		anew
		faults "{\"method\": \"PUT\", \"path\": \"$what\",
			\"status\": 403, \"code\": \"DENIED\", \"times\": 0}"
		fails 5 DENIED eb a team
		happened
		whole
		same "$(tags team | grep -c '^env-')" 0
		faults
		same "$(eb a team)" "$reg/team@${want#store:}"
		whole
		lawful
	done
	sound a
}
it 'refused anywhere: no env-, and the next one ends' failing

registry fixed --set 'immutable=400 TAG_INVALID'
immutable() {
	define 'normal=1.0'
	first=$(eb a team)
	define 'normal=1.0, setuid'
	eb a team >/dev/null
	define normal
	old=$(eb a team)
	tag=$(env_tag a)
	# The same lock once more: nothing can be confirmed, nor has to be.
	same "$(eb a team --refresh 2>said)" "$old"
	cat said
	# Another lock: its image is there, and env- is what it was.
	mkdir newer
	small newer normal
	jq '(.packages, ."packages.conda") |= map_values(.build_number += 1)' \
		newer/noarch/repodata.json >new
	mv new newer/noarch/repodata.json
	find newer -name 'repodata.json.zst' -delete
	mv "$SCRATCH/small" kept
	mv newer "$SCRATCH/small"
	new=$(eb b team --refresh 2>said)
	rm -r "$SCRATCH/small"
	mv kept "$SCRATCH/small"
	cat said
	[ "$new" != "$old" ]
	has_words said 'immutable' "$reg/team:lock-"
	same "$(tag team "$tag")" "${old#*@}"
	lock=$(sed -n "s|.*the image is $reg/team:\(lock-[0-9a-f]*\).*|\1|p" said)
	same "$(tag team "$lock")" "${new#*@}"
	whole
	[ "$first" != "$old" ]
}
use fixed
it 'tags that cannot be moved: said, and lock- is given' immutable

# Each vendor's ways: one builds, another finds it, a third changes it. Where
# tags cannot be moved there is no list of recent environments but the first.
vendor() {
	local store
	define 'normal=1.0, openssl, libxcrypt'
	want=$(alone other)
	same "$(eb a team/env)" "$reg/team/env@${want#store:}"
	same "$(eb b team/env)" "$reg/team/env@${want#store:}"
	define 'normal=1.1, libxcrypt'
	want=$(alone other)
	same "$(eb c team/env --json | tee json | jq -r .reference)" \
		"$reg/team/env@${want#store:}"
	[ "$(jq '."pulled-bytes"' json)" -gt 0 ]
	same "$(eb c team/env --refresh)" "$reg/team/env@${want#store:}"
	same "$(eb b team/env --tag v1)" "$reg/team/env@${want#store:}"
	same "$(tag team/env v1)" "${want#store:}"
	whole
	lawful
	for store in a b c; do
		sound "$store"
	done
}
while read -r name login; do
	registry "$name" --table "$TOP/tests/registry-profiles/$name.tsv" \
		--login "$login:secret" --repository team/env --project team
	export ENVBUILD_REGISTRY_USER=$login ENVBUILD_REGISTRY_PASSWORD=secret
	it "the ways of $name" vendor
done <<END
acr 00000000-0000-0000-0000-000000000000
ecr AWS
gar oauth2accesstoken
ghcr somebody
harbor robot\$builder
hub somebody
quay team+builder
END

done_testing
