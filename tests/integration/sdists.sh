#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Projects that are no wheels are built, once, in the sandbox, on the base and
# conda's packages of their environment.
# ENVBUILD_BUILDERS names a folder with what builds them (see
# tests/fixtures/builders); without it that is fetched once.
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/../lib.sh"
# shellcheck source=tests/registry_lib.sh
. "$(dirname "$0")/../registry_lib.sh"

STEP=$ENVBUILD_BUILD/tests/tools/step_wheel
[ -x "$STEP" ] || skip 'no tests/tools/step_wheel'
base=$(need_base)
channel=$(need_channel)
if [ -n "${ENVBUILD_BUILDERS:-}" ]; then
	builders=$ENVBUILD_BUILDERS
else
	builders=$(made builders builders)
fi
STORE=$SCRATCH/store
BACKEND=(require="$builders"/setuptools-80.9.0-py3-none-any.whl
	require="$builders"/wheel-0.45.1-py3-none-any.whl)

# make_sdist LINE...: as tests/fixtures/index_wheels.py has it, into sd/.
make_sdist() {
	python3 "$TOP/tests/fixtures/index_wheels.py" sd "$@"
}

# step WORD...: the tool, in an environment of one Python. `via=exec` before it:
# in the place of the shell, for those who end it.
step() {
	printf 'channels: [%s]\ndependencies: [%s]\n' "file://$channel" \
		"${PACKAGES:-python=3.11}" >env.yml
	${via-} timeout 100 "$STEP" env.yml base=rootfs:"$base" cache-dir="$STORE" \
		"$@"
}

# of NAME [VERSION]: the words of that sdist.
of() {
	echo "sdist=sd/$1-${2:-1.0}.tar.gz name=$1 version=${2:-1.0}"
}

value() {
	sed -n "s/^$1 //p" "${2:-stdout}"
}

# build STORE WORD...: its output in stdout and stderr.
build() {
	local STORE=$1
	shift
	step "$@" >stdout 2>stderr || {
		cat stderr
		fail "it is not built"
	}
}

# has_run: something was built by the last `build`.
has_run() {
	grep -q '^building ' stderr
}

nothing_left() {
	[ -z "$(find "$STORE/tmp" -mindepth 1 | head -n 1)" ] ||
		fail "left: $(find "$STORE/tmp" -mindepth 1 | head -n 3)"
}

# --- what can be built -------------------------------------------------------

an_old_setup_py() {
	build "$STORE" sdist="$builders/future-0.17.1.tar.gz" name=future \
		version=0.17.1 "${BACKEND[@]}" copy=future.whl
	has_run || fail 'it was not built'
	[ "$(python3 -m zipfile -l future.whl | grep -c 'future-0.17.1.dist-info')" -ge 5 ]
	python3 -m zipfile -l future.whl | grep -q '1980-01-01 00:00:00'
	ls "$XDG_STATE_HOME"/envbuild/log/*-future.log
	nothing_left
}

the_same_bytes_again() {
	local first
	first=$(cat "$SCRATCH/future" 2>/dev/null) || first=
	build "$STORE" sdist="$builders/future-0.17.1.tar.gz" name=future \
		version=0.17.1 "${BACKEND[@]}"
	first=$(value result)
	has_run && fail 'it was built once more'
	build "$PWD/other" sdist="$builders/future-0.17.1.tar.gz" name=future \
		version=0.17.1 "${BACKEND[@]}"
	has_run || fail 'another store has it'
	same "$first" "$(value result)"
}

a_pyproject() {
	make_sdist 'static 2.0 kind=static requires=six'
	# shellcheck disable=SC2046
	build "$STORE" $(of static 2.0) "${BACKEND[@]}" copy=x.whl
	python3 -m zipfile -e x.whl x
	grep -q '^Requires-Dist: six' x/static-2.0.dist-info/METADATA
}

a_backend_of_its_own() {
	make_sdist 'intree 1.0 kind=backend requires=six'
	# shellcheck disable=SC2046
	build "$STORE" $(of intree)
	has_run
}

setup_requires() {
	make_sdist 'asks 1.0 kind=setup "setup-requires=cython>=0.27" setup-requires=six' \
		'quiet 1.0 kind=setup'
	# shellcheck disable=SC2046
	step $(of asks) "${BACKEND[@]}" ask=1 >asked
	same 'requires cython>=0.27 requires six ' "$(tr '\n' ' ' <asked)"
	# Where there is nothing to ask nothing is run.
	# shellcheck disable=SC2046
	step $(of quiet) ask=1 >asked 2>stderr
	same '' "$(cat asked)"
	! grep -q '^a root' stderr || fail 'a root was made'
}

a_folder() {
	make_sdist 'local 1.0 kind=backend format=folder'
	printf 'secret\n' >sd/local-1.0/kept.txt
	echo kept.txt >sd/local-1.0/.gitignore
	build "$STORE" folder=sd/local-1.0 name=local version=1.0
	local key
	key=$(value key)
	echo more >>sd/local-1.0/kept.txt
	build "$STORE" folder=sd/local-1.0 name=local version=1.0
	same "$key" "$(value key)"
	echo '# more' >>sd/local-1.0/pyproject.toml
	build "$STORE" folder=sd/local-1.0 name=local version=1.0
	[ "$key" != "$(value key)" ] || fail 'another source has the same key'
}

a_commit() {
	need_program git
	make_sdist 'repo 1.0 kind=backend format=folder'
	git init -q r
	cp -r sd/repo-1.0 r/below
	git -C r add .
	git -C r -c user.name=x -c user.email=x@example commit -qm one
	local commit
	commit=$(git -C r rev-parse HEAD)
	rm r/below/pyproject.toml
	git -C r -c user.name=x -c user.email=x@example commit -qam two
	build "$STORE" git="file://$PWD/r" commit="$commit" \
		subdirectory=below name=repo version=1.0
	fails 3 'neither pyproject.toml nor setup.py' step \
		git="file://$PWD/r" commit="$(git -C r rev-parse HEAD)" \
		subdirectory=below name=repo version=1.0
	fails 4 'by git' step git="file://$PWD/r" name=repo version=1.0 \
		commit=0123456789012345678901234567890123456789
	fails 3 'leads out' step git="file://$PWD/r" commit="$commit" \
		subdirectory=../out name=repo version=1.0
}

# --- what it sees --------------------------------------------------------------

isolation() {
	make_sdist 'imports 1.0 kind=setup "code=import greeting"' \
		'flits 1.0 kind=setup "code=import flit_core, os; print(os.environ[\"LEVEL\"], flit_core.__file__)"'
	local PACKAGES='python=3.11, greeting'
	# shellcheck disable=SC2046
	fails 8 'it imports "greeting" while it is built' step \
		$(of imports) "${BACKEND[@]}"
	# shellcheck disable=SC2046
	build "$STORE" $(of imports) "${BACKEND[@]/require=/install=}"
	# shellcheck disable=SC2046
	fails 8 "No module named 'flit_core'" step \
		$(of flits) "${BACKEND[@]/require=/install=}"
	# shellcheck disable=SC2046
	build "$STORE" $(of flits) "${BACKEND[@]/require=/install=}" \
		install="$(echo "$builders"/flit_core-*.whl)" variable=LEVEL=9
	grep -q '^9 /opt/env/lib/python3.11/site-packages/flit_core' \
		"$XDG_STATE_HOME"/envbuild/log/*-flits.log
}

keys() {
	make_sdist 'keyed 1.0 kind=backend'
	local words key
	words=$(of keyed)
	# shellcheck disable=SC2086
	build "$STORE" $words
	key=$(value key)
	has_run || fail 'it was not built'
	# shellcheck disable=SC2086
	for more in variable=A=1 setting=a=b "${BACKEND[0]}"; do
		build "$STORE" $words "$more"
		[ "$key" != "$(value key)" ] || fail "$more changes no key"
		has_run || fail "$more changes nothing"
	done
	# Neither does the number of jobs, nor another conda package of Python.
	# shellcheck disable=SC2086
	build "$STORE" $words variable=MAX_JOBS=7
	same "$key" "$(value key)"
	# shellcheck disable=SC2086
	PACKAGES='python=3.11, greeting' build "$STORE" $words
	same "$key" "$(value key)"
	# Another base has another key; what is pure is taken from there.
	cp "$base" base.tar
	tar rf base.tar --owner=0 --group=0 env.yml
	# shellcheck disable=SC2086
	build "$STORE" $words base=rootfs:base.tar
	[ "$key" != "$(value key)" ] || fail 'the base changes no key'
	! has_run || fail 'a pure wheel was built for each base'
}

its_own_uv() {
	local uv=${ENVBUILD_UV:-$ENVBUILD_BUILD/libexec/envbuild/uv}
	[ -x "$uv" ] || skip 'no uv (make deps)'
	step uv="$uv" >stdout 2>stderr || { cat stderr; fail 'no uv'; }
	grep -q '^status 0' stdout
	grep -q '^uv [0-9]' stdout
	nothing_left
}

shared_by_a_registry() {
	start_registry steps
	make_sdist 'shared 1.0 kind=backend'
	local words first
	words=$(of shared)
	# shellcheck disable=SC2086
	build "$PWD/a" $words registry="$registry/team"
	has_run
	first=$(value result)
	# shellcheck disable=SC2086
	build "$PWD/b" $words registry="$registry/team"
	! has_run || fail 'it was built by the second one, too'
	same "$first" "$(value result)"
	curl -sf "http://$registry/v2/team/tags/list" |
		grep -q "step-$(value key | cut -c 1-32)"
}

# --- what cannot --------------------------------------------------------------

no_compiler() {
	make_sdist 'cext 1.0 kind=c'
	# shellcheck disable=SC2046
	fails 8 'has no C compiler' step $(of cext) "${BACKEND[@]}"
	grep -q 'sources to be compiled ("cext/_c.c"), and there is no C compiler' \
		stderr
	grep -q 'gcc_linux-64' stderr
	grep -q 'build-base' stderr
	nothing_left
}

# Some do without what they cannot compile.
an_optional_extension() {
	build "$STORE" sdist="$builders/wrapt-1.12.1.tar.gz" name=wrapt \
		version=1.12.1 "${BACKEND[@]}" copy=wrapt.whl
	grep -q 'there is no C compiler' stderr
	! python3 -m zipfile -l wrapt.whl | grep -q '\.so'
}

compiled() {
	need_data conda/packages/main-2018-py37
	local builder channel
	builder=$(made builder.tar debian-builder)
	channel=$ENVBUILD_DATA/conda/packages/main-2018-py37
	make_sdist 'cext 1.0 kind=c'
	local PACKAGES='python=3.7.0, setuptools, wheel'
	# shellcheck disable=SC2046
	build "$STORE" $(of cext) isolated=0 build-base=rootfs:"$builder" \
		copy=cext.whl
	python3 -m zipfile -l cext.whl | grep -q '_c.cpython-37m-.*\.so'
	# shellcheck disable=SC2046
	build "$PWD/other" $(of cext) isolated=0 \
		build-base=rootfs:"$builder" copy=again.whl
	cmp cext.whl again.whl
}

failing() {
	make_sdist 'fails 1.0 kind=setup "code=for i in range(30): print(\"line\", i)\nraise SystemExit(\"not today\")"'
	# shellcheck disable=SC2046
	fails 8 'fails-1.0.tar.gz", building its wheel: the build ended with status 1' \
		step $(of fails) "${BACKEND[@]}"
	grep -q '| not today' stderr
	grep -q '| line 29' stderr
	! grep -q '| line 10$' stderr || fail 'more than 20 lines'
	local log
	log=$(sed -n 's/.*its log "\(.*\)" ends:/\1/p' stderr)
	grep -q '^line 10$' "$log"
	nothing_left
}

another_version() {
	make_sdist 'other 1.0 kind=backend'
	fails 8 'it gave other 1.0, the lock says other 1.1' step \
		sdist=sd/other-1.0.tar.gz name=other version=1.1
	fails 8 'it gave other 1.0, the lock says another 1.0' step \
		sdist=sd/other-1.0.tar.gz name=another version=1.0
}

without_setuptools() {
	make_sdist 'bare 1.0 kind=setup'
	# shellcheck disable=SC2046
	fails 8 'there is no setuptools' step $(of bare)
	# shellcheck disable=SC2046
	fails 8 'there is no setuptools' step $(of bare) isolated=0
}

no_source() {
	mkdir x-1.0
	echo nothing >x-1.0/README
	tar czf x-1.0.tar.gz x-1.0
	fails 3 'neither pyproject.toml nor setup.py' step \
		sdist=x-1.0.tar.gz name=x version=1.0
	head -c 300 "$builders/future-0.17.1.tar.gz" >x-1.0.tar.gz
	fails 6 'x-1.0.tar.gz' step sdist=x-1.0.tar.gz name=x version=1.0
	nothing_left
}

# hostile NAME WORDS CODE: a setup.py with this code ends so (and see
# pip_faults.sh).
hostile() {
	make_sdist "$1 1.0 kind=setup 'code=$3'"
	# shellcheck disable=SC2046
	fails 8 "$2" step $(of "$1") "${BACKEND[@]}"
	nothing_left
}

outside() {
	hostile links 'it gave several wheels' \
		'import os; os.symlink("/etc/hostname", "/build/out/x-1-py3-none-any.whl")'
	hostile moves 'building its wheel' \
		'import os; os.rename("/build/out", "/build/gone")'
}

interrupted() {
	make_sdist 'waits 1.0 kind=setup "code=import time; print(\"begun\"); time.sleep(100)"'
	local status want
	for want in 'INT 130' 'TERM 143'; do
		# shellcheck disable=SC2046,SC2209
		via=exec step $(of waits) "${BACKEND[@]}" >stdout 2>stderr &
		for _ in $(seq 200); do
			! grep -q begun "$STORE"/tmp/step-*/log/build \
				2>/dev/null || break
			sleep 0.1
		done
		kill -"${want% *}" $!
		status=0
		wait $! || status=$?
		same "${want#* }" "$status"
		nothing_left
	done
}

it 'an old setup.py becomes a wheel; its log is kept' an_old_setup_py
it 'once; another store gives the same bytes' the_same_bytes_again
it 'a pyproject.toml' a_pyproject
it 'a backend in its own tree' a_backend_of_its_own
it 'setup_requires is asked for, where there is something to ask' setup_requires
it 'a local folder, by what of it counts' a_folder
it 'a commit of a repository, and a folder in it' a_commit
it 'an isolated build sees what it requires; others the environment' isolation
it 'what a key is made of' keys
it 'uv runs in the root' its_own_uv
it 'a result is shared by the registry' shared_by_a_registry
it 'no compiler: said before, and what to add' no_compiler
it 'an extension that may be missing' an_optional_extension
it 'compiled on a build base, twice the same' compiled
it 'a build that fails: its last 20 lines, its log' failing
it 'a wheel of another name or version' another_version
it 'no setuptools: named' without_setuptools
it 'an archive that is no source' no_source
it 'what a build may not do' outside
it 'a build that is interrupted leaves nothing' interrupted
done_testing
