/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Looking for the C library in layers. The last layer that has a file is the
 * one that counts, so they are walked from the top, until libc.so.6 and
 * os-release are seen. A libc.so.6 that is a link tells its version by name
 * (libc-2.31.so); a file says it in its own text.
 */
#include <ctype.h>
#include <string.h>

#include <envbuild/layout.h>
#include <envbuild/mem.h>
#include <envbuild/str.h>

#include "base_priv.h"

#define MAX_LIBC ((uint64_t)64 << 20)
#define MAX_RELEASE ((size_t)64 << 10)
#define PIECE ((size_t)64 << 10)
#define OVERLAP ((size_t)512)
#define BANNER "GNU C Library "
#define RELEASE "release version "

struct search {
	struct eb_libc *out;
	const char *triplet; /* folder of Debian's multiarch */
	bool done_libc, done_os;
	char *second; /* version of a libc.so.6 in plain lib/ */
};

static const char *triplet(const char *arch)
{
	static const struct {
		const char *arch, *triplet;
	} known[] = {
		{ "amd64", "x86_64-linux-gnu" },
		{ "arm64", "aarch64-linux-gnu" },
		{ "ppc64le", "powerpc64le-linux-gnu" },
		{ "s390x", "s390x-linux-gnu" },
		{ "riscv64", "riscv64-linux-gnu" },
	};
	size_t i;

	for (i = 0; i < sizeof known / sizeof *known; i++) {
		if (strcmp(arch, known[i].arch) == 0)
			return known[i].triplet;
	}
	return "unknown";
}

static const char *plain(const char *name)
{
	while (*name == '/' || eb_starts(name, "./"))
		name += *name == '/' ? 1 : 2;
	return name;
}

/* 2 where only this architecture's is, 1 where another one's may be (Red
 * Hat's 32 bit one, Arch's own), 0 elsewhere. */
static int libc_rank(const struct search *s, const char *name)
{
	eb_autofree char *multiarch =
		eb_asprintf("lib/%s/libc.so.6", s->triplet);

	if (eb_starts(name, "usr/"))
		name += 4;
	if (strcmp(name, multiarch) == 0 || !strcmp(name, "lib64/libc.so.6"))
		return 2;
	return strcmp(name, "lib/libc.so.6") == 0;
}

static bool is_musl(const char *name)
{
	if (eb_starts(name, "usr/"))
		name += 4;
	return eb_starts(name, "lib/ld-musl-") && eb_ends(name, ".so.1");
}

/* The version that `s` begins with, or NULL. */
static char *version_at(const char *s, size_t n)
{
	size_t major = 0, end;

	while (major < n && isdigit((unsigned char)s[major]))
		major++;
	if (major == 0 || major > 3 || major + 1 >= n || s[major] != '.')
		return NULL;
	for (end = major + 1; end < n && isdigit((unsigned char)s[end]); end++)
		;
	if (end == major + 1 || end == n || end - major > 4)
		return NULL;
	return eb_strndup(s, end);
}

/* "GNU C Library (Debian GLIBC 2.36-9) stable release version 2.36." */
static char *version_in(const char *p, size_t n)
{
	const char *at = p, *release;
	char *version = NULL;

	while ((at = memmem(at, n - (size_t)(at - p), BANNER,
			    strlen(BANNER)))) {
		size_t left = n - (size_t)(at - p);
		size_t near = left < OVERLAP / 2 ? left : OVERLAP / 2;

		release = memmem(at, near, RELEASE, strlen(RELEASE));
		if (release) {
			release += strlen(RELEASE);
			version =
				version_at(release, n - (size_t)(release - p));
		}
		if (version)
			break;
		at++;
	}
	return version;
}

/* Piece by piece, with the end of the last one before each. */
static int scan(struct eb_stream *content, char **version, struct eb_error *err)
{
	eb_autofree char *buffer = eb_malloc(OVERLAP + PIECE);
	size_t kept = 0;
	ssize_t got = 1;

	while (!*version && got > 0) {
		size_t n;

		got = eb_stream_read(content, buffer + kept, PIECE, err);
		if (got < 0)
			return -1;
		n = kept + (size_t)got;
		*version = version_in(buffer, n);
		kept = n < OVERLAP ? n : OVERLAP;
		memmove(buffer, buffer + n - kept, kept);
	}
	return 0;
}

/* libc-2.31.so, with or without folders before it */
static char *version_of_link(const char *link)
{
	const char *slash = strrchr(link, '/');
	const char *name = slash ? slash + 1 : link;

	return eb_starts(name, "libc-") ? version_at(name + 5, strlen(name + 5))
					: NULL;
}

static int read_libc(const struct eb_member *m, struct eb_stream *content,
		     char **version, struct eb_error *err)
{
	if (m->type == EB_MEMBER_LINK || m->type == EB_MEMBER_HARD_LINK)
		*version = version_of_link(m->link);
	else if (m->type == EB_MEMBER_FILE && m->size <= MAX_LIBC)
		return scan(content, version, err);
	return 0;
}

static int take_libc(struct search *s, int rank, const struct eb_member *m,
		     struct eb_stream *content, struct eb_error *err)
{
	char *version = NULL;

	if (s->done_libc || (rank == 1 && s->second))
		return 0;
	if (read_libc(m, content, &version, err) < 0)
		return -1;
	if (rank == 1) {
		s->second = version;
	} else if (version) {
		s->out->glibc = version;
		s->done_libc = true;
	}
	return 0;
}

/* PRETTY_NAME="Debian GNU/Linux 12 (bookworm)" */
static char *pretty_name(const char *text)
{
	struct eb_strv line = { 0 };
	char *name = NULL;
	size_t i, n;

	eb_strv_split(&line, text, "\n");
	for (i = 0; i < line.n && !name; i++) {
		char *value = line.v[i] + strlen("PRETTY_NAME=");

		if (!eb_starts(line.v[i], "PRETTY_NAME="))
			continue;
		value = eb_strip(value);
		n = strlen(value);
		if (n >= 2 && (*value == '"' || *value == '\'') &&
		    value[n - 1] == *value) {
			value[n - 1] = '\0';
			value++;
		}
		if (*value && strlen(value) < 256 &&
		    eb_utf8_valid(value, strlen(value)))
			name = eb_printable(value);
	}
	eb_strv_release(&line);
	return name;
}

static int take_os(struct search *s, const struct eb_member *m,
		   struct eb_stream *content, struct eb_error *err)
{
	eb_autofree char *text = NULL;

	if (s->done_os || m->type != EB_MEMBER_FILE || m->size > MAX_RELEASE)
		return 0;
	text = eb_calloc(1, m->size + 1);
	if (m->size &&
	    eb_stream_read_all(content, text, m->size, m->name, err) < 0)
		return -1;
	s->out->os_name = pretty_name(text);
	s->done_os = s->out->os_name != NULL;
	return 0;
}

static int look(void *data, const struct eb_member *m,
		struct eb_stream *content, struct eb_error *err)
{
	struct search *s = data;
	const char *name = plain(m->name);
	int rank = libc_rank(s, name);

	if (rank && take_libc(s, rank, m, content, err) < 0)
		return -1;
	if (is_musl(name))
		s->out->musl = true;
	if ((strcmp(name, "usr/lib/os-release") == 0 ||
	     strcmp(name, "etc/os-release") == 0) &&
	    take_os(s, m, content, err) < 0)
		return -1;
	return s->done_libc && s->done_os;
}

int eb_libc_find(const struct eb_manifest *image, const char *arch,
		 const struct eb_base_from *from, struct eb_libc *out,
		 struct eb_error *err)
{
	struct search s = { .out = out, .triplet = triplet(arch) };
	size_t i = image->n_layers;
	int got = 0;

	while (got == 0 && i > 0 && !(s.done_libc && s.done_os))
		got = eb_base_walk_layer(from, &image->layer[--i], look, &s,
					 err);
	if (got == 0 && !out->glibc)
		out->glibc = eb_steal(s.second);
	free(s.second);
	return got;
}

void eb_libc_release(struct eb_libc *l)
{
	free(l->glibc);
	free(l->os_name);
	*l = (struct eb_libc){ 0 };
}
