/* SPDX-License-Identifier: Apache-2.0 */
/* Rows: what their readers and writers share. */
#include <string.h>
#include <time.h>

#include "store_priv.h"

#define LINE_MAX_LEN 4096

void eb_row_digest(const struct eb_db_row *row, int column,
		   struct eb_digest *out)
{
	size_t n = 0;
	const void *p = eb_db_blob(row, column, &n);

	memset(out, 0, sizeof *out);
	if (p && n == sizeof out->byte)
		memcpy(out->byte, p, n);
}

int64_t eb_store_now_us(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_REALTIME, &ts);
	return (int64_t)ts.tv_sec * 1000000 + ts.tv_nsec / 1000;
}

size_t eb_row_fields(char *line, char **field, size_t max)
{
	size_t n = 0;

	while (n < max) {
		field[n++] = line;
		line = strchr(line, '\t');
		if (!line)
			return n;
		*line++ = '\0';
	}
	return n + 1; /* more than wanted */
}

char *eb_row_first_line(const char *text, size_t len)
{
	const char *end;

	if (len > LINE_MAX_LEN)
		len = LINE_MAX_LEN;
	end = memchr(text, '\n', len);
	if (!end || memchr(text, '\0', (size_t)(end - text)))
		return NULL;
	return eb_strndup(text, (size_t)(end - text));
}

void eb_row_add_hex(struct eb_buf *b, const struct eb_digest *d)
{
	char hex[EB_HEX_SIZE];

	eb_buf_adds(b, eb_digest_hex(d, hex));
}

int eb_store_end(struct eb_store *s, int result, struct eb_error *err)
{
	struct eb_error second = EB_ERROR_INIT;

	if (result == 0)
		return eb_db_end(s->db, true, err);
	eb_db_end(s->db, false, &second);
	eb_err_release(&second);
	return -1;
}
