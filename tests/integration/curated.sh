#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Every curated environment that is complete: solved and planned where the
# records of the data folder allow that, explained and hashed where they do
# not, saved and loaded in both of Azure's forms. tests/real/curated goes on
# with the pip sections.
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/../lib.sh"
# shellcheck source=tests/curated_lib.sh
. "$TOP/tests/curated_lib.sh"
# shellcheck source=tests/real_lib.sh
. "$TOP/tests/real_lib.sh"

export CONDA_OVERRIDE_GLIBC=2.36
unset CONDA_OVERRIDE_CUDA
complete >"$SCRATCH/names"

# --- saved, loaded, saved ----------------------------------------------------

# nameless FOLDER: its files, without name and version.
nameless() {
	sed -i -e '/^name: /d' -e '/^version: /d' \
		-e 's/^    "name": .*/    "name": "",/' \
		-e 's/^    "version": .*/    "version": ""/' \
		"$1"/environment.yml "$1"/azureml_environment.json 2>/dev/null ||
		[ -e "$1/environment.yml" ] ||
		[ -e "$1/azureml_environment.json" ]
}

# definition NAME: its hash, without what a form has no place for.
definition() {
	"$ENVBUILD" hash "$1" --as-of 2026-01-01 | head -n 1
}

there_and_back() {
	local name form options n=0
	while read -r name; do
		options=$("$ENVBUILD" show "$name" --json | jq -c '.options |
			del(."as-of") | keys')
		for form in v1 v2; do
			rm -rf once again third
			"$ENVBUILD" save "$name" once --format "$form"
			"$ENVBUILD" load once --name "mine-$form-$n"
			"$ENVBUILD" save "mine-$form-$n" again
			# the same name again: to the byte
			"$ENVBUILD" load again --name "mine-$form-$n"
			"$ENVBUILD" save "mine-$form-$n:1" third
			diff -r again third
			same "$("$ENVBUILD" hash --azure "mine-$form-$n")" \
				"$("$ENVBUILD" hash --azure "$name")"
			[ "$options" != '["base"]' ] ||
				same "$(definition "mine-$form-$n")" \
					"$(definition "$name")"
			nameless once
			nameless again
			diff -r once again
		done
		n=$((n + 1))
	done <"$SCRATCH/names"
	same "$n" 47
}
it 'all 47 saved, loaded and saved again, as version 1 and 2' there_and_back

# --- Azure's names -----------------------------------------------------------

azure_names() {
	local file=$ENVBUILD_DATA/azureml/curated2020.tsv name hash n=0
	need_data azureml/curated2020.tsv
	while read -r name hash; do
		same "$("$ENVBUILD" hash --azure "$name")" "azureml_$hash"
		n=$((n + 1))
	done < <(tail -n +2 "$file" | cut -f 1,7)
	same "$n" 31
}
it 'the 31 names that the service published' azure_names

# --- solved ------------------------------------------------------------------

[ -e "$ENVBUILD_DATA/$merged" ] || {
	it 'solved with the records of the data folder' need_data "$merged"
	done_testing
}
records "$SCRATCH/records"
serve "$SCRATCH/records"
base=$(need_base)

which_can_be_solved() {
	local name status
	while read -r name; do
		status=0
		solved "$name" "$SCRATCH/$name.lock" 2>told || status=$?
		case $status in
		0) echo "$name" >>"$SCRATCH/can" ;;
		1)
			grep -q 'no solution: "python=3.6.2": no such version' told
			echo "$name" >>"$SCRATCH/cannot"
			;;
		*)
			# the one that has a channel more, of which nothing is known
			grep -q '"https://conda.anaconda.org/anaconda/' told
			same "$name" AzureML-Tutorial
			echo "$name" >>"$SCRATCH/cannot"
			;;
		esac
	done <"$SCRATCH/names"
	same "$(grep -c '^AzureML-Designer-' "$SCRATCH/can")" 4
	same "$(grep -c '^envbuild-' "$SCRATCH/can")" 15
	same "$(wc -l <"$SCRATCH/can")" 19
	# 27 of the 31 of 2020, and the one of 2021
	same "$(wc -l <"$SCRATCH/cannot")" 28
	same "$(tail -n 1 "$SCRATCH/cannot")" AzureML-Minimal
}
it 'conda solves 19 of them; 28 ask for a Python that no record has' \
	which_can_be_solved

# What cannot be solved is explained all the same: the base by the lines, and
# that there is no solution.
explained() {
	local name status n=0
	while read -r name; do
		status=0
		"$ENVBUILD" explain "$name" --json --progress none >json ||
			status=$?
		jq -e --arg base "$(option "$name" base)" --argjson s "$status" \
			'.source == "lines" and (.status == "refused" or
			.image == $base) and ($s == if .status == "refused" or
			.unsatisfiable then 1 else 0 end)' json >/dev/null ||
			fail "$name: $status: $(cat json)"
		if [ "$name" != AzureML-Tutorial ] &&
			jq -e '.status == "ok"' json >/dev/null; then
			jq -e '.unsatisfiable and (.not_solved |
				contains("python=3.6.2"))' json >/dev/null ||
				fail "$name: $(cat json)"
			n=$((n + 1))
		fi
		"$ENVBUILD" hash "$name" | grep -q '^azure azureml_'
	done <"$SCRATCH/cannot"
	echo "$n have a base, and no solution"
	[ "$n" -ge 20 ]
}
it 'the others are explained and hashed' explained

# What has no pip section is planned as it stands; so is each conda part.
planned() {
	local name n=0
	while read -r name; do
		if has_pip "$name"; then
			continue
		fi
		"$ENVBUILD" plan "$name" --base "rootfs:$base" --json \
			--progress none >planned.json
		jq -e '(.layers | length > 3) and
			(.packages | any(.name == "python"))' planned.json >/dev/null || fail "$name: $(cat planned.json)"
		n=$((n + 1))
	done <"$SCRATCH/can"
	same "$n" 4
}
it 'those without a pip section are planned as they are' planned

# One of those that have one: conda's packages are stand-ins. All of them are in
# tests/real/curated.
with_pip() {
	local name=envbuild-jax-0.10-cpu
	need_index
	stands_in "$name" "$SCRATCH/$name.lock" made
	whole made
	serve "$PWD/made"
	timeout 100 "$ENVBUILD" plan "$name" --base "rootfs:$base" --json \
		--cache-dir "$PWD/c" --progress none >planned.json
	jq -e '.packages | any(.name == "jax" and .kind == "pypi" and
		(.version | startswith("0.10."))) and
		any(.name == "python" and .kind == "conda")' planned.json >/dev/null
}
it 'one with a pip section, by the index' with_pip

# What a name claims is what is chosen.
claims() {
	local name claim n=0
	while read -r name; do
		for claim in $("$ENVBUILD" show "$name" --json |
			jq -r '.claims.name[] | select(contains("="))'); do
			jq -r '.locked.packages[] | "\(.name)=\(.version)"' \
				"$SCRATCH/$name.lock" >chosen
			# a framework that pip installs is in tests/real/curated
			if grep -q "^${claim%%=*}=" chosen; then
				grep -q "^${claim//./\\.}\." chosen
				n=$((n + 1))
			fi
		done
		python=$("$ENVBUILD" show "$name" --json | jq -r '.python // ""')
		[ -z "$python" ] || jq -e --arg v "$python." '.locked.packages |
			any(.name == "python" and (.version | startswith($v)))' \
			"$SCRATCH/$name.lock" >/dev/null
		same "$("$ENVBUILD" show "$name" --json |
			jq '.contradictions | length')" 0
	done < <(grep '^envbuild-' "$SCRATCH/can")
	[ "$n" -ge 4 ]
}
it "the claims of our own set are those of what is solved" claims
done_testing
