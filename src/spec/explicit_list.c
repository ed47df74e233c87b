/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An explicit list (CEP 23): a line "@EXPLICIT", and of each package the URL or
 * the path of its file with a hash of it behind a "#": what `conda list
 * --explicit --sha256` and `conda-lock render --kind explicit` write. All of it
 * was asked for: so conda notes it, too.
 */
#include <string.h>

#include "spec_list.h"

static int check_hash(const char *hex, size_t digits)
{
	return strlen(hex) == digits &&
			       strspn(hex, "0123456789abcdef") == digits
		       ? 0
		       : -1;
}

/* "d7c89558...", "sha256:fe51de61...", "fe51de61..." */
int eb_spec_take_hash(const char *text, struct eb_record *r)
{
	if (check_hash(text, 32) == 0) {
		memcpy(r->md5, text, sizeof r->md5);
		return 0;
	}
	if (eb_digest_parse(text, &r->sha256) < 0)
		return -1;
	r->has_sha256 = true;
	return 0;
}

static int no_hash(const struct eb_list_line *l, struct eb_error *err)
{
	eb_err_set(err, EB_INPUT,
		   "the package has no hash: nothing says which bytes are "
		   "meant");
	eb_err_hint(err, "\"conda list --explicit --sha256\" (or --md5) writes "
			 "them, behind a \"#\"");
	return eb_list_at(l, strlen(l->text), err);
}

static int wrong_hash(const struct eb_list_line *l, const char *hash,
		      struct eb_error *err)
{
	eb_err_set(err, EB_INPUT,
		   "what stands behind \"#\" is neither an MD5 nor a SHA-256 "
		   "in lower case");
	return eb_list_at(l, (size_t)(hash - l->text), err);
}

static int add_package(void *data, const struct eb_list_line *l,
		       struct eb_error *err)
{
	struct eb_spec_reader *r = data;
	const char *hash = strchr(l->text, '#');
	eb_autofree char *place = NULL;
	struct eb_exact_package *p;

	if (strcmp(l->text, EB_EXPLICIT) == 0)
		return 0;
	if (!hash)
		return no_hash(l, err);
	place = eb_strndup(l->text, (size_t)(hash - l->text));
	p = eb_exact_add(r->spec->exact);
	p->requested = p->partial = true;
	p->line = l->line;
	p->column = l->column;
	if (eb_record_of_place(eb_strip(place), &p->record, &p->channel, err) <
		    0 ||
	    eb_exact_fits(&p->record, r->platform, err) < 0)
		return eb_list_at(l, 0, err);
	if (eb_spec_take_hash(hash + 1, &p->record) < 0)
		return wrong_hash(l, hash + 1, err);
	return 0;
}

int eb_spec_explicit(struct eb_spec_reader *r, const char *text)
{
	struct eb_spec *s = r->spec;

	s->exact = eb_calloc(1, sizeof *s->exact);
	if (eb_list_read(r, text, add_package, r) < 0 ||
	    eb_spec_take_exact(s, r->err) < 0)
		return -1;
	if (!s->exact->n)
		eb_warn_at(r->events, s->file, 1, 1, "no package is in it");
	return 0;
}
