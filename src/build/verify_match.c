/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Claims against files, path by path. A file is right when it has the content
 * that one of its owners claims: of two that claim different ones the later
 * wins when an image is made, which is told as a note.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <envbuild/file.h>

#include "verify_claims.h"

#define CHECK "files"
#define CLASH "clash"

struct file {
	struct stat st;
	bool leads; /* a link that leads somewhere, or no link */
	bool has_sha256;
	struct eb_digest sha256;
	uint64_t size;
};

/* The claims of one path. */
struct group {
	struct eb_claims *c;
	const struct eb_claim *v;
	size_t n;
	const char *full; /* below the root */
};

static const char *owner(const struct group *g, size_t i)
{
	return g->c->owner.v[g->v[i].owner];
}

static bool any(const struct group *g, bool weak)
{
	for (size_t i = 0; i < g->n; i++)
		if (g->v[i].weak == weak)
			return true;
	return false;
}

static bool wants_sum(const struct group *g)
{
	for (size_t i = 0; i < g->n; i++)
		if (g->v[i].has_sha256)
			return true;
	return false;
}

/* sha256 of what nothing is in: so packages describe links that lead to no
 * file of theirs. */
static bool is_empty_sum(const struct eb_digest *d)
{
	struct eb_digest empty;

	eb_sha256("", 0, &empty);
	return eb_digest_equal(d, &empty);
}

/* Folders that a running image has of its own. */
static bool leads_to_system(const struct group *g)
{
	static const char *const at[] = { "/dev/", "/proc/", "/sys/" };
	char target[16] = "";
	eb_autofd int fd = eb_inside(g->c->root, g->full, O_PATH, false);
	ssize_t n = fd < 0 ? -1 : readlinkat(fd, "", target, sizeof target - 1);

	target[n > 0 ? n : 0] = '\0';
	for (size_t i = 0; i < sizeof at / sizeof *at; i++)
		if (eb_starts(target, at[i]))
			return true;
	return false;
}

/* 1; 0: it is not there. */
static int look(const struct group *g, struct file *f, struct eb_error *err)
{
	eb_autofd int fd = eb_inside(g->c->root, g->full, O_PATH, false);
	eb_autofd int through = -1;

	memset(f, 0, sizeof *f);
	if (fd < 0 && (errno == ENOENT || errno == ENOTDIR || errno == ELOOP))
		return 0;
	if (fd < 0 || fstat(fd, &f->st) < 0)
		return eb_err_errno(err, EB_MACHINE, errno, "\"%s\", opening",
				    g->full);
	through = eb_inside(g->c->root, g->full, O_PATH, true);
	f->leads = through >= 0;
	return 1;
}

static int hash(const struct group *g, struct file *f, struct eb_error *err)
{
	eb_autofd int fd = -1;
	struct stat st;

	if (!f->leads || !wants_sum(g))
		return 0;
	fd = eb_inside(g->c->root, g->full, O_RDONLY | O_NONBLOCK | O_NOCTTY,
		       true);
	if (fd < 0 || fstat(fd, &st) < 0)
		return eb_err_errno(err, EB_MACHINE, errno, "\"%s\", opening",
				    g->full);
	if (!S_ISREG(st.st_mode))
		return 0;
	f->has_sha256 = true;
	return eb_sha256_fd(fd, &f->sha256, &f->size, err);
}

/* Why it is not what is claimed; NULL when it is. Caller frees. */
static char *differs(const struct eb_claim *c, const struct file *f)
{
	char have[EB_HEX_SIZE], want[EB_HEX_SIZE];
	mode_t m = f->st.st_mode;

	if (c->type == EB_CLAIM_DIR)
		return S_ISDIR(m) ? NULL : eb_strdup("is no folder");
	if (c->type == EB_CLAIM_LINK && S_ISLNK(m)) {
		if (f->leads || !c->has_sha256 || is_empty_sum(&c->sha256))
			return NULL;
		return eb_strdup(EB_LEADS_NOWHERE);
	}
	if (c->type == EB_CLAIM_FILE && !S_ISREG(m))
		return eb_strdup("is no regular file");
	if (c->has_sha256 && !f->has_sha256)
		return eb_strdup("is no regular file");
	if (c->has_sha256 && !eb_digest_equal(&c->sha256, &f->sha256))
		return eb_asprintf("has the sha256 %s, not %s",
				   eb_digest_hex(&f->sha256, have),
				   eb_digest_hex(&c->sha256, want));
	if (c->has_size && S_ISREG(m) && c->size != (uint64_t)f->st.st_size)
		return eb_asprintf("has %" PRIu64 " bytes, not %" PRIu64,
				   (uint64_t)f->st.st_size, c->size);
	return NULL;
}

static bool says_much(const struct eb_claim *c)
{
	return c->type != EB_CLAIM_ANY || c->has_sha256 || c->has_size;
}

/* Those that say most count: a name alone is right with whatever is there. */
static void judge(const struct group *g, const struct file *f, size_t *doubts)
{
	eb_autofree char *first = NULL;
	bool weak = !any(g, false);
	size_t by = 0;

	for (size_t i = 0; i < g->n; i++) {
		eb_autofree char *why = NULL;

		if (g->v[i].weak != weak || !says_much(&g->v[i]))
			continue;
		why = differs(&g->v[i], f);
		if (!why)
			return;
		if (first)
			continue;
		first = eb_steal(why);
		by = i;
	}
	if (first && weak)
		++*doubts;
	else if (first)
		eb_finding_add(g->c->out, CHECK, g->v->path, "of %s %s",
			       owner(g, by), first);
}

static void note_dangling(const struct group *g, const struct file *f)
{
	if (S_ISLNK(f->st.st_mode) && !f->leads && !leads_to_system(g))
		eb_finding_note(g->c->out, CHECK, g->v->path,
				"of %s is a link that leads nowhere",
				owner(g, 0));
}

/* Two owners, two contents. */
static void note_clash(const struct group *g, const struct file *f)
{
	const struct eb_claim *a = NULL, *b = NULL;

	for (size_t i = 0; i < g->n && !b; i++) {
		const struct eb_claim *c = &g->v[i];

		if (c->weak || !c->has_sha256)
			continue;
		if (!a)
			a = c;
		else if (c->owner != a->owner &&
			 !eb_digest_equal(&a->sha256, &c->sha256))
			b = c;
	}
	if (!b)
		return;
	eb_finding_note(g->c->out, CLASH, g->v->path,
			"is claimed by %s and by %s with different content; "
			"the image has that of %s",
			g->c->owner.v[a->owner], g->c->owner.v[b->owner],
			!f->has_sha256				  ? "neither"
			: eb_digest_equal(&a->sha256, &f->sha256) ? "the first"
			: eb_digest_equal(&b->sha256, &f->sha256) ? "the second"
								  : "neither");
}

/* A number of 1 or more claims: what conda left out of its own package is in
 * the RECORD that came with it all the same. */
static int match(const struct group *g, size_t *doubts, struct eb_error *err)
{
	struct file f;
	int got = look(g, &f, err);

	g->c->out->files++;
	if (got < 0)
		return -1;
	if (!got && !any(g, false)) {
		++*doubts;
		return 0;
	}
	if (!got) {
		eb_finding_add(g->c->out, CHECK, g->v->path, "of %s is missing",
			       owner(g, 0));
		return 0;
	}
	if (hash(g, &f, err) < 0)
		return -1;
	judge(g, &f, doubts);
	note_dangling(g, &f);
	note_clash(g, &f);
	return 0;
}

int eb_verify_match(struct eb_claims *c, struct eb_error *err)
{
	size_t doubts = 0;

	for (size_t i = 0, n; i < c->n; i += n) {
		eb_autofree char *full = eb_path_join(c->prefix, c->v[i].path);
		struct group g = { c, &c->v[i], 0, full };

		for (n = 1;
		     i + n < c->n && !strcmp(c->v[i].path, c->v[i + n].path);
		     n++)
			;
		g.n = n;
		if (!c->v[i].changed && match(&g, &doubts, err) < 0)
			return -1;
	}
	if (doubts)
		eb_finding_note(c->out, CHECK, NULL,
				"%zu rows in the RECORD of conda packages do "
				"not fit; conda-meta counts there",
				doubts);
	return 0;
}
