/* SPDX-License-Identifier: Apache-2.0 */
/* Why pip gave no answer: its own words, of one kind of failure. */
#include <string.h>

#include "own_pip.h"

#define WORDS 2000 /* bytes of it that are shown */

static const char *const versions[] = {
	"ResolutionImpossible",
	"conflicting dependencies",
	"No matching distribution found",
	"Could not find a version that satisfies",
	"requires a different Python",
	NULL,
};

static const char *const network[] = {
	"Max retries exceeded",
	"ConnectionError",
	"NewConnectionError",
	"Connection broken",
	"ReadTimeoutError",
	"HTTP error",
	"Could not fetch URL",
	"ProxyError",
	"SSLError",
	"Temporary failure in name resolution",
	NULL,
};

static const char *const builds[] = {
	"metadata-generation-failed",
	"subprocess-exited-with-error",
	"Getting requirements to build wheel",
	NULL,
};

static bool says(const char *said, const char *const *words)
{
	for (; *words; words++)
		if (strstr(said, *words))
			return true;
	return false;
}

bool eb_own_pip_unsolved(const char *said)
{
	return says(said, versions) && !says(said, builds);
}

static enum eb_code code_of(const char *said)
{
	if (says(said, builds))
		return EB_STEP;
	/* "no matching distribution" is what it says without a network, too */
	if (says(said, network))
		return EB_NETWORK;
	return says(said, versions) ? EB_NO : EB_STEP;
}

/* The lines that begin with "ERROR:", without that; else the last one. */
static char *words_of(const char *said)
{
	struct eb_strv line EB_CLEANUP(eb_strv_release) = { 0 };
	EB_AUTOBUF(out, WORDS);
	const char *last = "it said nothing";

	eb_strv_split(&line, said, "\n");
	for (size_t i = 0; i < line.n && !out.overflow; i++) {
		char *text = eb_strip(line.v[i]);

		if (*text)
			last = text;
		if (eb_starts(text, "ERROR: "))
			eb_buf_addf(&out, "%s%s", out.len ? "; " : "",
				    text + strlen("ERROR: "));
	}
	return out.len ? eb_buf_steal(&out, NULL) : eb_strdup(last);
}

/* The first line whose project it names. */
static const struct eb_pip_line *named(const struct eb_resolving *z,
				       const char *words)
{
	const struct eb_pip_set *set = z->r->set;

	for (size_t i = 0; i < set->n; i++)
		if (set->requirement[i].name &&
		    strstr(words, set->requirement[i].name))
			return &set->requirement[i];
	return NULL;
}

int eb_own_pip_explain(const struct eb_resolving *z, const char *said,
		       struct eb_error *err)
{
	eb_autofree char *masked = eb_indexes_mask(z->r->indexes, said);
	eb_autofree char *words = words_of(masked);
	eb_autofree char *plain = eb_printable(words);
	const struct eb_pip_line *l = z->what ? NULL : named(z, words);

	eb_err_set(err, code_of(said), "pip %s, resolving%s%s%s: %s",
		   z->version, z->what ? " for \"" : "", z->what ? z->what : "",
		   z->what ? "\"" : "", plain);
	eb_err_hint(err, "uv explains more: `make deps` installs one");
	return l ? eb_err_at(err, l->file, l->line, l->column) : -1;
}
