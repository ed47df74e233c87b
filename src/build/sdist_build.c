/* SPDX-License-Identifier: Apache-2.0 */
/* One source and its build: unpacked, looked at, run in the sandbox. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <envbuild/file.h>
#include <envbuild/json.h>

#include "sdist_build.h"
#include "step_source.h"

#define ANSWER_MAX ((size_t)1 << 20)

extern const char eb_wheel_driver_py[];
extern const char eb_wheel_site_py[];

static char *below(const struct eb_sdist_build *s, const char *path)
{
	return eb_path_join(s->dir, path);
}

/* --- begin and end
 * ------------------------------------------------------------
 */
static int make_folders(struct eb_sdist_build *s, struct eb_error *err)
{
	/* What is looked at afterwards is mounted by itself: nothing that runs
	 * can put a link in its place. */
	static const char *const names[] = {
		"work", "work/src", "work/out", "work/env", "work/log",
		"out",	"env",	    "log",	"tmp",
	};

	s->dir = eb_make_tempdir(eb_store_tmp(s->b->store), "step-", err);
	if (!s->dir)
		return -1;
	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		eb_autofree char *path = below(s, names[i]);

		if (mkdir(path, 0755) < 0)
			return eb_err_errno(err, EB_MACHINE, errno,
					    "\"%s\", making", path);
	}
	return 0;
}

static int write_scripts(struct eb_sdist_build *s, struct eb_error *err)
{
	eb_autofree char *driver = below(s, "work/driver.py");
	eb_autofree char *folder = below(s, "work/site");
	eb_autofree char *site = below(s, "work/site/sitecustomize.py");

	if (mkdir(folder, 0755) < 0)
		return eb_err_errno(err, EB_MACHINE, errno, "\"%s\", making",
				    folder);
	if (eb_write_file(driver, eb_wheel_driver_py,
			  strlen(eb_wheel_driver_py), 0644, err) < 0)
		return -1;
	return eb_write_file(site, eb_wheel_site_py, strlen(eb_wheel_site_py),
			     0644, err);
}

/* In what is to be built there is a pyproject.toml or a setup.py, or nothing
 * can be done with it. */
static int check_source(const struct eb_sdist_build *s, struct eb_error *err)
{
	static const char *const names[] = { "pyproject.toml", "setup.py",
					     "setup.cfg" };
	eb_autofree char *src = below(s, "work/src");
	eb_autofree char *dir =
		s->pin->subdirectory ? eb_path_join(src, s->pin->subdirectory)
				     : eb_strdup(src);

	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		eb_autofree char *path = eb_path_join(dir, names[i]);

		if (eb_path_exists(path))
			return 0;
	}
	return eb_err_set(err, EB_INPUT,
			  "\"%s\" cannot be built: it has neither "
			  "pyproject.toml nor setup.py",
			  s->pin->file);
}

int eb_sdist_build_begin(struct eb_build *b, const struct eb_pin *pin,
			 struct eb_sdist_build *out, struct eb_error *err)
{
	eb_autofree char *src = NULL;

	*out = (struct eb_sdist_build){ .b = b, .pin = pin, .log = -1 };
	if (make_folders(out, err) < 0)
		return -1;
	src = below(out, "work/src");
	if (eb_step_unpack(b, pin, src, &out->sdist, err) < 0 ||
	    check_source(out, err) < 0)
		return -1;
	return write_scripts(out, err);
}

void eb_sdist_build_end(struct eb_sdist_build *s)
{
	struct eb_error ignored EB_CLEANUP(eb_err_release) = EB_ERROR_INIT;

	eb_cleanup_fd(&s->log);
	if (s->dir && eb_sandbox_remove(s->dir, &ignored) < 0)
		eb_warn(s->b->events, "%s", ignored.message);
	eb_sdist_release(&s->sdist);
	eb_strv_release(&s->env);
	free(s->compiler);
	free(s->cxx);
	free(s->dir);
}

/* --- what is there to build with
 * ----------------------------------------------
 */
static void find_compilers(struct eb_sdist_build *s)
{
	bool arm = strstr(s->b->lock->platform, "arm64");
	const char *arch = arm ? "aarch64" : "x86_64";
	eb_autofree char *cc = eb_asprintf("%s-conda-linux-gnu-cc", arch);
	eb_autofree char *gcc = eb_asprintf("%s-conda-linux-gnu-gcc", arch);
	eb_autofree char *cxx = eb_asprintf("%s-conda-linux-gnu-c++", arch);
	eb_autofree char *gxx = eb_asprintf("%s-conda-linux-gnu-g++", arch);
	eb_autofree char *old = eb_asprintf("%s-conda_cos6-linux-gnu-cc", arch);
	eb_autofree char *older =
		eb_asprintf("%s-conda_cos6-linux-gnu-c++", arch);
	const char *const c[] = { cc, gcc, old, "cc", "gcc", "clang", NULL };
	const char *const cpp[] = { cxx,   gxx,	      older, "c++",
				    "g++", "clang++", NULL };

	s->compiler = eb_root_program(s->root, c);
	s->cxx = eb_root_program(s->root, cpp);
}

const char *eb_sdist_build_kind(const struct eb_sdist_build *s)
{
	return s->b->build_base ? "build base" : "base";
}

static bool is_cpp(const char *file)
{
	return eb_ends(file, ".cc") || eb_ends(file, ".cpp") ||
	       eb_ends(file, ".cxx");
}

/* Some projects do without what they cannot compile, so that this is no
 * error yet. */
static void warn_compiler(const struct eb_sdist_build *s)
{
	bool cpp = s->sdist.has_c && is_cpp(s->sdist.c_file);

	if (!s->sdist.has_c || (cpp ? s->cxx : s->compiler))
		return;
	eb_warn(s->b->events,
		"\"%s\" has sources to be compiled (\"%s\"), and there is no "
		"%s compiler: neither in %s \"%s\" nor among conda's "
		"packages; a --build-base with one, or the conda package "
		"\"%s\" (\"%s_linux-64\"), brings it",
		s->pin->file, s->sdist.c_file, cpp ? "C++" : "C",
		eb_sdist_build_kind(s), eb_root_base(s->b)->reference,
		cpp ? "cxx-compiler" : "c-compiler", cpp ? "gxx" : "gcc");
}

int eb_sdist_build_prepare(struct eb_sdist_build *s, struct eb_error *err)
{
	if (eb_build_root(s->b, !s->pin->build->isolated, &s->root, err) < 0)
		return -1;
	find_compilers(s);
	warn_compiler(s);
	if (s->pin->build->isolated && eb_sdist_build_install(s, err) < 0)
		return -1;
	eb_sdist_build_env(s);
	return eb_sdist_build_log_open(s, err);
}

/* --- the call
 * --------------------------------------------------------------------
 */
static json_t *strings(const struct eb_strv *list)
{
	json_t *array = json_array();

	for (size_t i = 0; i < list->n; i++)
		json_array_append_new(array, json_string(list->v[i]));
	return array;
}

static int write_task(struct eb_sdist_build *s, const char *hook,
		      struct eb_error *err)
{
	const struct eb_pin *pin = s->pin;
	eb_autofree char *path = below(s, "work/task.json");
	eb_autofree char *source =
		eb_asprintf(EB_STEP_AT "/src%s%s", pin->subdirectory ? "/" : "",
			    pin->subdirectory ? pin->subdirectory : "");
	eb_autojson json_t *task = json_pack(
		"{s:s, s:s, s:s, s:s, s:o, s:o}", "hook", hook, "source",
		source, "out", EB_STEP_AT "/out", "backend", s->sdist.backend,
		"backend_path", strings(&s->sdist.path), "settings",
		strings(&pin->build->setting));
	EB_AUTOBUF(text, EB_MAX_TEXT);

	if (!task)
		return eb_err_set(err, EB_INPUT,
				  "\"%s\" names its backend in what is not "
				  "UTF-8",
				  pin->file);
	eb_json_canonical(task, &text);
	return eb_write_file(path, text.data, text.len, 0644, err);
}

static int run(struct eb_sdist_build *s, int *status, struct eb_error *err)
{
	eb_autofree char *python = eb_asprintf(
		"%s/bin/python%s", s->b->lock->prefix, s->b->python_minor);
	eb_autofree char *work = below(s, "work");
	eb_autofree char *env = below(s, "env");
	eb_autofree char *out = below(s, "out");
	eb_autofree char *tmp = below(s, "tmp");
	eb_autofree char *log = below(s, "log");
	const struct eb_mount mount[] = {
		{ work, (char *)EB_STEP_AT, false },
		{ env, (char *)EB_STEP_AT "/env", true },
		{ out, (char *)EB_STEP_AT "/out", false },
		{ log, (char *)EB_STEP_AT "/log", false }, /* it is disk, too */
		{ tmp, (char *)"/tmp", false },
	};
	const char *const argv[] = { python, EB_STEP_AT "/driver.py",
				     EB_STEP_AT "/task.json",
				     EB_STEP_AT "/out/answer.json", NULL };
	const struct eb_root_command command = {
		.argv = argv,
		.env = &s->env,
		.cwd = EB_STEP_AT,
		.mount = mount,
		.n_mounts = sizeof mount / sizeof *mount,
		.network = EB_NETWORK_NONE,
		.log_fd = s->log,
	};

	return eb_root_run(s->root, &command, status, err);
}

/* What a build writes is not ours: no link is followed. -1: there is none, or
 * more than `max` bytes. */
static int read_out(struct eb_sdist_build *s, const char *name, size_t max,
		    struct eb_buf *out, struct eb_error *err)
{
	eb_autofree char *folder = below(s, "out");
	eb_autofree char *path = eb_path_join(folder, name);
	eb_autofd int fd =
		open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);

	return fd < 0 ? -1 : eb_read_fd(fd, name, max, out, err);
}

int eb_sdist_build_metadata(struct eb_sdist_build *s, struct eb_buf *out,
			    struct eb_error *err)
{
	if (read_out(s, "METADATA", EB_MAX_METADATA, out, err) == 0 &&
	    !memchr(out->data, '\0', out->len))
		return 0;
	eb_err_release(err);
	eb_err_set(err, EB_STEP,
		   "\"%s\", asking for its metadata: the build gives none",
		   s->pin->file);
	eb_sdist_build_explain(s, err);
	return -1;
}

static json_t *read_answer(struct eb_sdist_build *s, const char *doing,
			   struct eb_error *err)
{
	EB_AUTOBUF(text, ANSWER_MAX + 1);
	json_t *answer = NULL;

	if (read_out(s, "answer.json", ANSWER_MAX, &text, err) == 0)
		answer = eb_json_parse(text.data, text.len, "answer.json", err);
	if (answer)
		return answer;
	eb_err_release(err);
	eb_err_set(err, EB_STEP, "\"%s\", %s: the build says nothing",
		   s->pin->file, doing);
	return NULL;
}

static const char *doing_what(const char *hook)
{
	if (!strcmp(hook, "requires"))
		return "asking what it requires";
	return strcmp(hook, "wheel") ? "asking for its metadata"
				     : "building its wheel";
}

json_t *eb_sdist_build_call(struct eb_sdist_build *s, const char *hook,
			    struct eb_error *err)
{
	const char *doing = doing_what(hook);
	json_t *answer = NULL;
	int status = 0;

	if (write_task(s, hook, err) < 0)
		return NULL;
	if (run(s, &status, err) < 0)
		eb_err_prefix(err, "\"%s\", %s", s->pin->file, doing);
	else if (status > 128)
		eb_err_set(err, EB_STEP,
			   "\"%s\", %s: the build was ended by signal %d",
			   s->pin->file, doing, status - 128);
	else if (status)
		eb_err_set(err, EB_STEP,
			   "\"%s\", %s: the build ended with status %d",
			   s->pin->file, doing, status);
	else
		answer = read_answer(s, doing, err);
	if (!answer && err->code == EB_STEP)
		eb_sdist_build_explain(s, err);
	return answer;
}
