/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the attempts of one solve have in common: texts that were parsed. Those
 * of dependencies are interned by the repodata, so that an address stands for a
 * text.
 */
#include <stdint.h>
#include <string.h>

#include <envbuild/mem.h>

#include "solve_int.h"

struct parsed {
	const char *text;
	struct eb_matchspec *m;
};

struct parsed_version {
	const char *text;
	struct eb_version *version;
};

struct eb_sv_memo {
	struct parsed *spec;
	uint32_t specs, spec_slots;
	struct parsed_version *version;
	uint32_t versions, version_slots;
	struct eb_strpool text; /* that nobody else keeps */
};

struct eb_sv_memo *eb_sv_memo_new(void)
{
	struct eb_sv_memo *memo = eb_calloc(1, sizeof *memo);

	eb_strpool_init(&memo->text);
	return memo;
}

void eb_sv_memo_free(struct eb_sv_memo *memo)
{
	if (!memo)
		return;
	for (uint32_t i = 0; i < memo->spec_slots; i++)
		eb_matchspec_free(memo->spec[i].m);
	for (uint32_t i = 0; i < memo->version_slots; i++)
		eb_version_free(memo->version[i].version);
	eb_strpool_release(&memo->text);
	free(memo->spec);
	free(memo->version);
	free(memo);
}

/* --- dependencies ---------------------------------------------------- */

static struct parsed *spec_place(const struct eb_sv_memo *memo,
				 const char *text)
{
	uint64_t h = (uint64_t)(uintptr_t)text * 0x9e3779b97f4a7c15u;
	uint32_t i = (uint32_t)(h >> 32) & (memo->spec_slots - 1);

	while (memo->spec[i].text && memo->spec[i].text != text)
		i = (i + 1) & (memo->spec_slots - 1);
	return &memo->spec[i];
}

static void grow_specs(struct eb_sv_memo *memo)
{
	struct parsed *old = memo->spec;
	uint32_t slots = memo->spec_slots;

	memo->spec_slots = slots ? slots * 2 : 4096;
	memo->spec = eb_calloc(memo->spec_slots, sizeof *memo->spec);
	for (uint32_t i = 0; i < slots; i++)
		if (old[i].text)
			*spec_place(memo, old[i].text) = old[i];
	free(old);
}

const struct eb_matchspec *eb_sv_memo_spec(struct eb_sv_memo *memo,
					   const char *text)
{
	struct eb_error err = EB_ERROR_INIT;
	struct parsed *p;

	if (2 * memo->specs >= memo->spec_slots)
		grow_specs(memo);
	p = spec_place(memo, text);
	if (p->text)
		return p->m;
	p->text = text;
	p->m = eb_matchspec_parse(text, EB_LENIENT, &err);
	eb_err_release(&err);
	memo->specs++;
	return p->m;
}

/* --- versions -------------------------------------------------------- */

static struct parsed_version *version_place(const struct eb_sv_memo *memo,
					    const char *text)
{
	uint32_t i = eb_rd_hash(text) & (memo->version_slots - 1);

	while (memo->version[i].text && strcmp(memo->version[i].text, text))
		i = (i + 1) & (memo->version_slots - 1);
	return &memo->version[i];
}

static void grow_versions(struct eb_sv_memo *memo)
{
	struct parsed_version *old = memo->version;
	uint32_t slots = memo->version_slots;

	memo->version_slots = slots ? slots * 2 : 1024;
	memo->version = eb_calloc(memo->version_slots, sizeof *memo->version);
	for (uint32_t i = 0; i < slots; i++)
		if (old[i].text)
			*version_place(memo, old[i].text) = old[i];
	free(old);
}

const struct eb_version *eb_sv_memo_version(struct eb_sv_memo *memo,
					    const char *text)
{
	struct eb_error err = EB_ERROR_INIT;
	struct parsed_version *v;

	if (2 * memo->versions >= memo->version_slots)
		grow_versions(memo);
	v = version_place(memo, text);
	if (v->text)
		return v->version;
	v->text = text;
	v->version = eb_version_parse(text, &err);
	eb_err_release(&err);
	memo->versions++;
	return v->version;
}

/* --- texts ----------------------------------------------------------- */

const char *eb_sv_memo_text(struct eb_sv_memo *memo, const char *text)
{
	uint32_t id = eb_strpool_add(&memo->text, text, strlen(text), NULL);

	if (id == UINT32_MAX)
		eb_oom();
	return eb_strpool_text(&memo->text, id);
}
