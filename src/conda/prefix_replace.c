/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The build-time placeholder becomes the prefix.
 *
 * Text: every occurrence; then the first line, where it is a "#!" line longer
 * than the kernel reads or with an escaped space, goes through env(1).
 * Binary: occurrences that a NUL follows at some place; within such a run, up
 * to the first NUL, all are replaced and NULs make up for the length.
 * Both in UTF-8, then UTF-16 and UTF-32 of either byte order, where the NUL is
 * as wide as a unit but need not be aligned. The wide forms are tried for
 * ASCII placeholders only, which all are.
 */
#include <inttypes.h>
#include <string.h>

#include <envbuild/buf.h>
#include <envbuild/link.h>

#include "prefix_window.h"

#define LINE_MAX_BYTES (64 << 10) /* a longer first line is no "#!" line */
#define SHEBANG_MAX 127
#define PLACEHOLDER_MAX 4096

struct pass {
	const struct eb_prefix_job *job;
	struct eb_prefix_window w;
	const struct eb_prefix_sink *sink;
	struct eb_buf needle, replacement;
	size_t unit; /* width of a character */
};

static bool is_ascii(const char *s)
{
	for (; *s; s++) {
		if (*s & 0x80)
			return false;
	}
	return true;
}

static size_t unit_of(unsigned encoding)
{
	return encoding == 0 ? 1 : encoding < 3 ? 2 : 4;
}

static void encode(const char *s, unsigned encoding, struct eb_buf *out)
{
	size_t unit = unit_of(encoding);
	size_t at = encoding == 2 || encoding == 4 ? unit - 1 : 0;

	for (; *s; s++) {
		char wide[4] = { 0 };

		wide[at] = *s;
		eb_buf_add(out, wide, unit);
	}
}

static void begin(struct pass *p, const struct eb_prefix_job *job,
		  unsigned encoding, const struct eb_prefix_source *source)
{
	size_t window = job->window ? job->window : EB_PREFIX_WINDOW;

	*p = (struct pass){ .job = job, .unit = unit_of(encoding) };
	eb_buf_init(&p->needle, 4 * PLACEHOLDER_MAX);
	eb_buf_init(&p->replacement, 4 * PLACEHOLDER_MAX);
	encode(job->placeholder, encoding, &p->needle);
	encode(job->prefix, encoding, &p->replacement);
	if (window < p->needle.len * 2)
		window = p->needle.len * 2;
	eb_prefix_window_init(&p->w, window, source);
}

static void end(struct pass *p)
{
	eb_buf_release(&p->needle);
	eb_buf_release(&p->replacement);
	eb_prefix_window_release(&p->w);
}

static int refuse(const struct eb_prefix_job *job, const char *why,
		  struct eb_error *err)
{
	if (job->path)
		return eb_err_set(err, EB_INPUT,
				  "\"%s\", replacing the prefix in \"%s\": %s",
				  job->what, job->path, why);
	return eb_err_set(err, EB_INPUT, "\"%s\", replacing the prefix: %s",
			  job->what, why);
}

static int check_job(const struct eb_prefix_job *job, struct eb_error *err)
{
	size_t n = strlen(job->placeholder);

	if (n == 0)
		return refuse(job, "its placeholder is empty", err);
	if (n > PLACEHOLDER_MAX || strlen(job->prefix) > PLACEHOLDER_MAX)
		return refuse(job, "its placeholder is longer than a path",
			      err);
	return 0;
}

int eb_prefix_look(const struct eb_prefix_job *job,
		   const struct eb_prefix_source *source, unsigned *found,
		   struct eb_error *err)
{
	bool wide = is_ascii(job->placeholder) && is_ascii(job->prefix);
	uint64_t at;
	int rc = 0;

	*found = job->text;
	if (check_job(job, err) < 0)
		return -1;
	for (unsigned i = 0; i < (wide ? EB_PREFIX_ENCODINGS : 1); i++) {
		struct pass p;

		if (*found & 1u << i)
			continue;
		begin(&p, job, i, source);
		rc = eb_prefix_window_find(&p.w, p.needle.data, p.needle.len, 0,
					   source->size, &at, err);
		end(&p);
		if (rc < 0)
			return -1;
		*found |= (unsigned)rc << i;
	}
	return 0;
}

/* Every occurrence between from and to; *count of them is raised. */
static int replace(struct pass *p, uint64_t from, uint64_t to, uint64_t *count,
		   struct eb_error *err)
{
	uint64_t at;
	int rc;

	while ((rc = eb_prefix_window_find(&p->w, p->needle.data, p->needle.len,
					   from, to, &at, err)) > 0) {
		if (eb_prefix_window_copy(&p->w, from, at, p->sink, err) < 0 ||
		    p->sink->add(p->sink->data, p->replacement.data,
				 p->replacement.len, err) < 0)
			return -1;
		from = at + p->needle.len;
		++*count;
	}
	if (rc < 0)
		return -1;
	return eb_prefix_window_copy(&p->w, from, to, p->sink, err);
}

static int pad(struct pass *p, uint64_t count, struct eb_error *err)
{
	static const char zero[4096];
	uint64_t n;

	if (p->replacement.len > p->needle.len)
		return refuse(p->job,
			      "the prefix is longer than the placeholder, and "
			      "a binary cannot grow",
			      err);
	n = (p->needle.len - p->replacement.len) * count;
	while (n) {
		size_t piece = n < sizeof zero ? (size_t)n : sizeof zero;

		if (p->sink->add(p->sink->data, zero, piece, err) < 0)
			return -1;
		n -= piece;
	}
	return 0;
}

static int binary(struct pass *p, uint64_t size, struct eb_error *err)
{
	uint64_t done = 0, at, zero, count;
	int rc;

	for (;;) {
		rc = eb_prefix_window_find(&p->w, p->needle.data, p->needle.len,
					   done, size, &at, err);
		if (rc > 0)
			rc = eb_prefix_window_find(&p->w, "\0\0\0", p->unit,
						   at + p->needle.len, size,
						   &zero, err);
		if (rc < 0)
			return -1;
		if (rc == 0)
			break;
		count = 0;
		if (eb_prefix_window_copy(&p->w, done, at, p->sink, err) < 0 ||
		    replace(p, at, zero + p->unit, &count, err) < 0 ||
		    pad(p, count, err) < 0)
			return -1;
		done = zero + p->unit;
	}
	return eb_prefix_window_copy(&p->w, done, size, p->sink, err);
}

/* Each `from` of the line becomes `to`. */
static void replace_in(struct eb_buf *line, const char *from, const char *to)
{
	size_t m = strlen(from);
	const char *p = line->data, *stop = line->data + line->len, *hit;
	struct eb_buf out;

	eb_buf_init(&out, EB_MAX_TEXT);
	while ((hit = memmem(p, (size_t)(stop - p), from, m))) {
		eb_buf_add(&out, p, (size_t)(hit - p));
		eb_buf_adds(&out, to);
		p = hit + m;
	}
	eb_buf_add(&out, p, (size_t)(stop - p));
	eb_buf_release(line);
	*line = out;
}

/* "#!PLACEHOLDER" gets the spaces of the prefix escaped. */
static void replace_shebang(struct eb_buf *line,
			    const struct eb_prefix_job *job)
{
	eb_autofree char *from = eb_asprintf("#!%s", job->placeholder);
	EB_AUTOBUF(to, EB_MAX_TEXT);

	eb_buf_adds(&to, "#!");
	for (const char *p = job->prefix; *p; p++) {
		if (*p == ' ')
			eb_buf_addch(&to, '\\');
		eb_buf_addch(&to, *p);
	}
	replace_in(line, from, to.data);
}

/* "#!", blanks, a path in which a space may be escaped, options: by env(1)
 * when it is too long or has such a space. */
static void shorten_shebang(struct eb_buf *line)
{
	const char *p = line->data, *end = p + line->len, *path, *name;
	bool escaped = false;
	EB_AUTOBUF(out, EB_MAX_TEXT);

	if (strncmp(p, "#!", 2) != 0)
		return;
	path = p + 2 + strspn(p + 2, " ");
	if (*path != '/')
		return;
	for (p = name = path; p < end && !memchr(" \n\r\t", *p, 4); p++) {
		if (*p == '/')
			name = p + 1;
		if (p[0] == '\\' && p[1] == ' ') {
			escaped = true;
			p++;
		}
	}
	if (line->len <= SHEBANG_MAX && !escaped)
		return;
	eb_buf_adds(&out, "#!/usr/bin/env ");
	eb_buf_add(&out, name, (size_t)(end - name));
	eb_buf_reset(line);
	eb_buf_add(line, out.data, out.len);
}

/* The first line without its end, where it is one that may matter. */
static int text(struct pass *p, uint64_t size, struct eb_error *err)
{
	uint64_t stop = size < LINE_MAX_BYTES ? size : LINE_MAX_BYTES;
	uint64_t line_end = stop, count = 0;
	EB_AUTOBUF(line, EB_MAX_TEXT);
	int rc = eb_prefix_window_find(&p->w, "\n", 1, 0, stop, &line_end, err);

	if (rc < 0)
		return -1;
	if (rc == 0 && size > stop)
		return replace(p, 0, size, &count, err);
	eb_buf_reserve(&line, (size_t)line_end);
	if (line_end && p->w.source->read(p->w.source->data, 0, line.data,
					  (size_t)line_end, err) < 0)
		return -1;
	line.len = (size_t)line_end;
	line.data[line.len] = '\0';
	if (rc > 0)
		replace_shebang(&line, p->job);
	replace_in(&line, p->job->placeholder, p->job->prefix);
	shorten_shebang(&line);
	if (line.len &&
	    p->sink->add(p->sink->data, line.data, line.len, err) < 0)
		return -1;
	return replace(p, line_end, size, &count, err);
}

int eb_prefix_pass(const struct eb_prefix_job *job, unsigned encoding,
		   const struct eb_prefix_source *source,
		   const struct eb_prefix_sink *sink, struct eb_error *err)
{
	struct pass p;
	uint64_t count = 0;
	int rc;

	if (check_job(job, err) < 0)
		return -1;
	begin(&p, job, encoding, source);
	p.sink = sink;
	if (!job->text)
		rc = binary(&p, source->size, err);
	else if (encoding == 0)
		rc = text(&p, source->size, err);
	else
		rc = replace(&p, 0, source->size, &count, err);
	end(&p);
	return rc;
}

static int read_memory(void *data, uint64_t offset, void *p, size_t n,
		       struct eb_error *err)
{
	(void)err;
	memcpy(p, (const char *)data + offset, n);
	return 0;
}

static int add_memory(void *data, const void *p, size_t n, struct eb_error *err)
{
	if (eb_buf_add(data, p, n) == 0)
		return 0;
	return eb_err_set(err, EB_INPUT,
			  "a text with its prefix replaced has more than %zu "
			  "bytes, the limit",
			  ((struct eb_buf *)data)->max);
}

/* From one buffer to the next; the last one is the result. */
int eb_prefix_replace(const char *data, size_t n, bool is_text,
		      const char *placeholder, const char *prefix,
		      struct eb_buf *out, const char *what,
		      struct eb_error *err)
{
	const struct eb_prefix_job job = { .placeholder = placeholder,
					   .prefix = prefix,
					   .text = is_text,
					   .what = what };
	struct eb_prefix_source source = { read_memory, (void *)data, n };
	EB_AUTOBUF(now, out->max);
	unsigned found;

	if (eb_prefix_look(&job, &source, &found, err) < 0)
		return -1;
	for (unsigned i = 0; i < EB_PREFIX_ENCODINGS; i++) {
		EB_AUTOBUF(next, out->max);
		const struct eb_prefix_sink sink = { add_memory, &next };
		struct eb_buf swap = now;

		if (!(found & 1u << i))
			continue;
		if (eb_prefix_pass(&job, i, &source, &sink, err) < 0)
			return -1;
		now = next;
		next = swap;
		source = (struct eb_prefix_source){ read_memory, now.data,
						    now.len };
	}
	return add_memory(out, source.data ? source.data : "",
			  (size_t)source.size, err);
}
