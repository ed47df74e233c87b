#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Real wheels, installed by pip and by us: the same files, modes and RECORDs.
# ENVBUILD_WHEELS names a folder of wheels; without it they are fetched once.
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/../lib.sh"

TREE=$ENVBUILD_BUILD/tests/tools/wheel_tree
COMPARE=$TOP/tests/fixtures/wheel_compare.py
LEAST=60

need_wheels() {
	need_program python3
	[ -x "$TREE" ] || skip 'no tests/tools/wheel_tree'
	if [ -n "${ENVBUILD_WHEELS:-}" ]; then
		[ -d "$ENVBUILD_WHEELS" ] || skip 'no folder ENVBUILD_WHEELS'
		echo "$ENVBUILD_WHEELS"
	else
		made wheels wheels
	fi
}

# The newest pip that is among the wheels; it runs from there.
pip_of() {
	local found
	found=$(find "$1" -name 'pip-*-none-any.whl' | sort -V | tail -n 1)
	[ -n "$found" ] || skip "no wheel of pip in \"$1\""
	echo "$found"
}

# choose: the variables wheels, pip and the file chosen.
choose() {
	wheels=$(need_wheels)
	pip=$(pip_of "$wheels")
	python3 "$COMPARE" choose "$pip" "$wheels" >chosen
}

# prefix_at DIR: a virtual environment without anything in it.
prefix_at() {
	local python
	python=$(python3 -c \
		'import os, sys; print(os.path.realpath(sys.executable))')
	mkdir -p "$1/bin"
	ln -s "$python" "$1/bin/python"
	printf 'home = %s\ninclude-system-site-packages = false\n' \
		"$(dirname "$python")" >"$1/pyvenv.cfg"
	"$1/bin/python" -c 'import csv, zlib'
}

# pip_in DIR ARGUMENT...: pip as it is in that environment.
pip_in() {
	local dir=$1
	shift
	env -i PATH="$PATH" HOME="$PWD" LC_ALL=C.UTF-8 \
		PIP_CONFIG_FILE=/dev/null PYTHONDONTWRITEBYTECODE=1 \
		"$dir/bin/python" "$pip/pip" --disable-pip-version-check \
		--no-cache-dir "$@"
}

pip_install() {
	local dir=$1
	shift
	pip_in "$dir" install --quiet --no-compile --no-deps --no-index \
		--ignore-installed --no-warn-script-location "$@"
}

minor() {
	python3 -c 'import sys; print("%d.%d" % sys.version_info[:2])'
}

all_the_same() {
	choose
	n=$(wc -l <chosen)
	[ "$n" -ge "$LEAST" ] || skip "only $n wheels fit this Python"
	prefix_at "$PWD/pips"
	mapfile -t names < <(cut -f1 chosen)
	mapfile -t files < <(cut -f2 chosen)
	pip_install "$PWD/pips" --find-links "$wheels" "${names[@]}"
	"$TREE" --requested "$PWD/pips" "$(minor)" "$PWD/ours" "${files[@]}"
	python3 "$COMPARE" compare pips ours
}
it "$LEAST wheels and more, as pip installs them" all_the_same

by_path() {
	choose
	file=$(grep '^six==' chosen | cut -f2)
	[ -n "$file" ] || skip 'no wheel of six'
	cp "$file" .
	file=$PWD/${file##*/}
	prefix_at "$PWD/pips"
	pip_install "$PWD/pips" "$file"
	"$TREE" --requested --url "file://$file" "$PWD/pips" "$(minor)" \
		"$PWD/ours" "$file"
	python3 "$COMPARE" compare pips ours
}
it 'one by its path, with direct_url.json' by_path

uninstalled() {
	choose
	grep -E '^(greenlet|six|ninja|jsonschema)==' chosen >four
	[ "$(wc -l <four)" = 4 ] || skip 'not all of the wheels'
	mapfile -t files < <(cut -f2 four)
	prefix_at "$PWD/ours"
	"$TREE" "$PWD/ours" "$(minor)" "$PWD/ours" "${files[@]}"
	pip_in "$PWD/ours" list --format freeze | sort >listed
	cut -f1 four | sort | diff - listed
	pip_in "$PWD/ours" show -f six >shown
	grep -qx '  six.py' shown
	grep -qx 'Installer: envbuild' <(pip_in "$PWD/ours" show -v six)
	pip_in "$PWD/ours" uninstall --quiet --yes greenlet six ninja \
		jsonschema
	same "$(find ours -type f ! -name pyvenv.cfg)" ''
}
it 'pip lists, shows and removes what we installed' uninstalled

listed() {
	wheels=$(need_wheels)
	big=$(find "$wheels" -name '*.whl' -size +400M | head -n 1)
	[ -n "$big" ] || skip 'no wheel of more than 400 MB'
	"$TREE" --list /opt/env 3.7 none "$big" >entries 2>told
	cat told
	[ "$(wc -l <entries)" -gt 1000 ] || fail "$(wc -l <entries) entries"
	[ "$(sed -n 's/^peak \([0-9]*\) kB$/\1/p' told)" -lt 100000 ] ||
		fail 'more than 100 MB of memory'
}
# Such a one is not fetched for this.
[ -z "${ENVBUILD_WHEELS:-}" ] ||
	it 'a wheel of hundreds of megabytes is listed without its content' listed

done_testing
