/* SPDX-License-Identifier: Apache-2.0 */
/* Imports and `pip check`, by the image's own Python in the sandbox. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <envbuild/file.h>
#include <envbuild/image.h>
#include <envbuild/json.h>
#include <envbuild/sandbox.h>

#include "verify_claims.h"

extern const char eb_verify_inside_py[];

#define IMPORT "import"
#define REQUIRES "requires"
#define SECONDS "60" /* an import */
#define INSIDE "/run/envbuild-verify"
#define SCRATCH "/tmp"

struct inside {
	const struct eb_verify_run *run;
	const struct eb_verified *what;
	struct eb_findings *out;
	char *python;			  /* "/opt/env/bin/python" */
	char *program, *scratch, *answer; /* on this machine */
	bool pip, done;
};

static void release(struct inside *p)
{
	free(p->python);
	free(p->program);
	free(p->scratch);
	free(p->answer);
}

/* --- what it says ------------------------------------------------------------
 */
static void take_module(struct inside *p, const json_t *line)
{
	const char *module = eb_json_str(line, "module");
	const char *by = eb_json_str(line, "owner");
	const char *why = eb_json_str(line, "why");

	(p->run->imports_fail ? eb_finding_add : eb_finding_note)(
		p->out, IMPORT, module, "of %s cannot be imported: %s",
		by ? by : "nobody", why ? why : "no reason given");
}

static void take_pip(struct inside *p, const json_t *line)
{
	const json_t *list = eb_json_arr(line, "pip");
	const char *why = eb_json_str(line, "why");
	json_t *text;
	size_t i;

	p->pip = list != NULL;
	if (!list && why)
		eb_detail(p->run->events, "pip check: %s", why);
	json_array_foreach ((json_t *)list, i, text)
		if (json_is_string(text))
			eb_finding_add(p->out, REQUIRES, NULL, "%s",
				       json_string_value(text));
}

static void take_line(struct inside *p, const json_t *line)
{
	json_int_t n = eb_json_int(line, "modules", -1);

	if (n >= 0)
		p->out->modules = (size_t)n;
	else if (eb_json_str(line, "module"))
		take_module(p, line);
	else if (json_object_get(line, "pip"))
		take_pip(p, line);
	else if (json_object_get(line, "gpu"))
		eb_verify_take_gpu(line, p->out);
	else if (json_is_true(json_object_get(line, "done")))
		p->done = true;
}

/* What was imported could write there, too: no link is followed, and what is
 * no line of ours is passed by. */
static int take_answer(struct inside *p, struct eb_error *err)
{
	struct eb_strv line EB_CLEANUP(eb_strv_release) = { 0 };
	eb_autofd int fd =
		open(p->answer, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	EB_AUTOBUF(text, EB_MAX_LOCK);

	if (fd < 0)
		return 0;
	if (eb_read_fd(fd, "what verify said in the image", EB_MAX_LOCK, &text,
		       err) < 0)
		return -1;
	eb_strv_split(&line, text.data, "\n");
	for (size_t i = 0; i < line.n; i++) {
		struct eb_error why EB_CLEANUP(eb_err_release) = EB_ERROR_INIT;
		eb_autojson json_t *j = eb_json_parse(
			line.v[i], strlen(line.v[i]), "answer", &why);

		if (json_is_object(j))
			take_line(p, j);
	}
	return 0;
}

/* --- running -----------------------------------------------------------------
 */
static bool is_ours(const char *pair)
{
	static const char *const ours[] = { "HOME=", "TMPDIR=", "PATH=",
					    "PYTHONDONTWRITEBYTECODE=" };

	for (size_t i = 0; i < sizeof ours / sizeof *ours; i++)
		if (eb_starts(pair, ours[i]))
			return true;
	return false;
}

/* The image's variables; what is written goes to the one folder that can be
 * written. */
static void variables(const struct inside *p, struct eb_strv *env)
{
	const json_t *config = p->run->config;
	const json_t *list = eb_json_arr(eb_json_obj(config, "config"), "Env");
	const char *path = eb_config_env(config, "PATH");
	json_t *pair;
	size_t i;

	json_array_foreach ((json_t *)list, i, pair)
		if (json_is_string(pair) && !is_ours(json_string_value(pair)))
			eb_strv_add(env, json_string_value(pair));
	eb_strv_addf(env, "PATH=%s", path && *path ? path : EB_SANDBOX_PATH);
	eb_strv_add(env, "HOME=" SCRATCH);
	eb_strv_add(env, "TMPDIR=" SCRATCH);
	eb_strv_add(env, "PYTHONDONTWRITEBYTECODE=1");
}

static void command(const struct inside *p, struct eb_strv *argv)
{
	const struct eb_strv *site = &p->what->site_packages;

	eb_strv_add(argv, p->python);
	eb_strv_add(argv, INSIDE "/verify_inside.py");
	eb_strv_add(argv, SCRATCH "/answer");
	eb_strv_add(argv, SECONDS);
	if (p->run->gpu)
		eb_strv_add(argv, "--gpu");
	for (size_t i = 0; i < site->n; i++)
		eb_strv_addf(argv, "%s/%s", p->what->prefix, site->v[i]);
}

/* A folder with the program, one that whoever the image runs as can write. */
static int prepare(struct inside *p, struct eb_error *err)
{
	eb_autofree char *file = NULL;

	p->program = eb_path_join(p->run->dir, "verify");
	p->scratch = eb_path_join(p->run->dir, "scratch");
	p->answer = eb_path_join(p->scratch, "answer");
	file = eb_path_join(p->program, "verify_inside.py");
	if (eb_mkdirs(p->program, 0755, err) < 0 ||
	    eb_mkdirs(p->scratch, 0700, err) < 0 ||
	    eb_write_file(file, eb_verify_inside_py,
			  strlen(eb_verify_inside_py), 0644, err) < 0)
		return -1;
	if (chmod(p->program, 0755) < 0 || chmod(p->scratch, 01777) < 0)
		return eb_err_errno(err, EB_MACHINE, errno, "\"%s\", making it",
				    p->scratch);
	return 0;
}

static int execute(const struct inside *p, int log, int *status,
		   struct eb_error *err)
{
	struct eb_strv argv EB_CLEANUP(eb_strv_release) = { 0 };
	struct eb_strv env EB_CLEANUP(eb_strv_release) = { 0 };
	const struct eb_verify_run *r = p->run;
	const struct eb_mount mount[] = {
		{ p->program, (char *)INSIDE, true },
		{ p->scratch, (char *)SCRATCH, false },
	};
	struct eb_sandbox s = {
		.rootfs = r->rootfs,
		.read_only = true,
		.cwd = SCRATCH,
		.uid = r->uid,
		.gid = r->gid,
		.mount = mount,
		.n_mounts = sizeof mount / sizeof *mount,
		.network = EB_NETWORK_NONE,
		.tmp = r->dir,
		.timeout_s = (unsigned)r->limit[EB_LIMIT_BUILD_TIME],
		.memory = r->limit[EB_LIMIT_BUILD_MEMORY],
		.disk = r->limit[EB_LIMIT_BUILD_DISK],
		.processes = (unsigned)r->limit[EB_LIMIT_BUILD_PROCESSES],
		.log_fd = log,
	};

	command(p, &argv);
	variables(p, &env);
	s.argv = (const char *const *)argv.v;
	s.env = (const char *const *)env.v;
	return eb_sandbox_run(&s, status, r->events, err);
}

/* The last line of what it wrote beside its answer. */
static char *last_words(int log)
{
	struct eb_error ignored EB_CLEANUP(eb_err_release) = EB_ERROR_INIT;
	EB_AUTOBUF(text, EB_MAX_LOG_TAIL);
	struct stat st;
	off_t from = fstat(log, &st) == 0 ? st.st_size : 0;
	char *line;

	from = from > (off_t)EB_MAX_LOG_TAIL / 2
		       ? from - (off_t)EB_MAX_LOG_TAIL / 2
		       : 0;
	if (lseek(log, from, SEEK_SET) < 0 ||
	    eb_read_fd(log, "log", EB_MAX_LOG_TAIL, &text, &ignored) < 0)
		return eb_strdup("");
	line = strrchr(eb_strip(text.data), '\n');
	return eb_strdup(line ? line + 1 : text.data);
}

/* Where nothing can run here that is a note; a limit is the image's fault. */
static int not_finished(struct inside *p, const char *why)
{
	eb_finding_note(p->out, IMPORT, NULL, "not checked to the end: %s",
			why);
	return 0;
}

static int run(struct inside *p, struct eb_error *err)
{
	eb_autofd int log = eb_unnamed_file(p->run->dir, err);
	eb_autofree char *words = NULL;
	int status = 0, rc;

	if (log < 0 || prepare(p, err) < 0)
		return -1;
	rc = execute(p, log, &status, err);
	if (take_answer(p, err) < 0)
		return -1;
	if (rc < 0 && err->code == EB_STEP) {
		eb_finding_add(p->out, IMPORT, NULL, "not finished: %s",
			       err->message);
		eb_err_release(err);
		return 0;
	}
	if (rc < 0 && err->code == EB_MACHINE) {
		not_finished(p, err->message);
		eb_err_release(err);
		return 0;
	}
	if (rc < 0 || p->done)
		return rc;
	words = last_words(log);
	if (*words)
		return not_finished(p, words);
	eb_finding_note(p->out, IMPORT, NULL,
			"not checked: \"%s\" ended with status %d", p->python,
			status);
	return 0;
}

/* --- requirements without pip ------------------------------------------------
 */
static const char *machine_of(const json_t *config)
{
	const char *name = eb_json_str(config, "architecture");

	if (!name || !strcmp(name, "amd64"))
		return "x86_64";
	return !strcmp(name, "arm64") ? "aarch64" : name;
}

static void check_requires(struct inside *p)
{
	struct eb_strv wrong EB_CLEANUP(eb_strv_release) = { 0 };
	struct eb_python_target t = { .version = p->what->python,
				      .arch = machine_of(p->run->config) };
	struct eb_marker_env env;

	if (!p->what->python) {
		eb_finding_note(p->out, REQUIRES, NULL,
				"not checked: the image has no pip that "
				"answers, and no conda package python");
		return;
	}
	eb_marker_env_of(&t, &env);
	eb_installed_check(p->what->project, p->what->n, &env, &wrong);
	eb_marker_env_release(&env);
	for (size_t i = 0; i < wrong.n; i++)
		eb_finding_add(p->out, REQUIRES, NULL, "%s", wrong.v[i]);
}

static int has_python(const struct inside *p, struct eb_error *err)
{
	eb_autofd int root =
		open(p->run->rootfs, O_PATH | O_DIRECTORY | O_CLOEXEC);
	eb_autofd int fd = -1;

	if (root < 0)
		return eb_err_errno(err, EB_MACHINE, errno, "\"%s\", opening",
				    p->run->rootfs);
	fd = eb_inside(root, p->python + 1, O_PATH, true);
	return fd >= 0;
}

int eb_verify_python(const struct eb_verify_run *how,
		     const struct eb_verified *what, struct eb_findings *out,
		     struct eb_error *err)
{
	struct inside p EB_CLEANUP(
		release) = { .run = how, .what = what, .out = out };
	int got;

	p.python = eb_asprintf("%s/bin/python", what->prefix);
	got = has_python(&p, err);
	if (got < 0)
		return -1;
	if (!got)
		eb_finding_note(out, IMPORT, NULL,
				"not checked: the image has no \"%s\"",
				p.python);
	else if (run(&p, err) < 0)
		return -1;
	if (!p.pip && what->n)
		check_requires(&p);
	return 0;
}
