#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The program that an outside judge asks: its questions about the Python side,
# one by one, and the reference's tables through it.
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/../lib.sh"

CONFORM=$ENVBUILD_BUILD/tests/conform

ask() {
	(
		IFS=$'\t'
		printf '%s\n' "$*"
	) | "$CONFORM"
}

each_question() {
	local env='{"python_version":"3.7","extra":"x"}'

	same "$(ask pep440-cmp 1.0 1.0.post1)" $'ok\t-1'
	same "$(ask pep440-cmp 1 v1.0+0)" $'ok\t-1'
	same "$(ask pep440-cmp 1.0 1)" $'ok\t0'
	same "$(ask pep440-match 2.0rc1 '>=1, <2.1' allow)" $'ok\ttrue'
	same "$(ask pep440-match 2.0rc1 '>=1, <2.1' deny)" $'ok\tfalse'
	same "$(ask marker 'python_version < "3.8"' "$env")" $'ok\ttrue'
	same "$(ask marker 'extra == "A_b"' "$env")" $'ok\tfalse'
	same "$(ask marker 'extra == "A_b"' "$env" a.b)" $'ok\ttrue'
	same "$(ask wheel-name A.b-1.00-02x-py2.py3-none-any.whl)" \
		$'ok\ta-b 1.0 2x py2-none-any py3-none-any'
	same "$(ask wheel-name a-1-py3-none-any.whl)" \
		$'ok\ta 1 - py3-none-any'
	same "$(ask wheel-choice 'a-1-py3-none-any.whl a-1-cp37-cp37m-manylinux1_x86_64.whl a-2-py2-none-any.whl' 37 2.17 x86_64)" \
		$'ok\ta-1-cp37-cp37m-manylinux1_x86_64.whl a-1-py3-none-any.whl'
	same "$(ask tags 38 2.17 aarch64 | cut -d ' ' -f 1-3)" \
		$'ok\tcp38-cp38-linux_aarch64 cp38-cp38-manylinux_2_17_aarch64 cp38-cp38-manylinux2014_aarch64'
	same "$(ask tags 313t musl1.1 x86_64 | cut -d ' ' -f 2)" \
		cp313-cp313t-musllinux_1_1_x86_64
}
it 'each question has its answer' each_question

each_refusal() {
	local line

	for line in $'pep440-cmp\t1\tx' $'pep440-match\t1\t=>1\tallow' \
		$'pep440-match\t1\t>1\tmaybe' $'marker\tos_name\t{}' \
		$'marker\tos_name == "a"\t{}' $'marker\tos_name == "a"\t[' \
		$'tags\t27\t2.17\tx86_64' $'tags\t38\tx\tx86_64' \
		$'wheel-choice\ta\t\t2.17\tx86_64' $'wheel-name\ta-1.whl' \
		$'pep440-cmp\t1' $'marker\ta\t{}\tb\tc'; do
		ask "$line" >said
		same "$(cut -f 1 said)" error
		test -n "$(cut -f 2 said)" || fail "$line: no message"
	done
	same "$(printf 'marker\t%1000sos_name == "a"%1000s\t{}\n' '' '' |
		tr ' ' '(' | "$CONFORM" | cut -f 1)" error
}
it 'what has no answer is an error, one line' each_refusal

tables() {
	local vectors=$ENVBUILD_DATA/python/vectors

	test -d "$vectors" || skip 'ENVBUILD_DATA has no python/vectors'
	sed 1d "$vectors/pep440_compare.tsv" >rows
	cut -f 1,2 rows | sed 's/^/pep440-cmp\t/' | "$CONFORM" >said
	cut -f 3 rows | sed 's/^/ok\t/' | diff - said
	sed 1d "$vectors/specifier_contains.tsv" |
		awk -F '\t' '$3 != "-"' >rows
	awk -F '\t' '{ print "pep440-match\t" $2 "\t" $1 "\t" \
		($3 == 1 ? "allow" : "deny") }' rows | "$CONFORM" >said
	awk -F '\t' '{ print "ok\t" ($4 == 1 ? "true" : "false") }' rows |
		diff - said
	sed 1d "$vectors/wheel_choice.tsv" >rows
	cut -f 1-4 rows | sed 's/^/wheel-choice\t/' | "$CONFORM" >said
	cut -f 5 rows | sed 's/^/ok\t/' | diff - said
	jq -r --rawfile rows "$vectors/marker_eval.tsv" '. as $env |
		$rows | split("\n")[1:][] | select(. != "") | split("\t") |
		select(.[1] != "-") | ["marker", .[0], ($env[.[1]] | tojson)] +
		(if .[2] == "" then [] else [.[2]] end) | join("\t")' \
		"$vectors/marker_envs.json" | "$CONFORM" | cut -f 1,2 |
		sed 's/^error.*/error/' >said
	sed 1d "$vectors/marker_eval.tsv" | awk -F '\t' '$2 != "-" {
		print $4 == 1 ? "ok\ttrue" : $4 == 0 && $4 != "UNDEFINED" \
			? "ok\tfalse" : "error" }' | diff - said
}
it "the reference's tables" tables

done_testing
