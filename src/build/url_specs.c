/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Package files among the lines of a definition: fetched when it is resolved,
 * for nobody else says what they need. The solver gets the record of each, and
 * a line that nothing but that file satisfies; what it depends on comes from
 * the channels.
 */
#include <string.h>

#include <envbuild/channel.h>

#include "package_record.h"
#include "url_specs.h"

void eb_url_specs_free(struct eb_url_specs *u)
{
	if (!u)
		return;
	for (size_t i = 0; i < u->n; i++) {
		eb_matchspec_free(u->spec[i]);
		eb_record_release(&u->record[i]);
	}
	for (size_t i = 0; i < u->n_depends; i++)
		eb_matchspec_free(u->depends[i]);
	free(u->spec);
	free(u->record);
	free(u->depends);
	free(u);
}

static bool any(const struct eb_spec *spec)
{
	for (size_t i = 0; i < spec->n_conda; i++)
		if (eb_matchspec_url(spec->conda[i]))
			return true;
	return false;
}

/* CHANNEL::NAME of these very bytes. */
static struct eb_matchspec *only(const struct eb_record *r,
				 struct eb_error *err)
{
	char hex[EB_HEX_SIZE];
	eb_autofree char *text = eb_asprintf(
		"%s::%s[version='==%s',build='%s',sha256='%s']", r->channel,
		r->name, r->version, r->build, eb_digest_hex(&r->sha256, hex));

	return eb_matchspec_parse(text, EB_STRICT, err);
}

static void add_depends(struct eb_url_specs *u, const struct eb_record *r)
{
	for (size_t i = 0; i < r->depends.n; i++) {
		struct eb_error no EB_CLEANUP(eb_err_release) = EB_ERROR_INIT;
		struct eb_matchspec *m =
			eb_matchspec_parse(r->depends.v[i], EB_LENIENT, &no);

		if (!m)
			continue; /* the solver says what is wrong with it */
		EB_GROW(u->depends, u->n_depends, u->alloc_depends);
		u->depends[u->n_depends++] = m;
	}
}

/* The hash of the line, and whatever else it may say. */
static int check(const struct eb_matchspec *m, const struct eb_record *r,
		 struct eb_error *err)
{
	struct eb_version *version = eb_version_parse(r->version, err);
	bool fits = version && eb_matchspec_match(m, r, version);
	char hex[EB_HEX_SIZE];

	eb_version_free(version);
	if (!version || fits)
		return version ? 0 : -1;
	return eb_err_set(err, EB_INTEGRITY,
			  "package \"%s\" is not what the line says: it has "
			  "sha256 %s, MD5 %s",
			  r->fn, eb_digest_hex(&r->sha256, hex), r->md5);
}

static int read_one(struct eb_resolver *r, const struct eb_matchspec *m,
		    size_t i, struct eb_error *err)
{
	struct eb_record place EB_CLEANUP(eb_record_release) = { 0 };
	eb_autofree char *channel = NULL;
	struct eb_record *out = &r->urls->record[i];

	if (eb_record_of_place(eb_matchspec_url(m), &place, &channel, err) <
		    0 ||
	    eb_exact_fits(&place, r->config->platform, err) < 0 ||
	    eb_policy_channel(r->config, place.channel, err) < 0 ||
	    eb_package_record(r, &place, out, err) < 0)
		return -1;
	if (eb_exact_fits(out, r->config->platform, err) < 0 ||
	    check(m, out, err) < 0)
		return -1;
	r->urls->spec[i] = only(out, err);
	add_depends(r->urls, out);
	return r->urls->spec[i] ? 0 : -1;
}

int eb_url_specs_read(struct eb_resolver *r, struct eb_error *err)
{
	const struct eb_spec *spec = r->env->spec;

	if (r->urls || !any(spec))
		return 0;
	r->urls = eb_calloc(1, sizeof *r->urls);
	r->urls->n = spec->n_conda;
	r->urls->spec = eb_calloc(spec->n_conda, sizeof *r->urls->spec);
	r->urls->record = eb_calloc(spec->n_conda, sizeof *r->urls->record);
	for (size_t i = 0; i < spec->n_conda; i++) {
		const struct eb_spec_line *at = &spec->conda_at[i];

		if (!eb_matchspec_url(spec->conda[i]) ||
		    read_one(r, spec->conda[i], i, err) == 0)
			continue;
		eb_url_specs_free(r->urls);
		r->urls = NULL;
		return eb_err_at(err, eb_spec_place(spec, at), at->line,
				 at->column);
	}
	return 0;
}

static bool has(const struct eb_repodata *rd, const struct eb_record *r)
{
	const uint32_t *row;
	size_t n = eb_repodata_by_name(rd, r->name, &row);

	for (size_t i = 0; i < n; i++) {
		const struct eb_record *there =
			eb_repodata_record(rd, row[i], NULL);

		if (!strcmp(there->fn, r->fn) && there->channel &&
		    !strcmp(there->channel, r->channel) && there->has_sha256 &&
		    eb_digest_equal(&there->sha256, &r->sha256))
			return true;
	}
	return false;
}

void eb_url_specs_add(const struct eb_resolver *r, struct eb_repodata *rd)
{
	unsigned behind = (unsigned)r->env->request.channels.n;

	for (size_t i = 0; r->urls && i < r->urls->n; i++)
		if (r->urls->spec[i] && !has(rd, &r->urls->record[i]))
			eb_repodata_add(rd, &r->urls->record[i], behind);
}
