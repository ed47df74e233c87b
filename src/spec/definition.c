/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The normal text of a definition, which is what the definition hash is over
 * (sha256 of its bytes). UTF-8, one fact a line, each line ended by LF:
 *
 *	definition-format 1
 *	platform linux/amd64
 *	prefix /opt/env
 *	base REFERENCE		as asked for; `-`: none given
 *	channel URL		effective ones in their order, canonical,
 *				without credentials
 *	channel-listed URL	only where the file names a channel twice
 *				(`defaults` and one that it stands for, too):
 *				all that it lists, in its order
 *	conda SPEC		name[key='value',...], keys sorted; the lines
 *				sorted, each once; `pip` alone is left out
 *				beside pip lines
 *	conda-file SHA256 FILE [HASH]	a package file of this machine among
 *				them, and the hash that its line has
 *	exact FILE SHA256 [requested]	a package that is chosen already, and
 *				of its record; by name
 *	pip-requested NAME	a project that a person asked for, where that
 *				is known otherwise than by the lines
 *	pip REQUIREMENT		normal text (PEP 503, 508, 440); sorted, each
 *				once; -r files are replaced by their lines
 *	pip-constraint REQUIREMENT	lines of -c files; sorted, each once
 *	pip-option OPTION	in the file's order: --index-url and so on
 *	pip-locked JSON		a package of a pylock.toml: what counts of it
 *				(pylock.h); sorted
 *	variable "NAME=VALUE"	a JSON string; sorted
 *	option NAME=VALUE	what is not at its default; sorted
 *
 * A local source stands as sha256: of what is in it in place of its path:
 * `pip sha256:...[extra]`, `pip -e sha256:...`, `pip name @ sha256:...`,
 * `pip-option --find-links sha256:...`. `-r URL` and `-c URL` stand as
 * written. In all values but a variable's (JSON has its own way) a backslash
 * is `\\`, and a control character `\x` with two hexadecimal digits; so no
 * value makes a line of its own.
 *
 * What is not in it does not count: name, description, prefix of the file,
 * comments, order and spelling of packages, where the file lies.
 */
#include <fcntl.h>
#include <string.h>

#include <envbuild/file.h>
#include <envbuild/json.h>

#include "definition_pip.h"

/* ---- lines
 * -------------------------------------------------------------------------- */

static void add_value(struct eb_buf *out, const char *s)
{
	for (; *s; s++) {
		unsigned char c = (unsigned char)*s;

		if (c == '\\')
			eb_buf_adds(out, "\\\\");
		else if (c < 0x20 || c == 0x7f)
			eb_buf_addf(out, "\\x%02x", c);
		else
			eb_buf_addch(out, *s);
	}
}

static void add_line(struct eb_buf *out, const char *key, const char *value)
{
	eb_buf_addf(out, "%s ", key);
	add_value(out, value);
	eb_buf_addch(out, '\n');
}

static void add_lines(struct eb_buf *out, const char *key,
		      const struct eb_strv *values)
{
	for (size_t i = 0; i < values->n; i++)
		add_line(out, key, values->v[i]);
}

static void add_sorted(struct eb_buf *out, const char *key,
		       const struct eb_strv *values)
{
	struct eb_strv sorted EB_CLEANUP(eb_strv_release) = { 0 };

	eb_strv_copy(&sorted, values);
	eb_strv_sort(&sorted);
	eb_strv_unique(&sorted);
	add_lines(out, key, &sorted);
}

/* ---- channels
 * ---------------------------------------------------------------------------
 */

static int list_channel(const char *name, const struct eb_channel_rules *rules,
			struct eb_strv *out, struct eb_error *err)
{
	struct eb_channels one EB_CLEANUP(eb_channels_release) = { 0 };

	if (eb_channels_add_by(&one, name, rules, err) < 0)
		return -1;
	for (size_t i = 0; i < one.n; i++)
		eb_strv_add(out, one.channel[i].canonical);
	return 0;
}

static int add_channels(struct eb_buf *out, const struct eb_request *r,
			struct eb_error *err)
{
	const struct eb_strv *names = &r->spec->channels;
	struct eb_strv listed EB_CLEANUP(eb_strv_release) = { 0 };
	struct eb_strv unique EB_CLEANUP(eb_strv_release) = { 0 };

	for (size_t i = 0; i < r->channels.n; i++)
		add_line(out, "channel", r->channels.channel[i].canonical);
	for (size_t i = 0; i < names->n; i++)
		if (list_channel(names->v[i], &r->rules, &listed, err) < 0)
			return -1;
	eb_strv_copy(&unique, &listed);
	eb_strv_sort(&unique);
	eb_strv_unique(&unique);
	if (unique.n < listed.n)
		add_lines(out, "channel-listed", &listed);
	return 0;
}

/* ---- parts
 * -----------------------------------------------------------------------------
 */

static bool is_bare_pip(const struct eb_matchspec *m)
{
	const char *name = eb_matchspec_name(m);

	return eb_matchspec_is_bare(m) && name && strcmp(name, "pip") == 0;
}

/* "sha256:... FILE HASH" of a package file on this machine; NULL: it is none,
 * or not there, which is told by who needs it. Caller frees. */
static char *file_content(const struct eb_matchspec *m)
{
	struct eb_error no EB_CLEANUP(eb_err_release) = EB_ERROR_INIT;
	struct eb_record place EB_CLEANUP(eb_record_release) = { 0 };
	const char *url = eb_matchspec_url(m);
	eb_autofree char *path = url ? eb_channel_path(url) : NULL;
	eb_autofree char *channel = NULL;
	eb_autofd int fd = path ? open(path, O_RDONLY | O_CLOEXEC) : -1;
	char text[EB_DIGEST_TEXT];
	struct eb_digest digest;
	const char *hash;

	if (fd < 0 || eb_record_of_place(url, &place, &channel, &no) < 0 ||
	    eb_sha256_fd(fd, &digest, NULL, &no) < 0)
		return NULL;
	hash = eb_matchspec_hash(m);
	return eb_asprintf("%s %s%s%s", eb_digest_text(&digest, text), place.fn,
			   hash ? " " : "", hash ? hash : "");
}

static void add_conda(struct eb_buf *out, const struct eb_spec *spec)
{
	struct eb_strv lines EB_CLEANUP(eb_strv_release) = { 0 };
	struct eb_strv files EB_CLEANUP(eb_strv_release) = { 0 };

	for (size_t i = 0; i < spec->n_conda; i++) {
		char *file = file_content(spec->conda[i]);

		if (file)
			eb_strv_take(&files, file);
		else if (!spec->has_pip_section || !is_bare_pip(spec->conda[i]))
			eb_strv_add(&lines,
				    eb_matchspec_normal(spec->conda[i]));
	}
	add_sorted(out, "conda", &lines);
	add_sorted(out, "conda-file", &files);
}

/* A record counts as a whole, as far as it is written down: it goes into the
 * image. */
static void add_exact(struct eb_buf *out, const struct eb_exact *x)
{
	for (size_t i = 0; x && i < x->n; i++) {
		const struct eb_exact_package *p = &x->package[i];
		eb_autojson json_t *j = eb_record_to_json(&p->record);
		EB_AUTOBUF(text, EB_MAX_TEXT);
		char hex[EB_HEX_SIZE];
		struct eb_digest d;

		eb_json_canonical(j, &text);
		eb_sha256(text.data, text.len, &d);
		eb_buf_addf(out, "exact %s %s%s\n", p->record.fn,
			    eb_digest_hex(&d, hex),
			    p->requested ? " requested" : "");
	}
	for (size_t i = 0; x && i < x->pip_requested.n; i++)
		add_line(out, "pip-requested", x->pip_requested.v[i]);
}

static int add_pip(struct eb_buf *out, const struct eb_spec *spec,
		   struct eb_error *err)
{
	struct eb_definition_pip pip EB_CLEANUP(
		eb_definition_pip_release) = { 0 };

	if (eb_definition_pip(spec, &pip, err) < 0)
		return -1;
	add_lines(out, "pip", &pip.line);
	add_lines(out, "pip-constraint", &pip.constraint);
	add_lines(out, "pip-option", &pip.option);
	add_lines(out, "pip-locked", &pip.locked);
	return 0;
}

static void add_variables(struct eb_buf *out, const struct eb_spec *spec)
{
	struct eb_strv lines EB_CLEANUP(eb_strv_release) = { 0 };

	for (size_t i = 0; i < spec->variable_name.n; i++)
		eb_strv_addf(&lines, "%s=%s", spec->variable_name.v[i],
			     spec->variable_value.v[i]);
	eb_strv_sort(&lines);
	for (size_t i = 0; i < lines.n; i++) {
		eb_buf_adds(out, "variable ");
		eb_buf_add_json(out, lines.v[i]);
		eb_buf_addch(out, '\n');
	}
}

/* ---- the whole
 * ---------------------------------------------------------------------------
 */

int eb_definition_text(const struct eb_request *r, struct eb_buf *out,
		       struct eb_error *err)
{
	eb_autofree char *base = eb_url_redact(r->base ? r->base : "-");

	eb_buf_addf(out, "definition-format %d\n", EB_DEFINITION_FORMAT);
	add_line(out, "platform", r->platform);
	add_line(out, "prefix", r->prefix);
	add_line(out, "base", base);
	if (add_channels(out, r, err) < 0)
		return -1;
	add_conda(out, r->spec);
	add_exact(out, r->spec->exact);
	if (add_pip(out, r->spec, err) < 0)
		return -1;
	add_variables(out, r->spec);
	add_sorted(out, "option", &r->options);
	if (!out->overflow)
		return 0;
	return eb_err_set(err, EB_INPUT,
			  "\"%s\", writing its normal text: more than %zu "
			  "bytes",
			  r->spec->file, out->max);
}

int eb_definition_hash(const struct eb_request *r, struct eb_digest *out,
		       struct eb_error *err)
{
	EB_AUTOBUF(text, EB_MAX_TEXT);

	if (eb_definition_text(r, &text, err) < 0)
		return -1;
	eb_sha256(text.data, text.len, out);
	return 0;
}

void eb_request_release(struct eb_request *r)
{
	eb_channels_release(&r->channels);
	eb_strv_release(&r->options);
	free(r->base);
	memset(r, 0, sizeof *r);
}
