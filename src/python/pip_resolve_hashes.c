/* SPDX-License-Identifier: Apache-2.0 */
/* Hashes that lines ask for: by --hash, on their constraint, or behind `#` of
 * a URL. */
#include "pip_resolve_int.h"

#include <string.h>

/* "#sha256=<hex>", also among others. */
static void add_fragment(const char *text, struct eb_strv *out)
{
	static const char *const kinds[] = { "sha256", "sha384", "sha512" };
	const char *p = strchr(text, '#');

	for (; p; p = strchr(p, '&')) {
		p++;
		for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
			size_t n = strlen(kinds[i]);
			eb_autofree char *hash = NULL;

			if (strncmp(p, kinds[i], n) || p[n] != '=')
				continue;
			hash = eb_asprintf(
				"%s:%.*s", kinds[i],
				(int)strspn(p + n + 1,
					    "0123456789abcdefABCDEF"),
				p + n + 1);
			eb_lower(hash);
			eb_strv_add(out, hash);
		}
	}
}

/* Two demands hold both; where nothing meets both, nothing does. */
static void narrow(struct eb_strv *to, const struct eb_strv *more)
{
	struct eb_strv both EB_CLEANUP(eb_strv_release) = { 0 };

	if (!more->n)
		return;
	for (size_t i = 0; i < more->n; i++)
		if (!to->n || eb_strv_has(to, more->v[i]))
			eb_strv_add(&both, more->v[i]);
	if (!both.n)
		eb_strv_add(&both, "sha256:");
	eb_strv_release(to);
	*to = both;
	both = (struct eb_strv){ 0 };
}

static void add_lines(const struct eb_resolving *z,
		      const struct eb_pip_line *lines, size_t n,
		      const char *name, struct eb_strv *out)
{
	for (size_t i = 0; i < n; i++) {
		const struct eb_pip_line *l = &lines[i];
		struct eb_strv all EB_CLEANUP(eb_strv_release) = { 0 };

		if (!l->name || strcmp(l->name, name) ||
		    !eb_resolve_line_holds(z, l))
			continue;
		eb_strv_copy(&all, &l->hash);
		add_fragment(l->text, &all);
		narrow(out, &all);
	}
}

const struct eb_strv *eb_resolve_hashes_of(void *data, const char *name)
{
	struct eb_resolving *z = data;
	const struct eb_pip_set *set = z->r->set;

	eb_strv_release(&z->wanted);
	if (z->what)
		return NULL;
	add_lines(z, set->requirement, set->n, name, &z->wanted);
	add_lines(z, set->constraint, set->n_constraints, name, &z->wanted);
	return &z->wanted;
}

static int refuse(const struct eb_resolving *z, const struct eb_pin *pin,
		  const char *why, struct eb_error *err)
{
	const struct eb_pip_line *l = eb_resolve_line_of(z, pin->name);

	eb_err_set(err, EB_NO, "\"%s\" %s: %s", pin->name,
		   pin->version ? pin->version : "", why);
	return l ? eb_err_at(err, l->file, l->line, l->column) : -1;
}

/* Which file it is was chosen by its sha256, where one is asked for. */
static void wait_for_bytes(struct eb_pin *pin, const struct eb_strv *wanted)
{
	char text[EB_DIGEST_TEXT];

	if (pin->source > EB_PIN_SDIST || !wanted || !wanted->n ||
	    eb_strv_has(wanted, eb_digest_text(&pin->sha256, text)))
		return;
	for (size_t i = 0; i < pin->hash.n; i++)
		if (eb_strv_has(wanted, pin->hash.v[i]))
			return;
	eb_strv_release(&pin->hash);
	for (size_t i = 0; i < wanted->n; i++)
		eb_strv_add(&pin->hash, wanted->v[i]);
}

int eb_resolve_check_hashes(struct eb_resolving *z, struct eb_pin *pin,
			    struct eb_error *err)
{
	const struct eb_strv *wanted = eb_resolve_hashes_of(z, pin->name);

	wait_for_bytes(pin, wanted);
	if (!z->r->indexes->require_hashes || z->what)
		return 0;
	if (!eb_resolve_line_of(z, pin->name))
		return refuse(z, pin,
			      "no line names it, and with hashes every project "
			      "has to be named with a version and a hash",
			      err);
	if (pin->source == EB_PIN_VCS || pin->source == EB_PIN_DIR)
		return refuse(z, pin, "a repository or folder has no hash",
			      err);
	if (!wanted || !wanted->n)
		return refuse(z, pin, "its line has no hash", err);
	return 0;
}
