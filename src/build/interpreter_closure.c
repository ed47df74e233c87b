/* SPDX-License-Identifier: Apache-2.0 */
/* What the environment's interpreter is made of: python and all that it
 * depends on, within the lock. */
#include <string.h>

#include "build_private.h"

struct eb_work *eb_find_work(struct eb_build *b, const char *name)
{
	for (size_t i = 0; i < b->n; i++)
		if (b->work[i].package && !strcmp(b->work[i].name, name))
			return &b->work[i];
	return NULL;
}

static void add(struct eb_build *b, struct eb_work *w, bool *in)
{
	const struct eb_record *r = &w->package->record;

	if (in[w - b->work])
		return;
	in[w - b->work] = true;
	for (size_t i = 0; i < r->depends.n; i++) {
		const char *spec = r->depends.v[i];
		eb_autofree char *name =
			eb_strndup(spec, strcspn(spec, " =<>!~["));
		struct eb_work *next = eb_find_work(b, name);

		if (next)
			add(b, next, in);
	}
}

bool *eb_interpreter_closure(struct eb_build *b)
{
	bool *in = eb_calloc(b->n + 1, sizeof *in);
	struct eb_work *python = eb_find_work(b, "python");

	if (python)
		add(b, python, in);
	return in;
}

/* The set's packages by their bytes, in no order but their own. */
void eb_interpreter_identity(struct eb_build *b, struct eb_digest *out)
{
	eb_autofree bool *in = eb_interpreter_closure(b);
	eb_autofree struct eb_digest *sha = eb_calloc(b->n + 1, sizeof *sha);
	struct eb_keyer k;
	size_t n = 0;

	for (size_t i = 0; i < b->n; i++)
		if (in[i])
			sha[n++] = b->work[i].package->record.sha256;
	qsort(sha, n, sizeof *sha, eb_digest_compare);
	eb_key_begin(&k, "envbuild interpreter 1");
	for (size_t i = 0; i < n; i++)
		eb_key_digest(&k, &sha[i]);
	eb_key_end(&k, out);
}
