/* SPDX-License-Identifier: Apache-2.0 */
/* A source distribution in one pass: the few texts that tell of its build. */
#include <inttypes.h>
#include <string.h>

#include "sdist_int.h"

struct reading {
	const char *file;
	const struct eb_wheel_limits *limits;
	struct eb_sdist_texts texts;
};

static int too_long(const struct reading *r, const struct eb_sdist_member *m,
		    struct eb_error *err)
{
	eb_err_set(err, EB_INPUT,
		   "\"%s\" has a member \"%s\" of %" PRIu64 " bytes; %" PRIu64
		   " is the limit",
		   r->file, m->path, m->size, r->limits->metadata);
	return eb_err_hint(err, "--limit metadata-size=BYTES changes it");
}

static int read_text(const struct reading *r, const struct eb_sdist_member *m,
		     struct eb_sdist_archive *a, char **out,
		     struct eb_error *err)
{
	EB_AUTOBUF(text, (size_t)m->size + 1);
	char chunk[8 << 10];
	ssize_t n;

	if (m->size > r->limits->metadata)
		return too_long(r, m, err);
	while ((n = eb_sdist_content(a, chunk, sizeof chunk, err)) > 0)
		eb_buf_add(&text, chunk, (size_t)n);
	if (n < 0)
		return -1;
	if (text.overflow || strlen(text.data) != text.len)
		return eb_err_set(err, EB_INPUT,
				  "\"%s\" has a member \"%s\" that is no text",
				  r->file, m->path);
	free(*out);
	*out = eb_buf_steal(&text, NULL);
	return 0;
}

static int look_at(void *data, const struct eb_sdist_member *m,
		   struct eb_sdist_archive *a, struct eb_error *err)
{
	struct reading *r = data;
	char **place;

	if (m->type != EB_SDIST_FILE)
		return 0;
	eb_sdist_note_source(&r->texts, m->path);
	place = eb_sdist_text_place(&r->texts, m->path);
	return place ? read_text(r, m, a, place, err) : 0;
}

static void release(struct reading *r)
{
	eb_sdist_texts_release(&r->texts);
}

int eb_sdist_read(int fd, const char *file,
		  const struct eb_wheel_limits *limits, struct eb_sdist *out,
		  struct eb_error *err)
{
	struct reading r EB_CLEANUP(release) = { .file = file,
						 .limits = limits };

	memset(out, 0, sizeof *out);
	if (eb_sdist_walk(fd, file, limits, look_at, &r, &out->top, err) == 0 &&
	    eb_sdist_judge(&r.texts, file, true, out, err) == 0)
		return 0;
	eb_sdist_release(out);
	return -1;
}
