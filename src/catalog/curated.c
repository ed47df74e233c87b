/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The curated environments are one text, documents of YAML one after the
 * other. They are looked up by their first lines, which have a form of their
 * own (templates/environments/README.md), so that only the document that is
 * asked for is parsed.
 */
#include <string.h>

#include <envbuild/catalog.h>

#include "curated.h"

extern const char eb_curated_text[];

#define MARK "---\n"

static const char *next_mark(const char *p)
{
	const char *mark = strstr(p, "\n" MARK);

	return mark ? mark + 1 : NULL;
}

bool eb_document_next(struct eb_document *d)
{
	const char *from = d->text ? d->text + d->len : eb_curated_text;
	const char *mark = eb_starts(from, MARK) ? from : next_mark(from);
	const char *end;

	if (!mark)
		return false;
	d->text = mark + strlen(MARK);
	end = next_mark(d->text - 1);
	d->len = end ? (size_t)(end - d->text) : strlen(d->text);
	return true;
}

const char *eb_document_value(const struct eb_document *d, const char *key,
			      int *len)
{
	const char *end = d->text + d->len, *p = d->text, *value, *eol;
	size_t n = strlen(key);

	while (p + n <= end && memcmp(p, key, n)) {
		p = memchr(p, '\n', (size_t)(end - p));
		p = p ? p + 1 : end;
	}
	if (p + n > end)
		return NULL;
	value = p + n;
	eol = memchr(value, '\n', (size_t)(end - value));
	if (!eol)
		eol = end;
	if (eol - value > 1 && *value == '"' && eol[-1] == '"') {
		value++;
		eol--;
	}
	*len = (int)(eol - value);
	return value;
}

/* In "[a, b]"; names are never quoted. */
static bool in_list(const char *list, int len, const char *name, size_t n)
{
	const char *end = list + len;

	for (const char *p = list; p < end; p++) {
		const char *word = p + strspn(p, "[, ");
		size_t size = strcspn(word, ",]");

		if (size == n && !memcmp(word, name, n))
			return true;
		p = word + size;
	}
	return false;
}

static bool is_called(const struct eb_document *d, const char *name, size_t n)
{
	int len;
	const char *value = eb_document_value(d, "name: ", &len);

	if (value && (size_t)len == n && !memcmp(value, name, n))
		return true;
	value = eb_document_value(d, "aliases: ", &len);
	return value && in_list(value, len, name, n);
}

bool eb_document_find(const char *name, struct eb_document *out)
{
	struct eb_document d = { 0 };
	size_t n = strlen(name);

	while (eb_document_next(&d)) {
		/* most of them do not have it anywhere */
		if (!memmem(d.text, d.len, name, n) || !is_called(&d, name, n))
			continue;
		*out = d;
		return true;
	}
	return false;
}

/* The first of the claims "KEY=" (or the word alone) among those that are about
 * a framework or about CUDA. */
static const char *claim(const struct eb_document *d, const char *list,
			 bool framework, int *len)
{
	int n;
	const char *p = eb_document_value(d, list, &n), *end = p + (p ? n : 0);

	*len = 0;
	/* the text of a definition may have such a line, too */
	if (!p || *p != '[')
		return NULL;
	for (p++; p < end; p += strcspn(p, ",]") + 1) {
		bool other;

		p += strspn(p, " \"");
		*len = (int)strcspn(p, "\",]");
		other = eb_starts(p, "os=") || eb_starts(p, "python=") ||
			eb_starts(p, "openmpi=") || eb_starts(p, "cudnn=");
		if (!other &&
		    framework != (eb_starts(p, "cuda=") ||
				  eb_starts(p, "gpu") || eb_starts(p, "cpu")))
			return p;
	}
	*len = 0;
	return NULL;
}

static const char *first_claim(const struct eb_document *d, bool framework,
			       int *len)
{
	const char *p = claim(d, "  name: ", framework, len);

	return p ? p : claim(d, "  tags: ", framework, len);
}

int eb_curated_each(eb_curated_fn *fn, void *data, struct eb_error *err)
{
	struct eb_document d = { 0 };
	int rc = 0;

	while (!rc && eb_document_next(&d)) {
		struct eb_curated_head h = { 0 };
		int len = 0;
		const char *complete =
			eb_document_value(&d, "complete: ", &len);

		h.complete = complete && len == 3;
		h.name = eb_document_value(&d, "name: ", &h.name_len);
		h.version = eb_document_value(&d, "version: ", &h.version_len);
		h.status = eb_document_value(&d, "status: ", &h.status_len);
		h.framework = first_claim(&d, true, &h.framework_len);
		h.cuda = first_claim(&d, false, &h.cuda_len);
		rc = fn(data, &h, err);
	}
	return rc < 0 ? -1 : 0;
}
