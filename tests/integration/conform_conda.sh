#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# conda's own answers about versions and specs, through the program that an
# outside judge asks; and what envbuild-matchspec(5) says of the forms that
# tools read in different ways.
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/../lib.sh"

CONFORM=$ENVBUILD_BUILD/tests/conform
golden=$TOP/tests/golden/conda
vectors=$TOP/tests/fixtures/conda_vectors.py

# What is answered otherwise is listed in otherwise.tsv, with the reason.
table() {
	need_data vectors
	python3 "$vectors" ask "$CONFORM" "$ENVBUILD_DATA" \
		"$golden/otherwise.tsv" "$name"
}

for name in version_cmp version_invalid version_sorted_lists \
	versionspec_match versionspec_disagreements versionspec_invalid \
	matchspec_canonical matchspec_match_conda matchspec_invalid \
	matchspec_odd_forms_reference matchspecs_odd_strict \
	matchspecs_odd_lenient; do
	rows=$(python3 "$vectors" count "$ENVBUILD_DATA" "$name" 2>/dev/null)
	own=$(grep -c "^$name	" "$golden/otherwise.tsv")
	it "$name: ${rows:-no} rows, $own of them listed as ours" table
done

# FORM, QUESTION, ANSWER; "error" is any error.
choices() {
	local form question answer said n=0
	while IFS=$'\t' read -r form question answer; do
		said=$(printf '%b\n' "$question" | "$CONFORM")
		[ "$answer" != error ] || said=${said%%$'\t'*}
		[ "$said" = "$(printf '%b' "$answer")" ] ||
			fail "$form: $question: \"$said\", not \"$answer\""
		n=$((n + 1))
	done < <(sed 1d "$golden/choices.tsv")
	[ "$n" -ge 80 ] || fail "$n questions"
}
it 'where tools disagree: what the manual says' choices

# No form is tested that the manual does not tell of, and the other way round.
told() {
	sed 1d "$golden/choices.tsv" | cut -f 1 | sort -u >tested
	sed -n 's/^\.\\" form: //p' "$TOP/man/envbuild-matchspec.5" |
		sort -u >told
	diff told tested
}
it 'each form is told of, and each that is told of is tried' told

done_testing
