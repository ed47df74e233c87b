#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# `make smoke`, as a person with an account would run it, against a registry and
# a channel of this machine; and nothing in its transcript names either.
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/../lib.sh"
# shellcheck source=tests/registry_lib.sh
. "$(dirname "$0")/../registry_lib.sh"

base=$(need_base)
channel=$(need_channel)
command -v "$registry_program" >/dev/null || {
	echo "no program \"$registry_program\" (make deps)"
	exit 77
}
start_registry main
host=$registry

transcript() {
	"$ENVBUILD" push "rootfs:$base" "$host/base:v" --cache-dir push
	"$TOP/tests/smoke" "$host/team" "file://$channel" "$host/base:v" \
		'greeting=1.0' prefixed >said || fail "$(cat said)"
	same "$(tail -n 1 said)" 'smoke: all as expected'
	same "$(grep -c '^  \[status 0,' said)" 9
	same "$(grep -c '^  \[status 1,' said)" 1
	! grep -F "$host" said || fail 'the registry is named'
	! grep -F "$SCRATCH" said || fail 'a folder is named'
}
it 'build, push, check, a second store, a change, pull, gc' transcript

done_testing
