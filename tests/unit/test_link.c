/* SPDX-License-Identifier: Apache-2.0 */
/* Linking: what packages become below the prefix, and what is said of it. */
#include <dirent.h>
#include <fcntl.h>

#include <envbuild/file.h>
#include <envbuild/json.h>
#include <envbuild/link.h>

#include "make_package.h"

#define PLACEHOLDER "/build/place/holder_holder_holder"

static const struct eb_link_target target = { .prefix = "/opt/env",
					      .python_minor = "3.7" };

/* A package in the making, and what came of it. */
struct linked {
	struct eb_buf tar;
	struct eb_record r;
	struct eb_link_target t;
	struct eb_entries out;
	struct eb_error err;
	struct eb_buf said; /* notes, details, warnings; a line each */
	struct eb_events *events;
	int rc;
};

static void hear(void *data, const struct eb_event *ev)
{
	struct linked *l = data;

	eb_buf_addf(&l->said, "%s%s\n",
		    ev->type == EB_EV_WARNING ? "warning: " : "", ev->text);
}

static int begin(void **state)
{
	struct linked *l = eb_calloc(1, sizeof *l);

	eb_buf_init(&l->tar, MAKE_MAX);
	eb_buf_init(&l->said, 1 << 20);
	l->events = eb_events_new(hear, l);
	l->t = target;
	make_record(&l->r, "t-1-0.tar.bz2", &l->tar);
	*state = l;
	return 0;
}

static int end(void **state)
{
	struct linked *l = *state;

	eb_buf_release(&l->tar);
	eb_buf_release(&l->said);
	eb_events_free(l->events);
	eb_entries_release(&l->out);
	eb_err_release(&l->err);
	eb_record_release(&l->r);
	free(l);
	return 0;
}

static void link_it(struct linked *l)
{
	struct eb_package p;
	EB_AUTOBUF(archive, MAKE_MAX);

	make_end(&l->tar);
	make_bzip2(&archive, l->tar.data, l->tar.len);
	l->r.size = archive.len;
	eb_sha256(archive.data, archive.len, &l->r.sha256);
	if (make_read(&archive, &l->r, &p, &l->err) < 0)
		fail_msg("%s", l->err.message);
	l->rc = eb_link_payload(&p, &l->r, &l->t, &l->out, l->events, &l->err);
	eb_package_release(&p);
}

static void link_well(struct linked *l)
{
	link_it(l);
	if (l->rc < 0)
		fail_msg("%s", l->err.message);
}

static void link_badly(struct linked *l, enum eb_code code, const char *words)
{
	link_it(l);
	assert_int_equal(l->rc, -1);
	if (l->err.code != code || !strstr(l->err.message, words) ||
	    !strstr(l->err.message, "t-1-0.tar.bz2"))
		fail_msg("code %d \"%s\", wanted %d \"%s\"", l->err.code,
			 l->err.message, code, words);
	assert_int_equal(l->out.n, 0);
}

static char *read_entry(const struct eb_entry *e)
{
	char *text = eb_calloc(1, (size_t)e->size + 1);
	struct eb_error err = EB_ERROR_INIT;
	struct eb_digest d;

	assert_int_equal(
		eb_spool_read(e->spool, e->offset, text, (size_t)e->size, &err),
		0);
	eb_sha256(text, (size_t)e->size, &d);
	assert_true(eb_digest_equal(&d, &e->sha256));
	return text;
}

static const struct eb_entry *need(const struct linked *l, const char *path)
{
	const struct eb_entry *e = eb_entries_find(&l->out, path);

	if (!e)
		fail_msg("no \"%s\"", path);
	return e;
}

static void assert_text(const struct linked *l, const char *path,
			const char *want)
{
	eb_autofree char *has = read_entry(need(l, path));

	assert_string_equal(has, want);
}

static void assert_note(const struct linked *l, const char *path,
			const char *want)
{
	const struct eb_entry *e = need(l, path);

	if (!want)
		assert_null(e->note);
	else
		assert_string_equal(e->note ? e->note : "", want);
}

/* paths.json of these entries (JSON without the outer braces). */
static void add_paths(struct linked *l, const char *entries)
{
	eb_autofree char *text =
		eb_asprintf("{\"paths_version\": 1, \"paths\": [%s]}", entries);

	make_file(&l->tar, "info/paths.json", text);
}

#define SHA_A "ca978112ca1bbdcafac231b39a23dc4da786eff8147c4e72b9807785afee48bb"
#define SHA_B "3e23e8160039594a33894f6564e1b1348bbd7a0088d42c4acb73eeaed59c009d"

/* ---- what is linked ----------------------------------------------------- */

static void plain(void **state)
{
	struct linked *l = *state;

	l->t.source_date_epoch = 1400000000;
	add_paths(l, "{\"_path\":\"bin/a\",\"path_type\":\"hardlink\","
		     "\"sha256\":\"" SHA_A "\",\"size_in_bytes\":1},"
		     "{\"_path\":\"lib/old\",\"path_type\":\"hardlink\","
		     "\"no_link\":true},"
		     "{\"_path\":\"lib/l\",\"path_type\":\"softlink\","
		     "\"sha256\":\"" SHA_A "\",\"size_in_bytes\":1},"
		     "{\"_path\":\"var/empty\",\"path_type\":\"directory\"},"
		     "{\"_path\":\"lib\",\"path_type\":\"directory\"},"
		     "{\"_path\":\"info/x\",\"path_type\":\"hardlink\"}");
	make_add(&l->tar, &(struct make_member){ .path = "bin/a",
						 .mode = 0700,
						 .content = "a" });
	make_add(&l->tar, &(struct make_member){ .path = "lib/old",
						 .mtime = 1300000000,
						 .content = "b" });
	make_add(&l->tar, &(struct make_member){ .path = "lib/l",
						 .type = '2',
						 .target = "../bin/a" });
	make_file(&l->tar, "not/listed", "x");
	make_add(&l->tar, &(struct make_member){ .path = "dir/", .type = '5' });
	link_well(l);
	assert_int_equal(l->out.n, 4);
	assert_text(l, "opt/env/bin/a", "a");
	assert_int_equal(need(l, "opt/env/bin/a")->mode, 0755);
	assert_int_equal(need(l, "opt/env/bin/a")->mtime, 1400000000);
	assert_int_equal(need(l, "opt/env/lib/old")->mtime, 1300000000);
	assert_string_equal(need(l, "opt/env/lib/l")->target, "../bin/a");
	assert_int_equal(need(l, "opt/env/var/empty")->type, EB_ENTRY_DIR);
	assert_note(l, "opt/env/bin/a", NULL);
	assert_note(l, "opt/env/lib/old", "{\"l\":true}");
	assert_note(l, "opt/env/lib/l", "{\"n\":1,\"s\":\"" SHA_A "\"}");
	assert_string_equal(l->said.data,
			    "\"t-1-0.tar.bz2\": not in \"info/paths.json\", "
			    "left out: not/listed\n");
}

/* One more entry with the placeholder. */
static void place(struct eb_buf *list, const char *path, const char *mode)
{
	eb_buf_addf(list,
		    "%s{\"_path\":\"%s\",\"path_type\":\"hardlink\","
		    "\"prefix_placeholder\":\"" PLACEHOLDER "\"",
		    list->len ? "," : "", path);
	if (mode)
		eb_buf_addf(list, ",\"file_mode\":\"%s\"", mode);
	eb_buf_addch(list, '}');
}

/* The first line, the rest, what is no text, what is a link. */
static void prefixes(void **state)
{
	struct linked *l = *state;
	static const char binary[] = "\177ELF" PLACEHOLDER "/lib\0tail";
	static const char after[] = "\177ELF/opt/env/lib"
				    "\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0"
				    "\0\0\0\0\0tail";
	eb_autofree char *has = NULL;
	EB_AUTOBUF(list, 1 << 20);

	place(&list, "bin/x", "text");
	place(&list, "etc/y", NULL);
	place(&list, "lib/z", "binary");
	place(&list, "lib/none", "binary");
	place(&list, "lib/link", "binary");
	add_paths(l, list.data);
	make_file(&l->tar, "bin/x", "#!" PLACEHOLDER "/bin/python\nx\n");
	make_file(&l->tar, "etc/y", "p=" PLACEHOLDER);
	make_bytes(&l->tar, &(struct make_member){ .path = "lib/z" }, binary,
		   sizeof binary);
	make_file(&l->tar, "lib/none", "none");
	make_add(&l->tar,
		 &(struct make_member){ .path = "lib/link",
					.type = '2',
					.target = PLACEHOLDER "/lib/z" });
	link_well(l);
	assert_text(l, "opt/env/bin/x", "#!/opt/env/bin/python\nx\n");
	assert_text(l, "opt/env/etc/y", "p=/opt/env");
	assert_text(l, "opt/env/lib/none", "none");
	has = read_entry(need(l, "opt/env/lib/z"));
	assert_int_equal(need(l, "opt/env/lib/z")->size, sizeof binary);
	assert_memory_equal(has, after, sizeof binary);
	assert_string_equal(need(l, "opt/env/lib/link")->target,
			    "/opt/env/lib/z");
	assert_note(l, "opt/env/lib/none",
		    "{\"h\":\"" PLACEHOLDER "\",\"m\":\"binary\"}");
	assert_note(l, "opt/env/lib/link", NULL);
	assert_non_null(strstr(need(l, "opt/env/etc/y")->note,
			       "\"m\":\"text\",\"n\":35,\"s\":\""));
	assert_string_equal(l->said.data, "");
}

/* Far more than any window, the placeholder across every border. */
static void large_binary(void **state)
{
	struct linked *l = *state;
	const size_t n = 5 << 20, step = 999;
	eb_autofree char *data = eb_calloc(1, n), *has = NULL;
	EB_AUTOBUF(list, 1 << 20);

	for (size_t at = 0; at + step < n; at += step)
		memcpy(data + at, PLACEHOLDER "/x", strlen(PLACEHOLDER) + 2);
	place(&list, "big", "binary");
	add_paths(l, list.data);
	make_bytes(&l->tar, &(struct make_member){ .path = "big" }, data, n);
	link_well(l);
	has = read_entry(need(l, "opt/env/big"));
	assert_int_equal(need(l, "opt/env/big")->size, n);
	for (size_t at = 0; at + step < n; at += step) {
		memset(data + at, 0, strlen(PLACEHOLDER) + 2);
		memcpy(data + at, "/opt/env/x", 10);
	}
	assert_memory_equal(has, data, n);
}

static void of_2016(void **state)
{
	struct linked *l = *state;

	make_file(&l->tar, "info/files",
		  "bin/a\nlib/b c\nlib/d\r\n\n# no path\nlib/l\ninfo/x\n");
	make_file(&l->tar, "info/has_prefix",
		  "bin/a\n"
		  "\"" PLACEHOLDER "\" text 'lib/b c'\n"
		  "" PLACEHOLDER "\tbinary lib/d\r\n"
		  "not/there\n");
	make_file(&l->tar, "info/no_link", "lib/d\n");
	make_file(&l->tar, "bin/a", "/opt/anaconda1anaconda2anaconda3/x");
	make_file(&l->tar, "lib/b c", PLACEHOLDER);
	make_file(&l->tar, "lib/d", PLACEHOLDER);
	make_add(&l->tar, &(struct make_member){ .path = "lib/l",
						 .type = '2',
						 .target = "d" });
	make_file(&l->tar, "other", "");
	link_well(l);
	assert_int_equal(l->out.n, 4);
	assert_text(l, "opt/env/bin/a", "/opt/env/x");
	assert_text(l, "opt/env/lib/b c", "/opt/env");
	assert_text(l, "opt/env/lib/d", PLACEHOLDER); /* no NUL behind it */
	assert_note(l, "opt/env/lib/d",
		    "{\"h\":\"" PLACEHOLDER "\",\"l\":true,\"m\":\"binary\"}");
	assert_non_null(strstr(l->said.data, "not in \"info/files\""));
}

/* ---- noarch: python ----------------------------------------------------- */

static void noarch(void **state)
{
	struct linked *l = *state;

	l->r.noarch = EB_NOARCH_PYTHON;
	make_file(&l->tar, "info/link.json",
		  "{\"noarch\": {\"type\": \"python\", \"entry_points\": "
		  "[\"go = pack.mod:main.run\", \" tool=t:f \"]}, "
		  "\"package_metadata_version\": 1}");
	make_file(&l->tar, "info/files",
		  "site-packages/pack/mod.py\n"
		  "site-packages/pack/mod.cpython-37.pyc\n"
		  "python-scripts/script\npython-scripts/tool\nshare/doc\n");
	make_file(&l->tar, "site-packages/pack/mod.py", "1");
	make_file(&l->tar, "site-packages/pack/mod.cpython-37.pyc", "2");
	make_file(&l->tar, "python-scripts/script", "3");
	make_file(&l->tar, "python-scripts/tool", "an older one");
	make_file(&l->tar, "share/doc", "4");
	link_well(l);
	assert_int_equal(l->out.n, 6);
	assert_text(l, "opt/env/lib/python3.7/site-packages/pack/mod.py", "1");
	assert_text(l,
		    "opt/env/lib/python3.7/site-packages/pack/"
		    "mod.cpython-37.pyc",
		    "2");
	assert_text(l, "opt/env/bin/script", "3");
	assert_text(l, "opt/env/share/doc", "4");
	assert_text(l, "opt/env/bin/go",
		    "#!/opt/env/bin/python3.7\n"
		    "# -*- coding: utf-8 -*-\n"
		    "import re\n"
		    "import sys\n"
		    "\n"
		    "from pack.mod import main\n"
		    "\n"
		    "if __name__ == '__main__':\n"
		    "    sys.argv[0] = re.sub(r'(-script\\.pyw?|\\.exe)?$', '',"
		    " sys.argv[0])\n"
		    "    sys.exit(main.run())\n");
	assert_int_equal(need(l, "opt/env/bin/go")->mode, 0755);
	assert_int_equal(need(l, "opt/env/bin/go")->mtime, EB_FIXED_MTIME);
	assert_note(l, "opt/env/bin/go", "{\"p\":\"unix_python_entry_point\"}");
	assert_note(l, "opt/env/bin/tool",
		    "{\"p\":\"unix_python_entry_point\"}");
	assert_non_null(strstr(l->said.data, "\"opt/env/bin/tool\" is "
					     "replaced by the entry point"));
}

static void noarch_elsewhere(void **state)
{
	struct linked *l = *state;
	eb_autofree char *text = NULL;

	/* An old index without the field: link.json says what it is. */
	free(l->r.subdir);
	l->r.subdir = eb_strdup("noarch");
	l->t.python_minor = "3.13";
	l->t.site_packages = "lib/python3.13t/site-packages";
	l->t.prefix = "/opt/a prefix";
	make_file(&l->tar, "info/package_metadata.json",
		  "{\"noarch\": {\"type\": \"python\", \"entry_points\": "
		  "[\"go = a:b\"]}}");
	make_file(&l->tar, "info/files", "site-packages/a.py\n");
	make_file(&l->tar, "site-packages/a.py", "");
	link_well(l);
	need(l, "opt/a prefix/lib/python3.13t/site-packages/a.py");
	text = read_entry(need(l, "opt/a prefix/bin/go"));
	assert_true(eb_starts(text, "#!/bin/sh\n'''exec' \"/opt/a prefix/bin/"
				    "python3.13\" \"$0\" \"$@\" #'''\n"
				    "# -*- coding"));
}

/* CEP 20: of a platform, and for any Python from some version on. */
static void noarch_of_a_platform(void **state)
{
	struct linked *l = *state;

	l->r.noarch = EB_NOARCH_PYTHON;
	l->t.python_minor = "3.14";
	make_file(&l->tar, "info/link.json",
		  "{\"noarch\": {\"type\": \"python\"}}");
	make_file(&l->tar, "info/files",
		  "site-packages/m/_c.abi3.so\nlib/libm.so.1\n");
	make_file(&l->tar, "site-packages/m/_c.abi3.so", "c");
	make_file(&l->tar, "lib/libm.so.1", "m");
	link_well(l);
	assert_string_equal(l->r.subdir, "linux-64");
	assert_text(l, "opt/env/lib/python3.14/site-packages/m/_c.abi3.so",
		    "c");
	assert_text(l, "opt/env/lib/libm.so.1", "m");
}

static void noarch_by_the_package_alone(void **state)
{
	struct linked *l = *state;

	make_file(&l->tar, "info/link.json",
		  "{\"noarch\": {\"type\": \"python\"}}");
	make_file(&l->tar, "info/files", "site-packages/a.py\n");
	make_file(&l->tar, "site-packages/a.py", "");
	link_badly(l, EB_INPUT,
		   "reading \"info/link.json\": it says noarch: python");
}

static void noarch_generic(void **state)
{
	struct linked *l = *state;

	l->r.noarch = EB_NOARCH_GENERIC;
	l->t.python_minor = NULL;
	make_file(&l->tar, "info/link.json",
		  "{\"noarch\": {\"type\": "
		  "\"generic\"}}");
	make_file(&l->tar, "info/files", "site-packages/a.py\n");
	make_file(&l->tar, "site-packages/a.py", "");
	link_well(l);
	need(l, "opt/env/site-packages/a.py");
}

static void without_python(void **state)
{
	struct linked *l = *state;

	l->r.noarch = EB_NOARCH_PYTHON;
	l->t.python_minor = NULL;
	make_file(&l->tar, "info/files", "");
	link_badly(l, EB_INPUT, "the environment has none");
}

static void bad_entry_points(void **state)
{
	static const struct {
		const char *text, *words;
	} row[] = {
		{ "../x = a:b", "a command that is no file name" },
		{ "a/b = a:b", "a command that is no file name" },
		{ "a\\\\b = a:b", "a command that is no file name" },
		{ "a\\nb = a:b", "a command that is no file name" },
		{ ".hidden = a:b", "a command that is no file name" },
		{ " = a:b", "has no command" },
		{ "a = b", "is not \\\"command = module:function\\\"" },
		{ "a:b", "is not" },
		{ "a = b:c()", "names no Python function" },
		{ "a = b;import os:c", "names no Python function" },
		{ "a = b:c\\nimport os", "names no Python function" },
		{ "a = :c", "names no Python function" },
		{ "a = b.:c", "names no Python function" },
		{ "a = 1b:c", "names no Python function" },
		{ ".wh.x = b:c", "a command that is no file name" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
		eb_autofree char *json =
			eb_asprintf("{\"noarch\":{\"entry_points\":[\"%s\"]}}",
				    row[i].text);
		eb_autofree char *words = eb_strdup(row[i].words);
		struct linked *l;
		char *to = words;

		for (const char *p = words; (*to = *p); p++)
			to += *p != '\\';
		begin((void **)&l);
		l->r.noarch = EB_NOARCH_PYTHON;
		make_file(&l->tar, "info/link.json", json);
		make_file(&l->tar, "info/files", "");
		link_badly(l, EB_INPUT, words);
		assert_non_null(strstr(l->err.message, "entry point \""));
		end((void **)&l);
	}
}

/* ---- lists that do not fit ---------------------------------------------- */

static void bad_lists(void **state)
{
	static const struct {
		const char *paths; /* "": no paths.json */
		enum eb_code code;
		const char *words;
	} row[] = {
		{ "{\"_path\":\"a\",\"sha256\":\"" SHA_B "\"}", EB_INTEGRITY,
		  "checking \"a\": its sha256 is " SHA_A
		  ", \"info/paths.json\" says " SHA_B },
		{ "{\"_path\":\"a\",\"size_in_bytes\":2}", EB_INTEGRITY,
		  "checking \"a\": it has 1 bytes, \"info/paths.json\" says "
		  "2" },
		{ "{\"_path\":\"a\"},{\"_path\":\"lib/gone\"}", EB_INTEGRITY,
		  "no member \"lib/gone\", which \"info/paths.json\" lists" },
		{ "{\"_path\":\"../a\"}", EB_INPUT, "\"../a\"" },
		{ "{\"_path\":\"/a\"}", EB_INPUT, "\"/a\"" },
		{ "{\"_path\":\"b/../a\"}", EB_INPUT, "\"b/../a\"" },
		{ "{\"_path\":\".wh.a\"}", EB_INPUT, "\".wh.a\"" },
		{ "{\"_path\":\"\"}", EB_INPUT, "cannot enter an image" },
		{ "{\"_path\":\"conda-meta/a.json\"}", EB_INPUT,
		  "lists \"conda-meta/a.json\"" },
		{ "{\"_path\":\"a\",\"sha256\":\"short\"}", EB_INPUT,
		  "\"sha256\" of \"a\" is no sha256" },
		{ "{\"_path\":\"a\",\"file_mode\":\"odd\"}", EB_INPUT,
		  "\"file_mode\" of \"a\" is neither text nor binary" },
		{ "{\"path\":\"a\"}", EB_INPUT, "an entry has no \"_path\"" },
		{ "17", EB_INPUT, "an entry has no \"_path\"" },
		{ "{\"_path\":\"a\"", EB_INPUT, "info/paths.json" },
		{ "{\"_path\":\"a\",\"prefix_placeholder\":\"/p\","
		  "\"file_mode\":\"binary\"},{\"_path\":\"z\","
		  "\"prefix_placeholder\":\"/p\",\"file_mode\":\"binary\"}",
		  EB_INPUT,
		  "replacing the prefix in \"z\": the prefix is longer" },
		{ "{\"_path\":\"s\"},{\"_path\":\"s/a\"},{\"_path\":\"t/a\"}",
		  EB_INPUT, "two members with the path \"opt/env/t/a\"" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
		struct linked *l;

		begin((void **)&l);
		add_paths(l, row[i].paths);
		make_file(&l->tar, "a", "a");
		make_bytes(&l->tar, &(struct make_member){ .path = "z" },
			   "/p\0", 3);
		make_file(&l->tar, "t/a", "a");
		make_add(&l->tar, &(struct make_member){ .path = "s",
							 .type = '2',
							 .target = "t" });
		make_file(&l->tar, "s/a", "a");
		link_badly(l, row[i].code, row[i].words);
		end((void **)&l);
	}
}

static void bad_old_lists(void **state)
{
	static const char *const row[][3] = {
		{ NULL, NULL,
		  "neither \"info/paths.json\" nor \"info/files\"" },
		{ "a\nb\n", NULL, "no member \"b\", which \"info/files\"" },
		{ "../a\n", NULL, "\"../a\"" },
		{ "a\n", "x y\n", "a line is neither a path nor placeholder" },
		{ "a\n", "x text 'a\n", "a line is neither a path nor" },
		{ "a\n", "x text a b\n", "a line is neither a path nor" },
		{ "a\n", "/p\xff text a\n", "a placeholder is not UTF-8" },
		{ "a\n", "x odd a\n", "the mode of \"a\" is neither text" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
		struct linked *l;

		begin((void **)&l);
		if (row[i][0])
			make_file(&l->tar, "info/files", row[i][0]);
		if (row[i][1])
			make_file(&l->tar, "info/has_prefix", row[i][1]);
		make_file(&l->tar, "a", "a");
		link_badly(l, i == 1 ? EB_INTEGRITY : EB_INPUT, row[i][2]);
		end((void **)&l);
	}
}

/* ---- links -------------------------------------------------------------- */

static void links(void **state)
{
	struct linked *l = *state;

	make_file(&l->tar, "info/files",
		  "abs\nown\nup\nlib64\nlib64/deep/f\nlib/deep2/g\nin\n");
	make_add(&l->tar, &(struct make_member){ .path = "abs",
						 .type = '2',
						 .target = "/usr/lib/x" });
	make_add(&l->tar, &(struct make_member){ .path = "own",
						 .type = '2',
						 .target = "/opt/env/lib" });
	make_add(&l->tar, &(struct make_member){ .path = "up",
						 .type = '2',
						 .target = "../../etc" });
	make_add(&l->tar, &(struct make_member){ .path = "lib64",
						 .type = '2',
						 .target = "./lib" });
	make_add(&l->tar, &(struct make_member){ .path = "in",
						 .type = '2',
						 .target = "lib64/../lib" });
	make_file(&l->tar, "lib64/deep/f", "f");
	make_file(&l->tar, "lib/deep2/g", "g");
	link_well(l);
	assert_string_equal(need(l, "opt/env/abs")->target, "/usr/lib/x");
	assert_string_equal(need(l, "opt/env/up")->target, "../../etc");
	assert_string_equal(need(l, "opt/env/lib64")->target, "./lib");
	assert_text(l, "opt/env/lib/deep/f", "f"); /* as it is on disk */
	assert_null(eb_entries_find(&l->out, "opt/env/lib64/deep/f"));
	assert_string_equal(l->said.data,
			    "warning: \"t-1-0.tar.bz2\": links lead out of the "
			    "prefix: \"abs\" to \"/usr/lib/x\", \"up\" to "
			    "\"../../etc\"\n");
}

static void setid(void **state)
{
	struct linked *l = *state;

	make_file(&l->tar, "info/files", "bin/su\n");
	make_add(&l->tar,
		 &(struct make_member){ .path = "bin/su", .mode = 04755 });
	link_well(l);
	assert_int_equal(need(l, "opt/env/bin/su")->mode, 0755);
	assert_string_equal(l->said.data,
			    "warning: \"t-1-0.tar.bz2\": the setuid or setgid "
			    "bit is cleared: bin/su\n");
}

/* ---- records ------------------------------------------------------------ */

static void fill_record(struct eb_record *r)
{
	r->size = 1234;
	strcpy(r->md5, "0123456789abcdef0123456789abcdef");
	memset(&r->sha256, 0x5a, sizeof r->sha256);
	eb_strv_add(&r->depends, "python >=3");
}

static void recorded_package(struct linked *l)
{
	EB_AUTOBUF(list, 1 << 20);

	l->r.noarch = EB_NOARCH_PYTHON;
	make_file(&l->tar, "info/link.json",
		  "{\"noarch\": {\"type\": \"python\", \"entry_points\": "
		  "[\"go = t:f\"]}}");
	place(&list, "etc/y", NULL);
	eb_buf_adds(&list,
		    ",{\"_path\":\"site-packages/t.py\",\"no_link\":true},"
		    "{\"_path\":\"lib/l\",\"path_type\":\"softlink\"},"
		    "{\"_path\":\"lib/m\",\"path_type\":\"softlink\","
		    "\"sha256\":\"" SHA_B "\",\"size_in_bytes\":7},"
		    "{\"_path\":\"var/e\",\"path_type\":\"directory\"}");
	add_paths(l, list.data);
	make_file(&l->tar, "etc/y", PLACEHOLDER);
	make_file(&l->tar, "site-packages/t.py", "a");
	make_add(&l->tar, &(struct make_member){ .path = "lib/l",
						 .type = '2',
						 .target = "../etc/y" });
	make_add(&l->tar, &(struct make_member){ .path = "lib/m",
						 .type = '2',
						 .target = "/nowhere" });
	link_well(l);
	fill_record(&l->r);
}

static json_t *record_of(struct linked *l, const struct eb_entries *bytecode,
			 const char *requested)
{
	struct eb_entries out = { 0 };
	eb_autofree char *text = NULL;
	json_t *j;

	if (eb_link_record(&l->r, &l->out, bytecode, requested, &l->t, &out,
			   &l->err) < 0)
		fail_msg("%s", l->err.message);
	assert_int_equal(out.n, 1);
	assert_string_equal(out.entry[0].path, "opt/env/conda-meta/t-1-0.json");
	assert_int_equal(out.entry[0].mode, 0644);
	assert_int_equal(out.entry[0].mtime, EB_FIXED_MTIME);
	text = read_entry(&out.entry[0]);
	j = eb_json_parse(text, strlen(text), "record", &l->err);
	assert_non_null(j);
	eb_entries_release(&out);
	return j;
}

static void assert_json(const json_t *j, const char *key, const char *want)
{
	EB_AUTOBUF(text, 1 << 20);

	if (!want) {
		assert_null(json_object_get(j, key));
		return;
	}
	eb_json_canonical(json_object_get(j, key), &text);
	assert_string_equal(text.data, want);
}

#define BYTECODE "lib/python3.7/site-packages/__pycache__/t.cpython-37.pyc"

static void record(void **state)
{
	struct linked *l = *state;
	struct eb_entries bytecode = { 0 };
	eb_autojson json_t *j = NULL;

	recorded_package(l);
	eb_entries_add(&bytecode, "opt/env/" BYTECODE, EB_ENTRY_FILE);
	j = record_of(l, &bytecode, "t");
	assert_json(j, "files",
		    "[\"bin/go\",\"etc/y\",\"lib/l\",\"lib/m\",\"" BYTECODE
		    "\",\"lib/python3.7/site-packages/t.py\"]");
	assert_json(j, "name", "\"t\"");
	assert_json(j, "depends", "[\"python >=3\"]");
	assert_json(j, "noarch", "\"python\"");
	assert_json(j, "channel", "\"https://c.example/x/linux-64\"");
	assert_json(j, "url", "\"https://c.example/x/linux-64/t-1-0.tar.bz2\"");
	assert_json(j, "fn", "\"t-1-0.tar.bz2\"");
	assert_json(j, "md5", "\"0123456789abcdef0123456789abcdef\"");
	assert_json(j, "sha256",
		    "\"5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a"
		    "5a5a5a5a\"");
	assert_json(j, "size", "1234");
	assert_json(j, "link", "{\"source\":\"\",\"type\":1}");
	assert_json(j, "requested_spec", "\"t\"");
	assert_json(j, "requested_specs", "[\"t\"]");
	assert_json(j, "extracted_package_dir", NULL);
	assert_json(j, "package_tarball_full_path", NULL);
	eb_entries_release(&bytecode);
}

static const json_t *path_of(const json_t *j, const char *path)
{
	const json_t *list = eb_json_arr(eb_json_obj(j, "paths_data"), "paths");
	json_t *one;
	size_t i;

	json_array_foreach (list, i, one) {
		if (strcmp(eb_json_str(one, "_path"), path) == 0)
			return one;
	}
	fail_msg("no \"%s\"", path);
	return NULL;
}

static void assert_path(const json_t *j, const char *path, const char *want)
{
	EB_AUTOBUF(text, 1 << 20);

	eb_json_canonical(path_of(j, path), &text);
	assert_string_equal(text.data, want);
}

static void record_paths(void **state)
{
	struct linked *l = *state;
	struct eb_entries bytecode = { 0 };
	eb_autojson json_t *j = NULL;
	char in_package[EB_HEX_SIZE], in_prefix[EB_HEX_SIZE];
	eb_autofree char *file = NULL, *link = NULL;
	struct eb_digest d;

	recorded_package(l);
	eb_sha256(PLACEHOLDER, strlen(PLACEHOLDER), &d);
	eb_digest_hex(&d, in_package);
	eb_sha256("/opt/env", 8, &d);
	eb_digest_hex(&d, in_prefix);
	eb_entries_add(&bytecode, "opt/env/" BYTECODE, EB_ENTRY_FILE);
	j = record_of(l, &bytecode, NULL);
	assert_json(eb_json_obj(j, "paths_data"), "paths_version", "1");
	file = eb_asprintf("{\"_path\":\"etc/y\",\"file_mode\":\"text\","
			   "\"path_type\":\"hardlink\",\"prefix_placeholder\":"
			   "\"" PLACEHOLDER "\",\"sha256\":\"%s\","
			   "\"sha256_in_prefix\":\"%s\",\"size_in_bytes\":%zu}",
			   in_package, in_prefix, strlen(PLACEHOLDER));
	assert_path(j, "etc/y", file);
	link = eb_asprintf("{\"_path\":\"lib/l\",\"path_type\":\"softlink\","
			   "\"sha256\":\"%s\",\"sha256_in_prefix\":\"%s\","
			   "\"size_in_bytes\":%zu}",
			   in_package, in_prefix, strlen(PLACEHOLDER));
	assert_path(j, "lib/l", link);
	assert_path(j, "lib/m",
		    "{\"_path\":\"lib/m\",\"path_type\":\"softlink\","
		    "\"sha256\":\"" SHA_B "\",\"size_in_bytes\":7}");
	assert_path(j, "lib/python3.7/site-packages/t.py",
		    "{\"_path\":\"lib/python3.7/site-packages/t.py\","
		    "\"no_link\":true,\"path_type\":\"hardlink\","
		    "\"sha256\":\"" SHA_A "\",\"sha256_in_prefix\":\"" SHA_A
		    "\",\"size_in_bytes\":1}");
	assert_path(j, BYTECODE,
		    "{\"_path\":\"" BYTECODE "\",\"path_type\":\"pyc_file\"}");
	assert_path(j, "var/e",
		    "{\"_path\":\"var/e\",\"path_type\":\"directory\"}");
	assert_string_equal(eb_json_str(path_of(j, "bin/go"), "path_type"),
			    "unix_python_entry_point");
	assert_json(j, "requested_spec", NULL);
	eb_entries_release(&bytecode);
}

/* ---- keys --------------------------------------------------------------- */

static bool same_key(const struct eb_record *a, const struct eb_link_target *s,
		     const struct eb_record *b, const struct eb_link_target *t)
{
	struct eb_digest x, y;

	eb_link_key(a, s, &x);
	eb_link_key(b, t, &y);
	return eb_digest_equal(&x, &y);
}

static void keys(void **state)
{
	struct eb_record r = { .has_sha256 = true,
			       .subdir = (char *)"linux-64" };
	struct eb_record other = r, any = r, old = r;
	struct eb_link_target py = target, site = target, epoch = target,
			      prefix = target;

	(void)state;
	py.python_minor = "3.8";
	site.site_packages = "lib/x";
	epoch.source_date_epoch = 1;
	prefix.prefix = "/opt/other";
	other.sha256.byte[0] = 1;
	any.noarch = EB_NOARCH_PYTHON;
	old.subdir = (char *)"noarch";
	assert_true(same_key(&r, &target, &r, &py));
	assert_true(same_key(&r, &target, &r, &site));
	assert_false(same_key(&r, &target, &r, &epoch));
	assert_false(same_key(&r, &target, &r, &prefix));
	assert_false(same_key(&r, &target, &other, &target));
	assert_false(same_key(&any, &target, &any, &py));
	assert_false(same_key(&any, &target, &any, &site));
	assert_false(same_key(&any, &target, &r, &target));
	assert_false(same_key(&old, &target, &old, &py));
	other = r;
	other.md5[0] = 'x'; /* the channel's words alone */
	other.timestamp = 5;
	assert_true(same_key(&r, &target, &other, &target));
}

static void record_key(const struct eb_record *r, const struct eb_digest *code,
		       const char *requested, struct eb_digest *key)
{
	const struct eb_digest payload = { { 7 } };

	eb_link_record_key(r, &payload, code, requested, key);
}

static void record_keys(void **state)
{
	struct linked *l = *state;
	const struct eb_digest zero = { { 0 } };
	struct eb_digest a, b;

	record_key(&l->r, NULL, NULL, &a);
	record_key(&l->r, NULL, NULL, &b);
	assert_true(eb_digest_equal(&a, &b));
	record_key(&l->r, &zero, NULL, &b);
	assert_false(eb_digest_equal(&a, &b));
	record_key(&l->r, NULL, "t", &b);
	assert_false(eb_digest_equal(&a, &b));
	eb_strv_add(&l->r.depends, "patched");
	record_key(&l->r, NULL, NULL, &b);
	assert_false(eb_digest_equal(&a, &b));
}

/* ---- the environment as a whole ----------------------------------------- */

static void history(void **state)
{
	struct linked *l = *state;
	struct eb_record other = l->r;
	const struct eb_record *const records[] = { &l->r, &other };
	struct eb_strv specs = { 0 }, values = { 0 };
	EB_AUTOBUF(out, 1 << 20);

	other.name = (char *)"a";
	eb_strv_add(&specs, "t");
	eb_strv_add(&specs, "a");
	eb_strv_add(&specs, "t");
	eb_link_history(records, 2, &specs, &out);
	assert_string_equal(out.data, "==> 1980-01-01 00:00:00 <==\n"
				      "# cmd: envbuild\n"
				      "+https://c.example/x/linux-64::a-1-0\n"
				      "+https://c.example/x/linux-64::t-1-0\n"
				      "# update specs: [\"a\", \"t\"]\n");
	eb_strv_release(&specs);
	eb_strv_add(&specs, "B");
	eb_strv_add(&specs, "A");
	eb_strv_add(&values, "two words");
	eb_strv_add(&values, "1");
	eb_buf_reset(&out);
	eb_link_state(&specs, &values, &out);
	assert_string_equal(out.data, "{\n"
				      "  \"env_vars\": {\n"
				      "    \"A\": \"1\",\n"
				      "    \"B\": \"two words\"\n"
				      "  },\n"
				      "  \"version\": 1\n"
				      "}\n");
	eb_strv_release(&specs);
	eb_strv_release(&values);
}

static void facts(void **state)
{
	static const char *const paths[] = {
		"opt/env/bin/.t-post-link.sh",
		"opt/env/bin/.u-pre-link.sh",
		"opt/env/etc/conda/activate.d/a.sh",
		"opt/env/etc/conda/activate.d/a.csh",
		"opt/env/etc/conda/activate.d/b.sh",
		"opt/env/etc/conda/env_vars.d/a.json",
		"opt/envy/etc/conda/activate.d/c.sh",
	};
	struct linked *l = *state;
	struct eb_link_facts f;

	for (size_t i = 0; i < sizeof paths / sizeof *paths; i++)
		eb_entries_add(&l->out, paths[i], EB_ENTRY_FILE);
	eb_link_facts(&l->out, &l->r, &l->t, &f);
	assert_true(f.post_link);
	assert_false(f.pre_link);
	assert_int_equal(f.n_activate, 2);
	assert_int_equal(f.n_env_vars, 1);
}

/* ---- real packages ------------------------------------------------------ */

/* No placeholder is left, and the record lists what there is. */
static void check_real(struct linked *l, const char *what)
{
	struct eb_entries out = { 0 };
	eb_autofree char *text = NULL;
	eb_autojson json_t *j = NULL;

	for (size_t i = 0; i < l->out.n; i++) {
		const struct eb_entry *e = &l->out.entry[i];
		eb_autojson json_t *note = NULL;
		eb_autofree char *has = NULL;
		const char *old;

		if (e->type != EB_ENTRY_FILE)
			continue;
		has = read_entry(e);
		if (!e->note)
			continue;
		note = eb_json_parse(e->note, strlen(e->note), what, &l->err);
		old = eb_json_str(note, "h");
		if (old && memmem(has, (size_t)e->size, old, strlen(old)))
			fail_msg("%s: \"%s\" has a placeholder", what, e->path);
	}
	assert_int_equal(eb_link_record(&l->r, &l->out, NULL, NULL, &l->t, &out,
					&l->err),
			 0);
	text = read_entry(&out.entry[0]);
	j = eb_json_parse(text, strlen(text), what, &l->err);
	assert_int_equal(json_array_size(eb_json_arr(j, "files")), l->out.n);
	eb_entries_release(&out);
}

/* How many files it has; 0 for one that is too large for a short test. */
static size_t link_real(const char *folder, const char *name)
{
	eb_autofree char *path = eb_path_join(folder, name);
	eb_autofd int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct linked *l;
	struct eb_package p;
	size_t n;

	begin((void **)&l);
	free(l->r.fn);
	free(l->r.subdir);
	l->r.fn = eb_strdup(name);
	l->r.subdir =
		eb_strdup(eb_ends(folder, "/noarch") ? "noarch" : "linux-64");
	assert_int_equal(eb_sha256_fd(fd, &l->r.sha256, &l->r.size, &l->err),
			 0);
	if (l->r.size < 1 << 20) {
		if (eb_package_read(fd, &l->r, &eb_package_default_limits,
				    "/tmp", 1 << 20, &p, &l->err) < 0 ||
		    eb_link_payload(&p, &l->r, &l->t, &l->out, l->events,
				    &l->err) < 0)
			fail_msg("%s", l->err.message);
		eb_package_release(&p);
		check_real(l, name);
	}
	n = l->out.n;
	end((void **)&l);
	return n;
}

static void real_packages(void **state)
{
	static const char *const folder[] = { "misc/linux-64", "misc/noarch",
					      "conda-forge-2024-py310/noarch" };
	const char *data = getenv("ENVBUILD_DATA");
	size_t packages = 0, files = 0;

	(void)state;
	if (!data)
		data = "../shared/data";
	if (!eb_path_exists(data)) {
		print_message("no \"%s\"\n", data);
		skip();
	}
	for (size_t i = 0; i < sizeof folder / sizeof *folder; i++) {
		eb_autofree char *path =
			eb_asprintf("%s/conda/packages/%s", data, folder[i]);
		DIR *d = opendir(path);
		struct dirent *e;

		assert_non_null(d);
		while ((e = readdir(d))) {
			if (!eb_ends(e->d_name, ".conda") &&
			    !eb_ends(e->d_name, ".tar.bz2"))
				continue;
			files += link_real(path, e->d_name);
			packages++;
		}
		closedir(d);
	}
	assert_true(packages > 50);
	assert_true(files > 2000);
	print_message("%zu real packages, %zu files linked\n", packages, files);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(plain),
		TEST(prefixes),
		TEST(large_binary),
		TEST(of_2016),
		TEST(noarch),
		TEST(noarch_elsewhere),
		TEST(noarch_of_a_platform),
		TEST(noarch_by_the_package_alone),
		TEST(noarch_generic),
		TEST(without_python),
		cmocka_unit_test(bad_entry_points),
		cmocka_unit_test(bad_lists),
		cmocka_unit_test(bad_old_lists),
		TEST(links),
		TEST(setid),
		TEST(record),
		TEST(record_paths),
		cmocka_unit_test(keys),
		TEST(record_keys),
		TEST(history),
		TEST(facts),
		cmocka_unit_test(real_packages),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
