/* SPDX-License-Identifier: Apache-2.0 */
/*
 * RECORD: what a wheel says of its members. Each member has to be in it by
 * sha256 and size, and each of its rows has to have a member; RECORD itself
 * and its signatures may go without a sum.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include <envbuild/json.h>

#include "wheel_int.h"

#define SHA256 "sha256="
#define SUM_LENGTH 43 /* of 32 bytes in base64 without padding */

static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvw"
			     "xyz0123456789-_";

const struct eb_wheel_row *eb_wheel_row_of(const struct eb_wheel *w,
					   const struct eb_zipdir_member *m)
{
	return w->row ? &w->row[m - w->zip.member] : NULL;
}

bool eb_wheel_is_generated(const char *name)
{
	return strcmp(name, "RECORD") == 0 || strcmp(name, "INSTALLER") == 0 ||
	       strcmp(name, "REQUESTED") == 0 ||
	       strcmp(name, "direct_url.json") == 0;
}

char *eb_wheel_hash(const struct eb_digest *sha256, char *text)
{
	const uint8_t *p = sha256->byte;
	char *to = text + sprintf(text, SHA256);
	unsigned bits = 0, held = 0;

	for (size_t i = 0; i < SUM_LENGTH; i++) {
		if (held < 6) {
			bits = bits << 8 | (p < sha256->byte + 32 ? *p : 0u);
			p++;
			held += 8;
		}
		held -= 6;
		*to++ = digits[bits >> held & 63];
	}
	*to = '\0';
	return text;
}

/* 32 bytes of base64; what does not come out the same again is no sum. */
static bool read_sum(const char *text, struct eb_digest *out)
{
	char again[EB_WHEEL_HASH_SIZE];
	unsigned bits = 0, held = 0;
	size_t n = 0;

	for (size_t i = 0; i < SUM_LENGTH; i++) {
		const char *digit = text[i] ? strchr(digits, text[i]) : NULL;

		if (!digit)
			return false;
		bits = bits << 6 | (unsigned)(digit - digits);
		held += 6;
		if (held >= 8 && n < sizeof out->byte) {
			held -= 8;
			out->byte[n++] = (uint8_t)(bits >> held);
		}
	}
	eb_wheel_hash(out, again);
	if (strncmp(again + strlen(SHA256), text, SUM_LENGTH) != 0)
		return false;
	return strspn(text + SUM_LENGTH, "=") == strlen(text + SUM_LENGTH);
}

static int bad_row(const struct eb_wheel *w, const struct eb_wheel_csv *c,
		   const char *why, struct eb_error *err)
{
	return eb_wheel_bad(w, err, "has a RECORD whose line %u, \"%s\", %s",
			    c->line, c->field[0], why);
}

static int read_hash(const struct eb_wheel *w, const struct eb_wheel_csv *c,
		     bool may_lack, struct eb_wheel_row *row,
		     struct eb_error *err)
{
	const char *text = c->field[1];
	char usual[EB_WHEEL_HASH_SIZE];

	if (!*text && !may_lack)
		return bad_row(w, c, "has no sha256", err);
	if (*text && !eb_starts(text, SHA256))
		return bad_row(w, c, "has a sum that is not a sha256", err);
	if (*text) {
		if (!read_sum(text + strlen(SHA256), &row->sha256))
			return bad_row(w, c, "has a damaged sha256", err);
		row->has_sha256 = true;
		eb_wheel_hash(&row->sha256, usual);
	}
	if (!row->has_sha256 || strcmp(text, usual) != 0)
		row->hash = eb_strdup(text);
	return 0;
}

static int read_size(const struct eb_wheel *w, const struct eb_wheel_csv *c,
		     const struct eb_zipdir_member *m, struct eb_wheel_row *row,
		     struct eb_error *err)
{
	const char *text = c->field[2];
	uint64_t size;

	row->no_size = !*text;
	if (row->no_size)
		return 0;
	if ((*text == '0' && text[1]) ||
	    eb_parse_u64(text, UINT64_MAX, &size) < 0)
		return bad_row(w, c, "has a size that is no number", err);
	if (size == m->size)
		return 0;
	return eb_err_set(err, EB_INTEGRITY,
			  "\"%s\", checking \"%s\": it has %" PRIu64
			  " bytes, RECORD says %" PRIu64,
			  w->what, m->name, m->size, size);
}

/* RECORD, or RECORD.jws and RECORD.p7s, which sign it. */
static bool is_record(const struct eb_wheel *w, const char *name,
		      const char *suffix)
{
	size_t n = strlen(w->dist_info);

	return eb_starts(name, w->dist_info) &&
	       eb_starts(name + n, "/RECORD") &&
	       strcmp(name + n + strlen("/RECORD"), suffix) == 0;
}

static bool is_signature(const struct eb_wheel *w, const char *name)
{
	return is_record(w, name, ".jws") || is_record(w, name, ".p7s");
}

static bool same_text(const char *a, const char *b)
{
	return a && b ? strcmp(a, b) == 0 : a == b;
}

static int add_row(const struct eb_wheel *w, const struct eb_wheel_csv *c,
		   struct eb_wheel_row *row, struct eb_wheel_row *read,
		   struct eb_error *err)
{
	if (row->times == 0) {
		*row = *read;
		row->times = 1;
		read->hash = NULL;
		return 0;
	}
	if (!eb_digest_equal(&row->sha256, &read->sha256) ||
	    row->no_size != read->no_size || !same_text(row->hash, read->hash))
		return bad_row(w, c, "says something else than the one before",
			       err);
	row->times++;
	return 0;
}

static int take_row(struct eb_wheel *w, const struct eb_wheel_csv *c,
		    struct eb_error *err)
{
	const struct eb_zipdir_member *m = eb_zipdir_find(&w->zip, c->field[0]);
	struct eb_wheel_row read = { 0 };
	eb_autofree char *shown = eb_printable(c->field[0]);
	int rc;

	if (!m)
		return eb_err_set(err, EB_INTEGRITY,
				  "\"%s\" has no member \"%s\", which its "
				  "RECORD lists",
				  w->what, shown);
	if (m->folder)
		return bad_row(w, c, "is a folder", err);
	if (is_record(w, m->name, ""))
		return 0;
	rc = read_hash(w, c, is_signature(w, m->name), &read, err);
	if (rc == 0)
		rc = read_size(w, c, m, &read, err);
	if (rc == 0)
		rc = add_row(w, c, &w->row[m - w->zip.member], &read, err);
	free(read.hash);
	return rc;
}

static int check_listed(struct eb_wheel *w, struct eb_error *err)
{
	for (size_t i = 0; i < w->zip.n; i++) {
		const struct eb_zipdir_member *m = &w->zip.member[i];
		struct eb_wheel_row *row = &w->row[i];

		if (row->times || m->folder || is_record(w, m->name, ""))
			continue;
		if (!is_signature(w, m->name))
			return eb_wheel_bad(w, err,
					    "has a member \"%s\", which its "
					    "RECORD does not list",
					    m->name);
		*row = (struct eb_wheel_row){ .no_size = true,
					      .times = 1,
					      .hash = eb_strdup("") };
	}
	return 0;
}

static int read_rows(struct eb_wheel *w, struct eb_wheel_csv *c,
		     struct eb_error *err)
{
	int more;

	while ((more = eb_wheel_csv_next(c)) > 0) {
		if (take_row(w, c, err) < 0)
			return -1;
	}
	if (more < 0)
		return eb_wheel_bad(w, err,
				    "has a RECORD with a quote that is not "
				    "closed");
	return check_listed(w, err);
}

int eb_wheel_read_rows(struct eb_wheel *w, struct eb_error *err)
{
	eb_autofree char *text = NULL;
	struct eb_wheel_csv c = { .line = 1 };
	size_t len;
	int rc = eb_wheel_member(w, "RECORD", &text, &len, err);

	if (rc < 0)
		return -1;
	if (!rc)
		return eb_wheel_bad(w, err, "has no \"%s/RECORD\"",
				    w->dist_info);
	w->row = eb_calloc(w->zip.n + 1, sizeof *w->row);
	c.at = text;
	c.end = text + len;
	rc = read_rows(w, &c, err);
	eb_wheel_csv_release(&c);
	return rc;
}

char *eb_wheel_note(const char *hash, bool no_size, unsigned rows)
{
	eb_autojson json_t *j = json_object();
	EB_AUTOBUF(text, EB_MAX_TEXT);

	if (!j)
		eb_oom();
	if (hash)
		json_object_set_new(j, "hash", json_string(hash));
	if (no_size)
		json_object_set_new(j, "size", json_string(""));
	if (rows != 1)
		json_object_set_new(j, "rows", json_integer(rows));
	if (json_object_size(j) == 0)
		return NULL;
	eb_json_canonical(j, &text);
	return eb_buf_steal(&text, NULL);
}
