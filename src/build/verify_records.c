/* SPDX-License-Identifier: Apache-2.0 */
/* What the RECORD of every dist-info in site-packages claims, and who that
 * is. Wants the claims of conda's packages sorted. */
#include <ctype.h>
#include <errno.h>
#include <string.h>

#include <envbuild/file.h>

#include "verify_claims.h"

#define CHECK "record"
#define SHA256 "sha256="

struct reader {
	struct eb_claims *c;
	const char *site; /* lib/python3.11/site-packages */
	const char *file; /* the RECORD */
	bool weak;
};

/* 43 digits of base64 for URLs, perhaps padded. */
static int parse_sum(const char *text, struct eb_digest *out)
{
	static const char digits[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
		"0123456789-_";
	unsigned bits = 0, have = 0;
	size_t n = 0;

	for (; *text && *text != '='; text++) {
		const char *digit = strchr(digits, *text);

		if (!digit || (n == sizeof out->byte && have >= 6))
			return -1;
		bits = (bits << 6 | (unsigned)(digit - digits)) & 0xffff;
		have += 6;
		if (have < 8)
			continue;
		have -= 8;
		if (n == sizeof out->byte)
			return -1;
		out->byte[n++] = (uint8_t)(bits >> have);
	}
	return n == sizeof out->byte ? 0 : -1;
}

static int add_row(void *data, const char *path, const char *hash,
		   const char *size, struct eb_error *err)
{
	struct reader *r = data;
	char *inside = eb_installed_path(r->c->what->prefix, r->site, path);
	struct eb_claim *one;

	(void)err;
	if (!inside) {
		eb_finding_note(r->c->out, CHECK, r->file,
				"lists \"%s\", which leads out of the prefix",
				path);
		return 0;
	}
	one = eb_claim_add(r->c, inside);
	one->weak = r->weak;
	one->has_size =
		*size && eb_parse_u64(size, UINT64_MAX, &one->size) == 0;
	if (!eb_starts(hash, SHA256))
		return 0;
	one->has_sha256 = parse_sum(hash + strlen(SHA256), &one->sha256) == 0;
	if (!one->has_sha256)
		eb_finding_add(r->c->out, CHECK, r->file,
			       "has \"%s\" for \"%s\", which is no sha256",
			       hash, path);
	return 0;
}

static int read_project(struct eb_claims *c, const char *path,
			struct eb_error *err)
{
	struct eb_verified *what = c->what;
	EB_AUTOBUF(text, EB_MAX_PATHLIST);
	struct eb_installed *p;

	if (eb_claims_read(c, path, &text, err) < 0)
		return -1;
	EB_GROW(what->project, what->n, what->alloc);
	p = &what->project[what->n];
	if (eb_installed_parse(text.data, text.len, path, p, err) < 0)
		return -1;
	what->n++;
	c->out->projects++;
	eb_strv_addf(&c->owner, "%s %s (RECORD)", p->name, p->version);
	return 0;
}

static int read_record(struct eb_claims *c, const char *site,
		       const char *folder, bool of_conda, struct eb_error *err)
{
	eb_autofree char *path = eb_path_join(folder, "RECORD");
	struct reader r = { c, site, path, of_conda };
	struct eb_error why EB_CLEANUP(eb_err_release) = EB_ERROR_INIT;
	EB_AUTOBUF(text, EB_MAX_PATHLIST);

	if (eb_claims_read(c, path, &text, &why) == 0)
		return eb_installed_rows(text.data, text.len, path, add_row, &r,
					 err);
	if (!of_conda)
		eb_finding_add(c->out, CHECK, path, "cannot be read: %s",
			       why.message);
	return 0;
}

/* What conda installed has its METADATA in conda-meta. */
static void read_folder(struct eb_claims *c, const struct eb_claims *conda,
			const char *site, const char *name)
{
	struct eb_error why EB_CLEANUP(eb_err_release) = EB_ERROR_INIT;
	eb_autofree char *folder = eb_path_join(site, name);
	eb_autofree char *metadata = eb_path_join(folder, "METADATA");
	bool of_conda = eb_claims_have(conda, metadata);

	if (read_project(c, metadata, &why) < 0 ||
	    read_record(c, site, folder, of_conda, &why) < 0)
		eb_finding_add(c->out, CHECK, folder, "cannot be read: %s",
			       why.message);
}

/* The older form, a folder with PKG-INFO or that file alone: without a list of
 * files, but the project is there. */
static int read_eggs(struct eb_claims *c, const char *site,
		     struct eb_error *err)
{
	struct eb_strv name EB_CLEANUP(eb_strv_release) = { 0 };

	if (eb_claims_list(c, site, ".egg-info", &name, err) < 0)
		return -1;
	for (size_t i = 0; i < name.n; i++) {
		struct eb_error why EB_CLEANUP(eb_err_release) = EB_ERROR_INIT;
		eb_autofree char *egg = eb_path_join(site, name.v[i]);
		eb_autofree char *info = eb_path_join(egg, "PKG-INFO");

		if (read_project(c, info, &why) == 0)
			continue;
		eb_err_release(&why);
		if (read_project(c, egg, &why) < 0)
			eb_finding_note(c->out, CHECK, egg,
					"cannot be read: %s", why.message);
	}
	return 0;
}

/* A folder python3.11; a link python3.1 to it, as some have, is none. */
int eb_claims_sites(struct eb_claims *c, struct eb_error *err)
{
	struct eb_strv name EB_CLEANUP(eb_strv_release) = { 0 };

	if (eb_claims_list(c, "lib", NULL, &name, err) < 0)
		return -1;
	for (size_t i = 0; i < name.n; i++) {
		struct eb_strv inside EB_CLEANUP(eb_strv_release) = { 0 };
		eb_autofree char *lib = eb_path_join("lib", name.v[i]);

		if (!eb_starts(name.v[i], "python") ||
		    !isdigit((unsigned char)name.v[i][strlen("python")]))
			continue;
		if (eb_claims_list(c, lib, "site-packages", &inside, err) < 0)
			return -1;
		if (eb_strv_has(&inside, "site-packages"))
			eb_strv_addf(&c->what->site_packages,
				     "%s/site-packages", lib);
	}
	return 0;
}

static int read_site(struct eb_claims *c, const struct eb_claims *conda,
		     const char *site, struct eb_error *err)
{
	struct eb_strv name EB_CLEANUP(eb_strv_release) = { 0 };

	if (eb_claims_list(c, site, ".dist-info", &name, err) < 0)
		return -1;
	for (size_t i = 0; i < name.n; i++)
		read_folder(c, conda, site, name.v[i]);
	return read_eggs(c, site, err);
}

int eb_verify_records(struct eb_claims *c, struct eb_error *err)
{
	const struct eb_strv *site = &c->what->site_packages;
	/* The claims so far, whatever the array becomes. */
	eb_autofree struct eb_claim *copy =
		eb_memdup(c->v, c->n * sizeof *c->v);
	const struct eb_claims conda = { .v = copy, .n = c->n };

	if (eb_claims_sites(c, err) < 0)
		return -1;
	for (size_t i = 0; i < site->n; i++)
		if (read_site(c, &conda, site->v[i], err) < 0)
			return -1;
	return 0;
}
