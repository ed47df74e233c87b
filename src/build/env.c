/* SPDX-License-Identifier: Apache-2.0 */
/* What is asked for: the input read, its channels and base named, hashed. */
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <envbuild/base.h>
#include <envbuild/build.h>
#include <envbuild/file.h>

#include "build_private.h"
#include "conda_settings.h"
#include "dockerfile_base.h"
#include "env_azure.h"
#include "env_named.h"
#include "env_options.h"

static int take_lock(struct eb_env *env, const char *text, size_t len,
		     struct eb_error *err)
{
	if (eb_lock_parse(text, len, env->path, &env->given, err) < 0)
		return -1;
	env->definition = env->given->definition;
	return 0;
}

static int check_size(const char *name, const struct eb_config *config,
		      uint64_t size, struct eb_error *err)
{
	uint64_t limit = config->limit[EB_LIMIT_YAML_SIZE];

	if (size <= limit)
		return 0;
	eb_err_set(err, EB_INPUT,
		   "\"%s\" has %llu bytes, the limit yaml-size is %llu", name,
		   (unsigned long long)size, (unsigned long long)limit);
	return eb_err_hint(err, "%s",
			   limit < EB_MAX_YAML
				   ? "--limit yaml-size=BYTES lifts it"
				   : "no definition needs more: is it "
				     "the right file?");
}

/* What can be read only once: a lock or a definition. */
static int read_once(struct eb_env *env, int fd, const char *name,
		     const struct eb_config *config, struct eb_events *events,
		     struct eb_error *err)
{
	const struct eb_spec_part part = eb_config_part(config);
	EB_AUTOBUF(text, EB_MAX_LOCK);

	if (eb_read_fd(fd, name, EB_MAX_LOCK, &text, err) < 0)
		return -1;
	if (eb_lock_is(text.data, text.len))
		return take_lock(env, text.data, text.len, err);
	if (check_size(name, config, text.len, err) < 0)
		return -1;
	return eb_spec_parse_part(text.data, text.len, env->path,
				  config->platform, &part, events, &env->spec,
				  err);
}

static bool fd_is_lock(int fd)
{
	char first[64];
	ssize_t n = pread(fd, first, sizeof first, 0);

	return n > 0 && eb_lock_is(first, (size_t)n);
}

/* Definitions of any size are left to the reader with its own limit. */
static int read_input(struct eb_env *env, struct eb_config *config,
		      struct eb_events *events, struct eb_error *err)
{
	eb_autofd int fd = -1;
	struct eb_spec_part part;
	struct stat st = { 0 };

	if (!strcmp(env->path, "-"))
		return read_once(env, STDIN_FILENO, "standard input", config,
				 events, err);
	fd = open(env->path, O_RDONLY | O_CLOEXEC);
	if (fd >= 0 && fstat(fd, &st) == 0 && !S_ISDIR(st.st_mode) &&
	    (!S_ISREG(st.st_mode) || fd_is_lock(fd)))
		return read_once(env, fd, env->path, config, events, err);
	if (fd >= 0 && S_ISREG(st.st_mode) &&
	    check_size(env->path, config, (uint64_t)st.st_size, err) < 0)
		return -1;
	if (eb_env_is_azure(env->path))
		return eb_env_open_azure(env, config, events, err);
	part = eb_config_part(config);
	return eb_spec_read_part(env->path, config->platform, &part, events,
				 &env->spec, err);
}

static int add_channels(struct eb_channels *out, const struct eb_strv *names,
			const struct eb_channel_rules *rules,
			struct eb_error *err)
{
	for (size_t i = 0; i < names->n; i++)
		if (eb_channels_add_by(out, names->v[i], rules, err) < 0)
			return -1;
	return 0;
}

/* Those of the command line, then the file's; a file without any gets the
 * configured ones, which may be conda's, else conda-forge. */
int eb_effective_channels(const struct eb_spec *spec,
			  const struct eb_config *config,
			  struct eb_channels *out, struct eb_error *err)
{
	const struct eb_channel_rules rules = eb_config_rules(config);

	if (eb_condarc_check(config, err) < 0 ||
	    add_channels(out, &config->channel_first, &rules, err) < 0 ||
	    add_channels(out, &spec->channels, &rules, err) < 0)
		return -1;
	if (!out->n && add_channels(out, &config->channel, &rules, err) < 0)
		return -1;
	if (!out->n && eb_channels_add_by(out, "conda-forge", &rules, err) < 0)
		return -1;
	for (size_t i = 0; i < out->n; i++)
		if (eb_condarc_check_channel(
			    config, out, out->channel[i].canonical, err) < 0)
			return -1;
	return 0;
}

static void add_option(struct eb_strv *options, const char *name,
		       const char *value, const char *usual)
{
	if (value && (!usual || strcmp(value, usual)))
		eb_strv_addf(options, "%s=%s", name, value);
}

/* What the machine that will run the image is said to have; set but empty
 * counts too. */
static void request_overrides(struct eb_request *r)
{
	static const char *const names[] = { "ARCHSPEC", "CUDA", "CUDA_ARCH",
					     "GLIBC", "LINUX" };

	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		eb_autofree char *variable =
			eb_asprintf("CONDA_OVERRIDE_%s", names[i]);

		add_option(&r->options, variable, getenv(variable), NULL);
	}
}

static void request_lists(struct eb_request *r, const struct eb_config *c)
{
	for (size_t i = 0; i < c->no_build_isolation.n; i++)
		add_option(&r->options, "no-build-isolation",
			   c->no_build_isolation.v[i], NULL);
	for (size_t i = 0; i < c->build_env.n; i++)
		add_option(&r->options, "build-env", c->build_env.v[i], NULL);
}

/* What base, CUDA and solution are decided by. */
static void request_gpu(struct eb_request *r, const struct eb_config *c)
{
	add_option(&r->options, "allow-cpu", c->allow_cpu ? "true" : NULL,
		   NULL);
	add_option(&r->options, "base-family", c->base_family, NULL);
	add_option(&r->options, "cpu", c->cpu ? "true" : NULL, NULL);
	add_option(&r->options, "cuda", c->cuda, NULL);
	add_option(&r->options, "driver", c->driver, NULL);
	add_option(&r->options, "experimental-cuda",
		   c->experimental_cuda ? "true" : NULL, NULL);
	add_option(&r->options, "gpu", c->gpu ? "true" : NULL, NULL);
	add_option(&r->options, "gpu-arch", c->gpu_arch, NULL);
}

/* One text of what a pin means. What the option took can be read. */
static void request_pins(struct eb_request *r, const struct eb_config *c)
{
	for (size_t i = 0; i < c->pin.n; i++) {
		struct eb_error err = EB_ERROR_INIT;
		EB_CLEANUP(eb_matchspec_free_ptr)
		struct eb_matchspec *m =
			eb_matchspec_parse(c->pin.v[i], EB_STRICT, &err);

		add_option(&r->options, "pin",
			   m ? eb_matchspec_normal(m) : c->pin.v[i], NULL);
		eb_err_release(&err);
	}
}

/* Every option that changes the lock or the manifest, off its default. */
static void request_options(struct eb_request *r, const struct eb_config *c)
{
	add_option(&r->options, "pyc", c->pyc, "compile");
	add_option(&r->options, "post-link", c->post_link, "run");
	add_option(&r->options, "activation", c->activation, "env");
	add_option(&r->options, "naming", c->naming, "envbuild");
	add_option(&r->options, "compression", c->compression, "gzip");
	add_option(&r->options, "pip-replace", c->pip_replace, "needed");
	add_option(&r->options, "as-of", c->as_of, NULL);
	request_gpu(r, c);
	add_option(&r->options, "arch", c->arch, NULL);
	request_lists(r, c);
	request_pins(r, c);
	request_overrides(r);
	add_option(&r->options, "channel-priority", c->channel_priority,
		   "strict");
	if (c->source_date_epoch)
		eb_strv_addf(&r->options, "source-date-epoch=%lld",
			     (long long)c->source_date_epoch);
}

static char *name_base(const char *reference, const struct eb_config *config,
		       struct eb_store *store, struct eb_error *err)
{
	if (eb_policy_check(&config->policy.bases, "bases", reference, err) < 0)
		return NULL;
	return eb_base_name(reference, config->platform, store, err);
}

static int request_base(struct eb_request *r, const struct eb_config *config,
			struct eb_store *store, struct eb_error *err)
{
	if (eb_config_has_recipe(config))
		r->base = eb_recipe_name(config, store, err);
	else if (config->base)
		r->base = name_base(config->base, config, store, err);
	else
		return 0;
	return r->base ? 0 : -1;
}

static int request_bases(struct eb_env *env, const struct eb_config *config,
			 struct eb_store *store, struct eb_error *err)
{
	struct eb_request *r = &env->request;
	eb_autofree char *build = NULL;

	if (request_base(r, config, store, err) < 0)
		return -1;
	/* Without a pip section nothing is built. */
	if (!config->build_base || (!env->spec->n_pip && !env->spec->pylock))
		return 0;
	build = name_base(config->build_base, config, store, err);
	if (!build)
		return eb_err_prefix(err, "--build-base");
	add_option(&r->options, "build-base", build, NULL);
	return 0;
}

static int request_apt(struct eb_env *env, const struct eb_config *config,
		       struct eb_error *err)
{
	if (eb_apt_read(&config->apt, &env->apt, err) < 0)
		return -1;
	for (size_t i = 0; i < env->apt.n; i++)
		add_option(&env->request.options, "apt", env->apt.v[i], NULL);
	return 0;
}

int eb_env_request(struct eb_env *env, const struct eb_config *config,
		   struct eb_store *store, struct eb_error *err)
{
	struct eb_request *r = &env->request;

	r->spec = env->spec;
	r->platform = config->platform;
	r->rules = eb_config_rules(config);
	r->prefix = EB_PREFIX;
	if (eb_option_gpu_check(config, err) < 0 ||
	    eb_option_arch_check(config, err) < 0 ||
	    eb_effective_channels(env->spec, config, &r->channels, err) < 0)
		return -1;
	request_options(r, config);
	if (request_apt(env, config, err) < 0 ||
	    request_bases(env, config, store, err) < 0)
		return -1;
	return eb_definition_hash(r, &env->definition, err);
}

static int for_another(const struct eb_env *env, const char *file,
		       struct eb_error *err)
{
	char was[EB_HEX_SIZE], is[EB_HEX_SIZE];

	eb_err_set(err, EB_INPUT,
		   "lock \"%s\" was made for another definition (%.12s) than "
		   "\"%s\" (%.12s)",
		   file, eb_digest_hex(&env->given->definition, was), env->path,
		   eb_digest_hex(&env->definition, is));
	return eb_err_hint(err, "renew it with --update-lock, or give the "
				"options that it was made with");
}

/* With --update-lock the file is to be written, whatever is in it. */
static int given_lock(struct eb_env *env, const struct eb_config *config,
		      struct eb_error *err)
{
	EB_AUTOBUF(text, EB_MAX_LOCK);

	if (!config->lock || config->update_lock)
		return 0;
	if (eb_read_file(config->lock, EB_MAX_LOCK, &text, err) < 0 ||
	    eb_lock_parse(text.data, text.len, config->lock, &env->given, err) <
		    0)
		return -1;
	if (eb_digest_equal(&env->given->definition, &env->definition))
		return 0;
	return for_another(env, config->lock, err);
}

/* A path, a name, or what the options say. */
static int open_input(struct eb_env *env, struct eb_config *config,
		      struct eb_events *events, struct eb_error *err)
{
	if (!*env->path)
		return eb_env_open_options(env, config, err);
	return eb_env_is_path(env->path)
		       ? read_input(env, config, events, err)
		       : eb_env_open_named(env, config, events, err);
}

/* A Dockerfile is a base that the user names, wherever that counts. */
static int check_recipe(struct eb_config *config, struct eb_error *err)
{
	eb_autofree char *reference = NULL;

	if (!eb_config_has_recipe(config)) {
		if (!config->context && !config->build_arg.n)
			return 0;
		eb_err_set(err, EB_USAGE,
			   "option \"%s\" without \"dockerfile\"",
			   config->context ? "context" : "build-arg");
		return eb_err_hint(err, "--dockerfile FILE names it");
	}
	reference = eb_recipe_reference(config);
	if (config->base && strcmp(config->base, reference)) {
		eb_err_set(err, EB_USAGE,
			   "option \"base\" beside \"dockerfile\", which makes "
			   "one");
		return eb_err_hint(err, "leave one of them away");
	}
	free(config->base);
	config->base = eb_steal(reference);
	return 0;
}

int eb_env_open(const char *input, struct eb_config *config,
		struct eb_store *store, struct eb_events *events,
		struct eb_env **out, struct eb_error *err)
{
	EB_CLEANUP(eb_env_free_ptr)
	struct eb_env *env = eb_calloc(1, sizeof *env);

	env->path = eb_strdup(input);
	env->handover = eb_calloc(1, sizeof *env->handover);
	if (eb_env_one_input(input, config, err) < 0 ||
	    open_input(env, config, events, err) < 0 ||
	    eb_env_add_packages(env, config, events, err) < 0)
		return -1;
	if (check_recipe(config, err) < 0)
		return -1;
	if (env->spec && (eb_env_request(env, config, store, err) < 0 ||
			  given_lock(env, config, err) < 0))
		return -1;
	if (env->given && eb_policy_lock(config, env->given, err) < 0)
		return -1;
	*out = eb_steal(env);
	return 0;
}

static void free_handover(struct eb_handover *h)
{
	if (h && h->root)
		h->free(h->root);
	free(h);
}

void eb_env_free(struct eb_env *env)
{
	if (!env)
		return;
	free_handover(env->handover);
	eb_request_release(&env->request);
	eb_strv_release(&env->apt);
	eb_spec_free(env->spec);
	eb_lock_free(env->given);
	eb_named_free(env->named);
	free(env->path);
	free(env);
}
