/* SPDX-License-Identifier: Apache-2.0 */
/* Reading locks: every member is checked before anything is built from it. */
#include <string.h>
#include <time.h>

#include <envbuild/build.h>
#include <envbuild/entry.h>
#include <envbuild/json.h>
#include <envbuild/lock.h>

#include "lock_private.h"
#include "options.h"

/* More are no environment; what walks their dependencies may be as deep. */
#define MAX_PACKAGES 10000

static int wrong(struct eb_error *err, const char *name, const char *what)
{
	return eb_err_set(err, EB_INPUT, "lock \"%s\" has no usable %s", name,
			  what);
}

static int take_text(const json_t *obj, const char *key, char **out,
		     const char *name, struct eb_error *err)
{
	const char *text = eb_json_str(obj, key);

	if (!text)
		return wrong(err, name, key);
	*out = eb_strdup(text);
	return 0;
}

static int take_digest(const json_t *obj, const char *key,
		       struct eb_digest *out, const char *name,
		       struct eb_error *err)
{
	const char *text = eb_json_str(obj, key);

	if (!text || eb_digest_parse(text, out) < 0)
		return wrong(err, name, key);
	return 0;
}

static int take_package(struct eb_lock *lock, const json_t *j, const char *name,
			struct eb_error *err)
{
	struct eb_locked_package *p = &lock->package[lock->n];
	const char *fn = eb_json_str(j, "fn");

	if (!fn)
		return wrong(err, name, "package file name (fn)");
	if (eb_record_from_json(j, fn, eb_json_str(j, "subdir"), &p->record,
				err) < 0)
		return eb_err_prefix(err, "lock \"%s\"", name);
	lock->n++;
	p->requested = json_is_true(json_object_get(j, "requested"));
	if (!p->record.has_sha256 || !p->record.size || !p->record.url ||
	    !p->record.channel)
		return eb_err_set(err, EB_INPUT,
				  "lock \"%s\": package \"%s\" has no sha256, "
				  "size, url or channel",
				  name, p->record.name);
	if (lock->n > 1 && strcmp(p[-1].record.name, p->record.name) >= 0)
		return eb_err_set(err, EB_INPUT,
				  "lock \"%s\": package \"%s\" is there twice "
				  "or out of order",
				  name, p->record.name);
	return 0;
}

static int take_either(struct eb_lock *lock, const json_t *j,
		       const json_t *sources, const char *name,
		       struct eb_error *err)
{
	const char *kind = eb_json_str(j, "kind");

	if (kind && !strcmp(kind, "conda"))
		return take_package(lock, j, name, err);
	if (kind && !strcmp(kind, "pypi"))
		return eb_lock_take_pin(lock, j, sources, name, err);
	return wrong(err, name, "package kind");
}

static int take_packages(struct eb_lock *lock, const json_t *locked,
			 const json_t *sources, const char *name,
			 struct eb_error *err)
{
	const json_t *list = eb_json_arr(locked, "packages"), *item;
	size_t i;

	if (!list || json_array_size(list) > MAX_PACKAGES)
		return wrong(err, name, "list of packages");
	lock->package =
		eb_calloc(json_array_size(list) + 1, sizeof *lock->package);
	lock->pin = eb_calloc(json_array_size(list) + 1, sizeof *lock->pin);
	json_array_foreach ((json_t *)list, i, item) {
		if (take_either(lock, item, sources, name, err) < 0)
			return -1;
	}
	return 0;
}

static int take_base(struct eb_lock *lock, const json_t *locked,
		     const char *name, struct eb_error *err)
{
	const char *base = eb_json_str(locked, "base");

	lock->base_scratch = base && !strcmp(base, "scratch");
	if (lock->base_scratch)
		return 0;
	return take_digest(locked, "base", &lock->base, name, err);
}

static int take_build_base(struct eb_lock *lock, const json_t *locked,
			   const char *name, struct eb_error *err)
{
	lock->has_build_base = json_object_get(locked, "build-base") != NULL;
	if (!lock->has_build_base)
		return 0;
	return take_digest(locked, "build-base", &lock->build_base, name, err);
}

/* One of the values that the option of this name may have. */
static int take_choice(const json_t *obj, const char *key, char **out,
		       const char *name, struct eb_error *err)
{
	if (take_text(obj, key, out, name, err) < 0)
		return -1;
	return eb_option_allows(key, *out) ? 0 : wrong(err, name, key);
}

static int take_prefix(struct eb_lock *lock, const json_t *locked,
		       const char *name, struct eb_error *err)
{
	if (take_text(locked, "prefix", &lock->prefix, name, err) < 0)
		return -1;
	if (!strcmp(lock->prefix, EB_PREFIX))
		return 0;
	return eb_err_set(err, EB_INPUT,
			  "lock \"%s\" has the prefix \"%s\", environments "
			  "are at \"%s\"",
			  name, lock->prefix, EB_PREFIX);
}

static int take_variables(struct eb_lock *lock, const json_t *locked,
			  const char *name, struct eb_error *err)
{
	const json_t *variables = eb_json_obj(locked, "variables");
	const char *key;
	json_t *value;

	if (!variables)
		return wrong(err, name, "variables");
	json_object_foreach ((json_t *)variables, key, value) {
		if (!json_is_string(value))
			return wrong(err, name, "variables");
	}
	lock->variables = json_deep_copy(variables);
	return 0;
}

/* Absent: envbuild's own. */
static int take_naming(struct eb_lock *lock, const json_t *locked,
		       const char *name, struct eb_error *err)
{
	const char *naming = eb_json_str(locked, "naming");

	if (json_object_get(locked, "naming") && !eb_naming_is_azureml(naming))
		return wrong(err, name, "naming");
	lock->naming = eb_strdup(naming);
	return 0;
}

static int take_locked(struct eb_lock *lock, const json_t *locked,
		       const json_t *sources, const char *name,
		       struct eb_error *err)
{
	const json_t *policy = eb_json_obj(locked, "policy");
	const json_t *config = eb_json_obj(locked, "config");

	lock->epoch = (unsigned)eb_json_int(locked, "epoch", 0);
	if (lock->epoch != EB_BUILD_EPOCH) {
		eb_err_set(err,
			   lock->epoch > EB_BUILD_EPOCH ? EB_MACHINE : EB_INPUT,
			   "lock \"%s\" has build epoch %u, this envbuild "
			   "builds epoch %d",
			   name, lock->epoch, EB_BUILD_EPOCH);
		return eb_err_hint(err, "renew it with --update-lock");
	}
	lock->source_date_epoch = eb_json_int(locked, "source-date-epoch", 0);
	if (lock->source_date_epoch < 0)
		return wrong(err, name, "source-date-epoch");
	if (!config)
		return wrong(err, name, "config");
	lock->config = json_deep_copy(config);
	if (take_variables(lock, locked, name, err) < 0 ||
	    take_choice(locked, "platform", &lock->platform, name, err) < 0 ||
	    take_prefix(lock, locked, name, err) < 0 ||
	    take_base(lock, locked, name, err) < 0 ||
	    eb_lock_take_dockerfile(lock, locked, name, err) < 0 ||
	    take_build_base(lock, locked, name, err) < 0 ||
	    eb_lock_take_apt(lock, locked, name, err) < 0 ||
	    take_choice(policy, "pyc", &lock->pyc, name, err) < 0 ||
	    take_choice(policy, "post-link", &lock->post_link, name, err) < 0 ||
	    take_choice(policy, "activation", &lock->activation, name, err) <
		    0 ||
	    take_naming(lock, locked, name, err) < 0)
		return -1;
	return take_packages(lock, locked, sources, name, err);
}

static int64_t parse_time(const char *text)
{
	struct tm tm = { 0 };
	const char *end =
		text ? strptime(text, "%Y-%m-%dT%H:%M:%SZ", &tm) : NULL;

	return end && !*end ? (int64_t)timegm(&tm) : 0;
}

static int take_names(const json_t *list, struct eb_strv *out)
{
	json_t *item;
	size_t i;

	json_array_foreach ((json_t *)list, i, item) {
		if (!json_is_string(item))
			return -1;
		eb_strv_add(out, json_string_value(item));
	}
	return 0;
}

static int take_steps(struct eb_lock *lock, const json_t *list,
		      const char *name, struct eb_error *err)
{
	json_t *item;
	size_t i;

	lock->step = eb_calloc(json_array_size(list) + 1, sizeof *lock->step);
	json_array_foreach ((json_t *)list, i, item) {
		struct eb_lock_step *s = &lock->step[lock->n_steps];
		json_int_t took;

		if (take_text(item, "name", &s->name, name, err) < 0)
			return -1;
		lock->n_steps++;
		if (take_digest(item, "key", &s->key, name, err) < 0 ||
		    take_digest(item, "result", &s->result, name, err) < 0)
			return -1;
		took = eb_json_int(item, "milliseconds", 0);
		s->milliseconds = took > 0 ? (uint64_t)took : 0;
		s->log = eb_strdup(eb_json_str(item, "log"));
		if (take_names(eb_json_arr(item, "packages"), &s->package) < 0)
			return wrong(err, name, "list of system packages");
	}
	return 0;
}

static int take_included(struct eb_lock *lock, const json_t *list,
			 const char *name, struct eb_error *err)
{
	json_t *item;
	size_t i;

	json_array_foreach ((json_t *)list, i, item) {
		struct eb_pip_file f = { 0 };

		if (take_text(item, "url", &f.url, name, err) < 0)
			return -1;
		EB_GROW(lock->included.v, lock->included.n,
			lock->included.alloc);
		lock->included.v[lock->included.n++] = f;
		if (take_digest(item, "sha256", &lock->included.v[i].sha256,
				name, err) < 0)
			return -1;
	}
	return 0;
}

static int take_commentary(struct eb_lock *lock, const json_t *c,
			   const char *name, struct eb_error *err)
{
	const char *tool = eb_json_str(c, "tool");
	const char *base = eb_json_str(c, "base");
	const json_t *evidence = eb_json_arr(c, "evidence");
	const json_t *decision = eb_json_obj(c, "decision");
	const json_t *solved = eb_json_obj(c, "solved");

	lock->time = parse_time(eb_json_str(c, "time"));
	lock->tool = eb_strdup(tool ? tool : "");
	lock->base_reference = eb_strdup(base);
	lock->build_base_reference = eb_strdup(eb_json_str(c, "build-base"));
	lock->evidence = evidence ? json_deep_copy(evidence) : json_array();
	lock->decision = decision ? json_deep_copy(decision) : NULL;
	lock->solved = solved ? json_deep_copy(solved) : NULL;
	if (take_names(eb_json_arr(c, "replaced"), &lock->replaced) < 0)
		return wrong(err, name, "list of replaced packages");
	if (eb_json_str(c, "resolver"))
		lock->resolver = eb_strdup(eb_json_str(c, "resolver"));
	if (eb_lock_take_dockerfile_comment(lock, c, name, err) < 0 ||
	    take_steps(lock, eb_json_arr(c, "steps"), name, err) < 0 ||
	    take_included(lock, eb_json_arr(c, "included"), name, err) < 0)
		return -1;
	return take_digest(c, "definition", &lock->definition, name, err);
}

/* A lock that was edited by hand says so here. */
static int check_hash(const struct eb_lock *lock, const json_t *root,
		      const char *name, struct eb_error *err)
{
	struct eb_digest said, is;

	if (take_digest(root, "lock-hash", &said, name, err) < 0)
		return -1;
	eb_lock_hash(lock, &is);
	if (eb_digest_equal(&said, &is))
		return 0;
	eb_err_set(err, EB_INPUT, "lock \"%s\" was changed after it was made",
		   name);
	return eb_err_hint(err, "renew it with --update-lock");
}

int eb_lock_parse(const char *text, size_t len, const char *name,
		  struct eb_lock **out, struct eb_error *err)
{
	eb_autojson json_t *root = eb_json_parse(text, len, name, err);
	EB_CLEANUP(eb_lock_free_ptr) struct eb_lock *lock = NULL;
	const json_t *comments;
	json_int_t format;

	if (!root)
		return -1;
	format = eb_json_int(root, EB_LOCK_MAGIC, 0);
	if (format > EB_LOCK_FORMAT)
		return eb_err_set(err, EB_MACHINE,
				  "lock \"%s\" has format %lld, this envbuild "
				  "reads up to %d: a newer version can",
				  name, (long long)format, EB_LOCK_FORMAT);
	if (format < 1)
		return eb_err_set(err, EB_INPUT, "\"%s\" is not a lock", name);
	lock = eb_calloc(1, sizeof *lock);
	comments = eb_json_obj(root, "commentary");
	if (take_locked(lock, eb_json_obj(root, "locked"),
			comments ? eb_json_obj(comments, "sources") : NULL,
			name, err) < 0 ||
	    take_commentary(lock, comments, name, err) < 0 ||
	    check_hash(lock, root, name, err) < 0)
		return -1;
	*out = eb_steal(lock);
	return 0;
}

bool eb_lock_is(const char *text, size_t len)
{
	static const char first[] = "\"commentary\"";
	size_t i = 0;

	/* Keys are sorted, so the first of ours is known. */
	while (i < len && strchr("{ \t\r\n", text[i]))
		i++;
	return len > i && text[0] == '{' && len - i >= sizeof first - 1 &&
	       !memcmp(text + i, first, sizeof first - 1);
}

void eb_lock_step_release(struct eb_lock_step *s)
{
	free(s->name);
	free(s->log);
	eb_strv_release(&s->package);
	memset(s, 0, sizeof *s);
}

void eb_lock_free(struct eb_lock *lock)
{
	if (!lock)
		return;
	for (size_t i = 0; i < lock->n; i++)
		eb_record_release(&lock->package[i].record);
	for (size_t i = 0; i < lock->n_pins; i++)
		eb_pin_release(&lock->pin[i]);
	for (size_t i = 0; i < lock->n_steps; i++)
		eb_lock_step_release(&lock->step[i]);
	free(lock->package);
	free(lock->pin);
	eb_pip_files_release(&lock->included);
	free(lock->step);
	free(lock->resolver);
	eb_strv_release(&lock->apt);
	free(lock->apt_date);
	eb_locked_dockerfile_release(&lock->dockerfile);
	eb_strv_release(&lock->replaced);
	free(lock->platform);
	free(lock->prefix);
	free(lock->pyc);
	free(lock->post_link);
	free(lock->activation);
	free(lock->naming);
	free(lock->tool);
	free(lock->base_reference);
	free(lock->build_base_reference);
	json_decref(lock->config);
	json_decref(lock->variables);
	json_decref(lock->evidence);
	json_decref(lock->decision);
	json_decref(lock->solved);
	free(lock);
}

int64_t eb_lock_created(const struct eb_lock *lock)
{
	int64_t newest = 0;

	if (lock->source_date_epoch)
		return lock->source_date_epoch;
	for (size_t i = 0; i < lock->n; i++)
		if (lock->package[i].record.timestamp / 1000 > newest)
			newest = lock->package[i].record.timestamp / 1000;
	return newest ? newest : EB_FIXED_MTIME;
}
