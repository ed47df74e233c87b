/* SPDX-License-Identifier: Apache-2.0 */
/* Checking the store: damaged blobs, rows without a blob. */
#include <string.h>
#include <unistd.h>

#include "store_priv.h"

struct check {
	struct eb_store *s;
	struct eb_events *events;
	struct eb_store_report *out;
	bool deep;
	struct eb_digest_set named;
	struct eb_digest_set gone; /* bad or missing; sorted after the scan */
};

static void note_gone(struct check *c, const struct eb_digest *d)
{
	EB_GROW(c->gone.d, c->gone.n, c->gone.alloc);
	c->gone.d[c->gone.n++] = *d;
}

static void say_bad(struct check *c, const struct eb_digest *d)
{
	char text[EB_DIGEST_TEXT];

	c->out->bad++;
	note_gone(c, d);
	eb_warn(c->events, "blob %s is damaged", eb_digest_text(d, text));
}

/* 1 good, 0 bad. */
static int rehash(struct eb_store *s, const struct eb_digest *d,
		  struct eb_error *err)
{
	eb_autofd int fd = -1;
	struct eb_digest got;
	uint64_t size;
	int found = eb_store_blob(s, d, &fd, &size, err);

	if (found <= 0)
		return found < 0 ? -1 : 1; /* collected since */
	if (eb_sha256_fd(fd, &got, &size, err) < 0)
		return -1;
	return eb_digest_equal(d, &got);
}

static int visit(void *data, const struct eb_digest *d, uint64_t size,
		 struct eb_error *err)
{
	struct check *c = data;
	int good = c->deep ? rehash(c->s, d, err) : 1;

	if (good < 0)
		return -1;
	c->out->blobs++;
	c->out->bytes += size;
	if (!eb_digest_set_has(&c->named, d))
		c->out->unknown++;
	if (!good)
		say_bad(c, d);
	return 0;
}

static void say_missing(struct check *c, const struct eb_digest *d,
			const char *what)
{
	char text[EB_DIGEST_TEXT];

	c->out->missing++;
	note_gone(c, d);
	eb_warn(c->events, "blob %s of %s is not there",
		eb_digest_text(d, text), what ? what : "a row");
}

/* What the scan found bad is not counted again; the array grows behind `bad`
 * only, which stays sorted. */
struct row_check {
	struct check *c;
	struct eb_digest_set bad;
};

static int check_row(void *data, const struct eb_db_row *row,
		     struct eb_error *err)
{
	struct row_check *r = data;
	struct check *c = r->c;
	int64_t size = eb_db_text(row, 1) ? eb_db_int(row, 1) : -1;
	struct eb_digest d;
	int there;

	c->out->rows++;
	eb_row_digest(row, 0, &d);
	if (eb_digest_set_has(&r->bad, &d))
		return 0;
	there = eb_blob_there(c->s, &d, -1, err);
	if (there < 0)
		return -1;
	if (!there)
		say_missing(c, &d, eb_db_text(row, 2));
	else if (eb_blob_there(c->s, &d, size, err) != 1)
		say_bad(c, &d);
	return 0;
}

static int check_rows(struct check *c, struct eb_error *err)
{
	static const char sql[] = "SELECT blob, size, what FROM named";
	struct row_check r = { .c = c };
	size_t bytes = c->gone.n * sizeof *c->gone.d;
	int done;

	if (c->gone.n) {
		r.bad.d = eb_memdup(c->gone.d, bytes);
		r.bad.n = c->gone.n;
		qsort(r.bad.d, r.bad.n, sizeof *r.bad.d, eb_digest_compare);
	}
	done = eb_db_run(c->s->db, sql, check_row, &r, err, "");
	eb_digest_set_release(&r.bad);
	return done;
}

/* Looked at once more: somebody may have written it meanwhile. */
static int repair_one(struct check *c, const struct eb_digest *d,
		      struct eb_error *err)
{
	int there = eb_blob_there(c->s, d, -1, err);
	int good = there == 1 ? rehash(c->s, d, err) : there;

	if (good != 0)
		return good < 0 ? -1 : 0;
	return eb_store_forget(c->s, d, err) < 0 ? -1
						 : eb_blob_remove(c->s, d, err);
}

static int repair_all(struct check *c, struct eb_error *err)
{
	size_t i;

	for (i = 0; i < c->gone.n; i++)
		if (repair_one(c, &c->gone.d[i], err) < 0)
			return -1;
	eb_note(c->events, "what was damaged or missing is removed from the "
			   "index; the next build makes it again");
	return 0;
}

/* Only where no build can stumble over it. */
static int repair(struct check *c, struct eb_error *err)
{
	struct eb_error second = EB_ERROR_INIT;
	int done = 0;

	if (c->gone.n == 0 || c->s->readonly)
		return 0;
	if (eb_store_use_alone(c->s))
		done = repair_all(c, err);
	else
		eb_note(c->events, "nothing is put right while another "
				   "envbuild uses the store");
	eb_store_use_shared(c->s, &second);
	eb_err_release(&second);
	return done;
}

static void release(struct check *c)
{
	eb_digest_set_release(&c->named);
	eb_digest_set_release(&c->gone);
}

int eb_store_check(struct eb_store *s, bool deep, bool rebuild,
		   struct eb_events *events, struct eb_store_report *out,
		   struct eb_error *err)
{
	struct check c EB_CLEANUP(release) = { s, events, out, deep,
					       .named = { 0 } };

	memset(out, 0, sizeof *out);
	if (rebuild && s->readonly)
		return eb_err_set(err, EB_MACHINE,
				  "\"%s\", making the index anew: the store "
				  "was opened for reading",
				  s->dir);
	if (rebuild && eb_store_rebuild(s, events, err) < 0)
		return -1;
	if (eb_store_named(s, &c.named, err) < 0 ||
	    eb_store_scan(s, s->blobs, visit, &c, err) < 0 ||
	    check_rows(&c, err) < 0)
		return -1;
	return repair(&c, err);
}
