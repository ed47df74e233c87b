/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Answers questions line by line, so that any outside judge can ask:
 * `OP<TAB>ARG...` in, `ok<TAB>RESULT` or `error<TAB>MESSAGE` out, one line
 * each, in order; flushed at the end of standard input, or after each line
 * with -i. Newlines and tabs in an answer are written \n and \t.
 *
 *	version-cmp A B			-1, 0 or 1: conda's version order
 *	version-match VERSION SPEC	true or false: a version constraint
 *	matchspec-parse SPEC		conda's canonical text of it
 *	matchspec-match SPEC RECORD	true or false; RECORD is JSON, of which
 *					nothing but "name" has to be there
 *	reference REF			registry, repository, tag, digest of
 *					it, with blanks between, - for none
 *	requirement LINE		JSON: name, extras, specifiers, url,
 *					marker of a pip requirement
 *	pep440-cmp A B			-1, 0 or 1: Python's version order
 *	pep440-match VERSION SPECIFIERS allow|deny
 *					true or false; what of pre-releases
 *	marker MARKER ENVIRONMENT [EXTRA]
 *					true or false; ENVIRONMENT is JSON
 *	tags PYTHON LIBC ARCH		compatibility tags, best first
 *	wheel-choice FILES PYTHON LIBC ARCH
 *					those that fit, best first
 *	wheel-name FILE			name, version, build, tags of it, with
 *					blanks between, - for no build
 *	definition-hash FILE		64 hex digits, as `envbuild hash`
 *	azure-name FILE			azureml_ and 32 hex digits, of a conda
 *					YAML
 *
 * Versions, their specifiers and markers may have \t, \n and \r for what a line
 * cannot hold. Lists have blanks between their items. PYTHON is 38 or,
 * free-threaded, 313t; LIBC the version of glibc, or musl1.2.
 *
 * A spec to parse is read as one that a user wrote; constraints and specs to
 * match are read as a channel's, which are looked at less strictly.
 */
#include <stdio.h>
#include <string.h>

#include <envbuild/azure.h>
#include <envbuild/buf.h>
#include <envbuild/build.h>
#include <envbuild/config.h>
#include <envbuild/file.h>
#include <envbuild/json.h>
#include <envbuild/matchspec.h>
#include <envbuild/pep440.h>
#include <envbuild/record.h>
#include <envbuild/reference.h>
#include <envbuild/requirement.h>
#include <envbuild/str.h>
#include <envbuild/tags.h>
#include <envbuild/version.h>

/* The arguments, NULL behind the last. The answer goes to `out`; -1 with a
 * filled error. */
typedef int answer_fn(char **arg, struct eb_buf *out, struct eb_error *err);

/* ---- conda -------------------------------------------------------------- */

static int add_bool(struct eb_buf *out, bool value)
{
	return eb_buf_adds(out, value ? "true" : "false");
}

static int version_cmp(char **arg, struct eb_buf *out, struct eb_error *err)
{
	EB_CLEANUP(eb_version_free_ptr) struct eb_version *a = NULL;
	EB_CLEANUP(eb_version_free_ptr) struct eb_version *b = NULL;

	a = eb_version_parse(arg[0], err);
	b = a ? eb_version_parse(arg[1], err) : NULL;
	if (!b)
		return -1;
	return eb_buf_addf(out, "%d", eb_version_compare(a, b));
}

static int version_match(char **arg, struct eb_buf *out, struct eb_error *err)
{
	EB_CLEANUP(eb_version_free_ptr) struct eb_version *v = NULL;
	EB_CLEANUP(eb_verspec_free_ptr) struct eb_verspec *spec = NULL;

	v = eb_version_parse(arg[0], err);
	spec = v ? eb_verspec_parse(arg[1], EB_LENIENT, err) : NULL;
	return spec ? add_bool(out, eb_verspec_match(spec, v)) : -1;
}

static int matchspec_parse(char **arg, struct eb_buf *out, struct eb_error *err)
{
	EB_CLEANUP(eb_matchspec_free_ptr) struct eb_matchspec *m = NULL;

	m = eb_matchspec_parse(arg[0], EB_STRICT, err);
	return m ? eb_buf_adds(out, eb_matchspec_text(m)) : -1;
}

/* A record that does not say its version or build is matched by no condition
 * on them; `found` gets what it says. */
struct found {
	bool version, build;
};

static void stand_in(json_t *j, const char *key, bool *found)
{
	*found = json_object_get(j, key) != NULL;
	if (!*found)
		json_object_set_new(j, key, json_string("0"));
}

static int read_record(const char *text, struct eb_record *record,
		       struct found *found, struct eb_error *err)
{
	eb_autojson json_t *j =
		eb_json_parse(text, strlen(text), "record", err);

	if (!j)
		return -1;
	stand_in(j, "version", &found->version);
	stand_in(j, "build", &found->build);
	return eb_record_from_json(j, NULL, NULL, record, err);
}

static int matchspec_match(char **arg, struct eb_buf *out, struct eb_error *err)
{
	EB_CLEANUP(eb_matchspec_free_ptr) struct eb_matchspec *m = NULL;
	EB_CLEANUP(eb_version_free_ptr) struct eb_version *v = NULL;
	struct eb_record record EB_CLEANUP(eb_record_release) = { 0 };
	struct found found;

	m = eb_matchspec_parse(arg[0], EB_LENIENT, err);
	if (!m || read_record(arg[1], &record, &found, err) < 0)
		return -1;
	v = eb_version_parse(record.version, err);
	if (!v)
		return -1;
	return add_bool(out, (found.version || !eb_matchspec_version(m)) &&
				     (found.build || !eb_matchspec_build(m)) &&
				     eb_matchspec_match(m, &record, v) &&
				     eb_matchspec_has_extras(m, &record));
}

/* ---- images ------------------------------------------------------------- */

static int reference(char **arg, struct eb_buf *out, struct eb_error *err)
{
	struct eb_reference r EB_CLEANUP(eb_reference_release) = { 0 };
	char digest[EB_DIGEST_TEXT] = "-";

	if (eb_reference_parse(arg[0], &r, err) < 0)
		return -1;
	if (r.kind != EB_REF_REGISTRY)
		return eb_err_set(err, EB_USAGE, "\"%s\": no registry's name",
				  arg[0]);
	if (r.has_digest)
		eb_digest_text(&r.digest, digest);
	return eb_buf_addf(out, "%s %s %s %s", r.registry, r.repository,
			   r.tag ? r.tag : "-", digest);
}

/* ---- pip ---------------------------------------------------------------- */

static json_t *string_list(const struct eb_strv *v)
{
	json_t *list = json_array();

	for (size_t i = 0; i < v->n; i++)
		json_array_append_new(list, json_string(v->v[i]));
	return list;
}

static void put_maybe(json_t *j, const char *key, const char *text)
{
	json_object_set_new(j, key, text ? json_string(text) : json_null());
}

static int requirement(char **arg, struct eb_buf *out, struct eb_error *err)
{
	struct eb_pep508 r EB_CLEANUP(eb_pep508_release) = { 0 };
	eb_autojson json_t *j = NULL;

	if (eb_pep508_parse(arg[0], &r, err) < 0)
		return -1;
	j = json_object();
	put_maybe(j, "name", r.name);
	json_object_set_new(j, "extras", string_list(&r.extras));
	json_object_set_new(j, "specifiers", string_list(&r.specifiers));
	put_maybe(j, "url", r.url);
	put_maybe(j, "marker", r.marker);
	eb_json_canonical(j, out);
	return 0;
}

/* The text with \t, \n and \r undone, in place. */
static char *unescaped(char *text)
{
	static const char from[] = "tnr", to[] = "\t\n\r";
	char *end = text;

	for (const char *p = text; *p; p++) {
		const char *found =
			*p == '\\' && p[1] ? strchr(from, p[1]) : NULL;

		*end++ = found ? to[found - from] : *p;
		p += found != NULL;
	}
	*end = '\0';
	return text;
}

static int pep440_cmp(char **arg, struct eb_buf *out, struct eb_error *err)
{
	int order;

	if (eb_pep440_compare(unescaped(arg[0]), unescaped(arg[1]), &order,
			      err) < 0)
		return -1;
	return eb_buf_addf(out, "%d", order);
}

static int pep440_match(char **arg, struct eb_buf *out, struct eb_error *err)
{
	bool allow = strcmp(arg[2], "allow") == 0;
	int rc;

	if (!allow && strcmp(arg[2], "deny") != 0)
		return eb_err_set(err, EB_USAGE,
				  "\"%s\": neither \"allow\" nor \"deny\"",
				  arg[2]);
	rc = eb_specifiers_contain(unescaped(arg[1]), unescaped(arg[0]),
				   allow ? EB_PRE_ALLOW : EB_PRE_DENY, err);
	return rc < 0 ? -1 : add_bool(out, rc);
}

static int read_environment(const char *text, struct eb_marker_env *env,
			    struct eb_error *err)
{
	eb_autojson json_t *j =
		eb_json_parse(text, strlen(text), "environment", err);
	const char *key;
	json_t *value;

	if (!j)
		return -1;
	json_object_foreach (j, key, value) {
		if (!json_is_string(value))
			return eb_err_set(err, EB_INPUT,
					  "environment: \"%s\" is no text",
					  key);
		eb_strv_add(&env->name, key);
		eb_strv_add(&env->value, json_string_value(value));
	}
	return 0;
}

static int marker(char **arg, struct eb_buf *out, struct eb_error *err)
{
	struct eb_marker_env env EB_CLEANUP(eb_marker_env_release) = { 0 };
	int rc;

	if (read_environment(arg[1], &env, err) < 0)
		return -1;
	rc = eb_marker_holds(unescaped(arg[0]), &env, arg[2], NULL, err);
	return rc < 0 ? -1 : add_bool(out, rc);
}

static void add_list(struct eb_buf *out, const struct eb_strv *v)
{
	for (size_t i = 0; i < v->n; i++)
		eb_buf_addf(out, "%s%s", i ? " " : "", v->v[i]);
}

/* "38" is 3.8, "313t" is 3.13, free-threaded. */
static int tags_of(char **arg, struct eb_strv *out, struct eb_error *err)
{
	bool threads = eb_ends(arg[0], "t");
	eb_autofree char *python = eb_strdup(arg[0]), *version = NULL;
	struct eb_python_target t = { .free_threaded = threads };

	if (threads)
		python[strlen(python) - 1] = '\0';
	version = *python ? eb_asprintf("%c.%s", *python, python + 1) : NULL;
	t.version = version;
	t.arch = arg[2];
	if (eb_starts(arg[1], "musl"))
		t.musl = arg[1] + strlen("musl");
	else
		t.glibc = arg[1];
	return eb_tags_of(&t, out, err);
}

static int tags(char **arg, struct eb_buf *out, struct eb_error *err)
{
	struct eb_strv list EB_CLEANUP(eb_strv_release) = { 0 };

	if (tags_of(arg, &list, err) < 0)
		return -1;
	add_list(out, &list);
	return 0;
}

static int wheel_choice(char **arg, struct eb_buf *out, struct eb_error *err)
{
	struct eb_strv files EB_CLEANUP(eb_strv_release) = { 0 };
	struct eb_strv list EB_CLEANUP(eb_strv_release) = { 0 };
	struct eb_strv best EB_CLEANUP(eb_strv_release) = { 0 };
	eb_autofree size_t *order = NULL;
	size_t n;

	if (tags_of(arg + 1, &list, err) < 0)
		return -1;
	eb_strv_split(&files, arg[0], " ");
	order = eb_calloc(files.n, sizeof *order);
	eb_wheel_choice(&files, &list, order, &n);
	for (size_t i = 0; i < n; i++)
		eb_strv_add(&best, files.v[order[i]]);
	add_list(out, &best);
	return 0;
}

static int wheel_name(char **arg, struct eb_buf *out, struct eb_error *err)
{
	struct eb_wheel_name w EB_CLEANUP(eb_wheel_name_release) = { 0 };

	if (eb_wheel_name_parse(arg[0], &w, err) < 0)
		return -1;
	eb_buf_addf(out, "%s %s %s ", w.name, w.version,
		    w.build ? w.build : "-");
	add_list(out, &w.tags);
	return 0;
}

/* ---- definitions -------------------------------------------------------- */

static int definition_hash(char **arg, struct eb_buf *out, struct eb_error *err)
{
	struct eb_config config EB_CLEANUP(eb_config_release) = { 0 };
	EB_CLEANUP(eb_env_free_ptr) struct eb_env *env = NULL;
	char hex[EB_HEX_SIZE];

	if (eb_config_load(NULL, NULL, &config, err) < 0 ||
	    eb_env_open(arg[0], &config, NULL, NULL, &env, err) < 0)
		return -1;
	return eb_buf_adds(out, eb_digest_hex(&env->definition, hex));
}

static int azure_name(char **arg, struct eb_buf *out, struct eb_error *err)
{
	EB_AUTOBUF(text, EB_MAX_YAML);
	char name[EB_AZURE_NAME];

	if (eb_read_file(arg[0], EB_MAX_YAML, &text, err) < 0 ||
	    eb_azure_conda_name(text.data, text.len, arg[0], name, err) < 0)
		return -1;
	return eb_buf_adds(out, name);
}

/* ---- the questions ------------------------------------------------------ */

static const struct question {
	const char *name;
	size_t n_args, n_optional;
	answer_fn *answer;
} questions[] = {
	{ "version-cmp", 2, 0, version_cmp },
	{ "version-match", 2, 0, version_match },
	{ "matchspec-parse", 1, 0, matchspec_parse },
	{ "matchspec-match", 2, 0, matchspec_match },
	{ "reference", 1, 0, reference },
	{ "requirement", 1, 0, requirement },
	{ "pep440-cmp", 2, 0, pep440_cmp },
	{ "pep440-match", 3, 0, pep440_match },
	{ "marker", 2, 1, marker },
	{ "tags", 3, 0, tags },
	{ "wheel-choice", 4, 0, wheel_choice },
	{ "wheel-name", 1, 0, wheel_name },
	{ "definition-hash", 1, 0, definition_hash },
	{ "azure-name", 1, 0, azure_name },
};

static int answer(struct eb_strv *line, struct eb_buf *out,
		  struct eb_error *err)
{
	const struct question *q = questions;
	const struct question *end = q + sizeof questions / sizeof *q;

	while (q < end && strcmp(q->name, line->v[0]))
		q++;
	if (q == end)
		return eb_err_set(err, EB_USAGE, "\"%s\": no such question",
				  line->v[0]);
	if (line->n - 1 < q->n_args || line->n - 1 > q->n_args + q->n_optional)
		return eb_err_set(err, EB_USAGE,
				  "\"%s\": %zu arguments, "
				  "not %zu",
				  q->name, q->n_args, line->n - 1);
	return q->answer(line->v + 1, out, err);
}

static void print_escaped(const char *s)
{
	for (; *s; s++) {
		if (*s == '\n')
			fputs("\\n", stdout);
		else if (*s == '\t')
			fputs("\\t", stdout);
		else if (*s == '\r')
			fputs("\\r", stdout);
		else
			putchar(*s);
	}
	putchar('\n');
}

static void answer_line(const char *text)
{
	struct eb_error err EB_CLEANUP(eb_err_release) = EB_ERROR_INIT;
	struct eb_strv line EB_CLEANUP(eb_strv_release) = { 0 };
	EB_AUTOBUF(out, EB_MAX_METADATA);
	int rc;

	eb_strv_split(&line, text, "\t");
	rc = answer(&line, &out, &err);
	if (rc == 0 && out.overflow)
		rc = eb_err_set(&err, EB_INPUT,
				"the answer is longer than %zu bytes", out.max);
	fputs(rc < 0 ? "error\t" : "ok\t", stdout);
	print_escaped(rc < 0 ? err.message : out.data);
}

int main(int argc, char **argv)
{
	bool at_once = argc > 1 && strcmp(argv[1], "-i") == 0;
	eb_autofree char *line = NULL;
	size_t alloc = 0;
	ssize_t n;

	if (argc > 1 + at_once) {
		fprintf(stderr, "usage: conform [-i] < QUESTIONS\n");
		return 2;
	}
	while ((n = getline(&line, &alloc, stdin)) > 0) {
		if (line[n - 1] == '\n')
			line[--n] = '\0';
		answer_line(line);
		if (at_once)
			fflush(stdout);
	}
	return fflush(stdout) == 0 && !ferror(stdin) ? 0 : 7;
}
