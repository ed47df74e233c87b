/* SPDX-License-Identifier: Apache-2.0 */
/* Wheels: what they become below the prefix, and each kind that is refused. */
#include "make_wheel.h"

#include <sys/resource.h>
#include <time.h>

#include <envbuild/part.h>
#include <envbuild/spool.h>
#include <envbuild/wheel.h>

#include "store_fixture.h"

#define SITE "opt/env/lib/python3.7/site-packages/"
#define INFO SITE "t-1.0.dist-info/"

static const struct eb_wheel_target target = {
	.prefix = "/opt/env",
	.python_minor = "3.7",
	.site_packages = "lib/python3.7/site-packages",
};

/* A wheel in the making, and what came of it. */
struct made {
	struct make_wheel w;
	const char *file;
	struct eb_wheel_limits limits;
	struct eb_wheel_target t;
	struct eb_wheel *wheel;
	struct eb_entries out;
	struct eb_error err;
	struct eb_buf said; /* details and warnings; a line each */
	struct eb_events *events;
	int fd, rc;
	bool bare; /* without what every wheel has */
};

static void listen(void *data, const struct eb_event *ev)
{
	struct made *m = data;

	eb_buf_addf(&m->said, "%s%s\n",
		    ev->type == EB_EV_WARNING ? "warning: " : "", ev->text);
}

static int begin(void **state)
{
	struct made *m = eb_calloc(1, sizeof *m);

	wheel_begin(&m->w, "t-1.0.dist-info");
	eb_buf_init(&m->said, 1 << 20);
	m->events = eb_events_new(listen, m);
	m->file = "t-1.0-py3-none-any.whl";
	m->limits = eb_wheel_default_limits;
	m->t = target;
	m->fd = -1;
	*state = m;
	return 0;
}

static void forget(struct made *m)
{
	eb_wheel_free(eb_steal(m->wheel));
	eb_entries_release(&m->out);
	eb_err_release(&m->err);
	eb_cleanup_fd(&m->fd);
	m->fd = -1;
}

static int end(void **state)
{
	struct made *m = *state;

	forget(m);
	wheel_release(&m->w);
	eb_buf_release(&m->said);
	eb_events_free(m->events);
	free(m);
	return 0;
}

static void finish(struct made *m)
{
	if (!m->bare) {
		wheel_meta(&m->w, "t", "1.0");
		wheel_record(&m->w);
	}
	wheel_finish(&m->w, &(struct wheel_end){ .zip64 = m->w.n > 65535 });
}

static void open_made(struct made *m)
{
	m->fd = wheel_fd(&m->w);
	m->rc = eb_wheel_open(m->fd, m->file, &m->limits, &m->wheel, &m->err);
	if (m->rc == 0)
		m->rc = eb_wheel_payload(m->wheel, &m->t, &m->out, m->events,
					 &m->err);
}

static void well(struct made *m)
{
	finish(m);
	open_made(m);
	if (m->rc < 0)
		fail_msg("%s", m->err.message);
}

static void badly(struct made *m, enum eb_code code, const char *words)
{
	finish(m);
	open_made(m);
	assert_int_equal(m->rc, -1);
	if (m->err.code != code || !strstr(m->err.message, words) ||
	    !strstr(m->err.message, m->file))
		fail_msg("code %d \"%s\", wanted %d \"%s\"", m->err.code,
			 m->err.message, code, words);
	assert_int_equal(m->out.n, 0);
}

static const struct eb_entry *need(const struct made *m, const char *path)
{
	const struct eb_entry *e = eb_entries_find(&m->out, path);

	if (!e)
		fail_msg("no \"%s\"", path);
	return e;
}

static void inflate_entry(const struct eb_deflated *d, char *to, size_t size)
{
	eb_autofree char *packed = eb_malloc((size_t)d->packed + 1);
	z_stream z = { .next_in = (unsigned char *)packed,
		       .avail_in = (unsigned)d->packed,
		       .next_out = (unsigned char *)to,
		       .avail_out = (unsigned)size };

	assert_int_equal(
		pread(d->fd, packed, (size_t)d->packed, (off_t)d->offset),
		d->packed);
	if (d->stored) {
		memcpy(to, packed, size);
		return;
	}
	assert_int_equal(inflateInit2(&z, -MAX_WBITS), Z_OK);
	assert_int_equal(inflate(&z, Z_FINISH), Z_STREAM_END);
	inflateEnd(&z);
}

/* Its content; what its sha256 and CRC say has to be true. */
static char *read_entry(struct made *m, const struct eb_entry *e)
{
	char *text = eb_calloc(1, (size_t)e->size + 1);
	struct eb_digest d;

	if (e->deflated) {
		inflate_entry(e->deflated, text, (size_t)e->size);
		assert_int_equal(
			crc32(0, (unsigned char *)text, (unsigned)e->size),
			e->deflated->crc32);
	} else {
		assert_int_equal(eb_spool_read(e->spool, e->offset, text,
					       (size_t)e->size, &m->err),
				 0);
	}
	eb_sha256(text, (size_t)e->size, &d);
	assert_true(eb_digest_equal(&d, &e->sha256));
	return text;
}

static void assert_file(struct made *m, const char *path, unsigned mode,
			const char *content)
{
	const struct eb_entry *e = need(m, path);
	eb_autofree char *text = read_entry(m, e);

	assert_string_equal(text, content);
	assert_int_equal(e->mode, mode);
	assert_int_equal(e->type, EB_ENTRY_FILE);
	assert_int_equal(e->mtime, EB_FIXED_MTIME);
}

static void assert_none(const struct made *m, const char *path)
{
	if (eb_entries_find(&m->out, path))
		fail_msg("there is \"%s\"", path);
}

static void data(struct made *m, const char *below, const char *content)
{
	eb_autofree char *path = eb_asprintf("t-1.0.data/%s", below);

	wheel_file(&m->w, path, content);
}

static void points(struct made *m, const char *text)
{
	wheel_info(&m->w, "entry_points.txt", text);
}

/* --- what it says ------------------------------------------------------- */

static void test_says(void **state)
{
	struct made *m = *state;
	const char *text;
	size_t len;

	m->file = "/a/folder/t-1.0-py3-none-any.whl";
	wheel_file(&m->w, "t.py", "x = 1\n");
	finish(m);
	open_made(m);
	if (m->rc < 0)
		fail_msg("%s", m->err.message);
	assert_string_equal(eb_wheel_project(m->wheel), "t");
	assert_string_equal(eb_wheel_version(m->wheel), "1.0");
	text = eb_wheel_metadata(m->wheel, &len);
	assert_int_equal(len, strlen(text));
	assert_non_null(strstr(text, "Requires-Dist: six\n"));
	assert_int_equal(m->out.n, 3);
	assert_file(m, SITE "t.py", 0644, "x = 1\n");
	assert_file(m, INFO "WHEEL", 0644,
		    "Wheel-Version: 1.0\nGenerator: test\n"
		    "Root-Is-Purelib: true\nTag: py3-none-any\n");
	assert_non_null(need(m, INFO "METADATA"));
	assert_int_equal(m->said.len, 0);
}

/* Old spellings of name and version. */
static void test_spellings(void **state)
{
	static const char *const row[][4] = {
		{ "Some.Project-1.0.0_post1.dist-info", "Some.Project",
		  "1.0.0-1", "Some.Project-1.0.0_post1-py3-none-any.whl" },
		{ "a-b-2.0+cu10.dist-info", "a_b", "2.0+cu10",
		  "a_b-2.0+cu10-py3-none-any.whl" },
		{ "t-2018.08.24.dist-info", "T", "2018.8.24",
		  "t-2018.08.24-py2.py3-none-any.whl" },
	};

	(void)state;
	for (size_t i = 0; i < 3; i++) {
		struct made *m;
		void *one;

		begin(&one);
		m = one;
		m->bare = true;
		m->w.dist_info = row[i][0];
		m->file = row[i][3];
		wheel_meta(&m->w, row[i][1], row[i][2]);
		wheel_record(&m->w);
		well(m);
		end(&one);
	}
}

static void test_newer_minor(void **state)
{
	struct made *m = *state;

	m->bare = true;
	wheel_info(&m->w, "WHEEL", "\xef\xbb\xbfwheel-version: 1.7\r\n\r\n");
	wheel_info(&m->w, "METADATA", "Name: t\r\nVersion:\r\n 1.0\r\n");
	wheel_record(&m->w);
	well(m);
	assert_non_null(strstr(m->said.data,
			       "warning: \"t-1.0-py3-none-any.whl\" is of "
			       "Wheel-Version 1.7; 1.0 is known"));
}

/* --- where things go ---------------------------------------------------- */

static void test_places(void **state)
{
	struct made *m = *state;

	wheel_file(&m->w, "t/__init__.py", "");
	wheel_put(&m->w, &(struct wheel_member){ .name = "t/sub/",
						 .content = "",
						 .stored = true,
						 .mode = S_IFDIR | 0755 });
	data(m, "purelib/pure.py", "p");
	data(m, "platlib/plat.so", "q");
	data(m, "scripts/run", "\177ELF");
	data(m, "data/share/t/x.txt", "s");
	data(m, "headers/t.h", "h");
	well(m);
	assert_int_equal(m->out.n, 8);
	assert_file(m, SITE "t/__init__.py", 0644, "");
	assert_file(m, SITE "pure.py", 0644, "p");
	assert_file(m, SITE "plat.so", 0644, "q");
	assert_file(m, "opt/env/bin/run", 0755, "\177ELF");
	assert_file(m, "opt/env/share/t/x.txt", 0644, "s");
	assert_file(m, "opt/env/include/python3.7m/t/t.h", 0644, "h");
}

static void test_headers_of_others(void **state)
{
	struct made *m = *state;

	data(m, "headers/t.h", "h");
	m->t.python_minor = "3.13";
	m->t.site_packages = "lib/python3.13t/site-packages";
	well(m);
	assert_file(m, "opt/env/include/python3.13t/t/t.h", 0644, "h");
	forget(m);
	m->t.python_minor = "3.8";
	m->t.site_packages = "lib/python3.8/site-packages";
	open_made(m);
	assert_int_equal(m->rc, 0);
	assert_file(m, "opt/env/include/python3.8/t/t.h", 0644, "h");
}

static void test_modes(void **state)
{
	static const struct {
		const char *name;
		unsigned mode, want;
		bool dos;
	} row[] = {
		{ "a", S_IFREG | 0644, 0644, false },
		{ "b", S_IFREG | 0775, 0755, false },
		{ "c", S_IFREG | 0100, 0755, false },
		{ "d", 0777, 0644, false },
		{ "e", S_IFREG | 0600, 0644, false },
		{ "f", 0, 0644, true },
		{ "g", S_IFREG | S_ISUID | 04755, 0755, false },
	};
	struct made *m = *state;

	for (size_t i = 0; i < sizeof row / sizeof *row; i++)
		wheel_add(&m->w, &(struct wheel_member){ .name = row[i].name,
							 .content = "x",
							 .mode = row[i].mode,
							 .dos = row[i].dos });
	well(m);
	for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
		eb_autofree char *path = eb_asprintf(SITE "%s", row[i].name);

		assert_file(m, path, row[i].want, "x");
	}
}

static void test_times(void **state)
{
	struct made *m = *state;

	m->t.source_date_epoch = 1600000000;
	well(m);
	assert_int_equal(m->out.entry[0].mtime, EB_FIXED_MTIME);
	forget(m);
	m->t.source_date_epoch = 1000;
	open_made(m);
	assert_int_equal(m->out.entry[0].mtime, 1000);
}

/* What an installer writes is not taken from the wheel. */
static void test_generated(void **state)
{
	struct made *m = *state;

	wheel_info(&m->w, "INSTALLER", "other\n");
	wheel_info(&m->w, "REQUESTED", "");
	wheel_info(&m->w, "direct_url.json", "{}");
	wheel_info(&m->w, "licenses/LICENSE", "free");
	wheel_add(&m->w,
		  &(struct wheel_member){ .name = "t-1.0.dist-info/RECORD.jws",
					  .content = "signed",
					  .unlisted = true });
	well(m);
	assert_none(m, INFO "INSTALLER");
	assert_none(m, INFO "REQUESTED");
	assert_none(m, INFO "direct_url.json");
	assert_none(m, INFO "RECORD");
	assert_file(m, INFO "RECORD.jws", 0644, "signed");
	assert_string_equal(need(m, INFO "RECORD.jws")->note,
			    "{\"hash\":\"\",\"size\":\"\"}");
	assert_file(m, INFO "licenses/LICENSE", 0644, "free");
	assert_null(need(m, INFO "licenses/LICENSE")->note);
}

/* --- scripts and launchers ---------------------------------------------- */

static void test_scripts(void **state)
{
	struct made *m = *state;

	data(m, "scripts/a", "#!python\nprint(1)\n");
	data(m, "scripts/b", "#!pythonw -E\r\nprint(2)\n");
	data(m, "scripts/c", "#! python\n");
	data(m, "scripts/d", "#!python");
	data(m, "scripts/e", "#!/bin/sh\n");
	well(m);
	assert_file(m, "opt/env/bin/a", 0755,
		    "#!/opt/env/bin/python\nprint(1)\n");
	assert_file(m, "opt/env/bin/b", 0755,
		    "#!/opt/env/bin/python\nprint(2)\n");
	assert_file(m, "opt/env/bin/c", 0755, "#! python\n");
	assert_file(m, "opt/env/bin/d", 0755, "#!/opt/env/bin/python\n");
	assert_file(m, "opt/env/bin/e", 0755, "#!/bin/sh\n");
}

static void test_long_prefix(void **state)
{
	struct made *m = *state;
	eb_autofree char *prefix = NULL, *path = NULL, *want = NULL;
	char name[120];

	memset(name, 'p', sizeof name - 1);
	name[sizeof name - 1] = '\0';
	prefix = eb_asprintf("/%s", name);
	path = eb_asprintf("%s/bin/a", name);
	want = eb_asprintf("#!/bin/sh\n'''exec' \"/%s/bin/python\" \"$0\" "
			   "\"$@\"\n' '''\nprint(1)\n",
			   name);
	m->t.prefix = prefix;
	data(m, "scripts/a", "#!python\nprint(1)\n");
	well(m);
	assert_file(m, path, 0755, want);
}

static void test_launchers(void **state)
{
	struct made *m = *state;

	points(m, "# programs\n[console_scripts]\n"
		  "one = t.cli:main\n"
		  "two=t:App.run [extra,other]\n"
		  "Three.x-y = t : main\n"
		  "one = t.new:main\n"
		  "both = t:text\n"
		  "[other]\nnot = a function\n"
		  "[gui_scripts]\r\nboth = t:window\r\n");
	well(m);
	assert_int_equal(m->out.n, 7);
	assert_file(m, "opt/env/bin/one", 0755,
		    "#!/opt/env/bin/python\n"
		    "import sys\n"
		    "from t.new import main\n"
		    "if __name__ == '__main__':\n"
		    "    sys.exit(main())\n");
	assert_file(m, "opt/env/bin/two", 0755,
		    "#!/opt/env/bin/python\n"
		    "import sys\n"
		    "from t import App\n"
		    "if __name__ == '__main__':\n"
		    "    sys.exit(App.run())\n");
	assert_non_null(need(m, "opt/env/bin/Three.x-y"));
	assert_file(m, "opt/env/bin/both", 0755,
		    "#!/opt/env/bin/python\n"
		    "import sys\n"
		    "from t import window\n"
		    "if __name__ == '__main__':\n"
		    "    sys.exit(window())\n");
}

static void test_versioned(void **state)
{
	struct made *m = *state;

	points(m, "[console_scripts]\n"
		  "pip = p:main\npip3 = p:main\npip3.12 = p:main\n"
		  "pipx = p:x\npip3.1.2 = p:x\n"
		  "easy_install = e:main\neasy_install-3.6 = e:main\n");
	well(m);
	assert_int_equal(m->out.n, 3 + 3 + 2 + 2);
	assert_non_null(need(m, "opt/env/bin/pip"));
	assert_non_null(need(m, "opt/env/bin/pip3"));
	assert_non_null(need(m, "opt/env/bin/pip3.7"));
	assert_non_null(need(m, "opt/env/bin/pipx"));
	assert_non_null(need(m, "opt/env/bin/pip3.1.2"));
	assert_non_null(need(m, "opt/env/bin/easy_install"));
	assert_non_null(need(m, "opt/env/bin/easy_install-3.7"));
}

/* Programs that were made for entry points by another. */
static void test_wrappers(void **state)
{
	struct made *m = *state;
	eb_autofree char *text = NULL;

	points(m, "[console_scripts]\none = t:main\n");
	data(m, "scripts/one", "#!python\nold\n");
	data(m, "scripts/one-script.py", "old");
	data(m, "scripts/one.EXE", "MZ");
	data(m, "scripts/two-script.py", "kept");
	data(m, "data/bin/other", "kept");
	well(m);
	assert_none(m, "opt/env/bin/one-script.py");
	assert_none(m, "opt/env/bin/one.EXE");
	assert_file(m, "opt/env/bin/two-script.py", 0755, "kept");
	assert_file(m, "opt/env/bin/other", 0644, "kept");
	text = read_entry(m, need(m, "opt/env/bin/one"));
	assert_non_null(strstr(text, "from t import main"));
}

static void test_launcher_wins(void **state)
{
	struct made *m = *state;
	eb_autofree char *text = NULL;

	points(m, "[console_scripts]\none = t:main\n");
	data(m, "data/bin/one", "a file of that name");
	well(m);
	text = read_entry(m, need(m, "opt/env/bin/one"));
	assert_non_null(strstr(text, "from t import main"));
	assert_non_null(strstr(m->said.data,
			       "\"opt/env/bin/one\" is replaced by the entry "
			       "point of that name"));
}

static void test_bad_points(void **state)
{
	static const char *const row[][2] = {
		{ "one", "has no \"=\"" },
		{ "= t:main", "has a command that is no file name" },
		{ "../up = t:main", "has a command that is no file name" },
		{ "a\\b = t:main", "has a command that is no file name" },
		{ ".. = t:main", "has a command that is no file name" },
		{ "a\033[1mb = t:main", "has a command that is no file name" },
		{ ".wh.x = t:main", ".wh." },
		{ "one = t", "is not \"command = module:function\"" },
		{ "one = t [x]", "is not \"command = module:function\"" },
		{ "one = t:main [x", "is not \"command = module:function\"" },
		{ "one = t:", "names no Python function" },
		{ "one = t:a.", "names no Python function" },
		{ "one = t:a..b", "names no Python function" },
		{ "one = 1t:a", "names no Python function" },
		{ "one = t:a;import os", "names no Python function" },
		{ "one = t:a(", "names no Python function" },
		{ "one = t, os:system", "names no Python function" },
		{ "one = :main", "names no Python function" },
		{ "one = t:\xff", "not UTF-8" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
		eb_autofree char *text =
			eb_asprintf("[console_scripts]\n%s\n", row[i][0]);
		void *one;

		begin(&one);
		points(one, text);
		badly(one, EB_INPUT, row[i][1]);
		end(&one);
	}
}

static void test_many_points(void **state)
{
	struct made *m = *state;
	EB_AUTOBUF(text, 1 << 20);

	eb_buf_adds(&text, "[console_scripts]\n");
	for (int i = 0; i < 10001; i++)
		eb_buf_addf(&text, "c%d=t:a\n", i);
	points(m, text.data);
	badly(m, EB_INPUT, "has more than 10000 entry points");
}

/* --- names and metadata that do not fit --------------------------------- */

static void named_badly(void **state, const char *file, const char *dist_info,
			const char *name, const char *version,
			const char *words)
{
	struct made *m = *state;

	m->bare = true;
	m->file = file;
	m->w.dist_info = dist_info;
	wheel_meta(&m->w, name, version);
	wheel_record(&m->w);
	badly(m, EB_INPUT, words);
}

static void test_other_file_name(void **state)
{
	named_badly(state, "u-1.0-py3-none-any.whl", "t-1.0.dist-info", "t",
		    "1.0", "does not fit its file name: u 1.0");
}

static void test_other_file_version(void **state)
{
	named_badly(state, "t-1.1-py3-none-any.whl", "t-1.0.dist-info", "t",
		    "1.0", "does not fit its file name: t 1.1");
}

static void test_other_metadata_name(void **state)
{
	named_badly(state, "t-1.0-py3-none-any.whl", "t-1.0.dist-info", "u",
		    "1.0",
		    "is u 1.0 by its METADATA and t 1.0 by its file name");
}

static void test_other_metadata_version(void **state)
{
	named_badly(state, "t-1.0-py3-none-any.whl", "t-1.0.dist-info", "t",
		    "1.0.post1",
		    "is t 1.0.post1 by its METADATA and t 1.0 by its file");
}

static void test_no_wheel_name(void **state)
{
	named_badly(state, "t-1.0.whl", "t-1.0.dist-info", "t", "1.0", "");
}

static void test_two_dist_infos(void **state)
{
	struct made *m = *state;

	wheel_file(&m->w, "u-2.dist-info/METADATA", "Name: u\n");
	badly(m, EB_INPUT,
	      "has two folders of metadata, \"t-1.0.dist-info\" and "
	      "\"u-2.dist-info\"");
}

static void test_no_dist_info(void **state)
{
	struct made *m = *state;

	m->bare = true;
	wheel_file(&m->w, "t.py", "");
	badly(m, EB_INPUT, "has no folder \"*.dist-info\"");
}

static void test_no_record(void **state)
{
	struct made *m = *state;

	m->bare = true;
	wheel_meta(&m->w, "t", "1.0");
	badly(m, EB_INPUT, "has no \"t-1.0.dist-info/RECORD\"");
}

static void test_no_wheel(void **state)
{
	struct made *m = *state;

	m->bare = true;
	wheel_info(&m->w, "METADATA", "Name: t\nVersion: 1.0\n");
	wheel_record(&m->w);
	badly(m, EB_INPUT, "has no \"t-1.0.dist-info/WHEEL\"");
}

static void test_no_metadata(void **state)
{
	struct made *m = *state;

	m->bare = true;
	wheel_info(&m->w, "WHEEL", "Wheel-Version: 1.0\n");
	wheel_record(&m->w);
	badly(m, EB_INPUT, "has no \"t-1.0.dist-info/METADATA\"");
}

static void wheel_says(void **state, const char *wheel, const char *metadata,
		       const char *words)
{
	struct made *m = *state;

	m->bare = true;
	wheel_info(&m->w, "WHEEL", wheel);
	wheel_info(&m->w, "METADATA", metadata);
	wheel_record(&m->w);
	badly(m, EB_INPUT, words);
}

/* METADATA whose lines 4 and 5 are one Requires-Dist with a marker so deep. */
static void nested(struct made *m, unsigned depth, const char *inside)
{
	EB_AUTOBUF(text, 1 << 20);

	m->bare = true;
	eb_buf_adds(&text, "Metadata-Version: 2.1\nName: t\nVersion: 1.0\n"
			   "requires-dist: six (>1);\n ");
	for (unsigned i = 0; i < depth; i++)
		eb_buf_addch(&text, '(');
	eb_buf_adds(&text, inside);
	for (unsigned i = 0; i < depth; i++)
		eb_buf_addch(&text, ')');
	eb_buf_adds(&text, "\n\nwords\n");
	wheel_info(&m->w, "WHEEL", "Wheel-Version: 1.0\n");
	wheel_info(&m->w, "METADATA", text.data);
	wheel_record(&m->w);
}

static void test_marker_too_deep(void **state)
{
	struct made *m = *state;

	nested(m, 1000, "python_version > '3'");
	badly(m, EB_INPUT,
	      "by a marker that is more than 100 parentheses deep, in line 4 "
	      "of its METADATA");
	assert_true(strlen(m->err.message) < 200);
}

static void test_marker_one_too_deep(void **state)
{
	nested(*state, 101, "os_name == 'x'");
	badly(*state, EB_INPUT, "more than 100 parentheses deep");
}

/* What stands in quotes, or behind the headers, is none. */
static void test_marker_deep(void **state)
{
	nested(*state, 100, "os_name == '((((' and os_name != \"'((\"");
	well(*state);
}

static void test_format_2(void **state)
{
	wheel_says(state, "Wheel-Version: 2.0\n", "Name: t\nVersion: 1.0\n",
		   "is of Wheel-Version 2.0; 1 is known");
}

static void test_format_none(void **state)
{
	wheel_says(state, "Generator: x\n", "Name: t\nVersion: 1.0\n",
		   "does not say its Wheel-Version");
}

static void test_format_odd(void **state)
{
	wheel_says(state, "Wheel-Version: one\n", "Name: t\nVersion: 1.0\n",
		   "has the Wheel-Version \"one\"");
}

static void test_nameless(void **state)
{
	wheel_says(state, "Wheel-Version: 1.0\n", "Version: 1.0\n\nName: t\n",
		   "does not say its Name");
}

static void test_versionless(void **state)
{
	wheel_says(state, "Wheel-Version: 1.0\n", "Name: t\n",
		   "does not say its Version");
}

static void test_large_metadata(void **state)
{
	struct made *m = *state;

	m->limits.metadata = 300;
	for (int i = 0; i < 20; i++) {
		eb_autofree char *name = eb_asprintf("m%d.py", i);

		wheel_file(&m->w, name, "");
	}
	badly(m, EB_INPUT, "the limit metadata-size is 300");
}

/* --- RECORD ------------------------------------------------------------- */

static void listed_badly(void **state, const struct wheel_member *x,
			 enum eb_code code, const char *words)
{
	struct made *m = *state;

	wheel_add(&m->w, x);
	badly(m, code, words);
}

static void test_unlisted(void **state)
{
	listed_badly(state,
		     &(struct wheel_member){
			     .name = "x.py", .content = "x", .unlisted = true },
		     EB_INPUT,
		     "has a member \"x.py\", which its RECORD does not list");
}

static void test_listed_only(void **state)
{
	struct made *m = *state;

	eb_buf_adds(&m->w.record, "gone.py,sha256=x,1\n");
	badly(m, EB_INTEGRITY,
	      "has no member \"gone.py\", which its RECORD lists");
}

static void test_listed_folder(void **state)
{
	struct made *m = *state;

	wheel_add(&m->w, &(struct wheel_member){ .name = "f/",
						 .content = "",
						 .stored = true,
						 .unlisted = true });
	eb_buf_adds(&m->w.record, "f,sha256=x,0\n");
	badly(m, EB_INPUT, "line 1, \"f\", is a folder");
}

static void test_wrong_size(void **state)
{
	listed_badly(state,
		     &(struct wheel_member){
			     .name = "x.py", .content = "x", .length = "2" },
		     EB_INTEGRITY, "\"x.py\": it has 1 bytes, RECORD says 2");
}

static void test_odd_size(void **state)
{
	listed_badly(state,
		     &(struct wheel_member){
			     .name = "x.py", .content = "x", .length = "01" },
		     EB_INPUT, "\"x.py\", has a size that is no number");
}

static void test_md5(void **state)
{
	listed_badly(state,
		     &(struct wheel_member){ .name = "x.py",
					     .content = "x",
					     .hash = "md5=abc" },
		     EB_INPUT, "\"x.py\", has a sum that is not a sha256");
}

static void test_no_hash(void **state)
{
	listed_badly(state,
		     &(struct wheel_member){
			     .name = "x.py", .content = "x", .hash = "" },
		     EB_INPUT, "\"x.py\", has no sha256");
}

static void test_damaged_hash(void **state)
{
	static const char *const hash[] = {
		"sha256=abc",
		"sha256=AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA",
		"sha256=AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAB",
		"sha256=AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA+AAAA",
	};

	(void)state;
	for (size_t i = 0; i < sizeof hash / sizeof *hash; i++) {
		void *one;

		begin(&one);
		listed_badly(&one,
			     &(struct wheel_member){ .name = "x.py",
						     .content = "x",
						     .hash = hash[i] },
			     EB_INPUT, "\"x.py\", has a damaged sha256");
		end(&one);
	}
}

/* What is read at once is verified at once. */
static void test_metadata_lies(void **state)
{
	struct made *m = *state;
	eb_autofree char *hash = wheel_hash("other", 5);

	m->bare = true;
	wheel_info(&m->w, "WHEEL", "Wheel-Version: 1.0\n");
	wheel_add(&m->w,
		  &(struct wheel_member){ .name = "t-1.0.dist-info/METADATA",
					  .content = "Name: t\nVersion: 1.0\n",
					  .hash = hash });
	wheel_record(&m->w);
	badly(m, EB_INTEGRITY,
	      "checking \"t-1.0.dist-info/METADATA\": its sha256 is");
}

/* Of all else the bytes are looked at when they are written. */
static void write_badly(void **state, const struct wheel_member *x,
			const char *words)
{
	struct made *m = *state;
	void *folder;
	struct eb_store *s;
	struct eb_compressor c;
	struct eb_digest key = { { 1 } };
	struct eb_item item;

	wheel_add(&m->w, x);
	well(m);
	assert_int_equal(make_folder(&folder), 0);
	s = open_store(&folder, 0);
	must(eb_compressor_init(&c, "gzip", &m->err), &m->err);
	must_fail(eb_part_write(s, &c, EB_ITEM_PART, &key, &m->out, m->file,
				&item, &m->err),
		  &m->err, EB_INTEGRITY, words);
	eb_store_close(s);
	assert_int_equal(remove_folder(&folder), 0);
}

static void test_record_lies(void **state)
{
	eb_autofree char *hash = wheel_hash("other", 5);

	write_badly(state,
		    &(struct wheel_member){
			    .name = "x.py", .content = "x = 1", .hash = hash },
		    "x.py");
}

static void test_crc_lies(void **state)
{
	write_badly(state,
		    &(struct wheel_member){
			    .name = "x.py", .content = "x = 1", .crc_xor = 1 },
		    "x.py");
}

static void test_rows_differ(void **state)
{
	struct made *m = *state;
	eb_autofree char *hash = wheel_hash("two", 3);

	wheel_file(&m->w, "x.py", "one");
	eb_buf_addf(&m->w.record, "x.py,%s,3\n", hash);
	badly(m, EB_INPUT,
	      "line 2, \"x.py\", says something else than the one before");
}

static void test_open_quote(void **state)
{
	struct made *m = *state;

	m->bare = true;
	wheel_meta(&m->w, "t", "1.0");
	eb_buf_adds(&m->w.record, "\"x.py,");
	wheel_record(&m->w);
	badly(m, EB_INPUT, "a RECORD with a quote that is not closed");
}

static void test_nul_in_record(void **state)
{
	struct made *m = *state;
	static const char text[] = "x.py\0,,";

	m->bare = true;
	wheel_meta(&m->w, "t", "1.0");
	wheel_put(&m->w,
		  &(struct wheel_member){ .name = "t-1.0.dist-info/RECORD",
					  .content = text,
					  .size = sizeof text - 1 });
	badly(m, EB_INPUT, "has a NUL in its \"t-1.0.dist-info/RECORD\"");
}

/* Rows that a record cannot tell from the entry alone leave a note. */
static void test_notes(void **state)
{
	struct made *m = *state;
	eb_autofree char *hash = wheel_hash("x", 1);
	eb_autofree char *padded = eb_asprintf("%s=", hash);
	eb_autofree char *note =
		eb_asprintf("{\"hash\":\"%s\",\"size\":\"\"}", padded);

	wheel_add(&m->w, &(struct wheel_member){ .name = "a.py",
						 .content = "x",
						 .hash = padded,
						 .length = "" });
	wheel_file(&m->w, "b,\"c.py", "");
	eb_buf_reset(&m->w.record);
	eb_buf_addf(&m->w.record, "a.py,%s,\r\n\r\n", padded);
	eb_autofree char *empty = wheel_hash("", 0);
	eb_buf_addf(&m->w.record, "\"b,\"\"c.py\",%s,0,more,fields\r\n", empty);
	eb_buf_addf(&m->w.record, "\"b,\"\"c.py\",%s,0\n", empty);
	well(m);
	assert_string_equal(need(m, SITE "a.py")->note, note);
	assert_string_equal(need(m, SITE "b,\"c.py")->note, "{\"rows\":2}");
}

/* --- data --------------------------------------------------------------- */

static void placed_badly(void **state, const char *name, const char *words)
{
	struct made *m = *state;

	wheel_file(&m->w, name, "x");
	badly(m, EB_INPUT, words);
}

static void test_unknown_data(void **state)
{
	placed_badly(state, "t-1.0.data/etc/x",
		     "there is no \"etc\" among purelib, platlib, scripts, "
		     "data and headers");
}

static void test_bare_data(void **state)
{
	placed_badly(state, "t-1.0.data/x", "that is in no folder of its data");
}

static void test_other_data(void **state)
{
	placed_badly(state, "u-1.0.data/data/x",
		     "has \"u-1.0.data\"; the folder of data of a wheel is "
		     "named like its metadata, \"t-1.0.data\"");
}

static void test_conda_meta(void **state)
{
	placed_badly(state, "t-1.0.data/data/conda-meta/history",
		     "would come into conda-meta");
}

static void test_others_metadata(void **state)
{
	placed_badly(state, "t-1.0.data/purelib/u-1.dist-info/METADATA",
		     "would come into the metadata \"u-1.dist-info\"");
}

static void test_own_metadata(void **state)
{
	placed_badly(state,
		     "t-1.0.data/data/lib/python3.7/site-packages/"
		     "t-1.0.dist-info/RECORD",
		     "would come into the metadata \"t-1.0.dist-info\"");
}

static void test_one_place(void **state)
{
	struct made *m = *state;

	wheel_file(&m->w, "x.py", "one");
	data(m, "purelib/x.py", "two");
	badly(m, EB_INPUT,
	      "has two members, \"t-1.0.data/purelib/x.py\" and \"x.py\", that "
	      "both become \"" SITE "x.py\"");
}

static void test_one_place_same(void **state)
{
	struct made *m = *state;

	data(m, "purelib/x.py", "one");
	data(m, "platlib/x.py", "one");
	wheel_add(&m->w, &(struct wheel_member){ .name = "x.py",
						 .content = "one",
						 .mode = S_IFREG | 0755 });
	well(m);
	assert_file(m, SITE "x.py", 0755, "one");
	assert_string_equal(need(m, SITE "x.py")->note, "{\"rows\":3}");
	assert_int_equal(m->out.n, 3);
}

static void test_file_over_folder(void **state)
{
	struct made *m = *state;

	wheel_file(&m->w, "x/y.py", "one");
	data(m, "purelib/x", "two");
	badly(m, EB_INPUT, "which is no folder");
}

/* --- much --------------------------------------------------------------- */

static long peak_kb(void)
{
	struct rusage u;

	getrusage(RUSAGE_SELF, &u);
	return u.ru_maxrss;
}

static void test_100000_members(void **state)
{
	struct made *m = *state;
	struct timespec a, b;
	long before;
	double took;

	for (unsigned i = 0; i < 100000; i++) {
		eb_autofree char *name =
			eb_asprintf("package/f%u/member_%u.py", i % 331, i);

		wheel_add(&m->w, &(struct wheel_member){ .name = name,
							 .content = "x",
							 .stored = true });
	}
	finish(m);
	before = peak_kb();
	clock_gettime(CLOCK_MONOTONIC, &a);
	open_made(m);
	clock_gettime(CLOCK_MONOTONIC, &b);
	if (m->rc < 0)
		fail_msg("%s", m->err.message);
	assert_int_equal(m->out.n, 100002);
	took = (double)(b.tv_sec - a.tv_sec) +
	       (double)(b.tv_nsec - a.tv_nsec) / 1e9;
	print_message("100,000 members: %.2f s, %ld kB more\n", took,
		      peak_kb() - before);
#ifndef __SANITIZE_ADDRESS__
	assert_true(peak_kb() - before < 128 << 10);
	assert_true(took < 30);
#endif
}

static void test_member_limit(void **state)
{
	struct made *m = *state;

	m->limits.members = 2;
	badly(m, EB_INPUT, "has 3 members; the limit package-members is 2");
}

#define T(name) cmocka_unit_test_setup_teardown(test_##name, begin, end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		T(says),
		T(spellings),
		T(newer_minor),
		T(places),
		T(headers_of_others),
		T(modes),
		T(times),
		T(generated),
		T(scripts),
		T(long_prefix),
		T(launchers),
		T(versioned),
		T(wrappers),
		T(launcher_wins),
		T(bad_points),
		T(many_points),
		T(other_file_name),
		T(other_file_version),
		T(other_metadata_name),
		T(other_metadata_version),
		T(no_wheel_name),
		T(two_dist_infos),
		T(no_dist_info),
		T(no_record),
		T(no_wheel),
		T(no_metadata),
		T(format_2),
		T(format_none),
		T(format_odd),
		T(nameless),
		T(versionless),
		T(large_metadata),
		T(marker_too_deep),
		T(marker_one_too_deep),
		T(marker_deep),
		T(unlisted),
		T(listed_only),
		T(listed_folder),
		T(wrong_size),
		T(odd_size),
		T(md5),
		T(no_hash),
		T(damaged_hash),
		T(metadata_lies),
		T(record_lies),
		T(crc_lies),
		T(rows_differ),
		T(open_quote),
		T(nul_in_record),
		T(notes),
		T(unknown_data),
		T(bare_data),
		T(other_data),
		T(conda_meta),
		T(others_metadata),
		T(own_metadata),
		T(one_place),
		T(one_place_same),
		T(file_over_folder),
		T(100000_members),
		T(member_limit),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
