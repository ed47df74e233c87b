/* SPDX-License-Identifier: Apache-2.0 */
/* A step's result: remembered, found in the registry, or made. */
#include <string.h>
#include <unistd.h>

#include <envbuild/json.h>
#include <envbuild/tags.h>
#include <envbuild/team.h>
#include <envbuild/wheel.h>

#include "sdist_build.h"
#include "step_source.h"

struct keys {
	struct eb_digest own, shared;
};

/* Its tags do not matter any more: they were looked at when it was built. */
char *eb_step_wheel_name(const struct eb_pin *pin)
{
	char *name = eb_strdup(pin->name);
	char *file;

	for (char *p = name; *p; p++)
		if (*p == '-')
			*p = '_';
	file = eb_asprintf("%s-%s-py3-none-any.whl", name, pin->version);
	free(name);
	return file;
}

static int make_keys(struct eb_build *b, const struct eb_pin *pin,
		     struct keys *k, struct eb_error *err)
{
	if (!pin->version || !pin->build)
		return eb_err_set(err, EB_INPUT,
				  "the lock does not say what \"%s\" becomes",
				  pin->file);
	if (eb_step_key(b, pin, &k->own, err) < 0)
		return -1;
	return eb_step_shared_key(b, pin, &k->shared, err);
}

static int recall_either(struct eb_build *b, const struct keys *k,
			 struct eb_digest *result, struct eb_error *err)
{
	int rc = eb_result_recall(b, &k->own, result, err);

	return rc ? rc : eb_result_recall(b, &k->shared, result, err);
}

int eb_step_recall(struct eb_build *b, const struct eb_pin *pin,
		   struct eb_digest *key, struct eb_digest *result,
		   struct eb_error *err)
{
	struct keys k;

	if (make_keys(b, pin, &k, err) < 0)
		return -1;
	*key = k.own;
	return recall_either(b, &k, result, err);
}

int eb_step_look(struct eb_build *b, const struct eb_pin *pin,
		 struct eb_digest *key, struct eb_digest *result,
		 uint64_t *size, struct eb_error *err)
{
	struct keys k;
	int rc;

	*size = 0;
	if (make_keys(b, pin, &k, err) < 0)
		return -1;
	*key = k.own;
	rc = recall_either(b, &k, result, err);
	if (rc == 0 && b->team)
		rc = eb_team_step_look(b->team, &k.own, result, size, err);
	if (rc == 0 && b->team)
		rc = eb_team_step_look(b->team, &k.shared, result, size, err);
	return rc;
}

static int find(struct eb_build *b, const struct keys *k,
		struct eb_digest *result, struct eb_error *err)
{
	int rc = recall_either(b, k, result, err);

	if (rc == 0)
		rc = eb_result_ask_team(b, &k->own, result, err);
	if (rc == 0)
		rc = eb_result_ask_team(b, &k->shared, result, err);
	return rc;
}

/* --- making it
 * -------------------------------------------------------------------
 */
/* Neither the source nor the wheel has anything of a machine. */
static bool is_pure(const struct eb_sdist_build *s, const char *file)
{
	return s->pin->build->isolated && !s->sdist.has_c &&
	       eb_ends(file, "-none-any.whl");
}

static int keep(struct eb_sdist_build *s, int fd, const char *file,
		struct eb_digest *result, struct eb_error *err)
{
	EB_CLEANUP(eb_blob_abort_ptr) struct eb_blob_writer *w = NULL;
	off_t size = lseek(fd, 0, SEEK_END);

	if (eb_blob_begin(s->b->store, &w, err) < 0 ||
	    eb_blob_write_fd(w, fd, 0, size > 0 ? (uint64_t)size : 0, err) < 0)
		return -1;
	return eb_blob_commit(eb_steal(w), NULL, file, result, NULL, err);
}

static int share(struct eb_build *b, const struct keys *k, bool pure,
		 struct eb_digest *result, struct eb_error *err)
{
	if (eb_result_tell_team(b, &k->own, result, err) < 0 ||
	    eb_result_remember(b, &k->own, result, err) < 0)
		return -1;
	if (!pure)
		return 0;
	if (eb_result_tell_team(b, &k->shared, result, err) < 0)
		return -1;
	return eb_result_remember(b, &k->shared, result, err);
}

static int build(struct eb_sdist_build *s, const struct keys *k,
		 struct eb_digest *result, struct eb_error *err)
{
	eb_autojson json_t *answer = NULL;
	eb_autofree char *file = NULL, *log = NULL;
	eb_autofd int fd = -1;
	uint64_t begun = eb_now_ns();

	if (eb_sdist_build_prepare(s, err) < 0)
		return -1;
	answer = eb_sdist_build_call(s, "wheel", err);
	if (!answer)
		return -1;
	if (eb_sdist_build_result(s, &file, &fd, err) < 0) {
		if (err->code == EB_STEP)
			eb_sdist_build_explain(s, err);
		return -1;
	}
	log = eb_sdist_build_log_keep(s);
	if (log)
		eb_detail(s->b->events, "\"%s\" was built; its log is \"%s\"",
			  file, log);
	if (keep(s, fd, file, result, err) < 0 ||
	    eb_result_tell_story(s->b, result, eb_now_ns() - begun, log, err) <
		    0)
		return -1;
	return share(s->b, k, is_pure(s, file), result, err);
}

static int make(struct eb_build *b, const struct eb_pin *pin,
		const struct keys *k, struct eb_digest *result,
		struct eb_error *err)
{
	struct eb_event ev = { .type = EB_EV_TASK_BEGIN,
			       .name = pin->file,
			       .kind = "build" };
	struct eb_sdist_build s;
	int rc;

	eb_emit(b->events, &ev);
	rc = eb_sdist_build_begin(b, pin, &s, err);
	if (rc == 0)
		rc = build(&s, k, result, err);
	eb_sdist_build_end(&s);
	ev.type = EB_EV_TASK_END;
	ev.text = rc < 0 ? "stopped" : "";
	eb_emit(b->events, &ev);
	return rc;
}

/* --- what is asked for
 * ---------------------------------------------------------
 */
int eb_step_wheel(struct eb_build *b, const struct eb_pin *pin, int *fd,
		  char **file, struct eb_digest *result, struct eb_error *err)
{
	struct keys k;
	uint64_t size;
	int rc;

	if (make_keys(b, pin, &k, err) < 0)
		return -1;
	rc = find(b, &k, result, err);
	if (rc < 0 || (rc == 0 && make(b, pin, &k, result, err) < 0))
		return -1;
	rc = eb_store_blob(b->store, result, fd, &size, err);
	if (rc == 0)
		return eb_err_set(err, EB_INTEGRITY,
				  "the wheel of \"%s\" is gone from the store",
				  pin->file);
	if (rc < 0)
		return -1;
	*file = eb_step_wheel_name(pin);
	return 0;
}

static int ask(struct eb_sdist_build *s, struct eb_strv *out,
	       struct eb_error *err)
{
	eb_autojson json_t *answer = NULL;
	const json_t *list;
	json_t *item;
	size_t i;

	if (eb_sdist_build_prepare(s, err) < 0)
		return -1;
	answer = eb_sdist_build_call(s, "requires", err);
	list = answer ? eb_json_arr(answer, "requires") : NULL;
	if (!answer)
		return -1;
	json_array_foreach ((json_t *)list, i, item) {
		if (json_is_string(item))
			eb_strv_add(out, json_string_value(item));
	}
	return 0;
}

int eb_step_requires(struct eb_build *b, const struct eb_pin *pin,
		     struct eb_strv *out, struct eb_error *err)
{
	struct eb_sdist_build s;
	int rc = eb_sdist_build_begin(b, pin, &s, err);

	if (rc == 0 && s.sdist.asks)
		rc = ask(&s, out, err);
	eb_sdist_build_end(&s);
	return rc;
}

static int tell(struct eb_sdist_build *s, struct eb_buf *out,
		struct eb_error *err)
{
	eb_autojson json_t *answer = NULL;

	if (eb_sdist_build_prepare(s, err) < 0)
		return -1;
	answer = eb_sdist_build_call(s, "metadata", err);
	return answer ? eb_sdist_build_metadata(s, out, err) : -1;
}

int eb_step_metadata(struct eb_build *b, const struct eb_pin *pin,
		     struct eb_buf *out, struct eb_error *err)
{
	struct eb_sdist_build s;
	int rc = eb_sdist_build_begin(b, pin, &s, err);

	if (rc == 0)
		rc = tell(&s, out, err);
	eb_sdist_build_end(&s);
	return rc;
}
