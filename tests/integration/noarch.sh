#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Packages for any Python: where their files go is what the record of `python`
# says (python_site_packages_path, CEP 17), free-threaded ones too; and those
# of a platform with modules of the stable ABI (CEP 20).
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/../lib.sh"
# shellcheck source=tests/faults.sh
. "$(dirname "$0")/../faults.sh"

channel=$SCRATCH/channel
small "$channel" python threaded abi3 pure

# eb VERB PACKAGES OPTION...: of these packages, in the store "c".
eb() {
	local verb=$1
	printf 'dependencies: [%s]\n' "$2" >env.yml
	shift 2
	"$ENVBUILD" "$verb" env.yml --base scratch --channel "file://$channel" \
		--cache-dir c "$@"
}

# files ROOT: below the prefix, without conda's own.
files() {
	(cd "$1/opt/env" && find . -type f -o -type l) | sed 's|^\./||' |
		grep -v '^conda-meta/' | sort
}

# recorded ROOT FILE: what conda-meta lists of a package.
recorded() {
	jq -r '.files[]' "$1/opt/env/conda-meta/$2" | sort
}

stable_abi() {
	eb build 'abi3, python=3.11' --output rootfs:root
	files root >got
	cat >want <<-END
		bin/abi3
		bin/abi3-tool
		bin/python3.11
		lib/libabi3.so.1
		lib/python3.11/site-packages/abi3/__init__.py
		lib/python3.11/site-packages/abi3/_core.abi3.so
	END
	diff want got
	same "$(head -n 1 root/opt/env/bin/abi3)" '#!/opt/env/bin/python3.11'
	jq -c '[.subdir, .noarch]' root/opt/env/conda-meta/abi3-1.0-0.json >said
	same "$(cat said)" '["linux-64","python"]'
	grep -v bin/python3.11 want | diff - <(recorded root abi3-1.0-0.json)
}
it 'noarch: python in linux-64, with a module of the stable ABI' stable_abi

threads() {
	eb build 'abi3, pure, python=3.13' >reference
	eb build 'abi3, pure, python=3.13' --output rootfs:root
	files root >got
	cat >want <<-END
		bin/abi3
		bin/abi3-tool
		bin/pure
		bin/python3.13
		bin/python3.13t
		lib/libabi3.so.1
		lib/python3.13t/os.py
		lib/python3.13t/site-packages/abi3/__init__.py
		lib/python3.13t/site-packages/abi3/_core.abi3.so
		lib/python3.13t/site-packages/pure.py
	END
	diff want got
	same "$(head -n 1 root/opt/env/bin/pure)" '#!/opt/env/bin/python3.13'
	printf '%s\n' bin/pure lib/python3.13t/site-packages/pure.py |
		diff - <(recorded root pure-1.0-0.json)
	jq -r .python_site_packages_path \
		root/opt/env/conda-meta/python-3.13.1-0_cp313t.json >said
	same "$(cat said)" lib/python3.13t/site-packages
	"$ENVBUILD" verify "$(cat reference)" --cache-dir c
}
it 'a free-threaded Python: where its record says' threads

# One package, two places: another payload for each Python.
both() {
	eb build 'pure, python=3.11' --output rootfs:one
	eb build 'pure, python=3.13' --output rootfs:two
	[ -e one/opt/env/lib/python3.11/site-packages/pure.py ]
	[ -e two/opt/env/lib/python3.13t/site-packages/pure.py ]
	same "$(find one two -name pure.py | wc -l)" 2
	sound c
}
it 'of one store for both' both

done_testing
