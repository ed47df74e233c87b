/* SPDX-License-Identifier: Apache-2.0 */
/* Where a blob can be had: facts of the store, a line HOST/REPOSITORY a place.
 * They are hints: who follows one has to be ready to find nothing there. */
#include <string.h>

#include <envbuild/mem.h>
#include <envbuild/str.h>
#include <envbuild/transfer.h>

#define KIND "source"
#define MAX_PLACES 4
#define MAX_FACT ((size_t)8 << 10)

static int read_places(struct eb_store *store, const struct eb_digest *blob,
		       struct eb_strv *places, struct eb_error *err)
{
	EB_AUTOBUF(text, MAX_FACT);
	EB_CLEANUP(eb_strv_release) struct eb_strv line = { 0 };
	char key[EB_DIGEST_TEXT];
	int got = eb_store_find_fact(store, KIND, eb_digest_text(blob, key),
				     &text, err);

	if (got <= 0)
		return got;
	eb_strv_split(&line, text.data, "\n");
	for (size_t i = 0; i < line.n && places->n < MAX_PLACES; i++)
		if (strchr(line.v[i], '/'))
			eb_strv_add(places, line.v[i]);
	return 0;
}

int eb_blob_source_find(struct eb_store *store, const struct eb_digest *blob,
			struct eb_strv *places, struct eb_error *err)
{
	size_t before = places->n;

	if (read_places(store, blob, places, err) < 0)
		return -1;
	return places->n > before;
}

/* `place` in front of the others; NULL: it is there already. */
static char *with_place(const struct eb_strv *old, const char *place)
{
	EB_AUTOBUF(text, MAX_FACT);
	unsigned n = 1;

	if (old->n && !strcmp(old->v[0], place))
		return NULL;
	eb_buf_adds(&text, place);
	for (size_t i = 0; i < old->n && n < MAX_PLACES; i++) {
		if (!strcmp(old->v[i], place))
			continue;
		eb_buf_addf(&text, "\n%s", old->v[i]);
		n++;
	}
	return eb_buf_steal(&text, NULL);
}

struct changes {
	struct eb_fact *fact;
	char (*key)[EB_DIGEST_TEXT];
	struct eb_strv text;
	size_t n;
};

static void release(struct changes *c)
{
	free(c->fact);
	free(c->key);
	eb_strv_release(&c->text);
}

static int add(struct changes *c, struct eb_store *store, const char *place,
	       const struct eb_digest *blob, struct eb_error *err)
{
	EB_CLEANUP(eb_strv_release) struct eb_strv old = { 0 };
	char *text;

	if (read_places(store, blob, &old, err) < 0)
		return -1;
	text = with_place(&old, place);
	if (!text)
		return 0;
	eb_strv_take(&c->text, text);
	eb_digest_text(blob, c->key[c->n]);
	c->fact[c->n] = (struct eb_fact){ c->key[c->n], text, NULL };
	c->n++;
	return 0;
}

int eb_blob_source_put(struct eb_store *store, const char *place,
		       const struct eb_digest *blob, size_t n,
		       struct eb_error *err)
{
	EB_CLEANUP(release) struct changes c = { 0 };

	if (!n)
		return 0;
	c.fact = eb_calloc(n, sizeof *c.fact);
	c.key = eb_calloc(n, sizeof *c.key);
	for (size_t i = 0; i < n; i++)
		if (add(&c, store, place, blob + i, err) < 0)
			return -1;
	if (!c.n)
		return 0;
	return eb_store_put_facts(store, KIND, NULL, c.fact, c.n, err);
}
