/* SPDX-License-Identifier: Apache-2.0 */
/* The options: one table of names, kinds and places in struct eb_config. */
#include <errno.h>
#include <limits.h>
#include <stddef.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>

#include <envbuild/buf.h>
#include <envbuild/channel.h>
#include <envbuild/config.h>
#include <envbuild/matchspec.h>
#include <envbuild/mem.h>
#include <envbuild/part.h>
#include <envbuild/reference.h>

#include "options.h"

#define MAX_WAIT_S 3600u
#define MAX_PIP_S 86400u /* of one call of the resolver */

/* Text comes first: those kinds are freed as it is. */
enum kind {
	TEXT,
	DATE,
	COMPRESSION,
	NORMAL, /* by eb_option_normal() */
	REPOSITORY,
	LIST,
	VARIABLES,
	ASSIGNMENTS,
	PINS,
	FLAG,
	COUNT,
	AGE,
	WAIT,
	LIMIT,
	EPOCH,
};
#define IS_TEXT(kind) ((kind) <= REPOSITORY)
#define IS_LIST(kind) ((kind) >= LIST && (kind) <= PINS)

struct option {
	const char *name;
	enum kind kind;
	size_t place;
	const char *choices; /* "a|b", or NULL */
};

#define PLACE(member) offsetof(struct eb_config, member)

static const struct option options[] = {
	{ "base", TEXT, PLACE(base), NULL },
	{ "dockerfile", TEXT, PLACE(dockerfile), NULL },
	{ "dockerfile-text", TEXT, PLACE(dockerfile_text), NULL },
	{ "context", TEXT, PLACE(context), NULL },
	{ "build-arg", ASSIGNMENTS, PLACE(build_arg), NULL },
	{ "build-base", TEXT, PLACE(build_base), NULL },
	{ "base-family", TEXT, PLACE(base_family),
	  "nvidia|azureml|debian|ubuntu" },
	{ "gpu", FLAG, PLACE(gpu), NULL },
	{ "cpu", FLAG, PLACE(cpu), NULL },
	{ "cuda", NORMAL, PLACE(cuda), NULL },
	{ "driver", NORMAL, PLACE(driver), NULL },
	{ "gpu-arch", NORMAL, PLACE(gpu_arch), NULL },
	{ "arch", NORMAL, PLACE(arch), NULL },
	{ "allow-cpu", FLAG, PLACE(allow_cpu), NULL },
	{ "experimental-cuda", FLAG, PLACE(experimental_cuda), NULL },
	{ "platform", TEXT, PLACE(platform), "linux/amd64|linux/arm64" },
	{ "channel", LIST, PLACE(channel), NULL },
	{ "channel-alias", TEXT, PLACE(channel_alias), NULL },
	{ "channel-priority", TEXT, PLACE(channel_priority),
	  "strict|flexible|disabled" },
	{ "pin", PINS, PLACE(pin), NULL },
	{ "cache-dir", TEXT, PLACE(cache_dir), NULL },
	{ "ca-file", TEXT, PLACE(ca_file), NULL },
	{ "pyc", TEXT, PLACE(pyc), "compile|none" },
	{ "post-link", TEXT, PLACE(post_link), "run|skip|error" },
	{ "activation", TEXT, PLACE(activation), "env|entrypoint|none" },
	{ "naming", TEXT, PLACE(naming), "envbuild|azureml" },
	{ "compression", COMPRESSION, PLACE(compression), NULL },
	{ "pip-replace", TEXT, PLACE(pip_replace), "never|needed" },
	{ "no-build-isolation", LIST, PLACE(no_build_isolation), NULL },
	{ "apt", LIST, PLACE(apt), NULL },
	{ "conda-package", LIST, PLACE(conda_package), NULL },
	{ "pip-package", LIST, PLACE(pip_package), NULL },
	{ "python", LIST, PLACE(python), NULL },
	{ "environment", TEXT, PLACE(environment), NULL },
	{ "category", LIST, PLACE(category), NULL },
	{ "from-prefix", TEXT, PLACE(from_prefix), NULL },
	{ "build-env", VARIABLES, PLACE(build_env), NULL },
	{ "as-of", DATE, PLACE(as_of), NULL },
	{ "lock", TEXT, PLACE(lock), NULL },
	{ "output", LIST, PLACE(output), NULL },
	{ "reference-file", TEXT, PLACE(reference_file), NULL },
	{ "registry", REPOSITORY, PLACE(registry), NULL },
	{ "tag", LIST, PLACE(tag), NULL },
	{ "username", TEXT, PLACE(username), NULL },
	{ "timeout", WAIT, PLACE(timeout_ms), NULL },
	{ "progress", TEXT, PLACE(progress), "auto|plain|json|none" },
	{ "jobs", COUNT, PLACE(jobs), NULL },
	{ "max-age", AGE, PLACE(max_age), NULL },
	{ "limit", LIMIT, PLACE(limit), NULL },
	{ "source-date-epoch", EPOCH, PLACE(source_date_epoch), NULL },
	{ "update-lock", FLAG, PLACE(update_lock), NULL },
	{ "refresh", FLAG, PLACE(refresh), NULL },
	{ "offline", FLAG, PLACE(offline), NULL },
	{ "local", FLAG, PLACE(local), NULL },
	{ "no-push", FLAG, PLACE(no_push), NULL },
	{ "plain-http", FLAG, PLACE(plain_http), NULL },
	{ "password-stdin", FLAG, PLACE(password_stdin), NULL },
	{ "shared", FLAG, PLACE(shared), NULL },
	{ "json", FLAG, PLACE(json), NULL },
	{ "quiet", FLAG, PLACE(quiet), NULL },
	{ "verbose", FLAG, PLACE(verbose), NULL },
};

const char *const eb_limit_names[EB_LIMITS] = {
	"build-time",	 "build-memory",    "build-processes",
	"build-disk",	 "package-members", "member-size",
	"metadata-size", "yaml-size",	    "pip-time",
};

static const uint64_t limit_defaults[EB_LIMITS] = {
	1800,	     8ULL << 30, 1024,	      20ULL << 30, 1000000,
	16ULL << 30, 16 << 20,	 EB_MAX_YAML, 600,
};

static const struct option *find(const char *name)
{
	for (size_t i = 0; i < sizeof options / sizeof *options; i++)
		if (!strcmp(options[i].name, name))
			return &options[i];
	return NULL;
}

int eb_config_option(const char *name)
{
	const struct option *o = find(name);

	return !o ? 0 : o->kind == FLAG ? 1 : 2;
}

int eb_config_amount(const char *text, uint64_t *value)
{
	static const struct {
		const char *unit;
		uint64_t factor;
	} units[] = {
		{ "", 1 },	    { "s", 1 },		  { "m", 60 },
		{ "h", 3600 },	    { "d", 86400 },	  { "K", 1 << 10 },
		{ "KiB", 1 << 10 }, { "M", 1 << 20 },	  { "MiB", 1 << 20 },
		{ "G", 1 << 30 },   { "GiB", 1 << 30 },	  { "kB", 1000 },
		{ "MB", 1000000 },  { "GB", 1000000000 },
	};
	size_t digits = strspn(text, "0123456789");
	eb_autofree char *number = eb_strndup(text, digits);
	uint64_t n;

	if (!digits || eb_parse_u64(number, UINT64_MAX, &n) < 0)
		return -1;
	for (size_t i = 0; i < sizeof units / sizeof *units; i++)
		if (!strcmp(text + digits, units[i].unit))
			return __builtin_mul_overflow(n, units[i].factor, value)
				       ? -1
				       : 0;
	return -1;
}

static bool among(const char *choices, const char *value)
{
	size_t n = strlen(value);

	if (strchr(value, '|'))
		return false;
	for (const char *p = choices; p; p = strchr(p, '|')) {
		p += *p == '|';
		if (!strncmp(p, value, n) && (!p[n] || p[n] == '|'))
			return true;
	}
	return false;
}

bool eb_option_allows(const char *name, const char *value)
{
	return among(find(name)->choices, value);
}

static int set_text(char **place, const struct option *o, const char *value,
		    struct eb_error *err)
{
	if (!*value)
		return eb_err_set(err, EB_USAGE, "option \"%s\" needs a value",
				  o->name);
	if (o->choices && !among(o->choices, value)) {
		eb_err_set(err, EB_USAGE, "option \"%s\" cannot be \"%s\"",
			   o->name, value);
		return eb_err_hint(err, "one of: %s", o->choices);
	}
	free(*place);
	*place = eb_strdup(value);
	return 0;
}

int eb_date_parse(const char *text, int64_t *ms)
{
	struct tm tm = { 0 };
	const char *end = strptime(text, "%Y-%m-%d", &tm);

	if (end && *end == 'T')
		end = strptime(end, "T%H:%M:%SZ", &tm);
	*ms = (int64_t)timegm(&tm) * 1000;
	return end && !*end ? 0 : -1;
}

/* One text for one instant, for it is hashed. */
static int set_date(char **place, const struct option *o, const char *value,
		    struct eb_error *err)
{
	char text[32];
	int64_t ms;

	if (eb_date_parse(value, &ms) == 0)
		return set_text(place, o, eb_rfc3339(ms / 1000, text), err);
	eb_err_set(err, EB_USAGE, "option \"%s\" cannot be \"%s\"", o->name,
		   value);
	return eb_err_hint(err, "write 2026-11-21 or 2026-11-21T12:00:00Z");
}

static int set_compression(char **place, const struct option *o,
			   const char *value, struct eb_error *err)
{
	struct eb_compressor c;

	/* The usual kind is known: its check costs some time. */
	if (strcmp(value, "gzip") && eb_compressor_init(&c, value, err) < 0)
		return eb_err_prefix(err, "option \"%s\"", o->name);
	return set_text(place, o, value, err);
}

static int set_normal(char **place, const struct option *o, const char *value,
		      struct eb_error *err)
{
	const char *form;
	eb_autofree char *text = eb_option_normal(o->name, value, &form);

	if (text)
		return set_text(place, o, text, err);
	eb_err_set(err, EB_USAGE, "option \"%s\" cannot be \"%s\"", o->name,
		   value);
	return eb_err_hint(err, "write %s", form);
}

/* HOST/PREFIX and nothing behind it. */
static int set_repository(char **place, const struct option *o,
			  const char *value, struct eb_error *err)
{
	EB_CLEANUP(eb_reference_release) struct eb_reference r = { 0 };

	if (eb_reference_parse(value, &r, err) < 0)
		return eb_err_prefix(err, "option \"%s\"", o->name);
	if (r.kind == EB_REF_REGISTRY && !r.tag && !r.has_digest)
		return set_text(place, o, value, err);
	eb_err_set(err, EB_USAGE, "option \"%s\" cannot be \"%s\"", o->name,
		   value);
	return eb_err_hint(err, "write HOST/PREFIX, without tag or digest");
}

/* [PROJECT:]NAME=VALUE */
static int add_variable(struct eb_strv *place, const struct option *o,
			const char *value, struct eb_error *err)
{
	size_t project = strcspn(value, ":=");
	const char *name = value[project] == ':' ? value + project + 1 : value;

	if (strchr(name, '=') > name && *value != ':') {
		eb_strv_add(place, value);
		return 0;
	}
	eb_err_set(err, EB_USAGE, "option \"%s\" cannot be \"%s\"", o->name,
		   value);
	return eb_err_hint(err, "write NAME=VALUE or PROJECT:NAME=VALUE");
}

/* NAME=VALUE */
static int add_assignment(struct eb_strv *place, const struct option *o,
			  const char *value, struct eb_error *err)
{
	if (strchr(value, '=') > value) {
		eb_strv_add(place, value);
		return 0;
	}
	eb_err_set(err, EB_USAGE, "option \"%s\" cannot be \"%s\"", o->name,
		   value);
	return eb_err_hint(err, "write NAME=VALUE");
}

/* A spec of one name. */
static int add_pin(struct eb_strv *place, const struct option *o,
		   const char *value, struct eb_error *err)
{
	EB_CLEANUP(eb_matchspec_free_ptr)
	struct eb_matchspec *m = eb_matchspec_parse(value, EB_STRICT, err);

	if (m && eb_matchspec_name(m)) {
		eb_strv_add(place, value);
		return 0;
	}
	if (m)
		eb_err_set(err, EB_USAGE, "\"%s\" names no package", value);
	err->code = EB_USAGE;
	return eb_err_prefix(err, "option \"%s\"", o->name);
}

static int set_flag(bool *place, const struct option *o, const char *value,
		    struct eb_error *err)
{
	if (value && strcmp(value, "true") && strcmp(value, "false"))
		return eb_err_set(err, EB_USAGE,
				  "option \"%s\" cannot be \"%s\": it is "
				  "true or false",
				  o->name, value);
	*place = !value || !strcmp(value, "true");
	return 0;
}

/* Nothing of 1970-01-01T00:00:00: 0 stands for "not set" in a lock. */
static int set_epoch(int64_t *place, const struct option *o, const char *value,
		     struct eb_error *err)
{
	uint64_t n;

	if (eb_parse_u64(value, INT64_MAX / 1000, &n) < 0 || n == 0) {
		eb_err_set(err, EB_USAGE, "option \"%s\" cannot be \"%s\"",
			   o->name, value);
		return eb_err_hint(err, "write seconds since 1970, at least 1");
	}
	*place = (int64_t)n;
	return 0;
}

static int set_amount(int64_t *place, const struct option *o, const char *value,
		      const char *form, struct eb_error *err)
{
	uint64_t n;

	if (eb_config_amount(value, &n) < 0 || n > INT64_MAX) {
		eb_err_set(err, EB_USAGE, "option \"%s\" cannot be \"%s\"",
			   o->name, value);
		return eb_err_hint(err, "write %s", form);
	}
	*place = (int64_t)n;
	return 0;
}

/* What a limit cannot be raised above. */
static uint64_t limit_most(int i)
{
	return i == EB_LIMIT_YAML_SIZE	? EB_MAX_YAML
	       : i == EB_LIMIT_PIP_TIME ? MAX_PIP_S
					: INT64_MAX;
}

/* "5", "5s", "2m" or "500ms" */
static int set_wait(unsigned *place, const struct option *o, const char *value,
		    struct eb_error *err)
{
	size_t digits = strspn(value, "0123456789");
	bool ms = digits && !strcmp(value + digits, "ms");
	eb_autofree char *number = eb_strndup(value, digits);
	uint64_t n = 0;
	int rc = ms ? eb_parse_u64(number, UINT32_MAX, &n)
		    : eb_config_amount(value, &n);

	if (rc == 0 && !ms && n <= MAX_WAIT_S)
		n *= 1000;
	if (rc < 0 || !n || n > MAX_WAIT_S * 1000) {
		eb_err_set(err, EB_USAGE, "option \"%s\" cannot be \"%s\"",
			   o->name, value);
		return eb_err_hint(err, "write a time as 500ms, 5s or 2m, at "
					"most an hour");
	}
	*place = (unsigned)n;
	return 0;
}

static int set_amount_of(struct eb_config *c, int i, const char *value,
			 struct eb_error *err)
{
	uint64_t n;

	if (eb_config_amount(value, &n) < 0 || !n) {
		eb_err_set(err, EB_USAGE, "limit \"%s\" cannot be \"%s\"",
			   eb_limit_names[i], value);
		return eb_err_hint(err, "write a number with s, m, h, d, KiB, "
					"MiB or GiB behind it, or alone");
	}
	if (n > limit_most(i))
		return eb_err_set(
			err, EB_USAGE, "limit \"%s\" cannot be above %llu",
			eb_limit_names[i], (unsigned long long)limit_most(i));
	c->limit[i] = n;
	return 0;
}

/* NAME=VALUE */
static int set_limit(struct eb_config *c, const char *value,
		     struct eb_error *err)
{
	const char *eq = strchr(value, '=');
	size_t n = eq ? (size_t)(eq - value) : 0;

	for (int i = 0; eq && i < EB_LIMITS; i++)
		if (strlen(eb_limit_names[i]) == n &&
		    !strncmp(eb_limit_names[i], value, n))
			return set_amount_of(c, i, eq + 1, err);
	eb_err_set(err, EB_USAGE, "there is no limit \"%s\"", value);
	return eb_err_hint(err, "`envbuild doctor` lists the limits; write "
				"--limit NAME=VALUE");
}

static int set_count(unsigned *place, const struct option *o, const char *value,
		     struct eb_error *err)
{
	uint64_t n;

	if (eb_parse_u64(value, 1024, &n) < 0)
		return eb_err_set(err, EB_USAGE,
				  "option \"%s\" cannot be \"%s\": it is a "
				  "number up to 1024",
				  o->name, value);
	*place = (unsigned)n;
	return 0;
}

int eb_config_set(struct eb_config *c, const char *name, const char *value,
		  struct eb_error *err)
{
	const struct option *o = find(name);
	void *place = o ? (char *)c + o->place : NULL;

	if (!o) {
		eb_err_set(err, EB_USAGE, "there is no option \"%s\"", name);
		return eb_err_hint(err, "envbuild help lists the options");
	}
	if (o->kind != FLAG && !value)
		return eb_err_set(err, EB_USAGE, "option \"%s\" needs a value",
				  name);
	switch (o->kind) {
	case TEXT: return set_text(place, o, value, err);
	case REPOSITORY: return set_repository(place, o, value, err);
	case LIST: eb_strv_add(place, value); return 0;
	case VARIABLES: return add_variable(place, o, value, err);
	case ASSIGNMENTS: return add_assignment(place, o, value, err);
	case PINS: return add_pin(place, o, value, err);
	case DATE: return set_date(place, o, value, err);
	case COMPRESSION: return set_compression(place, o, value, err);
	case NORMAL: return set_normal(place, o, value, err);
	case FLAG: return set_flag(place, o, value, err);
	case COUNT: return set_count(place, o, value, err);
	case AGE:
		return set_amount(place, o, value, "a time as 90s, 12h or 7d",
				  err);
	case WAIT: return set_wait(place, o, value, err);
	case EPOCH: return set_epoch(place, o, value, err);
	case LIMIT: return set_limit(c, value, err);
	}
	return 0;
}

/* ---- the command line's, and what a definition keeps -------------------- */

/* Channels of the command line come before those of a file, those of a
 * configuration instead of them. */
static void *place_of(struct eb_config *c, const struct option *o)
{
	return !strcmp(o->name, "channel") ? (void *)&c->channel_first
					   : (char *)c + o->place;
}

int eb_config_give(struct eb_config *c, const char *name, const char *value,
		   struct eb_error *err)
{
	if (strcmp(name, "channel") != 0) {
		if (eb_config_set(c, name, value, err) < 0)
			return -1;
	} else {
		eb_strv_add(&c->channel_first, value);
	}
	if (!eb_strv_has(&c->given, name))
		eb_strv_add(&c->given, name);
	return 0;
}

void eb_config_values(const struct eb_config *c, const char *name,
		      struct eb_strv *out)
{
	const struct option *o = find(name);
	const void *place = o ? place_of((struct eb_config *)c, o) : NULL;

	if (!o)
		return;
	if (IS_LIST(o->kind))
		for (size_t i = 0; i < ((const struct eb_strv *)place)->n; i++)
			eb_strv_add(out, ((const struct eb_strv *)place)->v[i]);
	else if (IS_TEXT(o->kind) && *(char *const *)place)
		eb_strv_add(out, *(char *const *)place);
	else if (o->kind == FLAG && *(const bool *)place)
		eb_strv_add(out, "true");
	else if (o->kind == EPOCH && *(const int64_t *)place)
		eb_strv_addf(out, "%lld", (long long)*(const int64_t *)place);
}

void eb_config_reset(struct eb_config *c, const char *name)
{
	struct eb_config usual EB_CLEANUP(eb_config_release) = { 0 };
	const struct option *o = find(name);
	void *place = o ? place_of(c, o) : NULL;

	if (!o)
		return;
	eb_config_defaults(&usual);
	if (IS_LIST(o->kind)) {
		eb_strv_release(place);
	} else if (IS_TEXT(o->kind)) {
		free(*(char **)place);
		*(char **)place = eb_strdup(*(char **)place_of(&usual, o));
	} else if (o->kind == FLAG) {
		*(bool *)place = false;
	} else if (o->kind == EPOCH) {
		*(int64_t *)place = 0;
	}
}

static void copy_list(struct eb_strv *place)
{
	const struct eb_strv from = *place;

	*place = (struct eb_strv){ 0 };
	eb_strv_copy(place, &from);
}

void eb_config_copy(const struct eb_config *from, struct eb_config *to)
{
	*to = *from;
	for (size_t i = 0; i < sizeof options / sizeof *options; i++) {
		void *place = (char *)to + options[i].place;

		if (IS_TEXT(options[i].kind))
			*(char **)place = eb_strdup(*(char **)place);
		else if (IS_LIST(options[i].kind))
			copy_list(place);
	}
	copy_list(&to->channel_first);
	copy_list(&to->given);
	copy_list(&to->policy.channels.prefix);
	copy_list(&to->policy.indexes.prefix);
	copy_list(&to->policy.bases.prefix);
	copy_list(&to->policy.registries.prefix);
	to->password = eb_strdup(from->password);
	eb_condarc_ref(to->condarc);
}

/* The machine's own platform, as OCI spells it. */
const char *eb_machine_platform(void)
{
	struct utsname u;

	if (uname(&u) == 0 && !strcmp(u.machine, "aarch64"))
		return "linux/arm64";
	return "linux/amd64";
}

void eb_config_defaults(struct eb_config *c)
{
	*c = (struct eb_config){
		.platform = eb_strdup(eb_machine_platform()),
		.channel_alias = eb_strdup(EB_CHANNEL_ALIAS),
		.channel_priority = eb_strdup("strict"),
		.pyc = eb_strdup("compile"),
		.post_link = eb_strdup("run"),
		.activation = eb_strdup("env"),
		.naming = eb_strdup("envbuild"),
		.pip_replace = eb_strdup("needed"),
		.compression = eb_strdup("gzip"),
		.progress = eb_strdup("auto"),
		.max_age = -1,
	};
	memcpy(c->limit, limit_defaults, sizeof limit_defaults);
}

void eb_config_release(struct eb_config *c)
{
	for (size_t i = 0; i < sizeof options / sizeof *options; i++) {
		void *place = (char *)c + options[i].place;

		if (IS_TEXT(options[i].kind))
			free(*(char **)place);
		else if (IS_LIST(options[i].kind))
			eb_strv_release(place);
	}
	if (c->password)
		explicit_bzero(c->password, strlen(c->password));
	free(c->password);
	eb_condarc_unref(c->condarc);
	eb_strv_release(&c->channel_first);
	eb_strv_release(&c->given);
	eb_strv_release(&c->policy.channels.prefix);
	eb_strv_release(&c->policy.indexes.prefix);
	eb_strv_release(&c->policy.bases.prefix);
	eb_strv_release(&c->policy.registries.prefix);
	*c = (struct eb_config){ 0 };
}
