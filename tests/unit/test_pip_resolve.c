/* SPDX-License-Identifier: Apache-2.0 */
/* Pip sections resolved by uv against an index: pins and all that is known of
 * them. */
#include "resolve_fixture.h"

#include <sys/stat.h>

static const char *const wheels[] = {
	"alpha 1.0 requires=beta>=2 python=>=3.6 time=2020-03-01T10:00:00Z",
	"beta 1.0",
	"beta 2.0",
	"beta 3.0b1",
	"beta 2.5 time=2022-05-01T00:00:00Z",
	"gone 1.0 yanked='broken build'",
	"many 1.0 tag=cp37-cp37m-manylinux2014_x86_64",
	"many 1.0 tag=cp37-cp37m-manylinux_2_31_x86_64",
	"many 1.0 tag=py3-none-any",
	"gpu 1.0 tag=cp37-cp37m-manylinux2014_x86_64 requires=beta",
	"many 1.0 kind=static",
	"static 1.0 kind=static requires=beta",
	"source 1.0 kind=backend requires=beta<2.5",
	"past 1.0 kind=setup requires=beta<2.5 requires=bygone",
	"bygone 1.0 kind=setup",
	"needs 1.0 requires=source",
	"local 1.0 kind=static format=folder requires=beta",
	"old 1.0 requires=shared<2",
	"new 1.0 requires=shared>=2",
	"shared 1.0",
	"shared 2.0",
	"opt 1.0 requires='beta;extra==\"more\"' extra=more",
	"setuptools 68.0",
	"wheel 0.40",
	NULL,
};

static struct section section;

static int open_all(void **state)
{
	section_open(&section, wheels, NULL);
	*state = &section;
	return 0;
}

static int close_all(void **state)
{
	section_close(*state);
	return 0;
}

/* --- pins ------------------------------------------------------------------
 */

static void test_pins(void **state)
{
	struct section *s = *state;
	const struct eb_pin *p;
	eb_autofree char *index = NULL;

	NEED_UV(s);
	index = eb_asprintf("http://127.0.0.1:%u/one/simple", s->server.port);
	PINS(s, section_resolve(s, "alpha", "beta; python_version>\"4\"", NULL),
	     "alpha==1.0 beta==2.5");
	assert_true(eb_starts(s->result.resolver, "uv "));
	assert_false(s->result.built_metadata);
	p = section_pin(s, "alpha");
	assert_int_equal(p->source, EB_PIN_WHEEL);
	assert_string_equal(p->file, "alpha-1.0-py3-none-any.whl");
	assert_string_equal(p->index, index);
	assert_string_equal(p->requires_python, ">=3.6");
	assert_string_equal(p->upload_time, "2020-03-01T10:00:00Z");
	assert_true(p->size > 300 && p->size < 10000);
	assert_true(eb_starts(p->url, "http://127.0.0.1:"));
	assert_false(eb_digest_is_zero(&p->sha256));
	assert_true(p->requested);
	assert_false(p->direct);
	assert_null(p->yanked);
	assert_null(p->build);
	assert_false(section_pin(s, "beta")->requested);
}

/* What was looked up once is not asked for again. */
static void test_known(void **state)
{
	struct section *s = *state;
	static const char us[] = "\"client\": \"envbuild";
	eb_autofree char *first = NULL, *log = NULL;

	NEED_UV(s);
	free(index_ask(&s->server, "DELETE", "/_log", NULL));
	PINS(s, section_resolve(s, "old", NULL), "old==1.0 shared==1.0");
	first = index_ask(&s->server, "GET", "/_log", NULL);
	assert_non_null(strstr(first, us));
	free(index_ask(&s->server, "DELETE", "/_log", NULL));
	PINS(s, section_resolve(s, "old", NULL), "old==1.0 shared==1.0");
	log = index_ask(&s->server, "GET", "/_log", NULL);
	assert_null(strstr(log, us));
	assert_true(section_pin(s, "shared")->size > 100);
	assert_non_null(section_pin(s, "shared")->index);
}

static void test_best_file(void **state)
{
	struct section *s = *state;

	NEED_UV(s);
	PINS(s, section_resolve(s, "many", NULL), "many==1.0");
	assert_string_equal(section_pin(s, "many")->file,
			    "many-1.0-cp37-cp37m-manylinux_2_31_x86_64.whl");
	s->r.target.glibc = "2.27";
	PINS(s, section_resolve(s, "many", NULL), "many==1.0");
	assert_string_equal(section_pin(s, "many")->file,
			    "many-1.0-cp37-cp37m-manylinux2014_x86_64.whl");
	s->r.target.version = "3.8.1";
	PINS(s, section_resolve(s, "many", NULL), "many==1.0");
	assert_string_equal(section_pin(s, "many")->file,
			    "many-1.0-py3-none-any.whl");
	s->r.target.version = "3.7.0";
	s->r.target.glibc = "2.36";
}

static void test_options(void **state)
{
	struct section *s = *state;

	NEED_UV(s);
	PINS(s, section_resolve(s, "beta", "--pre", NULL), "beta==3.0b1");
	PINS(s, section_resolve(s, "many", "--no-binary many", NULL),
	     "many==1.0");
	assert_int_equal(section_pin(s, "many")->source, EB_PIN_SDIST);
	assert_non_null(section_pin(s, "many")->build);
	assert_true(section_pin(s, "many")->build->isolated);
	PINS(s, section_resolve(s, "opt[more]", NULL), "beta==2.5 opt==1.0");
	s->r.as_of = "2021-01-01";
	PINS(s, section_resolve(s, "beta", NULL), "beta==2.0");
	s->r.as_of = NULL;
	PINS(s, section_resolve(s, "gone==1.0", NULL), "gone==1.0");
	assert_string_equal(section_pin(s, "gone")->yanked, "broken build");
}

/* --- conda ------------------------------------------------------------------
 */

static const char metadata[] = "Metadata-Version: 2.1\nName: Shared\n"
			       "Version: 1.5\nRequires-Dist: beta (<2.5)\n"
			       "Requires-Dist: what is this\n\nwords\n";
static const struct eb_installed conda[] = {
	{ (char *)"beta", (char *)"1.0", (char *)"py-beta", NULL, 0 },
	{ (char *)"shared", (char *)"1.5", (char *)"libshared", metadata,
	  sizeof metadata - 1 },
};

static void test_constraints(void **state)
{
	struct section *s = *state;

	NEED_UV(s);
	s->r.installed = conda;
	s->r.n_installed = 2;
	/* its version is on no index, and what it requires counts */
	PINS(s, section_resolve(s, "old", "opt[more]", NULL),
	     "old==1.0 opt==1.0");
	assert_int_equal(s->result.replaced.n, 0);
	PINS(s, section_resolve(s, "shared", NULL), "");
	s->r.installed = NULL;
	s->r.n_installed = 0;
}

/* An index has the same version, with a requirement that conda's has not. */
static void test_own_metadata(void **state)
{
	static const char none[] = "Metadata-Version: 2.1\nName: gpu\n"
				   "Version: 1.0\n";
	static const struct eb_installed gpu = { (char *)"gpu", (char *)"1.0",
						 (char *)"py-gpu", none,
						 sizeof none - 1 };
	struct section *s = *state;

	NEED_UV(s);
	PINS(s, section_resolve(s, "gpu", NULL), "beta==2.5 gpu==1.0");
	s->r.installed = &gpu;
	s->r.n_installed = 1;
	PINS(s, section_resolve(s, "gpu", NULL), "");
	s->r.installed = NULL;
	s->r.n_installed = 0;
}

static void test_preferences(void **state)
{
	struct section *s = *state;

	NEED_UV(s);
	s->r.installed = conda;
	s->r.n_installed = 2;
	PINS(s, section_resolve(s, "alpha", NULL), "alpha==1.0 beta==2.5");
	assert_int_equal(s->result.replaced.n, 1);
	assert_string_equal(s->result.replaced.v[0], "py-beta");
	/* only what has to be */
	PINS(s, section_resolve(s, "new", "opt[more]", NULL),
	     "new==1.0 opt==1.0 shared==2.0");
	assert_int_equal(s->result.replaced.n, 1);
	assert_string_equal(s->result.replaced.v[0], "libshared");
	s->r.replace = false;
	REFUSES(s, section_resolve(s, "new", NULL), EB_NO,
		"new 1.0 requires shared>=2; but conda installs shared 1.5 "
		"(package libshared)");
	assert_non_null(strstr(s->err.hint, "--pip-replace"));
	assert_int_equal(s->err.line, 10);
	s->r.replace = true;
	s->r.installed = NULL;
	s->r.n_installed = 0;
}

/* --- sources
 * ------------------------------------------------------------------ */

/* What is asked of projects, and their answers. */
struct asking {
	struct section *s;
	struct eb_strv asked;
	const char *answer; /* instead of the usual one */
	int calls;	    /* of run_there() */
	int rc;
};

/* As a sandbox would, with this machine's Python. */
static int run_there(void *data, struct eb_uv_call *call, struct eb_error *err)
{
	struct eb_strv argv EB_CLEANUP(eb_strv_release) = { 0 };
	struct eb_strv env EB_CLEANUP(eb_strv_release) = { 0 };
	struct asking *a = data;
	size_t i;

	a->calls++;
	eb_strv_add(&argv, call->uv);
	eb_strv_addf(&argv, "--directory=%s", call->dir);
	for (i = 1; call->argv[i]; i++) {
		/* all that it reads lies in the folder */
		assert_null(strstr(call->argv[i], "/tmp/"));
		eb_strv_add(&argv, call->argv[i]);
	}
	for (i = 0; call->see && call->see[i]; i++) {
		eb_autofree char *at =
			eb_asprintf("%s/" EB_UV_SEE "/%zu", call->dir, i);

		assert_int_equal(rmdir(at), 0);
		assert_int_equal(symlink(call->see[i], at), 0);
	}
	for (i = 0; call->env[i]; i++)
		eb_strv_add(&env, call->env[i]);
	eb_strv_addf(&env, "HOME=%s/home", call->dir);
	eb_strv_add(&env, "PATH=/usr/bin:/bin");
	return eb_process_run((const char *const *)argv.v,
			      (const char *const *)env.v, NULL, 0, 1 << 24, 60,
			      call->out, call->out, &call->status, err);
}

/* As a sandbox would that runs their code. */
static int answer(void *data, struct eb_pin *pin, int fd, struct eb_buf *out,
		  struct eb_error *err)
{
	struct asking *a = data;
	struct eb_digest is;
	uint64_t size;

	eb_strv_addf(&a->asked, "%s %d", pin->file, pin->source);
	assert_true(pin->build->isolated);
	assert_int_equal(fd >= 0, pin->source == EB_PIN_SDIST);
	if (fd >= 0) {
		assert_int_equal(eb_sha256_fd(fd, &is, &size, err), 0);
		assert_true(eb_digest_equal(&is, &pin->sha256));
		assert_int_equal(size, pin->size);
	}
	if (a->rc < 0)
		return eb_err_set(err, EB_STEP, "\"%s\" fails", pin->file);
	eb_buf_adds(out, a->answer ? a->answer
				   : "Metadata-Version: 2.1\r\n"
				     "Name: Source\r\nVersion: 1.0\r\n"
				     "Requires-Dist: beta\r\n <2.5\r\n"
				     "\r\nRequires-Dist: words\r\n");
	return a->rc;
}

static void begin_asking(struct section *s, struct asking *a)
{
	s->r.ask = answer;
	s->r.data = a;
	*a = (struct asking){ .s = s };
}

static void end_asking(struct section *s, struct asking *a)
{
	s->r.ask = NULL;
	s->r.elsewhere = NULL;
	s->r.checkout = NULL;
	eb_strv_release(&a->asked);
}

static void test_sources(void **state)
{
	struct section *s = *state;
	struct asking a;

	NEED_UV(s);
	PINS(s, section_resolve(s, "static", NULL), "beta==2.5 static==1.0");
	assert_int_equal(section_pin(s, "static")->source, EB_PIN_SDIST);
	assert_string_equal(section_pin(s, "static")->file,
			    "static-1.0.tar.gz");
	/* its backend needs nothing but Python, and is not run here */
	REFUSES(s, section_resolve(s, "needs", NULL), EB_NO,
		"\"source==1.0\" has no wheel");
	assert_int_equal(s->err.line, 10);
	assert_string_equal(s->err.file, "env.yml");

	begin_asking(s, &a);
	PINS(s, section_resolve(s, "beta", "static", NULL),
	     "beta==2.5 static==1.0");
	assert_int_equal(a.asked.n, 0);
	PINS(s, section_resolve(s, "needs", NULL),
	     "beta==2.0 needs==1.0 source==1.0");
	assert_int_equal(a.asked.n, 1);
	assert_string_equal(a.asked.v[0], "source-1.0.tar.gz 1");
	assert_true(s->result.built_metadata);
	assert_true(section_pin(s, "source")->size > 0);
	/* the answer is remembered, for this Python */
	PINS(s, section_resolve(s, "needs", NULL),
	     "beta==2.0 needs==1.0 source==1.0");
	assert_int_equal(a.asked.n, 1);
	s->r.target.version = "3.8.1";
	PINS(s, section_resolve(s, "needs", NULL),
	     "beta==2.0 needs==1.0 source==1.0");
	assert_int_equal(a.asked.n, 2);
	s->r.target.version = "3.7.0";
	end_asking(s, &a);
}

static void test_bad_answers(void **state)
{
	struct section *s = *state;
	struct asking a;

	NEED_UV(s);
	s->r.target.version = "3.9.0";
	begin_asking(s, &a);
	a.rc = -1;
	REFUSES(s, section_resolve(s, "beta", "needs", NULL), EB_STEP,
		"\"source-1.0.tar.gz\" fails");
	assert_int_equal(s->err.line, 11);
	a.rc = 0;
	a.answer = "Name: other\nVersion: 1.0\n";
	REFUSES(s, section_resolve(s, "source", NULL), EB_STEP,
		"it is of other 1.0");
	a.answer = "Name: source\nVersion: 2.0\n";
	REFUSES(s, section_resolve(s, "source", NULL), EB_STEP,
		"it is of source 2.0");
	a.answer = "Version: 1.0\n";
	REFUSES(s, section_resolve(s, "source", NULL), EB_INPUT,
		"does not say its Name");
	a.answer = "Name: source\nVersion: 1.0\nRequires-Dist: this is none\n";
	REFUSES(s, section_resolve(s, "source", NULL), EB_INPUT,
		"has a Requires-Dist that cannot be read");
	assert_int_equal(a.asked.n, 5);
	s->r.target.version = "3.7.0";
	end_asking(s, &a);
}

/* Only its own Python tells of such a target: all that is resolved there, and
 * nothing is built there either. */
static void test_elsewhere(void **state)
{
	struct section *s = *state;
	struct asking a;

	NEED_UV(s);
	begin_asking(s, &a);
	s->r.elsewhere = run_there;
	s->r.python = "/usr/bin/python3";
	s->r.target.version = "3.13.0";
	s->r.target.free_threaded = true;
	PINS(s,
	     section_resolve(s, "./index/local-1.0", "source",
			     "--find-links ./index", NULL),
	     "beta==2.0 local==1.0 source==1.0");
	assert_int_equal(a.calls, 2);
	assert_int_equal(a.asked.n, 1);
	s->r.target.free_threaded = false;
	s->r.target.version = "3.7.0";
	end_asking(s, &a);
}

/* No Python of the environment runs here: what sdists say of themselves is
 * believed, and what says nothing is refused as without any. */
static void test_believed(void **state)
{
	struct section *s = *state;
	struct asking a;

	NEED_UV(s);
	begin_asking(s, &a);
	a.rc = 1;
	s->r.target.version = "3.10.0";
	PINS(s, section_resolve(s, "past", NULL),
	     "beta==2.0 bygone==1.0 past==1.0");
	assert_int_equal(a.asked.n, 1);
	assert_false(s->result.built_metadata);
	assert_string_equal(section_pin(s, "past")->metadata, "egg-info");
	assert_string_equal(section_pin(s, "bygone")->metadata, "egg-info");
	assert_null(section_pin(s, "beta")->metadata);
	PINS(s, section_resolve(s, "static", NULL), "beta==2.5 static==1.0");
	assert_null(section_pin(s, "static")->metadata);
	assert_int_equal(a.asked.n, 1);
	REFUSES(s, section_resolve(s, "needs", NULL), EB_NO,
		"\"source==1.0\" has no wheel");
	REFUSES(s, section_resolve(s, "past", "beta>=2.5", NULL), EB_NO,
		"past 1.0 requires beta<2.5");
	s->r.target.version = "3.7.0";
	end_asking(s, &a);
}

/* A folder, an archive by its URL and one by its path are asked, too. */
static void test_direct_sources(struct section *s, const char *local)
{
	eb_autofree char *dir = NULL;
	struct asking a;

	begin_asking(s, &a);
	s->r.target.version = "3.11.0";
	PINS(s,
	     section_resolve(s, "./index/local-1.0",
			     "./index/source-1.0.tar.gz", NULL),
	     "beta==2.0 local==1.0 source==1.0");
	assert_string_equal(section_pin(s, "local")->url, local);
	assert_string_equal(a.asked.v[0], "source-1.0.tar.gz 1");
	PINS(s,
	     section_resolve(s,
			     "source @ http://me:hidden@127.0.0.1:%P/one/files/"
			     "source-1.0.tar.gz",
			     NULL),
	     "beta==2.0 source==1.0");
	assert_null(strstr(section_pin(s, "source")->url, "hidden"));
	assert_int_equal(a.asked.n, 2);
	/* its files do not tell its name */
	dir = eb_path_join(s->dir, "nameless");
	write_text(dir, "setup.py", "asked");
	a.answer = "Name: Name-Less\nVersion: 3.0\nRequires-Dist: alpha\n";
	PINS(s, section_resolve(s, "-e ./nameless", NULL),
	     "alpha==1.0 beta==2.5 name-less==3.0");
	assert_string_equal(a.asked.v[2], "-e ./nameless 3");
	assert_int_equal(a.asked.n, 3);
	assert_int_equal(section_pin(s, "name-less")->source, EB_PIN_DIR);
	assert_true(section_pin(s, "name-less")->requested);
	assert_true(section_pin(s, "name-less")->editable);
	a.rc = 1;
	REFUSES(s, section_resolve(s, "./nameless", NULL), EB_NO,
		"only building it tells its name");
	s->r.target.version = "3.7.0";
	end_asking(s, &a);
}

static void test_direct(void **state)
{
	struct section *s = *state;
	const struct eb_pin *p;
	eb_autofree char *url = NULL, *folder = NULL;

	NEED_UV(s);
	url = eb_asprintf("file://%s/index/alpha-1.0-py3-none-any.whl", s->dir);
	PINS(s, section_resolve(s, "./index/alpha-1.0-py3-none-any.whl", NULL),
	     "alpha==1.0 beta==2.5");
	p = section_pin(s, "alpha");
	assert_string_equal(p->url, url);
	assert_true(p->direct && p->requested && p->size > 300);
	assert_string_equal(p->file, "alpha-1.0-py3-none-any.whl");

	PINS(s,
	     section_resolve(s,
			     "beta @ http://me:hidden@127.0.0.1:%P/one/files/"
			     "beta-1.0-py3-none-any.whl",
			     NULL),
	     "beta==1.0");
	p = section_pin(s, "beta");
	assert_true(p->direct);
	assert_null(strstr(p->url, "hidden"));
	assert_true(p->size > 100);

	folder = eb_asprintf("file://%s/index/local-1.0", s->dir);
	PINS(s, section_resolve(s, "-e ./index/local-1.0", NULL),
	     "beta==2.5 local==1.0");
	p = section_pin(s, "local");
	assert_int_equal(p->source, EB_PIN_DIR);
	assert_string_equal(p->url, folder);
	assert_true(p->editable && p->direct && p->requested);
	assert_true(eb_digest_is_zero(&p->sha256));

	test_direct_sources(s, folder);
}

/* --- other places
 * ------------------------------------------------------------- */

/* An index that speaks JSON and has sidecars: nothing but pages is asked for.
 */
static void test_json(void **state)
{
	static const char *const options[] = { "--json", "--sidecars",
					       "--relative", NULL };
	static struct section json;
	struct section *s = &json;
	eb_autofree char *log = NULL;

	NEED_UV((struct section *)*state);
	section_open(s, wheels, options);
	PINS(s, section_resolve(s, "alpha", "many", NULL),
	     "alpha==1.0 beta==2.5 many==1.0");
	assert_true(section_pin(s, "alpha")->size > 300);
	assert_string_equal(section_pin(s, "alpha")->requires_python, ">=3.6");
	assert_string_equal(section_pin(s, "beta")->upload_time,
			    "2022-05-01T00:00:00Z");
	log = index_ask(&s->server, "GET", "/_log", NULL);
	assert_non_null(strstr(log, ".whl.metadata"));
	assert_null(strstr(log, ".whl\""));
	section_close(s);
}

/* A repository's branch becomes its commit. */
static void test_repository(void **state)
{
	struct section *s = *state;
	eb_autofree char *dir = NULL;
	const struct eb_pin *p;
	const char *argv[] = { "sh", "-c",
			       "cd \"$0\" && git init -q -b main . && "
			       "git add -A && git -c user.name=x "
			       "-c user.email=x@files.example commit -q -m x",
			       NULL, NULL };
	EB_AUTOBUF(out, 4096);
	int status = 1;

	NEED_UV(s);
	argv[3] = dir = eb_path_join(s->dir, "repository");
	write_text(dir, "pyproject.toml",
		   "[build-system]\nrequires = [\"setuptools\"]\n"
		   "[project]\nname = \"repo\"\nversion = \"1.0\"\n"
		   "dependencies = [\"beta<2.5\"]\n");
	MUST(eb_process_run(argv, NULL, NULL, 0, 4096, 30, &out, &out, &status,
			    err));
	if (status) {
		print_message("no git here: not looked at\n");
		skip();
	}
	/* by uv's own git, where nobody fetches */
	PINS(s,
	     section_resolve(s, "repo @ git+file://%D/repository@main", NULL),
	     "beta==2.0 repo==1.0");
	p = section_pin(s, "repo");
	assert_int_equal(p->source, EB_PIN_VCS);
	assert_string_equal(p->vcs, "git");
	assert_string_equal(p->revision, "main");
	assert_int_equal(strlen(p->commit), 40);
	assert_true(p->direct && p->requested);
	assert_true(eb_starts(p->url, "file:///"));
	assert_non_null(p->build);
}

/* What a caller fetched, whatever the way to it. */
static int fetch(void *data, const char *url, struct eb_pin *pin, char **dir,
		 struct eb_error *err)
{
	struct asking *a = data;

	eb_strv_addf(&a->asked, "%s %s", url, pin->url);
	if (a->rc < 0)
		return eb_err_set(err, EB_REFUSED, "\"%s\": no", pin->url);
	pin->commit = eb_strdup("0123456789012345678901234567890123456789");
	pin->version = eb_strdup("7");
	*dir = eb_path_join(a->s->dir, "tree");
	return 0;
}

static void test_commits(void **state)
{
	struct section *s = *state;
	eb_autofree char *dir = NULL, *below = NULL;
	const struct eb_pin *p;
	struct asking a;

	NEED_UV(s);
	dir = eb_path_join(s->dir, "tree");
	below = eb_path_join(dir, "be low");
	write_text(dir, "setup.py", "asked");
	write_text(below, "pyproject.toml",
		   "[project]\nname = \"repo\"\nversion = \"1.0\"\n"
		   "optional-dependencies = {more = [\"beta<2.5\"]}\n");
	begin_asking(s, &a);
	s->r.checkout = fetch;
	PINS(s,
	     section_resolve(s,
			     "repo[more] @ git+ssh://git:pw@h.example/a/x.git"
			     "@v1#subdirectory=be%20low ; python_version > '3'",
			     "x @ git+ssh://h.example/y ; python_version < '3'",
			     NULL),
	     "beta==2.0 repo==1.0");
	assert_int_equal(a.asked.n, 1);
	assert_string_equal(a.asked.v[0], "ssh://git:pw@h.example/a/x.git "
					  "ssh://git@h.example/a/x.git");
	p = section_pin(s, "repo");
	assert_int_equal(p->source, EB_PIN_VCS);
	assert_string_equal(p->url, "ssh://git@h.example/a/x.git");
	assert_string_equal(p->revision, "v1");
	assert_string_equal(p->subdirectory, "be low");
	assert_string_equal(p->file, "repo-1.0");
	assert_int_equal(strlen(p->commit), 40);
	assert_true(p->direct && p->requested && p->build);
	/* without a name, asked for it; two lines, fetched once */
	a.answer = "Name: top\nVersion: 2.0\nRequires-Dist: beta<2\n";
	PINS(s,
	     section_resolve(s, "git+https://h.example/x@v2",
			     "git+https://h.example/x@v2#subdirectory=be%20low",
			     NULL),
	     "beta==1.0 repo==1.0 top==2.0");
	assert_int_equal(a.asked.n, 3);
	assert_string_equal(a.asked.v[2], "git+https://h.example/x@v2 2");
	assert_null(section_pin(s, "top")->subdirectory);
	REFUSES(s,
		section_resolve(
			s, "y @ git+https://h.example/x#subdirectory=..", NULL),
		EB_INPUT, "has no folder \"..\"");
	a.rc = -1;
	REFUSES(s,
		section_resolve(s, "beta", "y @ git+ssh://h.example/x", NULL),
		EB_REFUSED, "\"ssh://h.example/x\": no");
	assert_int_equal(s->err.line, 11);
	end_asking(s, &a);
}

static void test_offline(void **state)
{
	struct section *s = *state;

	NEED_UV(s);
	PINS(s, section_resolve(s, "new", NULL), "new==1.0 shared==2.0");
	s->r.offline = true;
	PINS(s, section_resolve(s, "new", NULL), "new==1.0 shared==2.0");
	assert_int_equal(section_resolve(s, "mid", NULL), -1);
	s->r.offline = false;
	REFUSES(s, -1, EB_NETWORK, "\"mid\", asking the index for it");
}

static void test_links(void **state)
{
	struct section *s = *state;
	eb_autofree char *url = NULL;

	NEED_UV(s);
	url = eb_asprintf("file://%s/index/beta-2.5-py3-none-any.whl", s->dir);
	PINS(s,
	     section_resolve(s, "beta", "--no-index", "--find-links ./index",
			     NULL),
	     "beta==2.5");
	assert_string_equal(section_pin(s, "beta")->url, url);
	assert_null(section_pin(s, "beta")->index);
	assert_true(section_pin(s, "beta")->size > 100);
}

static void test_hashes(void **state)
{
	struct section *s = *state;
	char hex[EB_HEX_SIZE];
	eb_autofree char *good = NULL;

	NEED_UV(s);
	PINS(s, section_resolve(s, "many", NULL), "many==1.0");
	eb_digest_hex(&section_pin(s, "many")->sha256, hex);
	good = eb_asprintf("many==1.0 --hash=sha256:%s", hex);
	PINS(s, section_resolve(s, good, NULL), "many==1.0");
	REFUSES(s,
		section_resolve(s,
				"many==1.0 --hash=sha256:"
				"00000000000000000000000000000000000000000000"
				"00000000000000000000",
				NULL),
		EB_NO, "none of its files has a hash that is asked for");
	assert_int_equal(s->err.line, 10);
	REFUSES(s,
		section_resolve(s,
				"alpha==1.0 --hash=sha256:"
				"00000000000000000000000000000000000000000000"
				"00000000000000000000",
				good, NULL),
		EB_NO, "alpha");
}

/* A line of another kind of hash, as `sha512sum` and pip have it. */
static char *hashed_line(const char *kind, const char *path, const char *line)
{
	eb_autofree char *program = eb_asprintf("%ssum", kind);
	const char *argv[] = { program, path, NULL };
	EB_AUTOBUF(said, 4096);
	int status = 1;

	MUST(eb_process_run(argv, NULL, NULL, 0, said.max, 20, &said, NULL,
			    &status, err));
	assert_int_equal(status, 0);
	return eb_asprintf("%s --hash=%s:%.*s", line, kind,
			   (int)strcspn(said.data, " "), said.data);
}

static void test_other_hashes(void **state)
{
	static const char *const kinds[] = { "sha384", "sha512" };
	struct section *s = *state;
	eb_autofree char *path = NULL;
	char hex[EB_HEX_SIZE], again[EB_HEX_SIZE];

	NEED_UV(s);
	PINS(s, section_resolve(s, "beta==2.0", NULL), "beta==2.0");
	eb_digest_hex(&section_pin(s, "beta")->sha256, hex);
	path = eb_asprintf("%s/index/%s", s->dir, section_pin(s, "beta")->file);
	for (size_t i = 0; i < 2; i++) {
		eb_autofree char *good =
			hashed_line(kinds[i], path, "beta==2.0");
		char *digit = strrchr(good, ':') + 1;

		/* the second time it is known */
		for (int k = 0; k < 2; k++) {
			PINS(s, section_resolve(s, good, NULL), "beta==2.0");
			eb_digest_hex(&section_pin(s, "beta")->sha256, again);
			assert_string_equal(again, hex);
			assert_int_equal(section_pin(s, "beta")->hash.n, 0);
		}
		*digit = *digit == '0' ? '1' : '0';
		REFUSES(s, section_resolve(s, good, NULL), EB_INTEGRITY,
			"none of the hashes that are asked for");
	}
}

/* Hashes of a constraint count, and both of two have to hold. */
static void test_constraint_hashes(void **state)
{
	struct section *s = *state;
	char hex[EB_HEX_SIZE];
	eb_autofree char *good = NULL;

	NEED_UV(s);
	PINS(s, section_resolve(s, "many", NULL), "many==1.0");
	eb_digest_hex(&section_pin(s, "many")->sha256, hex);
	good = eb_asprintf("many==1.0 --hash=sha256:%s", hex);
	section_clear(s);
	MUST(eb_pip_set_add(&s->set, good, true, s->dir, "c.txt", 1, 1, err));
	section_line(s, "many==1.0");
	PINS(s, section_again(s), "many==1.0");
	section_line(s, "many==1.0 --hash=sha256:"
			"0000000000000000000000000000000000000000000000000000"
			"000000000000");
	REFUSES(s, section_again(s), EB_NO, "has a hash that is asked for");
}

static void test_time(void **state)
{
	struct section *s = *state;

	NEED_UV(s);
	free(index_ask(&s->server, "PUT", "/_faults", "hang=*/beta/*\n"));
	s->r.time_s = 1;
	REFUSES(s, section_resolve(s, "beta", NULL), EB_STEP,
		"not done after 1 s");
	assert_non_null(strstr(s->err.hint, "--limit pip-time="));
	s->r.time_s = 0;
	free(index_ask(&s->server, "PUT", "/_faults", ""));
}

static void test_build(void **state)
{
	struct section *s = *state;
	struct eb_strv requires EB_CLEANUP(eb_strv_release)
	= { 0 };
	eb_autofree char *cache = NULL;

	NEED_UV(s);
	cache = eb_path_join(s->dir, "cache");
	section_clear(s);
	section_line(s, "--index-url http://127.0.0.1:%P/one/simple/");
	MUST(eb_indexes_read(&s->set, &s->indexes, NULL, err));
	s->r.cache = cache;
	eb_strv_add(&requires, "setuptools>=40.8.0");
	eb_strv_add(&requires, "wheel");
	PINS(s,
	     eb_pip_resolve_build(&s->r, &requires, "building future 0.17.1",
				  NULL, &s->result, &s->err),
	     "setuptools==68.0 wheel==0.40");
	eb_pip_result_release(&s->result);
	eb_strv_add(&requires, "flit_core");
	REFUSES(s,
		eb_pip_resolve_build(&s->r, &requires, "building future 0.17.1",
				     NULL, &s->result, &s->err),
		EB_NO, "\"flit_core\": there is no such project");
	assert_true(eb_starts(s->err.message, "building future 0.17.1: "));
	eb_err_release(&s->err);
	eb_strv_release(&requires);
	eb_strv_add(&requires, "static");
	REFUSES(s,
		eb_pip_resolve_build(&s->r, &requires, "building future 0.17.1",
				     NULL, &s->result, &s->err),
		EB_NO, "wheels are what may be taken");
}

/* Nothing of a call stays but what may be used again. */
static void test_leftovers(void **state)
{
	struct section *s = *state;
	const char *argv[] = { "find", NULL, "-name", "run-*", NULL };
	EB_AUTOBUF(out, 4096);
	eb_autofree char *cache = NULL;
	int status = 1;

	NEED_UV(s);
	argv[1] = cache = eb_path_join(s->dir, "cache");
	MUST(eb_process_run(argv, NULL, NULL, 0, 4096, 20, &out, NULL, &status,
			    err));
	assert_int_equal(status, 0);
	assert_string_equal(out.data, "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_pins),
		cmocka_unit_test(test_known),
		cmocka_unit_test(test_best_file),
		cmocka_unit_test(test_options),
		cmocka_unit_test(test_constraints),
		cmocka_unit_test(test_own_metadata),
		cmocka_unit_test(test_preferences),
		cmocka_unit_test(test_sources),
		cmocka_unit_test(test_bad_answers),
		cmocka_unit_test(test_elsewhere),
		cmocka_unit_test(test_believed),
		cmocka_unit_test(test_direct),
		cmocka_unit_test(test_links),
		cmocka_unit_test(test_json),
		cmocka_unit_test(test_repository),
		cmocka_unit_test(test_commits),
		cmocka_unit_test(test_offline),
		cmocka_unit_test(test_hashes),
		cmocka_unit_test(test_other_hashes),
		cmocka_unit_test(test_constraint_hashes),
		cmocka_unit_test(test_time),
		cmocka_unit_test(test_build),
		cmocka_unit_test(test_leftovers),
	};

	return cmocka_run_group_tests(tests, open_all, close_all);
}
