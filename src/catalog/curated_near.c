/* SPDX-License-Identifier: Apache-2.0 */
/* What is near to a name that is not there, or not complete. */
#include <string.h>

#include <envbuild/buf.h>

#include "contents.h"
#include "curated.h"
#include "curated_near.h"

/* --- by name --- */

/* As one reads it: case, separators and AzureML- make no difference. */
static size_t squash(const char *name, char *out)
{
	size_t n = 0;

	if (strncasecmp(name, "azureml-", 8) == 0)
		name += 8;
	for (; *name && n < EB_EDIT_MAX; name++)
		out[n++] = *name == '_'			  ? '-'
			   : *name >= 'A' && *name <= 'Z' ? (char)(*name + 32)
							  : *name;
	out[n] = 0;
	return n;
}

/* 0 is the nearest; EB_NOT_NEAR is none. */
unsigned eb_name_distance(const char *a, const char *b)
{
	char x[EB_EDIT_MAX + 1], y[EB_EDIT_MAX + 1];
	size_t n = squash(a, x), m = squash(b, y);
	size_t limit = n < 5 ? 1 : n < 12 ? 2 : 3;
	unsigned d;

	if (n > 3 && m > n && !strncmp(x, y, n) && y[n] == '-')
		return (unsigned)limit;
	if ((n > m ? n - m : m - n) > limit)
		return EB_NOT_NEAR;
	d = eb_edit_distance(x, n, y, m);
	return d <= limit ? d : EB_NOT_NEAR;
}

void eb_near_add(struct eb_near *near, const char *name, const char *than)
{
	unsigned d = eb_name_distance(than, name);
	size_t i;

	if (d == EB_NOT_NEAR)
		return;
	for (i = 0; i < near->n && near->distance[i] <= d; i++)
		if (!strcmp(near->name[i], name))
			return;
	if (i == EB_NEAR)
		return;
	if (near->n == EB_NEAR)
		free(near->name[--near->n]);
	memmove(near->name + i + 1, near->name + i,
		(near->n - i) * sizeof *near->name);
	memmove(near->distance + i + 1, near->distance + i,
		(near->n - i) * sizeof *near->distance);
	near->name[i] = eb_strdup(name);
	near->distance[i] = d;
	near->n++;
}

void eb_near_curated(struct eb_near *near, const char *than)
{
	struct eb_document d = { 0 };
	int len;

	while (eb_document_next(&d)) {
		const char *name = eb_document_value(&d, "name: ", &len);
		eb_autofree char *copy = eb_strndup(name, (size_t)len);

		eb_near_add(near, copy, than);
	}
}

void eb_near_release(struct eb_near *near)
{
	for (size_t i = 0; i < near->n; i++)
		free(near->name[i]);
	near->n = 0;
}

int eb_near_error(const struct eb_near *near, const char *name,
		  struct eb_error *err)
{
	EB_AUTOBUF(list, EB_MAX_TEXT);

	eb_err_set(err, EB_INPUT, "no environment is named \"%s\"", name);
	for (size_t i = 0; i < near->n; i++)
		eb_buf_addf(&list, "%s\"%s\"",
			    !i		      ? ""
			    : i + 1 < near->n ? ", "
					      : " or ",
			    near->name[i]);
	if (near->n)
		return eb_err_hint(err, "did you mean %s?", list.data);
	return eb_err_hint(err,
			   "`envbuild list --all` tells the names; a file is "
			   "meant by its path (./%s)",
			   name);
}

/* --- by what is in it --- */

struct seek {
	char *framework;
	const char *version;
	bool gpu;
	char best[EB_NAME_LENGTH + 1];
	double distance;
};

/* Versions as a number, so that 1.9 lies between 1.6 and 1.13. */
static double as_number(const char *version)
{
	unsigned major = 0, minor = 0;
	char *end;

	major = (unsigned)strtoul(version, &end, 10);
	if (*end == '.')
		minor = (unsigned)strtoul(end + 1, NULL, 10);
	return major * 100.0 + minor;
}

static bool is_for_gpu(const char *claims, int len)
{
	return claims && (memmem(claims, (size_t)len, "gpu", 3) ||
			  memmem(claims, (size_t)len, "cuda", 4));
}

static void weigh(struct seek *s, const struct eb_document *d)
{
	int len, claims_len = 0;
	size_t n = strlen(s->framework);
	const char *claims = eb_document_value(d, "  name: ", &claims_len);
	const char *found =
		claims ? memmem(claims, (size_t)claims_len, s->framework, n)
		       : NULL;
	double distance;

	if (!found || found[n] != '=')
		return;
	distance = as_number(found + n + 1) - as_number(s->version);
	if (distance < 0)
		distance = -distance;
	if (is_for_gpu(claims, claims_len) != s->gpu)
		distance += 1000;
	if (*s->best && distance >= s->distance)
		return;
	s->distance = distance;
	found = eb_document_value(d, "name: ", &len);
	memcpy(s->best, found, (size_t)len);
	s->best[len] = 0;
}

static bool is_complete(const struct eb_document *d)
{
	int len;
	const char *value = eb_document_value(d, "complete: ", &len);

	return value && len == 3;
}

char *eb_nearest_complete(const struct eb_named *e)
{
	const char *claim = e->claims_name.n   ? e->claims_name.v[0]
			    : e->claims_tags.n ? e->claims_tags.v[0]
					       : "";
	eb_autofree char *framework = eb_strndup(claim, strcspn(claim, "="));
	struct seek s = { .framework = framework };
	struct eb_document d = { 0 };

	s.version = strchr(claim, '=') ? strchr(claim, '=') + 1 : "";
	for (size_t i = 0; i < e->claims_name.n; i++)
		s.gpu |= is_for_gpu(e->claims_name.v[i],
				    (int)strlen(e->claims_name.v[i]));
	while (*s.framework && eb_document_next(&d))
		if (is_complete(&d))
			weigh(&s, &d);
	return *s.best ? eb_strdup(s.best) : NULL;
}

static void add_known(const struct eb_named *e, struct eb_buf *out)
{
	const char *base = eb_named_option(e, "base");
	const char *sep = "";

	if (base) {
		eb_buf_addf(out, "base %s%s", base,
			    e->base_moves ? " (newest tag)" : "");
		sep = ", ";
	}
	if (e->python) {
		eb_buf_addf(out, "%sPython %s", sep, e->python);
		sep = ", ";
	}
	for (size_t i = 0; i < e->known.n && i < 8; i++, sep = ", ")
		eb_buf_addf(out, "%s%s", sep, e->known.v[i]);
	if (e->known.n > 8)
		eb_buf_addf(out, " and %zu more", e->known.n - 8);
}

int eb_curated_incomplete(const struct eb_named *e, struct eb_error *err)
{
	EB_AUTOBUF(known, EB_MAX_TEXT);
	eb_autofree char *near = eb_nearest_complete(e);
	eb_autofree char *hint = NULL;

	add_known(e, &known);
	eb_err_set(err, EB_INPUT,
		   "the definition of \"%s\" is not public; %s%s", e->name,
		   known.len ? "known of it: " : "nothing of it is known",
		   known.len ? known.data : "");
	hint = near ? eb_asprintf("\"%s\" is the nearest that is complete; ",
				  near)
		    : eb_strdup("");
	return eb_err_hint(err, "%s`envbuild show %s` tells all that is known",
			   hint, e->name);
}
