/* SPDX-License-Identifier: Apache-2.0 */
/* Requirements files as definitions: all that pip reads in one, as pip itself
 * answered; what a resolver gets of it; hostile files. */
#include "vectors.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <time.h>

#include <envbuild/buf.h>
#include <envbuild/file.h>
#include <envbuild/spec.h>

#define AUTOERR(name) \
	struct eb_error name EB_CLEANUP(eb_err_release) = EB_ERROR_INIT
#define AUTOSPEC(name) EB_CLEANUP(eb_spec_free_ptr) struct eb_spec *name = NULL
#define AUTOSET(name) \
	struct eb_pip_set name EB_CLEANUP(eb_pip_set_release) = { 0 }

/* ---- scratch
 * --------------------------------------------------------------------- */

static char *scratch(void)
{
	AUTOERR(err);
	char *dir = eb_make_tempdir("/tmp", "pip-file.", &err);

	assert_non_null(dir);
	return dir;
}

static void remove_scratch(char **dir)
{
	AUTOERR(err);

	assert_int_equal(eb_remove_tree(*dir, &err), 0);
	free(*dir);
}

static void put_bytes(const char *dir, const char *name, const char *data,
		      size_t n)
{
	eb_autofree char *path = eb_path_join(dir, name);
	eb_autofree char *folder =
		eb_strndup(path, (size_t)(strrchr(path, '/') - path));
	AUTOERR(err);

	assert_int_equal(eb_mkdirs(folder, 0755, &err), 0);
	assert_int_equal(eb_write_file(path, data, n, 0644, &err), 0);
}

static void put(const char *dir, const char *name, const char *text)
{
	put_bytes(dir, name, text, strlen(text));
}

static int read_file(const char *dir, const char *name, struct eb_spec **spec,
		     struct eb_pip_set *set, struct eb_error *err)
{
	eb_autofree char *path = eb_path_join(dir, name);

	if (eb_spec_read(path, "linux/amd64", NULL, spec, err) < 0)
		return -1;
	return eb_spec_pip_set(*spec, set, err);
}

static int read_text(const char *dir, const char *text, struct eb_spec **spec,
		     struct eb_pip_set *set, struct eb_error *err)
{
	put(dir, "requirements.txt", text);
	return read_file(dir, "requirements.txt", spec, set, err);
}

/* ---- pip's own answers
 * ------------------------------------------------------------- */

/*
 * Where envbuild differs on purpose: an option behind a requirement, which pip
 * reads and then drops, is refused with what to write instead.
 */
static bool is_exception(const char *name)
{
	static const char *const list[] = { "line-nobin", "line-idx" };

	for (size_t i = 0; i < sizeof list / sizeof *list; i++)
		if (strcmp(list[i], name) == 0)
			return true;
	return false;
}

struct table {
	const char *dir;
	const char *name; /* of the case */
	size_t compared, refused, exceptions;
};

static void unescape(char *text)
{
	char *to = text;

	for (const char *p = text; *p; p++) {
		if (*p == '\\' && p[1]) {
			p++;
			*to++ = *p == 'n'   ? '\n'
				: *p == 't' ? '\t'
				: *p == 'r' ? '\r'
					    : *p;
		} else {
			*to++ = *p;
		}
	}
	*to = '\0';
}

static void same_text(const struct table *t, const char *what, const char *got,
		      const char *wanted)
{
	if (strcmp(got ? got : "", wanted ? wanted : "") != 0)
		fail_msg("%s: %s \"%s\", not \"%s\"", t->name, what, got,
			 wanted);
}

static const char *string_in(const json_t *j, const char *key)
{
	return json_string_value(json_object_get(j, key));
}

static char *joined(const struct eb_strv *v)
{
	EB_AUTOBUF(out, EB_MAX_CONFIG);

	for (size_t i = 0; i < v->n; i++)
		eb_buf_addf(&out, "%s%s", i ? "," : "", v->v[i]);
	return eb_buf_steal(&out, NULL);
}

static char *joined_json(const json_t *list)
{
	struct eb_strv v EB_CLEANUP(eb_strv_release) = { 0 };
	size_t i;
	json_t *j;

	json_array_foreach (list, i, j)
		eb_strv_add(&v, json_string_value(j));
	return joined(&v);
}

/* pip's link of a path is a file: URL. */
static void same_link(const struct table *t, const struct eb_pip_line *l,
		      const char *link)
{
	eb_autofree char *wanted = NULL;
	const char *text = strstr(l->text, " @ ");

	if (!link)
		return;
	if (eb_starts(link, "file://$DIR")) {
		wanted = eb_asprintf("%s%s", t->dir,
				     link + strlen("file://$DIR"));
		same_text(t, "path", l->path, wanted);
		assert_true(eb_starts(l->text, wanted));
		return;
	}
	text = text ? text + 3 : l->text;
	if (!eb_starts(text, link) || strcspn(text, " ") != strlen(link))
		fail_msg("%s: link \"%s\", not \"%s\"", t->name, text, link);
}

/* The specifiers, in normal form both. */
static void same_specifiers(const struct table *t, const struct eb_pip_line *l,
			    const char *spec, const char *link)
{
	eb_autofree char *line = eb_asprintf("x %s", spec ? spec : "");
	struct eb_pep508 got EB_CLEANUP(eb_pep508_release) = { 0 };
	struct eb_pep508 wanted EB_CLEANUP(eb_pep508_release) = { 0 };
	eb_autofree char *a = NULL, *b = NULL;
	AUTOERR(err);

	if (link) /* pip reads a wheel's version from its name */
		return;
	assert_int_equal(eb_pep508_parse(line, &wanted, &err), 0);
	if (eb_pep508_parse(l->text, &got, &err) < 0)
		fail_msg("%s: %s", t->name, err.message);
	a = joined(&got.specifiers);
	b = joined(&wanted.specifiers);
	same_text(t, "specifiers", a, b);
}

static void same_extras(const struct table *t, const struct eb_pip_line *l,
			const json_t *wanted)
{
	eb_autofree char *names = joined_json(wanted);
	eb_autofree char *part = eb_asprintf("[%s]", names);

	if (json_array_size(wanted) && !strstr(l->text, part))
		fail_msg("%s: no %s in \"%s\"", t->name, part, l->text);
	if (!json_array_size(wanted) && strchr(l->text, '['))
		fail_msg("%s: extras in \"%s\"", t->name, l->text);
}

static void same_hashes(const struct table *t, const struct eb_pip_line *l,
			json_t *wanted)
{
	const char *kind;
	json_t *list, *j;
	size_t i, n = 0;

	json_object_foreach (wanted, kind, list)
		json_array_foreach (list, i, j) {
			eb_autofree char *one = eb_asprintf(
				"%s:%s", kind, json_string_value(j));

			assert_true(eb_strv_has(&l->hash, one));
			n++;
		}
	if (n != l->hash.n)
		fail_msg("%s: %zu hashes, not %zu", t->name, l->hash.n, n);
}

static void same_settings(const struct eb_pip_line *l, json_t *opts)
{
	json_t *wanted = json_object_get(opts, "config_settings"), *value;
	const char *key;

	assert_int_equal(l->setting.n, json_object_size(wanted));
	json_object_foreach (wanted, key, value) {
		eb_autofree char *one =
			eb_asprintf("%s=%s", key, json_string_value(value));

		assert_true(eb_strv_has(&l->setting, one));
	}
}

static void same_line(const struct table *t, const struct eb_pip_line *l,
		      const json_t *wanted)
{
	json_t *parsed = json_object_get(wanted, "parsed");
	const char *name = string_in(parsed, "name");
	const char *link = string_in(parsed, "link");
	eb_autofree char *normal = name ? eb_project_name(name) : NULL;

	assert_int_equal(l->editable,
			 json_is_true(json_object_get(wanted, "editable")));
	same_text(t, "name", l->name, normal);
	same_text(t, "marker", l->marker, string_in(parsed, "marker"));
	same_link(t, l, link);
	same_specifiers(t, l, string_in(parsed, "spec"), link);
	same_extras(t, l, json_object_get(parsed, "extras"));
	same_hashes(t, l, json_object_get(parsed, "hashes"));
	same_settings(l, json_object_get(wanted, "opts"));
}

/* ---- options
 * ----------------------------------------------------------------------- */

static void same_list(const struct table *t, const char *what,
		      const struct eb_strv *got, const json_t *wanted)
{
	eb_autofree char *a = joined(got), *b = joined_json(wanted);

	same_text(t, what, a, b);
}

/* A folder is absolute here. */
static void same_links(const struct table *t, const struct eb_pip_set *s,
		       const json_t *wanted)
{
	struct eb_strv list EB_CLEANUP(eb_strv_release) = { 0 };
	eb_autofree char *a = joined(&s->find_links), *b = NULL;
	size_t i;
	json_t *j;

	json_array_foreach (wanted, i, j) {
		const char *text = json_string_value(j);

		if (eb_starts(text, "./"))
			eb_strv_addf(&list, "%s/%s", t->dir, text + 2);
		else
			eb_strv_add(&list, text);
	}
	b = joined(&list);
	same_text(t, "find-links", a, b);
}

/* What the options of all lines say together, as one object. */
static json_t *all_options(const json_t *lines)
{
	json_t *all = json_object(), *line, *value;
	const char *key;
	size_t i;

	json_array_foreach (lines, i, line)
		json_object_foreach (json_object_get(line, "opts"), key,
				     value) {
			json_t *there = json_object_get(all, key);

			if (json_is_array(there))
				json_array_extend(there, value);
			else
				json_object_set_new(all, key,
						    json_deep_copy(value));
		}
	return all;
}

static void same_options(const struct table *t, const struct eb_pip_set *s,
			 const json_t *lines)
{
	json_t *o = all_options(lines);
	json_t *formats = json_object_get(o, "format_control");

	same_text(t, "index-url", s->index_url, string_in(o, "index_url"));
	same_list(t, "extra-index-url", &s->extra_index,
		  json_object_get(o, "extra_index_urls"));
	same_list(t, "trusted-host", &s->trusted_host,
		  json_object_get(o, "trusted_hosts"));
	same_list(t, "no-binary", &s->no_binary, json_array_get(formats, 0));
	same_list(t, "only-binary", &s->only_binary,
		  json_array_get(formats, 1));
	same_links(t, s, json_object_get(o, "find_links"));
	assert_int_equal(s->no_index,
			 json_is_true(json_object_get(o, "no_index")));
	assert_int_equal(s->pre, json_is_true(json_object_get(o, "pre")));
	assert_int_equal(s->prefer_binary,
			 json_is_true(json_object_get(o, "prefer_binary")));
	assert_int_equal(s->require_hashes,
			 json_is_true(json_object_get(o, "require_hashes")));
	json_decref(o);
}

/* ---- the table
 * ------------------------------------------------------------------------- */

static void compare(struct table *t, const struct eb_pip_set *s,
		    const char *answer)
{
	json_t *lines = json_loads(answer, 0, NULL), *line;
	size_t i, n = 0;

	assert_true(json_is_array(lines));
	json_array_foreach (lines, i, line) {
		if (json_is_null(json_object_get(line, "req")))
			continue;
		if (n == s->n)
			fail_msg("%s: %zu lines", t->name, s->n);
		same_line(t, &s->requirement[n++], line);
	}
	if (n != s->n)
		fail_msg("%s: %zu lines, not %zu", t->name, s->n, n);
	same_options(t, s, lines);
	json_decref(lines);
	t->compared++;
}

/* Read as a definition, and its lines as they are: what holds for all of them
 * together is no question of the table. */
static int read_lines(const char *dir, const char *text, struct eb_pip_set *set,
		      struct eb_error *err)
{
	eb_autofree char *path = eb_path_join(dir, "requirements.txt");
	AUTOSPEC(spec);

	put(dir, "requirements.txt", text);
	if (eb_spec_read(path, "linux/amd64", NULL, &spec, err) < 0)
		return -1;
	return eb_pip_set_add_text(set, text, strlen(text), false, dir, path,
				   err);
}

static void file_row(const struct eb_strv *cells, void *data)
{
	struct table *t = data;
	bool ok = strcmp(cells->v[2], "OK") == 0;
	AUTOSET(set);
	AUTOERR(err);
	int rc;

	t->name = cells->v[0];
	unescape(cells->v[1]);
	unescape(cells->v[3]);
	rc = read_lines(t->dir, cells->v[1], &set, &err);
	if (is_exception(t->name)) {
		assert_int_equal(rc, -1);
		assert_non_null(strstr(err.message, "behind a requirement"));
		assert_non_null(strstr(err.hint, "on a line of its own"));
		t->exceptions++;
	} else if (ok != (rc == 0)) {
		fail_msg("%s: %s", t->name, rc ? err.message : "taken");
	} else if (ok) {
		compare(t, &set, cells->v[3]);
	} else {
		assert_int_equal(err.code, EB_INPUT);
		assert_non_null(err.file);
		assert_true(err.line > 0);
		t->refused++;
	}
}

/* pip does not look whether an archive is there before it installs; a
 * definition is hashed by what is in it, so here they are. */
static void put_sources(const char *dir)
{
	put(dir, "pyproject.toml", "");
	put(dir, "dir/pyproject.toml", "");
	put(dir, "dir/pkg-1.0-py3-none-any.whl", "PK");
	put(dir, "pkg-1.0-py3-none-any.whl", "PK");
	put(dir, "pkg.zip", "PK");
}

static void as_pip_says(void **state)
{
	NEED_DATA(path, "python/vectors/requirements_file.tsv");
	char *dir EB_CLEANUP(remove_scratch) = scratch();
	struct table t = { .dir = dir };
	size_t n;

	(void)state;
	setenv("VER_A", "1.0", 1);
	setenv("TOK", "s3cret", 1);
	put_sources(dir);
	n = each_row(path, file_row, &t);
	unsetenv("VER_A");
	unsetenv("TOK");
	print_message("%zu cases: %zu compared, %zu refused by both, %zu "
		      "exceptions\n",
		      n, t.compared, t.refused, t.exceptions);
	assert_int_equal(n, 81);
	assert_int_equal(t.compared + t.refused + t.exceptions, n);
	assert_int_equal(t.exceptions, 2);
	assert_int_equal(t.compared, 51);
}

/* ---- encodings
 * ----------------------------------------------------------------------- */

static void must_be(const char *dir, const char *data, size_t n,
		    const char *name)
{
	AUTOSPEC(spec);
	AUTOSET(set);
	AUTOERR(err);

	put_bytes(dir, "r.txt", data, n);
	if (read_file(dir, "r.txt", &spec, &set, &err) < 0)
		fail_msg("%s", err.message);
	assert_int_equal(set.n, 1);
	assert_string_equal(set.requirement[0].name, name);
}

#define BYTES(text) text, sizeof text - 1

static void encodings(void **state)
{
	char *dir EB_CLEANUP(remove_scratch) = scratch();

	(void)state;
	must_be(dir, BYTES("\xef\xbb\xbfnumpy\r\n"), "numpy");
	must_be(dir,
		BYTES("\xff\xfe"
		      "a\0b\0\r\0\n\0"),
		"ab");
	must_be(dir, BYTES("\xfe\xff\0a\0b\0\n\0#\xd8\x3d\xde\x00"), "ab");
	must_be(dir, BYTES("\xff\xfe\0\0a\0\0\0b\0\0\0"), "ab");
	must_be(dir, BYTES("\0\0\xfe\xff\0\0\0a\0\0\0b"), "ab");
	must_be(dir, BYTES("# -*- coding: latin-1 -*-\nnumpy # \xe9\n"),
		"numpy");
	must_be(dir, BYTES("#\n# vim: set fileencoding=iso8859-15 :\na # \xa4"),
		"a");
	must_be(dir, BYTES("# coding=cp1252\na # \x80\n"), "a");
	must_be(dir, BYTES("# coding: UTF_8\na # \xc3\xa9\n"), "a");
	must_be(dir, BYTES("a\r# b\r"), "a");
	must_be(dir, BYTES("\f\na\n"), "a");
}

static void wrong_bytes(const char *dir, const char *data, size_t n,
			unsigned line, const char *message, const char *hint)
{
	AUTOSPEC(spec);
	AUTOSET(set);
	AUTOERR(err);

	put_bytes(dir, "r.txt", data, n);
	assert_int_equal(read_file(dir, "r.txt", &spec, &set, &err), -1);
	assert_int_equal(err.code, EB_INPUT);
	if (!strstr(err.message, message) || err.line != line ||
	    (hint && (!err.hint || !strstr(err.hint, hint))))
		fail_msg("%u: %s (%s)", err.line, err.message, err.hint);
}

static void bad_bytes(void **state)
{
	char *dir EB_CLEANUP(remove_scratch) = scratch();

	(void)state;
	wrong_bytes(dir, BYTES("a\n\nb\0c\n"), 3, "NUL bytes", NULL);
	wrong_bytes(dir, BYTES("a\0b\0\n\0"), 1, "NUL bytes", "UTF-16");
	wrong_bytes(dir, BYTES("a\nb # \xe9\n"), 2, "no UTF-8",
		    "# coding: latin-1");
	wrong_bytes(dir, BYTES("# coding: ascii\n# \xe9\n"), 1, "\"ascii\"",
		    "UTF-8");
	wrong_bytes(dir, BYTES("# coding: no-such-thing\na\n"), 1,
		    "\"no-such-thing\"", NULL);
	wrong_bytes(dir,
		    BYTES("\xff\xfe"
			  "a\0b"),
		    1, "\"utf-16le\"", NULL);
	wrong_bytes(dir, BYTES("\xff\xfe\0\xd8"), 1, "\"utf-16le\"", NULL);
	wrong_bytes(dir, BYTES("# coding: utf-8\n# \xe9"), 2, "no UTF-8", NULL);
	wrong_bytes(dir,
		    BYTES("a\x01"
			  "b\n"),
		    1, "control character", NULL);
}

/* ---- a file as a definition
 * ------------------------------------------------------------- */

static char *normal_text(const char *dir, const char *name)
{
	eb_autofree char *path = eb_path_join(dir, name);
	struct eb_request r = { .platform = "linux/amd64",
				.prefix = "/opt/env" };
	EB_AUTOBUF(out, EB_MAX_TEXT);
	AUTOSPEC(spec);
	AUTOERR(err);

	if (eb_spec_read(path, r.platform, NULL, &spec, &err) < 0)
		fail_msg("%s", err.message);
	r.spec = spec;
	assert_int_equal(eb_definition_text(&r, &out, &err), 0);
	return eb_buf_steal(&out, NULL);
}

static void of_its_own(void **state)
{
	char *dir EB_CLEANUP(remove_scratch) = scratch();
	eb_autofree char *a = NULL, *b = NULL, *c = NULL;
	AUTOSPEC(spec);
	AUTOSET(set);
	AUTOERR(err);

	(void)state;
	put(dir, "requirements-dev.in", "-c c.txt\n\nFlask>=1.0 # why\n");
	put(dir, "c.txt", "flask<3\n");
	put(dir, "env.yml",
	    "dependencies: [python, {pip: [-r requirements-dev.in]}]\n");
	put(dir, "same.txt", "-c c.txt\nflask >= 1\n");
	assert_int_equal(
		read_file(dir, "requirements-dev.in", &spec, &set, &err), 0);
	assert_int_equal(spec->n_conda, 1);
	assert_string_equal(eb_matchspec_normal(spec->conda[0]), "python");
	assert_int_equal(spec->channels.n, 0);
	assert_true(spec->has_pip_section);
	assert_int_equal(spec->pip_at[1].line, 3);
	assert_int_equal(set.n, 1);
	assert_int_equal(set.n_constraints, 1);
	assert_int_equal(set.requirement[0].line, 3);
	assert_true(eb_ends(set.requirement[0].file, "/requirements-dev.in"));
	assert_true(eb_ends(set.constraint[0].file, "/c.txt"));
	a = normal_text(dir, "requirements-dev.in");
	b = normal_text(dir, "env.yml");
	c = normal_text(dir, "same.txt");
	assert_string_equal(a, b);
	assert_string_equal(a, c);
	assert_non_null(strstr(a, "conda python\npip flask>=1\n"
				  "pip-constraint flask<3\n"));
}

/* YAML stays YAML, whatever its name. */
static void told_apart(void **state)
{
	char *dir EB_CLEANUP(remove_scratch) = scratch();
	AUTOSPEC(yaml);
	AUTOSPEC(empty);
	AUTOSPEC(other);
	AUTOSET(set);
	AUTOSET(nothing);
	AUTOERR(err);

	(void)state;
	put(dir, "env.txt", "name: x\ndependencies:\n- numpy\n");
	assert_int_equal(read_file(dir, "env.txt", &yaml, &set, &err), 0);
	assert_string_equal(yaml->name, "x");
	assert_int_equal(set.n, 0);
	put(dir, "empty.txt", "# nothing\n");
	assert_int_equal(read_file(dir, "empty.txt", &empty, &nothing, &err),
			 0);
	assert_int_equal(empty->n_conda, 1);
	assert_false(empty->has_pip_section);
	put(dir, "other.in", "numpy==1.0\n");
	assert_int_equal(read_file(dir, "other.in", &other, &nothing, &err),
			 -1);
	assert_non_null(strstr(err.message, "requirements file"));
	assert_non_null(strstr(err.hint, ".txt"));
}

static const struct {
	const char *name, *text, *message, *hint;
	unsigned line;
} foreign[] = {
	{ "pylock.toml", "lock-version = \"1.0\"\n",
	  "it has no list of packages", NULL, 1 },
	{ "pylock.dev.toml", "", "it has no lock-version", NULL, 1 },
	{ "pyproject.toml", "[project]\n", "own file", "-e FOLDER", 1 },
	{ "poetry.toml", "a = 1\n", "it is TOML", NULL, 1 },
	{ "x.txt", "# c\n@EXPLICIT\nhttps://h/a.conda\n", "has no hash",
	  "--sha256", 3 },
	{ "my-requirements.txt", "numpy\nnumpy=1.0=py37_0\n",
	  "no operator of pip", "numpy==1.0", 2 },
	{ "x.txt", "a\n\nnumpy=={{ v }}\n", "numpy", "template", 3 },
	{ "x.txt", "a\nb --index-url https://h/s\n", "behind a requirement",
	  "line of its own", 2 },
};

static void foreign_files(void **state)
{
	char *dir EB_CLEANUP(remove_scratch) = scratch();

	(void)state;
	for (size_t i = 0; i < sizeof foreign / sizeof *foreign; i++) {
		AUTOSPEC(spec);
		AUTOSET(set);
		AUTOERR(err);

		put(dir, foreign[i].name, foreign[i].text);
		assert_int_equal(
			read_file(dir, foreign[i].name, &spec, &set, &err), -1);
		assert_int_equal(err.code, EB_INPUT);
		if (!strstr(err.message, foreign[i].message) ||
		    (foreign[i].hint &&
		     (!err.hint || !strstr(err.hint, foreign[i].hint))))
			fail_msg("%s: %s (%s)", foreign[i].name, err.message,
				 err.hint);
		assert_true(eb_ends(err.file, foreign[i].name));
		assert_int_equal(err.line, foreign[i].line);
	}
	assert_true(eb_spec_is_pylock("/x/pylock.toml"));
	assert_true(eb_spec_is_pylock("pylock.a.toml"));
	assert_false(eb_spec_is_pylock("pylock.toml/x.toml"));
	assert_false(eb_spec_is_pylock("my-pylock.toml"));
}

static void python_is_missing(void **state)
{
	static const char text[] = "dependencies:\n- a\n- pip:\n  - numpy\n";
	AUTOSPEC(spec);
	AUTOERR(err);

	(void)state;
	assert_int_equal(eb_spec_parse(text, strlen(text), "e.yml",
				       "linux/amd64", NULL, &spec, &err),
			 0);
	assert_int_equal(eb_spec_no_python(spec, &err), -1);
	assert_non_null(strstr(err.message, "no package brings the Python"));
	assert_non_null(strstr(err.hint, "python"));
	assert_int_equal(err.line, 4);
	assert_int_equal(err.column, 5);
}

/* ---- sections, files in files
 * ---------------------------------------------------------------- */

static void flattened(void **state)
{
	char *dir EB_CLEANUP(remove_scratch) = scratch();
	eb_autofree char *sub = eb_path_join(dir, "sub/p");
	eb_autofree char *wheels = eb_path_join(dir, "sub/w");
	AUTOSPEC(spec);
	AUTOSET(set);
	AUTOERR(err);

	(void)state;
	put(dir, "sub/p/setup.py", "");
	put(dir, "env.yml",
	    "dependencies:\n- python\n- pip:\n  - a\n  - -r sub/r.txt\n"
	    "  - z\n  - -c https://u:hunter2x@h/c.txt\n");
	put(dir, "sub/r.txt",
	    "-e ./p[x]\n-f w\n\n-r ../more.txt\n-c c.txt\n"
	    "./p ; os_name == 'posix'\n");
	put(dir, "sub/c.txt", "k<2\n-r ../more.txt\n-r https://h/r.txt\n");
	put(dir, "more.txt", "m\n");
	if (read_file(dir, "env.yml", &spec, &set, &err) < 0)
		fail_msg("%s", err.message);
	assert_int_equal(set.n, 5);
	assert_string_equal(set.requirement[0].text, "a");
	assert_int_equal(set.requirement[0].line, 4);
	assert_int_equal(set.requirement[0].column, 5);
	assert_string_equal(set.requirement[1].path, sub);
	assert_true(set.requirement[1].editable);
	assert_true(eb_ends(set.requirement[1].text, "/sub/p[x]"));
	assert_string_equal(set.requirement[1].shown, "-e ./p[x]");
	assert_string_equal(set.requirement[2].text, "m");
	assert_true(eb_ends(set.requirement[3].text,
			    "/sub/p ; os_name == \"posix\""));
	assert_int_equal(set.requirement[3].line, 6);
	assert_string_equal(set.requirement[4].text, "z");
	assert_int_equal(set.n_constraints, 2);
	assert_string_equal(set.constraint[0].text, "k<2");
	assert_string_equal(set.constraint[1].text, "m");
	assert_string_equal(set.find_links.v[0], wheels);
	assert_int_equal(set.remote.n, 2);
	assert_string_equal(set.remote.v[0], "-c https://h/r.txt");
	assert_string_equal(set.remote.v[1], "-c https://u:hunter2x@h/c.txt");
}

static void bad_whole(const char *dir, const char *text, unsigned line,
		      const char *message)
{
	AUTOSPEC(spec);
	AUTOSET(set);
	AUTOERR(err);

	if (read_text(dir, text, &spec, &set, &err) == 0)
		fail_msg("taken: %s", text);
	assert_int_equal(err.code, EB_INPUT);
	assert_int_equal(set.n, 0);
	if (!strstr(err.message, message) || err.line != line)
		fail_msg("%s: %u: %s", text, err.line, err.message);
}

static void hashes_everywhere(void **state)
{
	char *dir EB_CLEANUP(remove_scratch) = scratch();
	AUTOSPEC(spec);
	AUTOSET(set);
	AUTOERR(err);

	(void)state;
	put_sources(dir);
	put(dir, "c.txt", "d==4 --hash=sha256:dd\n");
	bad_whole(dir, "a==1 --hash=sha256:aa\nb==1\n", 2, "has no --hash");
	bad_whole(dir, "b==1\na==1 --hash=sha256:aa\n", 1, "has no --hash");
	bad_whole(dir, "--require-hashes\na==1\n", 2, "--require-hashes");
	bad_whole(dir, "a>=1 --hash=sha256:aa\n", 1, "not pinned");
	bad_whole(dir, "a==1 --hash=sha256:aa\n./dir\n", 2, "is a folder");
	bad_whole(dir, "a==1 --hash=sha256:aa\n-e .\n", 2, "is a folder");
	bad_whole(dir, "a==1 --hash=sha256:aa\ngit+https://h/r\n", 2,
		  "is a repository");
	bad_whole(dir, "a==1 --hash=sha256:aa\nb @ git+https://h/r\n", 2,
		  "is a repository");
	bad_whole(dir, "-c c.txt\na==1\n", 2, "has no --hash");
	if (read_text(dir,
		      "-c c.txt\na==1 --hash=sha256:AA --hash=sha512:bb\n"
		      "https://h/b-1-py3-none-any.whl#sha256=ab\n"
		      "c @ https://h/c.zip#egg=c&sha256=ab\nd\n"
		      "e; os_name == 'nt'\npkg.zip --hash=sha256:cc\n",
		      &spec, &set, &err) < 0)
		fail_msg("%s", err.message);
	assert_int_equal(set.n, 6);
	assert_true(eb_pip_set_hashed(&set));
	assert_string_equal(set.requirement[0].hash.v[0], "sha256:aa");
}

/* ---- hostile
 * ------------------------------------------------------------------------------
 */

static double seconds(clock_t since)
{
	return (double)(clock() - since) / CLOCKS_PER_SEC;
}

static void huge(const char *dir, const char *name)
{
	eb_autofree char *path = eb_path_join(dir, name);
	int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0644);

	assert_true(fd >= 0);
	assert_int_equal(ftruncate(fd, 100 << 20), 0);
	close(fd);
}

static void huge_files(void **state)
{
	char *dir EB_CLEANUP(remove_scratch) = scratch();
	clock_t start = clock();
	AUTOSPEC(spec);
	AUTOSET(set);
	AUTOERR(err);

	(void)state;
	huge(dir, "huge.txt");
	assert_int_equal(read_file(dir, "huge.txt", &spec, &set, &err), -1);
	assert_int_equal(err.code, EB_INPUT);
	assert_non_null(strstr(err.message, "104857600 bytes"));
	bad_whole(dir, "a\n-r huge.txt\n", 2, "104857600 bytes");
	bad_whole(dir, "a\n-c huge.txt\n", 2, "104857600 bytes");
	assert_true(seconds(start) < 0.5);
}

/* Many files of a size that is allowed. */
static void many_large(void **state)
{
	char *dir EB_CLEANUP(remove_scratch) = scratch();
	EB_AUTOBUF(text, EB_MAX_YAML);
	EB_AUTOBUF(all, EB_MAX_CONFIG);
	clock_t start = clock();

	(void)state;
	while (text.len < 3 << 20)
		eb_buf_adds(&text, "# a long comment that says nothing\n");
	put(dir, "large.txt", text.data);
	for (int i = 0; i < 200; i++)
		eb_buf_adds(&all, "-r large.txt\n");
	bad_whole(dir, all.data, 6, "16777216 bytes in all");
	print_message("%.2f s\n", seconds(start));
	assert_true(seconds(start) < 20);
}

static void circles(void **state)
{
	char *dir EB_CLEANUP(remove_scratch) = scratch();

	(void)state;
	put(dir, "a.txt", "-r b.txt\n");
	put(dir, "b.txt", "x\n-c a.txt\n");
	bad_whole(dir, "-r requirements.txt\n", 1, "include each other");
	bad_whole(dir, "-r ./x/../requirements.txt\n", 1, "x/../requirements");
	bad_whole(dir, "-r a.txt\n", 2, "include each other");
	put(dir, "b.txt", "x\n");
	put(dir, "a.txt", "-r b.txt\n-r b.txt\n");
	bad_whole(dir, "-r a.txt\ny=1\n", 2, "no operator");
}

static void not_files(void **state)
{
	char *dir EB_CLEANUP(remove_scratch) = scratch();
	eb_autofree char *fifo = eb_path_join(dir, "fifo");

	(void)state;
	assert_int_equal(mkfifo(fifo, 0600), 0);
	bad_whole(dir, "-r fifo\n", 1, "it is no file");
	bad_whole(dir, "-r /dev/zero\n", 1, "it is no file");
	bad_whole(dir, "-c .\n", 1, "it is no file");
	bad_whole(dir, "-r nowhere.txt\n", 1, "nowhere.txt");
	bad_whole(dir, "./fifo\n", 1, "is no file or folder");
}

static void deep_marker(void **state)
{
	char *dir EB_CLEANUP(remove_scratch) = scratch();
	EB_AUTOBUF(text, EB_MAX_CONFIG);

	(void)state;
	eb_buf_adds(&text, "a\nx ; ");
	for (int i = 0; i < 1000; i++)
		eb_buf_adds(&text, "(");
	eb_buf_adds(&text, "os_name == 'posix'");
	for (int i = 0; i < 1000; i++)
		eb_buf_adds(&text, ")");
	bad_whole(dir, text.data, 2, "parentheses deep");
}

static void long_lines(void **state)
{
	char *dir EB_CLEANUP(remove_scratch) = scratch();
	EB_AUTOBUF(text, EB_MAX_YAML);
	clock_t start = clock();

	(void)state;
	eb_buf_adds(&text, "a\nb==");
	while (text.len < 1 << 20)
		eb_buf_adds(&text, "1.");
	bad_whole(dir, text.data, 2, "longer than 262144 bytes");
	eb_buf_reset(&text);
	eb_buf_adds(&text, "a\nb \\\n");
	while (text.len < 3 << 20)
		eb_buf_adds(&text, "  --hash=sha256:00 \\\n");
	bad_whole(dir, text.data, 2, "longer than 262144 bytes");
	assert_true(seconds(start) < 5);
}

/* A valid line with as many hashes as a project has files. */
static void many_hashes(void **state)
{
	char *dir EB_CLEANUP(remove_scratch) = scratch();
	EB_AUTOBUF(text, EB_MAX_YAML);
	clock_t start = clock();
	AUTOSPEC(spec);
	AUTOSET(set);
	AUTOERR(err);

	(void)state;
	eb_buf_adds(&text, "a==1");
	for (unsigned i = 0; i < 3000; i++)
		eb_buf_addf(&text, " \\\n --hash=sha256:%064x", i);
	assert_int_equal(read_text(dir, text.data, &spec, &set, &err), 0);
	assert_int_equal(set.requirement[0].hash.n, 3000);
	assert_true(seconds(start) < 5);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(as_pip_says),
		cmocka_unit_test(encodings),
		cmocka_unit_test(bad_bytes),
		cmocka_unit_test(of_its_own),
		cmocka_unit_test(told_apart),
		cmocka_unit_test(foreign_files),
		cmocka_unit_test(python_is_missing),
		cmocka_unit_test(flattened),
		cmocka_unit_test(hashes_everywhere),
		cmocka_unit_test(huge_files),
		cmocka_unit_test(many_large),
		cmocka_unit_test(circles),
		cmocka_unit_test(not_files),
		cmocka_unit_test(deep_marker),
		cmocka_unit_test(long_lines),
		cmocka_unit_test(many_hashes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
