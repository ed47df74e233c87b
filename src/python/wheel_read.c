/* SPDX-License-Identifier: Apache-2.0 */
/* Small members of a wheel as text, verified. */
#include <inttypes.h>
#include <stdarg.h>
#include <string.h>

#include "wheel_int.h"

int eb_wheel_bad(const struct eb_wheel *w, struct eb_error *err,
		 const char *fmt, ...)
{
	eb_autofree char *shown = NULL;
	va_list ap;
	EB_AUTOBUF(text, EB_MAX_TEXT);

	va_start(ap, fmt);
	eb_buf_vaddf(&text, fmt, ap);
	va_end(ap);
	shown = eb_printable(text.data);
	return eb_err_set(err, EB_INPUT, "\"%s\" %s", w->what, shown);
}

static int check_sum(const struct eb_wheel *w, const struct eb_zipdir_member *m,
		     const char *text, struct eb_error *err)
{
	const struct eb_wheel_row *row = eb_wheel_row_of(w, m);
	char is[EB_HEX_SIZE], should[EB_HEX_SIZE];
	struct eb_digest sum;

	if (!row || !row->has_sha256)
		return 0;
	eb_sha256(text, (size_t)m->size, &sum);
	if (eb_digest_equal(&sum, &row->sha256))
		return 0;
	return eb_err_set(err, EB_INTEGRITY,
			  "\"%s\", checking \"%s\": its sha256 is %s, RECORD "
			  "says %s",
			  w->what, m->name, eb_digest_hex(&sum, is),
			  eb_digest_hex(&row->sha256, should));
}

int eb_wheel_text(const struct eb_wheel *w, const struct eb_zipdir_member *m,
		  char **text, struct eb_error *err)
{
	eb_autofree char *read = NULL;

	if (m->size > w->limits.metadata)
		return eb_wheel_bad(w, err,
				    "has a member \"%s\" of %" PRIu64
				    " bytes, which has to be read whole; the "
				    "limit metadata-size is %" PRIu64,
				    m->name, m->size, w->limits.metadata);
	if (eb_zipdir_read(&w->zip, m, &read, err) < 0 ||
	    check_sum(w, m, read, err) < 0)
		return -1;
	*text = eb_steal(read);
	return 0;
}

int eb_wheel_member(const struct eb_wheel *w, const char *name, char **text,
		    size_t *len, struct eb_error *err)
{
	eb_autofree char *path = eb_asprintf("%s/%s", w->dist_info, name);
	const struct eb_zipdir_member *m = eb_zipdir_find(&w->zip, path);
	eb_autofree char *read = NULL;

	if (!m || m->folder)
		return 0;
	if (eb_wheel_text(w, m, &read, err) < 0)
		return -1;
	if (memchr(read, '\0', (size_t)m->size))
		return eb_wheel_bad(w, err, "has a NUL in its \"%s\"", path);
	*len = (size_t)m->size;
	*text = eb_steal(read);
	return 1;
}
