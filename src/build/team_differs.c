/* SPDX-License-Identifier: Apache-2.0 */
/* What differs between two environments, in lines for people. */
#include <string.h>

#include "team_nearest.h"

/* --- packages of two locks -------------------------------------------- */
static void changed(const struct eb_locked_item *was,
		    const struct eb_locked_item *is, struct eb_strv *out)
{
	if (eb_digest_equal(&was->id, &is->id))
		return;
	if (strcmp(was->version, is->version))
		eb_strv_addf(out, "%s %s -> %s", is->name, was->version,
			     is->version);
	else if (strcmp(was->build, is->build))
		eb_strv_addf(out, "%s %s %s -> %s", is->name, is->version,
			     was->build, is->build);
	else
		eb_strv_addf(out, "%s %s: another file of this name", is->name,
			     is->version);
}

static int order(const struct eb_locked_item *a, const struct eb_locked_item *b)
{
	int d = strcmp(a->name, b->name);

	return d ? d : (int)a->python_side - (int)b->python_side;
}

static void packages(const struct eb_lock *nearest, const struct eb_lock *ours,
		     struct eb_strv *out)
{
	size_t i = 0, j = 0, n, m;
	eb_autofree struct eb_locked_item *before = eb_lock_items(nearest, &n);
	eb_autofree struct eb_locked_item *after = eb_lock_items(ours, &m);

	while (i < n || j < m) {
		const struct eb_locked_item *was = &before[i], *is = &after[j];
		int d = i == n ? 1 : j == m ? -1 : order(was, is);

		if (d < 0)
			eb_strv_addf(out, "-%s %s", was->name, was->version);
		else if (d > 0)
			eb_strv_addf(out, "+%s %s", is->name, is->version);
		else
			changed(was, is, out);
		i += d <= 0;
		j += d >= 0;
	}
}

/* --- settings --------------------------------------------------------- */
static void setting(const char *name, const char *was, const char *is,
		    struct eb_strv *out)
{
	if (strcmp(was ? was : "", is ? is : ""))
		eb_strv_addf(out, "%s %s -> %s", name, was ? was : "none",
			     is ? is : "none");
}

#define SHORT_DIGEST (sizeof "sha256:" - 1 + 12)

static void base_text(const struct eb_lock *lock, char text[EB_DIGEST_TEXT])
{
	if (lock->base_scratch)
		strcpy(text, "scratch");
	else
		eb_digest_text(&lock->base, text);
	text[SHORT_DIGEST] = '\0';
}

static const char *build_base_text(const struct eb_lock *lock,
				   char text[EB_DIGEST_TEXT])
{
	if (!lock->has_build_base)
		return NULL;
	eb_digest_text(&lock->build_base, text);
	text[SHORT_DIGEST] = '\0';
	return text;
}

static void settings(const struct eb_lock *nearest, const struct eb_lock *ours,
		     struct eb_strv *out)
{
	char was[EB_DIGEST_TEXT] = "", is[EB_DIGEST_TEXT] = "";

	base_text(nearest, was);
	base_text(ours, is);
	setting("base", was, is, out);
	setting("build-base", build_base_text(nearest, was),
		build_base_text(ours, is), out);
	setting("platform", nearest->platform, ours->platform, out);
	setting("prefix", nearest->prefix, ours->prefix, out);
	setting("pyc", nearest->pyc, ours->pyc, out);
	setting("post-link", nearest->post_link, ours->post_link, out);
	setting("activation", nearest->activation, ours->activation, out);
	setting("naming", nearest->naming, ours->naming, out);
	if (nearest->source_date_epoch != ours->source_date_epoch)
		eb_strv_addf(out, "SOURCE_DATE_EPOCH %lld -> %lld",
			     (long long)nearest->source_date_epoch,
			     (long long)ours->source_date_epoch);
	if (nearest->epoch != ours->epoch)
		eb_strv_addf(out, "format of what is built %u -> %u",
			     nearest->epoch, ours->epoch);
	if (!json_equal(nearest->variables, ours->variables))
		eb_strv_add(out, "variables");
}

void eb_locks_differ(const struct eb_lock *nearest, const struct eb_lock *ours,
		     struct eb_strv *out)
{
	struct eb_digest a, b;

	packages(nearest, ours, out);
	settings(nearest, ours, out);
	eb_lock_hash(nearest, &a);
	eb_lock_hash(ours, &b);
	if (!out->n && !eb_digest_equal(&a, &b))
		eb_strv_add(out, "fields of records, or the image's settings");
}

/* --- what is asked for, against a lock -------------------------------- */
static bool matches(const struct eb_matchspec *m, const struct eb_record *r)
{
	struct eb_error why EB_CLEANUP(eb_err_release) = EB_ERROR_INIT;
	EB_CLEANUP(eb_version_free_ptr)
	struct eb_version *version = eb_version_parse(r->version, &why);

	return version && eb_matchspec_match(m, r, version);
}

static bool asked_for(const struct eb_spec *spec, const char *name)
{
	for (size_t i = 0; i < spec->n_conda; i++) {
		const char *is = eb_matchspec_name(spec->conda[i]);

		if (is && !strcmp(is, name))
			return true;
	}
	return false;
}

static void one_spec(const struct eb_lock *nearest,
		     const struct eb_matchspec *m, struct eb_strv *out)
{
	const char *name = eb_matchspec_name(m);
	const struct eb_locked_package *p =
		name ? eb_lock_find(nearest, name) : NULL;

	if (!p)
		eb_strv_addf(out, "+%s", eb_matchspec_text(m));
	else if (!matches(m, &p->record))
		eb_strv_addf(out, "%s %s -> %s", name, p->record.version,
			     eb_matchspec_text(m));
}

void eb_spec_differs(const struct eb_lock *nearest, const struct eb_spec *ours,
		     struct eb_strv *out)
{
	for (size_t i = 0; i < ours->n_conda; i++)
		one_spec(nearest, ours->conda[i], out);
	for (size_t i = 0; i < nearest->n; i++) {
		const struct eb_locked_package *p = &nearest->package[i];

		if (p->requested && !asked_for(ours, p->record.name))
			eb_strv_addf(out, "-%s %s", p->record.name,
				     p->record.version);
	}
}
