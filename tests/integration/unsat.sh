#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Requests of real records that have no solution: what is said of each, word
# for word, in whatever order its lines are. ENVBUILD_GOLDEN=write writes the
# golden file.
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/../lib.sh"

golden=$TOP/tests/golden/unsat-real.txt
repodata=$ENVBUILD_DATA/conda/repodata/merged
requests=$ENVBUILD_DATA/conda/solves/requests-open.jsonl.zst
program=$ENVBUILD_BUILD/tests/tools/solve_requests

# told OPTION...: identifier, lines, explanation and advice of each request.
told() {
	"$program" "$@" "$repodata" asked 2>taken >answers
	jq -rs --slurpfile list asked '
		($list | map({key: .id, value: .}) | from_entries) as $q |
		sort_by(.id)[] |
		"\(.id): \($q[.id].specs | sort | join("; "))",
		"  \(.why)", (if .hint then "  hint: \(.hint)" else empty end)' \
		answers
}

real() {
	[ -e "$requests" ] || skip 'no data'
	zstd -dc "$requests" | jq -c 'select(.satisfiable | not)' >asked
	[ "$(wc -l <asked)" -ge 23 ]
	told >got
	[ "${ENVBUILD_GOLDEN:-}" != write ] || cp got "$golden"
	diff "$golden" got
	told --reverse >turned
	diff got turned
}
it 'requests of real records that have no solution' real

done_testing
