# SPDX-License-Identifier: Apache-2.0
#
# envbuild: everything that is made goes into build/. `make help` lists the
# targets, `make V=1` shows the commands, `make WERROR=1` makes warnings errors.

VERSION := $(shell sed -n 's/^\#define EB_VERSION "\(.*\)"/\1/p' \
	include/envbuild/build.h)
SHELL := /bin/sh
.DEFAULT_GOAL := all
.DELETE_ON_ERROR:
.SUFFIXES:
MAKEFLAGS += --no-builtin-rules

# ---- what may be set from outside -------------------------------------------

B := build
CC := $(if $(filter default,$(origin CC)),gcc,$(CC))
AR := $(if $(filter default,$(origin AR)),ar,$(AR))
CLANG ?= clang
PKG_CONFIG ?= pkg-config
CFLAGS ?= -O2 -g
DESTDIR ?=
PREFIX ?= /usr/local
LIBDIR ?= $(PREFIX)/lib
LIBEXECDIR ?= $(PREFIX)/libexec
INCLUDEDIR ?= $(PREFIX)/include
DATADIR ?= $(PREFIX)/share
MANDIR ?= $(DATADIR)/man

# Real packages, definitions and vectors that some tests use when they are
# there; a test that misses them is skipped and says so.
ENVBUILD_DATA ?= ../shared/data
export ENVBUILD_DATA := $(abspath $(ENVBUILD_DATA))
export ENVBUILD_BUILD = $(abspath $(B))
export ENVBUILD_FIXTURES ?= $(abspath build/fixtures)

# ---- flags ------------------------------------------------------------------

STD := -std=gnu11
WARNINGS := -Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes \
	-Wpointer-arith -Wvla -Wformat=2 $(if $(WERROR),-Werror)
HARDEN := -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=2 -fstack-protector-strong
INSTRUMENT :=
ifdef SANITIZE
INSTRUMENT := -fsanitize=address,undefined -fno-sanitize-recover=all \
	-fno-omit-frame-pointer
HARDEN := -U_FORTIFY_SOURCE
export ASAN_OPTIONS ?= detect_leaks=1:strict_string_checks=1
export UBSAN_OPTIONS ?= print_stacktrace=1
endif
# Of `make fuzz`: the engine brings a main().
ifdef ENGINE
INSTRUMENT += -fsanitize=fuzzer-no-link
FUZZ_MAIN := -fsanitize=fuzzer
else
FUZZ_MAIN = $(B)/obj/tests/fuzz/replay.o
endif
BASE_CPPFLAGS = -Iinclude -D_GNU_SOURCE= $(CPPFLAGS)
BASE_CFLAGS = $(STD) $(WARNINGS) $(HARDEN) $(INSTRUMENT) -fPIC \
	-ffunction-sections -fdata-sections $(CFLAGS)
BASE_LDFLAGS = $(INSTRUMENT) -Wl,--as-needed -Wl,--gc-sections $(LDFLAGS)

# The libraries are asked for when a recipe first needs them, so that `make
# deps all` works where pkg-config is only being installed.
PACKAGES := yaml-0.1 jansson sqlite3 libcrypto libzstd libisal libarchive \
	libcurl libsolv zlib libseccomp
LIGHT_PACKAGES := yaml-0.1 jansson sqlite3 libcrypto libzstd libisal
pkg = $(or $(shell $(PKG_CONFIG) $1 && echo ' '),\
	$(error $(PKG_CONFIG) $1: run `make deps`))
once = $(eval $1 := $2)$($1)
PKG_CFLAGS = $(call once,PKG_CFLAGS,$(call pkg,--cflags $(PACKAGES)))
LIBS = $(call once,LIBS,$(call pkg,--libs $(PACKAGES)) -lbz2 -pthread)
# The light program needs SHA-256 alone: taken from the static libcrypto it
# starts in two thirds of the time that loading the shared one takes.
CRYPTO_STATIC = $(filter /%,$(shell $(CC) -print-file-name=libcrypto.a))
LIGHT_LIBS = $(call once,LIGHT_LIBS,$(patsubst -lcrypto,$(or \
	$(CRYPTO_STATIC),-lcrypto),$(call pkg,--libs $(LIGHT_PACKAGES))) \
	-pthread)
TEST_CFLAGS = -Isrc $(call once,TEST_PKG_CFLAGS,$(call pkg,--cflags cmocka))
TEST_LIBS = $(call once,TEST_LIBS,$(call pkg,--libs cmocka))

# ---- what there is ----------------------------------------------------------

MAINS := src/cli/main_light.c src/cli/main_full.c
SOURCES := $(filter-out $(MAINS),$(sort $(wildcard src/*/*.c)))
SCHEMA := $(sort $(wildcard cache/*.sql))
CARRIED := $(sort $(wildcard src/*/*.py))
CATALOGUE := $(sort $(wildcard src/catalog/schema/*.sql))
CURATED := $(sort $(wildcard templates/environments/*.yml))
TABLES := $(sort $(wildcard templates/base/*.tsv))
GENERATED := $(B)/gen/schema.c $(B)/gen/catalogue_schema.c \
	$(B)/gen/curated_text.c \
	$(patsubst %.py,$(B)/gen/%.c,$(notdir $(CARRIED))) \
	$(patsubst %.tsv,$(B)/gen/%_tsv.c,$(notdir $(TABLES)))
OBJECTS := $(SOURCES:src/%.c=$(B)/obj/%.o) \
	$(GENERATED:$(B)/gen/%.c=$(B)/obj/gen/%.o)
MAIN_OBJECTS := $(MAINS:src/%.c=$(B)/obj/%.o)

UNIT := $(patsubst tests/%.c,$(B)/tests/%,$(sort $(wildcard tests/unit/test_*.c)))
BENCH := $(patsubst tests/%.c,$(B)/tests/%,$(sort $(wildcard tests/bench/*.c)))
CONFORM := $(patsubst tests/%.c,$(B)/tests/%,$(wildcard tests/conform.c))
TOOLS := $(patsubst tests/%.c,$(B)/tests/%,$(wildcard tests/tools/*.c))
INTEGRATION ?= $(sort $(wildcard tests/integration/*.sh))
FUZZ := $(patsubst tests/%.c,$(B)/tests/%,$(sort $(wildcard tests/fuzz/fuzz_*.c)))
TEST_PROGRAMS := $(UNIT) $(BENCH) $(TOOLS) $(CONFORM)
TEST_OBJECTS := $(TEST_PROGRAMS:$(B)/tests/%=$(B)/obj/tests/%.o) \
	$(FUZZ:$(B)/tests/%=$(B)/obj/tests/%.o) $(B)/obj/tests/fuzz/replay.o

LIBRARY := $(B)/libenvbuild.a
SHARED := $(B)/libenvbuild.so.0
LIGHT := $(B)/envbuild
FULL := $(B)/libexec/envbuild/envbuild-full

# ---- what one says ----------------------------------------------------------

ifeq ($(V),1)
Q :=
say = @:
else
Q := @
say = $(if $(findstring s,$(firstword -$(MAKEFLAGS))),@:,\
	@printf '  %-7s %s\n' '$1' '$2')
endif

.PHONY: all help
PROGRAMS := $(LIGHT) $(FULL) $(CONFORM)
all: $(LIBRARY) $(SHARED) $(PROGRAMS) resolver ## library and programs

help: ## this list
	@sed -n 's/^\([a-z0-9-]*\):.*## \(.*\)/  \1\t\2/p' Makefile | expand -t14

# ---- stamps: other flags or another set of files make anew ------------------

# $(call stamp,FILE,TEXT): FILE is written when it does not hold TEXT.
stamp = $(if $(filter-out $(strip $2),$(strip $(file <$1)))$(filter-out \
	$(strip $(file <$1)),$(strip $2)),$(shell mkdir -p $(B))$(file >$1,$2))

NO_BUILD := clean help deps install-deps uninstall
GOALS := $(or $(MAKECMDGOALS),all)
ifneq ($(filter-out $(NO_BUILD),$(GOALS)),)
$(call stamp,$(B)/flags,$(CC) $(AR) $(BASE_CPPFLAGS) $(BASE_CFLAGS) \
	$(BASE_LDFLAGS) $(PACKAGES))
$(call stamp,$(B)/members,$(OBJECTS))
endif

# With `deps` among the goals everything else waits for it.
DEPS_FIRST := $(filter deps,$(MAKECMDGOALS))

# ---- compile ----------------------------------------------------------------

compile = $(Q)mkdir -p $(@D) && $(CC) $(BASE_CPPFLAGS) $1 $(PKG_CFLAGS) \
	$(BASE_CFLAGS) -MMD -MP -c -o $@ $<

$(OBJECTS) $(MAIN_OBJECTS) $(TEST_OBJECTS): $(B)/flags | $(DEPS_FIRST)

$(B)/obj/gen/%.o: $(B)/gen/%.c
	$(call say,CC,$<)
	$(call compile)

$(TEST_OBJECTS): $(B)/obj/tests/%.o: tests/%.c
	$(call say,CC,$<)
	$(call compile,$(TEST_CFLAGS))

$(filter-out $(B)/obj/gen/%,$(OBJECTS)) $(MAIN_OBJECTS): $(B)/obj/%.o: src/%.c
	$(call say,CC,$<)
	$(call compile)

-include $(OBJECTS:.o=.d) $(MAIN_OBJECTS:.o=.d) $(TEST_OBJECTS:.o=.d)

# Files that are carried inside the library as C strings.
c_string = sed -e 's/[\\"?]/\\&/g' -e 's/.*/\t"&\\n"/'

# $(call migrations,NAME,FILES): the scripts of a database, in order.
migrations = $(Q){ echo '/* From $2: migrations, in order. */'; \
	echo 'extern const char *const $1[];'; \
	echo 'extern const unsigned $1_n;'; \
	echo 'const char *const $1[] = {'; \
	for f in $2; do $(c_string) "$$f" && echo '	,'; done && \
	echo '	0'; echo '};'; \
	echo 'const unsigned $1_n = $(words $2);'; } >$@

$(B)/gen/schema.c: $(SCHEMA) $(B)/members Makefile
	$(call say,GEN,$@)
	$(Q)mkdir -p $(@D)
	$(call migrations,eb_store_schema,$(SCHEMA))

$(B)/gen/catalogue_schema.c: $(CATALOGUE) $(B)/members Makefile
	$(call say,GEN,$@)
	$(Q)mkdir -p $(@D)
	$(call migrations,eb_catalog_schema,$(CATALOGUE))

$(B)/gen/curated_text.c: $(CURATED) $(B)/members Makefile
	$(call say,GEN,$@)
	$(Q)mkdir -p $(@D)
	$(Q){ echo '/* From templates/environments/: what its README.md tells. */'; \
	echo 'extern const char eb_curated_text[];'; \
	echo 'const char eb_curated_text[] ='; \
	$(c_string) $(CURATED); echo '	;'; } >$@

vpath %.py $(sort $(dir $(CARRIED)))

$(B)/gen/%.c: %.py Makefile
	$(call say,GEN,$@)
	$(Q)mkdir -p $(@D)
	$(Q){ echo '/* From $<: run by the Python of an environment. */'; \
	echo 'extern const char eb_$*_py[];'; \
	echo 'const char eb_$*_py[] ='; \
	$(c_string) $<; echo '	;'; } >$@

vpath %.tsv $(sort $(dir $(TABLES)))

$(B)/gen/%_tsv.c: %.tsv Makefile
	$(call say,GEN,$@)
	$(Q)mkdir -p $(@D)
	$(Q){ echo '/* From $<: what templates/base/README.md tells. */'; \
	echo 'extern const char eb_$*_tsv[];'; \
	echo 'const char eb_$*_tsv[] ='; \
	$(c_string) $<; echo '	;'; } >$@

# ---- link -------------------------------------------------------------------

$(LIBRARY): $(OBJECTS) $(B)/members
	$(call say,AR,$@)
	$(Q)rm -f $@ && $(AR) qcsD $@ $(OBJECTS)

# Only eb_ names are visible.
$(B)/gen/exports.map: Makefile
	$(Q)mkdir -p $(@D) && echo '{ global: eb_*; local: *; };' >$@

$(SHARED): $(OBJECTS) $(B)/members $(B)/gen/exports.map
	$(call say,LD,$@)
	$(Q)$(CC) -shared $(BASE_CFLAGS) $(BASE_LDFLAGS) -Wl,-soname,$(@F) \
		-Wl,-z,defs -Wl,--version-script=$(B)/gen/exports.map -o $@ $(OBJECTS) $(LIBS)
	$(Q)ln -sfn $(@F) $(B)/libenvbuild.so

# The light program answers at once: it is not given the heavy libraries, so a
# command that needs them cannot slip in.
$(LIGHT): $(B)/obj/cli/main_light.o $(LIBRARY)
	$(call say,LD,$@)
	$(Q)$(CC) $(BASE_CFLAGS) $(BASE_LDFLAGS) -o $@ $^ $(LIGHT_LIBS)

$(FULL): $(B)/obj/cli/main_full.o $(LIBRARY)
	$(call say,LD,$@)
	$(Q)mkdir -p $(@D)
	$(Q)$(CC) $(BASE_CFLAGS) $(BASE_LDFLAGS) -o $@ $^ $(LIBS)

$(TEST_PROGRAMS): $(B)/tests/%: $(B)/obj/tests/%.o $(LIBRARY)
	$(call say,LD,$@)
	$(Q)mkdir -p $(@D)
	$(Q)$(CC) $(BASE_CFLAGS) $(BASE_LDFLAGS) -o $@ $^ $(TEST_LIBS) $(LIBS)

$(FUZZ): $(B)/tests/%: $(B)/obj/tests/%.o $(if $(ENGINE),,$(FUZZ_MAIN)) $(LIBRARY)
	$(call say,LD,$@)
	$(Q)mkdir -p $(@D)
	$(Q)$(CC) $(BASE_CFLAGS) $(BASE_LDFLAGS) -o $@ $< $(FUZZ_MAIN) \
		$(LIBRARY) $(TEST_LIBS) $(LIBS)

# ---- tests ------------------------------------------------------------------

.PHONY: check check-real sanitize fuzz fuzzers bench demo demo-2018 smoke
check: all $(UNIT) $(BENCH) $(TOOLS) $(FUZZ) ## all tests; the last line counts them
	$(Q)tests/run $(UNIT) $(INTEGRATION)

sanitize: $(DEPS_FIRST) ## the tests again, under ASan and UBSan
	$(Q)$(MAKE) --no-print-directory B=build/sanitize SANITIZE=1 \
		CFLAGS='-O1 -g' check

# With no end of new inputs: what `check` does with those that are kept.
TIME := 60
fuzz: $(DEPS_FIRST) ## each fuzzer for TIME=60 seconds; needs clang
	$(Q)$(MAKE) --no-print-directory B=build/fuzz SANITIZE=1 ENGINE=1 \
		CC=$(CLANG) CFLAGS='-O1 -g' fuzzers
	$(Q)tests/fuzz/run $(TIME) $(FUZZ:$(B)/%=build/fuzz/%)

fuzzers: $(FUZZ)

# Each has gigabytes in its hands, and may take half an hour where a machine is
# busy.
REAL := $(sort $(filter-out %.py,$(wildcard tests/real/*)))
check-real: all ## the tutorial's environments, with the data and the index
	$(Q)ENVBUILD_TEST_TIMEOUT=$${ENVBUILD_TEST_TIMEOUT:-1800} \
		tests/run $(REAL)

bench: all $(BENCH) $(TOOLS) ## ratios of time and memory
	$(Q)tests/bench/run

demo: all ## a channel and a base made here; build, check, run, change, build
	$(Q)tests/demo

demo-2018: all ## the same with the real packages of 2018, where they are
	$(Q)tests/demo-2018

# For people with real accounts: nothing of it is part of `check`.
smoke: all ## REGISTRY=HOST/PREFIX CHANNEL=NAME: a transcript, redacted
	$(Q)tests/smoke "$(REGISTRY)" "$(CHANNEL)" "$(BASE)" "$(SPECS)" \
		"$(MORE)"

# ---- lint -------------------------------------------------------------------

LINTS := $(sort $(notdir $(wildcard tests/lint/*)))
# Of this target alone: what is exported to all is asked of pkg-config before
# `deps` has installed it.
lint: export ENVBUILD_CPPFLAGS = $(BASE_CPPFLAGS) $(PKG_CFLAGS)
lint: export ENVBUILD_CFLAGS = $(STD) $(WARNINGS) $(HARDEN) $(CFLAGS)
export CC CLANG

.PHONY: lint
lint: $(LIBRARY) $(SHARED) ## every check of the sources that runs nothing
	$(Q)bad=; for name in $(LINTS); do \
		if tests/lint/$$name; then echo "  ok      $$name"; \
		else echo "  FAIL    $$name"; bad="$$bad $$name"; fi; done; \
	test -z "$$bad" || { echo "lint:$$bad" >&2; exit 1; }

# ---- install ----------------------------------------------------------------

.PHONY: install uninstall clean
MAN := $(sort $(wildcard man/*.[1-8]))
TEMPLATES := $(sort $(shell find templates -type f))
D_INCLUDE := $(DESTDIR)$(INCLUDEDIR)/envbuild
D_SHARE := $(DESTDIR)$(DATADIR)/envbuild
D_LIBEXEC := $(DESTDIR)$(LIBEXECDIR)/envbuild

define PC
prefix=$(PREFIX)
libdir=$(LIBDIR)
includedir=$(INCLUDEDIR)

Name: envbuild
Description: Container images from conda environment files
URL: https://spdx.org/licenses/Apache-2.0
Version: $(VERSION)
Cflags: -I$${includedir}
Libs: -L$${libdir} -lenvbuild
Requires.private: $(PACKAGES)
Libs.private: -lbz2 -pthread
endef

install: all ## into DESTDIR, PREFIX (/usr/local)
	$(Q)install -D -m 755 $(LIGHT) $(DESTDIR)$(PREFIX)/bin/envbuild
	$(Q)install -D -m 755 $(FULL) $(D_LIBEXEC)/envbuild-full
	$(Q)if test -x $(B)/libexec/envbuild/uv; then \
		install -m 755 $(B)/libexec/envbuild/uv $(D_LIBEXEC)/uv; fi
	$(Q)install -D -m 644 $(LIBRARY) $(DESTDIR)$(LIBDIR)/libenvbuild.a
	$(Q)install -m 644 $(SHARED) $(DESTDIR)$(LIBDIR)/libenvbuild.so.0
	$(Q)ln -sfn libenvbuild.so.0 $(DESTDIR)$(LIBDIR)/libenvbuild.so
	$(Q)install -d $(D_INCLUDE) $(D_SHARE) $(DESTDIR)$(LIBDIR)/pkgconfig
	$(Q)install -m 644 include/envbuild/*.h $(D_INCLUDE)
	$(file >$(B)/gen/envbuild.pc,$(PC))
	$(Q)install -m 644 $(B)/gen/envbuild.pc $(DESTDIR)$(LIBDIR)/pkgconfig
	$(Q)for f in $(MAN); do install -D -m 644 "$$f" \
		"$(DESTDIR)$(MANDIR)/man$${f##*.}/$${f##*/}"; done
	$(Q)for f in $(TEMPLATES); do \
		install -D -m 644 "$$f" "$(D_SHARE)/$$f"; done

uninstall: ## what install put there
	$(Q)rm -f $(DESTDIR)$(PREFIX)/bin/envbuild \
		$(DESTDIR)$(LIBDIR)/libenvbuild.a \
		$(DESTDIR)$(LIBDIR)/libenvbuild.so.0 \
		$(DESTDIR)$(LIBDIR)/libenvbuild.so \
		$(DESTDIR)$(LIBDIR)/pkgconfig/envbuild.pc
	$(Q)for f in $(MAN); do \
		rm -f "$(DESTDIR)$(MANDIR)/man$${f##*.}/$${f##*/}"; done
	$(Q)rm -rf $(D_INCLUDE) $(D_SHARE) $(D_LIBEXEC)

clean: ## nothing is kept
	$(Q)rm -rf build

# ---- what has to be installed -----------------------------------------------

DEPS_BUILD := gcc libc6-dev binutils make pkg-config libyaml-dev \
	libjansson-dev libsqlite3-dev libssl-dev libzstd-dev libisal-dev \
	libarchive-dev libcurl4-openssl-dev libsolv-dev zlib1g-dev \
	libseccomp-dev libbz2-dev
DEPS_RUN := crun runc ca-certificates python3 python3-pip
DEPS_TEST := libcmocka-dev bash python3 openssl mmdebstrap patchelf zstd \
	bzip2 tar jq libarchive-tools uidmap skopeo umoci podman \
	buildah docker-registry git openssh-client openssh-server
DEPS_LINT := clang clang-format shellcheck mandoc
DEPS := $(DEPS_BUILD) $(DEPS_RUN) $(DEPS_TEST) $(DEPS_LINT)

# Who resolves pip sections: the static build, which runs in any root file
# system too; by pip and its own configuration.
UV_VERSION := 0.13.8
UV := build/uv/uv-$(UV_VERSION)
define GET_UV
rm -rf build/uv && mkdir -p build/uv && \
python3 -m pip download -q --disable-pip-version-check --no-deps \
	--only-binary=:all: --platform "musllinux_1_1_$$(uname -m)" \
	-d build/uv uv==$(UV_VERSION) && \
python3 -m zipfile -e build/uv/*.whl build/uv/wheel && \
install -m 755 build/uv/wheel/*/scripts/uv $(UV) && \
rm -rf build/uv/wheel build/uv/*.whl || \
echo 'uv $(UV_VERSION) is not to be had: pip sections cannot be resolved'
endef

.PHONY: deps
deps: ## install what build, lint, tests and demo need (Debian, Ubuntu)
	@. /etc/os-release; \
	case $$ID in \
	debian) least=12;; \
	ubuntu) least=24.04;; \
	*) least=;; \
	esac; \
	if test -z "$$least" || \
	   ! dpkg --compare-versions "$${VERSION_ID:-99}" ge "$$least"; then \
		echo 'This needs what these packages of Debian 12 hold:'; \
		printf '  %s\n' $(DEPS); \
	elif dpkg-query -W -f '$${db:Status-Status}\n' $(DEPS) 2>&1 | \
	     grep -qvx installed; then \
		sudo=; test "$$(id -u)" = 0 || sudo=sudo; \
		$$sudo apt-get update -q && \
		$$sudo env DEBIAN_FRONTEND=noninteractive apt-get install -qy \
			--no-install-recommends $(DEPS); \
	fi
	$(Q)test -x $(UV) || { $(GET_UV); }

# Where it is looked for (also beside an installed program).
.PHONY: resolver
resolver: $(DEPS_FIRST)
	$(Q)if test -x $(UV) && ! cmp -s $(UV) $(B)/libexec/envbuild/uv; then \
		mkdir -p $(B)/libexec/envbuild && \
		cp $(UV) $(B)/libexec/envbuild/uv; fi
