#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# What is kept of each fuzzer goes through it without its engine: the seeds,
# and what a run once found.
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/../lib.sh"

kept() { # NAME
	local files=("$TOP"/tests/fuzz/data/"$1"/*)

	same "$("$ENVBUILD_BUILD/tests/fuzz/fuzz_$1" "${files[@]}")" \
		"${#files[@]}"
}

TOP=$(cd "$(dirname "$0")/../.." && pwd)
for source in "$TOP"/tests/fuzz/fuzz_*.c; do
	name=${source##*/fuzz_}
	name=${name%.c}
	it "$name: what is kept" kept "$name"
done
