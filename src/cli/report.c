/* SPDX-License-Identifier: Apache-2.0 */
/* Errors to standard error: the place, the sentence, the advice. */
#include <stdio.h>
#include <string.h>

#include <envbuild/buf.h>
#include <envbuild/mem.h>

#include "cli.h"

static void report_json(const struct eb_error *err, const char *log)
{
	EB_AUTOBUF(line, EB_MAX_TEXT);

	eb_buf_adds(&line, "{\"event\":\"error\",\"code\":");
	eb_buf_add_json(&line, eb_code_name(err->code));
	eb_buf_adds(&line, ",\"message\":");
	eb_buf_add_json(&line, err->message);
	if (err->hint) {
		eb_buf_adds(&line, ",\"hint\":");
		eb_buf_add_json(&line, err->hint);
	}
	if (err->file) {
		eb_buf_adds(&line, ",\"file\":");
		eb_buf_add_json(&line, err->file);
		eb_buf_addf(&line, ",\"line\":%u,\"column\":%u", err->line,
			    err->column);
	}
	if (log) {
		eb_buf_adds(&line, ",\"log\":");
		eb_buf_add_json(&line, log);
	}
	fprintf(stderr, "%s}\n", line.data);
}

static void report_text(const struct eb_error *err, const char *log)
{
	eb_autofree char *message = eb_printable(err->message);
	eb_autofree char *hint = err->hint ? eb_printable(err->hint) : NULL;
	eb_autofree char *file = err->file ? eb_printable(err->file) : NULL;

	fputs("envbuild: ", stderr);
	if (file && err->line && err->column)
		fprintf(stderr, "%s:%u:%u: ", file, err->line, err->column);
	else if (file && err->line)
		fprintf(stderr, "%s:%u: ", file, err->line);
	else if (file)
		fprintf(stderr, "%s: ", file);
	fprintf(stderr, "%s\n", message);
	if (hint)
		fprintf(stderr, "  hint: %s\n", hint);
	if (log)
		fprintf(stderr, "  log: %s\n", log);
}

void eb_report_error(const struct eb_error *err, bool json, const char *log)
{
	if (json)
		report_json(err, log);
	else
		report_text(err, log);
}
