/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Builds one project from source, in an environment of conda packages, by the
 * way that a build goes; or asks its backend what it requires.
 *
 *	step_wheel YAML WORD=VALUE...
 *
 *	base=REF, cache-dir=DIR, limit=NAME=VALUE ...	as the options;
 *			registry=HOST/PREFIX: results are shared by it
 *	sdist=FILE, folder=DIR, git=URL, commit=C, subdirectory=S
 *	name=NAME, version=VERSION
 *	require=WHEEL	of the isolated build; may come again
 *	install=WHEEL	of the environment; there is no isolation then
 *	isolated=0|1	as it would be without and with
 *	build-base=REF	what it is built on
 *	setting=K=V, variable=K=V
 *	ask=1		what it requires, instead of a wheel
 *	uv=PROGRAM	run it in the root instead (uv=...; its version)
 *	copy=FILE	the wheel is copied there
 *
 * Prints "key HEX", "result HEX", "file NAME", or "requires TEXT" each.
 */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <envbuild/base.h>
#include <envbuild/file.h>
#include <envbuild/spec.h>
#include <envbuild/tags.h>
#include <envbuild/team.h>

#include "build/build_private.h"
#include "build/root.h"
#include "build/step.h"

struct words {
	struct eb_config config;
	const char *uv, *copy;
	bool ask;
	struct eb_pin pin;
	struct eb_pin_build build;
	struct eb_pin *install;
	size_t n_install;
};

static struct eb_error err;
static struct eb_build *running; /* has a folder that is to go */

static void must(int rc)
{
	if (rc >= 0)
		return;
	fprintf(stderr, "%s\n", err.message);
	if (err.hint)
		fprintf(stderr, "hint: %s\n", err.hint);
	if (running)
		eb_build_release(running);
	exit(err.code);
}

static void hear(void *data, const struct eb_event *ev)
{
	(void)data;
	if (ev->type == EB_EV_WARNING || ev->type == EB_EV_DETAIL ||
	    ev->type == EB_EV_NOTE)
		fprintf(stderr, "%s\n", ev->text);
	if (ev->type == EB_EV_STAGE_END && !strcmp(ev->name, "root"))
		fprintf(stderr, "a root was made\n");
	if (ev->type == EB_EV_TASK_BEGIN && ev->kind &&
	    !strcmp(ev->kind, "build"))
		fprintf(stderr, "building %s\n", ev->name);
}

/* --- what is asked for ---------------------------------------------------- */

static void digest_of(const char *path, struct eb_pin *pin)
{
	eb_autofd int fd = open(path, O_RDONLY | O_CLOEXEC);

	if (fd < 0) {
		fprintf(stderr, "no file \"%s\"\n", path);
		exit(2);
	}
	must(eb_sha256_fd(fd, &pin->sha256, &pin->size, &err));
}

static void file_pin(const char *path, struct eb_pin *pin)
{
	eb_autofree char *real = realpath(path, NULL);
	const char *slash = strrchr(path, '/');

	pin->file = eb_strdup(slash ? slash + 1 : path);
	pin->url = eb_asprintf("file://%s", real ? real : path);
	digest_of(path, pin);
}

static void add_wheel(struct eb_pin **list, size_t *n, const char *path)
{
	struct eb_wheel_name name;
	struct eb_pin *pin;

	*list = eb_realloc(*list, *n + 1, sizeof **list);
	pin = &(*list)[(*n)++];
	*pin = (struct eb_pin){ .source = EB_PIN_WHEEL };
	file_pin(path, pin);
	must(eb_wheel_name_parse(pin->file, &name, &err));
	pin->name = eb_strdup(name.name);
	pin->version = eb_strdup(name.version);
	eb_wheel_name_release(&name);
}

static void source(struct words *w, const char *kind, const char *value)
{
	struct eb_pin *pin = &w->pin;
	eb_autofree char *real = realpath(value, NULL);

	if (!strcmp(kind, "sdist")) {
		pin->source = EB_PIN_SDIST;
		file_pin(value, pin);
	} else if (!strcmp(kind, "folder")) {
		pin->source = EB_PIN_DIR;
		pin->url = eb_asprintf("file://%s", real);
		must(eb_local_source_each(value, NULL, NULL, NULL, &pin->sha256,
					  &err));
	} else {
		pin->source = EB_PIN_VCS;
		pin->url = eb_strdup(value);
		pin->vcs = eb_strdup("git");
	}
}

static bool of_pin(struct words *w, const char *word, const char *value)
{
	struct eb_pin *pin = &w->pin;
	struct {
		const char *word;
		char **place;
	} texts[] = { { "name", &pin->name },
		      { "version", &pin->version },
		      { "commit", &pin->commit },
		      { "subdirectory", &pin->subdirectory } };

	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
		if (!strcmp(word, texts[i].word)) {
			*texts[i].place = eb_strdup(value);
			return true;
		}
	if (strcmp(word, "sdist") && strcmp(word, "folder") &&
	    strcmp(word, "git"))
		return false;
	source(w, word, value);
	return true;
}

static void take(struct words *w, const char *word, const char *value)
{
	if (of_pin(w, word, value))
		return;
	if (!strcmp(word, "require")) {
		add_wheel(&w->build.requires, &w->build.n_requires, value);
	} else if (!strcmp(word, "install")) {
		add_wheel(&w->install, &w->n_install, value);
		w->build.isolated = false;
	} else if (!strcmp(word, "isolated")) {
		w->build.isolated = !strcmp(value, "1");
	} else if (!strcmp(word, "setting")) {
		eb_strv_add(&w->build.setting, value);
	} else if (!strcmp(word, "variable")) {
		eb_strv_add(&w->build.variable, value);
	} else if (!strcmp(word, "ask")) {
		w->ask = true;
	} else if (!strcmp(word, "uv")) {
		w->uv = value;
	} else if (!strcmp(word, "copy")) {
		w->copy = value;
	} else {
		must(eb_config_set(&w->config, word, value, &err));
	}
}

static void read_words(struct words *w, int argc, char **argv)
{
	w->build.isolated = true;
	w->pin.build = &w->build;
	for (int i = 2; i < argc; i++) {
		char *eq = strchr(argv[i], '=');

		if (!eq) {
			fprintf(stderr, "\"%s\" is no WORD=VALUE\n", argv[i]);
			exit(2);
		}
		*eq = '\0';
		take(w, argv[i], eq + 1);
	}
	if (!w->pin.file && w->pin.name)
		w->pin.file = eb_asprintf("%s-%s", w->pin.name, w->pin.version);
}

/* --- the environment -------------------------------------------------------
 */

/* The Python side of a lock: what is installed, and what is to be built. */
static void add_pins(struct words *w, struct eb_lock *lock)
{
	free(lock->pin); /* there is none in it */
	lock->pin = eb_calloc(w->n_install + 1, sizeof *lock->pin);
	for (size_t i = 0; i < w->n_install; i++)
		eb_pin_copy(&lock->pin[lock->n_pins++], &w->install[i]);
	if (w->pin.name)
		eb_pin_copy(&lock->pin[lock->n_pins++], &w->pin);
}

static bool is_no_source(const struct eb_work *work)
{
	return work->package || work->pin->source == EB_PIN_WHEEL;
}

static void say(const char *what, const struct eb_digest *d)
{
	char hex[EB_HEX_SIZE];

	printf("%s %s\n", what, eb_digest_hex(d, hex));
}

static void run_uv(struct words *w, struct eb_build *b)
{
	static const char *const argv[] = { "uv", "--version", NULL };
	static const char *const env[] = { NULL };
	eb_autofree char *dir = eb_make_tempdir("/tmp", "step-uv-", &err);
	EB_AUTOBUF(out, EB_MAX_TEXT);
	struct eb_uv_call call = {
		.dir = dir, .argv = argv, .env = env, .uv = w->uv, .out = &out
	};

	must(eb_root_uv(b, &call, &err));
	printf("status %d\n%s", call.status, out.data);
	rmdir(dir);
}

static void ask(struct eb_build *b, const struct eb_pin *pin)
{
	EB_CLEANUP(eb_strv_release) struct eb_strv requires = { 0 };

	must(eb_step_requires(b, pin, &requires, &err));
	for (size_t i = 0; i < requires.n; i++)
		printf("requires %s\n", requires.v[i]);
}

static void make(struct words *w, struct eb_build *b, const struct eb_pin *pin)
{
	eb_autofree char *file = NULL;
	eb_autofd int fd = -1, to = -1;
	struct eb_digest key, result;
	struct stat st;

	must(eb_step_key(b, pin, &key, &err));
	say("key", &key);
	must(eb_step_wheel(b, pin, &fd, &file, &result, &err));
	say("result", &result);
	printf("file %s\n", file);
	if (!w->copy)
		return;
	to = open(w->copy, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
	fstat(fd, &st);
	must(eb_copy_fd(to, fd, 0, (uint64_t)st.st_size, w->copy, &err));
}

/* As for a lock. */
static void name_build_base(struct eb_build *b, struct eb_lock *lock)
{
	b->build_base_asked = b->config->build_base;
	must(eb_open_build_base(b, &err));
	lock->has_build_base = b->build_base != NULL;
	if (b->build_base)
		lock->build_base = b->build_base->digest;
}

static void work(struct words *w, struct eb_build *b, struct eb_lock *lock)
{
	if (w->config.registry)
		must(eb_team_open(&w->config, false, b->events, &b->team,
				  &err));
	must(eb_build_begin(b, &err));
	name_build_base(b, lock);
	if (!w->uv && !w->ask) /* as for a lock */
		must(eb_build_some_payloads(b, is_no_source, &err));
	if (w->uv)
		run_uv(w, b);
	else if (w->ask)
		ask(b, &b->lock->pin[b->lock->n_pins - 1]);
	else
		make(w, b, &b->lock->pin[b->lock->n_pins - 1]);
}

static void release(struct words *w)
{
	for (size_t i = 0; i < w->n_install; i++)
		eb_pin_release(&w->install[i]);
	free(w->install);
	for (size_t i = 0; i < w->build.n_requires; i++)
		eb_pin_release(&w->build.requires[i]);
	free(w->build.requires);
	eb_strv_release(&w->build.setting);
	eb_strv_release(&w->build.variable);
	w->pin.build = NULL;
	eb_pin_release(&w->pin);
	eb_config_release(&w->config);
}

int main(int argc, char **argv)
{
	EB_CLEANUP(eb_store_close_ptr) struct eb_store *store = NULL;
	EB_CLEANUP(eb_env_free_ptr) struct eb_env *env = NULL;
	EB_CLEANUP(eb_lock_free_ptr) struct eb_lock *lock = NULL;
	struct eb_events *events = eb_events_new(hear, NULL);
	struct eb_built built = { 0 };
	struct words w = { 0 };
	struct eb_build b;
	bool solved;

	if (argc < 2)
		return 2;
	must(eb_config_load(NULL, events, &w.config, &err));
	read_words(&w, argc, argv);
	must(eb_store_open(w.config.cache_dir, 0, &store, &err));
	must(eb_env_open(argv[1], &w.config, store, events, &env, &err));
	must(eb_env_lock(env, &w.config, store, events, &lock, &solved, &err));
	add_pins(&w, lock);
	b = (struct eb_build){ .lock = lock,
			       .env = env,
			       .config = &w.config,
			       .store = store,
			       .events = events,
			       .built = &built };
	must(eb_compressor_init(&b.compressor, "gzip", &err));
	running = &b;
	work(&w, &b, lock);
	running = NULL;
	eb_team_free(b.team);
	eb_build_release(&b);
	release(&w);
	eb_events_free(events);
	return 0;
}
