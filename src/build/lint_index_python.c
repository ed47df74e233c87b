/* SPDX-License-Identifier: Apache-2.0 */
/* Which Pythons a definition can mean: those of the channels that its lines
 * allow, else the one that a line names; and what is for one of them. */
#include <string.h>

#include "lint_index.h"

static bool is_python(const struct eb_matchspec *m)
{
	const char *name = eb_matchspec_name(m);

	return name && !strcmp(name, "python");
}

/* Do all lines that ask for it take the record? */
static bool is_allowed(const struct eb_looking *k, const struct eb_record *r)
{
	struct eb_error ignored EB_CLEANUP(eb_err_release) = EB_ERROR_INIT;
	EB_CLEANUP(eb_version_free_ptr)
	struct eb_version *v = eb_version_parse(r->version, &ignored);

	for (size_t i = 0; v && i < k->spec->n_conda; i++)
		if (is_python(k->spec->conda[i]) &&
		    !eb_matchspec_match(k->spec->conda[i], r, v))
			return false;
	return v != NULL;
}

/* Newest first; none where a channel that does not answer may have others. */
static void from_channels(struct eb_looking *k, const struct eb_matchspec *m)
{
	size_t n, kept = 0;
	eb_autofree uint32_t *row = eb_look_rows(k, m, &n);
	struct eb_strv all EB_CLEANUP(eb_strv_release) = { 0 };

	if (eb_look_is_open(k, m, row, n))
		return;
	for (size_t i = 0; i < n; i++)
		if (is_allowed(k, eb_repodata_record(k->rd, row[i], NULL)))
			row[kept++] = row[i];
	eb_look_versions(k, row, kept, &all);
	for (size_t i = all.n; i-- > 0;)
		eb_strv_add(&k->python, all.v[i]);
}

/* "3.7.*": the first and the last that there may be of it; "3.7.2": that. */
static void from_line(struct eb_looking *k, const struct eb_matchspec *m)
{
	const char *text = eb_matchspec_version(m);
	size_t n, dots = 0;

	if (!text)
		return;
	text += strspn(text, "=");
	n = strspn(text, "0123456789.");
	while (n && text[n - 1] == '.')
		n--;
	for (size_t i = 0; i < n; i++)
		dots += text[i] == '.';
	if (!dots || (text[n] && strcmp(text + n, ".*")))
		return;
	if (dots == 1)
		eb_strv_addf(&k->python, "%.*s.99", (int)n, text);
	eb_strv_addf(&k->python, "%.*s%s", (int)n, text, dots == 1 ? ".0" : "");
}

void eb_look_python(struct eb_looking *k)
{
	for (size_t i = 0; i < k->spec->n_conda; i++) {
		const struct eb_matchspec *m = k->spec->conda[i];

		if (!is_python(m))
			continue;
		if (k->rd)
			from_channels(k, m);
		if (!k->python.n)
			from_line(k, m);
		return;
	}
}

/* ---- builds ---------------------------------------------------------------*/

static bool allows_one(const struct eb_looking *k, const char *constraint)
{
	struct eb_error ignored EB_CLEANUP(eb_err_release) = EB_ERROR_INIT;
	EB_CLEANUP(eb_verspec_free_ptr)
	struct eb_verspec *want =
		eb_verspec_parse(constraint, EB_LENIENT, &ignored);

	for (size_t i = 0; want && i < k->python.n; i++) {
		EB_CLEANUP(eb_version_free_ptr)
		struct eb_version *v =
			eb_version_parse(k->python.v[i], &ignored);

		if (v && eb_verspec_match(want, v))
			return true;
	}
	return !want; /* what cannot be read forbids nothing */
}

/* "python_abi 3.11.* *_cp311": it is the Python's own minor. */
static bool is_abi(const struct eb_matchspec *m)
{
	const char *name = eb_matchspec_name(m);
	const char *version = eb_matchspec_version(m);

	return name && version && !strcmp(name, "python_abi") &&
	       eb_ends(version, ".*");
}

bool eb_look_suits(const struct eb_looking *k, const struct eb_record *r)
{
	for (size_t i = 0; i < r->depends.n; i++) {
		struct eb_error ignored EB_CLEANUP(eb_err_release) =
			EB_ERROR_INIT;
		EB_CLEANUP(eb_matchspec_free_ptr) struct eb_matchspec *m = NULL;

		if (!eb_starts(r->depends.v[i], "python"))
			continue;
		m = eb_matchspec_parse(r->depends.v[i], EB_LENIENT, &ignored);
		if (m && (is_python(m) || is_abi(m)) &&
		    eb_matchspec_version(m) &&
		    !allows_one(k, eb_matchspec_version(m)))
			return false;
	}
	return true;
}
