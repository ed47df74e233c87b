/* SPDX-License-Identifier: Apache-2.0 */
/* The environment's interpreter: unpacked once, its workers shared out. */
#include <stdlib.h>
#include <string.h>

#include <envbuild/file.h>
#include <envbuild/str.h>

#include "interpreter.h"

static int no_bytecode(struct eb_error *err)
{
	return eb_err_hint(err, "--pyc=none builds without bytecode");
}

static int start_server(struct eb_interpreter *i, struct eb_error *err)
{
	struct eb_compile_server *s = &i->server;

	s->memory_mib = i->memory_mib;
	s->cpu_s = i->cpu_s;
	s->n = i->n_workers;
	i->ill = false;
	if (eb_compile_server_start(s, i->root, i->prefix, i->minor, i->tmp,
				    i->events, err) == 0)
		return 0;
	eb_compile_server_stop(s, true);
	err->code = EB_MACHINE;
	if (!err->hint)
		no_bytecode(err);
	return -1;
}

static int check_version(struct eb_interpreter *i, const char *ready,
			 struct eb_error *err)
{
	eb_autofree char *expected = eb_asprintf("%s %s ", i->minor, i->tag);

	if (eb_starts(ready, expected))
		return 0;
	eb_err_set(err, EB_MACHINE,
		   "\"%s/bin/python%s\" says that it is \"%s\", not \"%s\"",
		   i->prefix, i->minor, ready, expected);
	return no_bytecode(err);
}

/* Before Python 3.12 the order of a set of constants with None in it depends
 * on an address. Where addresses cannot be fixed two starts tell whether they
 * move. */
static int check_addresses(struct eb_interpreter *i, struct eb_error *err)
{
	eb_autofree char *before = eb_strdup(i->server.ready);

	if (!i->server.c.randomised)
		return 0;
	eb_compile_server_stop(&i->server, false);
	if (start_server(i, err) < 0)
		return -1;
	if (strcmp(before, i->server.ready) == 0)
		return 0;
	eb_err_set(err, EB_MACHINE,
		   "\"%s/bin/python%s\": address randomisation cannot be "
		   "switched off here, so its bytecode would not repeat",
		   i->prefix, i->minor);
	return no_bytecode(err);
}

static void leave_tree(struct eb_interpreter *i)
{
	struct eb_error ignored EB_CLEANUP(eb_err_release) = EB_ERROR_INIT;

	if (i->dir)
		eb_remove_tree(i->dir, &ignored);
	free(i->dir);
	free(i->root);
	i->dir = i->root = NULL;
}

/* Beside the tree: it did not start, so that it is not tried again. */
static char *failed_mark(const struct eb_interpreter *i)
{
	return eb_asprintf("%s-does-not-start", i->root);
}

/* conda's Python starts with the libraries that are linked into it; another
 * may want those of the packages that it depends on. 1: it started. */
static int start_alone(struct eb_interpreter *i, struct eb_store *store,
		       const struct eb_interpreter_options *o)
{
	struct eb_error why EB_CLEANUP(eb_err_release) = EB_ERROR_INIT;
	struct eb_error ignored EB_CLEANUP(eb_err_release) = EB_ERROR_INIT;
	eb_autofree char *mark = NULL;

	if (eb_interpreter_tree(i, store, o, 1, &why) < 0) {
		leave_tree(i);
		return 0;
	}
	mark = failed_mark(i);
	if (!eb_path_exists(mark)) {
		if (start_server(i, &why) == 0)
			return 1;
		eb_write_file(mark, "", 0, 0600, &ignored);
	}
	leave_tree(i);
	return 0;
}

static int start_first(struct eb_interpreter *i, struct eb_store *store,
		       const struct eb_interpreter_options *o,
		       struct eb_error *err)
{
	if (o->n > 1 && start_alone(i, store, o))
		return 0;
	if (eb_interpreter_tree(i, store, o, o->n, err) < 0)
		return -1;
	return start_server(i, err);
}

static int prepare(struct eb_interpreter *i, struct eb_store *store,
		   const struct eb_interpreter_options *o, struct eb_error *err)
{
	if (start_first(i, store, o, err) < 0 ||
	    check_version(i, i->server.ready, err) < 0 ||
	    check_addresses(i, err) < 0)
		return -1;
	i->way = i->server.c.way;
	return 0;
}

int eb_interpreter_new(struct eb_store *store,
		       const struct eb_interpreter_options *options,
		       struct eb_events *events, struct eb_interpreter **out,
		       struct eb_error *err)
{
	struct eb_interpreter *i = eb_calloc(1, sizeof *i);

	i->prefix = eb_strdup(options->prefix);
	i->minor = eb_strdup(options->python_minor);
	i->tag = eb_cache_tag(i->minor);
	i->tmp = eb_strdup(options->tmp);
	i->events = events;
	pthread_mutex_init(&i->lock, NULL);
	pthread_cond_init(&i->freed, NULL);
	i->memory_mib = options->memory_mib;
	i->cpu_s = options->cpu_s;
	i->n_workers = options->workers ? options->workers : 1;
	if (i->n_workers > EB_WORKERS_MAX)
		i->n_workers = EB_WORKERS_MAX;
	if (prepare(i, store, options, err) < 0) {
		eb_interpreter_free(i);
		return -1;
	}
	*out = i;
	return 0;
}

void eb_interpreter_free(struct eb_interpreter *i)
{
	struct eb_error err EB_CLEANUP(eb_err_release) = EB_ERROR_INIT;

	eb_compile_server_stop(&i->server, i->ill);
	if (i->dir)
		eb_remove_tree(i->dir, &err);
	pthread_mutex_destroy(&i->lock);
	pthread_cond_destroy(&i->freed);
	free(i->prefix);
	free(i->minor);
	free(i->tag);
	free(i->tmp);
	free(i->dir);
	free(i->root);
	free(i);
}

const char *eb_interpreter_way(const struct eb_interpreter *i)
{
	return i->way;
}

static struct eb_compile_worker *find_free(struct eb_interpreter *i)
{
	for (unsigned k = 0; k < i->server.n && !i->ill; k++)
		if (!i->server.worker[k].busy)
			return &i->server.worker[k];
	return NULL;
}

/* With the lock held: a server of which one worker ended badly takes no more
 * work; when the others have done theirs there is a new one. */
static int renew(struct eb_interpreter *i, struct eb_error *err)
{
	if (i->n_busy || (!i->ill && i->server.program))
		return 0;
	eb_compile_server_stop(&i->server, true);
	return start_server(i, err);
}

int eb_interpreter_borrow(struct eb_interpreter *i,
			  struct eb_compile_worker **out, struct eb_error *err)
{
	struct eb_compile_worker *w = NULL;
	int rc;

	pthread_mutex_lock(&i->lock);
	while ((rc = renew(i, err)) == 0 && !(w = find_free(i)))
		pthread_cond_wait(&i->freed, &i->lock);
	if (w) {
		w->busy = true;
		i->n_busy++;
	}
	pthread_mutex_unlock(&i->lock);
	*out = w;
	return rc;
}

void eb_interpreter_give_back(struct eb_interpreter *i,
			      struct eb_compile_worker *w, bool well)
{
	pthread_mutex_lock(&i->lock);
	i->ill |= !well;
	i->n_busy--;
	w->busy = false;
	pthread_cond_broadcast(&i->freed);
	pthread_mutex_unlock(&i->lock);
}
