/* SPDX-License-Identifier: Apache-2.0 */
/* One chunk of sources through one worker of the interpreter. */
#include <stdlib.h>

#include "bytecode_chunk.h"

void eb_chunk_add(struct eb_chunk *c, const struct eb_source *source)
{
	EB_GROW(c->source, c->n, c->alloc);
	c->source[c->n++] = *source;
}

static int compile_one(struct eb_compile_worker *w, const struct eb_chunk *c,
		       const struct eb_source *s,
		       const struct eb_chunk_use *use, struct eb_error *err)
{
	EB_AUTOBUF(answer, EB_BYTECODE_MAX);
	int done = eb_compile_file(w, s->path, s->mtime, s->text, s->size,
				   &answer, err);

	if (done < 0)
		return eb_err_prefix(err, "compiling \"%s\"", s->path);
	if (done)
		return use->compiled(c->owner, s, &answer, err);
	use->failed(c->owner, s->path, answer.data);
	return 0;
}

static int compile_all(struct eb_compile_worker *w, const struct eb_chunk *c,
		       const struct eb_chunk_use *use, struct eb_error *err)
{
	if (eb_compile_begin(w, err) < 0)
		return -1;
	for (size_t i = 0; i < c->n; i++)
		if (compile_one(w, c, &c->source[i], use, err) < 0)
			return -1;
	return eb_compile_end(w, err);
}

int eb_chunk_compile(const struct eb_chunk *c, const struct eb_chunk_use *use,
		     struct eb_error *err)
{
	struct eb_pipe_guard guard EB_CLEANUP(eb_pipe_guard_release) = { 0 };
	struct eb_compile_worker *w;
	int rc;

	eb_pipe_guard_take(&guard);
	if (eb_interpreter_borrow(use->interpreter, &w, err) < 0)
		return -1;
	rc = compile_all(w, c, use, err);
	eb_interpreter_give_back(use->interpreter, w, rc == 0);
	return rc;
}

void eb_chunk_free(struct eb_chunk *c)
{
	for (size_t i = 0; c && i < c->n; i++) {
		free(c->source[i].path);
		free(c->source[i].pyc);
		free(c->source[i].text);
	}
	if (c)
		free(c->source);
	free(c);
}
