/* SPDX-License-Identifier: Apache-2.0 */
/* Bytecode of one payload: which files, their names, their key. */
#include <stdlib.h>
#include <string.h>

#include <envbuild/str.h>

#include "interpreter.h"

/* Raised when the same interpreter would be made to write other bytes. */
#define EPOCH 1

char *eb_cache_tag(const char *python_minor)
{
	char *tag = eb_asprintf("cpython-%s", python_minor), *dot;

	for (dot = strchr(tag, '.'); dot; dot = strchr(dot, '.'))
		memmove(dot, dot + 1, strlen(dot));
	return tag;
}

/* "opt/env/lib/python3.7/" */
static char *library_of(const char *prefix, const char *python_minor)
{
	return eb_asprintf("%s/lib/python%s/", prefix + 1, python_minor);
}

/* x/y.py -> x/__pycache__/y.cpython-37.pyc; NULL when it is no source (a file,
 * or a link that leads to one) below the library. */
static char *bytecode_path(const struct eb_entry *e, const char *library,
			   const char *tag)
{
	const char *slash = strrchr(e->path, '/');

	if (e->type == EB_ENTRY_DIR || !slash || !eb_starts(e->path, library) ||
	    !eb_ends(e->path, ".py") || strlen(slash) < 5)
		return NULL;
	return eb_asprintf("%.*s/__pycache__/%.*s.%s.pyc",
			   (int)(slash - e->path), e->path,
			   (int)(strlen(slash) - 4), slash + 1, tag);
}

/* What a package ships itself stays as it is. */
static char *wanted_path(const struct eb_entries *paths,
			 const struct eb_entry *e, const char *library,
			 const char *tag)
{
	eb_autofree char *path = bytecode_path(e, library, tag);

	if (!path || eb_entries_find(paths, path) || !eb_source_of(paths, e))
		return NULL;
	return eb_steal(path);
}

bool eb_bytecode_wanted(const struct eb_entries *payload, const char *prefix,
			const char *python_minor)
{
	eb_autofree char *library = library_of(prefix, python_minor);
	eb_autofree char *tag = eb_cache_tag(python_minor);
	size_t k;

	for (k = 0; k < payload->n; k++) {
		eb_autofree char *path =
			wanted_path(payload, &payload->entry[k], library, tag);

		if (path)
			return true;
	}
	return false;
}

void eb_bytecode_key(const struct eb_digest *payload_key,
		     const struct eb_digest *interpreter, struct eb_digest *key)
{
	struct eb_keyer k;

	eb_key_begin(&k, "bytecode");
	eb_key_u64(&k, EPOCH);
	eb_key_digest(&k, payload_key);
	eb_key_digest(&k, interpreter);
	eb_key_end(&k, key);
}

struct job {
	struct eb_interpreter *i;
	struct eb_compile_server *server;
	const struct eb_entries *paths;
	const char *what;
	char *sources;	       /* "opt/env/lib/python3.7/" */
	struct eb_strv linked; /* sources that links lead to */
	struct eb_entries *out;
	unsigned n_failed;
	struct eb_buf answer;
};

static int failed(struct job *j, const char *path, const char *why)
{
	j->n_failed++;
	eb_detail(j->i->events, "\"%s\": \"%s\" does not compile: %s", j->what,
		  path, why);
	return 0;
}

/* A long name gets longer. */
static bool fits(const char *path, const char *what)
{
	struct eb_error err EB_CLEANUP(eb_err_release) = EB_ERROR_INIT;

	return eb_path_check(path, what, &err) == 0;
}

/* Compile one source under one name: its own, or that of a link to it. */
static int compile_as(struct job *j, const struct eb_entry *e,
		      const struct eb_entry *file, struct eb_stream *content,
		      struct eb_error *err)
{
	eb_autofree char *path =
		wanted_path(j->paths, e, j->sources, j->i->tag);
	eb_autofree char *source = eb_asprintf("/%s", e->path);
	int done;

	if (!path)
		return 0;
	if (!fits(path, j->what))
		return failed(j, e->path, "the name is too long");
	done = eb_compile_server_file(j->server, source, file->mtime,
				      file->size, content, &j->answer, err);
	if (done < 0)
		return eb_err_prefix(err, "compiling \"%s\"", source);
	if (done == 0)
		return failed(j, e->path, j->answer.data);
	return eb_entries_add_file(j->out, path, 0644, EB_FIXED_MTIME,
				   j->answer.data, j->answer.len, err);
}

/* A file that links lead to is compiled once for each of its names. */
static int compile_linked(struct job *j, const struct eb_entry *file,
			  struct eb_stream *content, struct eb_error *err)
{
	eb_autofree char *text = eb_malloc(file->size + 1);

	if (eb_stream_read_all(content, text, file->size, file->path, err) < 0)
		return -1;
	for (size_t k = 0; k < j->paths->n; k++) {
		const struct eb_entry *e = &j->paths->entry[k];
		EB_CLEANUP(eb_stream_free_ptr) struct eb_stream *again = NULL;

		if (eb_source_of(j->paths, e) != file)
			continue;
		again = eb_stream_mem(text, file->size);
		if (compile_as(j, e, file, again, err) < 0)
			return -1;
	}
	return 0;
}

static int compile_one(void *data, const struct eb_entry *e,
		       struct eb_stream *content, struct eb_error *err)
{
	struct job *j = data;
	const struct eb_entry *file = eb_entries_find(j->paths, e->path);

	if (e->type != EB_ENTRY_FILE || !file)
		return 0;
	if (file->size <= EB_BYTECODE_MAX && eb_strv_has(&j->linked, e->path))
		return compile_linked(j, file, content, err);
	return compile_as(j, e, e, content, err);
}

static int compile_all(struct job *j, struct eb_store *store,
		       const struct eb_item *payload, struct eb_error *err)
{
	if (eb_compile_server_begin(j->server, err) < 0 ||
	    eb_part_walk(store, payload, compile_one, j, err) < 0 ||
	    eb_compile_server_end(j->server, err) < 0)
		return -1;
	return eb_entries_sort(j->out, j->what, err);
}

static void release(struct job *j)
{
	eb_buf_release(&j->answer);
	eb_strv_release(&j->linked);
	free(j->sources);
}

static int compile_with(struct job *j, struct eb_store *store,
			const struct eb_item *payload, struct eb_error *err)
{
	struct eb_pipe_guard guard EB_CLEANUP(eb_pipe_guard_release) = { 0 };
	struct eb_interpreter_slot *slot;
	int result;

	eb_pipe_guard_take(&guard);
	if (eb_interpreter_borrow(j->i, &slot, err) < 0)
		return -1;
	j->server = &slot->server;
	result = compile_all(j, store, payload, err);
	eb_interpreter_give_back(j->i, slot, result == 0);
	return result;
}

int eb_bytecode_compile(struct eb_interpreter *i, struct eb_store *store,
			const struct eb_item *payload, const char *what,
			struct eb_entries *out, unsigned *n_failed,
			struct eb_error *err)
{
	struct eb_entries paths EB_CLEANUP(eb_entries_release) = { 0 };
	struct job j EB_CLEANUP(release) = {
		.i = i, .paths = &paths, .what = what, .out = out
	};

	eb_buf_init(&j.answer, EB_BYTECODE_MAX);
	j.sources = library_of(i->prefix, i->minor);
	if (eb_part_paths(store, payload, &paths, err) < 0)
		return -1;
	eb_linked_sources(&paths, j.sources, &j.linked);
	if (compile_with(&j, store, payload, err) < 0) {
		if (err->code == EB_STEP)
			eb_err_hint(err, "--pyc=none builds without bytecode");
		return eb_err_prefix(err, "\"%s\"", what);
	}
	*n_failed = j.n_failed;
	return 0;
}
