/* SPDX-License-Identifier: Apache-2.0 */
/* Source distributions: what they say of their build, hostile ones, and
 * unpacking. */
#include <archive.h>
#include <archive_entry.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include <envbuild/file.h>
#include <envbuild/sdist.h>

#include "make_package.h"

/* --- archives to order ------------------------------------------------- */
struct making {
	struct archive *a;
	int fd;
};

static struct making begin(bool zip)
{
	struct making m = { archive_write_new(), -1 };
	struct eb_error err = EB_ERROR_INIT;

	m.fd = eb_unnamed_file("/tmp", &err);
	assert_true(m.fd >= 0);
	if (zip) {
		archive_write_set_format_zip(m.a);
	} else {
		archive_write_set_format_pax_restricted(m.a);
		archive_write_add_filter_gzip(m.a);
	}
	assert_int_equal(archive_write_open_fd(m.a, m.fd), ARCHIVE_OK);
	return m;
}

static struct archive_entry *entry(const char *path, unsigned type,
				   unsigned mode)
{
	struct archive_entry *e = archive_entry_new();

	archive_entry_set_pathname(e, path);
	archive_entry_set_filetype(e, type);
	archive_entry_set_perm(e, mode);
	archive_entry_set_mtime(e, 1500000000, 0);
	archive_entry_set_size(e, 0);
	return e;
}

static void put(struct making *m, struct archive_entry *e, const char *text)
{
	archive_entry_set_size(e, (la_int64_t)strlen(text));
	assert_int_equal(archive_write_header(m->a, e), ARCHIVE_OK);
	assert_int_equal(archive_write_data(m->a, text, strlen(text)),
			 (int)strlen(text));
	archive_entry_free(e);
}

static void file(struct making *m, const char *path, const char *text)
{
	put(m, entry(path, AE_IFREG, 0644), text);
}

static void link_to(struct making *m, const char *path, const char *target)
{
	struct archive_entry *e = entry(path, AE_IFLNK, 0777);

	archive_entry_set_symlink(e, target);
	put(m, e, "");
}

static void hard_link_to(struct making *m, const char *path, const char *target)
{
	struct archive_entry *e = entry(path, AE_IFREG, 0644);

	archive_entry_set_hardlink(e, target);
	put(m, e, "");
}

static int end(struct making *m)
{
	archive_write_free(m->a);
	return m->fd;
}

static void read_ok(struct making *m, const char *name, struct eb_sdist *out)
{
	struct eb_error err = EB_ERROR_INIT;
	int fd = end(m);

	if (eb_sdist_read(fd, name, &eb_wheel_default_limits, out, &err) < 0)
		fail_msg("%s", err.message);
	close(fd);
}

static void refused(int fd, enum eb_code code, const char *words)
{
	struct eb_error err = EB_ERROR_INIT;
	struct eb_sdist s;

	assert_int_equal(eb_sdist_read(fd, "a-1.tar.gz",
				       &eb_wheel_default_limits, &s, &err),
			 -1);
	if (err.code != code || !strstr(err.message, words))
		fail_msg("%d: %s", err.code, err.message);
	assert_null(s.backend);
	eb_err_release(&err);
	close(fd);
}

static bool has(const struct eb_strv *list, const char *text)
{
	for (size_t i = 0; i < list->n; i++)
		if (!strcmp(list->v[i], text))
			return true;
	return false;
}

/* --- what they say ------------------------------------------------------- */
static void test_legacy(void **state)
{
	struct making m = begin(false);
	struct eb_sdist s;

	file(&m, "future-0.17.1/PKG-INFO",
	     "Metadata-Version: 1.2\nName: Future\nVersion: 0.17.1\n"
	     "Description: a\n  Requires-Dist: none\n\nRequires-Dist: body\n");
	file(&m, "future-0.17.1/setup.py", "setup(setup_requires = [])\n");
	read_ok(&m, "future-0.17.1.tar.gz", &s);
	assert_string_equal(s.name, "future");
	assert_string_equal(s.version, "0.17.1");
	assert_string_equal(s.top, "future-0.17.1");
	assert_true(s.legacy);
	assert_string_equal(s.backend, "setuptools.build_meta:__legacy__");
	assert_int_equal(s.requires.n, 2);
	assert_true(has(&s.requires, "setuptools>=40.8.0"));
	assert_true(has(&s.requires, "wheel"));
	assert_false(s.static_metadata);
	assert_false(s.has_c);
	assert_false(s.asks);
	assert_null(s.metadata);
	assert_int_equal(s.depends.n, 0);
	eb_sdist_release(&s);
	(void)state;
}

static const char *told_by(const char *setup_py, const char *setup_cfg)
{
	struct making m = begin(false);
	const char *by;
	struct eb_sdist s;

	file(&m, "x-1/PKG-INFO",
	     "Metadata-Version: 1.1\nName: x\nVersion: 1\n");
	file(&m, "x-1/setup.py", setup_py);
	if (setup_cfg)
		file(&m, "x-1/setup.cfg", setup_cfg);
	read_ok(&m, "x-1.tar.gz", &s);
	by = s.metadata;
	assert_false(s.static_metadata);
	assert_int_equal(s.depends.n, 0);
	eb_sdist_release(&s);
	return by;
}

/* distutils knows no requirements, where no other words are there. */
static void test_distutils(void **state)
{
	const char *plain = "from distutils.core import setup\nsetup()\n";

	assert_string_equal(told_by(plain, NULL), "setup.py");
	assert_string_equal(told_by(plain, "[bdist_wheel]\n"), "setup.py");
	assert_null(told_by(plain, "[metadata]\nrequires-dist = six\n"));
	assert_null(told_by("from setuptools import setup\nsetup()\n", NULL));
	assert_null(told_by("from distutils.core import setup\n"
			    "setup(install_requires=['six'])\n",
			    NULL));
	assert_null(told_by("try:\n  from setuptools import setup\n"
			    "except ImportError:\n"
			    "  from distutils.core import setup\n",
			    NULL));
	(void)state;
}

static void test_egg_info(void **state)
{
	struct making m = begin(true);
	struct eb_sdist s;

	file(&m, "x-1/deep/er/still/y.egg-info/requires.txt", "wrong\n");
	file(&m, "x-1/src/x.egg-info/requires.txt",
	     "six>=1.4\n\n[:python_version < "
	     "\"3\"]\nenum34\n\n[dev]\npytest\n\n"
	     "[dev:os_name == 'nt']\nwin ; python_version > '3'\n");
	file(&m, "x-1/src/x.egg-info/setup_requires.txt",
	     "cython>=0.27.3\nWheel>=0.30\n");
	file(&m, "x-1/setup.py", "setup(setup_requires=['cython'])\n");
	file(&m, "x-1/src/_speed.pyx", "");
	file(&m, "x-1/tests/_other.c", "");
	read_ok(&m, "x-1.zip", &s);
	assert_string_equal(s.name, "x");
	assert_string_equal(s.metadata, "egg-info");
	assert_false(s.static_metadata);
	assert_int_equal(s.depends.n, 4);
	assert_string_equal(s.depends.v[0], "six>=1.4");
	assert_string_equal(s.depends.v[1], "enum34 ; python_version < \"3\"");
	assert_string_equal(s.depends.v[2], "pytest ; extra == 'dev'");
	assert_string_equal(s.depends.v[3],
			    "win ; ( python_version > '3') and ((os_name == "
			    "'nt') and extra == 'dev')");
	assert_int_equal(s.requires.n, 3);
	assert_true(has(&s.requires, "cython>=0.27.3"));
	assert_true(s.asks);
	assert_true(s.has_c);
	assert_string_equal(s.c_file, "src/_speed.pyx");
	eb_sdist_release(&s);
	(void)state;
}

static void test_static(void **state)
{
	struct making m = begin(false);
	struct eb_sdist s;

	file(&m, "./my_pkg-2.0/PKG-INFO",
	     "Metadata-Version: 2.4\r\nName: My.Pkg\r\nVersion: 2.0\r\n"
	     "Requires-Python: >=3.7\r\nRequires-Dist: a>1\r\n"
	     "requires-dist: b;\r\n extra == 'x'\r\nDynamic: License\r\n");
	file(&m, "./my_pkg-2.0/pyproject.toml",
	     "[build-system]\nrequires = [\"flit_core >=3\"]\n"
	     "build-backend = \"flit_core.buildapi\"\n"
	     "[project]\nname = 'my.pkg'\ndependencies = ['other']\n");
	read_ok(&m, "my_pkg-2.0.tar.gz", &s);
	assert_string_equal(s.name, "my-pkg");
	assert_true(s.static_metadata);
	assert_string_equal(s.metadata, "PKG-INFO");
	assert_string_equal(s.requires_python, ">=3.7");
	assert_int_equal(s.depends.n, 2);
	assert_string_equal(s.depends.v[0], "a>1");
	assert_int_equal(s.requires.n, 1);
	assert_string_equal(s.backend, "flit_core.buildapi");
	assert_false(s.legacy);
	assert_false(s.asks);
	eb_sdist_release(&s);
	(void)state;
}

static void test_dynamic(void **state)
{
	struct making m = begin(false);
	struct eb_sdist s;

	file(&m, "p-2.0/PKG-INFO",
	     "Metadata-Version: 2.2\nName: p\nVersion: 2.0\n"
	     "Dynamic: requires-dist\nRequires-Dist: a\n");
	file(&m, "p-2.0/pyproject.toml",
	     "[build-system]\nrequires = ['setuptools']\n"
	     "build-backend = 'setuptools.build_meta'\n"
	     "[project]\nname='p'\nversion='2'\ndynamic=['dependencies']\n");
	read_ok(&m, "p-2.0.tar.gz", &s);
	assert_false(s.static_metadata);
	assert_string_equal(s.metadata, "PKG-INFO");
	assert_int_equal(s.depends.n, 1);
	assert_int_equal(s.requires.n, 2);
	assert_true(has(&s.requires, "wheel"));
	eb_sdist_release(&s);
	(void)state;
}

static void test_project_table(void **state)
{
	struct making m = begin(false);
	struct eb_sdist s;

	file(&m, "main/pyproject.toml",
	     "[build-system]\nrequires = []\nbuild-backend = 'mine'\n"
	     "backend-path = ['.', 'tools']\n"
	     "[project]\nname='In_Tree'\nversion='1.0.0-rc1'\n"
	     "requires-python='>=3.6'\ndependencies=['six; os_name == \"x\"']\n"
	     "[project.optional-dependencies]\nt=['pytest', 'a; b']\n");
	read_ok(&m, "main.zip.tar.gz", &s);
	assert_string_equal(s.name, "in-tree");
	assert_string_equal(s.version, "1.0.0rc1");
	assert_true(s.static_metadata);
	assert_true(s.asks);
	assert_string_equal(s.metadata, "pyproject.toml");
	assert_string_equal(s.requires_python, ">=3.6");
	assert_int_equal(s.path.n, 2);
	assert_int_equal(s.requires.n, 0);
	assert_int_equal(s.depends.n, 3);
	assert_string_equal(s.depends.v[1], "pytest ; extra == 't'");
	assert_string_equal(s.depends.v[2], "a; ( b) and extra == 't'");
	eb_sdist_release(&s);
	(void)state;
}

static void bad_project(const char *text, const char *words)
{
	struct making m = begin(false);

	file(&m, "a-1/pyproject.toml", text);
	refused(end(&m), EB_INPUT, words);
}

static void test_bad_project(void **state)
{
	bad_project("[build-system]\nbuild-backend='x'\n", "\"requires\"");
	bad_project("[build-system]\nrequires=[1]\n", "\"requires\"");
	bad_project("[build-system]\nrequires=[]\nbuild-backend=1\n",
		    "\"build-backend\"");
	bad_project("[build-system]\nrequires=[]\nbuild-backend='x'\n"
		    "backend-path=['../y']\n",
		    "\"backend-path\"");
	bad_project("build-system=1\n", "[build-system]");
	bad_project("[project]\nname='x'\nversion='1'\ndependencies='y'\n",
		    "\"dependencies\"");
	bad_project("[build-system\n", "pyproject.toml");
	(void)state;
}

/* --- hostile ones ----------------------------------------------------------
 */
static void member_refused(const char *path, unsigned type, const char *words)
{
	struct making m = begin(false);
	struct archive_entry *e = entry(path, type, 0644);

	file(&m, "a-1/setup.py", "");
	if (type == AE_IFCHR)
		archive_entry_set_rdev(e, 0x103);
	put(&m, e, "");
	refused(end(&m), EB_INPUT, words);
}

static void test_names(void **state)
{
	member_refused("b-1/x.py", AE_IFREG, "beside its one folder");
	member_refused("x.py", AE_IFREG, "beside its one folder");
	member_refused("a-1/../x.py", AE_IFREG, "x.py");
	member_refused("/etc/x.py", AE_IFREG, "absolute");
	member_refused("a-1/dev", AE_IFCHR, "device");
	member_refused("a-1/pipe", AE_IFIFO, "fifo");
	(void)state;
}

static void link_refused(bool hard, const char *path, const char *target)
{
	struct making m = begin(false);

	file(&m, "a-1/setup.py", "");
	if (hard)
		hard_link_to(&m, path, target);
	else
		link_to(&m, path, target);
	refused(end(&m), EB_INPUT, "link");
}

static void test_links(void **state)
{
	link_refused(false, "a-1/x", "/etc/passwd");
	link_refused(false, "a-1/x", "..");
	link_refused(false, "a-1/x", "../b-1/x");
	link_refused(false, "a-1/d/x", "../../y");
	link_refused(false, "a-1/x", "d/../../y");
	link_refused(false, "a-1/x", "d/../y");
	link_refused(true, "a-1/x", "b-1/y");
	(void)state;
}

static void test_limits(void **state)
{
	struct eb_wheel_limits few = eb_wheel_default_limits;
	struct eb_error err = EB_ERROR_INIT;
	struct making m = begin(false);
	struct eb_sdist s;
	int fd;

	file(&m, "a-1/setup.py", "0123456789");
	file(&m, "a-1/PKG-INFO", "0123456789");
	fd = end(&m);
	few.members = 1;
	assert_int_equal(eb_sdist_read(fd, "a-1.tar.gz", &few, &s, &err), -1);
	assert_non_null(strstr(err.hint, "package-members"));
	eb_err_release(&err);
	few = eb_wheel_default_limits;
	few.member_size = 9;
	assert_int_equal(eb_sdist_read(fd, "a-1.tar.gz", &few, &s, &err), -1);
	assert_non_null(strstr(err.hint, "member-size"));
	eb_err_release(&err);
	few = eb_wheel_default_limits;
	few.metadata = 9;
	assert_int_equal(eb_sdist_read(fd, "a-1.tar.gz", &few, &s, &err), -1);
	assert_non_null(strstr(err.hint, "metadata-size"));
	eb_err_release(&err);
	close(fd);
	(void)state;
}

/* A header that promises two gigabytes, in a file of half a kilobyte. */
static void test_growth(void **state)
{
	static const char path[101] = "a-1/big";
	const struct make_member big = { .path = path };
	struct eb_error err = EB_ERROR_INIT;
	EB_AUTOBUF(tar, MAKE_MAX);
	int fd = eb_unnamed_file("/tmp", &err);

	make_header(&tar, &big, (uint64_t)2 << 30);
	assert_int_equal(write(fd, tar.data, tar.len), (int)tar.len);
	refused(fd, EB_INPUT, "too much for an archive");
	(void)state;
}

static void test_broken(void **state)
{
	struct making m = begin(false);
	char text[4096];
	int fd;

	for (size_t i = 0; i < sizeof text; i++)
		text[i] = (char)('a' + (i * i * 7 + i / 3) % 26);
	text[sizeof text - 1] = '\0';
	file(&m, "a-1/setup.py", text);
	file(&m, "a-1/PKG-INFO", text);
	fd = end(&m);
	assert_int_equal(ftruncate(fd, lseek(fd, 0, SEEK_END) / 2), 0);
	refused(fd, EB_INTEGRITY, "reading the archive");
	fd = eb_unnamed_file("/tmp", &(struct eb_error)EB_ERROR_INIT);
	assert_int_equal(write(fd, text, sizeof text), (int)sizeof text);
	refused(fd, EB_INTEGRITY, "reading the archive");
	m = begin(false);
	refused(end(&m), EB_INPUT, "nothing in it");
	(void)state;
}

/* --- unpacking
 * ---------------------------------------------------------------- */
struct place {
	char *dir;
};

static void leave(struct place *p)
{
	struct eb_error err = EB_ERROR_INIT;

	assert_int_equal(eb_remove_tree(p->dir, &err), 0);
	free(p->dir);
}

static int unpack(struct making *m, struct place *p, struct eb_error *err)
{
	int fd = end(m), rc;

	p->dir = eb_make_tempdir("/tmp", "sdist-", err);
	assert_non_null(p->dir);
	rc = eb_sdist_unpack(fd, "a-1.tar.gz", &eb_wheel_default_limits, p->dir,
			     err);
	close(fd);
	return rc;
}

static struct stat look(const struct place *p, const char *path)
{
	eb_autofree char *full = eb_path_join(p->dir, path);
	struct stat st;

	assert_int_equal(lstat(full, &st), 0);
	return st;
}

static void test_unpack(void **state)
{
	struct eb_error err = EB_ERROR_INIT;
	struct making m = begin(false);
	struct place p EB_CLEANUP(leave) = { 0 };
	struct stat st;

	put(&m, entry("a-1/", AE_IFDIR, 0700), "");
	put(&m, entry("a-1/run", AE_IFREG, 04700), "#!/bin/sh\n");
	file(&m, "a-1/d/e/f.py", "first\n");
	file(&m, "a-1/d/e/f.py", "second one\n");
	put(&m, entry("a-1/empty/", AE_IFDIR, 0777), "");
	link_to(&m, "a-1/d/up", "../run");
	link_to(&m, "a-1/l", "d");
	hard_link_to(&m, "a-1/copy", "a-1/d/e/f.py");
	if (unpack(&m, &p, &err) < 0)
		fail_msg("%s", err.message);
	st = look(&p, "run");
	assert_int_equal(st.st_mode, S_IFREG | 0755);
	assert_int_equal(st.st_mtime, 1500000000);
	st = look(&p, "d/e/f.py");
	assert_int_equal(st.st_mode, S_IFREG | 0644);
	assert_int_equal(st.st_size, strlen("second one\n"));
	st = look(&p, "copy");
	assert_int_equal(st.st_size, strlen("second one\n"));
	assert_int_equal(st.st_nlink, 1);
	assert_true(S_ISDIR(look(&p, "empty").st_mode));
	assert_true(S_ISLNK(look(&p, "l").st_mode));
	assert_true(S_ISLNK(look(&p, "d/up").st_mode));
	(void)state;
}

static void unpack_refused(struct making *m, const char *words)
{
	struct eb_error err = EB_ERROR_INIT;
	struct place p EB_CLEANUP(leave) = { 0 };

	assert_int_equal(unpack(m, &p, &err), -1);
	if (err.code != EB_INPUT || !strstr(err.message, words))
		fail_msg("%d: %s", err.code, err.message);
	eb_err_release(&err);
}

/* Links inside are fine, writing through them is not. */
static void test_through_links(void **state)
{
	struct making m = begin(false);

	file(&m, "a-1/d/x", "");
	link_to(&m, "a-1/l", "d");
	file(&m, "a-1/l/y", "");
	unpack_refused(&m, "\"l\"");
	m = begin(false);
	file(&m, "a-1/d/x", "");
	link_to(&m, "a-1/a/b/c", "../../d");
	link_to(&m, "a-1/a/b/c/e", "../../../../d");
	unpack_refused(&m, "leads out");
	m = begin(false);
	link_to(&m, "a-1/a/b/c", "../..");
	link_to(&m, "a-1/a/b/c/e", "../../../d");
	unpack_refused(&m, "\"a/b/c\"");
	m = begin(false);
	file(&m, "a-1/x", "");
	file(&m, "a-1/x/y", "");
	unpack_refused(&m, "\"x/y\"");
	m = begin(false);
	file(&m, "a-1/x/y", "");
	file(&m, "a-1/x", "");
	unpack_refused(&m, "\"x\"");
	m = begin(false);
	hard_link_to(&m, "a-1/x", "a-1/y");
	unpack_refused(&m, "no file before it");
	(void)state;
}

/* --- folders
 * ------------------------------------------------------------------- */
static void write_text(const struct place *p, const char *path,
		       const char *text)
{
	eb_autofree char *full = eb_path_join(p->dir, path);
	struct eb_error err = EB_ERROR_INIT;

	assert_int_equal(eb_write_file(full, text, strlen(text), 0644, &err),
			 0);
}

static void test_folder(void **state)
{
	struct eb_error err = EB_ERROR_INIT;
	struct place p EB_CLEANUP(leave) = { 0 };
	eb_autofree char *egg = NULL, *ext = NULL, *linked = NULL;
	struct eb_sdist s;

	p.dir = eb_make_tempdir("/tmp", "sdist-", &err);
	egg = eb_path_join(p.dir, "x.egg-info");
	ext = eb_path_join(p.dir, "ext");
	linked = eb_path_join(p.dir, "pyproject.toml");
	assert_int_equal(mkdir(egg, 0755), 0);
	assert_int_equal(mkdir(ext, 0755), 0);
	write_text(&p, "x.egg-info/requires.txt", "old\n");
	write_text(&p, "ext/speed.cpp", "");
	write_text(&p, "setup.py", "from setuptools import setup\n");
	assert_int_equal(eb_sdist_read_dir(p.dir, &s, &err), 0);
	assert_null(s.name);
	assert_null(s.top);
	assert_int_equal(s.depends.n, 0);
	assert_true(s.legacy);
	assert_string_equal(s.c_file, "ext/speed.cpp");
	eb_sdist_release(&s);
	assert_int_equal(symlink("/etc/passwd", linked), 0);
	assert_int_equal(eb_sdist_read_dir(p.dir, &s, &err), -1);
	assert_int_equal(err.code, EB_INPUT);
	eb_err_release(&err);
	(void)state;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_legacy),
		cmocka_unit_test(test_distutils),
		cmocka_unit_test(test_egg_info),
		cmocka_unit_test(test_static),
		cmocka_unit_test(test_dynamic),
		cmocka_unit_test(test_project_table),
		cmocka_unit_test(test_bad_project),
		cmocka_unit_test(test_names),
		cmocka_unit_test(test_links),
		cmocka_unit_test(test_limits),
		cmocka_unit_test(test_growth),
		cmocka_unit_test(test_broken),
		cmocka_unit_test(test_unpack),
		cmocka_unit_test(test_through_links),
		cmocka_unit_test(test_folder),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
